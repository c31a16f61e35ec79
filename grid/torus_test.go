package grid

import (
	"math/bits"
	"testing"

	"vicinity/asm"
)

// candidates asks around everybody and returns how many candidates and hits there
// were in all.
func (w *world) candidates(radius int32) (tested, hits int) {
	w.t.Helper()
	s := w.grid.Snapshot()
	var dst []uint32
	for _, e := range w.all {
		d := asm.Disc{X: e.at.X, Y: e.at.Y, Outer: asm.MakeLimit(radius)}
		var work Work
		dst, work = s.AppendIndexes(dst[:0], e.layer, &d, radius)
		tested, hits = tested+work.Candidates, hits+len(dst)
	}
	return tested, hits
}

// cellBound bounds the torus of one layer of n entities: four cells an entity, to
// the next powers of two, or eight up to 4,096; twice that while an old torus is kept.
func cellBound(n int) int {
	unit := 1 << bits.Len(uint(max(n, 1)-1))
	return 2 * max(4*unit, min(8*unit, 4096))
}

// settle publishes twice: the torus is chosen by where elements were.
func (w *world) settle() []entity {
	w.publish()
	for i := range w.all {
		w.move(i, w.all[i].at)
	}
	return w.publish()
}

// TestRoad: on a road of 2 m x 200 km a square torus would have 48 candidates a
// hit.
func TestRoad(t *testing.T) {
	const metre = 256
	for _, along := range []string{"x", "y"} {
		t.Run(along, func(t *testing.T) {
			r := newRandom(t)
			radius := int32(300 * metre)
			cellX, cellY := CellFor(radius)
			w := newWorld(t, Config{Layers: []Layer{{CellX: cellX, CellY: cellY}}})
			for range 8000 {
				p := Point{X: int32(r.below(200_000 * metre)), Y: int32(r.below(2 * metre))}
				if along == "y" {
					p.X, p.Y = p.Y, p.X
				}
				w.spawn(0, p)
			}
			w.publish()
			tested, hits := w.candidates(radius)
			share := float64(tested) / float64(hits)
			t.Logf("%.2f candidates a hit, %d cells", share, w.grid.Stats().Cells)
			if share > 2.1 {
				t.Errorf("%d candidates for %d hits", tested, hits)
			}
			if st := w.grid.Stats(); st.Aliased != 0 || st.Cells > cellBound(len(w.all)) {
				t.Errorf("%d aliased, %d cells; want 0, at most %d", st.Aliased, st.Cells, cellBound(len(w.all)))
			}
		})
	}
}

// TestTorusFollowsTheExtent: it grows and shrinks with the world, turns with it,
// and stays while there is no need.
func TestTorusFollowsTheExtent(t *testing.T) {
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 64}}})
	for range 2000 {
		w.spawn(0, Point{})
	}
	shape := func(width, height int32) (logW, logH int) {
		for i := range w.all {
			w.move(i, Point{X: int32(r.below(int(width))), Y: int32(r.below(int(height)))})
		}
		w.settle()
		torus := &w.grid.Snapshot().layers[0].store.torus
		if n := w.grid.Stats().Cells; n > cellBound(len(w.all)) {
			t.Errorf("%d x %d: %d cells; want at most %d", width, height, n, cellBound(len(w.all)))
		}
		tested, hits := w.candidates(128)
		if expected := max(2.6, 60/float64(hits)*float64(len(w.all))); float64(tested) > expected*float64(hits) {
			t.Errorf("%d x %d: %d candidates for %d hits", width, height, tested, hits)
		}
		return int(torus.LogW), bits.Len32(torus.RowMask)
	}
	check := func(width, height int32) {
		t.Helper()
		logW, logH := shape(width, height)
		if 64<<logW < width || 64<<logH < height {
			t.Errorf("%d x %d: %d x %d cells do not cover it", width, height, 1<<logW, 1<<logH)
		}
		if need := int64(width/64+2) * int64(height/64+2); int64(1)<<(logW+logH) > 8*need {
			t.Errorf("%d x %d: %d x %d cells for %d", width, height, 1<<logW, 1<<logH, need)
		}
	}
	for range 2 {
		check(2000, 2000)
		check(8000, 2000)
		check(2000, 8000)
		check(100, 100)
		check(20_000, 60)
		check(60, 20_000)
	}
	// It stays while there is no need.
	w0, h0 := shape(2000, 2000)
	for _, width := range []int32{1990, 1500, 1100, 2000} {
		if w1, h1 := shape(width, 2000); w1 != w0 || h1 != h0 {
			t.Errorf("%d x 2000: %d x %d; was %d x %d", width, w1, h1, w0, h0)
		}
	}
}

