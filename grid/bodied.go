package grid

import (
	"math"

	"vicinity/asm"
)

// A bodyWalk goes over those in a storage of bodies whose bodies may reach into a
// disc, in batches. The kernels find positions: those within the disc's radius, who are
// in it whatever their body is, and those further away by no more than the largest body
// reaches. The latter have to be looked at one by one.
type bodyWalk struct {
	v      *view
	d      asm.Disc
	kernel bool // else the radii are too large for it
	cover  cover
	second bool   // it has come to the cover's second block
	lo, hi uint32 // what is left of a row that does not fit the buffer
	seen   int    // candidates of such rows
	buffer [256]uint32
}

// apart reports whether no body of a bodied view can come within r of (x, y): most
// queries are nowhere near the few large ones, and a walk is not free.
func (v *view) apart(x, y, r int32) bool {
	box, e := &v.store.box, &v.store.wide
	dx, dy := int64(r)+int64(e.X), int64(r)+int64(e.Y)
	return int64(x)+dx < int64(box.X0) || int64(x)-dx > int64(box.X1) || int64(y)+dy < int64(box.Y0) || int64(y)-dy > int64(box.Y1)
}

// start begins a walk over what may be within outer of d's centre. The bit [asm.Inner]
// of an index will say that the position is within inner.
func (w *bodyWalk) start(v *view, d *asm.Disc, inner, outer int32) {
	w.v, w.d = v, *d
	e := &v.store.wide
	reach := int64(outer) + int64(e.Bound)
	if w.kernel = reach <= MaxCoord; w.kernel {
		w.d.Outer.Set(int32(reach))
		w.d.Inner.Set(inner)
		v.aim(&w.d, int32(reach))
	}
	x, y := int64(outer)+int64(e.X), int64(outer)+int64(e.Y)
	w.cover.set(v, Rect{
		X0: saturate(int64(d.X) - x), Y0: saturate(int64(d.Y) - y),
		X1: saturate(int64(d.X) + x), Y1: saturate(int64(d.Y) + y),
	})
}

// next returns the next batch of indexes, nil at the end. It is valid until the next
// call.
func (w *bodyWalk) next() []uint32 {
	for {
		if n := w.takeRest(); n > 0 {
			return w.buffer[:n]
		}
		// A pointer kept in w would move it to the heap.
		b := &w.cover.first
		if w.second {
			b = &w.cover.second
		}
		if b.Rows == 0 {
			if w.second {
				return nil
			}
			w.second = true
			continue
		}
		if w.kernel {
			if n := asm.TakeIndexes(w.buffer[:], &w.v.cells, b, &w.d); n > 0 {
				return w.buffer[:n]
			}
			if b.Rows == 0 {
				continue
			}
		}
		w.lo, w.hi = w.v.takeRow(b)
		w.seen += int(w.hi - w.lo)
	}
}

// takeRow takes b's first row and returns its elements.
func (v *view) takeRow(b *asm.Block) (lo, hi uint32) {
	base := b.Row << v.cells.LogW
	lo, hi = v.cells.Start[base+b.Col], v.cells.Start[base+b.ColEnd]
	b.Row, b.Rows = (b.Row+1)&v.cells.RowMask, b.Rows-1
	return lo, hi
}

// takeRest fills the buffer from the row that is left, and returns how many it took.
func (w *bodyWalk) takeRest() int {
	n := 0
	for ; w.lo < w.hi && n < len(w.buffer); w.lo++ {
		if w.v.admits(w.lo, &w.d) {
			w.buffer[n] = w.lo
			n++
		}
	}
	return n
}

// work returns what was done, after the last batch.
func (w *bodyWalk) work(cells int) Work {
	return Work{Candidates: w.seen + int(w.cover.first.Seen+w.cover.second.Seen), Cells: cells}
}

// admits reports whether element i is within d's outer height and permitted.
func (v *view) admits(i uint32, d *asm.Disc) bool {
	c := &v.cells
	if d.Flags&asm.WithHeight != 0 && uint32(distance(c.Z[i], d.Z)) > d.OuterHeight {
		return false
	}
	return d.Flags&asm.WithMask == 0 || permitted(c.Need[i], c.Any[i], d.Mask)
}

// reaches reports whether the body of element i is within r of (x, y).
func (v *view) reaches(i uint32, x, y, r int32) bool {
	return v.body(i).Within(v.cells.X[i]-x, v.cells.Y[i]-y, r)
}

// appendBodiedHits is AppendWithin for a storage of bodies.
func (v *view) appendBodiedHits(dst []Hit, d *asm.Disc, r int32) []Hit {
	v.eachBodied(d, r, func(i uint32) {
		dst = append(dst, Hit{Slot: v.cells.Slot[i], Dist2: v.body(i).Dist2(v.cells.X[i]-d.X, v.cells.Y[i]-d.Y)})
	})
	return dst
}

// appendBodiedSlots is AppendSlots for a storage of bodies.
func (v *view) appendBodiedSlots(dst []uint32, d *asm.Disc, r int32) []uint32 {
	v.eachBodied(d, r, func(i uint32) { dst = append(dst, v.cells.Slot[i]) })
	return dst
}

