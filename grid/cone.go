package grid

import (
	"fmt"

	"vicinity/asm"
)

// Angles are in 2^-32 turns.
const (
	QuarterTurn = 1 << 30
	HalfTurn    = 1 << 31
)

// Cone is everything up to Range away from the apex (X, Y), in the directions that are at
// most HalfAngle from a direction to either side, borders included: a sector of a disc.
// The apex is always in it.
//
// With an angle of 0 it is the segment of length Range in that direction; with
// [QuarterTurn], half of the disc; beyond that, what is missing is a sector; with
// [HalfTurn] it is the disc, and there need be no direction. With a Range of 0 it is the
// apex. How exact the angle is: see [Cone.Edges].
type Cone struct {
	X, Y int32
	// DirX, DirY is the direction, of any length but 0, each within MaxCoord.
	DirX, DirY int32
	HalfAngle  uint32 // in 2^-32 turns, 0 to HalfTurn
	Range      int32  // 0 to MaxCoord
	// Z and Height limit heights as in [Query].
	Z, Height int32
}

// AppendCone appends the slot of every entity whose body has a point in a cone. The order
// is fixed by the snapshot but otherwise unspecified. The errors are [ErrShape] (no
// direction), [ErrRange], [ErrLayer] and [ErrUnsupported]; then dst comes back as it was.
// It allocates only if dst lacks room for the hits. O(cells touched + entities in them):
// the cells are those along the cone, not those of its disc.
func (s *Snapshot) AppendCone(dst []uint32, c Cone, f Filter) ([]uint32, error) {
	fig, err := s.coneFigure(&c, f)
	if err != nil {
		return dst, err
	}
	w := c.wedge()
	fig.bounds = w.bounds()
	gate := s.gate(&fig)
	s.eachRow(&fig, w.span, func(v *view, lo, hi uint32) {
		dst = w.appendRow(dst, v, &gate, lo, hi)
	})
	return dst, nil
}

// coneFigure checks a cone. Its bounds are the wedge's.
func (s *Snapshot) coneFigure(c *Cone, f Filter) (figure, error) {
	fig := figure{x: c.X, y: c.Y, height: slab{c.Z, c.Height}, filter: f}
	switch {
	case outside(c.DirX) || outside(c.DirY):
		return fig, fmt.Errorf("%w: cone at (%d, %d) in direction (%d, %d)", ErrRange, c.X, c.Y, c.DirX, c.DirY)
	case outside(c.Range) || c.Range < 0:
		return fig, fmt.Errorf("%w: cone at (%d, %d) of range %d", ErrRange, c.X, c.Y, c.Range)
	case c.HalfAngle > HalfTurn:
		return fig, fmt.Errorf("%w: cone at (%d, %d) of half angle %d/2^32 turns, more than half a turn", ErrRange, c.X, c.Y, c.HalfAngle)
	case c.DirX == 0 && c.DirY == 0 && c.HalfAngle < HalfTurn:
		return fig, fmt.Errorf("%w: cone at (%d, %d) without a direction", ErrShape, c.X, c.Y)
	}
	return fig, s.checkFigure(&fig, "Cone")
}

func (w *wedge) appendRow(dst []uint32, v *view, gate *asm.Disc, lo, hi uint32) []uint32 {
	c := &v.cells
	for i := lo; i < hi; i++ {
		dx, dy := int64(c.X[i])-int64(w.X), int64(c.Y[i])-int64(w.Y)
		in := false
		if v.bodied() {
			in = w.meets(dx, dy, v.body(i))
		} else {
			in = dx*dx+dy*dy <= w.range2 && w.holds(dx, dy)
		}
		if in && v.admits(i, gate) {
			dst = append(dst, c.Slot[i])
		}
	}
	return dst
}

