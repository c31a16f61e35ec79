package grid

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"vicinity/arena"
)

// work is what a publish did, as the counters tell.
type work struct{ sorted, shared, elements uint64 }

// publishWork publishes and returns the work.
func (w *world) publishWork() work {
	w.t.Helper()
	a := w.grid.Stats()
	w.publish()
	b := w.grid.Stats()
	return work{b.Sorted - a.Sorted, b.Shared - a.Shared, b.SortedElements - a.SortedElements}
}

// TestOnlyWhatChangedIsSorted: the counters of work, call by call.
func TestOnlyWhatChangedIsSorted(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 64, Static: true}, {CellX: 256}}, Height: true, Masks: true})
	r := newRandom(t)
	for i := range 300 {
		w.spawn(i%3, r.point(500))
	}
	check := func(when string, want work) {
		t.Helper()
		if got := w.publishWork(); got != want {
			t.Errorf("%s: %+v; want %+v", when, got, want)
		}
		checkAll(t, w.grid.Snapshot(), w.all)
	}
	check("the first", work{3, 0, 300})
	for range 5 {
		check("nothing happened", work{0, 3, 0})
	}
	// Looking changes nothing.
	w.grid.Position(w.all[0].h)
	w.grid.Holds(w.all[0].h)
	_ = w.grid.Stats()
	check("somebody looked", work{0, 3, 0})
	w.move(0, w.all[0].at)
	check("a move", work{1, 2, 100})
	w.move(1, Point{X: 3})
	check("a move in the static layer", work{1, 2, 100})
	w.setMasks(2, 1, 1)
	check("new masks", work{1, 2, 100})
	w.setLayer(0, 0)
	check("its own layer", work{0, 3, 0})
	w.setLayer(0, 1)
	check("another layer", work{2, 1, 200})
	w.setLayer(0, 2)
	w.setLayer(0, 0)
	check("two layers on", work{2, 1, 200})
	w.spawn(2, Point{})
	check("a spawn", work{1, 2, 101})
	w.despawn(len(w.all) - 1)
	check("a despawn", work{1, 2, 100})
	i := w.spawn(0, Point{})
	w.despawn(i)
	check("a spawn and despawn", work{0, 3, 0})
	w.move(0, Point{X: 1})
	w.move(1, Point{X: 1})
	check("moves in two", work{2, 1, 200})
	check("nothing again", work{0, 3, 0})
}

// TestUnchangedLayersAreShared: the storage of an unchanged layer is the same
// memory in both snapshots, that of a changed one is not.
func TestUnchangedLayersAreShared(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 16, Static: true}}})
	for i := range 100 {
		w.spawn(i%2, Point{X: int32(i)})
	}
	reader, err := w.grid.NewReader()
	w.must(err)
	defer reader.Close()
	was := w.publish()
	old, err := reader.Pin()
	w.must(err)
	w.move(0, Point{X: 50_000})
	w.publish()
	now := w.grid.Snapshot()
	same := func(layer int) bool { return &old.Columns(layer).X[0] == &now.Columns(layer).X[0] }
	if same(0) || !same(1) {
		t.Errorf("shared: %v, %v; want false, true", same(0), same(1))
	}
	for layer, want := range []bool{true, false} {
		if _, rebuilt := now.Perm(layer); rebuilt != want {
			t.Errorf("layer %d rebuilt: %v; want %v", layer, rebuilt, want)
		}
	}
	checkAll(t, old, was)
	checkAll(t, now, w.all)
	if old.Tick() != 1 || now.Tick() != 2 {
		t.Errorf("ticks %d, %d; want 1, 2", old.Tick(), now.Tick())
	}
}

