package grid

import "math"

// wedge is a cone, prepared.
type wedge struct {
	Cone
	kind        wedgeKind
	right, left edge
	range2      int64
	arms        [2][2]float64 // where the edges end, rounded
}

// wedgeKind says which points are between the edges.
type wedgeKind uint8

const (
	ray      wedgeKind = iota // on the one edge
	convex                    // left of the right one and right of the left one
	reflex                    // left of the right one or right of the left one
	allRound                  // all
)

// edge is a vector along an edge. s is its square, at most 2^61.
type edge struct {
	x, y int64
	s    uint64
}

func (e *edge) set(v [2]int32) {
	e.x, e.y = int64(v[0]), int64(v[1])
	e.s = uint64(e.x*e.x + e.y*e.y)
}

// cross is positive if (dx, dy) is left of the edge. Components of an edge are at most
// 1.42 * 2^30, those of any difference below 2^31, and an edge is no longer than 1.42 *
// 2^30: the result is below 2^63.
func (e *edge) cross(dx, dy int64) int64 { return e.x*dy - e.y*dx }

// holds reports whether a point is between the edges, however far.
func (w *wedge) holds(dx, dy int64) bool {
	switch w.kind {
	case ray:
		return w.right.cross(dx, dy) == 0 && w.right.x*dx+w.right.y*dy >= 0
	case convex:
		return w.right.cross(dx, dy) >= 0 && w.left.cross(dx, dy) <= 0
	case reflex:
		return w.right.cross(dx, dy) >= 0 || w.left.cross(dx, dy) <= 0
	}
	return true
}

// wedge prepares a cone that is checked.
func (c *Cone) wedge() wedge {
	w := wedge{Cone: *c, range2: int64(c.Range) * int64(c.Range)}
	right, left := c.Edges()
	w.right.set(right)
	w.left.set(left)
	switch {
	case c.HalfAngle == 0:
		w.kind = ray
	case c.HalfAngle <= QuarterTurn:
		w.kind = convex
	case c.HalfAngle < HalfTurn:
		w.kind = reflex
	default:
		w.kind = allRound
	}
	for i, e := range [...]*edge{&w.right, &w.left} {
		if e.s > 0 {
			n := float64(c.Range) / math.Sqrt(float64(e.s))
			w.arms[i] = [2]float64{float64(float64(e.x) * n), float64(float64(e.y) * n)}
		}
	}
	return w
}

// Edges returns vectors along the right and the left edge, seen from the apex. They
// define the cone exactly: a point is between them if it is on neither's wrong side.
//
// They are the direction itself if HalfAngle is 0, and exactly across it if it is
// [QuarterTurn]. Otherwise the direction is lengthened to between 2^29 and 1.42 * 2^30,
// turned, and rounded to whole numbers once: the edge is within 2^-29.5 of a radian of
// where it should be. That is less than one unit of HalfAngle, so the edges never meet
// each other or the direction, nor pass what they should not. They are the same on every
// CPU; if the direction is mirrored, they are mirrored and exchanged.
func (c *Cone) Edges() (right, left [2]int32) {
	dir := [2]int32{c.DirX, c.DirY}
	switch {
	case c.HalfAngle == 0:
		return dir, dir
	case c.HalfAngle == QuarterTurn:
		return [2]int32{c.DirY, -c.DirX}, [2]int32{-c.DirY, c.DirX}
	case c.HalfAngle >= HalfTurn: // more is no cone
		return [2]int32{-c.DirX, -c.DirY}, [2]int32{-c.DirX, -c.DirY}
	}
	x, y := lengthened(c.DirX, c.DirY)
	sin, cos := sinCos(c.HalfAngle)
	turned := func(sin float64) [2]int32 {
		return [2]int32{
			int32(math.Round(float64(cos*x) - float64(sin*y))),
			int32(math.Round(float64(sin*x) + float64(cos*y))),
		}
	}
	return turned(-sin), turned(sin)
}