// meets reports whether a body is in the cone. Differences of coordinates are below
// 2^31, so the sum of two squares is below 2^63.
func (w *wedge) meets(dx, dy int64, b Body) bool {
	if b.HalfX != 0 || b.HalfY != 0 {
		return w.meetsBox(dx, dy, int64(b.HalfX), int64(b.HalfY))
	}
	d2, rho := dx*dx+dy*dy, int64(b.Radius)
	reach := int64(w.Range) + rho // at most 2^31
	switch {
	case d2 <= rho*rho:
		return true
	case d2 > reach*reach:
		return false
	case w.holds(dx, dy):
		return true
	case rho == 0 || w.kind == allRound:
		return false
	}
	// Seen from its centre, which is not between the edges, the nearest point is on one.
	return w.edgeWithin(&w.right, dx, dy, rho) || w.edgeWithin(&w.left, dx, dy, rho)
}

// edgeWithin reports whether (dx, dy), which is not within rho of the apex, is within
// rho of the segment of length Range along an edge. The edge e has length n, whose square
// is below 2^61, so products with differences of coordinates are below 2^62. Beside the
// segment the distance across counts. Off its end it is, squared, d^2 + Range^2 - 2 *
// Range * along / n, so that (d^2 + Range^2 - rho^2) * n <= 2 * Range * along decides.
func (w *wedge) edgeWithin(e *edge, dx, dy, rho int64) bool {
	along := e.x*dx + e.y*dy
	if along <= 0 {
		return false
	}
	if square64(along).atMost(product(uint64(w.range2), e.s)) {
		return square64(e.cross(dx, dy)).atMost(product(uint64(rho*rho), e.s))
	}
	d2, r2 := uint64(dx*dx+dy*dy)+uint64(w.range2), uint64(rho*rho)
	if d2 <= r2 {
		return true
	}
	k, twice := d2-r2, product(2*uint64(w.Range), uint64(along))
	return product(k, k).times(e.s).atMost(twice.squared())
}

// meetsBox reports whether a box is in the cone. Of its points between the edges let q be
// the nearest to the apex. It is the nearest of all points of the box, or if that is not
// between the edges, q is where an edge enters the box.
func (w *wedge) meetsBox(dx, dy, hx, hy int64) bool {
	x, y := clampTo(0, dx-hx, dx+hx), clampTo(0, dy-hy, dy+hy)
	if x*x+y*y > w.range2 {
		return false
	}
	if w.holds(x, y) {
		return true
	}
	return w.kind != allRound && (w.edgeEnters(&w.right, dx, dy, hx, hy) || w.edgeEnters(&w.left, dx, dy, hx, hy))
}

// edgeEnters reports whether the segment of length Range along an edge meets a box. At t
// edges from the apex the edge is at (t*x, t*y); both coordinates are within the box from
// the later of two entries to the earlier of two exits. Entries and exits are fractions
// of at most 2^31 + 2^30 over at most 1.42 * 2^30.
func (w *wedge) edgeEnters(e *edge, dx, dy, hx, hy int64) bool {
	inX, outX, ok := crossing(e.x, dx-hx, dx+hx)
	if !ok {
		return false
	}
	inY, outY, ok := crossing(e.y, dy-hy, dy+hy)
	if !ok {
		return false
	}
	in, out := inX, outX
	if in.below(inY) {
		in = inY
	}
	if outY.below(out) {
		out = outY
	}
	if out.below(in) {
		return false
	}
	// in * n <= Range, squared.
	return product(in.num*in.num, e.s).atMost(product(uint64(w.range2), in.den*in.den))
}

// fraction is num / den; den 0 is infinity.
type fraction struct{ num, den uint64 }

// below reports whether a < b. Neither product exceeds 2^63.
func (a fraction) below(b fraction) bool { return a.num*b.den < b.num*a.den }

// crossing returns from when to when, at speed v, a point that starts at 0 is between lo
// and hi: not before 0. ok is false if it never is.
func crossing(v, lo, hi int64) (in, out fraction, ok bool) {
	if v < 0 {
		v, lo, hi = -v, -hi, -lo
	}
	switch {
	case hi < 0 || v == 0 && lo > 0:
		return in, out, false
	case v == 0:
		return fraction{0, 1}, fraction{1, 0}, true
	}
	return fraction{uint64(max(lo, 0)), uint64(v)}, fraction{uint64(hi), uint64(v)}, true
}

func clampTo(v, lo, hi int64) int64 { return min(max(v, lo), hi) }
