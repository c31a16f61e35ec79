package grid

import (
	"fmt"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
)

// byHandle lists entities by handle.
func byHandle(all []entity) map[arena.Handle]entity {
	m := map[arena.Handle]entity{}
	for _, e := range all {
		m[e.h] = e
	}
	return m
}

// makePair prepares a query; heights count in worlds that have them.
func makePair(now, before Point, inner, outer int32, heights bool) asm.Pair {
	p := asm.Pair{
		X: now.X, Y: now.Y, Z: now.Z, OldX: before.X, OldY: before.Y, OldZ: before.Z,
		Inner: asm.MakeLimit(inner), Outer: asm.MakeLimit(outer),
		InnerHeight: uint32(inner), OuterHeight: uint32(outer),
	}
	if heights {
		p.Flags = asm.WithHeight
	}
	return p
}

// near reports whether e is within reach of b: the definition.
func (e *entity) near(b Point, reach int32, heights bool) bool {
	dz := int64(e.at.Z) - int64(b.Z)
	return e.within(b, int64(reach)) && (!heights || max(dz, -dz) <= int64(reach))
}

// checkCrossings compares AppendCrossings with plain loops over both ticks.
func checkCrossings(t *testing.T, s *Snapshot, was, now map[arena.Handle]entity, layer int, to, from Point, inner, outer int32, heights bool) {
	t.Helper()
	enter, leave := map[uint32]bool{}, map[uint32]bool{}
	for h, e := range now {
		if e.layer != layer || !e.near(to, inner, heights) {
			continue
		}
		if old, ok := was[h]; !ok || !old.near(from, inner, heights) {
			enter[h.Slot()] = true
		}
	}
	for h, old := range was {
		if old.layer != layer || !old.near(from, outer, heights) {
			continue
		}
		if e, ok := now[h]; !ok {
			leave[h.Slot()|Left] = true
		} else if !e.near(to, outer, heights) {
			leave[h.Slot()] = true
		}
	}
	pair := makePair(to, from, inner, outer, heights)
	got, gone := map[uint32]bool{}, map[uint32]bool{}
	for storage := range s.Storages() {
		if s.LayerOf(storage) != layer {
			continue
		}
		entered, left, _ := s.AppendCrossings([]uint32{7}, []uint32{8, 9}, storage, &pair, outer)
		if entered[0] != 7 || left[0] != 8 || left[1] != 9 {
			t.Fatalf("what the lists held is gone: %v, %v", entered, left)
		}
		for _, i := range entered[1:] {
			slot := s.Columns(storage).Slot[i]
			if got[slot] {
				t.Fatalf("tick %d: slot %d enters twice", s.Tick(), slot)
			}
			got[slot] = true
		}
		for _, slot := range left[2:] { // those who jumped may come twice
			gone[slot] = true
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(enter) {
		t.Fatalf("tick %d, layer %d, %v to %v, radii %d, %d: %v enter; want %v", s.Tick(), layer, from, to, inner, outer, got, enter)
	}
	if fmt.Sprint(gone) != fmt.Sprint(leave) {
		t.Fatalf("tick %d, layer %d, %v to %v, radii %d, %d: %v leave; want %v", s.Tick(), layer, from, to, inner, outer, gone, leave)
	}
}

// steadyLayer reports whether all storages of a layer are steady.
func (s *Snapshot) steadyLayer(layer int) bool {
	for storage := range s.Storages() {
		if s.LayerOf(storage) == layer && !s.Steady(storage) {
			return false
		}
	}
	return true
}

func TestCrossingsAgainstPlainLoops(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			name       string
			size, step int32
			layers     []Layer
		}{
			{"walk", 600, 20, []Layer{{CellX: 32}, {CellX: 64, CellY: 16}, {CellX: 32, Static: true}}},
			{"dense", 30, 3, []Layer{{CellX: 4}, {CellX: 1}, {CellX: 8, Static: true}}},
			{"aliasing", 1 << 18, 1, []Layer{{CellX: 1}, {CellX: 2}, {CellX: 4}}},
			{"far", MaxCoord, 1 << 22, []Layer{{CellX: 1 << 22}, {CellX: 1 << 26}, {CellX: 1 << 24, Static: true}}},
		} {
			for setting := range 4 {
				heights, shaped := setting&1 != 0, setting&2 != 0
				t.Run(fmt.Sprintf("%s/height=%v/bodies=%v", c.name, heights, shaped), func(t *testing.T) {
					r := newRandom(t)
					w := newWorld(t, Config{Layers: c.layers, Height: heights, Previous: true})
					spawn := func(layers int) {
						if i := w.spawn(r.below(layers), r.point(c.size)); shaped {
							w.setBody(i, r.someBody(c.size))
						}
					}
					for range 300 {
						spawn(3)
					}
					was := byHandle(w.publish())
					steady := 0
					for tick := range 16 {
						for i := range w.all {
							e := &w.all[i]
							switch k := r.below(40); {
							case e.layer == 2 && tick%4 != 0: // it rests
							case k == 0:
								w.move(i, r.point(c.size)) // a jump
							case k < 20:
								w.move(i, Point{
									X: clamp(e.at.X+r.spread(c.step), c.size), Y: clamp(e.at.Y+r.spread(c.step), c.size),
									Z: clamp(e.at.Z+r.spread(c.step), c.size),
								})
							}
						}
						if tick%3 != 0 {
							for range 4 {
								w.despawn(r.below(len(w.all)))
								spawn(2)
							}
						}
						now := byHandle(w.publish())
						s := w.grid.Snapshot()
						for layer := range 3 {
							if !s.steadyLayer(layer) {
								continue
							}
							steady++
							for range rounds(15) {
								from := r.point(c.size)
								if tick%2 == 0 { // where there is somebody
									from = w.all[r.below(len(w.all))].at
								}
								to := Point{X: clamp(from.X+r.spread(c.step), c.size), Y: clamp(from.Y+r.spread(c.step), c.size), Z: from.Z}
								switch r.below(6) {
								case 0:
									to = from
								case 1:
									to = r.point(c.size) // the observer jumps
								}
								inner := int32(r.below(int(c.size)/4 + 2))
								checkCrossings(t, s, was, now, layer, to, from, inner, inner+int32(r.below(int(c.size)/20+2)), heights)
							}
						}
						was = now
					}
					if steady < 30 {
						t.Errorf("only %d of 48 layers were steady", steady)
					}
				})
			}
		}
	})
}

