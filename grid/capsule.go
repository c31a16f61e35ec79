package grid

import (
	"fmt"
	"math"

	"vicinity/asm"
)

// Capsule is everything up to Radius away from the segment between two ends, border
// included: what a ball sweeps over on its way. With a radius of 0 it is the segment;
// if both ends are the same it is a disc.
type Capsule struct {
	X0, Y0, X1, Y1 int32
	Radius         int32 // 0 to MaxCoord
	// Z and Height limit heights as in [Query].
	Z, Height int32
}

// AppendCapsule appends the slot of every entity whose body has a point in a capsule. The
// order is fixed by the snapshot but otherwise unspecified. The errors are [ErrRange],
// [ErrLayer] and [ErrUnsupported]; then dst comes back as it was. It allocates only if
// dst lacks room for the hits. O(cells touched + entities in them): the cells are those
// along the capsule, not those of the rectangle around it.
func (s *Snapshot) AppendCapsule(dst []uint32, c Capsule, f Filter) ([]uint32, error) {
	fig, err := s.capsuleFigure(&c, f)
	if err != nil {
		return dst, err
	}
	m := c.metric()
	gate := s.gate(&fig)
	s.eachRow(&fig, m.span, func(v *view, lo, hi uint32) {
		dst = m.appendRow(dst, v, &gate, lo, hi)
	})
	return dst, nil
}

// capsuleFigure checks a capsule.
func (s *Snapshot) capsuleFigure(c *Capsule, f Filter) (figure, error) {
	r := int64(c.Radius)
	fig := figure{x: c.X0, y: c.Y0, height: slab{c.Z, c.Height}, filter: f}
	if outside(c.X1) || outside(c.Y1) || outside(c.Radius) || r < 0 {
		return fig, fmt.Errorf("%w: capsule from (%d, %d) to (%d, %d) of radius %d", ErrRange, c.X0, c.Y0, c.X1, c.Y1, c.Radius)
	}
	fig.bounds = Rect{
		X0: saturate(int64(min(c.X0, c.X1)) - r), Y0: saturate(int64(min(c.Y0, c.Y1)) - r),
		X1: saturate(int64(max(c.X0, c.X1)) + r), Y1: saturate(int64(max(c.Y0, c.Y1)) + r),
	}
	return fig, s.checkFigure(&fig, "Capsule")
}

// capsuleMetric is a capsule, prepared. (ex, ey) leads from the first end to the second;
// like all differences of coordinates its components are below 2^31, by two, so sums of
// two products of such are below 2^63.
type capsuleMetric struct {
	Capsule
	ex, ey     int64
	s          int64      // the square of its length
	side       [2]float64 // from the segment to the border on its left
	r2s        u128       // Radius^2 * s
	endX, endY float64
}

func (c *Capsule) metric() capsuleMetric {
	m := capsuleMetric{Capsule: *c, ex: int64(c.X1) - int64(c.X0), ey: int64(c.Y1) - int64(c.Y0)}
	m.s = m.ex*m.ex + m.ey*m.ey
	m.endX, m.endY = float64(m.ex), float64(m.ey)
	if m.s > 0 {
		n := float64(c.Radius) / math.Sqrt(float64(m.s))
		m.side = [2]float64{-float64(m.endY * n), float64(m.endX * n)}
	}
	m.r2s = m.scaled(int64(c.Radius))
	return m
}

// scaled returns r^2 * s. r is a radius, or the sum of two: below 2^31. So r^2 is below
// 2^62, and the result below 2^125.
func (m *capsuleMetric) scaled(r int64) u128 { return product(uint64(r*r), uint64(m.s)) }

// span is that of the discs around the ends and of the edges between: the capsule is
// these discs and the rectangle between them, of which two edges are in the discs. The
// edges are right to 2^-20 units.
func (m *capsuleMetric) span(b band) span {
	s, r := emptySpan(), float64(m.Radius)
	s.addDisc(b, 0, 0, r)
	s.addDisc(b, m.endX, m.endY, r)
	for _, sign := range [...]float64{-1, 1} {
		x, y := float64(sign*m.side[0]), float64(sign*m.side[1])
		s.addSegment(b, x, y, m.endX+x, m.endY+y)
	}
	return s
}

