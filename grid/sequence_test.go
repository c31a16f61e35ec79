package grid

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"vicinity/arena"
)

// TestCallsBetweenPublishes plays short sequences of calls on two entities, a
// published one and a fresh one, in every order in which they succeed, and looks at
// the snapshots of the next two ticks.
func TestCallsBetweenPublishes(t *testing.T) {
	type step struct {
		name string
		do   func(w *world, i int)
	}
	here, there := Point{X: 1000, Y: -70, Z: 3}, Point{X: -5, Y: 2000, Z: -9}
	steps := []step{
		{"here", func(w *world, i int) { w.move(i, here) }},
		{"there", func(w *world, i int) { w.move(i, there) }},
		{"layer 0", func(w *world, i int) { w.setLayer(i, 0) }},
		{"layer 1", func(w *world, i int) { w.setLayer(i, 1) }},
		{"layer 2", func(w *world, i int) { w.setLayer(i, 2) }},
		{"masks", func(w *world, i int) { w.setMasks(i, 1, 6) }},
	}
	play := func(t *testing.T, sequence []step, published, removed bool) {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 256}, {CellX: 64, Static: true}}, Height: true, Masks: true, Previous: true})
		for i := range 20 { // somebody else is there too
			w.spawn(i%3, Point{X: int32(40 * i), Y: int32(-30 * i)})
		}
		if !published {
			w.publish()
		}
		i := w.spawn(0, Point{X: 7, Y: 7, Z: 7})
		if published {
			w.publish()
		}
		for _, s := range sequence {
			s.do(w, i)
		}
		if removed {
			w.despawn(i)
		}
		for range 2 {
			all := w.publish()
			s := w.grid.Snapshot()
			checkAll(t, s, all)
			for _, p := range []Point{here, there, {X: 7, Y: 7, Z: 7}} {
				for mask := range uint32(4) {
					checkQuery(t, s, all, Query{X: p.X, Y: p.Y, Radius: 5, Z: p.Z, Height: 1, Filter: Filter{Mask: mask}})
				}
			}
			if t.Failed() {
				return
			}
		}
	}
	for n, a := range steps {
		for m, b := range steps {
			for l, c := range steps {
				if raceEnabled && (n+2*m+3*l)%7 != 0 {
					continue // it is slow then
				}
				for k := range 4 {
					published, removed := k&1 != 0, k&2 != 0
					play(t, []step{a, b, c}, published, removed)
					if t.Failed() {
						t.Fatalf("sequence %s, %s, %s; published before: %v; removed: %v", a.name, b.name, c.name, published, removed)
					}
				}
			}
		}
	}
}

// TestMoveInOtherLayerAndBack: a move between leaving a layer and coming back in
// the same tick is not lost.
func TestMoveInOtherLayerAndBack(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 16}}, Masks: true})
	i := w.spawn(0, Point{})
	w.publish()
	w.setLayer(i, 1)
	w.move(i, Point{X: 100, Y: 100})
	w.setMasks(i, 1, 0)
	w.setLayer(i, 0)
	all := w.publish()
	checkAll(t, w.grid.Snapshot(), all)
	checkQuery(t, w.grid.Snapshot(), all, Query{X: 100, Y: 100, Filter: Filter{Mask: 1}})
	checkQuery(t, w.grid.Snapshot(), all, Query{X: 100, Y: 100})
}

// TestNobodyLeftToSort: a layer that was touched, but by nobody who stays, is
// sorted without having had memory before.
func TestNobodyLeftToSort(t *testing.T) {
	for _, previous := range []bool{false, true} {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 16}}, Previous: previous, Height: true, Masks: true})
		i := w.spawn(0, Point{})
		w.move(i, Point{X: 1})
		w.setLayer(i, 1)
		w.move(i, Point{X: 2})
		w.despawn(i)
		w.publish()
		checkAll(t, w.grid.Snapshot(), nil)
		i = w.spawn(1, Point{X: 5})
		all := w.publish()
		checkAll(t, w.grid.Snapshot(), all)
		checkQuery(t, w.grid.Snapshot(), all, Query{X: 5})
		w.despawn(i)
		w.publish()
		checkAll(t, w.grid.Snapshot(), nil)
	}
}

func TestThereAndBackInOneTick(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	i := w.spawn(0, Point{X: 8, Y: 8})
	w.spawn(0, Point{X: 9, Y: 9})
	w.publish()
	w.move(i, Point{X: 1000, Y: 8})
	w.move(i, Point{X: 8, Y: 8})
	all := w.publish()
	s := w.grid.Snapshot()
	checkAll(t, s, all)
	checkQuery(t, s, all, Query{X: 8, Y: 8, Radius: 0})
	checkQuery(t, s, all, Query{X: 1000, Y: 8, Radius: 20})
	checkQuery(t, s, all, Query{Radius: 5000})
}

