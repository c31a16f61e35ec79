package grid

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"vicinity/internal/oracle"
)

// TestCapsuleAgainstOracle compares the exact tests with the oracle for capsules and
// bodies of all sizes, half of the bodies within a few units of where they begin to
// touch.
func TestCapsuleAgainstOracle(t *testing.T) {
	for _, size := range []int32{12, 1000, MaxCoord} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := newRandom(t)
			count := map[bool]int{}
			for range rounds(6000) {
				c := r.someSweep(r.point(size), size)
				e := entity{at: r.point(size), body: r.someBody(size)}
				if r.below(2) == 0 {
					e.at = r.touchingCapsule(&c, e.body)
				}
				m := c.metric()
				got := m.meets(int64(e.at.X)-int64(c.X0), int64(e.at.Y)-int64(c.Y0), e.body)
				want := askCapsule(c).inside(e.forOracle())
				if got != want {
					t.Fatalf("%+v, %+v at %v: %v; want %v", c, e.body, e.at, got, want)
				}
				count[want]++
			}
			if min(count[true], count[false]) < rounds(6000)/10 {
				t.Errorf("%d in, %d not: one is hardly tested", count[true], count[false])
			}
		})
	}
}

// someSweep is a capsule that begins at p: long, short, along an axis or of one point.
func (r *random) someSweep(p Point, size int32) Capsule {
	q := r.point(size)
	switch r.below(5) {
	case 0:
		q = p
	case 1:
		q.Y = p.Y
	case 2:
		q = Point{X: clamp(p.X+r.spread(9), size), Y: clamp(p.Y+r.spread(9), size)}
	}
	return Capsule{X0: p.X, Y0: p.Y, X1: q.X, Y1: q.Y, Radius: r.someLength(size / 4)}
}

// touchingCapsule returns a position at which a body just about touches a capsule, give
// or take two units.
func (r *random) touchingCapsule(c *Capsule, b Body) Point {
	part := []float64{0, 1, float64(r.below(1000)) / 1000}[r.below(3)]
	x := float64(c.X0) + part*(float64(c.X1)-float64(c.X0))
	y := float64(c.Y0) + part*(float64(c.Y1)-float64(c.Y0))
	out := float64(r.below(1000)) / 1000 * 2 * math.Pi
	if r.below(2) == 0 { // beside the segment
		out = math.Atan2(float64(c.X1)-float64(c.X0), float64(c.Y0)-float64(c.Y1))
	}
	reach := float64(c.Radius) + float64(b.Radius)
	x, y = x+reach*math.Cos(out), y+reach*math.Sin(out)
	x, y = x+math.Copysign(float64(b.HalfX), math.Cos(out)), y+math.Copysign(float64(b.HalfY), math.Sin(out))
	at := func(v float64) int32 { return coordinate(int64(math.Round(v)) + int64(r.spread(2))) }
	return Point{X: at(x), Y: at(y)}
}

// TestCapsuleAtTheEnds has what can be said by hand of the largest capsules.
func TestCapsuleAtTheEnds(t *testing.T) {
	const far = MaxCoord
	diagonal := Capsule{X0: -far, Y0: -far, X1: far, Y1: far}
	line := Capsule{X0: -far, Y0: -far, X1: far, Y1: far - 1} // a little flatter
	for _, c := range []struct {
		name string
		c    Capsule
		at   Point
		b    Body
		want bool
	}{
		{"on the diagonal", diagonal, Point{X: far - 1, Y: far - 1}, Body{}, true},
		{"beside the diagonal", diagonal, Point{X: far, Y: far - 1}, Body{}, false},
		{"a disc beside it", diagonal, Point{X: far, Y: far - 1}, Body{Radius: 1}, true},
		{"at the end of the line", line, Point{X: far, Y: far - 1}, Body{}, true},
		{"near the end of the line", line, Point{X: far - 1, Y: far - 2}, Body{}, false},
		{"a wall near the end of the line", line, Point{X: far - 1, Y: far - 3}, Body{HalfY: 1}, false},
		{"a higher one", line, Point{X: far - 1, Y: far - 3}, Body{HalfY: 2}, true},
		{"a large box at a corner", diagonal, Point{X: -far, Y: far}, Body{HalfX: far, HalfY: far}, true},
		{"one that ends a unit before", diagonal, Point{X: -far, Y: far}, Body{HalfX: far, HalfY: far - 1}, false},
		{"one that comes within a radius", Capsule{X0: -far, Y0: -far, X1: far, Y1: far, Radius: 1}, Point{X: -far, Y: far}, Body{HalfX: far, HalfY: far - 1}, true},
		{"the largest disc at a corner", Capsule{X0: -far, Y0: -far, X1: far, Y1: far, Radius: 444758426}, Point{X: -far, Y: far}, Body{Radius: far}, true},
		{"a unit less", Capsule{X0: -far, Y0: -far, X1: far, Y1: far, Radius: 444758425}, Point{X: -far, Y: far}, Body{Radius: far}, false},
	} {
		m := c.c.metric()
		e := entity{at: c.at, body: c.b}
		if got := m.meets(int64(c.at.X)-int64(c.c.X0), int64(c.at.Y)-int64(c.c.Y0), c.b); got != c.want {
			t.Errorf("%s: %v; want %v", c.name, got, c.want)
		}
		o := oracle.Capsule{X0: int64(c.c.X0), Y0: int64(c.c.Y0), X1: int64(c.c.X1), Y1: int64(c.c.Y1), Radius: int64(c.c.Radius)}
		if oracle.InCapsule(e.forOracle(), o) != c.want {
			t.Errorf("%s: the oracle does not want %v", c.name, c.want)
		}
	}
}

