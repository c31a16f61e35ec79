package asm

import "slices"

// maxCandidates bounds the work of one kernel call to tens of microseconds:
// assembly cannot be preempted.
const maxCandidates = 1 << 16

// AppendSlots appends the slot of every element of block b within d's outer disc,
// in storage order, and returns the extended slice. b is used up; b.Seen grows by
// the number of candidates. It allocates only if dst lacks room for the
// candidates and [Slack]. O(rows + candidates).
func AppendSlots(dst []uint32, c *Cells, b *Block, d *Disc) []uint32 {
	for b.Rows > 0 {
		free := dst[len(dst):cap(dst)]
		if len(free) >= Slack {
			n := withinSlots(free, c, b, d)
			dst = dst[:len(dst)+n]
		}
		if b.Rows == 0 {
			break
		}
		if lo, hi := c.span(b); hi-lo > maxCandidates {
			c.pieces(b, func(part *Cells, pb *Block) { dst = AppendSlots(dst, part, pb, d) })
		} else if n := c.Candidates(*b) + Slack; cap(dst)-len(dst) < n {
			dst = slices.Grow(dst, n)
		}
	}
	return dst
}

// AppendHits is [AppendSlots] with the squared distance beside each slot.
func AppendHits(dst []Hit, c *Cells, b *Block, d *Disc) []Hit {
	for b.Rows > 0 {
		free := dst[len(dst):cap(dst)]
		if len(free) >= Slack {
			n := withinHits(free, c, b, d)
			dst = dst[:len(dst)+n]
		}
		if b.Rows == 0 {
			break
		}
		if lo, hi := c.span(b); hi-lo > maxCandidates {
			c.pieces(b, func(part *Cells, pb *Block) { dst = AppendHits(dst, part, pb, d) })
		} else if n := c.Candidates(*b) + Slack; cap(dst)-len(dst) < n {
			dst = slices.Grow(dst, n)
		}
	}
	return dst
}

// AppendIndexes appends the index (in c's columns) of every element of block b
// within d's outer disc, with the bit [Inner] set if it is within the inner disc
// too, in storage order. Otherwise it is [AppendSlots].
func AppendIndexes(dst []uint32, c *Cells, b *Block, d *Disc) []uint32 {
	for b.Rows > 0 {
		free := dst[len(dst):cap(dst)]
		if len(free) >= Slack {
			n := withinIndexes(free, c, b, d)
			dst = dst[:len(dst)+n]
		}
		if b.Rows == 0 {
			break
		}
		if lo, hi := c.span(b); hi-lo > maxCandidates {
			c.indexPieces(b, &dst, nil, d)
		} else if n := c.Candidates(*b) + Slack; cap(dst)-len(dst) < n {
			dst = slices.Grow(dst, n)
		}
	}
	return dst
}

// TakeIndexes is the step of [AppendIndexes] that never allocates: it takes whole
// rows of b while their candidates fit len(dst) - [Slack], writes what it finds to
// dst, and returns how many that is. Rows are left in b if the next one does not
// fit. len(dst) must be at least [Slack].
func TakeIndexes(dst []uint32, c *Cells, b *Block, d *Disc) int {
	_ = dst[:Slack]
	return withinIndexes(dst, c, b, d)
}

// AppendRanked is [AppendIndexes] with the squared distance of each index
// appended to dist, which must be as long as dst.
func AppendRanked(dst []uint32, dist []float32, c *Cells, b *Block, d *Disc) ([]uint32, []float32) {
	for b.Rows > 0 {
		free := dst[len(dst):min(cap(dst), cap(dist))]
		if len(free) >= Slack {
			n := withinRanked(free, dist[len(dist):len(dist)+len(free)], c, b, d)
			dst, dist = dst[:len(dst)+n], dist[:len(dist)+n]
		}
		if b.Rows == 0 {
			break
		}
		if lo, hi := c.span(b); hi-lo > maxCandidates {
			c.indexPieces(b, &dst, &dist, d)
		} else if n := c.Candidates(*b) + Slack; min(cap(dst), cap(dist))-len(dst) < n {
			dst, dist = slices.Grow(dst, n), slices.Grow(dist, n)
		}
	}
	return dst, dist
}

// CountWithin returns the number of elements of block b within d's outer disc.
// b is used up; b.Seen grows by the number of candidates. O(rows + candidates).
func CountWithin(c *Cells, b *Block, d *Disc) int {
	total := 0
	for b.Rows > 0 {
		total += withinCount(c, b, d)
		if b.Rows == 0 {
			break
		}
		if lo, hi := c.span(b); hi-lo > maxCandidates {
			c.pieces(b, func(part *Cells, pb *Block) { total += CountWithin(part, pb, d) })
		}
	}
	return total
}

// pieces takes b's first row, which has more candidates than one call may test,
// and hands it out in parts: the same columns under a one-cell offset table.
func (c *Cells) pieces(b *Block, visit func(part *Cells, pb *Block)) {
	lo, hi := c.span(b)
	part := *c
	part.LogW, part.RowMask = 0, 0
	for ; lo < hi; lo += maxCandidates {
		part.Start = []uint32{lo, min(lo+maxCandidates, hi)}
		pb := Block{Rows: 1, ColEnd: 1}
		visit(&part, &pb)
		b.Seen += pb.Seen
	}
	b.Row = (b.Row + 1) & c.RowMask
	b.Rows--
}

// indexPieces appends the found of b's first row part by part.
func (c *Cells) indexPieces(b *Block, dst *[]uint32, dist *[]float32, d *Disc) {
	c.pieces(b, func(part *Cells, pb *Block) {
		if dist == nil {
			*dst = AppendIndexes(*dst, part, pb, d)
			return
		}
		*dst, *dist = AppendRanked(*dst, *dist, part, pb, d)
	})
}
