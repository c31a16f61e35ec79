package vicinity

import (
	"testing"

	"vicinity/packer"
)

// TestMaxWait: under overload every change of a class with MaxSilence is sent within
// what packer.Budget.MaxWait promises, and at every n-th tick within what
// Connection.SendEvery says of it.
func TestMaxWait(t *testing.T) {
	const silence, cost0, n, bytes, reserve = 6, 20, 60, 240, 20
	for _, every := range []int{1, 2, 3, 5, 7} {
		w := newWorld(t, Config{Classes: []packer.Class{{MaxSilence: silence}}, StarvedShare: 0.4})
		var handles []Handle
		costs := make([]uint32, n)
		for i := range n {
			costs[i] = cost0
			handles = append(handles, spawnOf(t, w, Entity{ID: uint64(i), X: float64(i), Cost: cost(cost0), Priority: uint16(n - i)}))
		}
		ok(t, w.Connect(Connection{ID: 1}))
		tick(t, w)
		ok(t, w.SetBudget(1, bytes, reserve))
		ok(t, w.SetRate(1, every))
		b, err := packer.NewBudget(w.cfg.limits(bytes, reserve))
		ok(t, err)
		promised, err := b.MaxWait(0, costs, cost0, 0)
		ok(t, err)
		limit := uint64(every-1) + uint64(every)*((silence+uint64(every)-1)/uint64(every)+promised-silence)
		oldest := make([]uint64, n) // tick of the oldest unsent change
		longest := uint64(0)
		for range 100 * every {
			now := w.Now() + 1
			for i, h := range handles {
				if oldest[i] == 0 {
					oldest[i] = now
				}
				ok(t, w.Touch(h))
			}
			for _, s := range tick(t, w) {
				for _, u := range s.updates {
					longest = max(longest, now-oldest[u.ID])
					oldest[u.ID] = 0
				}
			}
		}
		for i := range oldest {
			if oldest[i] != 0 {
				longest = max(longest, w.Now()-oldest[i])
			}
		}
		t.Logf("every %d: the longest wait was %d ticks of %d", every, longest, limit)
		if longest > limit || longest < silence {
			t.Errorf("every %d: somebody waited %d ticks; want at most %d, and %d at least", every, longest, limit, silence)
		}
	}
}

// TestHeld: an enter that waits for a leave is counted and explained.
func TestHeld(t *testing.T) {
	w := newWorld(t, Config{})
	old := spawn(t, w, 1, 0, 0)
	ok(t, w.Connect(Connection{ID: 1, Budget: 100}))
	tick(t, w)
	ok(t, w.Despawn(old))
	spawn(t, w, 1, 0, 0)
	s := tickIf(t, w, false)[1]
	expect(t, s, []uint64{1}, nil, nil)
	if got := s.d.Deferred; got != [packer.Whys]int{packer.WhyAwaitingSpawn: 1} {
		t.Errorf("deferred are %v; want 1 that awaits", got)
	}
	explains(t, w, 1, 1, "leave (despawn) is pending since tick 2", "another entity has the ID now", "waits until that leave was delivered")
	expect(t, tick(t, w)[1], []uint64{1}, nil, nil)
	s = tick(t, w)[1]
	expect(t, s, nil, []uint64{1}, nil)
	if got := s.d.Deferred; got != [packer.Whys]int{} {
		t.Errorf("deferred are %v; want none", got)
	}
}
