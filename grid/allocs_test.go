package grid

import (
	"fmt"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
)

// zeroAllocs fails if f allocates, on the heap or mapped.
func zeroAllocs(t *testing.T, name string, f func()) {
	t.Helper()
	before := arena.MappedBytes()
	if n := testing.AllocsPerRun(15, f); n != 0 {
		t.Errorf("%s allocates %v times a run", name, n)
	}
	if got := arena.MappedBytes() - before; got != 0 {
		t.Errorf("%s maps %d bytes", name, got)
	}
}

// steady is a world in its steady state: its tick moves everybody, changes layers
// and masks of some, and replaces some, so that slots are used again.
type steady struct {
	*world
	r     *random
	n     int
	ticks int
}

// shaped gives every fifth a body: small ones, large ones, walls.
func newSteady(t *testing.T, n int, workers *Workers, m arena.Memory, shaped bool) *steady {
	s := &steady{r: newRandom(t), n: n}
	s.world = newWorld(t, Config{
		Layers: []Layer{{CellX: 32, CellY: 64}, {CellX: 128}, {CellX: 64, Static: true}},
		Height: true, Masks: true, Previous: true, Workers: workers, Memory: m,
	})
	for i := range n {
		s.spawn(i%3*(i%2), s.r.point(3000))
		if shaped && i%5 == 0 {
			s.setBody(i, []Body{{Radius: 5}, {Radius: 300}, {HalfX: 1000, HalfY: 1}}[i/5%3])
		}
	}
	for range 25 { // until everything has the room that it ever needs
		s.step()
	}
	return s
}

func (s *steady) step() {
	s.ticks++
	for i := range s.all {
		e := &s.all[i]
		if e.layer == 2 && i%16 != 0 {
			continue
		}
		e.at = Point{X: clamp(e.at.X+s.r.spread(20), 3000), Y: clamp(e.at.Y+s.r.spread(20), 3000), Z: clamp(e.at.Z+s.r.spread(20), 3000)}
		s.must(s.grid.MoveZ(e.h, e.at))
	}
	for range 20 {
		i := s.r.below(s.n)
		e := &s.all[i]
		s.must(s.grid.Remove(e.h))
		s.arena.Free(e.h)
		var err error
		e.h, err = s.arena.Alloc()
		s.must(err)
		e.at = s.r.point(3000)
		s.must(s.grid.Insert(e.h, e.id, e.layer, e.at))
		s.must(s.grid.SetBody(e.h, e.body))
		// One goes to another layer, with another body, one comes from there: as many stay.
		a, b := s.r.below(s.n), s.r.below(s.n)
		s.all[a].layer, s.all[b].layer = s.all[b].layer, s.all[a].layer
		s.all[a].body, s.all[b].body = s.all[b].body, s.all[a].body
		s.must(s.grid.SetBody(s.all[a].h, s.all[a].body))
		s.must(s.grid.SetBody(s.all[b].h, s.all[b].body))
		s.must(s.grid.SetLayer(s.all[a].h, s.all[a].layer))
		s.must(s.grid.SetLayer(s.all[b].h, s.all[b].layer))
		s.must(s.grid.SetMasks(s.all[a].h, 1, uint32(a)))
	}
	s.tick++
	s.must(s.grid.Publish(s.tick))
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, c := range []struct {
		n, workers int
		shaped     bool
	}{{1500, 1, false}, {1500, 1, true}, {1500, 2, true}, {parallelFrom * 5 / 4, 2, false}, {parallelFrom * 5 / 4, 2, true}} {
		eachMemory(t, func(t *testing.T, m arena.Memory) {
			t.Run(fmt.Sprintf("n=%d/workers=%d/bodies=%v", c.n, c.workers, c.shaped), func(t *testing.T) {
				workers := NewWorkers(c.workers)
				defer workers.Close()
				s := newSteady(t, c.n, workers, m, c.shaped)
				zeroAllocs(t, "a tick", s.step)
				reader, err := s.grid.NewReader()
				s.must(err)
				defer reader.Close()
				pinned := func() {
					reader.Unpin()
					_, err := reader.Pin()
					s.must(err)
					s.step()
				}
				for range 5 {
					pinned() // one store and snapshot more
				}
				zeroAllocs(t, "a tick with a reader", pinned)
				zeroAllocs(t, "a tick in which nothing happens", func() {
					s.tick++
					s.must(s.grid.Publish(s.tick))
				})
				zeroAllocs(t, "looking", func() {
					for _, e := range s.all[:10] {
						_, _ = s.grid.Position(e.h)
						_ = s.grid.Holds(e.h)
					}
					_, _ = s.grid.Len(), s.grid.Stats()
				})
			})
		})
	}
}

func TestQueriesAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, shaped := range []bool{false, true} {
		t.Run(fmt.Sprintf("bodies=%v", shaped), func(t *testing.T) { queriesAllocateNothing(t, shaped) })
	}
}

