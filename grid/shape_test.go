package grid

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"vicinity/internal/oracle"
)

// someShape is a shape to ask for, and what the oracle says about an entity.
type someShape struct {
	shape  any
	slab   slab
	find   func(s *Snapshot, dst []uint32, f Filter) ([]uint32, error)
	inside func(e *oracle.Entity) bool
}

func askRing(r Ring) someShape {
	return someShape{r, slab{r.Z, r.Height}, func(s *Snapshot, dst []uint32, f Filter) ([]uint32, error) {
		return s.AppendRing(dst, r, f)
	}, func(e *oracle.Entity) bool {
		return oracle.InRing(e, oracle.Ring{X: int64(r.X), Y: int64(r.Y), Inner: int64(r.Inner), Outer: int64(r.Outer)})
	}}
}

func askCone(c Cone) someShape {
	right, left := c.Edges()
	o := oracle.Cone{X: int64(c.X), Y: int64(c.Y), Range: int64(c.Range), Reflex: c.HalfAngle > QuarterTurn, Whole: c.HalfAngle == HalfTurn}
	o.Right, o.Left = [2]int64{int64(right[0]), int64(right[1])}, [2]int64{int64(left[0]), int64(left[1])}
	return someShape{c, slab{c.Z, c.Height}, func(s *Snapshot, dst []uint32, f Filter) ([]uint32, error) {
		return s.AppendCone(dst, c, f)
	}, func(e *oracle.Entity) bool { return oracle.InCone(e, o) }}
}

func askTilted(t Tilted) someShape {
	o := oracle.Tilted{
		X: int64(t.X), Y: int64(t.Y), DirX: int64(t.DirX), DirY: int64(t.DirY),
		HalfLength: int64(t.HalfLength), HalfWidth: int64(t.HalfWidth),
	}
	return someShape{t, slab{t.Z, t.Height}, func(s *Snapshot, dst []uint32, f Filter) ([]uint32, error) {
		return s.AppendTilted(dst, t, f)
	}, func(e *oracle.Entity) bool { return oracle.InTilted(e, o) }}
}

func askCapsule(c Capsule) someShape {
	o := oracle.Capsule{X0: int64(c.X0), Y0: int64(c.Y0), X1: int64(c.X1), Y1: int64(c.Y1), Radius: int64(c.Radius)}
	return someShape{c, slab{c.Z, c.Height}, func(s *Snapshot, dst []uint32, f Filter) ([]uint32, error) {
		return s.AppendCapsule(dst, c, f)
	}, func(e *oracle.Entity) bool { return oracle.InCapsule(e, o) }}
}

// someLength returns a length: nothing, a little, up to size, and now and then more
// than the world.
func (r *random) someLength(size int32) int32 {
	most := []int64{0, 3, int64(size) / 20, int64(size), 4 * int64(size)}[r.below(5)]
	return int32(r.Bound(uint32(min(most, MaxCoord) + 1)))
}

// direction is any that is not zero, small or large, often along an axis or a diagonal.
func (r *random) direction() (x, y int32) {
	for x == 0 && y == 0 {
		n := []int32{1, 5, 1000, MaxCoord}[r.below(4)]
		x, y = r.spread(n), r.spread(n)
		if r.below(6) == 0 {
			y = x
		}
	}
	return x, y
}

// angle is half a cone's.
func (r *random) angle() uint32 {
	special := []uint32{0, 1, 2, 5, QuarterTurn - 1, QuarterTurn, QuarterTurn + 1, HalfTurn - 1, HalfTurn, QuarterTurn / 2}
	if k := r.below(20); k < len(special) {
		return special[k]
	}
	return r.Bound(HalfTurn + 1)
}