// TestPositionAndHolds: the writer's view of pending state.
func TestPositionAndHolds(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, Height: true})
	i := w.spawn(0, Point{X: 1, Y: 2, Z: 3})
	h := w.all[i].h
	check := func(when string, want Point, there, holds bool, n int) {
		t.Helper()
		if p, ok := w.grid.Position(h); p != want || ok != there || w.grid.Holds(h) != holds || w.grid.Len() != n {
			t.Errorf("%s: %v, %v, %v, %d; want %v, %v, %v, %d", when, p, ok, w.grid.Holds(h), w.grid.Len(), want, there, holds, n)
		}
	}
	check("inserted", Point{1, 2, 3}, true, false, 1)
	w.publish()
	check("published", Point{1, 2, 3}, true, true, 1)
	w.must(w.grid.Move(h, 5, 6)) // the height stays
	check("moved", Point{5, 6, 3}, true, true, 1)
	w.must(w.grid.MoveZ(h, Point{7, 8, -9}))
	check("moved up", Point{7, 8, -9}, true, true, 1)
	w.must(w.grid.Remove(h))
	check("removed", Point{}, false, true, 0)
	w.publish()
	check("gone", Point{}, false, false, 0)
	w.must(w.grid.Insert(h, w.all[i].id, 0, Point{X: 4}))
	check("back", Point{X: 4}, true, false, 1)
	for _, other := range []arena.Handle{0, arena.MakeHandle(h.Slot(), h.Generation()+2), arena.MakeHandle(1<<30, 1), arena.MakeHandle(1<<31, 1), arena.MakeHandle(1<<32-1, 1)} {
		if w.grid.Holds(other) {
			t.Errorf("holds %v", other)
		}
		if _, ok := w.grid.Position(other); ok {
			t.Errorf("%v has a position", other)
		}
		if _, _, ok := w.grid.Snapshot().Find(other, 0, 0); ok {
			t.Errorf("the snapshot holds %v", other)
		}
	}
}

// TestReinsert: a handle that was removed and is still alive comes back under its
// ID only, so that what pinned snapshots say of it stays true.
func TestReinsert(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	i := w.spawn(0, Point{X: 1})
	e := w.all[i]
	reader, err := w.grid.NewReader()
	w.must(err)
	defer reader.Close()
	was := w.publish()
	pinned, err := reader.Pin()
	w.must(err)
	w.must(w.grid.Remove(e.h))
	if err := w.grid.Insert(e.h, e.id, 0, Point{}); !errors.Is(err, ErrExists) {
		t.Errorf("before Publish: %v; want %v", err, ErrExists)
	}
	w.all = nil
	w.publish()
	if err := w.grid.Insert(e.h, e.id+1, 0, Point{}); !errors.Is(err, ErrExists) {
		t.Errorf("with another ID: %v; want %v", err, ErrExists)
	}
	w.must(w.grid.Insert(e.h, e.id, 0, Point{X: 2}))
	e.at = Point{X: 2}
	w.all = []entity{e}
	all := w.publish()
	checkAll(t, w.grid.Snapshot(), all)
	checkAll(t, pinned, was)
}

// TestFreedWithoutRemove: the grid does not know that a handle died until Remove;
// its slot is refused until that was published.
func TestFreedWithoutRemove(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	i := w.spawn(0, Point{X: 1})
	e := w.all[i]
	w.publish()
	w.arena.Free(e.h)
	all := w.publish() // reclaims the slot
	checkAll(t, w.grid.Snapshot(), all)
	fresh, err := w.arena.Alloc()
	w.must(err)
	if fresh.Slot() != e.h.Slot() {
		t.Fatalf("got %v; want slot %d again", fresh, e.h.Slot())
	}
	if err := w.grid.Insert(fresh, 5, 0, Point{}); !errors.Is(err, ErrExists) {
		t.Errorf("Insert: %v; want %v", err, ErrExists)
	}
	if err := w.grid.Move(fresh, 1, 1); !errors.Is(err, ErrHandle) {
		t.Errorf("Move: %v; want %v", err, ErrHandle)
	}
	w.must(w.grid.Move(e.h, 3, 3)) // the old one is still there
	w.must(w.grid.Remove(e.h))
	w.all = nil
	w.publish()
	checkAll(t, w.grid.Snapshot(), nil)
	w.must(w.grid.Insert(fresh, 5, 0, Point{X: 9}))
	w.all = []entity{{h: fresh, id: 5, at: Point{X: 9}}}
	all = w.publish()
	checkAll(t, w.grid.Snapshot(), all)
}

