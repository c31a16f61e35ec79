package grid

import (
	"fmt"
	"math"

	"vicinity/arena"
	"vicinity/asm"
)

// Body is the extent of an entity around its position: a disc, an axis-aligned box,
// or (the zero value) nothing more than the point. A box may be a line: one of its
// half edges may be zero. Bodies are closed.
type Body struct {
	Radius       int32 // of a disc; then HalfX and HalfY are zero
	HalfX, HalfY int32 // half the edges of a box; then Radius is zero
}

// check returns ErrBody if b is no body. h is named.
func (b Body) check(h arena.Handle) error {
	outside := func(v int32) bool { return v < 0 || v > MaxCoord }
	if outside(b.Radius) || outside(b.HalfX) || outside(b.HalfY) || b.Radius != 0 && (b.HalfX != 0 || b.HalfY != 0) {
		return fmt.Errorf("%w: %v with radius %d, half edges %d and %d", ErrBody, h, b.Radius, b.HalfX, b.HalfY)
	}
	return nil
}

// Within reports whether the body of an entity at (dx, dy) from a point reaches to
// within r of that point, border included. Differences of coordinates and radii up to
// [MaxCoord] do not overflow: the sum of the squares is below 2^63.
func (b Body) Within(dx, dy, r int32) bool {
	x, y, reach := int64(dx), int64(dy), int64(r)+int64(b.Radius)
	if b.Radius == 0 {
		x, y = max(x, -x)-int64(b.HalfX), max(y, -y)-int64(b.HalfY)
		x, y = max(x, 0), max(y, 0)
	}
	return x*x+y*y <= reach*reach
}

// meets reports whether the body of an entity at (x, y) and r have a point in common.
func (b Body) meets(x, y int32, r Rect) bool {
	dx := max(int64(r.X0)-int64(x), int64(x)-int64(r.X1), 0)
	dy := max(int64(r.Y0)-int64(y), int64(y)-int64(r.Y1), 0)
	if b.Radius > 0 {
		return dx*dx+dy*dy <= int64(b.Radius)*int64(b.Radius)
	}
	return dx <= int64(b.HalfX) && dy <= int64(b.HalfY)
}

// widened returns r with room around it for the positions of bodies.
func (r Rect) widened(e *extents) Rect {
	return Rect{
		X0: saturate(int64(r.X0) - int64(e.X)), Y0: saturate(int64(r.Y0) - int64(e.Y)),
		X1: saturate(int64(r.X1) + int64(e.X)), Y1: saturate(int64(r.Y1) + int64(e.Y)),
	}
}

// EdgeDist2 returns the exact squared distance of a point from the box of an entity at
// (dx, dy) from it; from the centre of a disc. It orders points by how near they are to
// the body, except those inside a disc, who are all equally near.
func (b Body) EdgeDist2(dx, dy int32) int64 {
	x, y := int64(beyond(dx, b.HalfX)), int64(beyond(dy, b.HalfY))
	return x*x + y*y
}

// Dist2 returns the squared distance of a point from the body of an entity at (dx,
// dy) from it, in square units, rounded: as [Hit] has it where that is exact up to
// squaring, else the square of the float64 distance.
func (b Body) Dist2(dx, dy int32) float32 {
	if b.Radius > 0 {
		x, y := int64(dx), int64(dy)
		d := max(math.Sqrt(float64(x*x+y*y))-float64(b.Radius), 0)
		return float32(float64(d * d))
	}
	// Half edges are at most as long as a difference may be.
	return asm.Dist2(beyond(dx, b.HalfX), beyond(dy, b.HalfY))
}

// beyond returns by how much |d| exceeds half, 0 if it does not.
func beyond(d, half int32) int32 { return int32(max(max(int64(d), -int64(d))-int64(half), 0)) }

// bound returns the largest distance from the position to a point of the body,
// rounded up.
func (b Body) bound() int32 {
	if b.Radius > 0 {
		return b.Radius
	}
	x, y := int64(b.HalfX), int64(b.HalfY)
	r := int64(math.Sqrt(float64(x*x + y*y)))
	for r*r < x*x+y*y {
		r++
	}
	return int32(r) // up to 1.42 * 2^30
}

