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
		if !c.long(b) {
			dst = room(dst, c.Candidates(*b))
			continue
		}
		var p pieces
		var start [2]uint32
		p.take(c, b)
		p.cells.Start = start[:]
		for n := p.next(); n > 0; n = p.next() {
			dst = room(dst, n)
			n = withinSlots(dst[len(dst):cap(dst)], &p.cells, &p.block, d)
			dst = dst[:len(dst)+n]
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
		if !c.long(b) {
			dst = room(dst, c.Candidates(*b))
			continue
		}
		var p pieces
		var start [2]uint32
		p.take(c, b)
		p.cells.Start = start[:]
		for n := p.next(); n > 0; n = p.next() {
			dst = room(dst, n)
			n = withinHits(dst[len(dst):cap(dst)], &p.cells, &p.block, d)
			dst = dst[:len(dst)+n]
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
		if !c.long(b) {
			dst = room(dst, c.Candidates(*b))
			continue
		}
		var p pieces
		var start [2]uint32
		p.take(c, b)
		p.cells.Start = start[:]
		for n := p.next(); n > 0; n = p.next() {
			dst = room(dst, n)
			n = withinIndexes(dst[len(dst):cap(dst)], &p.cells, &p.block, d)
			dst = dst[:len(dst)+n]
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
		if !c.long(b) {
			n := c.Candidates(*b)
			dst, dist = room(dst, n), room(dist, n)
			continue
		}
		var p pieces
		var start [2]uint32
		p.take(c, b)
		p.cells.Start = start[:]
		for n := p.next(); n > 0; n = p.next() {
			dst, dist = room(dst, n), room(dist, n)
			free = dst[len(dst):min(cap(dst), cap(dist))]
			n = withinRanked(free, dist[len(dist):len(dist)+len(free)], &p.cells, &p.block, d)
			dst, dist = dst[:len(dst)+n], dist[:len(dist)+n]
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
		if !c.long(b) {
			continue
		}
		var p pieces
		var start [2]uint32
		p.take(c, b)
		p.cells.Start = start[:]
		for p.next() > 0 {
			total += withinCount(&p.cells, &p.block, d)
		}
	}
	return total
}

// pieces hands out a row that has more candidates than one call may test, in
// parts: the same columns under an offset table of one cell.
type pieces struct {
	cells  Cells
	block  Block
	lo, hi uint32 // what is left of the row
}

// long reports whether b's first row needs pieces.
func (c *Cells) long(b *Block) bool {
	lo, hi := c.span(b)
	return hi-lo > maxCandidates
}

// take takes b's first row. The caller then sets cells.Start to two elements of
// its own frame: set here, they would count as escaping to the heap.
func (p *pieces) take(c *Cells, b *Block) {
	p.lo, p.hi = c.span(b)
	p.cells = *c
	p.cells.LogW, p.cells.RowMask = 0, 0
	b.Seen += p.hi - p.lo
	b.Row = (b.Row + 1) & c.RowMask
	b.Rows--
}

// next makes cells and block those of the next part, of n elements; 0 is the end.
func (p *pieces) next() (n int) {
	end := min(p.lo+maxCandidates, p.hi)
	p.cells.Start[0], p.cells.Start[1] = p.lo, end
	p.block = Block{Rows: 1, ColEnd: 1}
	n = int(end - p.lo)
	p.lo = end
	return n
}

// room returns dst with room for n more candidates and the slack.
func room[T any](dst []T, n int) []T {
	if n += Slack; cap(dst)-len(dst) < n {
		dst = slices.Grow(dst, n)
	}
	return dst
}