func TestTicks(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	g := w.grid
	if s := g.Snapshot(); s != nil {
		t.Errorf("a snapshot before the first: %v", s)
	}
	w.must(g.Publish(0))
	if _, follows := g.Snapshot().Previous(); follows || g.Snapshot().Tick() != 0 {
		t.Errorf("the first snapshot, of tick %d, follows another", g.Snapshot().Tick())
	}
	w.must(g.Publish(17))
	for _, tick := range []uint64{17, 16, 0} {
		before := g.Snapshot()
		if err := g.Publish(tick); !errors.Is(err, ErrTick) {
			t.Errorf("Publish(%d) after 17: %v; want %v", tick, err, ErrTick)
		}
		if g.Snapshot() != before {
			t.Errorf("Publish(%d) replaced the snapshot", tick)
		}
	}
	w.must(g.Publish(1 << 63))
	w.must(g.Publish(1<<64 - 1))
	if p, ok := g.Snapshot().Previous(); !ok || p != 1<<63 {
		t.Errorf("Previous: %d, %v; want %d", p, ok, uint64(1)<<63)
	}
	if n := g.Stats().Publishes; n != 4 {
		t.Errorf("%d publishes; want 4", n)
	}
}

// TestPublishWithoutMemory: a Publish that gets no memory changes nothing, and can
// be repeated with the same tick.
func TestPublishWithoutMemory(t *testing.T) {
	const none = arena.Memory(77) // refused wherever somebody asks for it
	for name, deny := range map[string]func(g *Grid, m arena.Memory){
		"the first layer":  func(g *Grid, m arena.Memory) { g.layers[0].memory = m },
		"the second layer": func(g *Grid, m arena.Memory) { g.layers[1].memory = m },
		"the sort":         func(g *Grid, m arena.Memory) { g.sorter().memory = m },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRandom(t)
			w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 64}}, Previous: true, Masks: true})
			w.shaped = true
			for i := range 100 {
				w.spawn(i%2, r.point(300))
			}
			was := w.publish()
			for range 2 {
				// More than there is room for.
				for i := range 3 * len(w.all) {
					w.spawn(i%2, r.point(2000))
				}
				w.churn(r, 300, 20)
				before, s := w.positions(), w.grid.Snapshot()
				deny(w.grid, none)
				for range 2 {
					if err := w.grid.Publish(w.tick + 1); !errors.Is(err, arena.ErrUnknownMemory) {
						t.Fatalf("Publish: %v; want %v", err, arena.ErrUnknownMemory)
					}
				}
				if w.grid.Snapshot() != s {
					t.Error("the snapshot was replaced")
				}
				checkAll(t, s, was)
				w.must(w.grid.CheckInvariants())
				deny(w.grid, arena.Heap)
				if got := w.positions(); got != before {
					t.Errorf("it changed:\n%s\nwas\n%s", got, before)
				}
				was = w.publish()
				checkAll(t, w.grid.Snapshot(), was)
				checkQuery(t, w.grid.Snapshot(), was, Query{Radius: 500})
			}
		})
	}
}

// TestMemoryEndsHalfway: of the sort's buffers some were had and some not; the next
// Publish asks for them all again, and Close copes too.
func TestMemoryEndsHalfway(t *testing.T) {
	for _, publish := range []bool{false, true} {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
		for i := range 300 {
			w.spawn(0, Point{X: int32(i)})
		}
		w.must(resize(&w.grid.sorter().y, arena.Heap, 10_000))
		w.must(resize(&w.grid.sorter().cell, arena.Heap, 10_000))
		if publish {
			all := w.publish()
			checkAll(t, w.grid.Snapshot(), all)
		}
		w.must(w.grid.Close())
	}
}

// place is where an element is.
type place struct {
	layer int
	index int32
}

// places returns where everybody is, by handle.
func places(s *Snapshot) map[arena.Handle]place {
	m := map[arena.Handle]place{}
	for layer := range s.Layers() {
		for i, slot := range s.Columns(layer).Slot {
			m[s.Handle(slot)] = place{layer, int32(i)}
		}
	}
	return m
}

