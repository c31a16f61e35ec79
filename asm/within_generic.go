package asm

import "math/bits"

// The portable forms decide in int64: they are what "within" means. Each takes
// whole rows of b while their candidates fit the room, len(dst) - Slack (or
// maxCandidates for the call), and returns how many elements it found.

// takeRow takes b's first row if its candidates fit the room left after seen.
func (c *Cells) takeRow(b *Block, seen *int, room int) (lo, hi int, ok bool) {
	first, end := c.span(b)
	lo, hi = int(first), int(end)
	if *seen+hi-lo > room {
		return 0, 0, false
	}
	*seen += hi - lo
	b.Row = (b.Row + 1) & c.RowMask
	b.Rows--
	b.Seen += uint32(hi - lo)
	return lo, hi, true
}

// roomOf returns how many candidates one call may test for a destination of n
// elements.
func roomOf(n int) int { return min(n-Slack, maxCandidates) }

// classify tests up to 64 elements from lo on: bit i of outer and inner says
// whether element lo+i is within.
func (c *Cells) classify(lo, hi int, d *Disc) (outer, inner uint64) {
	xs, ys := c.X[lo:hi], c.Y[lo:hi]
	ys = ys[:len(xs)]
	for i, x := range xs {
		d2 := exact2(x-d.X, ys[i]-d.Y)
		outer |= lessEqual(d2, d.Outer.R2) << (i & 63)
		inner |= lessEqual(d2, d.Inner.R2) << (i & 63)
	}
	if d.Flags&WithHeight != 0 {
		o, i := c.classifyHeight(lo, hi, d)
		outer, inner = outer&o, inner&i
	}
	if d.Flags&WithMask != 0 {
		outer &= c.permitted(lo, hi, d.Mask)
	}
	return outer, inner & outer
}

// lessEqual is 1 if a <= b, without a branch. a and b are below 2^63.
func lessEqual(a, b int64) uint64 { return ^uint64(b-a) >> 63 }

func (c *Cells) classifyHeight(lo, hi int, d *Disc) (outer, inner uint64) {
	for i, z := range c.Z[lo:hi] {
		dz := int64(absHeight(z - d.Z))
		outer |= lessEqual(dz, int64(d.OuterHeight)) << (i & 63)
		inner |= lessEqual(dz, int64(d.InnerHeight)) << (i & 63)
	}
	return outer, inner
}

func (c *Cells) permitted(lo, hi int, mask uint32) (may uint64) {
	anys := c.Any[lo:hi]
	for i, need := range c.Need[lo:hi] {
		if need&^mask == 0 && (anys[i] == 0 || anys[i]&mask != 0) {
			may |= 1 << (i & 63)
		}
	}
	return may
}

func withinSlotsGeneric(dst []uint32, c *Cells, b *Block, d *Disc) int {
	k, seen, room := 0, 0, roomOf(len(dst))
	for b.Rows > 0 {
		lo, end, ok := c.takeRow(b, &seen, room)
		if !ok {
			break
		}
		if d.Flags&^Narrow == 0 {
			k += c.flatSlots(dst[k:], lo, end, d)
			continue
		}
		for ; lo < end; lo += 64 {
			outer, _ := c.classify(lo, min(lo+64, end), d)
			for ; outer != 0; outer &= outer - 1 {
				dst[k] = c.Slot[lo+bits.TrailingZeros64(outer)]
				k++
			}
		}
	}
	return k
}

// flatSlots is the usual case in one loop without branches that depend on data:
// every slot is stored, and only those within are kept.
func (c *Cells) flatSlots(dst []uint32, lo, hi int, d *Disc) int {
	xs, ys, slots := c.X[lo:hi], c.Y[lo:hi], c.Slot[lo:hi]
	ys, slots, dst = ys[:len(xs)], slots[:len(xs)], dst[:len(xs)+1]
	cx, cy, r2, k := d.X, d.Y, d.Outer.R2, uint64(0)
	for i, x := range xs {
		dst[k] = slots[i]
		k += lessEqual(exact2(x-cx, ys[i]-cy), r2)
	}
	return int(k)
}

func withinHitsGeneric(dst []Hit, c *Cells, b *Block, d *Disc) int {
	k, seen, room := 0, 0, roomOf(len(dst))
	for b.Rows > 0 {
		lo, end, ok := c.takeRow(b, &seen, room)
		if !ok {
			break
		}
		for ; lo < end; lo += 64 {
			outer, _ := c.classify(lo, min(lo+64, end), d)
			for ; outer != 0; outer &= outer - 1 {
				i := lo + bits.TrailingZeros64(outer)
				dst[k] = Hit{Slot: c.Slot[i], Dist2: dist2(c.X[i]-d.X, c.Y[i]-d.Y)}
				k++
			}
		}
	}
	return k
}

func withinIndexesGeneric(dst []uint32, c *Cells, b *Block, d *Disc) int {
	k, seen, room := 0, 0, roomOf(len(dst))
	for b.Rows > 0 {
		lo, end, ok := c.takeRow(b, &seen, room)
		if !ok {
			break
		}
		if d.Flags&^Narrow == 0 {
			k += c.flatIndexes(dst[k:], lo, end, d)
			continue
		}
		for ; lo < end; lo += 64 {
			outer, inner := c.classify(lo, min(lo+64, end), d)
			for ; outer != 0; outer &= outer - 1 {
				i := bits.TrailingZeros64(outer)
				dst[k] = uint32(lo+i) | uint32(inner>>i&1)<<31
				k++
			}
		}
	}
	return k
}

// flatIndexes is flatSlots for indexes.
func (c *Cells) flatIndexes(dst []uint32, lo, hi int, d *Disc) int {
	xs, ys := c.X[lo:hi], c.Y[lo:hi]
	ys, dst = ys[:len(xs)], dst[:len(xs)+1]
	cx, cy, r2, inner2, k := d.X, d.Y, d.Outer.R2, d.Inner.R2, uint64(0)
	for i, x := range xs {
		d2 := exact2(x-cx, ys[i]-cy)
		outer := lessEqual(d2, r2)
		dst[k] = uint32(lo+i) | uint32(outer&lessEqual(d2, inner2))<<31
		k += outer
	}
	return int(k)
}

func withinRankedGeneric(dst []uint32, dist []float32, c *Cells, b *Block, d *Disc) int {
	n := withinIndexesGeneric(dst, c, b, d)
	for k, v := range dst[:n] {
		i := v &^ Inner
		dist[k] = dist2(c.X[i]-d.X, c.Y[i]-d.Y)
	}
	return n
}

func withinCountGeneric(c *Cells, b *Block, d *Disc) int {
	k, seen := 0, 0
	for b.Rows > 0 {
		lo, end, ok := c.takeRow(b, &seen, maxCandidates)
		if !ok {
			break
		}
		for ; lo < end; lo += 64 {
			outer, _ := c.classify(lo, min(lo+64, end), d)
			k += bits.OnesCount64(outer)
		}
	}
	return k
}