// someShape draws a shape of each kind in turn, at or near somebody more often than not.
func (r *random) someShape(k int, all []entity, size int32, heights bool) someShape {
	p := r.point(size)
	if len(all) > 0 && r.below(3) > 0 {
		p = all[r.below(len(all))].at
		if r.below(2) == 0 {
			p.X, p.Y = clamp(p.X+r.spread(4), MaxCoord), clamp(p.Y+r.spread(4), MaxCoord)
		}
	}
	s := slab{p.Z, r.someLength(size)}
	switch {
	case !heights:
		s = slab{}
	case r.below(3) == 0:
		s.Height = AnyHeight
	}
	dx, dy := r.direction()
	switch k % 4 {
	case 0:
		a, b := r.someLength(size), r.someLength(size)
		return askRing(Ring{p.X, p.Y, min(a, b), max(a, b), s.Z, s.Height})
	case 1:
		return askCone(Cone{p.X, p.Y, dx, dy, r.angle(), r.someLength(size), s.Z, s.Height})
	case 2:
		return askTilted(Tilted{p.X, p.Y, dx, dy, r.someLength(size), r.someLength(size), s.Z, s.Height})
	}
	q := r.point(size)
	switch r.below(4) {
	case 0:
		q = p
	case 1:
		q = Point{X: clamp(p.X+r.spread(50), MaxCoord), Y: p.Y}
	}
	return askCapsule(Capsule{p.X, p.Y, q.X, q.Y, r.someLength(size), s.Z, s.Height})
}

// forOracle is what the oracle knows of an entity.
func (e *entity) forOracle() *oracle.Entity {
	return &oracle.Entity{
		X: int64(e.at.X), Y: int64(e.at.Y),
		Body: oracle.Body{Radius: int64(e.body.Radius), HalfX: int64(e.body.HalfX), HalfY: int64(e.body.HalfY)},
	}
}

// checkShape compares what a shape finds with the oracle.
func checkShape(t testing.TB, s *Snapshot, all []entity, q someShape, f Filter) (found int) {
	t.Helper()
	got, err := q.find(s, []uint32{99}, f)
	if err != nil || got[0] != 99 {
		t.Fatalf("tick %d, %T%+v: %v in front, %v", s.Tick(), q.shape, q.shape, got[0], err)
	}
	got = sorted(got[1:])
	if len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Fatalf("tick %d, %T%+v: found twice", s.Tick(), q.shape, q.shape)
	}
	for i := range all {
		e := &all[i]
		dz := int64(e.at.Z) - int64(q.slab.Z)
		want := e.asked(f, s.grid.masks != nil) && q.inside(e.forOracle()) &&
			(s.grid.z == nil || q.slab.Height == AnyHeight || max(dz, -dz) <= int64(q.slab.Height))
		if _, ok := slices.BinarySearch(got, e.h.Slot()); ok != want {
			t.Fatalf("tick %d, %T%+v, %+v: %+v is found: %v; want %v", s.Tick(), q.shape, q.shape, f, e, ok, want)
		}
	}
	return len(got)
}

