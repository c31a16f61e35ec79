package grid

import (
	"fmt"
	"math"
	"testing"

	"vicinity/internal/oracle"
)

// rowWorlds are worlds in which a shape is cut into rows in different ways.
var rowWorlds = []struct {
	name   string
	size   int32 // half the edge
	cell   [2]int32
	bodies bool
}{
	{"small cells", 300, [2]int32{4, 8}, false},
	{"narrow cells, bodies", 300, [2]int32{4, 32}, true},
	{"one cell", 300, [2]int32{1 << 12, 1 << 12}, true},
	{"many in a cell", 20, [2]int32{8, 4}, true},
	{"a torus far too small", 1 << 20, [2]int32{1, 1}, false},
	{"a torus far too small, bodies", 1 << 20, [2]int32{1, 2}, true},
	{"a torus too narrow", 1 << 20, [2]int32{16, 1 << 17}, false},
	{"whole range", MaxCoord, [2]int32{1 << 22, 1 << 25}, false},
	{"whole range, bodies", MaxCoord, [2]int32{1 << 20, 1 << 24}, true},
}

// eachRowWorld runs test in each of rowWorlds, some of its inhabitants in the corners.
func eachRowWorld(t *testing.T, test func(t *testing.T, r *random, s *Snapshot, all []entity, size int32)) {
	for _, c := range rowWorlds {
		t.Run(c.name, func(t *testing.T) {
			r := newRandom(t)
			w := newWorld(t, Config{Layers: []Layer{{CellX: c.cell[0], CellY: c.cell[1]}}})
			for i := range 400 {
				p := r.point(c.size)
				if i < 4 {
					p = Point{X: c.size * int32(i%2*2-1), Y: c.size * int32(i/2*2-1)}
				}
				w.spawn(0, p)
				if c.bodies {
					w.setBody(i, r.someBody(c.size))
				}
			}
			all := w.publish()
			test(t, r, w.grid.Snapshot(), all, c.size)
		})
	}
}

// checkFound fails unless found are the slots of those who should be: each once.
func checkFound(t *testing.T, what any, found []uint32, err error, all []entity, should func(e *entity) bool) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v: %v", what, err)
	}
	times := map[uint32]int{}
	for _, slot := range found {
		times[slot]++
	}
	for i := range all {
		want := 0
		if should(&all[i]) {
			want = 1
		}
		if got := times[all[i].h.Slot()]; got != want {
			t.Fatalf("%T%+v: %+v is found %d times; want %d", what, what, all[i], got, want)
		}
	}
}

// reaches reports whether e has a point as far as r from p, or farther.
func (e *entity) reaches(p Point, r int64) bool {
	if e.body.Radius > 0 {
		r = max(r-int64(e.body.Radius), 0)
		return dist2(e.at, p) >= r*r
	}
	abs := func(v int64) int64 { return max(v, -v) }
	x := abs(int64(e.at.X)-int64(p.X)) + int64(e.body.HalfX)
	y := abs(int64(e.at.Y)-int64(p.Y)) + int64(e.body.HalfY)
	return r < max(x, y) || x*x+y*y >= r*r
}

// TestRingsAgainstPlainLoops: rings of all sizes, thin and thick, around everywhere.
func TestRingsAgainstPlainLoops(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		eachRowWorld(t, func(t *testing.T, r *random, s *Snapshot, all []entity, size int32) {
			for k := range rounds(400) {
				p := r.point(size)
				if k%2 == 0 {
					p = all[r.below(len(all))].at
				}
				a, b := r.someLength(size), r.someLength(size)
				if k%3 == 0 {
					b = int32(min(int64(a)+int64(r.below(5)), MaxCoord)) // thin
				}
				q := Ring{X: p.X, Y: p.Y, Inner: min(a, b), Outer: max(a, b)}
				found, err := s.AppendRing(nil, q, Filter{})
				checkFound(t, q, found, err, all, func(e *entity) bool {
					return e.within(p, int64(q.Outer)) && e.reaches(p, int64(q.Inner))
				})
			}
		})
	})
}

// TestRingMeetsAgainstOracle decides at and beside borders, up to the ends of the range.
func TestRingMeetsAgainstOracle(t *testing.T) {
	r := newRandom(t)
	in := 0
	for k := range rounds(20_000) {
		n := []int32{20, 5000, MaxCoord}[k%3]
		e := entity{at: r.point(n), body: r.someBody(n)}
		p := r.point(n)
		if k%5 == 0 {
			e.at, p = Point{X: n, Y: -n}, Point{X: -n, Y: n} // as far apart as can be
		}
		// A border near where it decides.
		o := e.forOracle()
		at := int64(math.Sqrt(float64(dist2(e.at, p)))) + int64(r.spread(1))*int64(e.body.bound()) + int64(r.spread(2))
		a := int32(max(min(at, MaxCoord), 0))
		b := int32(min(int64(a)+int64(r.someLength(n)), MaxCoord))
		if k%4 < 2 {
			a, b = max(a-r.someLength(n), 0), a
		}
		q := Ring{Inner: a, Outer: b}
		got := q.meets(int64(e.at.X)-int64(p.X), int64(e.at.Y)-int64(p.Y), e.body)
		want := oracle.InRing(o, oracle.Ring{X: int64(p.X), Y: int64(p.Y), Inner: int64(a), Outer: int64(b)})
		if got != want {
			t.Fatalf("%+v around %+v: %+v is in it: %v; want %v", q, p, e, got, want)
		}
		if got {
			in++
		}
	}
	if in*20 < rounds(20_000) {
		t.Errorf("only %d were in a ring", in)
	}
}

