package arena

import (
	"fmt"
	"testing"

	"github.com/dgryski/go-pcgr"
)

// zeroAllocs fails if f allocates, on the heap or mapped.
func zeroAllocs(t *testing.T, name string, f func()) {
	t.Helper()
	before := MappedBytes()
	if n := testing.AllocsPerRun(50, f); n != 0 {
		t.Errorf("%s allocates %v times a run", name, n)
	}
	if got := MappedBytes() - before; got != 0 {
		t.Errorf("%s maps %d bytes", name, got)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	both(t, func(t *testing.T, m Memory) {
		for _, deferred := range []bool{false, true} {
			t.Run(fmt.Sprintf("deferred=%v", deferred), func(t *testing.T) {
				const n = 1000
				a := newArena(t, Config{Capacity: 10_000, Memory: m, Deferred: deferred})
				c, err := NewColumn[uint64](a, m)
				if err != nil {
					t.Fatal(err)
				}
				hs := mustAlloc(t, a, n)
				rand := pcgr.New(1, 2)
				oldest := uint64(0)
				// A tick: some go, some come, a batch is closed, and that of three
				// ticks ago is given up.
				tick := func() {
					for range 100 {
						i := rand.Bound(n)
						a.Free(hs[i])
						hs[i], err = a.Alloc()
						if err != nil {
							t.Fatal(err)
						}
						c.Slice()[hs[i].Slot()]++
					}
					if b := a.Seal(); b > 3 {
						a.Reclaim(b - 3)
						oldest = b
					}
				}
				for range 10 {
					tick()
				}
				zeroAllocs(t, "a tick", tick)
				if oldest == 0 {
					t.Error("nothing was reclaimed")
				}
				zeroAllocs(t, "looking", func() {
					_, _, _, _ = a.Alive(hs[0]), a.Len(), a.Slots(), a.Capacity()
					_ = a.Stats()
					_ = a.Retain()
					a.Release()
				})
				drained := 0
				zeroAllocs(t, "Clear, Drain and refilling", func() {
					for range 2 {
						a.Reclaim(a.Seal())
						for a.Len() < n/2 {
							if _, err := a.Alloc(); err != nil {
								t.Fatal(err)
							}
						}
						if a.Seal()%2 == 0 {
							a.Clear()
						} else {
							a.Drain(func(Handle) { drained++ })
						}
					}
				})
				if drained == 0 {
					t.Error("nothing was drained")
				}
			})
		}
	})
}
