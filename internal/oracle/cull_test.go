package oracle

import (
	"slices"
	"testing"

	"github.com/dgryski/go-pcgr"
)

// The score is what the generator of others draws.
func TestScoreIsPCG(t *testing.T) {
	for seed := range uint64(5) {
		for id := range uint64(200) {
			p := Cap{Seed: seed * 0xABCDEF0123456789}
			x := id * 0x9E3779B97F4A7C15
			x ^= x >> 29
			r := pcgr.New(int64(x), int64(p.Seed))
			r.Next()
			if got, want := p.score(0, id), r.Next(); got != want {
				t.Fatalf("seed %d, entity %d: %d, want %d", p.Seed, id, got, want)
			}
		}
	}
}

func TestStratum(t *testing.T) {
	o := Observer{X: 100, Y: -100, Reach: []Reach{{Enter: 16, Margin: 4}}}
	for _, c := range []struct {
		dx, dy       int64
		octant, ring int
	}{
		{0, 0, 0, 0},
		{10, 0, 0, 0}, // 4 * 100 = 1 * 400: inside
		{11, 0, 0, 1},
		{10, 10, 0, 1}, // the diagonal belongs to the flat side
		{9, 10, 4, 1},
		{-9, 10, 5, 1},
		{-10, 10, 1, 1},
		{-14, -3, 3, 2},
		{3, -14, 6, 2},
		{-3, -19, 7, 3},
		{20, 0, 0, 3},
		{0, -1, 6, 0},
		{-1, 0, 1, 0},
	} {
		e := Entity{X: o.X + c.dx, Y: o.Y + c.dy}
		if got, want := o.stratum(&e), c.octant*rings+c.ring; got != want {
			t.Errorf("(%d, %d): octant %d ring %d, want %d and %d", c.dx, c.dy, got/rings, got%rings, c.octant, c.ring)
		}
	}
}

// Ten to the east, one to the west: a cap of three keeps the west, and whoever is
// in view stays.
func TestCapIsEvenAndSteady(t *testing.T) {
	w := NewWorld(WorldConfig{Cap: Cap{Members: 3}})
	east := func(n uint64) (all []Thing) {
		for id := range n {
			all = append(all, Thing{Entity: Entity{ID: id + 10, X: 5, Y: 1}, Cost: 1})
		}
		return all
	}
	members := func() (ids []uint64) {
		for _, p := range w.Pairs() {
			ids = append(ids, p.Entity)
		}
		return ids
	}
	first := w.Tick(1, watcher, east(3))
	if got := members(); !slices.Equal(got, []uint64{10, 11, 12}) || first[0].Culled != 0 {
		t.Errorf("three of three: %v, %d culled", got, first[0].Culled)
	}
	crowd := w.Tick(2, watcher, east(10))
	if got := members(); !slices.Equal(got, []uint64{10, 11, 12}) || crowd[0].Culled != 7 {
		t.Errorf("seven more come: %v, %d culled", got, crowd[0].Culled)
	}
	west := Thing{Entity: Entity{ID: 1, X: -5, Y: 1}, Cost: 1}
	w.Tick(3, watcher, append([]Thing{west}, east(10)...))
	got := members()
	if len(got) != 3 || got[0] != 1 || got[2] > 12 {
		t.Errorf("one in the west: %v, want it and two of the three before", got)
	}
	w.Tick(4, watcher, east(10))
	if got := members(); len(got) != 3 {
		t.Errorf("the west leaves: %v", got)
	}
}