// ringCandidates returns how many entities AppendRing looks at.
func ringCandidates(t testing.TB, s *Snapshot, r Ring) (n int) {
	t.Helper()
	fig, err := s.ringFigure(&r, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	s.eachRow(&fig, r.span, func(_ *view, lo, hi uint32) { n += int(hi - lo) })
	return n
}

// TestRingLeavesItsHoleAlone: a thin ring costs what its border costs, not its area.
func TestRingLeavesItsHoleAlone(t *testing.T) {
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 4, CellY: 16}}})
	for i := range 20_000 {
		w.spawn(0, r.point(1000))
		if i%2 == 0 {
			w.setBody(i, Body{Radius: 3})
		}
	}
	w.publish()
	s := w.grid.Snapshot()
	disc := ringCandidates(t, s, Ring{Outer: 900})
	thin := ringCandidates(t, s, Ring{Inner: 890, Outer: 900})
	if thin*8 > disc || disc == 0 {
		t.Errorf("%d candidates of a thin ring, %d of the disc", thin, disc)
	}
	if n := ringCandidates(t, s, Ring{X: 5000, Y: 5000, Inner: 890, Outer: 900}); n != 0 {
		t.Errorf("%d candidates where nobody is", n)
	}
}

// TestDegenerateRings: a disc, a circle, a point, and bodies larger than all of them.
func TestDegenerateRings(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	bodies := []Body{{}, {Radius: 10}, {HalfX: 6, HalfY: 8}, {HalfX: MaxCoord, HalfY: MaxCoord}, {Radius: MaxCoord}, {}}
	for i, b := range bodies {
		w.setBody(w.spawn(0, Point{}), b)
		if i == 5 {
			w.move(i, Point{X: 10})
		}
	}
	all := w.publish()
	for _, c := range []struct {
		ring Ring
		want []int
	}{
		{Ring{}, []int{0, 1, 2, 3, 4}},
		{Ring{Outer: 9}, []int{0, 1, 2, 3, 4}},
		{Ring{Outer: 10}, []int{0, 1, 2, 3, 4, 5}},
		{Ring{Inner: 10, Outer: 10}, []int{1, 2, 3, 4, 5}},
		{Ring{Inner: 11, Outer: 12}, []int{3, 4}},
		{Ring{Inner: MaxCoord, Outer: MaxCoord}, []int{3, 4}},
		{Ring{X: MaxCoord, Y: MaxCoord, Inner: 1, Outer: 1}, []int{3}},
		{Ring{X: MaxCoord, Y: MaxCoord, Inner: MaxCoord, Outer: MaxCoord}, []int{3, 4}},
		{Ring{X: MaxCoord, Inner: MaxCoord, Outer: MaxCoord}, []int{0, 1, 2, 3, 4}},
	} {
		found, err := w.grid.Snapshot().AppendRing(nil, c.ring, Filter{})
		want := map[uint32]bool{}
		for _, i := range c.want {
			want[all[i].h.Slot()] = true
		}
		checkFound(t, c.ring, found, err, all, func(e *entity) bool { return want[e.h.Slot()] })
	}
}

// BenchmarkRing asks for rings of 25 m in a crowd of one in 10 square metres.
func BenchmarkRing(b *testing.B) {
	const metre = 256
	for _, bodies := range []bool{false, true} {
		s := crowd(b, bodies)
		for _, inner := range []int32{0, 15, 24} {
			b.Run(fmt.Sprintf("inner=%d/bodies=%v", inner, bodies), func(b *testing.B) {
				q := Ring{Inner: inner * metre, Outer: 25 * metre}
				dst, err := s.AppendRing(make([]uint32, 0, 10_000), q, Filter{})
				if err != nil {
					b.Fatal(err)
				}
				found := len(dst)
				b.ReportAllocs()
				for b.Loop() {
					dst, _ = s.AppendRing(dst[:0], q, Filter{})
				}
				b.ReportMetric(float64(ringCandidates(b, s, q))/float64(found), "candidates/hit")
			})
		}
	}
}

// crowd is 10,000 points or people of a width of 1 m, and a few houses.
func crowd(t testing.TB, bodies bool) *Snapshot {
	const metre = 256
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 4 * metre, CellY: 16 * metre}}})
	for i := range 10_000 {
		w.spawn(0, r.point(158*metre))
		switch {
		case bodies && i%200 == 0:
			w.setBody(i, Body{HalfX: 6 * metre, HalfY: 4 * metre})
		case bodies:
			w.setBody(i, Body{Radius: metre / 2})
		}
	}
	w.publish()
	return w.grid.Snapshot()
}