// TestCellsAreBounded: however far entities roam, and however few they are.
func TestCellsAreBounded(t *testing.T) {
	r := newRandom(t)
	for _, n := range []int{1, 2, 100, 1500, 6000} {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 1}}})
		for range n {
			w.spawn(0, Point{})
		}
		for _, size := range []int32{0, 1, 100, 1 << 12, 1 << 20, MaxCoord, 1 << 12, 3} {
			for i := range w.all {
				w.move(i, r.point(size))
			}
			all := w.settle()
			if cells := w.grid.Stats().Cells; cells > cellBound(n) {
				t.Errorf("%d entities within %d: %d cells; want at most %d", n, size, cells, cellBound(n))
			}
			if n <= 1500 {
				checkQuery(t, w.grid.Snapshot(), all, Query{Radius: size})
				checkQuery(t, w.grid.Snapshot(), all, Query{X: size, Radius: size / 3})
			}
		}
		// Most of them leave: the torus follows, within a publish of the layer.
		for len(w.all) > n/10+1 {
			w.despawn(0)
		}
		w.publish()
		w.move(0, Point{X: 1})
		w.publish()
		if cells := w.grid.Stats().Cells; cells > cellBound(len(w.all)) {
			t.Errorf("%d of %d entities left: %d cells; want at most %d", len(w.all), n, cells, cellBound(len(w.all)))
		}
	}
}

// TestAliased: it counts those who are not where the first in their torus cell is.
func TestAliased(t *testing.T) {
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 1}, {CellX: 4}}})
	for i := range 1000 {
		w.spawn(i%2, Point{})
	}
	for _, size := range []int32{10, 1000, 1 << 20, MaxCoord, 30} {
		for i := range w.all {
			w.move(i, r.point(size))
		}
		all := w.settle()
		s, want := w.grid.Snapshot(), 0
		for layer := range s.layers {
			torus, c := &s.layers[layer].store.torus, s.Columns(layer)
			first := map[uint32]Point{}
			for i := range c.X {
				p := Point{X: c.X[i] >> torus.ShiftX, Y: c.Y[i] >> torus.ShiftY}
				cell := torus.Cell(c.X[i], c.Y[i])
				if f, ok := first[cell]; !ok {
					first[cell] = p
				} else if f != p {
					want++
				}
			}
		}
		if got := w.grid.Stats().Aliased; got != want {
			t.Errorf("within %d: %d aliased; want %d", size, got, want)
		}
		if (want > 0) != (size >= 1000) {
			t.Errorf("within %d: %d aliased; the test does not see both", size, want)
		}
		checkQuery(t, s, all, Query{Radius: size / 2})
	}
}

// TestCover: the cells of a query are those that it touches, each once.
func TestCover(t *testing.T) {
	r := newRandom(t)
	for range rounds(3000) {
		torus := asm.Torus{ShiftX: uint32(r.below(8)), ShiftY: uint32(r.below(8)), LogW: uint32(r.below(5))}
		torus.ColMask, torus.RowMask = 1<<torus.LogW-1, 1<<r.below(5)-1
		v := &view{store: &store{torus: torus}}
		p := r.point(2000)
		rect := Rect{X0: p.X, Y0: p.Y, X1: p.X + int32(r.below(900)), Y1: p.Y + int32(r.below(900))}
		want := map[uint32]bool{}
		for x := rect.X0 &^ (1<<torus.ShiftX - 1); x <= rect.X1; x += 1 << torus.ShiftX {
			for y := rect.Y0 &^ (1<<torus.ShiftY - 1); y <= rect.Y1; y += 1 << torus.ShiftY {
				want[torus.Cell(x, y)] = true
			}
		}
		got := 0
		var c cover
		c.set(v, rect)
		for _, b := range []asm.Block{c.first, c.second} {
			for range b.Rows {
				for col := b.Col; col < b.ColEnd; col++ {
					if cell := b.Row<<torus.LogW | col; !want[cell] {
						t.Fatalf("%+v on %+v: cell %d is covered twice or for nothing", rect, torus, cell)
					} else {
						delete(want, cell)
						got++
					}
				}
				b.Row = (b.Row + 1) & torus.RowMask
			}
		}
		if len(want) > 0 {
			t.Fatalf("%+v on %+v: %d cells of %d are not covered", rect, torus, len(want), got)
		}
	}
}
