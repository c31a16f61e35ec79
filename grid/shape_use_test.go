package grid

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vicinity/arena"
)

// gameShapes are of sizes that a game has, at (x, y): 1 unit is 1/256 m.
var gameShapes = map[string]func(x, y int32) someShape{
	"ring": func(x, y int32) someShape { return askRing(Ring{X: x, Y: y, Inner: 20 * metre, Outer: 25 * metre}) },
	"cone": func(x, y int32) someShape {
		return askCone(Cone{X: x, Y: y, DirX: 3, DirY: 2, HalfAngle: HalfTurn / 6, Range: 30 * metre})
	},
	"beam": func(x, y int32) someShape {
		return askTilted(Tilted{X: x, Y: y, DirX: 3, DirY: 2, HalfLength: 100 * metre, HalfWidth: metre})
	},
	"tilted": func(x, y int32) someShape {
		return askTilted(Tilted{X: x, Y: y, DirX: 3, DirY: 2, HalfLength: 20 * metre, HalfWidth: 10 * metre})
	},
	"capsule": func(x, y int32) someShape {
		return askCapsule(Capsule{X0: x - 30*metre, Y0: y - 20*metre, X1: x + 30*metre, Y1: y + 20*metre, Radius: 2 * metre})
	},
}

const metre = 256

// candidates returns how many a shape is asked about.
func (s *Snapshot) candidates(shape any) (n int) {
	count := func(_ *view, lo, hi uint32) { n += int(hi - lo) }
	switch c := shape.(type) {
	case Ring:
		fig, _ := s.ringFigure(&c, Filter{})
		s.eachRow(&fig, c.span, count)
	case Cone:
		fig, _ := s.coneFigure(&c, Filter{})
		w := c.wedge()
		fig.bounds = w.bounds()
		s.eachRow(&fig, w.span, count)
	case Tilted:
		fig, _ := s.tiltedFigure(&c, Filter{})
		m := c.metric()
		corners := m.corners()
		fig.bounds = corners.bounds(c.X, c.Y)
		s.eachRow(&fig, corners.span, count)
	case Capsule:
		fig, _ := s.capsuleFigure(&c, Filter{})
		m := c.metric()
		s.eachRow(&fig, m.span, count)
	}
	return n
}

func TestShapesAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, shaped := range []bool{false, true} {
		s := newSteady(t, 3000, nil, arena.Heap, shaped)
		snap := s.grid.Snapshot()
		dst := make([]uint32, 0, s.n)
		ask := func(name string, find func() error) {
			n := 0
			zeroAllocs(t, fmt.Sprintf("%s, bodies=%v", name, shaped), func() {
				s.must(find())
				n += len(dst)
			})
			if n == 0 {
				t.Errorf("%s finds nobody", name)
			}
		}
		f := Filter{Mask: 7}
		var err error
		ask("ring", func() error {
			dst, err = snap.AppendRing(dst[:0], Ring{Inner: 500, Outer: 900, Height: 2000}, f)
			return err
		})
		ask("cone", func() error {
			dst, err = snap.AppendCone(dst[:0], Cone{DirX: 1, DirY: 7, HalfAngle: 1 << 28, Range: 2000, Height: 2000}, f)
			return err
		})
		ask("tilted", func() error {
			dst, err = snap.AppendTilted(dst[:0], Tilted{DirX: 1, DirY: 7, HalfLength: 2000, HalfWidth: 100, Height: 2000}, f)
			return err
		})
		ask("capsule", func() error {
			dst, err = snap.AppendCapsule(dst[:0], Capsule{X0: -1000, X1: 900, Y1: 900, Radius: 100, Height: 2000}, f)
			return err
		})
	}
}

