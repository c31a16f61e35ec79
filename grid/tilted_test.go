package grid

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"vicinity/arena"
	"vicinity/internal/oracle"
)

// TestTiltedAgainstOracle compares the exact tests with the oracle for rectangles and
// bodies of all sizes, half of the bodies within a few units of where they begin to
// touch. The largest products come up at the ends of the range.
func TestTiltedAgainstOracle(t *testing.T) {
	for _, size := range []int32{12, 1000, MaxCoord} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := newRandom(t)
			count := map[bool]int{}
			for range rounds(6000) {
				c := Tilted{HalfLength: r.someLength(size), HalfWidth: r.someLength(size)}
				c.DirX, c.DirY = r.direction()
				p := r.point(size)
				c.X, c.Y = p.X, p.Y
				e := entity{at: r.point(size), body: r.someBody(size)}
				if r.below(2) == 0 {
					e.at = r.touching(&c, e.body)
				}
				m := c.metric()
				got := m.meets(int64(e.at.X)-int64(c.X), int64(e.at.Y)-int64(c.Y), e.body)
				want := askTilted(c).inside(e.forOracle())
				if got != want {
					t.Fatalf("%+v, %+v at %v: %v; want %v", c, e.body, e.at, got, want)
				}
				if e.body == (Body{}) && got != m.holds(int64(e.at.X)-int64(c.X), int64(e.at.Y)-int64(c.Y)) {
					t.Fatalf("%+v: %v is in it as a body, and not as a point, or the reverse", c, e.at)
				}
				count[want]++
			}
			if min(count[true], count[false]) < rounds(6000)/10 {
				t.Errorf("%d in, %d not: one is hardly tested", count[true], count[false])
			}
		})
	}
}

// touching returns a position at which a body just about touches a rectangle, give or
// take two units. It is computed in floating point.
func (r *random) touching(c *Tilted, b Body) Point {
	m := c.metric()
	n := math.Sqrt(float64(m.s))
	ux, uy := float64(m.dirX)/n, float64(m.dirY)/n
	part := func() float64 { return float64(r.spread(1000)) / 1000 }
	along, across := float64(c.HalfLength), float64(c.HalfWidth)
	if r.below(3) == 0 {
		along *= part()
	} else if r.below(2) == 0 {
		across *= part()
	}
	out := part() * 2 * math.Pi // where to from there
	x, y := along*ux-across*uy, along*uy+across*ux
	if b.Radius > 0 {
		x, y = x+float64(b.Radius)*math.Cos(out), y+float64(b.Radius)*math.Sin(out)
	} else {
		x, y = x+float64(b.HalfX)*float64(1-2*r.below(2)), y+float64(b.HalfY)*part()
	}
	at := func(v float64, centre int32) int32 {
		return coordinate(int64(math.Round(v)) + int64(centre) + int64(r.spread(2)))
	}
	return Point{X: at(x, c.X), Y: at(y, c.Y)}
}

// coordinate returns the coordinate nearest to v.
func coordinate(v int64) int32 { return int32(min(max(v, -MaxCoord), MaxCoord)) }

// TestTiltedAtTheEnds has what can be said by hand of the largest rectangles, where
// float64 would be wrong.
func TestTiltedAtTheEnds(t *testing.T) {
	const far = MaxCoord
	diagonal := Tilted{X: -far, Y: -far, DirX: far, DirY: far, HalfLength: far}
	line := Tilted{X: -far, Y: -far, DirX: far, DirY: far - 1, HalfLength: far}
	for _, c := range []struct {
		name   string
		t      Tilted
		dx, dy int64
		b      Body
		want   bool
	}{
		{"on the line", line, far, far - 1, Body{}, false}, // that is 1.4 lengths away
		{"on the line, reached", line, far, far - 1, Body{Radius: 444758425}, true},
		{"on the line, not reached", line, far, far - 1, Body{Radius: 444758424}, false},
		{"beside the line", line, far, far, Body{}, false},
		{"on the diagonal", diagonal, 1 << 29, 1 << 29, Body{}, true},
		{"beside the diagonal", diagonal, 1 << 29, 1<<29 + 1, Body{}, false},
		{"a disc beside it", diagonal, 1 << 29, 1<<29 + 1, Body{Radius: 1}, true},
		{"a wall beside it", diagonal, 1 << 29, 1<<29 + 2, Body{HalfY: 2}, true},
		{"a wall off it", diagonal, 1 << 29, 1<<29 + 3, Body{HalfY: 2}, false},
		{"a large disc at the other end", Tilted{DirX: far, DirY: -far, HalfLength: far, HalfWidth: far}, 2 * far, 2 * far, Body{Radius: far}, false},
		{"a large box at the other end", Tilted{DirX: far, DirY: -far, HalfLength: far, HalfWidth: far}, 2 * far, 2 * far, Body{HalfX: far, HalfY: far}, false},
		{"a large box, turned, at the other end", Tilted{DirX: 1, HalfLength: far, HalfWidth: far}, 2 * far, 2 * far, Body{HalfX: far, HalfY: far}, true},
	} {
		m := c.t.metric()
		if got := m.meets(c.dx, c.dy, c.b); got != c.want {
			t.Errorf("%s: %v; want %v", c.name, got, c.want)
		}
		e := oracle.Entity{X: c.dx, Y: c.dy, Body: oracle.Body{Radius: int64(c.b.Radius), HalfX: int64(c.b.HalfX), HalfY: int64(c.b.HalfY)}}
		o := oracle.Tilted{DirX: m.dirX, DirY: m.dirY, HalfLength: int64(c.t.HalfLength), HalfWidth: int64(c.t.HalfWidth)}
		if oracle.InTilted(&e, o) != c.want {
			t.Errorf("%s: the oracle does not want %v", c.name, c.want)
		}
	}
}

