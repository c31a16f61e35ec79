package asm

// Pair is a prepared one-pass query over two ticks: where the observer stands
// and where it stood, with the same inner (enter) and outer (leave) radius at
// both. Its cells need OldX and OldY (and OldZ with height).
type Pair struct {
	X, Y, Z          int32
	OldX, OldY, OldZ int32
	OuterHeight      uint32
	InnerHeight      uint32
	Outer, Inner     Limit
	Flags            Flags
}

// AppendCrossings tests the new and the old position of every element of block b
// against the new and the old position of the observer. It appends to enter the
// indexes of those that are within the inner disc now and were not before, and to
// leave those that were within the outer disc before and are not now. These are
// all whose membership can change between two ticks under hysteresis; what lies
// between the discs keeps its state. The discs are closed and exact. b is used
// up. It allocates only if a list lacks room for the candidates and [Slack].
func AppendCrossings(enter, leave []uint32, c *Cells, b *Block, p *Pair) (entered, left []uint32) {
	for b.Rows > 0 {
		fe, fl := enter[len(enter):cap(enter)], leave[len(leave):cap(leave)]
		both := min(len(fe), len(fl))
		if both >= Slack {
			ne, nl := crossings(fe[:both], fl[:both], c, b, p)
			enter = c.pruneEnters(enter, fe[:ne], p)
			leave = c.pruneLeaves(leave, fl[:nl], p)
		}
		if b.Rows == 0 {
			break
		}
		if !c.long(b) {
			n := c.Candidates(*b)
			enter, leave = room(enter, n), room(leave, n)
			continue
		}
		var parts pieces
		var start [2]uint32
		parts.take(c, b)
		parts.cells.Start = start[:]
		for n := parts.next(); n > 0; n = parts.next() {
			enter, leave = room(enter, n), room(leave, n)
			fe, fl = enter[len(enter):cap(enter)], leave[len(leave):cap(leave)]
			both = min(len(fe), len(fl))
			ne, nl := crossings(fe[:both], fl[:both], &parts.cells, &parts.block, p)
			enter = c.pruneEnters(enter, fe[:ne], p)
			leave = c.pruneLeaves(leave, fl[:nl], p)
		}
	}
	return enter, leave
}

// pruneEnters appends those of maybe that enter. The kernel errs, inside the
// band of a limit only, on the side of reporting; few are reported, so they are
// decided here.
func (c *Cells) pruneEnters(dst, maybe []uint32, p *Pair) []uint32 {
	for _, i := range maybe {
		now, before := p.now(c, i, p.Inner, p.InnerHeight), p.before(c, i, p.Inner, p.InnerHeight)
		if now && !before {
			dst = append(dst, i)
		}
	}
	return dst
}

// pruneLeaves is pruneEnters for leaves.
func (c *Cells) pruneLeaves(dst, maybe []uint32, p *Pair) []uint32 {
	for _, i := range maybe {
		now, before := p.now(c, i, p.Outer, p.OuterHeight), p.before(c, i, p.Outer, p.OuterHeight)
		if before && !now {
			dst = append(dst, i)
		}
	}
	return dst
}

// now reports whether element i is within l and height now, exactly.
func (p *Pair) now(c *Cells, i uint32, l Limit, height uint32) bool {
	if p.Flags&WithHeight != 0 && absHeight(c.Z[i]-p.Z) > height {
		return false
	}
	return exact2(c.X[i]-p.X, c.Y[i]-p.Y) <= l.R2
}

// before reports whether element i was within l and height, exactly.
func (p *Pair) before(c *Cells, i uint32, l Limit, height uint32) bool {
	if c.OldX[i] == Gone {
		return false
	}
	if p.Flags&WithHeight != 0 && absHeight(c.OldZ[i]-p.OldZ) > height {
		return false
	}
	return exact2(c.OldX[i]-p.OldX, c.OldY[i]-p.OldY) <= l.R2
}