// TestSlotsWaitForReaders: a slot is not handed out while a snapshot that holds it
// is current or pinned, and what a pinned snapshot says of it stays true.
func TestSlotsWaitForReaders(t *testing.T) {
	eachMemory(t, func(t *testing.T, m arena.Memory) {
		r := newRandom(t)
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 64}}, Memory: m, MaxReaders: 4})
		for range 50 { // at most 64, and later at most 64 more: the arena grows once
			w.spawn(r.below(2), r.point(500))
		}
		type pin struct {
			reader *Reader
			s      *Snapshot
			all    []entity
		}
		var pins []pin
		for range 4 {
			reader, err := w.grid.NewReader()
			w.must(err)
			defer reader.Close()
			pins = append(pins, pin{reader: reader})
		}
		reused := 0
		for tick := range 120 {
			holding := map[uint32]bool{}
			hold := func(all []entity) {
				for _, e := range all {
					holding[e.h.Slot()] = true
				}
			}
			for _, p := range pins {
				hold(p.all)
			}
			hold(w.all)
			for range 3 {
				i := r.below(len(w.all))
				w.must(w.grid.Remove(w.all[i].h))
				w.arena.Free(w.all[i].h)
				w.all = slices.Delete(w.all, i, i+1)
				i = w.spawn(r.below(2), r.point(500))
				if holding[w.all[i].h.Slot()] {
					t.Fatalf("tick %d: slot %d was handed out while a snapshot holds it", tick, w.all[i].h.Slot())
				}
				if w.all[i].h.Generation() > 1 {
					reused++
				}
			}
			all := w.publish()
			k := r.below(len(pins))
			pins[k].reader.Unpin()
			s, err := pins[k].reader.Pin()
			w.must(err)
			pins[k].s, pins[k].all = s, all
			for _, p := range pins {
				if p.s != nil {
					checkAll(t, p.s, p.all)
					checkQuery(t, p.s, p.all, Query{X: 0, Y: 0, Radius: 300})
				}
			}
		}
		if reused < 100 {
			t.Errorf("only %d slots were reused", reused)
		}
	})
}

// TestGrowthUnderPin: what a snapshot knows of handles and IDs outlives the growth
// of the arena.
func TestGrowthUnderPin(t *testing.T) {
	eachMemory(t, func(t *testing.T, m arena.Memory) {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, Memory: m})
		reader, err := w.grid.NewReader()
		w.must(err)
		defer reader.Close()
		for i := range 60 {
			w.spawn(0, Point{X: int32(i)})
		}
		all := w.publish()
		pinned, err := reader.Pin()
		w.must(err)
		for range 3 {
			for i := range 500 {
				w.spawn(0, Point{X: int32(-i)})
			}
			checkAll(t, pinned, all)
		}
		checkAll(t, w.grid.Snapshot(), all) // the current one too, until the next
	})
}

// TestRandomChanges plays everything against a plain list, in both memories, on
// every kernel level.
func TestRandomChanges(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for k := range 8 {
			height, masks, previous := k&1 != 0, k&2 != 0, k&4 != 0
			t.Run(fmt.Sprintf("height=%v/masks=%v/previous=%v", height, masks, previous), func(t *testing.T) {
				r := newRandom(t)
				w := newWorld(t, Config{
					Layers: []Layer{{CellX: 16, CellY: 64}, {CellX: 128}, {CellX: 32, Static: true}},
					Height: height, Masks: masks, Previous: previous, Memory: arena.Memory(k % 2),
				})
				w.shaped = true
				for range 300 {
					w.spawn(r.below(3), r.point(1000))
				}
				for range 12 {
					w.churn(r, 1000, 60)
					all := w.publish()
					s := w.grid.Snapshot()
					checkAll(t, s, all)
					for range 12 {
						p := r.point(1100)
						q := Query{X: p.X, Y: p.Y, Radius: int32(r.below(400))}
						q.Layers = uint32(r.below(8))
						if height {
							q.Z, q.Height = r.spread(1000), int32(r.below(700))
						}
						if masks {
							q.Mask = uint32(r.below(16))
						}
						checkQuery(t, s, all, q)
						o := r.point(1100)
						checkRect(t, s, all, Rect{min(p.X, o.X), min(p.Y, o.Y), max(p.X, o.X), max(p.Y, o.Y)}, q.Filter)
					}
				}
			})
		}
	})
}

// TestConcurrentMoves: moves of distinct handles may run at the same time.
func TestConcurrentMoves(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 16}}, Height: true})
	workers := NewWorkers(3)
	defer workers.Close()
	for i := range 3000 {
		w.spawn(i%2, Point{})
	}
	w.publish()
	for tick := range int32(5) {
		workers.Run(func(worker int) {
			for i := worker; i < len(w.all); i += workers.N() {
				w.move(i, Point{X: int32(i), Y: tick, Z: -tick})
			}
		})
		all := w.publish()
		checkAll(t, w.grid.Snapshot(), all)
	}
}
