package packer

// A candidate or a group can be lowered by steps: step 0 is what is wanted, each
// further one the next coarser level that there is; past the coarsest nothing
// changes. In a group all members take each step.

// levelAt returns the level of candidate i after so many steps.
func (c *Candidates) levelAt(i uint32, steps int) uint8 {
	level := 0
	if c.Level != nil {
		level = int(c.Level[i])
	}
	for level > 0 && (c.Cost[level] == nil || c.Cost[level][i] == 0) {
		level--
	}
	for coarser := level + 1; steps > 0 && coarser < Levels; coarser++ {
		if c.Cost[coarser] != nil && c.Cost[coarser][i] != 0 {
			level = coarser
			steps--
		}
	}
	return uint8(level)
}

// levelFor returns the level at which candidate i costs that much, of those at which
// it may be sent. It is the finest of those: a finer one of the same cost would have
// fitted too.
func (c *Candidates) levelFor(i, cost uint32) uint8 {
	level := c.levelAt(i, 0)
	for c.Cost[level] == nil || c.Cost[level][i] != cost {
		level++
	}
	return level
}

// costAt returns the cost of candidate i after so many steps.
func (c *Candidates) costAt(i uint32, steps int) uint32 {
	return c.Cost[c.levelAt(i, steps)][i]
}

// coarser returns 1 if s is at a coarser level than is wanted, else 0.
func (c *Candidates) coarser(s Selected) int {
	if s.Level > 0 && (c.Level == nil || s.Level > c.Level[s.Index]) {
		return 1
	}
	return 0
}

// coarse returns whether any candidate has more than one level.
func (c *Candidates) coarse() bool { return c.Cost[1] != nil || c.Cost[2] != nil }

// stepCost returns the cost of what candidate i leads (itself, or its group) after
// so many steps.
func (p *Packer) stepCost(i uint32, steps int) uint64 {
	if g := p.groupOf(i); g != nil {
		return g.cost[steps]
	}
	return uint64(p.c.costAt(i, steps))
}

// stepFor returns the least number of steps after which what candidate i leads
// costs at most room, Levels if there is none.
func (p *Packer) stepFor(i uint32, room uint32) int {
	for step := range Levels {
		if p.stepCost(i, step) <= uint64(room) {
			return step
		}
	}
	return Levels
}

// lowered returns what candidate i costs at the finest level that fits into room.
// There is one.
func (p *Packer) lowered(i uint32, room uint32) uint32 {
	return uint32(p.stepCost(i, p.stepFor(i, room)))
}

// stepOf returns after how many steps what candidate i leads costs that much, the
// fewest if there are several: after fewer it would have fitted too.
func (p *Packer) stepOf(i uint32, cost uint32) int {
	step := 0
	for p.stepCost(i, step) != uint64(cost) {
		step++
	}
	return step
}
