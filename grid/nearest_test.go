package grid

import (
	"fmt"
	"math/big"
	"testing"
)

func TestSqrt128(t *testing.T) {
	r := newRandom(t)
	check := func(v u128) {
		t.Helper()
		if want := new(big.Int).Sqrt(bigOf(v.hi, v.lo)); want.Cmp(bigOf(sqrt128(v))) != 0 {
			t.Fatalf("root of %+v: %d; want %v", v, sqrt128(v), want)
		}
	}
	for range 100_000 {
		check(u128{r.word() >> 2, r.word()})
		check(u128{0, r.word()})
		x := r.word() >> 1
		for _, d := range []uint64{0, 1} { // squares, and one less
			if x > 0 {
				p := product(x, x)
				if p.lo < d {
					p.hi--
				}
				check(u128{p.hi, p.lo - d})
			}
		}
	}
	check(u128{})
	check(u128{1<<62 - 1, 1<<64 - 1})
}

// TestNearOrder compares distances to discs with roots of 400 bits, or where those say
// nothing with squares that are made equal.
func TestNearOrder(t *testing.T) {
	r := newRandom(t)
	distance := func(n Near) *big.Float {
		f := new(big.Float).SetPrec(400).SetInt64(n.Dist2)
		return f.Sqrt(f).Sub(f, new(big.Float).SetInt64(int64(n.radius)))
	}
	equal := 0
	for range 200_000 {
		a, b := Near{radius: r.someLength(MaxCoord)}, Near{radius: r.someLength(MaxCoord)}
		a.Dist2 = int64(r.word()>>1)%(1<<62) + int64(a.radius)*int64(a.radius) + 1
		b.Dist2 = int64(r.word()>>1)%(1<<62) + int64(b.radius)*int64(b.radius) + 1
		if r.below(2) == 0 { // equally far, or one square unit from it
			away := int64(r.someLength(MaxCoord)) + 1
			square := func(v int64) int64 { return v * v }
			a.Dist2, b.Dist2 = square(away+int64(a.radius)), square(away+int64(b.radius))+int64(r.below(3)-1)
		}
		want := distance(a).Cmp(distance(b))
		if got := a.compare(b); got != want || b.compare(a) != -want {
			t.Fatalf("%+v against %+v: %d and %d; want %d", a, b, got, b.compare(a), want)
		}
		if want == 0 {
			equal++
		}
	}
	if equal < 1000 {
		t.Errorf("%d pairs are equally far", equal)
	}
}

// TestNearestBodies asks for 1 to all of some bodies and points, of all sizes, also
// where the first disc holds nobody.
func TestNearestBodies(t *testing.T) {
	for _, c := range []struct {
		name   string
		size   int32
		n      int
		layers []Layer
	}{
		{"small", 300, 300, []Layer{{CellX: 16}, {CellX: 64}}},
		{"sparse", 1 << 20, 60, []Layer{{CellX: 16}, {CellX: 64}}},
		{"one", 1 << 25, 1, []Layer{{CellX: 1}}},
		{"whole range", MaxCoord, 200, []Layer{{CellX: 1 << 20}, {CellX: 1 << 29}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachLevel(t, func(t *testing.T) {
				r := newRandom(t)
				w := newWorld(t, Config{Layers: c.layers, Height: true, Masks: true})
				for i := range c.n {
					w.spawn(r.below(len(c.layers)), r.point(c.size))
					w.setBody(i, r.someBody(c.size))
				}
				all := w.publish()
				for range rounds(60) {
					q := Query{X: r.spread(c.size), Y: r.spread(c.size), Radius: MaxCoord, Height: AnyHeight, Filter: Filter{Mask: r.Next()}}
					if r.below(3) == 0 {
						q.Radius = r.someLength(c.size)
					}
					for _, k := range []int{1, 2, 3, 17, c.n / 2, c.n, c.n + 5} {
						checkNearest(t, w.grid.Snapshot(), all, q, k)
					}
				}
			})
		})
	}
}

