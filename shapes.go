package vicinity

import (
	"fmt"

	"vicinity/grid"
)

// Ring is a place to search, in metres: all from Inner to Outer away from a point. With
// Inner 0 it is a disc; with Inner equal to Outer, the circle alone.
type Ring struct {
	// X, Y is the centre; 0 <= Inner <= Outer.
	X, Y, Inner, Outer float64
	// Z and Height limit heights as in [Disc].
	Z, Height float64
}

// Cone is a place to search: all up to Range metres from the apex, in the directions
// that are at most HalfAngle from a direction to either side. It is a sector of a disc,
// whatever the height: what somebody sees, or a dragon's breath. The apex is always in it.
//
// With a HalfAngle of 0 it is a segment, with math.Pi/2 half of the disc, with math.Pi
// all of it: then there need be no direction. Beyond math.Pi/2 what is missing is a sector.
type Cone struct {
	// X, Y is the apex, in metres.
	X, Y float64
	// DirX, DirY is the direction, of any length but zero: it is lengthened by a power of
	// two until the larger component is between 2^29 and 2^30, then rounded to whole
	// numbers. The difference of two positions, if it is below 2^30 units, loses nothing.
	DirX, DirY float64
	// HalfAngle is half of the opening, in radians, 0 to math.Pi. It is rounded to the
	// nearest whole number of 2^-32 turns: math.Pi and math.Pi/2 are exactly a half and a
	// quarter of a turn. What is between the edges is exact again: see [grid.Cone.Edges].
	HalfAngle float64
	// Range is how far it reaches, in metres, 0 or more.
	Range float64
	// Z and Height limit heights as in [Disc].
	Z, Height float64
}

// Tilted is a place to search, in metres: a rectangle in any direction, all that is at
// most HalfLength from a point along the direction and at most HalfWidth across it. Either
// may be 0: then it is a segment, with both 0 the point.
type Tilted struct {
	// X, Y is the middle.
	X, Y float64
	// DirX, DirY is the direction, as in [Cone].
	DirX, DirY float64
	// HalfLength and HalfWidth are half the edges, 0 or more.
	HalfLength, HalfWidth float64
	// Z and Height limit heights as in [Disc].
	Z, Height float64
}

// Capsule is a place to search, in metres: all up to Radius from the segment between two
// points, which is what a ball sweeps over on its way. With a Radius of 0 it is the
// segment; if both ends are the same, a disc.
type Capsule struct {
	X0, Y0, X1, Y1 float64
	Radius         float64 // 0 or more
	// Z and Height limit heights as in [Disc].
	Z, Height float64
}

// AppendRing appends every entity whose body has a point in a ring: one that lies within
// the inner disc and does not reach out to Inner is not found. The errors are those of
// [Reader.AppendWithin], and [ErrShape] if Inner is above Outer. It allocates like
// AppendWithin. O(cells touched + entities in them).
func (r *Reader) AppendRing(dst []Found, a Ring, w Where) ([]Found, error) {
	l := r.lengths()
	g := grid.Ring{
		X: l.units("x", a.X), Y: l.units("y", a.Y),
		Inner: l.extent("inner radius", a.Inner), Outer: l.extent("outer radius", a.Outer),
	}
	g.Z, g.Height = r.heights(&l, a.Z, a.Height)
	f := r.filter(&l, w)
	if l.err == nil && a.Inner > a.Outer {
		l.err = fmt.Errorf("%w: from %v m to %v m", ErrShape, a.Inner, a.Outer)
	}
	if l.err == nil {
		r.slots, l.err = r.snapshot.AppendRing(r.slots[:0], g, f)
	}
	return r.answer(dst, "ring", l.err)
}

// AppendCone appends every entity whose body has a point in a cone. The errors are those
// of [Reader.AppendWithin], and [ErrShape] if the direction is zero with a HalfAngle below
// math.Pi, or the HalfAngle is not from 0 to math.Pi. It allocates like AppendWithin.
// O(cells touched + entities in them): those along the cone, not those of its disc.
func (r *Reader) AppendCone(dst []Found, a Cone, w Where) ([]Found, error) {
	l := r.lengths()
	g := grid.Cone{
		X: l.units("x", a.X), Y: l.units("y", a.Y),
		HalfAngle: l.halfAngle(a.HalfAngle), Range: l.extent("range", a.Range),
	}
	if g.HalfAngle < grid.HalfTurn {
		g.DirX, g.DirY = l.towards(a.DirX, a.DirY)
	} else {
		l.direction(a.DirX, a.DirY) // which does not matter, but must be one
	}
	g.Z, g.Height = r.heights(&l, a.Z, a.Height)
	f := r.filter(&l, w)
	if l.err == nil {
		r.slots, l.err = r.snapshot.AppendCone(r.slots[:0], g, f)
	}
	return r.answer(dst, "cone", l.err)
}

// AppendTilted appends every entity whose body has a point in a rectangle in any
// direction. The errors are those of [Reader.AppendWithin], and [ErrShape] if the
// direction is zero. It allocates like AppendWithin. O(cells touched + entities in them):
// those along the rectangle, not those of the upright one around it.
func (r *Reader) AppendTilted(dst []Found, a Tilted, w Where) ([]Found, error) {
	l := r.lengths()
	g := grid.Tilted{
		X: l.units("x", a.X), Y: l.units("y", a.Y),
		HalfLength: l.extent("half length", a.HalfLength), HalfWidth: l.extent("half width", a.HalfWidth),
	}
	g.DirX, g.DirY = l.towards(a.DirX, a.DirY)
	g.Z, g.Height = r.heights(&l, a.Z, a.Height)
	f := r.filter(&l, w)
	if l.err == nil {
		r.slots, l.err = r.snapshot.AppendTilted(r.slots[:0], g, f)
	}
	return r.answer(dst, "tilted rectangle", l.err)
}

// AppendCapsule appends every entity whose body has a point in a capsule. The errors are
// those of [Reader.AppendWithin]. It allocates like AppendWithin. O(cells touched +
// entities in them): those along the capsule, not those of the rectangle around it.
func (r *Reader) AppendCapsule(dst []Found, a Capsule, w Where) ([]Found, error) {
	l := r.lengths()
	g := grid.Capsule{
		X0: l.units("x0", a.X0), Y0: l.units("y0", a.Y0), X1: l.units("x1", a.X1), Y1: l.units("y1", a.Y1),
		Radius: l.extent("radius", a.Radius),
	}
	g.Z, g.Height = r.heights(&l, a.Z, a.Height)
	f := r.filter(&l, w)
	if l.err == nil {
		r.slots, l.err = r.snapshot.AppendCapsule(r.slots[:0], g, f)
	}
	return r.answer(dst, "capsule", l.err)
}