// TestCapsuleDegenerate: capsules that are a disc, a segment or a point.
func TestCapsuleDegenerate(t *testing.T) {
	w := newSampler(t)
	s := w.grid.Snapshot()
	for _, c := range []struct {
		name  string
		c     Capsule
		found []int // indexes into all
	}{
		{"point on the point", Capsule{}, []int{0}},
		{"point beside the point", Capsule{X0: 1, X1: 1}, nil},
		{"point on the disc's border", Capsule{X0: 103, Y0: 4, X1: 103, Y1: 4}, []int{1}},
		{"point off it", Capsule{X0: 104, Y0: 4, X1: 104, Y1: 4}, nil},
		{"point on the box's corner", Capsule{X0: 196, Y0: 3, X1: 196, Y1: 3}, []int{2}},
		{"point within the box", Capsule{X0: 199, Y0: 1, X1: 199, Y1: 1}, []int{2}},
		{"point on the wall", Capsule{X0: 310, X1: 310}, []int{3}},
		{"disc that touches the point", Capsule{X0: 3, Y0: 4, X1: 3, Y1: 4, Radius: 5}, []int{0}},
		{"disc off it", Capsule{X0: 4, Y0: 4, X1: 4, Y1: 4, Radius: 5}, nil},
		{"disc that touches the disc", Capsule{X0: 106, Y0: 8, X1: 106, Y1: 8, Radius: 5}, []int{1}},
		{"disc that touches the box's corner", Capsule{X0: 207, Y0: 7, X1: 207, Y1: 7, Radius: 5}, []int{2}},
		{"disc off it", Capsule{X0: 208, Y0: 7, X1: 208, Y1: 7, Radius: 5}, nil},
		{"segment through all", Capsule{X1: 300}, []int{0, 1, 2, 3}},
		{"segment in line with the wall", Capsule{X0: 310, X1: 900}, []int{3}},
		{"segment in line with it, off it", Capsule{X0: 311, X1: 900}, nil},
		{"segment along the box's edge", Capsule{X0: 150, Y0: -3, X1: 250, Y1: -3}, []int{2}},
		{"segment below it", Capsule{X0: 150, Y0: -4, X1: 250, Y1: -4}, nil},
		{"segment that touches a corner", Capsule{X0: 214, Y0: -7, X1: 194, Y1: 13}, []int{2}},
		{"segment that misses it", Capsule{X0: 215, Y0: -7, X1: 195, Y1: 13}, nil},
		{"segment within the box", Capsule{X0: 199, Y0: 1, X1: 201, Y1: -1}, []int{2}},
		{"segment that ends before the wall", Capsule{X0: 300, Y0: 90, X1: 300, Y1: 1}, nil},
	} {
		w.checkSample(c.name, askCapsule(c.c), c.found)
	}
	got, err := s.AppendCapsule([]uint32{9}, Capsule{Radius: -1}, Filter{})
	if !errors.Is(err, ErrRange) || !slices.Equal(got, []uint32{9}) {
		t.Errorf("a negative radius: %v, %v; want ErrRange", got, err)
	}
}