// TestNearestOnTheBorderBefore: who is exactly as far as the disc before reached is not
// offered again, in rows that the kernel takes and in longer ones. Everybody is on one
// line, so there are fewer within a disc than their density in the plane says.
func TestNearestOnTheBorderBefore(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, cell := range []int32{16, 1024} {
			w := newWorld(t, Config{Layers: []Layer{{CellX: cell}}})
			for x := range int32(1024) {
				w.spawn(0, Point{X: x})
			}
			all := w.publish()
			s, later := w.grid.Snapshot(), 0
			for k := 5; k <= len(all); k += 85 {
				q := Query{Radius: MaxCoord}
				checkNearest(t, s, all, q, k)
				if rounds, _ := searched(s, k, q); rounds > 1 {
					later++
				}
			}
			if later == 0 {
				t.Errorf("cells of %d: the first disc always held enough", cell)
			}
		}
	})
}

// TestNearestAllocatesNothing: many, most of them as good as equally far, of whom one in
// three is a disc and one in three a box.
func TestNearestAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 64}}})
	for i := range 3000 {
		w.setBody(w.spawn(0, Point{X: 50_000 + r.spread(40), Y: r.spread(40)}), []Body{{}, {Radius: 9}, {HalfX: 3, HalfY: 80}}[i%3])
	}
	w.spawn(0, Point{X: 900_000})
	all := w.publish()
	s, q := w.grid.Snapshot(), Query{Radius: MaxCoord}
	near := make([]Near, 0, len(all))
	for _, k := range []int{1, 40, 1000, len(all)} {
		zeroAllocs(t, fmt.Sprintf("AppendNearest(%d)", k), func() { near, _ = s.AppendNearest(near[:0], k, q) })
		checkNearest(t, s, all, q, k)
	}
}

// searched returns how many discs a search takes, and how many candidates there are in
// the cells that they touch.
func searched(s *Snapshot, k int, q Query) (discs, candidates int) {
	h := nearHeap{s: s, k: k}
	for r, inner := s.firstRadius(&q, k, q.Radius), int32(-1); ; inner, r = r, h.nextRadius(r, q.Radius) {
		discs++
		s.collectNearest(&h, &q, inner, r)
		for i := range s.layers {
			var c cover
			v := &s.layers[i]
			c.set(v, square(q.X, q.Y, r).widened(&v.store.wide))
			candidates += v.cells.Candidates(c.first) + v.cells.Candidates(c.second)
		}
		if r == q.Radius || h.len() == k {
			return discs, candidates
		}
	}
}

// BenchmarkNearest asks for the k nearest to points that everybody is, in storage order,
// among 100,000 spread evenly and in 100 crowds.
func BenchmarkNearest(b *testing.B) {
	for _, crowds := range []bool{false, true} {
		r := newRandom(b)
		w := newWorld(b, Config{Layers: []Layer{{CellX: 4 * metre, CellY: 16 * metre}}})
		for range 100_000 {
			p := r.point(500 * metre)
			if crowds {
				p = Point{X: int32(r.below(10)-5)*100*metre + r.spread(10*metre), Y: int32(r.below(10)-5)*100*metre + r.spread(10*metre)}
			}
			w.spawn(0, p)
		}
		w.publish()
		s := w.grid.Snapshot()
		c := s.Columns(0)
		for _, k := range []int{1, 16, 256, 4096} {
			b.Run(fmt.Sprintf("crowds=%v/k=%d", crowds, k), func(b *testing.B) {
				dst := make([]Near, 0, k)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					at := i * 7 % len(c.X)
					dst, _ = s.AppendNearest(dst[:0], k, Query{X: c.X[at], Y: c.Y[at], Radius: MaxCoord})
				}
				const asked = 1000
				discs, candidates := 0, 0
				for i := range asked {
					at := i * 97 % len(c.X)
					d, n := searched(s, k, Query{X: c.X[at], Y: c.Y[at], Radius: MaxCoord})
					discs, candidates = discs+d, candidates+n
				}
				b.ReportMetric(float64(discs)/asked, "discs")
				b.ReportMetric(float64(candidates)/float64(asked*k), "candidates/hit")
			})
		}
	}
}

// TestNearestFewDiscs: one who is far from all others does not take dozens of discs.
func TestNearestFewDiscs(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	for i := range int32(999) {
		w.spawn(0, Point{X: i % 32 * 10, Y: i / 32 * 10})
	}
	w.spawn(0, Point{X: MaxCoord, Y: MaxCoord})
	all := w.publish()
	q := Query{Radius: MaxCoord, X: 1000, Y: 1000}
	if discs, _ := searched(w.grid.Snapshot(), len(all), q); discs > 20 {
		t.Errorf("%d discs", discs)
	}
	checkNearest(t, w.grid.Snapshot(), all, q, len(all))
}
