package grid

import (
	"fmt"
	"math"

	"vicinity/asm"
)

// Tilted is a rectangle in any direction: all that is at most HalfLength from (X, Y)
// along a direction and at most HalfWidth across it, borders included. A beam has a
// great length and a small width. With a width of 0 it is a segment, with a length of 0
// the segment across, with both the point.
type Tilted struct {
	X, Y int32
	// DirX, DirY is the direction, of any length but 0, each within MaxCoord.
	DirX, DirY            int32
	HalfLength, HalfWidth int32 // 0 to MaxCoord
	// Z and Height limit heights as in [Query].
	Z, Height int32
}

// AppendTilted appends the slot of every entity whose body has a point in a rectangle
// in any direction. The order is fixed by the snapshot but otherwise unspecified. The
// errors are [ErrShape] (no direction), [ErrRange], [ErrLayer] and [ErrUnsupported]; then
// dst comes back as it was. It allocates only if dst lacks room for the hits. O(cells
// touched + entities in them): the cells are those along the rectangle, not those of the
// upright one around it.
func (s *Snapshot) AppendTilted(dst []uint32, t Tilted, f Filter) ([]uint32, error) {
	fig, err := s.tiltedFigure(&t, f)
	if err != nil {
		return dst, err
	}
	m := t.metric()
	corners := m.corners()
	fig.bounds = corners.bounds(t.X, t.Y)
	gate := s.gate(&fig)
	s.eachRow(&fig, corners.span, func(v *view, lo, hi uint32) {
		dst = m.appendRow(dst, v, &gate, lo, hi)
	})
	return dst, nil
}

// tiltedFigure checks a rectangle. Its bounds are the corners'.
func (s *Snapshot) tiltedFigure(t *Tilted, f Filter) (figure, error) {
	fig := figure{x: t.X, y: t.Y, height: slab{t.Z, t.Height}, filter: f}
	switch {
	case outside(t.DirX) || outside(t.DirY):
		return fig, fmt.Errorf("%w: rectangle at (%d, %d) in direction (%d, %d)", ErrRange, t.X, t.Y, t.DirX, t.DirY)
	case outside(t.HalfLength) || outside(t.HalfWidth) || t.HalfLength < 0 || t.HalfWidth < 0:
		return fig, fmt.Errorf("%w: rectangle at (%d, %d) of half edges %d and %d", ErrRange, t.X, t.Y, t.HalfLength, t.HalfWidth)
	case t.DirX == 0 && t.DirY == 0:
		return fig, fmt.Errorf("%w: rectangle at (%d, %d) without a direction", ErrShape, t.X, t.Y)
	}
	return fig, s.checkFigure(&fig, "Tilted")
}

// tiltedMetric is a rectangle, prepared. Everything is measured in lengths of the
// direction, whose square is s: below 2^61, for its components are below 2^30, as the
// half edges and a body's extents are. Differences of coordinates are below 2^31.
type tiltedMetric struct {
	Tilted
	s          uint64
	a2s, b2s   u128 // HalfLength^2 * s and HalfWidth^2 * s, below 2^121
	dirX, dirY int64
}

func (t *Tilted) metric() tiltedMetric {
	m := tiltedMetric{Tilted: *t, dirX: int64(t.DirX), dirY: int64(t.DirY)}
	m.s = uint64(m.dirX*m.dirX + m.dirY*m.dirY)
	m.a2s, m.b2s = m.scaled(int64(t.HalfLength)), m.scaled(int64(t.HalfWidth))
	return m
}

// scaled returns v^2 * s. |v| is below 2^31: a difference of coordinates, or the sum of
// two extents. So v^2 is below 2^62, and the result below 2^123.
func (m *tiltedMetric) scaled(v int64) u128 { return product(uint64(v*v), m.s) }

// polygon is a convex figure of four corners, in order.
type polygon [4][2]float64

// corners returns where the corners are, seen from the centre: to 2^-20 units, as the
// steps are few, each is right to 52 bits, and nothing is above 2^31.
func (m *tiltedMetric) corners() polygon {
	n := math.Sqrt(float64(m.s))
	ux, uy := float64(m.dirX)/n, float64(m.dirY)/n
	a, b := float64(m.HalfLength), float64(m.HalfWidth)
	var p polygon
	for i, sign := range [...][2]float64{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
		along, across := float64(sign[0]*a), float64(sign[1]*b)
		p[i] = [2]float64{float64(along*ux) - float64(across*uy), float64(along*uy) + float64(across*ux)}
	}
	return p
}

// bounds is that of the corners, which are around (x, y).
func (p *polygon) bounds(x, y int32) Rect {
	dx, dy := int64(0), int64(0)
	for _, c := range p {
		dx, dy = max(dx, int64(math.Ceil(c[0]))+margin), max(dy, int64(math.Ceil(c[1]))+margin)
	}
	return around(x, y, dx, dy, dx, dy)
}

