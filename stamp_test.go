package vicinity

import (
	"math"
	"testing"
)

// TestEpoch: ticks may jump by any number, past the range of stamps too. What was
// sent is not sent again, what waits goes on waiting, and a change is seen.
func TestEpoch(t *testing.T) {
	for _, budget := range []uint32{0, 100} {
		w := newWorld(t, Config{})
		still, waits, moves := spawn(t, w, 1, 0, 0), spawn(t, w, 2, 0, 0), spawn(t, w, 3, 0, 0)
		_ = still
		ok(t, w.Connect(Connection{ID: 1, Budget: budget}))
		at := func(tick uint64, accept bool) (s sent) {
			t.Helper()
			ok(t, w.TickAt(tick, func(_ ConnID, d *Delivery) bool { s = keep(d); return accept }))
			return s
		}
		at(5, true)
		at(6, true)
		if got := len(at(7, true).updates); got != 0 {
			t.Fatalf("%d updates of those at rest", got)
		}
		ok(t, w.Teleport(waits, 1, 0))
		expect(t, at(8, false), nil, nil, []uint64{2})
		for _, tick := range []uint64{math.MaxUint32 - 1, math.MaxUint32 + 10, 5 << 32, 5<<32 + 1, 1 << 63, math.MaxUint64} {
			s := at(tick, false)
			expect(t, s, nil, nil, []uint64{2})
			if t.Failed() {
				t.FailNow()
			}
			if !s.updates[0].Jumped {
				t.Errorf("tick %d: the jump is forgotten", tick)
			}
			if want := uint32(min(tick-8, math.MaxUint32-2)); tick < 1<<32 && s.d.OldestWait != want {
				t.Errorf("tick %d: waited %d ticks; want %d", tick, s.d.OldestWait, want)
			}
			if s.d.OldestWait < 1<<29 {
				t.Errorf("tick %d: waited %d ticks only", tick, s.d.OldestWait)
			}
		}
		_ = moves
	}
}

// TestEpochGoesOn: pairs and entities are exact after the epoch has moved.
func TestEpochGoesOn(t *testing.T) {
	w := newWorld(t, Config{})
	a, b := spawn(t, w, 1, 0, 0), spawn(t, w, 2, 0, 0)
	ok(t, w.Connect(Connection{ID: 1, Budget: 100}))
	var s sent
	fn := func(_ ConnID, d *Delivery) bool { s = keep(d); return true }
	ok(t, w.TickAt(math.MaxUint32-3, fn))
	for i := range uint64(8) {
		ok(t, w.Move(a, float64(i+1), 0))
		ok(t, w.TickAt(1<<40+i*(1<<31), fn))
		if i > 0 {
			expect(t, s, nil, nil, []uint64{1})
			if s.updates[0].Jumped {
				t.Error("a walk is a jump")
			}
		}
	}
	ok(t, w.Teleport(b, 3, 3))
	ok(t, w.TickAt(1<<41, fn))
	expect(t, s, nil, nil, []uint64{2})
	ok(t, w.TickAt(1<<42, fn))
	expect(t, s, nil, nil, nil)
}