func queriesAllocateNothing(t *testing.T, shaped bool) {
	workers := NewWorkers(2)
	defer workers.Close()
	s := newSteady(t, 3000, workers, arena.Heap, shaped)
	// Where bodies changed, crossings cannot be asked for: a tick of moves only.
	for i := range 100 {
		s.move(i, s.r.point(3000))
	}
	s.publish()
	eachLevel(t, func(t *testing.T) {
		snap := s.grid.Snapshot()
		room := s.n + 4*asm.Slack
		hits, slots, near := make([]Hit, 0, room), make([]uint32, 0, room), make([]Near, 0, 20)
		enter, leave := make([]uint32, 0, room), make([]uint32, 0, room)
		q := Query{Radius: 900, Height: 2000, Filter: Filter{Mask: 7}}
		rect := Rect{-900, -900, 900, 900}
		observers := &SlotSet{}
		for _, e := range s.all[:200] {
			observers.Add(e.h.Slot())
		}
		calls := map[string]func(){
			"AppendWithin":  func() { hits, _ = snap.AppendWithin(hits[:0], q) },
			"AppendSlots":   func() { slots, _ = snap.AppendSlots(slots[:0], q) },
			"CountWithin":   func() { _, _ = snap.CountWithin(q) },
			"AppendIn":      func() { slots, _ = snap.AppendIn(slots[:0], rect, q.Filter) },
			"CountIn":       func() { _, _ = snap.CountIn(rect, q.Filter) },
			"AppendNearest": func() { near, _ = snap.AppendNearest(near[:0], 20, q) },
			"AppendIndexes": func() {
				d := asm.Disc{Outer: asm.MakeLimit(900)}
				slots = slots[:0]
				for storage := range snap.Storages() {
					slots, _ = snap.AppendIndexes(slots, storage, &d, 900)
				}
			},
			"AppendCrossings": func() {
				p := makePair(Point{X: 5}, Point{}, 800, 900, true)
				for storage := range snap.Storages() {
					if !snap.Steady(storage) {
						if snap.LayerOf(storage) != 2 {
							t.Fatalf("storage %d is not steady", storage)
						}
						continue // static, and some moved
					}
					enter, leave, _ = snap.AppendCrossings(enter[:0], leave[:0], storage, &p, 900)
				}
			},
			"Columns, Perm, Find": func() {
				_ = snap.Columns(0)
				_, _ = snap.Perm(1)
				_, _, _ = snap.Find(s.all[5].h, 0, 0)
			},
		}
		for _, n := range []int{1, 2} {
			w := workers
			if n == 1 {
				w = nil
			}
			sweep := NewSweep(w)
			found := make([]int, 64*2)
			within := func() {
				_ = sweep.Within(snap, observers, q, visitInto(found))
			}
			within() // scratch memory
			visit := visitInto(found)
			calls[fmt.Sprintf("Within, %d workers", n)] = func() { _ = sweep.Within(snap, observers, q, visit) }
			chunk := func(worker, _, lo, hi int) { found[64*worker] += hi - lo }
			calls[fmt.Sprintf("Chunks, %d workers", n)] = func() { sweep.Chunks(snap, chunk) }
		}
		for name, call := range calls {
			call()
			if name == "Within, 2 workers" {
				// Which worker has whom is chance: give each of them everybody once.
				for range 20 {
					call()
				}
			}
			zeroAllocs(t, name, call)
		}
		if len(hits) == 0 || len(near) != 20 || len(slots) == 0 {
			t.Errorf("%d hits, %d near, %d slots: the queries find nothing", len(hits), len(near), len(slots))
		}
		// A caller whose room is a little short of the candidates still gets it right.
		want := len(hits)
		if hits, _ = snap.AppendWithin(make([]Hit, 0, want), q); len(hits) != want {
			t.Errorf("%d hits; want %d", len(hits), want)
		}
	})
}

func visitInto(found []int) func(o *Observation) {
	return func(o *Observation) { found[64*o.Worker] += len(o.Found) }
}

// TestHotspotAllocatesNothing: not even where a row has more candidates than a
// kernel call takes.
func TestHotspotAllocatesNothing(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("70,000 entities")
	}
	w := newWorld(t, Config{Layers: []Layer{{CellX: 1 << 12}}})
	r := newRandom(t)
	for range 70_000 {
		w.spawn(0, Point{X: 2000 + r.spread(300), Y: 2000 + r.spread(300)})
	}
	w.publish()
	s := w.grid.Snapshot()
	room := len(w.all) + 4*asm.Slack
	hits, slots, near := make([]Hit, 0, room), make([]uint32, 0, room), make([]Near, 0, 20)
	q := Query{X: 2000, Y: 2000, Radius: 1000}
	zeroAllocs(t, "AppendWithin", func() { hits, _ = s.AppendWithin(hits[:0], q) })
	zeroAllocs(t, "AppendSlots", func() { slots, _ = s.AppendSlots(slots[:0], q) })
	zeroAllocs(t, "CountWithin", func() { _, _ = s.CountWithin(q) })
	zeroAllocs(t, "AppendNearest", func() { near, _ = s.AppendNearest(near[:0], 20, q) })
}

func TestPinsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	w.spawn(0, Point{})
	w.publish()
	reader, err := w.grid.NewReader()
	w.must(err)
	defer reader.Close()
	zeroAllocs(t, "Pin and Unpin", func() {
		if _, err := reader.Pin(); err != nil {
			t.Fatal(err)
		}
		reader.Unpin()
	})
	workers := NewWorkers(2)
	defer workers.Close()
	job := func(int) {}
	zeroAllocs(t, "Run", func() { workers.Run(job) })
}
