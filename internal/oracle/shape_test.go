package oracle

import (
	"fmt"
	"math"
	"testing"

	"github.com/dgryski/go-pcgr"
)

// disc, box and dot make entities.
func disc(x, y, radius int64) Entity { return Entity{X: x, Y: y, Body: Body{Radius: radius}} }
func box(x, y, halfX, halfY int64) Entity {
	return Entity{X: x, Y: y, Body: Body{HalfX: halfX, HalfY: halfY}}
}
func dot(x, y int64) Entity { return Entity{X: x, Y: y} }

// TestShapes has what can be checked by hand: what touches, and what is one unit off.
func TestShapes(t *testing.T) {
	rect := func(e Entity) bool { return InRect(&e, Rect{X0: -2, Y0: -3, X1: 2, Y1: 3}) }
	spot := func(e Entity) bool { return InRect(&e, Rect{}) }
	ring := func(inner, outer int64) func(Entity) bool {
		return func(e Entity) bool { return InRing(&e, Ring{Inner: inner, Outer: outer}) }
	}
	cone := func(c Cone) func(Entity) bool { return func(e Entity) bool { return InCone(&e, c) } }
	tilted := func(dx, dy, length, width int64) func(Entity) bool {
		return func(e Entity) bool {
			return InTilted(&e, Tilted{DirX: dx, DirY: dy, HalfLength: length, HalfWidth: width})
		}
	}
	capsule := func(x, y, r int64) func(Entity) bool {
		return func(e Entity) bool { return InCapsule(&e, Capsule{X1: x, Y1: y, Radius: r}) }
	}
	right, up, left, down := [2]int64{1, 0}, [2]int64{0, 1}, [2]int64{-1, 0}, [2]int64{0, -1}
	quarter := cone(Cone{Right: right, Left: up, Range: 10})
	half := cone(Cone{Right: down, Left: up, Range: 10})
	halfReflex := cone(Cone{Right: down, Left: up, Reflex: true, Range: 10})
	mouth := cone(Cone{Right: [2]int64{-3, -3}, Left: [2]int64{-7, 7}, Reflex: true, Range: 10}) // all but the left
	ray := cone(Cone{Right: [2]int64{3, 4}, Left: [2]int64{6, 8}, Range: 10})
	slit := cone(Cone{Right: left, Left: left, Reflex: true, Range: 10})
	whole := cone(Cone{Whole: true, Range: 10})
	apex := cone(Cone{Right: right, Left: up})
	for _, c := range []struct {
		name string
		in   func(Entity) bool
		e    Entity
		want bool
	}{
		{"rect: corner", rect, dot(2, 3), true},
		{"rect: off an edge", rect, dot(3, 3), false},
		{"rect: disc touches an edge", rect, disc(7, 0, 5), true},
		{"rect: disc off an edge", rect, disc(8, 0, 5), false},
		{"rect: disc touches a corner", rect, disc(5, 7, 5), true},
		{"rect: disc off a corner", rect, disc(6, 7, 5), false},
		{"rect: within a disc", rect, disc(0, 0, 50), true},
		{"rect: boxes touch at corners", rect, box(5, -5, 3, 2), true},
		{"rect: box off", rect, box(5, -6, 3, 2), false},
		{"rect: within a box", rect, box(1, 1, 50, 50), true},
		{"rect: crossed by a wall", rect, box(1, 0, 0, 50), true},
		{"rect of a point: on it", spot, dot(0, 0), true},
		{"rect of a point: disc touches", spot, disc(3, -4, 5), true},
		{"rect of a point: disc off", spot, disc(3, -4, 4), false},

		{"ring: outer border", ring(5, 10), dot(6, 8), true},
		{"ring: beyond", ring(5, 10), dot(7, 8), false},
		{"ring: inner border", ring(5, 10), dot(3, -4), true},
		{"ring: in the hole", ring(5, 10), dot(3, 3), false},
		{"ring: disc touches from outside", ring(5, 10), disc(9, 12, 5), true},
		{"ring: disc off", ring(5, 10), disc(10, 12, 5), false},
		{"ring: disc touches from the hole", ring(5, 10), disc(2, 0, 3), true},
		{"ring: disc in the hole", ring(5, 10), disc(1, 0, 3), false},
		{"ring: disc on the centre, as wide as the hole", ring(5, 10), disc(0, 0, 5), true},
		{"ring: disc around everything", ring(5, 10), disc(0, 0, 50), true},
		{"ring: box touches from outside", ring(5, 10), box(9, -12, 3, 4), true},
		{"ring: box off", ring(5, 10), box(9, -13, 3, 4), false},
		{"ring: box touches from the hole", ring(5, 10), box(1, 2, 2, 2), true},
		{"ring: box in the hole", ring(5, 10), box(1, 1, 2, 2), false},
		{"ring: wall through the hole", ring(5, 10), box(0, 0, 0, 5), true},
		{"circle: on it", ring(5, 5), dot(-3, 4), true},
		{"circle: off", ring(5, 5), dot(-3, 3), false},
		{"circle: disc touches from inside", ring(5, 5), disc(0, 1, 4), true},
		{"centre: on it", ring(0, 0), dot(0, 0), true},
		{"centre: off", ring(0, 0), dot(0, 1), false},

		{"quarter: apex", quarter, dot(0, 0), true},
		{"quarter: on an edge", quarter, dot(10, 0), true},
		{"quarter: off an edge", quarter, dot(10, -1), false},
		{"quarter: on the arc", quarter, dot(6, 8), true},
		{"quarter: off the arc", quarter, dot(7, 8), false},
		{"quarter: behind", quarter, dot(-1, -1), false},
		{"quarter: disc touches the arc", quarter, disc(9, 12, 5), true},
		{"quarter: disc off the arc", quarter, disc(9, 13, 5), false},
		{"quarter: disc touches an edge", quarter, disc(5, -3, 3), true},
		{"quarter: disc off an edge", quarter, disc(5, -4, 3), false},
		{"quarter: disc touches the apex", quarter, disc(-3, -4, 5), true},
		{"quarter: disc off the apex", quarter, disc(-4, -4, 5), false},
		{"quarter: disc touches an edge's end", quarter, disc(13, -4, 5), true},
		{"quarter: disc off an edge's end", quarter, disc(13, -5, 5), false},
		{"quarter: box touches an edge", quarter, box(5, -3, 1, 3), true},
		{"quarter: box off an edge", quarter, box(5, -4, 1, 3), false},
		{"quarter: box touches the arc", quarter, box(7, 10, 1, 2), true},
		{"quarter: box off the arc", quarter, box(8, 10, 1, 2), false},
		{"quarter: wall through both edges", quarter, box(1, 1, 0, 50), true},
		{"quarter: box around the apex", quarter, box(-1, -1, 1, 1), true},

		{"half: apex", half, dot(0, 0), true},
		{"half: on the edge", half, dot(0, -10), true},
		{"half: behind", half, dot(-1, 0), false},
		{"half: disc touches from behind", half, disc(-5, 3, 5), true},
		{"half: disc off behind", half, disc(-6, 3, 5), false},
		{"half, reflex: on the edge", halfReflex, dot(0, 10), true},
		{"half, reflex: behind", halfReflex, dot(-1, 0), false},

		{"reflex: in the mouth", mouth, dot(-5, 0), false},
		{"reflex: on the lip", mouth, dot(-5, 5), true},
		{"reflex: in front", mouth, dot(10, 0), true},
		{"reflex: a disc in the mouth", mouth, disc(-6, 0, 4), false}, // 6/√2 is 4.24
		{"reflex: a disc on the lips", mouth, disc(-6, 0, 5), true},
		{"reflex: a disc on the edges' ends", mouth, disc(-13, 0, 10), true}, // they are 9.23 away
		{"reflex: a disc off the edges' ends", mouth, disc(-13, 0, 9), false},
		{"reflex: a box in the mouth", mouth, box(-4, 0, 1, 2), false},
		{"reflex: a box on a lip", mouth, box(-4, 0, 1, 3), true},

		{"ray: at its end", ray, dot(6, 8), true},
		{"ray: beyond", ray, dot(9, 12), false},
		{"ray: beside", ray, dot(3, 3), false},
		{"ray: behind", ray, dot(-3, -4), false},
		{"ray: disc touches its side", ray, disc(7, 1, 5), true},
		{"ray: disc off its side", ray, disc(7, 0, 5), false},
		{"ray: disc touches its end", ray, disc(9, 12, 5), true},
		{"ray: disc off its end", ray, disc(9, 12, 4), false},
		{"ray: disc behind", ray, disc(-3, -4, 4), false},
		{"ray: box touches its side", ray, box(4, 2, 1, 2), true},
		{"ray: box off its side", ray, box(5, 2, 1, 2), false},
		{"ray: box at its end", ray, box(7, 9, 1, 1), true},
		{"ray: box beyond its end", ray, box(8, 9, 1, 1), false},
		{"all but a ray", slit, dot(-5, 0), true},
		{"all round", whole, dot(-6, -8), true},
		{"all round: off", whole, dot(-7, -8), false},
		{"all round: disc", whole, disc(-9, 12, 5), true},
		{"no range: apex", apex, dot(0, 0), true},
		{"no range: off", apex, dot(1, 0), false},
		{"no range: disc", apex, disc(-3, 4, 5), true},
		{"no range: box", apex, box(1, 1, 1, 1), true},
		{"no range: box off", apex, box(2, 1, 1, 1), false},

		{"tilted: a corner", tilted(3, 4, 10, 5), dot(6-4, 8+3), true},
		{"tilted: the other corners", tilted(3, 4, 10, 5), dot(-6-4, -8+3), true},
		{"tilted: off a corner", tilted(3, 4, 10, 5), dot(2, 12), false},
		{"tilted: as long as the direction says nothing of", tilted(300, 400, 10, 5), dot(10, 5), true},
		{"tilted: disc touches the end", tilted(3, 4, 10, 5), disc(9, 12, 5), true},
		{"tilted: disc off the end", tilted(3, 4, 10, 5), disc(9, 13, 5), false},
		{"tilted: disc touches a side", tilted(3, 4, 10, 5), disc(-8, 6, 5), true},
		{"tilted: disc off a side", tilted(3, 4, 10, 5), disc(-9, 6, 5), false},
		{"tilted: disc touches a corner", tilted(3, 4, 10, 5), disc(2+5, 11+12, 13), true},
		{"tilted: disc off a corner", tilted(3, 4, 10, 5), disc(2+5, 11+12, 12), false},
		{"tilted: around everything", tilted(3, 4, 10, 5), disc(0, 0, 50), true},
		{"tilted: box touches a corner", tilted(3, 4, 10, 5), box(5, 12, 3, 1), true},
		{"tilted: box off a corner", tilted(3, 4, 10, 5), box(6, 13, 3, 1), false},
		{"tilted: box's corner touches a side", tilted(3, 4, 10, 5), box(-5, 4, 1, 1), true},
		{"tilted: box's corner off a side", tilted(3, 4, 10, 5), box(-6, 4, 1, 1), false},
		{"segment: on it", tilted(3, 4, 10, 0), dot(-6, -8), true},
		{"segment: beside", tilted(3, 4, 10, 0), dot(-6, -7), false},
		{"segment across: on it", tilted(3, 4, 0, 5), dot(-4, 3), true},
		{"tilted spot: on it", tilted(1, 1, 0, 0), dot(0, 0), true},
		{"tilted spot: beside", tilted(1, 1, 0, 0), dot(0, 1), false},
		{"tilted spot: in a box", tilted(1, 1, 0, 0), box(1, 1, 1, 1), true},

		{"capsule: beside", capsule(9, 12, 5), dot(-4+6, 3+8), true},
		{"capsule: off the side", capsule(9, 12, 5), dot(1, 11), false},
		{"capsule: cap", capsule(9, 12, 5), dot(12, 16), true},
		{"capsule: off a cap", capsule(9, 12, 5), dot(13, 16), false},
		{"capsule: disc touches the side", capsule(9, 12, 5), disc(-8, 6, 5), true},
		{"capsule: disc off the side", capsule(9, 12, 5), disc(-9, 6, 5), false},
		{"capsule: disc touches a cap", capsule(9, 12, 5), disc(-6, -8, 5), true},
		{"capsule: box's corner touches the side", capsule(9, 12, 5), box(1, 12, 1, 1), true},
		{"capsule: box's corner off the side", capsule(9, 12, 5), box(0, 12, 1, 1), false},
		{"capsule: box crossed, all corners outside", capsule(9, 12, 1), box(4, 6, 50, 3), true},
		{"segment as capsule: on it", capsule(9, 12, 0), dot(3, 4), true},
		{"segment as capsule: off", capsule(9, 12, 0), dot(3, 5), false},
		{"disc as capsule: border", capsule(0, 0, 5), dot(3, -4), true},
		{"disc as capsule: off", capsule(0, 0, 5), dot(4, -4), false},
		{"spot as capsule", capsule(0, 0, 0), disc(3, -4, 5), true},
	} {
		if got := c.in(c.e); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// sample is a shape around the origin with its test for an entity and two for points:
// exactly, and within a unit of it or so, by float64.
type sample struct {
	name string
	in   func(e *Entity) bool
	has  func(x, y int64) bool
	near func(x, y int64) bool
}

// fromSegment is the distance of (x, y) from the segment between two ends.
func fromSegment(x, y, x0, y0, x1, y1 float64) float64 {
	ex, ey, t := x1-x0, y1-y0, 0.0
	if ex != 0 || ey != 0 {
		t = min(max(((x-x0)*ex+(y-y0)*ey)/(ex*ex+ey*ey), 0), 1)
	}
	return math.Hypot(x-x0-t*ex, y-y0-t*ey)
}

// someSample draws a shape of size n.
func someSample(r *pcgr.Rand, n int64) sample {
	length := func() int64 { return int64(r.Bound(uint32(n + 1))) }
	const slack = 1 + 1e-6
	dx, dy := spread(r, 5), spread(r, 5)
	if dx == 0 && dy == 0 {
		dx = 1
	}
	dir := math.Hypot(float64(dx), float64(dy))
	switch r.Bound(5) {
	case 0:
		a := Rect{X0: -length(), Y0: -length(), X1: length(), Y1: length()}
		in := func(x, y, more int64) bool {
			return x >= a.X0-more && x <= a.X1+more && y >= a.Y0-more && y <= a.Y1+more
		}
		return sample{
			fmt.Sprintf("%+v", a), func(e *Entity) bool { return InRect(e, a) },
			func(x, y int64) bool { return in(x, y, 0) }, func(x, y int64) bool { return in(x, y, 1) },
		}
	case 1:
		a := Ring{Outer: length()}
		a.Inner = min(a.Outer, length())
		return sample{
			fmt.Sprintf("%+v", a), func(e *Entity) bool { return InRing(e, a) },
			func(x, y int64) bool {
				return x*x+y*y >= a.Inner*a.Inner && x*x+y*y <= a.Outer*a.Outer
			},
			func(x, y int64) bool {
				return x*x+y*y <= (a.Outer+1)*(a.Outer+1) && (a.Inner == 0 || x*x+y*y >= (a.Inner-1)*(a.Inner-1))
			},
		}
	case 2:
		a := Tilted{DirX: dx, DirY: dy, HalfLength: length(), HalfWidth: length()}
		return sample{
			fmt.Sprintf("%+v", a), func(e *Entity) bool { return InTilted(e, a) },
			func(x, y int64) bool {
				along, across, s := x*dx+y*dy, dx*y-dy*x, dx*dx+dy*dy
				return along*along <= a.HalfLength*a.HalfLength*s && across*across <= a.HalfWidth*a.HalfWidth*s
			},
			func(x, y int64) bool {
				along, across := float64(x*dx+y*dy)/dir, float64(dx*y-dy*x)/dir
				return math.Abs(along) <= float64(a.HalfLength)+slack && math.Abs(across) <= float64(a.HalfWidth)+slack
			},
		}
	case 3:
		a := Capsule{X0: spread(r, n), Y0: spread(r, n), X1: spread(r, n), Y1: spread(r, n), Radius: length()}
		away := func(x, y int64) float64 {
			return fromSegment(float64(x), float64(y), float64(a.X0), float64(a.Y0), float64(a.X1), float64(a.Y1))
		}
		return sample{
			fmt.Sprintf("%+v", a), func(e *Entity) bool { return InCapsule(e, a) },
			func(x, y int64) bool { return away(x, y) <= float64(a.Radius)-1e-6 },
			func(x, y int64) bool { return away(x, y) <= float64(a.Radius)+slack },
		}
	}
	return someCone(r, dx, dy, length())
}

// someCone draws a cone with an edge along (dx, dy).
func someCone(r *pcgr.Rand, dx, dy, length int64) sample {
	c := Cone{Right: [2]int64{dx, dy}, Left: [2]int64{spread(r, 5), spread(r, 5)}, Range: length}
	switch r.Bound(6) {
	case 0:
		c.Whole = true
	case 1:
		c.Left = [2]int64{2 * dx, 2 * dy}
	case 2:
		c.Left = [2]int64{-dx, -dy}
	}
	if c.Left == [2]int64{} {
		c.Left = [2]int64{-dy, dx}
	}
	if turn := dx*c.Left[1] - dy*c.Left[0]; turn < 0 || turn == 0 && r.Bound(2) == 0 {
		c.Reflex = true // more than half a turn, or half of one, or all but nothing
	}
	// angle is that from the right edge.
	angle := func(x, y int64) float64 {
		a := math.Atan2(float64(dx*y-dy*x), float64(dx*x+dy*y))
		if a < 0 {
			a += 2 * math.Pi
		}
		return a
	}
	wide := angle(c.Left[0], c.Left[1])
	between := func(x, y int64) bool { // exact enough: directions are few, and far apart
		a := angle(x, y)
		full := c.Whole || c.Reflex && wide == 0
		return full || x == 0 && y == 0 || a <= wide+1e-9 || a >= 2*math.Pi-1e-9
	}
	away := func(x, y int64, edge [2]int64) float64 {
		n := float64(c.Range) / math.Hypot(float64(edge[0]), float64(edge[1]))
		return fromSegment(float64(x), float64(y), 0, 0, float64(edge[0])*n, float64(edge[1])*n)
	}
	return sample{
		fmt.Sprintf("%+v", c), func(e *Entity) bool { return InCone(e, c) },
		func(x, y int64) bool { return x*x+y*y <= c.Range*c.Range && between(x, y) },
		func(x, y int64) bool {
			return x*x+y*y <= (c.Range+1)*(c.Range+1) && between(x, y) ||
				!c.Whole && (away(x, y, c.Right) <= 1+1e-6 || away(x, y, c.Left) <= 1+1e-6)
		},
	}
}

// Shapes and bodies are looked at point by point. If a lattice point is in both, the
// entity is in the shape; if it is, then some lattice point is within a unit of both.
// Units are small against what is drawn, so that little is between.
func TestShapesAgainstLattice(t *testing.T) {
	r := newRandom(t)
	const n = 16
	in, out, unclear := 0, 0, 0
	for range 6000 {
		s := someSample(r, n)
		e := Entity{X: spread(r, 2*n), Y: spread(r, 2*n), Body: someBody(r, n)}
		b := e.Body
		common, near := false, false
		for x := e.X - b.HalfX - b.Radius - 1; x <= e.X+b.HalfX+b.Radius+1; x++ {
			for y := e.Y - b.HalfY - b.Radius - 1; y <= e.Y+b.HalfY+b.Radius+1; y++ {
				dx, dy := max(x-e.X, e.X-x), max(y-e.Y, e.Y-y)
				inBody := dx <= b.HalfX && dy <= b.HalfY
				nearBody := dx <= b.HalfX+1 && dy <= b.HalfY+1
				if b.Radius > 0 {
					inBody, nearBody = dx*dx+dy*dy <= b.Radius*b.Radius, dx*dx+dy*dy <= (b.Radius+1)*(b.Radius+1)
				}
				common = common || inBody && s.has(x, y)
				near = near || nearBody && s.near(x, y)
			}
		}
		switch got := s.in(&e); {
		case common && !got:
			t.Fatalf("%+v is not in %s, and has a point in it", e, s.name)
		case !near && got:
			t.Fatalf("%+v is in %s, and no point is near both", e, s.name)
		case common:
			in++
		case !near:
			out++
		default:
			unclear++
		}
	}
	t.Logf("%d in, %d out, %d undecided", in, out, unclear)
	if in < 1000 || out < 1000 || unclear > 1500 {
		t.Error("too few of a kind")
	}
}

// What is known by two names is the same.
func TestShapesThatAreOthers(t *testing.T) {
	r := newRandom(t)
	const n = 12
	length := func() int64 { return int64(r.Bound(n + 1)) }
	for range 500 {
		e := Entity{X: spread(r, 2*n), Y: spread(r, 2*n), Body: someBody(r, n)}
		a, b := length(), length()
		within := e.Reaches(0, 0, a)
		rect := InRect(&e, Rect{X0: -a, Y0: -b, X1: a, Y1: b})
		edge := [2]int64{spread(r, n), 1 + length()}
		back := [2]int64{-edge[0], -edge[1]}
		for _, c := range []struct {
			name      string
			got, want bool
		}{
			{"ring without a hole", InRing(&e, Ring{Outer: a}), within},
			{"whole cone", InCone(&e, Cone{Whole: true, Range: a}), within},
			{"all but a ray", InCone(&e, Cone{Right: edge, Left: edge, Reflex: true, Range: a}), within},
			{"capsule with one end", InCapsule(&e, Capsule{Radius: a}), within},
			{"both halves", InCone(&e, Cone{Right: edge, Left: back, Range: a}) || InCone(&e, Cone{Right: back, Left: edge, Range: a}), within},
			{"half and half", InCone(&e, Cone{Right: edge, Left: back, Range: a}), InCone(&e, Cone{Right: edge, Left: back, Reflex: true, Range: a})},
			{"straight tilted", InTilted(&e, Tilted{DirX: 3, HalfLength: a, HalfWidth: b}), rect},
			{"upright tilted", InTilted(&e, Tilted{DirY: -7, HalfLength: b, HalfWidth: a}), rect},
			{"beam and capsule", InTilted(&e, Tilted{DirX: edge[0], DirY: edge[1], HalfLength: 1 << 20}), InCapsule(&e, Capsule{
				X0: -edge[0] << 20, Y0: -edge[1] << 20, X1: edge[0] << 20, Y1: edge[1] << 20,
			})},
			{"ray and capsule", InCone(&e, Cone{Right: edge, Left: edge, Range: 1 << 20}), InCapsule(&e, Capsule{X1: edge[0] << 20, Y1: edge[1] << 20})},
			{"rect of a point", InRect(&e, Rect{}), e.Reaches(0, 0, 0)},
		} {
			if c.got != c.want {
				t.Fatalf("%s of %d, %d, edge %v: %+v is in it: %v; want %v", c.name, a, b, edge, e, c.got, c.want)
			}
		}
	}
}

// flip turns the plane over: both axes exchanged, then x and y mirrored.
type flip struct {
	swap bool
	x, y int64
}

func (f flip) of(x, y int64) (int64, int64) {
	if f.swap {
		x, y = y, x
	}
	return f.x * x, f.y * y
}

// turnsOver reports whether what is on the left comes to be on the right.
func (f flip) turnsOver() bool { return (f.x*f.y < 0) != f.swap }

func (f flip) entity(e Entity) Entity {
	e.X, e.Y = f.of(e.X, e.Y)
	if f.swap {
		e.Body.HalfX, e.Body.HalfY = e.Body.HalfY, e.Body.HalfX
	}
	return e
}

// Whatever way one looks at it, moved anywhere, larger by any factor, it is the same.
func TestShapesFromAllSides(t *testing.T) {
	r := newRandom(t)
	const n = 12
	for range 150 {
		e := Entity{X: spread(r, 2*n), Y: spread(r, 2*n), Body: someBody(r, n)}
		p, q := [2]int64{spread(r, n), spread(r, n)}, [2]int64{spread(r, n), 1 + int64(r.Bound(n))}
		a, b := int64(r.Bound(n+1)), int64(r.Bound(n+1))
		k, reflex := int64(1+r.Bound(1<<24)), r.Bound(2) == 0
		moveX, moveY := spread(r, far30/2), spread(r, far30/2)
		in := func(f flip, scale, mx, my int64) [4]bool {
			e := f.entity(e)
			e.X, e.Y = e.X*scale+mx, e.Y*scale+my
			e.Body = Body{e.Body.Radius * scale, e.Body.HalfX * scale, e.Body.HalfY * scale}
			px, py := f.of(p[0], p[1])
			qx, qy := f.of(q[0], q[1])
			c := Cone{X: mx, Y: my, Right: [2]int64{qx, qy}, Left: [2]int64{px, py}, Reflex: reflex, Range: a * scale}
			if p == [2]int64{} {
				c.Left = [2]int64{-qx, -qy}
			}
			if f.turnsOver() {
				c.Right, c.Left = c.Left, c.Right
			}
			return [4]bool{
				InRing(&e, Ring{X: mx, Y: my, Inner: min(a, b) * scale, Outer: a * scale}),
				InCone(&e, c),
				InTilted(&e, Tilted{X: mx, Y: my, DirX: qx, DirY: qy, HalfLength: a * scale, HalfWidth: b * scale}),
				InCapsule(&e, Capsule{X0: px*scale + mx, Y0: py*scale + my, X1: qx*scale + mx, Y1: qy*scale + my, Radius: b * scale}),
			}
		}
		want := in(flip{x: 1, y: 1}, 1, 0, 0)
		for _, f := range []flip{{false, -1, 1}, {false, 1, -1}, {false, -1, -1}, {true, 1, 1}, {true, -1, 1}, {true, 1, -1}, {true, -1, -1}} {
			if got := in(f, 1, 0, 0); got != want {
				t.Fatalf("%+v, %v, %v, %d, %d, flipped by %+v: %v; want %v", e, p, q, a, b, f, got, want)
			}
		}
		if got := in(flip{x: 1, y: 1}, k, moveX, moveY); got != want {
			t.Fatalf("%+v, %v, %v, %d, %d, times %d, moved by %d, %d: %v; want %v", e, p, q, a, b, k, moveX, moveY, got, want)
		}
	}
}