// TestSteady: when the one-pass way is possible.
func TestSteady(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 16, Static: true}, {CellX: 16}}, Previous: true})
	for i := range 1000 {
		w.spawn(i%2, Point{X: int32(i)})
	}
	check := func(when string, want ...bool) {
		t.Helper()
		was := byHandle(w.all)
		if s := w.grid.Snapshot(); s != nil {
			was = w.shown(s)
		}
		now := byHandle(w.publish())
		s := w.grid.Snapshot()
		for layer := range want {
			if got := s.Steady(layer); got != want[layer] {
				t.Errorf("%s: layer %d steady %v; want %v", when, layer, got, want[layer])
			} else if got {
				checkCrossings(t, s, was, now, layer, Point{X: 505}, Point{X: 500}, 40, 50, false)
			}
		}
	}
	check("the first", false, false, false)
	check("nothing", true, true, true)
	w.move(0, Point{X: 3})
	check("a step", true, true, true)
	w.move(0, Point{X: 500, Y: 2})
	check("a jump", true, true, true)
	w.move(1, Point{X: 2})
	check("a move in the static layer", true, false, true)
	w.spawn(0, Point{X: 510})
	w.despawn(250)
	check("a spawn and a despawn", true, true, true)
	w.spawn(2, Point{X: 510})
	check("a spawn in an empty layer", true, true, true)
	w.spawn(1, Point{X: 510})
	check("a spawn in the static layer", true, false, true)
	w.setLayer(4, 2)
	check("a change of layer", false, false, false)
	check("nothing again", true, true, true)
	for i := range w.all {
		if w.all[i].layer == 0 {
			w.move(i, Point{X: w.all[i].at.X, Y: 100_000})
		}
	}
	check("everybody jumps", false, true, true)
	w.setLayer(4, 0)
	w.setLayer(4, 2)
	check("there and back", true, true, true)

	// Without previous positions only what did not move is steady.
	w = newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 16}}})
	w.spawn(0, Point{X: 500})
	w.publish()
	w.move(0, Point{X: 501})
	check("a move without previous positions", false, true)
}

// shown returns what a snapshot shows, of what is in w.all or was.
func (w *world) shown(s *Snapshot) map[arena.Handle]entity {
	m := map[arena.Handle]entity{}
	for layer := range s.Layers() {
		c := s.Columns(layer)
		for i, slot := range c.Slot {
			m[s.Handle(slot)] = entity{h: s.Handle(slot), id: s.ID(slot), layer: layer, at: Point{X: c.X[i], Y: c.Y[i]}}
		}
	}
	return m
}