// TestPerm: it maps every index of the tick before to that of now, -1 for the
// gone, and behind them lists the arrivals.
func TestPerm(t *testing.T) {
	for _, previous := range []bool{false, true} {
		r := newRandom(t)
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 64}, {CellX: 16, Static: true}}, Previous: previous})
		w.shaped = true
		for range 500 {
			w.spawn(r.below(3), r.point(800))
		}
		w.publish()
		for tick := range 40 {
			before := places(w.grid.Snapshot())
			switch tick % 4 {
			case 0, 1:
				w.churn(r, 800, 40)
			case 2:
				w.move(0, Point{X: 1})
			} // and in the last nothing happens
			w.publish()
			s := w.grid.Snapshot()
			now := places(s)
			for layer := range s.Layers() {
				perm, rebuilt := s.Perm(layer)
				for h, old := range before {
					if old.layer != layer {
						continue
					}
					want := int32(-1)
					if p, ok := now[h]; ok && p.layer == layer {
						want = p.index
					}
					got := old.index
					if rebuilt {
						got = perm[old.index]
					}
					if got != want {
						t.Fatalf("tick %d, layer %d, rebuilt %v: %v was at %d and is at %d; want %d", s.Tick(), layer, rebuilt, h, old.index, got, want)
					}
				}
				if !rebuilt {
					continue
				}
				old := 0
				for _, p := range before {
					if p.layer == layer {
						old++
					}
				}
				arrivals := map[int32]bool{}
				for h, p := range now {
					if was, ok := before[h]; p.layer == layer && (!ok || was.layer != layer) {
						arrivals[p.index] = true
					}
				}
				for _, i := range perm[old:] {
					if !arrivals[i] {
						t.Fatalf("tick %d, layer %d: index %d is listed as an arrival and is none", s.Tick(), layer, i)
					}
					delete(arrivals, i)
				}
				if len(arrivals) > 0 {
					t.Fatalf("tick %d, layer %d: arrivals at %v are not listed", s.Tick(), layer, arrivals)
				}
			}
		}
	}
}

// TestStorageOrder: cell by cell, and inside a cell the order of the tick before,
// arrivals behind in the order of the calls.
func TestStorageOrder(t *testing.T) {
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 32}}})
	for range 400 {
		w.spawn(0, r.point(300))
	}
	w.publish()
	for range 10 {
		before := places(w.grid.Snapshot())
		rank := map[arena.Handle]int32{}
		for h, p := range before {
			rank[h] = p.index
		}
		w.churn(r, 300, 30)
		for _, e := range w.all {
			if _, ok := rank[e.h]; !ok {
				rank[e.h] = int32(1000 + e.born)
			}
		}
		w.publish()
		s := w.grid.Snapshot()
		c, v := s.Columns(0), &s.layers[0]
		for cell := range v.store.torus.Cells() {
			slots := c.Slot[v.cells.Start[cell]:v.cells.Start[cell+1]]
			if !slices.IsSortedFunc(slots, func(a, b uint32) int { return int(rank[s.Handle(a)] - rank[s.Handle(b)]) }) {
				t.Fatalf("tick %d: cell %d is out of order", s.Tick(), cell)
			}
		}
	}
}

// TestParallelSortIsTheSame: the storage is the same bit for bit, whatever the
// number of workers.
func TestParallelSortIsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("many entities")
	}
	eachMemory(t, func(t *testing.T, m arena.Memory) {
		var worlds []*world
		numbers := []int{0, 3, 2}
		if raceEnabled {
			numbers = numbers[:2]
		}
		for _, n := range numbers {
			workers := NewWorkers(n)
			defer workers.Close()
			worlds = append(worlds, newWorld(t, Config{
				Layers: []Layer{{CellX: 32, CellY: 64}, {CellX: 256}}, Height: true, Masks: true, Previous: true, Memory: m, Workers: workers,
			}))
		}
		const n = parallelFrom * 5 / 4
		for tick := range 3 {
			for _, w := range worlds {
				r := newRandom(t)
				r.SeedWithState(int64(tick), 7)
				if tick == 0 {
					for i := range n {
						w.spawn(i/(n-n/10), r.point(20_000))
					}
				} else {
					w.shaped = true
					w.churn(r, 20_000, 100)
				}
				w.tick++
				w.must(w.grid.Publish(w.tick))
			}
			for k, w := range worlds[1:] {
				if err := sameStorage(worlds[0].grid.Snapshot(), w.grid.Snapshot()); err != nil {
					t.Fatalf("tick %d, %d workers: %v", tick, numbers[k+1], err)
				}
			}
		}
		if big := worlds[0].grid.Snapshot().LayerLen(0); big < parallelFrom {
			t.Errorf("only %d entities: nothing ran in parallel", big)
		}
		checkAll(t, worlds[1].grid.Snapshot(), worlds[1].all)
		worlds[1].must(worlds[1].grid.CheckInvariants())
	})
}

