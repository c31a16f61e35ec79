package vicinity

import (
	"fmt"

	"vicinity/grid"
)

// Disc is a place to search, in metres: all within a radius of a point.
type Disc struct {
	// X, Y is the centre, Radius the closed radius, 0 or more.
	X, Y, Radius float64
	// Z and Height limit the height of positions to |z - Z| <= Height, in Worlds with
	// Config.Height; there a Height of zero means any. Else both must be zero.
	Z, Height float64
}

// Rectangle is a place to search, in metres: X0 <= x <= X1, Y0 <= y <= Y1, in any
// height.
type Rectangle struct{ X0, Y0, X1, Y1 float64 }

// within converts a disc.
func (r *Reader) within(d Disc, w Where) (q grid.Query, err error) {
	l := r.lengths()
	q.X, q.Y, q.Radius = l.units("x", d.X), l.units("y", d.Y), l.extent("radius", d.Radius)
	q.Z, q.Height = r.heights(&l, d.Z, d.Height)
	q.Filter = r.filter(&l, w)
	return q, r.refuse("disc", l.err)
}

// AppendWithin appends every entity whose body reaches into a disc, with its distance,
// and returns the extended slice. The order is fixed by the snapshot but otherwise
// unspecified. The errors are [ErrUnpinned], [ErrNotFinite], [ErrRange], [ErrClass] (no
// such reach class) and [ErrUnsupported] (a height or a mask that the World has not);
// they say which value, and dst comes back as it was. It does not allocate if dst has
// room and the Reader has met as large an answer before. O(cells touched + entities in
// them).
func (r *Reader) AppendWithin(dst []Found, d Disc, w Where) ([]Found, error) {
	q, err := r.within(d, w)
	if err != nil {
		return dst, err
	}
	if r.hits, err = r.snapshot.AppendWithin(r.hits[:0], q); err != nil {
		return dst, r.refuse("disc", err)
	}
	for _, h := range r.hits {
		dst = append(dst, r.found(h.Slot, float64(h.Dist2)))
	}
	return dst, nil
}

// CountWithin returns how many entities [Reader.AppendWithin] would append. The errors
// are the same; it does not allocate.
func (r *Reader) CountWithin(d Disc, w Where) (int, error) {
	q, err := r.within(d, w)
	if err != nil {
		return 0, err
	}
	n, err := r.snapshot.CountWithin(q)
	return n, r.refuse("disc", err)
}

// AppendNearest appends the k entities nearest to the centre of a disc of those that
// [Reader.AppendWithin] finds, or all if there are fewer: by exact distance, then by ID.
// The errors are the same, and [ErrRange] for a negative k. It searches growing discs, so
// that a large radius costs little where there are many. It allocates like AppendWithin.
// O(cells touched + entities in them + those within the last disc x log k).
func (r *Reader) AppendNearest(dst []Found, k int, d Disc, w Where) ([]Found, error) {
	q, err := r.within(d, w)
	if err != nil {
		return dst, err
	}
	if k < 0 {
		return dst, r.refuse("disc", fmt.Errorf("%w: the nearest %d", ErrRange, k))
	}
	if r.near, err = r.snapshot.AppendNearest(r.near[:0], k, q); err != nil {
		return dst, r.refuse("disc", err)
	}
	for _, n := range r.near {
		dst = append(dst, r.found(n.Slot, float64(n.Dist2)))
	}
	return dst, nil
}

// AppendIn appends every entity whose body has a point in a rectangle. The errors are
// those of [Reader.AppendWithin], and [ErrShape] if X1 < X0 or Y1 < Y0. It allocates like
// AppendWithin. O(cells touched + entities in them).
func (r *Reader) AppendIn(dst []Found, a Rectangle, w Where) ([]Found, error) {
	l := r.lengths()
	area := grid.Rect{X0: l.units("x0", a.X0), Y0: l.units("y0", a.Y0), X1: l.units("x1", a.X1), Y1: l.units("y1", a.Y1)}
	f := r.filter(&l, w)
	if l.err == nil && (a.X1 < a.X0 || a.Y1 < a.Y0) {
		l.err = fmt.Errorf("%w: (%v, %v) to (%v, %v)", ErrShape, a.X0, a.Y0, a.X1, a.Y1)
	}
	if l.err == nil {
		r.slots, l.err = r.snapshot.AppendIn(r.slots[:0], area, f)
	}
	return r.answer(dst, "rectangle", l.err)
}