// span is that of the edges: the part of a convex figure in a band is convex, too, and
// its corners are corners of the figure or where an edge enters or leaves the band.
func (p *polygon) span(b band) span {
	s := emptySpan()
	for i := range p {
		next := &p[(i+1)%len(p)]
		s.addSegment(b, p[i][0], p[i][1], next[0], next[1])
	}
	return s
}

func (m *tiltedMetric) appendRow(dst []uint32, v *view, gate *asm.Disc, lo, hi uint32) []uint32 {
	c := &v.cells
	for i := lo; i < hi; i++ {
		dx, dy := int64(c.X[i])-int64(m.X), int64(c.Y[i])-int64(m.Y)
		in := false
		if v.bodied() {
			in = m.meets(dx, dy, v.body(i))
		} else {
			in = m.holds(dx, dy)
		}
		if in && v.admits(i, gate) {
			dst = append(dst, c.Slot[i])
		}
	}
	return dst
}

// along and across return how far (dx, dy) is from the centre in both directions, in
// lengths of the direction: a sum of two products below 2^31 * 2^30, so below 2^62.
func (m *tiltedMetric) along(dx, dy int64) int64  { return dx*m.dirX + dy*m.dirY }
func (m *tiltedMetric) across(dx, dy int64) int64 { return m.dirX*dy - m.dirY*dx }

// holds reports whether a point is in the rectangle. The squares are below 2^124.
func (m *tiltedMetric) holds(dx, dy int64) bool {
	return square64(m.across(dx, dy)).atMost(m.b2s) && square64(m.along(dx, dy)).atMost(m.a2s)
}

// meets reports whether a body is in the rectangle.
func (m *tiltedMetric) meets(dx, dy int64, b Body) bool {
	switch {
	case b.Radius > 0:
		return m.meetsDisc(dx, dy, int64(b.Radius))
	case b == Body{}:
		return m.holds(dx, dy)
	}
	return m.meetsBox(dx, dy, int64(b.HalfX), int64(b.HalfY))
}

// meetsDisc reports whether the disc of radius rho around (dx, dy) is in the rectangle:
// whether the centre is in it with a border of rho, whose corners are round. Beside an
// edge the distance across or along counts, off a corner the one from that:
// (u - a*n)^2 + (v - b*n)^2 <= rho^2 * n^2, where n is the root of s, u and v are |along|
// and |across|, and u^2 + v^2 is d^2 * s. That is, divided by n,
// (d^2 + a^2 + b^2 - rho^2) * n <= 2 * (a*u + b*v), which is true if the left side is
// negative, and else can be squared.
func (m *tiltedMetric) meetsDisc(dx, dy, rho int64) bool {
	u, v, a, b := magnitude(m.along(dx, dy)), magnitude(m.across(dx, dy)), int64(m.HalfLength), int64(m.HalfWidth)
	u2, v2 := product(u, u), product(v, v)
	switch {
	case u2.atMost(m.a2s):
		return v2.atMost(m.scaled(b + rho))
	case v2.atMost(m.b2s):
		return u2.atMost(m.scaled(a + rho))
	}
	// d^2 is below 2^63 and a^2 + b^2 below 2^61, so k is below 2^64, k^2 below 2^128 and
	// k^2 * s below 2^189. a*u and b*v are below 2^92, so twice their sum is below 2^94,
	// which squared() takes, and its square below 2^188.
	d2, r2 := uint64(dx*dx+dy*dy)+uint64(a*a+b*b), uint64(rho*rho)
	if d2 <= r2 {
		return true
	}
	k := d2 - r2
	twice := product(uint64(a), 2*u).add(product(uint64(b), 2*v))
	return product(k, k).times(m.s).atMost(twice.squared())
}

// meetsBox reports whether a box around (dx, dy) is in the rectangle. All differences of
// a point of one and a point of the other are a figure, too, whose edges go along those
// of the two: in four directions at most, of which each is across another. So zero is
// outside, and the two are apart, if and only if they are so along one of the four; also
// where edges have no length.
//
// hx*x and its like are below 2^60, sums of two below 2^61. Of a gap in lengths of the
// direction, below 2^62, the square is below 2^124; of one in units see scaled.
func (m *tiltedMetric) meetsBox(dx, dy, hx, hy int64) bool {
	x, y := int64(magnitude(m.dirX)), int64(magnitude(m.dirY))
	a, b := int64(m.HalfLength), int64(m.HalfWidth)
	u, v := int64(magnitude(m.along(dx, dy))), int64(magnitude(m.across(dx, dy)))
	apart := func(gap int64, half u128) bool { return gap > 0 && !square64(gap).atMost(half) }
	if apart(u-(hx*x+hy*y), m.a2s) || apart(v-(hx*y+hy*x), m.b2s) {
		return false
	}
	// Along the axes the rectangle reaches (a*x + b*y) / n and (a*y + b*x) / n.
	beyond := func(gap, reach int64) bool { return gap > 0 && !m.scaled(gap).atMost(square64(reach)) }
	return !beyond(int64(magnitude(dx))-hx, a*x+b*y) && !beyond(int64(magnitude(dy))-hy, a*y+b*x)
}
