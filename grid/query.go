package grid

import (
	"fmt"

	"vicinity/asm"
)

// Hit is one found entity: its slot, and its squared distance in square units,
// rounded: float32(float32(dx*dx) + float32(dy*dy)). It orders like the exact
// distance, except that unequal distances may round to equal ones.
type Hit = asm.Hit

// AnyHeight as a Query's Height admits every height.
const AnyHeight = MaxCoord

// Query asks for the entities within a disc, or in grids with heights a cylinder. An
// entity with a [Body] is within if its body reaches into the disc; of its height only
// the position counts.
type Query struct {
	// X, Y is the centre, Radius the closed radius, 0 to MaxCoord.
	X, Y, Radius int32
	// Radii, if not nil, has a radius for each layer, -1 for none; Radius then must be
	// zero.
	Radii []int32
	// Z and Height limit |z - Z| <= Height, 0 to MaxCoord; both must be zero in
	// grids without Config.Height, where they mean nothing.
	Z, Height int32
	Filter
}

// Filter restricts a query.
type Filter struct {
	// Layers has a bit for each layer to ask; zero asks all.
	Layers uint32
	// Mask is what the observer may see, in grids with Config.Masks: see
	// [Grid.SetMasks]. It must be zero in others.
	Mask uint32
}

// check returns why q cannot be asked of s.
func (s *Snapshot) check(q *Query) error {
	if outside(q.X) || outside(q.Y) || q.Radius < 0 || q.Radius > MaxCoord {
		return fmt.Errorf("%w: query at (%d, %d), radius %d", ErrRange, q.X, q.Y, q.Radius)
	}
	if q.Radii != nil {
		if err := s.checkRadii(q); err != nil {
			return err
		}
	}
	if s.grid.z != nil {
		if outside(q.Z) || q.Height < 0 || q.Height > MaxCoord {
			return fmt.Errorf("%w: query at height %d +- %d", ErrRange, q.Z, q.Height)
		}
	} else if q.Z != 0 || q.Height != 0 {
		return fmt.Errorf("%w: query with a height, and Config.Height is off", ErrUnsupported)
	}
	return s.checkFilter(q.Filter)
}

func (s *Snapshot) checkRadii(q *Query) error {
	if len(q.Radii) != s.Layers() {
		return fmt.Errorf("%w: query with %d radii for %d layers", ErrLayer, len(q.Radii), s.Layers())
	}
	if q.Radius != 0 {
		return fmt.Errorf("%w: query with radii and a radius of %d", ErrRange, q.Radius)
	}
	for layer, r := range q.Radii {
		if r < -1 || r > MaxCoord {
			return fmt.Errorf("%w: query with radius %d for layer %d", ErrRange, r, layer)
		}
	}
	return nil
}

// radius returns the radius of a layer, -1 if q has none.
func (q *Query) radius(layer int) int32 {
	if q.Radii != nil {
		return q.Radii[layer]
	}
	return q.Radius
}

func (s *Snapshot) checkFilter(f Filter) error {
	if uint64(f.Layers)>>s.Layers() != 0 {
		return fmt.Errorf("%w: query of layers %#b of %d", ErrLayer, f.Layers, s.Layers())
	}
	if s.grid.masks == nil && f.Mask != 0 {
		return fmt.Errorf("%w: query with a mask, and Config.Masks is off", ErrUnsupported)
	}
	return nil
}

// aims prepares d for q in a storage, and if that is one of points c too. It reports
// whether the storage is asked, with its radius.
func (s *Snapshot) aims(d *asm.Disc, c *cover, q *Query, storage int) (radius int32, ok bool) {
	v := &s.layers[storage]
	r := q.radius(v.layer)
	if r < 0 || !s.asks(q.Filter, storage) {
		return 0, false
	}
	if q.Radii != nil {
		d.Outer.Set(r)
	}
	if v.bodied() {
		return r, !v.apart(d.X, d.Y, r)
	}
	c.set(v, square(d.X, d.Y, r))
	v.aim(d, r)
	return r, true
}

// asks reports whether the filter names a storage's layer, and it has entities.
func (s *Snapshot) asks(f Filter, storage int) bool {
	v := &s.layers[storage]
	return (f.Layers == 0 || f.Layers>>v.layer&1 != 0) && v.store.n > 0
}

// prepare sets d to a checked query, for the kernels.
func (s *Snapshot) prepare(d *asm.Disc, q *Query) {
	d.X, d.Y = q.X, q.Y
	d.Outer.Set(q.Radius)
	if s.grid.z != nil && q.Height != AnyHeight {
		d.Flags |= asm.WithHeight
		d.Z, d.OuterHeight = q.Z, uint32(q.Height)
	}
	if s.grid.masks != nil {
		d.Flags |= asm.WithMask
		d.Mask = q.Mask
	}
}

// AppendWithin appends every entity that q asks for, border included, and returns the
// extended slice: all whose closed body comes within the radius of the centre. Distances
// are to the bodies, zero inside. The order is fixed by the snapshot but otherwise
// unspecified. The errors are [ErrRange], [ErrLayer] and [ErrUnsupported]; then dst comes
// back as it was. It does not allocate if dst has room for the candidates (the entities
// in the cells touched, not only the hits) and [asm.Slack] more. O(cells touched +
// entities in them).
func (s *Snapshot) AppendWithin(dst []Hit, q Query) ([]Hit, error) {
	if err := s.check(&q); err != nil {
		return dst, err
	}
	var d asm.Disc
	var c cover
	s.prepare(&d, &q)
	for i := range s.layers {
		r, ok := s.aims(&d, &c, &q, i)
		if !ok {
			continue
		}
		v := &s.layers[i]
		if v.bodied() {
			dst = v.appendBodiedHits(dst, &d, r)
			continue
		}
		dst = asm.AppendHits(dst, &v.cells, &c.first, &d)
		if c.second.Rows != 0 {
			dst = asm.AppendHits(dst, &v.cells, &c.second, &d)
		}
	}
	return dst, nil
}