// TestTiltedDegenerate: rectangles that are a segment or a point.
func TestTiltedDegenerate(t *testing.T) {
	w := newSampler(t)
	s := w.grid.Snapshot()
	for _, c := range []struct {
		name  string
		t     Tilted
		found []int // indexes into all
	}{
		{"point on the point", Tilted{DirX: 1}, []int{0}},
		{"point beside the point", Tilted{X: 1, DirX: 1}, nil},
		{"point on the disc's border", Tilted{X: 103, Y: 4, DirX: -7, DirY: 5}, []int{1}},
		{"point off it", Tilted{X: 104, Y: 4, DirX: -7, DirY: 5}, nil},
		{"point on the box's corner", Tilted{X: 204, Y: -3, DirX: 1, DirY: 1}, []int{2}},
		{"point off it", Tilted{X: 204, Y: -4, DirX: 1, DirY: 1}, nil},
		{"point on the wall", Tilted{X: 290, DirY: 1}, []int{3}},
		{"segment through all", Tilted{X: 150, DirX: -3, HalfLength: 150}, []int{0, 1, 2, 3}},
		{"segment across through all", Tilted{X: 150, DirY: 1, HalfWidth: 150}, []int{0, 1, 2, 3}},
		{"segment along the wall, in line with it", Tilted{X: 320, DirX: 1, HalfLength: 10}, []int{3}},
		{"segment in line with the wall, off it", Tilted{X: 321, DirX: 1, HalfLength: 10}, nil},
		{"segment beside the wall", Tilted{X: 300, Y: 1, DirX: 1, HalfLength: 10}, nil},
		{"segment that touches a corner", Tilted{X: 207, Y: 0, DirX: -1, DirY: 1, HalfLength: 20}, []int{2}},
		{"segment that misses it", Tilted{X: 208, Y: 0, DirX: -1, DirY: 1, HalfLength: 20}, nil},
	} {
		w.checkSample(c.name, askTilted(c.t), c.found)
	}
	got, err := s.AppendTilted([]uint32{9}, Tilted{HalfLength: 1, HalfWidth: 1}, Filter{})
	if !errors.Is(err, ErrShape) || !slices.Equal(got, []uint32{9}) {
		t.Errorf("no direction: %v, %v; want ErrShape", got, err)
	}
}

// someBeam is a rectangle around p that is often long and thin, in a direction that is
// often nearly along an axis.
func (r *random) someBeam(p Point, size int32) Tilted {
	c := Tilted{X: p.X, Y: p.Y, HalfLength: r.someLength(size), HalfWidth: r.someLength(size / 20)}
	c.DirX, c.DirY = r.direction()
	if r.below(3) == 0 {
		c.DirX, c.DirY = 10000, r.spread(20)
	}
	if r.below(2) == 0 {
		c.DirX, c.DirY = c.DirY, c.DirX
	}
	if c.DirX == 0 && c.DirY == 0 {
		c.DirX = 1
	}
	return c
}

// TestTiltedRowsCutNothingOff compares the search with the exact test of everybody, in
// worlds whose cells are of all shapes and where rows matter: bodies reach from one row
// into others.
func TestTiltedRowsCutNothingOff(t *testing.T) {
	eachCutWorld(t, func(t *testing.T, w *world, r *random, size int32) {
		for range rounds(150) {
			c := r.someBeam(w.all[r.below(len(w.all))].at, size)
			m := c.metric()
			got, err := w.grid.Snapshot().AppendTilted(nil, c, Filter{})
			w.must(err)
			w.checkFound(got, c, func(e *entity) bool {
				return m.meets(int64(e.at.X)-int64(c.X), int64(e.at.Y)-int64(c.Y), e.body)
			})
		}
	})
}