// TestShapesAgainstOracle asks for every shape in worlds of points and of bodies of all
// sizes, at the ends of the range, on a torus that is too small, in few cells and many.
func TestShapesAgainstOracle(t *testing.T) {
	for _, c := range []struct {
		name   string
		size   int32
		height bool
		shaped bool
		layers []Layer
	}{
		{"points", 600, false, false, []Layer{{CellX: 32}, {CellX: 64, CellY: 16}}},
		{"small", 600, true, true, []Layer{{CellX: 32}, {CellX: 64, CellY: 16}}},
		{"dense", 30, false, true, []Layer{{CellX: 4}, {CellX: 1}}},
		{"aliasing", 1 << 18, false, true, []Layer{{CellX: 1}, {CellX: 2}}},
		{"points of the whole range", MaxCoord, false, false, []Layer{{CellX: 1 << 24}}},
		{"whole range", MaxCoord, true, true, []Layer{{CellX: 1 << 24}, {CellX: 1 << 26, Static: true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRandom(t)
			w := newWorld(t, Config{Layers: c.layers, Height: c.height, Masks: true})
			w.shaped = c.shaped
			for i := range 80 {
				w.spawn(r.below(len(c.layers)), r.point(c.size))
				if c.shaped {
					w.setBody(i, r.someBody(c.size))
				}
			}
			for range 4 {
				all := w.publish()
				for k := range rounds(48) {
					f := Filter{Mask: r.Next() & 15, Layers: r.Bound(1 << len(c.layers))}
					checkShape(t, w.grid.Snapshot(), all, r.someShape(k, all, c.size, c.height), f)
				}
				w.churn(r, c.size, c.size/20+1)
			}
		})
	}
}

// TestShapeBorders puts points and bodies exactly on a border, and one unit beside it.
func TestShapeBorders(t *testing.T) {
	disc, box := Body{Radius: 25}, Body{HalfX: 30, HalfY: 40}
	for name, c := range map[string]struct {
		shape   someShape
		body    Body
		at, not Point
	}{
		"ring, outer":            {askRing(Ring{Inner: 100, Outer: 500}), Body{}, Point{X: 300, Y: -400}, Point{X: 301, Y: -400}},
		"ring, inner":            {askRing(Ring{Inner: 100, Outer: 500}), Body{}, Point{X: -60, Y: 80}, Point{X: -60, Y: 79}},
		"ring, disc outside":     {askRing(Ring{Inner: 100, Outer: 475}), disc, Point{X: 300, Y: 400}, Point{X: 300, Y: 401}},
		"ring, disc inside":      {askRing(Ring{Inner: 525, Outer: 900}), disc, Point{X: 300, Y: 400}, Point{X: 300, Y: 399}},
		"ring, disc around":      {askRing(Ring{Inner: 25, Outer: 25}), disc, Point{}, Point{X: 51}},
		"ring, box inside":       {askRing(Ring{Inner: 50, Outer: 60}), box, Point{}, Point{X: 91}},
		"cone, edge":             {askCone(Cone{DirX: 1, HalfAngle: QuarterTurn / 2, Range: 1000}), Body{}, Point{X: 70, Y: 70}, Point{X: 70, Y: 71}},
		"cone, arc":              {askCone(Cone{DirX: 3, DirY: 4, HalfAngle: 5, Range: 500}), Body{}, Point{X: 300, Y: 400}, Point{X: 303, Y: 404}},
		"cone, disc at the edge": {askCone(Cone{DirX: 1, HalfAngle: 0, Range: 1000}), disc, Point{X: 70, Y: 25}, Point{X: 70, Y: 26}},
		"cone, disc at the end":  {askCone(Cone{DirX: 3, DirY: 4, Range: 475}), disc, Point{X: 300, Y: 400}, Point{X: 301, Y: 400}},
		"cone, disc behind":      {askCone(Cone{DirX: 1, HalfAngle: 9999, Range: 475}), disc, Point{X: -25}, Point{X: -26}},
		"cone, box corner":       {askCone(Cone{DirX: 1, HalfAngle: QuarterTurn / 2, Range: 1000}), box, Point{X: 70, Y: 140}, Point{X: 70, Y: 141}},
		"beam, side":             {askTilted(Tilted{DirX: 3, DirY: 4, HalfLength: 500, HalfWidth: 50}), Body{}, Point{X: -40, Y: 30}, Point{X: -41, Y: 30}},
		"beam, end":              {askTilted(Tilted{DirX: 3, DirY: 4, HalfLength: 500}), Body{}, Point{X: 300, Y: 400}, Point{X: 303, Y: 404}},
		"beam, disc off corner":  {askTilted(Tilted{DirX: 1, HalfLength: 100, HalfWidth: 50}), disc, Point{X: 115, Y: 70}, Point{X: 115, Y: 71}},
		"beam, box corner":       {askTilted(Tilted{DirX: 1, DirY: 1, HalfLength: 500}), box, Point{X: 70, Y: 0}, Point{X: 71, Y: 0}},
		"capsule, side":          {askCapsule(Capsule{X0: -300, Y0: -400, X1: 300, Y1: 400, Radius: 50}), Body{}, Point{X: -40, Y: 30}, Point{X: -41, Y: 30}},
		"capsule, end":           {askCapsule(Capsule{X1: 100, Radius: 50}), Body{}, Point{X: 130, Y: 40}, Point{X: 130, Y: 41}},
		"capsule, disc":          {askCapsule(Capsule{X1: 100, Radius: 25}), disc, Point{X: 130, Y: 40}, Point{X: 131, Y: 40}},
		"capsule, box corner":    {askCapsule(Capsule{X0: -300, Y0: -400, X1: 300, Y1: 400, Radius: 50}), Body{HalfX: 5, HalfY: 5}, Point{X: 45, Y: -35}, Point{X: 46, Y: -35}},
	} {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
		w.setBody(w.spawn(0, c.at), c.body)
		w.setBody(w.spawn(0, c.not), c.body)
		all := w.publish()
		if n := checkShape(t, w.grid.Snapshot(), all, c.shape, Filter{}); n != 1 {
			t.Errorf("%s: %d found; want 1", name, n)
		}
		found, err := c.shape.find(w.grid.Snapshot(), nil, Filter{})
		if err != nil || len(found) != 1 || found[0] != all[0].h.Slot() {
			t.Errorf("%s: found %v, %v; want slot %d", name, found, err, all[0].h.Slot())
		}
	}
}

// TestEdgesMirror: the edges of a mirrored direction are mirrored, in all eight ways.
func TestEdgesMirror(t *testing.T) {
	r := newRandom(t)
	for range 2000 {
		c := Cone{HalfAngle: r.angle()}
		c.DirX, c.DirY = r.direction()
		right, left := c.Edges()
		check := func(what string, m Cone, turned func(v [2]int32) [2]int32) {
			if a, b := m.Edges(); a != turned(left) || b != turned(right) {
				t.Fatalf("%+v, %s: %v and %v; want %v and %v", c, what, a, b, turned(left), turned(right))
			}
		}
		m := c
		m.DirX = -c.DirX
		check("mirrored in x", m, func(v [2]int32) [2]int32 { return [2]int32{-v[0], v[1]} })
		m = c
		m.DirY = -c.DirY
		check("mirrored in y", m, func(v [2]int32) [2]int32 { return [2]int32{v[0], -v[1]} })
		m = c
		m.DirX, m.DirY = c.DirY, c.DirX
		check("axes exchanged", m, func(v [2]int32) [2]int32 { return [2]int32{v[1], v[0]} })
	}
}

// TestEdgesAngle: an edge is where it should be to 2^-29 of a radian, which is measured
// with the library's functions.
func TestEdgesAngle(t *testing.T) {
	r := newRandom(t)
	for range 20_000 {
		c := Cone{HalfAngle: r.angle()}
		c.DirX, c.DirY = r.direction()
		right, left := c.Edges()
		at := func(v [2]int32) float64 { return math.Atan2(float64(v[1]), float64(v[0])) }
		for _, e := range []struct {
			got  [2]int32
			sign float64
		}{{right, -1}, {left, 1}} {
			want := at([2]int32{c.DirX, c.DirY}) + e.sign*float64(c.HalfAngle)*math.Pi/HalfTurn
			if off := math.Abs(math.Remainder(at(e.got)-want, 2*math.Pi)); off > 1.0/(1<<28) {
				t.Fatalf("%+v: edges %v, %v: one is off by %v", c, right, left, off)
			}
		}
	}
}

func TestSinCos(t *testing.T) {
	r := newRandom(t)
	for range 20_000 {
		a := r.angle()
		sin, cos := sinCos(a)
		x := float64(a) * math.Pi / HalfTurn
		if math.Abs(sin-math.Sin(x)) > 4e-16 || math.Abs(cos-math.Cos(x)) > 4e-16 {
			t.Fatalf("%d: %v, %v; want %v, %v", a, sin, cos, math.Sin(x), math.Cos(x))
		}
	}
	if sin, cos := sinCos(QuarterTurn / 2); fmt.Sprintf("%.15f %.15f", sin, cos) != "0.707106781186547 0.707106781186548" {
		t.Errorf("an eighth: %.17f, %.17f", sin, cos)
	}
}

// newSampler returns a world of one of each: a point, a disc, a box and a wall, 100 units
// apart.
func newSampler(t *testing.T) *world {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	for i, b := range []Body{{}, {Radius: 5}, {HalfX: 4, HalfY: 3}, {HalfX: 10}} {
		w.setBody(w.spawn(0, Point{X: int32(100 * i)}), b)
	}
	w.publish()
	return w
}

// checkSample asks for a shape, which must find these of w.all.
func (w *world) checkSample(name string, q someShape, found []int) {
	w.t.Helper()
	got, err := q.find(w.grid.Snapshot(), nil, Filter{})
	want := []uint32{}
	for _, i := range found {
		want = append(want, w.all[i].h.Slot())
	}
	if err != nil || !slices.Equal(sorted(got), sorted(want)) {
		w.t.Errorf("%s: found %v, %v; want %v", name, got, err, want)
	}
}
