package asm

// crossingsGeneric is the definition of the one-pass kernel: the reported are
// those that cross a limit in float32, with the undecided band counted as
// crossing.
func crossingsGeneric(enter, leave []uint32, c *Cells, b *Block, p *Pair) (ne, nl int) {
	seen, room := 0, roomOf(min(len(enter), len(leave)))
	for b.Rows > 0 {
		lo, hi, ok := c.takeRow(b, &seen, room)
		if !ok {
			break
		}
		for i := lo; i < hi; i++ {
			e, l := p.crosses(c, i)
			enter[ne], leave[nl] = uint32(i), uint32(i)
			ne += e
			nl += l
		}
	}
	return ne, nl
}

// crosses tells (1 or 0) whether element i may enter, and whether it may leave.
func (p *Pair) crosses(c *Cells, i int) (enter, leave int) {
	now := dist2(c.X[i]-p.X, c.Y[i]-p.Y)
	before := dist2(c.OldX[i]-p.OldX, c.OldY[i]-p.OldY)
	in, wasIn := now <= p.Inner.Hi, before <= p.Inner.Lo
	out, wasOut := now > p.Outer.Lo, before > p.Outer.Hi
	if p.Flags&WithHeight != 0 {
		dz, oldDz := absHeight(c.Z[i]-p.Z), absHeight(c.OldZ[i]-p.OldZ)
		in, wasIn = in && dz <= p.InnerHeight, wasIn && oldDz <= p.InnerHeight
		out, wasOut = out || dz > p.OuterHeight, wasOut || oldDz > p.OuterHeight
	}
	return bit(in && !wasIn), bit(out && !wasOut)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