// TestBadShapes: each error names the shape and what is wrong, and dst comes back.
func TestBadShapes(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	w.spawn(0, Point{})
	w.publish()
	const far = MaxCoord + 1
	for _, c := range []struct {
		shape someShape
		f     Filter
		err   error
		names string
	}{
		{askRing(Ring{Inner: 5, Outer: 4}), Filter{}, ErrShape, "5 to 4"},
		{askRing(Ring{Inner: -1, Outer: 4}), Filter{}, ErrRange, "-1 to 4"},
		{askRing(Ring{Outer: far}), Filter{}, ErrRange, fmt.Sprint(far)},
		{askRing(Ring{X: far}), Filter{}, ErrRange, fmt.Sprint(far)},
		{askRing(Ring{Height: 3}), Filter{}, ErrUnsupported, "Ring"},
		{askRing(Ring{}), Filter{Layers: 2}, ErrLayer, "Ring"},
		{askRing(Ring{}), Filter{Mask: 2}, ErrUnsupported, "Ring"},
		{askCone(Cone{Range: 4}), Filter{}, ErrShape, "without a direction"},
		{askCone(Cone{DirX: 1, Range: -4}), Filter{}, ErrRange, "-4"},
		{askCone(Cone{DirX: far, Range: 4}), Filter{}, ErrRange, fmt.Sprint(far)},
		{askCone(Cone{DirX: 1, HalfAngle: HalfTurn + 1}), Filter{}, ErrRange, "2147483649"},
		{askCone(Cone{Y: -far, DirX: 1}), Filter{}, ErrRange, fmt.Sprint(-far)},
		{askTilted(Tilted{HalfLength: 4}), Filter{}, ErrShape, "without a direction"},
		{askTilted(Tilted{DirY: -far}), Filter{}, ErrRange, fmt.Sprint(-far)},
		{askTilted(Tilted{DirX: 1, HalfLength: -7}), Filter{}, ErrRange, "-7"},
		{askTilted(Tilted{DirX: 1, HalfWidth: far}), Filter{}, ErrRange, fmt.Sprint(far)},
		{askCapsule(Capsule{Radius: -9}), Filter{}, ErrRange, "-9"},
		{askCapsule(Capsule{X1: far}), Filter{}, ErrRange, fmt.Sprint(far)},
		{askCapsule(Capsule{Y0: far}), Filter{}, ErrRange, fmt.Sprint(far)},
	} {
		got, err := c.shape.find(w.grid.Snapshot(), []uint32{1, 2}, c.f)
		if !errors.Is(err, c.err) || !strings.Contains(fmt.Sprint(err), c.names) || len(got) != 2 {
			t.Errorf("%T%+v, %+v: %v, %v; want %v with %q", c.shape.shape, c.shape.shape, c.f, got, err, c.err, c.names)
		}
	}
	for _, s := range []someShape{askCone(Cone{HalfAngle: HalfTurn}), askCone(Cone{DirX: 1}), askTilted(Tilted{DirY: -1}), askCapsule(Capsule{}), askRing(Ring{})} {
		if got, err := s.find(w.grid.Snapshot(), nil, Filter{}); err != nil || len(got) != 1 {
			t.Errorf("%T%+v around somebody: %v, %v", s.shape, s.shape, got, err)
		}
	}
}

// BenchmarkShapes asks for each shape among 100,000 points in 1,000 m, of whom one in a
// hundred has a body where there are bodies, and reports candidates a hit.
func BenchmarkShapes(b *testing.B) {
	for _, bodies := range []bool{false, true} {
		s := shapesWorld(b, bodies)
		for name, place := range gameShapes {
			b.Run(fmt.Sprintf("%s/bodies=%v", name, bodies), func(b *testing.B) {
				var places []someShape
				dst, found, asked := make([]uint32, 0, 10_000), 0, 0
				for k := range int32(200) {
					places = append(places, place((k%20-10)*30*metre, (k/20-5)*60*metre))
					dst, _ = places[k].find(s, dst[:0], Filter{})
					found, asked = found+len(dst), asked+s.candidates(places[k].shape)
				}
				b.ReportAllocs()
				for k := 0; b.Loop(); k++ {
					dst, _ = places[k%len(places)].find(s, dst[:0], Filter{})
				}
				b.ReportMetric(float64(found)/float64(len(places)), "hits/op")
				b.ReportMetric(float64(asked)/float64(found), "candidates/hit")
			})
		}
	}
}

func shapesWorld(t testing.TB, bodies bool) *Snapshot {
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 4 * metre, CellY: 16 * metre}}})
	for i := range 100_000 {
		w.spawn(0, r.point(500*metre))
		if bodies && i%100 == 0 {
			w.setBody(i, Body{Radius: int32(r.below(3 * metre))})
		}
	}
	w.publish()
	return w.grid.Snapshot()
}

// TestShapesAskFew: a shape is not asked about everybody in the rectangle around it.
func TestShapesAskFew(t *testing.T) {
	most := map[string]float64{"ring": 4, "cone": 2.6, "beam": 9, "tilted": 2.4, "capsule": 5.5}
	s := shapesWorld(t, false)
	for name, place := range gameShapes {
		found, asked := 0, 0
		for k := range int32(100) {
			q := place((k%10-5)*60*metre, (k/10-5)*60*metre)
			dst, err := q.find(s, nil, Filter{})
			if err != nil {
				t.Fatal(err)
			}
			found, asked = found+len(dst), asked+s.candidates(q.shape)
		}
		if r := float64(asked) / float64(found); r > most[name] || r < 1 {
			t.Errorf("%s: %.2f candidates a hit; want at most %v", name, r, most[name])
		}
	}
}