func (m *capsuleMetric) appendRow(dst []uint32, v *view, gate *asm.Disc, lo, hi uint32) []uint32 {
	c := &v.cells
	r2 := int64(m.Radius) * int64(m.Radius)
	for i := lo; i < hi; i++ {
		dx, dy := int64(c.X[i])-int64(m.X0), int64(c.Y[i])-int64(m.Y0)
		in := false
		if v.bodied() {
			in = m.meets(dx, dy, v.body(i))
		} else {
			in = m.near(dx, dy, r2, m.r2s)
		}
		if in && v.admits(i, gate) {
			dst = append(dst, c.Slot[i])
		}
	}
	return dst
}

// near reports whether the point at (dx, dy) from the first end is within some radius
// of the segment, given its square and that times s. Beside the segment the distance is
// cross / length. The cross product is below 2^63, so its square is below 2^126.
func (m *capsuleMetric) near(dx, dy, r2 int64, r2s u128) bool {
	switch along := dx*m.ex + dy*m.ey; {
	case along <= 0:
		return dx*dx+dy*dy <= r2
	case along >= m.s:
		dx, dy = dx-m.ex, dy-m.ey
		return dx*dx+dy*dy <= r2
	}
	return square64(m.ex*dy - m.ey*dx).atMost(r2s)
}

// meets reports whether a body is in the capsule.
func (m *capsuleMetric) meets(dx, dy int64, b Body) bool {
	if b.HalfX != 0 || b.HalfY != 0 {
		return m.meetsBox(dx, dy, b)
	}
	r := int64(m.Radius) + int64(b.Radius)
	return m.near(dx, dy, r*r, m.scaled(r))
}

// meetsBox reports whether a box is within Radius of the segment. Their distance is 0 if
// they meet; else it is one from an end of the segment to the box, or from a corner to
// what is between the ends. dx and dx-ex are differences of coordinates, and fit int32.
func (m *capsuleMetric) meetsBox(dx, dy int64, b Body) bool {
	if b.Within(int32(dx), int32(dy), m.Radius) || b.Within(int32(dx-m.ex), int32(dy-m.ey), m.Radius) {
		return true
	}
	if m.crossesBox(dx, dy, int64(b.HalfX), int64(b.HalfY)) {
		return true
	}
	for _, cx := range [...]int64{dx - int64(b.HalfX), dx + int64(b.HalfX)} {
		for _, cy := range [...]int64{dy - int64(b.HalfY), dy + int64(b.HalfY)} {
			if m.besideCorner(cx, cy) {
				return true
			}
		}
	}
	return false
}

// crossesBox reports whether the segment and a box have a point in common: unless they
// are apart along an axis, or across the segment. If the segment is a point, the axes
// decide alone. hx and hy are below 2^30, so the sum of products is below 2^62.
func (m *capsuleMetric) crossesBox(dx, dy, hx, hy int64) bool {
	if min(0, m.ex) > dx+hx || max(0, m.ex) < dx-hx || min(0, m.ey) > dy+hy || max(0, m.ey) < dy-hy {
		return false
	}
	across := magnitude(m.ex*dy - m.ey*dx) // below 2^63
	return across <= uint64(hx)*magnitude(m.ey)+uint64(hy)*magnitude(m.ex)
}

// besideCorner reports whether a corner is beside the segment, between its ends, and
// within Radius of it. A corner is less than 2^31 + 2^30 away on each axis: products are
// below 1.5 * 2^62, and a sum of two, below 1.5 * 2^63, fits 64 bits only without its
// sign. Its square is below 2^128.
func (m *capsuleMetric) besideCorner(cx, cy int64) bool {
	along := signed(cx, m.ex).plus(signed(cy, m.ey))
	if along.sign() <= 0 || along.abs().lo >= uint64(m.s) {
		return false // also if the ends are the same
	}
	across := signed(m.ex, cy).plus(signed(-m.ey, cx)).abs().lo
	return product(across, across).atMost(m.r2s)
}
