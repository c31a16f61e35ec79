package vicinity

import (
	"fmt"

	"vicinity/grid"
)

// Body is the extent of an entity around its position, in metres: a disc, an
// axis-aligned box, or (the zero value) nothing more than the point. Distances are to
// the nearest point of the body, zero inside, and shapes find whom they touch: bodies
// are closed. Of heights only the position counts.
//
// Each length is rounded to the nearest whole unit like all lengths; one of less than
// half a unit becomes zero, and a Body of zeros is the point. A disc with a half edge is
// none, however small. A box with one half edge
// of zero is a line, a wall.
type Body struct {
	Radius       float64 // of a disc; then HalfX and HalfY are zero
	HalfX, HalfY float64 // half the edges of a box; then Radius is zero
}

// units converts a body. The error is ErrBody, with the values and the cause.
func (b Body) units(u Unit) (grid.Body, error) {
	l := lengths{unit: u}
	out := grid.Body{
		Radius: l.extent("radius", b.Radius),
		HalfX:  l.extent("half edge in x", b.HalfX), HalfY: l.extent("half edge in y", b.HalfY),
	}
	switch {
	case l.err != nil:
		return grid.Body{}, fmt.Errorf("%w: radius %v, half edges %v and %v: %w", ErrBody, b.Radius, b.HalfX, b.HalfY, l.err)
	case b.Radius != 0 && (b.HalfX != 0 || b.HalfY != 0):
		return grid.Body{}, fmt.Errorf("%w: radius %v, half edges %v and %v: it is a disc or a box", ErrBody, b.Radius, b.HalfX, b.HalfY)
	}
	return out, nil
}

// SetBody gives an entity another body, from the next Tick on. Who sees it may change,
// what is known of it does not: it is no change that clients are sent. The errors are
// [ErrBody], which comes with [ErrNotFinite] or [ErrRange] where that is why, those of
// [World.Touch], and those of package arena when memory cannot be had; they name the
// entity, and nothing has changed. The first body of all makes a column of 12 bytes an
// entity, the first of about its size in a reach class a buffer for such; else it
// allocates only if more bodies change their size in one tick than ever before.
func (w *World) SetBody(h Handle, b Body) error {
	if _, err := w.change(h); err != nil {
		return err
	}
	units, err := b.units(w.cfg.Unit)
	if err != nil {
		return w.refuseChange(h, err)
	}
	if err := w.grid.SetBody(h, units); err != nil {
		return fmt.Errorf("%v: %w", w.name(h), err)
	}
	return nil
}

// Body returns the body of an entity in metres, as it is after the next Tick. ok is
// false if the handle is stale.
func (w *World) Body(h Handle) (b Body, ok bool) {
	v, ok := w.grid.Body(h)
	u := w.cfg.Unit
	return Body{Radius: u.Metres(v.Radius), HalfX: u.Metres(v.HalfX), HalfY: u.Metres(v.HalfY)}, ok
}
