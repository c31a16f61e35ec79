package grid

import (
	"maps"
	"slices"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
)

// settledGrid returns an empty grid of two layers.
func settledGrid(t *testing.T, height bool) (*arena.Arena, *Grid) {
	t.Helper()
	a, err := arena.New(arena.Config{Deferred: true})
	must(t, err)
	g, err := New(Config{Arena: a, Layers: []Layer{{CellX: 64}, {CellX: 256}}, Height: height, Previous: true})
	must(t, err)
	return a, g
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSettled: the pending positions are the snapshot's until anything changes.
func TestSettled(t *testing.T) {
	for _, height := range []bool{false, true} {
		a, g := settledGrid(t, height)
		h, err := a.Alloc()
		must(t, err)
		if !g.Settled() {
			t.Error("an empty grid is not settled")
		}
		must(t, g.Insert(h, 7, 0, Point{X: 1, Y: 2, Z: 3}))
		changes := map[string]func(){
			"move":      func() { must(t, g.Move(h, 5, 6)) },
			"set layer": func() { must(t, g.SetLayer(h, 1)) },
			"back":      func() { must(t, g.SetLayer(h, 0)) },
			"insert":    func() { o, err := a.Alloc(); must(t, err); must(t, g.Insert(o, 8, 1, Point{})) },
			"remove":    func() { must(t, g.Remove(h)) },
		}
		for tick, name := range []string{"", "move", "set layer", "back", "insert", "remove"} {
			if name != "" {
				changes[name]()
			}
			if g.Settled() {
				t.Errorf("settled after %q", name)
			}
			must(t, g.Publish(uint64(tick+1)))
			if !g.Settled() {
				t.Errorf("not settled after %q and a publish", name)
			}
		}
		must(t, g.Close())
		must(t, a.Close())
	}
}

// TestBySlot: what the grid says of slots is what the snapshot has, whatever is
// pending.
func TestBySlot(t *testing.T) {
	a, g := settledGrid(t, true)
	r := newRandom(t)
	type body struct {
		layer int
		at    Point
		id    uint64
	}
	stored := map[uint32]body{}
	pending := map[uint32]body{}
	handles := map[uint32]arena.Handle{}
	for tick := range 30 {
		before := stored
		stored = map[uint32]body{}
		for slot, b := range pending {
			stored[slot] = b
		}
		must(t, g.Publish(uint64(tick+1)))
		var arrived []uint32
		for slot := range stored {
			if _, ok := before[slot]; !ok {
				arrived = append(arrived, slot)
			}
		}
		slices.Sort(arrived)
		if got := slices.Sorted(slices.Values(g.Arrived())); !slices.Equal(got, arrived) {
			t.Fatalf("tick %d: arrived %v; want %v", tick, got, arrived)
		}
		for range 10 { // pending: the snapshot does not show it
			h, err := a.Alloc()
			must(t, err)
			b := body{layer: r.below(2), at: Point{X: r.spread(1000), Y: r.spread(1000), Z: r.spread(50)}, id: uint64(tick*100) + uint64(h.Slot())}
			must(t, g.Insert(h, b.id, b.layer, b.at))
			pending[h.Slot()], handles[h.Slot()] = b, h
		}
		for _, slot := range slices.Sorted(maps.Keys(stored)) {
			b, h := pending[slot], handles[slot]
			switch r.below(6) {
			case 0:
				must(t, g.Remove(h))
				a.Free(h)
				delete(pending, slot)
			case 1:
				b.layer = 1 - b.layer
				must(t, g.SetLayer(h, b.layer))
				pending[slot] = b
			case 2, 3:
				b.at = Point{X: r.spread(1000), Y: r.spread(1000), Z: r.spread(50)}
				must(t, g.MoveZ(h, b.at))
				pending[slot] = b
			}
		}
		xy, z := make([][2]int32, a.Slots()), make([]int32, a.Slots())
		g.Snapshot().CopyPositions(xy, z)
		for slot := range uint32(a.Slots()) + 5 {
			b, ok := stored[slot]
			if g.HasSlot(slot) != ok {
				t.Fatalf("tick %d: slot %d: %v; want %v", tick, slot, !ok, ok)
			}
			if !ok {
				continue
			}
			h := handles[slot]
			if layer, ok := g.Home(h); !ok || layer != b.layer || g.ID(h) != b.id || g.Generation(slot) != h.Generation() {
				t.Fatalf("tick %d: %v in layer %d, %v, ID %d, generation %d; want %+v", tick, h, layer, ok, g.ID(h), g.Generation(slot), b)
			}
			if xy[slot] != [2]int32{b.at.X, b.at.Y} || z[slot] != b.at.Z {
				t.Fatalf("tick %d: slot %d at %v, %d; want %v", tick, slot, xy[slot], z[slot], b.at)
			}
			if _, ok := g.Home(h + 1<<32); ok {
				t.Fatalf("another generation of slot %d has a home", slot)
			}
		}
		wanted, _ := g.Positions()
		for slot, b := range pending {
			if wanted[slot] != [2]int32{b.at.X, b.at.Y} {
				t.Fatalf("tick %d: slot %d is to be at %v; want %v", tick, slot, wanted[slot], b.at)
			}
		}
	}
	if g.Generation(1<<30) != 0 {
		t.Error("a slot beyond all has a generation")
	}
	must(t, g.Close())
	must(t, a.Close())
}

// TestWork: cells are counted as what they are, and AppendNear finds what
// AppendIndexes finds.
func TestWork(t *testing.T) {
	a, g := settledGrid(t, false)
	for i := range 40 {
		h, err := a.Alloc()
		must(t, err)
		must(t, g.Insert(h, uint64(i), 0, Point{X: int32(i%8) * 64, Y: int32(i/8) * 64}))
	}
	must(t, g.Publish(1))
	s := g.Snapshot()
	for radius, cells := range map[int32]int{0: 1, 60: 2 * 2, 64: 3 * 3, 10_000: 8 * 5} {
		d := asm.Disc{X: 130, Y: 65, Outer: asm.MakeLimit(radius)}
		found, work := s.AppendIndexes(nil, 0, &d, radius)
		if work.Cells != cells || work.Candidates != min(cells, 40) {
			t.Errorf("radius %d: %+v; want %d cells", radius, work, cells)
		}
		slots := s.AppendNear(nil, 0, &d, radius)
		for k, i := range found {
			found[k] = s.Columns(0).Slot[i&^asm.Inner]
		}
		if !slices.Equal(found, slots) {
			t.Errorf("radius %d: %v; want %v", radius, slots, found)
		}
	}
	must(t, g.Close())
	must(t, a.Close())
}