// countBodied is CountWithin for a storage of bodies.
func (v *view) countBodied(d *asm.Disc, r int32) int {
	n := 0
	v.eachBodied(d, r, func(uint32) { n++ })
	return n
}

// eachBodied calls visit with the index of each element whose body is within r of d's
// centre. d's inner height must be its outer one.
func (v *view) eachBodied(d *asm.Disc, r int32, visit func(i uint32)) {
	var w bodyWalk
	w.start(v, d, r, r)
	for batch := w.next(); batch != nil; batch = w.next() {
		for _, found := range batch {
			if i := found &^ asm.Inner; found != i || v.reaches(i, d.X, d.Y, r) {
				visit(i)
			}
		}
	}
}

// appendBodiedIndexes is AppendIndexes for a storage of bodies.
func (v *view) appendBodiedIndexes(dst []uint32, d *asm.Disc, outer int32) ([]uint32, Work) {
	if v.apart(d.X, d.Y, outer) {
		return dst, Work{}
	}
	inner := radiusOf(&d.Inner)
	var w bodyWalk
	w.start(v, d, inner, outer)
	cells := w.cover.cells()
	for batch := w.next(); batch != nil; batch = w.next() {
		for _, found := range batch {
			i := found &^ asm.Inner
			switch {
			case found != i:
				dst = append(dst, found)
			case v.reaches(i, d.X, d.Y, inner) && v.innerHeight(i, d):
				dst = append(dst, i|asm.Inner)
			case v.reaches(i, d.X, d.Y, outer):
				dst = append(dst, i)
			}
		}
	}
	return dst, w.work(cells)
}

// innerHeight reports whether element i is within d's inner height.
func (v *view) innerHeight(i uint32, d *asm.Disc) bool {
	return d.Flags&asm.WithHeight == 0 || uint32(distance(v.cells.Z[i], d.Z)) <= d.InnerHeight
}

// radiusOf returns the radius that a limit was made of: the root of a square below
// 2^60 is exact in float64, if the square was not rounded by more than half of what
// the next one is away.
func radiusOf(l *asm.Limit) int32 { return int32(math.Round(math.Sqrt(float64(l.R2)))) }

// appendBodiedCrossings is AppendCrossings for a storage of bodies: it leaves the
// indexes of those who leave in leave. Bodies are what they were in the snapshot
// before, or the storage would not be steady.
func (v *view) appendBodiedCrossings(enter, leave []uint32, p *asm.Pair, radius int32) (entered, left []uint32, work Work) {
	reach := int64(radius) + int64(v.step)
	x, y := reach+int64(v.store.wide.X), reach+int64(v.store.wide.Y)
	var c cover
	c.set(v, Rect{
		X0: saturate(int64(min(p.X, p.OldX)) - x), Y0: saturate(int64(min(p.Y, p.OldY)) - y),
		X1: saturate(int64(max(p.X, p.OldX)) + x), Y1: saturate(int64(max(p.Y, p.OldY)) + y),
	})
	work.Cells = c.cells()
	w := crossWalk{v: v, p: p, inner: radiusOf(&p.Inner), outer: radiusOf(&p.Outer)}
	for _, b := range [...]*asm.Block{&c.first, &c.second} {
		for b.Rows > 0 {
			lo, hi := v.takeRow(b)
			work.Candidates += int(hi - lo)
			for i := lo; i < hi; i++ {
				enters, leaves := w.crosses(i)
				if enters {
					enter = append(enter, i)
				}
				if leaves {
					leave = append(leave, i)
				}
			}
		}
	}
	// Who left the storage, or jumped, is found by where it was; see AppendCrossings.
	for i := uint32(v.store.n); i < uint32(v.store.n+v.extra); i++ {
		if _, leaves := w.crosses(i); leaves {
			leave = append(leave, i)
		}
	}
	work.Candidates += v.extra
	return enter, leave, work
}

// crossWalk is a pair of observers' places, and its radii.
type crossWalk struct {
	v            *view
	p            *asm.Pair
	inner, outer int32
}

// crosses tells whether element i comes within the inner limits that it was not in, and
// whether it goes beyond the outer ones that it was in.
func (w *crossWalk) crosses(i uint32) (enters, leaves bool) {
	c, p, b := &w.v.cells, w.p, w.v.body(i)
	var z, oldZ uint32
	if p.Flags&asm.WithHeight != 0 {
		z, oldZ = uint32(distance(c.Z[i], p.Z)), uint32(distance(c.OldZ[i], p.OldZ))
	}
	is, was := c.X[i] != asm.Gone, c.OldX[i] != asm.Gone
	near := func(here bool, x, y, r int32, z, height uint32) bool {
		return here && b.Within(x, y, r) && (p.Flags&asm.WithHeight == 0 || z <= height)
	}
	x, y, oldX, oldY := c.X[i]-p.X, c.Y[i]-p.Y, c.OldX[i]-p.OldX, c.OldY[i]-p.OldY
	enters = near(is, x, y, w.inner, z, p.InnerHeight) && !near(was, oldX, oldY, w.inner, oldZ, p.InnerHeight)
	leaves = near(was, oldX, oldY, w.outer, oldZ, p.OuterHeight) && !near(is, x, y, w.outer, z, p.OuterHeight)
	return enters, leaves
}