// lengthened returns a vector times a power of two that brings its larger component
// into [2^29, 2^30).
func lengthened(x, y int32) (float64, float64) {
	_, exponent := math.Frexp(max(math.Abs(float64(x)), math.Abs(float64(y))))
	return math.Ldexp(float64(x), 30-exponent), math.Ldexp(float64(y), 30-exponent)
}

// sinCos returns the sine and the cosine of an angle in 2^-32 turns, 0 to a half turn.
// Up to an eighth of a turn they are Taylor's sums, whose first omitted term is below
// 2^-55; beyond, by symmetry.
func sinCos(angle uint32) (sin, cos float64) {
	const eighth = QuarterTurn / 2
	switch {
	case angle > QuarterTurn:
		sin, cos = sinCos(HalfTurn - angle)
		return sin, -cos
	case angle > eighth:
		cos, sin = sinCos(QuarterTurn - angle)
		return sin, cos
	}
	x := float64(float64(angle) * (math.Pi / HalfTurn))
	x2 := float64(x * x)
	sin, cos = 1, 1
	for k := float64(16); k >= 2; k -= 2 {
		// From the inside out: 1 - x^2/(2*3) * (1 - x^2/(4*5) * ...), and one less.
		sin = 1 - float64(float64(x2/float64(k*(k+1)))*sin)
		cos = 1 - float64(float64(x2/float64((k-1)*k))*cos)
	}
	return float64(x * sin), cos
}

// bounds is that of the apex, the ends of the edges, and where the disc is extreme
// between them.
func (w *wedge) bounds() Rect {
	r, x, y := float64(w.Range), emptySpan(), emptySpan()
	add := func(px, py float64) {
		x.add(px)
		y.add(py)
	}
	add(0, 0)
	for _, a := range w.arms {
		add(a[0], a[1])
	}
	for _, p := range [...][2]float64{{-r, 0}, {r, 0}, {0, -r}, {0, r}} {
		if w.kind == allRound || w.nearly(p[0], p[1]) {
			add(p[0], p[1])
		}
	}
	out := func(v float64) int64 { return int64(math.Ceil(v)) + margin }
	return around(w.X, w.Y, out(-x.lo), out(-y.lo), out(x.hi), out(y.hi))
}

// span is that of the edges, and of the arc between their ends: there it is extreme where
// the arc enters and leaves the band, and at the left and the right of the disc.
func (w *wedge) span(b band) span {
	s, r := emptySpan(), float64(w.Range)
	if w.kind == allRound {
		s.addDisc(b, 0, 0, r)
		return s
	}
	for _, a := range w.arms {
		s.addSegment(b, 0, 0, a[0], a[1])
	}
	for _, y := range [...]float64{b.lo - margin, b.hi + margin, clampFloat(0, b.lo-margin, b.hi+margin)} {
		if y < -r || y > r {
			y = clampFloat(y, -r, r)
			if y < b.lo-margin || y > b.hi+margin {
				continue
			}
		}
		half := math.Sqrt(max(float64((r-y)*(r+y)), 0))
		for _, x := range [...]float64{-half, half} {
			if w.nearly(x, y) {
				s.add(x)
			}
		}
	}
	return s
}

// nearly reports whether a point is between the edges, or no further than some units
// from where it would be.
func (w *wedge) nearly(x, y float64) bool {
	across := func(e *edge) float64 { // times the edge's length
		return float64(float64(e.x)*y) - float64(float64(e.y)*x)
	}
	const room = 2 * margin
	right := across(&w.right) >= -room*math.Sqrt(float64(w.right.s))
	left := across(&w.left) <= room*math.Sqrt(float64(w.left.s))
	if w.kind == reflex {
		return right || left
	}
	return right && left
}

func clampFloat(v, lo, hi float64) float64 { return min(max(v, lo), hi) }