// sameStorage compares two snapshots down to the extra elements.
func sameStorage(a, b *Snapshot) error {
	for i := range a.layers {
		x, y := &a.layers[i], &b.layers[i]
		for name, pair := range map[string][2][]int32{
			"x": {x.cells.X, y.cells.X}, "y": {x.cells.Y, y.cells.Y}, "z": {x.cells.Z, y.cells.Z},
			"old x": {x.cells.OldX, y.cells.OldX}, "perm": {x.store.perm, y.store.perm},
		} {
			if !slices.Equal(pair[0], pair[1]) {
				return fmt.Errorf("layer %d: %s differs", i, name)
			}
		}
		for name, pair := range map[string][2][]uint32{
			"slot": {x.cells.Slot, y.cells.Slot}, "need": {x.cells.Need, y.cells.Need}, "any": {x.cells.Any, y.cells.Any},
			"start": {x.cells.Start, y.cells.Start},
		} {
			if !slices.Equal(pair[0], pair[1]) {
				return fmt.Errorf("layer %d: %s differs", i, name)
			}
		}
		if x.step != y.step || x.steady != y.steady || x.extra != y.extra || x.store.n != y.store.n {
			return fmt.Errorf("layer %d: %d, %v, %d, %d; %d, %v, %d, %d", i,
				x.step, x.steady, x.extra, x.store.n, y.step, y.steady, y.extra, y.store.n)
		}
	}
	return nil
}

// TestPublishAfterWorkersClose: the writer's goroutine does all of the work then.
func TestPublishAfterWorkersClose(t *testing.T) {
	workers := NewWorkers(2)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 32}}, Workers: workers})
	r := newRandom(t)
	for range parallelFrom + 100 {
		w.spawn(0, r.point(5000))
	}
	w.publish()
	workers.Close()
	w.churn(r, 5000, 100)
	all := w.publish()
	checkAll(t, w.grid.Snapshot(), all)
}

// TestCheckInvariantsFindsFaults plants faults.
func TestCheckInvariantsFindsFaults(t *testing.T) {
	for name, plant := range map[string]func(g *Grid){
		"count":            func(g *Grid) { g.alive++ },
		"in no cell":       func(g *Grid) { g.layers[0].store.cells.X[0] += 1000 },
		"gone":             func(g *Grid) { g.layers[0].store.cells.X[0] = -1 << 31 },
		"twice":            func(g *Grid) { c := g.layers[0].store.cells; c.Slot[0], c.X[0], c.Y[0] = c.Slot[1], c.X[1], c.Y[1] },
		"another home":     func(g *Grid) { g.homes.Slice()[0].have = 2 },
		"offsets fall":     func(g *Grid) { g.layers[0].store.cells.Start[1] = 1 << 20 },
		"offsets end soon": func(g *Grid) { c := g.layers[0].store.cells.Start; c[len(c)-1]-- },
		"snapshot's count": func(g *Grid) { g.current.Load().n++ },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 16}}})
			for i := range 50 {
				w.spawn(0, Point{X: int32(20 * i)})
			}
			w.publish()
			defer func() { _ = recover() }() // the walk may run off the end, too
			plant(w.grid)
			if w.grid.CheckInvariants() == nil {
				t.Error("the fault was not found")
			}
		})
	}
}