// AppendSlots is [Snapshot.AppendWithin] without the distances, and a little
// faster.
func (s *Snapshot) AppendSlots(dst []uint32, q Query) ([]uint32, error) {
	if err := s.check(&q); err != nil {
		return dst, err
	}
	var d asm.Disc
	var c cover
	s.prepare(&d, &q)
	for i := range s.layers {
		if r, ok := s.aims(&d, &c, &q, i); ok {
			dst = s.layers[i].appendSlots(dst, &d, &c, r)
		}
	}
	return dst, nil
}

// CountWithin returns how many entities [Snapshot.AppendWithin] would append.
func (s *Snapshot) CountWithin(q Query) (int, error) {
	if err := s.check(&q); err != nil {
		return 0, err
	}
	n := 0
	var d asm.Disc
	var c cover
	s.prepare(&d, &q)
	for i := range s.layers {
		r, ok := s.aims(&d, &c, &q, i)
		if !ok {
			continue
		}
		v := &s.layers[i]
		if v.bodied() {
			n += v.countBodied(&d, r)
			continue
		}
		n += asm.CountWithin(&v.cells, &c.first, &d)
		if c.second.Rows != 0 {
			n += asm.CountWithin(&v.cells, &c.second, &d)
		}
	}
	return n, nil
}

// AppendIn appends the slot of every entity that is in the closed rectangle r or
// reaches into it, in any height. The errors are [ErrRange] (a corner is out of range, or
// X1 < X0, or Y1 < Y0), [ErrLayer] and [ErrUnsupported]. It allocates only if dst lacks
// room for the hits. O(cells touched + entities in them).
func (s *Snapshot) AppendIn(dst []uint32, r Rect, f Filter) ([]uint32, error) {
	if err := s.checkRect(r, f); err != nil {
		return dst, err
	}
	s.eachIn(r, f, func(slot uint32) { dst = append(dst, slot) })
	return dst, nil
}

// CountIn returns how many entities [Snapshot.AppendIn] would append.
func (s *Snapshot) CountIn(r Rect, f Filter) (int, error) {
	if err := s.checkRect(r, f); err != nil {
		return 0, err
	}
	n := 0
	s.eachIn(r, f, func(uint32) { n++ })
	return n, nil
}

func (s *Snapshot) checkRect(r Rect, f Filter) error {
	if outside(r.X0) || outside(r.Y0) || outside(r.X1) || outside(r.Y1) || r.X1 < r.X0 || r.Y1 < r.Y0 {
		return fmt.Errorf("%w: rectangle (%d, %d) to (%d, %d)", ErrRange, r.X0, r.Y0, r.X1, r.Y1)
	}
	return s.checkFilter(f)
}

// eachIn calls visit with the slot of every entity in r.
func (s *Snapshot) eachIn(r Rect, f Filter, visit func(slot uint32)) {
	for i := range s.layers {
		if !s.asks(f, i) {
			continue
		}
		v := &s.layers[i]
		var c cover
		if v.bodied() {
			c.set(v, r.widened(&v.store.wide))
			v.eachBodyInBlock(r, c.first, f.Mask, visit)
			v.eachBodyInBlock(r, c.second, f.Mask, visit)
			continue
		}
		c.set(v, r)
		v.eachInBlock(r, c.first, f.Mask, visit)
		v.eachInBlock(r, c.second, f.Mask, visit)
	}
}

func (v *view) eachInBlock(r Rect, b asm.Block, mask uint32, visit func(slot uint32)) {
	c := &v.cells
	v.eachSpan(b, func(lo, hi int) {
		ys, slots := c.Y[lo:hi], c.Slot[lo:hi]
		for i, x := range c.X[lo:hi] {
			if x < r.X0 || x > r.X1 || ys[i] < r.Y0 || ys[i] > r.Y1 {
				continue
			}
			if c.Need == nil || permitted(c.Need[lo+i], c.Any[lo+i], mask) {
				visit(slots[i])
			}
		}
	})
}

// eachBodyInBlock is eachInBlock for bodies.
func (v *view) eachBodyInBlock(r Rect, b asm.Block, mask uint32, visit func(slot uint32)) {
	c := &v.cells
	v.eachSpan(b, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if v.store.bodies[i].meets(c.X[i], c.Y[i], r) && (c.Need == nil || permitted(c.Need[i], c.Any[i], mask)) {
				visit(c.Slot[i])
			}
		}
	})
}

// eachSpan calls visit with the elements of each row of b.
func (v *view) eachSpan(b asm.Block, visit func(lo, hi int)) {
	for range b.Rows {
		base := b.Row << v.cells.LogW
		visit(int(v.cells.Start[base+b.Col]), int(v.cells.Start[base+b.ColEnd]))
		b.Row = (b.Row + 1) & v.cells.RowMask
	}
}

// permitted is the rule of [Grid.SetMasks].
func permitted(need, any, mask uint32) bool {
	return need&^mask == 0 && (any == 0 || any&mask != 0)
}
