package interest

import (
	"math"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// lateWorld is a grid with entities that walk, and a view from one of them.
type lateWorld struct {
	grid *grid.Grid
	set  *Set
	view *View
	ents []arena.Handle
}

func newLateWorld(t *testing.T, late bool) *lateWorld {
	t.Helper()
	a, err := arena.New(arena.Config{Capacity: 300, Deferred: true})
	if err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(grid.Config{Arena: a, Layers: []grid.Layer{{CellX: 64, CellY: 64}}, Previous: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Arena: a, Grid: g, Reach: []Reach{{Enter: 100, Margin: 10}}, MeasureLate: late})
	if err != nil {
		t.Fatal(err)
	}
	w := &lateWorld{grid: g, set: s}
	for i := range 200 {
		h, err := a.Alloc()
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Insert(h, uint64(i), 0, grid.Point{X: int32(i * 37 % 250), Y: int32(i * 91 % 250)}); err != nil {
			t.Fatal(err)
		}
		w.ents = append(w.ents, h)
	}
	if w.view, err = s.Add(Observer{ID: 1, Entity: w.ents[0], Measured: true}); err != nil {
		t.Fatal(err)
	}
	return w
}

// step moves everybody and updates; some deliveries are confirmed.
func (w *lateWorld) step(t *testing.T, tick int) {
	t.Helper()
	for i, h := range w.ents {
		if err := w.grid.Move(h, int32((i*37+tick*(i%9))%250), int32((i*91+tick*(i%5))%250)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.grid.Publish(uint64(tick)); err != nil {
		t.Fatal(err)
	}
	if err := w.set.UpdateAll(nil); err != nil {
		t.Fatal(err)
	}
	if tick%3 == 0 {
		w.view.Commit()
	}
}

// TestMeasureLate: what Sight tells gives the distances and levels that a set without
// MeasureLate keeps, and where it tells nothing the columns have them.
func TestMeasureLate(t *testing.T) {
	kept, late := newLateWorld(t, false), newLateWorld(t, true)
	sights := map[bool]int{}
	for tick := 1; tick <= 60; tick++ {
		for _, w := range []*lateWorld{kept, late} {
			switch tick {
			case 20: // levels, and none again
				if err := w.view.SetLevels(&Levels{Near: 30, Mid: 60, Margin: 5}); err != nil {
					t.Fatal(err)
				}
			case 30:
				if err := w.view.SetLevels(nil); err != nil {
					t.Fatal(err)
				}
			case 40: // another place to look from, and none again
				if err := w.view.SetViewpoints(w.ents[0], grid.Point{}, Viewpoint{Entity: w.ents[1]}); err != nil {
					t.Fatal(err)
				}
			case 50:
				if err := w.view.SetCentre(w.ents[0], grid.Point{}); err != nil {
					t.Fatal(err)
				}
			}
			w.step(t, tick)
		}
		if _, _, ok := kept.view.Sight(); ok {
			t.Fatalf("tick %d: a sight without MeasureLate", tick)
		}
		xy, at, ok := late.view.Sight()
		if want := tick < 20 || tick >= 30 && tick < 40 || tick >= 50; ok != want {
			t.Fatalf("tick %d: a sight: %v; want %v", tick, ok, want)
		}
		sights[ok]++
		a, b := kept.view.Columns(), late.view.Columns()
		for _, m := range kept.view.AppendMembers(nil) {
			r, slot := m.Row, m.Entity.Slot()
			got := b.Dist2[r]
			if ok {
				got = asm.Dist2(xy[slot][0]-at.X, xy[slot][1]-at.Y)
			}
			if b.Slot[r] != slot || math.Float32bits(got) != math.Float32bits(a.Dist2[r]) || a.Level[r] != b.Level[r] {
				t.Fatalf("tick %d, row %d: slot %d at %v, %v; want %d at %v, %v", tick, r, b.Slot[r], got, b.Level[r], slot, a.Dist2[r], a.Level[r])
			}
		}
	}
	if sights[true] == 0 || sights[false] == 0 {
		t.Error(sights)
	}
}