// eachCutWorld runs test in worlds of points, of small bodies and of all sizes, with
// enough entities for the torus to have all rows of the world.
func eachCutWorld(t *testing.T, test func(t *testing.T, w *world, r *random, size int32)) {
	for _, c := range []struct {
		name         string
		size         int32
		cellX, cellY int32
	}{
		{"low cells", 500, 64, 8},
		{"square cells", 500, 16, 16},
		{"high cells", 500, 8, 128},
		{"whole range", MaxCoord, 1 << 25, 1 << 27},
	} {
		for _, most := range []int32{0, 2, c.size} { // the largest body
			t.Run(fmt.Sprintf("%s/bodies up to %d", c.name, most), func(t *testing.T) {
				r := newRandom(t)
				w := newWorld(t, Config{Layers: []Layer{{CellX: c.cellX, CellY: c.cellY}}})
				for i := range 1500 {
					w.spawn(0, r.point(c.size))
					if b := r.someBody(c.size); max(b.Radius, b.HalfX, b.HalfY) <= most {
						w.setBody(i, b)
					}
				}
				w.publish()
				if !w.grid.Snapshot().layers[0].store.unique {
					t.Fatal("cells of the world share cells of the torus: rows are not told apart")
				}
				test(t, w, r, c.size)
			})
		}
	}
}

// checkFound fails if got is not the slots of those who are in a shape.
func (w *world) checkFound(got []uint32, shape any, in func(e *entity) bool) {
	w.t.Helper()
	sorted(got)
	for i := range w.all {
		e := &w.all[i]
		if _, found := slices.BinarySearch(got, e.h.Slot()); found != in(e) {
			w.t.Fatalf("%T%+v: %+v is found: %v; want %v", shape, shape, e, found, !found)
		}
	}
	if len(slices.Compact(got)) != len(got) {
		w.t.Fatalf("%T%+v: somebody is found twice", shape, shape)
	}
}

// TestTiltedTurnsWithTheWorld: the same entities are found if the world is mirrored,
// turned by a quarter or shifted, and the rectangle with it; and by any kernel.
func TestTiltedTurnsWithTheWorld(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		eachTurn(t, func(r *random, p Point, size int32, turn turn) func(s *Snapshot) ([]uint32, error) {
			c := r.someBeam(p, size)
			at, dir := turn.place(Point{X: c.X, Y: c.Y}), turn.vector(c.DirX, c.DirY)
			c.X, c.Y, c.DirX, c.DirY = at.X, at.Y, dir[0], dir[1]
			return func(s *Snapshot) ([]uint32, error) { return s.AppendTilted(nil, c, Filter{}) }
		})
	})
}

// turn is a way to look at the world: axes exchanged, then mirrored, then shifted.
type turn struct {
	swap, mirrorX, mirrorY bool
	dx, dy                 int32
}

func (a turn) vector(x, y int32) [2]int32 {
	if a.swap {
		x, y = y, x
	}
	if a.mirrorX {
		x = -x
	}
	if a.mirrorY {
		y = -y
	}
	return [2]int32{x, y}
}

func (a turn) place(p Point) Point {
	v := a.vector(p.X, p.Y)
	return Point{X: v[0] + a.dx, Y: v[1] + a.dy}
}

func (a turn) body(b Body) Body {
	if a.swap {
		b.HalfX, b.HalfY = b.HalfY, b.HalfX
	}
	return b
}

// eachTurn makes the same world in several turns, asks each for the same shapes, and
// fails if the answers differ. draw draws a shape, which is the same in each turn if it
// uses nothing but what it is given.
func eachTurn(t *testing.T, draw func(r *random, p Point, size int32, turn turn) func(s *Snapshot) ([]uint32, error)) {
	const size = 400
	var want [][]int
	for k, turn := range []turn{
		{}, {mirrorX: true}, {mirrorY: true}, {swap: true}, {swap: true, mirrorX: true},
		{dx: 12345, dy: -777}, {dx: MaxCoord - size, dy: MaxCoord - size, mirrorX: true}, {dx: size - MaxCoord, dy: size - MaxCoord, swap: true},
	} {
		r := newRandom(t)
		w := newWorld(t, Config{Layers: []Layer{{CellX: 32, CellY: 16}}})
		index := map[uint32]int{}
		places := []Point{}
		for i := range 300 {
			p, b := r.point(size), r.someBody(size/4)
			places = append(places, p)
			w.setBody(w.spawn(0, turn.place(p)), turn.body(b))
			index[w.all[i].h.Slot()] = i
		}
		w.publish()
		for j := range rounds(60) {
			got, err := draw(r, places[r.below(len(places))], size, turn)(w.grid.Snapshot())
			w.must(err)
			found := []int{}
			for _, slot := range got {
				found = append(found, index[slot])
			}
			slices.Sort(found)
			if k == 0 {
				want = append(want, found)
			} else if !slices.Equal(found, want[j]) {
				t.Fatalf("%+v, shape %d: found %v; want %v", turn, j, found, want[j])
			}
		}
	}
}

