package vicinity

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestRaid: five thousand come into one view at once under 1,200 bytes, while a
// NaN, a stale handle and a zero cost arrive. Everybody else is served, the bad ones
// are named and counted, and all have entered after the computed number of ticks:
// nothing is sent twice and nothing is begun again.
func TestRaid(t *testing.T) {
	const spawnCost, budget = 40, 1200
	raiders := 5000
	if testing.Short() {
		raiders = 1000
	}
	w := newWorld(t, Config{Reach: []Reach{{Enter: 50, Margin: 5}}})
	hero := spawn(t, w, 1, 0, 0)
	farmer := spawn(t, w, 2, 1000, 0)
	cow := spawn(t, w, 3, 1010, 0)
	ok(t, w.Connect(Connection{ID: 1, Viewpoint: on(hero), Budget: budget, ExcludeSelf: true}))
	ok(t, w.Connect(Connection{ID: 2, Viewpoint: on(farmer), Budget: budget, ExcludeSelf: true}))
	gone := spawn(t, w, 4, 0, 0)
	tick(t, w)
	ok(t, w.Despawn(gone))
	handles := make([]Handle, raiders)
	for i := range handles {
		handles[i] = spawnOf(t, w, Entity{
			ID: 100 + uint64(i), X: float64(i%70) - 35, Y: float64(i/70%70) - 35, Cost: cost(24), SpawnCost: spawnCost,
		})
	}

	refused := func(what string, err, want error, culprit string) {
		t.Helper()
		if !errors.Is(err, want) || !strings.Contains(err.Error(), culprit) {
			t.Errorf("%s: %v; want %v that names %s", what, err, want, culprit)
		}
	}
	refused("a move to NaN", w.Move(cow, math.NaN(), 0), ErrNotFinite, "entity 3 ")
	refused("a move of a stale handle", w.Move(gone, 0, 0), ErrEntity, fmt.Sprint(gone))
	_, err := w.Spawn(Entity{ID: 9})
	refused("a spawn without cost", err, ErrCost, "entity 9:")
	if got, want := w.Stats().Rejects, (Rejects{NotFinite: 1, Stale: 1, Cost: 1}); got != want {
		t.Errorf("rejects are %+v; want %+v", got, want)
	}

	// Half of the budget is kept for spawns. The leave of the one that went comes
	// first, and takes 8 bytes in the first tick.
	const perTick = budget / 2 / spawnCost
	want := 1 + (raiders-(budget/2-8)/spawnCost+perTick-1)/perTick
	entered := map[uint64]bool{}
	for n := 1; ; n++ {
		ok(t, w.Move(cow, 1010+float64(n%2), 0))
		for _, h := range handles {
			ok(t, w.Touch(h))
		}
		got := tick(t, w)
		expect(t, got[2], nil, nil, []uint64{3})
		for _, e := range got[1].enters {
			if entered[e.ID] {
				t.Fatalf("tick %d: %d enters again", n, e.ID)
			}
			entered[e.ID] = true
		}
		if got[1].d.Bytes > budget {
			t.Fatalf("tick %d: %d bytes", n, got[1].d.Bytes)
		}
		if n == 1 {
			expect(t, sent{d: got[1].d, leaves: got[1].leaves}, []uint64{4}, nil, nil)
			continue
		}
		if len(got[1].leaves) != 0 {
			t.Fatalf("tick %d: %d leave", n, len(got[1].leaves))
		}
		if len(entered) == raiders {
			if n != want {
				t.Errorf("all have entered after %d ticks; want %d", n, want)
			}
			return
		}
		if n > want {
			t.Fatalf("%d of %d have entered after %d ticks", len(entered), raiders, n)
		}
	}
}
