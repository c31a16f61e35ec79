package grid

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
)

// sweepWorld is a world of several chunks in several layers.
func sweepWorld(t *testing.T, cfg Config) (*world, []entity) {
	r := newRandom(t)
	w := newWorld(t, cfg)
	for i := range 1500 {
		w.spawn([]int{0, 0, 0, 1, 2}[i%5], r.point(1500))
		if cfg.Masks {
			w.setMasks(i, r.Next()&1, r.Next()&6)
		}
	}
	return w, w.publish()
}

func TestChunks(t *testing.T) {
	w, _ := sweepWorld(t, Config{Layers: []Layer{{CellX: 64}, {CellX: 64}, {CellX: 64}, {CellX: 64}}})
	empty := newWorld(t, Config{Layers: []Layer{{CellX: 64}, {CellX: 32}}})
	empty.publish()
	for n := 0; n <= 3; n++ {
		workers := NewWorkers(n)
		if n == 0 {
			workers = nil
		}
		sweep := NewSweep(workers)
		for range 10 {
			s := w.grid.Snapshot()
			seen := make([][]int, s.Layers())
			for layer := range seen {
				seen[layer] = make([]int, s.LayerLen(layer))
			}
			last := make([][2]int, workers.N())
			sweep.Chunks(s, func(worker, layer, lo, hi int) {
				if at := [2]int{layer, lo}; lo >= hi || slices.Compare(at[:], last[worker][:]) < 0 {
					panic(fmt.Sprintf("worker %d: layer %d, [%d, %d) after %v", worker, layer, lo, hi, last[worker]))
				} else {
					last[worker] = at
				}
				for i := lo; i < hi; i++ {
					seen[layer][i]++ // chunks are disjoint: no race
				}
			})
			for layer := range seen {
				for i, times := range seen[layer] {
					if times != 1 {
						t.Fatalf("%d workers: element %d of layer %d was seen %d times", n, i, layer, times)
					}
				}
			}
		}
		sweep.Chunks(empty.grid.Snapshot(), func(_, layer, lo, hi int) { t.Errorf("layer %d, [%d, %d)", layer, lo, hi) })
		workers.Close()
	}
}

func TestSweepWithin(t *testing.T) {
	for _, full := range []bool{false, true} {
		w, all := sweepWorld(t, Config{Layers: []Layer{{CellX: 64}, {CellX: 16}, {CellX: 256, Static: true}}, Height: full, Masks: full})
		s := w.grid.Snapshot()
		r := newRandom(t)
		observers := &SlotSet{}
		byHandle := map[uint32]*entity{}
		for i := range all {
			byHandle[all[i].h.Slot()] = &all[i]
			if r.below(6) == 0 {
				observers.Add(all[i].h.Slot())
			}
		}
		observers.Add(200_000) // nobody's
		queries := []Query{{Radius: 90}, {Radius: 0}, {Radius: 40, Filter: Filter{Layers: 2}}, {Radius: 3000, X: 7, Y: math.MinInt32, Filter: Filter{Layers: 6}}}
		if full {
			for i := range queries {
				queries[i].Height, queries[i].Mask = int32(300*(i+1)), uint32(2*i+1)
			}
			queries[1].Height = AnyHeight
		}
		for n := 1; n <= 3; n++ {
			workers := NewWorkers(n)
			defer workers.Close()
			sweep := NewSweep(workers)
			for _, q := range queries {
				var mu sync.Mutex
				visited := map[uint32][]uint32{}
				err := sweep.Within(s, observers, q, func(o *Observation) {
					mu.Lock()
					defer mu.Unlock()
					e := byHandle[o.Slot]
					if _, twice := visited[o.Slot]; twice || !observers.Has(o.Slot) || o.Storage != e.layer || o.Worker >= n ||
						s.Columns(o.Storage).Slot[o.Index] != o.Slot {
						t.Errorf("observation %+v is wrong or comes twice", o)
					}
					visited[o.Slot] = sorted(slices.Clone(o.Found))
				})
				w.must(err)
				if len(visited) != observers.Len()-1 {
					t.Fatalf("%d observers; want %d", len(visited), observers.Len()-1)
				}
				for slot, found := range visited {
					q := q
					at := byHandle[slot].at
					q.X, q.Y, q.Z = at.X, at.Y, at.Z
					want := []uint32{}
					for i := range all {
						if s.wants(&q, &all[i]) {
							want = append(want, all[i].h.Slot())
						}
					}
					if !slices.Equal(found, sorted(want)) {
						t.Fatalf("%d workers, observer %d, %+v: %v; want %v", n, slot, q, found, want)
					}
				}
			}
		}
	}
}

// TestSweepPanics: a panic of visit comes out, and the sweep goes on working.
func TestSweepPanics(t *testing.T) {
	w, all := sweepWorld(t, Config{Layers: []Layer{{CellX: 64}, {CellX: 64}, {CellX: 64}}})
	s := w.grid.Snapshot()
	observers := &SlotSet{}
	for _, e := range all {
		observers.Add(e.h.Slot())
	}
	for n := 1; n <= 3; n++ {
		workers := NewWorkers(n)
		defer workers.Close()
		sweep := NewSweep(workers)
		for range 5 {
			p := caught(func() {
				_ = sweep.Within(s, observers, Query{Radius: 10}, func(o *Observation) {
					if o.Slot == 1134 {
						panic("visit")
					}
				})
			})
			if p == nil {
				t.Fatalf("%d workers: no panic came out", n)
			}
			p = caught(func() { sweep.Chunks(s, func(worker, _, lo, _ int) { panic(lo) }) })
			if p == nil {
				t.Fatalf("%d workers: no panic came out of Chunks", n)
			}
			counts := make([]int, 4*64) // apart
			w.must(sweep.Within(s, observers, Query{Radius: 10}, func(o *Observation) { counts[64*o.Worker]++ }))
			if got := counts[0] + counts[64] + counts[128]; got != len(all) {
				t.Fatalf("%d workers: %d observations after a panic; want %d", n, got, len(all))
			}
		}
	}
}

func TestSlotSet(t *testing.T) {
	r := newRandom(t)
	var s SlotSet
	model := map[uint32]bool{}
	for range 5000 {
		slot := uint32(r.below(700))
		if r.below(50) == 0 {
			slot = uint32(r.below(20_000))
		}
		switch r.below(3) {
		case 0:
			if got := s.Add(slot); got == model[slot] {
				t.Fatalf("Add(%d) = %v", slot, got)
			}
			model[slot] = true
		case 1:
			if got := s.Remove(slot); got != model[slot] {
				t.Fatalf("Remove(%d) = %v", slot, got)
			}
			delete(model, slot)
		default:
			if got := s.Has(slot); got != model[slot] {
				t.Fatalf("Has(%d) = %v", slot, got)
			}
		}
		if s.Len() != len(model) {
			t.Fatalf("Len %d; want %d", s.Len(), len(model))
		}
	}
	n, last := 0, int64(-1)
	s.Each(func(slot uint32) {
		if int64(slot) <= last || !model[slot] {
			t.Fatalf("Each gives %d after %d", slot, last)
		}
		n, last = n+1, int64(slot)
	})
	if n != len(model) {
		t.Errorf("Each gives %d; want %d", n, len(model))
	}
	if s.Has(math.MaxUint32) || s.Remove(math.MaxUint32) {
		t.Error("the last slot is in")
	}
}
