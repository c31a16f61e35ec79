package vicinity

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"vicinity/grid"
)

// TestPredicatePanic: a panic of the predicate comes out of Tick before any callback,
// and the next Tick is exact, whatever has moved in between.
func TestPredicatePanic(t *testing.T) {
	for _, workers := range []int{1, 3} {
		ws := grid.NewWorkers(workers)
		t.Cleanup(ws.Close)
		const camps, each = 20, 30
		var left atomic.Int64 // answers until the panic
		w := newWorld(t, Config{Workers: ws, Predicate: func(ConnID, Handle) bool {
			if left.Add(-1) == 0 {
				panic("boom")
			}
			return true
		}})
		handles := make([]Handle, 0, camps*each)
		for camp := range camps {
			for i := range each {
				handles = append(handles, spawnOf(t, w, Entity{
					ID: uint64(camp*each + i), X: float64(1000*camp + i), Cost: cost(1), Ask: i%2 == 0,
				}))
			}
			ok(t, w.Connect(Connection{ID: ConnID(camp), Viewpoint: on(handles[camp*each])}))
		}
		fn := func(ConnID, *Delivery) bool { return true }
		for round := range 30 {
			left.Store(0)
			for camp := range camps {
				ok(t, w.InvalidateConn(ConnID(camp)))
			}
			left.Store(int64(1 + 7*round))
			now := w.Now()
			func() {
				defer func() {
					if p := recover(); !strings.Contains(fmt.Sprint(p), "boom") {
						t.Errorf("round %d: panicked with %v", round, p)
					}
				}()
				w.Tick(func(ConnID, *Delivery) bool { t.Error("a callback was made"); return true })
			}()
			if w.Now() != now+1 {
				t.Errorf("round %d: tick %d after %d", round, w.Now(), now)
			}
			// All but the first of each camp go to the next one.
			for i, h := range handles {
				if camp := (i/each + round + 1) % camps; i%each > 0 {
					ok(t, w.Move(h, float64(1000*camp+i%each), 0))
				}
			}
			ok(t, w.Tick(fn))
			ok(t, w.CheckInvariants())
			for camp := range camps {
				var want, got []uint64
				for i := range handles {
					if i%each > 0 && (i/each+round+1)%camps == camp || i == camp*each {
						want = append(want, uint64(i))
					}
				}
				for _, m := range w.AppendMembers(nil, ConnID(camp)) {
					got = append(got, m.ID)
				}
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Fatalf("%d workers, round %d: camp %d sees %v; want %v", workers, round, camp, got, want)
				}
			}
		}
	}
}