// TestCapsuleOfOnePointIsAQuery: with both ends the same it finds what AppendSlots does.
func TestCapsuleOfOnePointIsAQuery(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		eachCutWorld(t, func(t *testing.T, w *world, r *random, size int32) {
			s := w.grid.Snapshot()
			for range rounds(50) {
				p, radius := w.all[r.below(len(w.all))].at, r.someLength(size)
				got, err := s.AppendCapsule(nil, Capsule{X0: p.X, Y0: p.Y, X1: p.X, Y1: p.Y, Radius: radius}, Filter{})
				w.must(err)
				want, err := s.AppendSlots(nil, Query{X: p.X, Y: p.Y, Radius: radius})
				w.must(err)
				if !slices.Equal(sorted(got), sorted(want)) {
					t.Fatalf("%d around %v: found %d; want %d", radius, p, len(got), len(want))
				}
			}
		})
	})
}

// TestCapsuleRowsCutNothingOff: see the rectangles' test.
func TestCapsuleRowsCutNothingOff(t *testing.T) {
	eachCutWorld(t, func(t *testing.T, w *world, r *random, size int32) {
		for range rounds(150) {
			c := r.someSweep(w.all[r.below(len(w.all))].at, size)
			if r.below(2) == 0 {
				c.Radius = r.someLength(size / 50)
			}
			m := c.metric()
			got, err := w.grid.Snapshot().AppendCapsule(nil, c, Filter{})
			w.must(err)
			w.checkFound(got, c, func(e *entity) bool {
				return m.meets(int64(e.at.X)-int64(c.X0), int64(e.at.Y)-int64(c.Y0), e.body)
			})
		}
	})
}

// TestCapsuleTurnsWithTheWorld: the same entities are found if the world is mirrored,
// turned by a quarter or shifted, and the capsule with it; from either end; and by any
// kernel.
func TestCapsuleTurnsWithTheWorld(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, reversed := range []bool{false, true} {
			eachTurn(t, func(r *random, p Point, size int32, turn turn) func(s *Snapshot) ([]uint32, error) {
				c := r.someSweep(p, size)
				a, b := turn.place(Point{X: c.X0, Y: c.Y0}), turn.place(Point{X: c.X1, Y: c.Y1})
				if reversed && turn.dx != 0 { // and others are not, so the answers are compared
					a, b = b, a
				}
				c.X0, c.Y0, c.X1, c.Y1 = a.X, a.Y, b.X, b.Y
				return func(s *Snapshot) ([]uint32, error) { return s.AppendCapsule(nil, c, Filter{}) }
			})
		}
	})
}

// TestSweepReadsNotItsSquare: a shot over 1000 m asks few of those who are in the
// rectangle around it.
func TestSweepReadsNotItsSquare(t *testing.T) {
	w := newTown(t, 100_000)
	s := w.grid.Snapshot()
	for _, to := range [][2]int32{{350, 350}, {-350, 350}, {400, 250}, {100, 480}, {490, 5}, {490, 0}, {0, -490}} {
		x, y := to[0]*townMetre, to[1]*townMetre
		c := Capsule{X0: -x, Y0: -y, X1: x, Y1: y, Radius: townMetre}
		fig, err := s.capsuleFigure(&c, Filter{})
		w.must(err)
		around, err := s.CountIn(fig.bounds, Filter{})
		w.must(err)
		got, err := s.AppendCapsule(nil, c, Filter{})
		w.must(err)
		asked := s.candidates(c)
		t.Logf("to %v: %d found, %d asked, %d around", to, len(got), asked, around)
		if diagonal := to[0]*to[0] == to[1]*to[1]; diagonal && asked > around/10 || asked > 22*len(got) {
			t.Errorf("to %v: %d asked of %d around, %d found", to, asked, around, len(got))
		}
	}
}

func BenchmarkCapsule(b *testing.B) {
	w := newTown(b, 100_000)
	for _, c := range []struct {
		name       string
		long, wide int32
	}{{"1000 m of radius 1 m", 500, 1}, {"50 m of radius 1 m", 25, 1}, {"20 m of radius 10 m", 10, 10}} {
		for _, dir := range [][2]int32{{1, 0}, {1, 1}, {0, 1}} {
			b.Run(fmt.Sprintf("%s/direction=%v", c.name, dir), func(b *testing.B) {
				x, y := dir[0]*c.long*townMetre, dir[1]*c.long*townMetre
				if dir[0] == dir[1] {
					x, y = x/10*7, y/10*7
				}
				shape := Capsule{X0: -x, Y0: -y, X1: x, Y1: y, Radius: c.wide * townMetre}
				benchmarkShape(b, w, shape, func(s *Snapshot, dst []uint32) []uint32 {
					dst, _ = s.AppendCapsule(dst, shape, Filter{})
					return dst
				})
			})
		}
	}
}