// TestBeamReadsNotItsSquare: a beam of 1000 x 2 m at any angle asks few of those who
// are in the rectangle around it, and not many for each that it finds.
func TestBeamReadsNotItsSquare(t *testing.T) {
	w := newTown(t, 100_000)
	s := w.grid.Snapshot()
	for _, dir := range [][2]int32{{1, 1}, {-1, 1}, {3, 2}, {1, 5}, {100, 1}, {1, 0}, {0, -1}} {
		c := Tilted{X: 1000, Y: -3000, DirX: dir[0], DirY: dir[1], HalfLength: 500 * townMetre, HalfWidth: townMetre}
		m := c.metric()
		corners := m.corners()
		around, err := s.CountIn(corners.bounds(c.X, c.Y), Filter{})
		w.must(err)
		got, err := s.AppendTilted(nil, c, Filter{})
		w.must(err)
		asked := s.candidates(c)
		t.Logf("direction %v: %d found, %d asked, %d around", dir, len(got), asked, around)
		if diagonal := dir[0]*dir[0] == dir[1]*dir[1]; diagonal && asked > around/10 || asked > 22*len(got) {
			t.Errorf("direction %v: %d asked of %d around, %d found", dir, asked, around, len(got))
		}
	}
}

// townMetre is the unit of newTown.
const townMetre = 256

// newTown is a world of n points in a square of 1000 m, and cells for queries of 25 m.
func newTown(t testing.TB, n int) *world {
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 4 * townMetre, CellY: 16 * townMetre}}})
	for range n {
		w.spawn(0, r.point(500*townMetre))
	}
	w.publish()
	return w
}

// TestBeamsAllocateNothing, from one end of the world to the other.
func TestBeamsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, shaped := range []bool{false, true} {
		eachMemory(t, func(t *testing.T, m arena.Memory) {
			w := newSteady(t, 1000, nil, m, shaped)
			eachLevel(t, func(t *testing.T) {
				s, dst := w.grid.Snapshot(), make([]uint32, 0, w.n)
				f := Filter{Mask: 7}
				zeroAllocs(t, "AppendTilted", func() {
					dst, _ = s.AppendTilted(dst[:0], Tilted{DirX: 1, DirY: 1, HalfLength: 3000, HalfWidth: 100, Height: AnyHeight}, f)
				})
				if len(dst) == 0 {
					t.Error("the beam finds nobody")
				}
				zeroAllocs(t, "AppendCapsule", func() {
					dst, _ = s.AppendCapsule(dst[:0], Capsule{X0: -2000, Y0: -2000, X1: 2000, Y1: 2000, Radius: 100, Height: AnyHeight}, f)
				})
				if len(dst) == 0 {
					t.Error("the capsule finds nobody")
				}
			})
		})
	}
}

func BenchmarkTilted(b *testing.B) {
	w := newTown(b, 100_000)
	for _, c := range []struct {
		name          string
		length, width int32
	}{{"beam of 1000 x 2 m", 500, 1}, {"beam of 50 x 2 m", 25, 1}, {"40 x 20 m", 20, 10}} {
		for _, dir := range [][2]int32{{1, 0}, {1, 1}, {0, 1}} {
			b.Run(fmt.Sprintf("%s/direction=%v", c.name, dir), func(b *testing.B) {
				shape := Tilted{DirX: dir[0], DirY: dir[1], HalfLength: c.length * townMetre, HalfWidth: c.width * townMetre}
				benchmarkShape(b, w, shape, func(s *Snapshot, dst []uint32) []uint32 {
					dst, _ = s.AppendTilted(dst, shape, Filter{})
					return dst
				})
			})
		}
	}
}

func benchmarkShape(b *testing.B, w *world, shape any, find func(s *Snapshot, dst []uint32) []uint32) {
	s, dst := w.grid.Snapshot(), make([]uint32, 0, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		dst = find(s, dst[:0])
	}
	b.ReportMetric(float64(len(dst)), "hits")
	b.ReportMetric(float64(s.candidates(shape))/float64(max(len(dst), 1)), "candidates/hit")
}
