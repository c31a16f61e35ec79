package grid

import (
	"fmt"

	"vicinity/asm"
)

// Ring is everything from Inner to Outer away from (X, Y), borders included. Inner 0 is
// the disc; Inner == Outer the circle alone; both 0 the point.
type Ring struct {
	X, Y         int32
	Inner, Outer int32 // 0 <= Inner <= Outer <= MaxCoord
	// Z and Height limit heights as in [Query].
	Z, Height int32
}

// AppendRing appends the slot of every entity whose body has a point in a ring. A body
// around all of the inner disc is in it if it reaches out to Inner; one within the inner
// disc is not. The order is fixed by the snapshot but otherwise unspecified. The errors
// are [ErrShape] (Inner above Outer), [ErrRange], [ErrLayer] and [ErrUnsupported]; then
// dst comes back as it was. It allocates only if dst lacks room for the hits. O(cells
// touched + entities in them): the cells are those of the ring, not those of its hole.
func (s *Snapshot) AppendRing(dst []uint32, r Ring, f Filter) ([]uint32, error) {
	fig, err := s.ringFigure(&r, f)
	if err != nil {
		return dst, err
	}
	gate := s.gate(&fig)
	s.eachRow(&fig, r.span, func(v *view, lo, hi uint32) {
		dst = r.appendRow(dst, v, &gate, lo, hi)
	})
	return dst, nil
}

// ringFigure checks a ring.
func (s *Snapshot) ringFigure(r *Ring, f Filter) (figure, error) {
	o := int64(r.Outer)
	fig := figure{x: r.X, y: r.Y, bounds: around(r.X, r.Y, o, o, o, o), hole: r.Inner, height: slab{r.Z, r.Height}, filter: f}
	switch {
	case outside(r.Inner) || outside(r.Outer) || r.Inner < 0:
		return fig, fmt.Errorf("%w: ring from %d to %d around (%d, %d)", ErrRange, r.Inner, r.Outer, r.X, r.Y)
	case r.Inner > r.Outer:
		return fig, fmt.Errorf("%w: ring from %d to %d around (%d, %d)", ErrShape, r.Inner, r.Outer, r.X, r.Y)
	}
	return fig, s.checkFigure(&fig, "Ring")
}

// span is the outer disc's.
func (r *Ring) span(b band) span {
	s := emptySpan()
	s.addDisc(b, 0, 0, float64(r.Outer))
	return s
}

func (r *Ring) appendRow(dst []uint32, v *view, gate *asm.Disc, lo, hi uint32) []uint32 {
	c := &v.cells
	inner2, outer2 := int64(r.Inner)*int64(r.Inner), int64(r.Outer)*int64(r.Outer)
	for i := lo; i < hi; i++ {
		dx, dy := int64(c.X[i])-int64(r.X), int64(c.Y[i])-int64(r.Y)
		in := false
		if v.bodied() {
			in = r.meets(dx, dy, v.body(i))
		} else {
			d2 := dx*dx + dy*dy
			in = inner2 <= d2 && d2 <= outer2
		}
		if in && v.admits(i, gate) {
			dst = append(dst, c.Slot[i])
		}
	}
	return dst
}

// meets reports whether the body of somebody at (dx, dy) from the centre is in the ring.
// A body is connected: its distances are all those from the least to the greatest.
// |dx| and |dy| are below 2^31, so the sum of their squares is below 2^63.
func (r *Ring) meets(dx, dy int64, b Body) bool {
	inner, outer := int64(r.Inner), int64(r.Outer)
	if b.Radius > 0 {
		d2, rho := dx*dx+dy*dy, int64(b.Radius)
		return d2 <= (outer+rho)*(outer+rho) && (rho >= inner || d2 >= (inner-rho)*(inner-rho))
	}
	x, y, hx, hy := max(dx, -dx), max(dy, -dy), int64(b.HalfX), int64(b.HalfY)
	nearX, nearY, farX, farY := max(x-hx, 0), max(y-hy, 0), x+hx, y+hy
	if nearX*nearX+nearY*nearY > outer*outer {
		return false
	}
	// The squares of what is above inner need not fit.
	return farX >= inner || farY >= inner || farX*farX+farY*farY >= inner*inner
}