// extents are the largest of some bodies.
type extents struct {
	X, Y  int32 // half edges or radius
	Bound int32 // distance from the position to a point of the body
}

func (e *extents) add(b Body) {
	e.X, e.Y = max(e.X, b.HalfX, b.Radius), max(e.Y, b.HalfY, b.Radius)
	e.Bound = max(e.Bound, b.bound())
}

// Size classes: entities of about the same size share a storage, whose cells suit
// them, so that a large one does not widen the queries for the small. Class 0 are the
// points; class c > 0 are bodies that reach at most base * 4^(c-1) on an axis, where
// base is a quarter of a cell of the points.
func (l *Layer) sizeClass(b Body) int {
	e := int64(max(b.Radius, b.HalfX, b.HalfY))
	if e == 0 {
		return 0
	}
	class := 1
	for bound := l.smallBody(); e > bound; bound *= 4 {
		class++
	}
	return class
}

// smallBody is the base of the size classes, a power of two.
func (l *Layer) smallBody() int64 { return max(int64(max(l.CellX, l.cellY()))/4, 1) }

// sized returns the layer as the storage of a size class has it: cells at least as
// high as its largest body, and a quarter as wide.
func (l Layer) sized(class int) Layer {
	if class == 0 {
		return l
	}
	edge := int32(min(l.smallBody()<<(2*(class-1)), 1<<29))
	l.CellX, l.CellY = max(l.CellX, edge/4), max(l.cellY(), edge)
	return l
}

// storage returns the number of the storage of a layer that holds a size class. It
// makes it if there is none.
func (g *Grid) storage(layer, class int) int {
	if class == 0 {
		return layer
	}
	for i := len(g.cfg.Layers); i < len(g.layers); i++ {
		if l := g.layers[i]; l.of == layer && l.class == class {
			return i
		}
	}
	l := newLayer(&g.cfg, g.cfg.Layers[layer].sized(class), len(g.layers))
	l.of, l.class, l.bodies = layer, class, true
	g.layers = append(g.layers, l)
	return l.number
}

// SetBody gives an entity a body, from the next Publish on. Insert makes it a point.
// The first body of a size class in a layer makes a storage for them, and the first
// body of all a column of 12 bytes an entity; else it allocates only if more entities
// change their storage in one tick than ever before. In the tick
// that publishes a changed body, observers that follow moves in one pass compare sets.
// The errors are [ErrHandle], [ErrBody], [ErrClosed], and those of package arena when
// memory cannot be had; then nothing has changed. O(size classes).
func (g *Grid) SetBody(h arena.Handle, b Body) error {
	place := g.find(h)
	if place == nil {
		return g.missing(h)
	}
	if err := b.check(h); err != nil {
		return err
	}
	if b == (Body{}) && g.bodies == nil {
		return nil
	}
	if g.bodies == nil {
		c, err := arena.NewColumn[Body](g.cfg.Arena, g.cfg.Memory)
		if err != nil {
			return err
		}
		g.bodies = c
	}
	slot := h.Slot()
	if g.bodies.Slice()[slot] == b {
		return nil
	}
	g.bodies.Slice()[slot] = b
	g.reshaped = g.reshaped || place.have != 0
	layer := g.layers[place.want-1].of
	g.settleIn(h, place, g.storage(layer, g.cfg.Layers[layer].sizeClass(b)))
	g.layers[place.want-1].touch()
	return nil
}

// Body returns the pending body of an entity: as it is after the next Publish. ok is
// false if h is not in the grid.
func (g *Grid) Body(h arena.Handle) (b Body, ok bool) {
	if g.find(h) == nil {
		return Body{}, false
	}
	if g.bodies == nil {
		return Body{}, true
	}
	return g.bodies.Slice()[h.Slot()], true
}

// HasBodies reports whether any entity ever had a body.
func (g *Grid) HasBodies() bool { return g.bodies != nil }

// bodied reports whether the view's elements have bodies: else all are points.
func (v *view) bodied() bool { return v.store.bodies != nil }

// body returns the body of element i of a view that is bodied.
func (v *view) body(i uint32) Body { return v.store.bodies[i] }
