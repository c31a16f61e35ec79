package packer

import (
	"math"
	"slices"

	"vicinity/asm"
)

// rank checks the values of all candidates and makes their keys and costs, element
// i for candidate i: until the normal ones are served, who is not one of them any
// more has a cost of 0 there. It returns the first candidate with a bad value, the
// number of candidates if all are good.
func (p *Packer) rank() (bad int) {
	c, n := p.c, p.c.Len()
	bad = c.firstBadLevel()
	p.keys, p.costs = grow(p.keys, n), grow(p.costs, n)
	p.wants = c.Cost[0]
	if c.coarse() && bad == n {
		p.rankLevels()
	}
	columns := asm.RankColumns{
		Priority: c.Priority, Dist2: c.Dist2, Class: c.Class,
		Cost: p.wants, ClassCount: p.b.n,
	}
	if p.b.ages {
		columns.Waited = c.Waited
		columns.Weight = p.b.weights
	}
	total, first := asm.RankKeys(p.keys, p.costs, &columns)
	if first >= 0 {
		bad = min(bad, first)
	}
	p.total = total
	return min(bad, p.listFlagged())
}

// grow returns memory for n elements, with what kernels want behind them. The
// content is lost.
func grow[T any](s []T, n int) []T {
	if cap(s) < n+asm.Slack {
		s = make([]T, n+n/4+asm.Slack)
	}
	return s[:n]
}

// rankLevels makes the columns of the costs at the wanted levels and, if the budget
// degrades, at the cheapest. Who has no Cost[0] has no cost.
func (p *Packer) rankLevels() {
	c, n := p.c, p.c.Len()
	p.wanted = grow(p.wanted, n)
	p.wants = p.wanted
	if p.lowers {
		p.least = grow(p.least, n)
	}
	medium, low, level := orZeros(c.Cost[1], &p.noCosts, n), orZeros(c.Cost[2], &p.noCosts, n), orZeros(c.Level, &p.noLevels, n)
	for i, fine := range c.Cost[0] {
		// No branches: levels are as good as random.
		m, l := medium[i], low[i]
		atMedium, atLow := m, l
		if m == 0 {
			atMedium = fine
		}
		if l == 0 {
			atLow = atMedium
		}
		want, coarser := fine, m-1 // less 1, so that no level is the largest
		if level[i] >= 1 {
			want, coarser = atMedium, math.MaxUint32
		}
		if level[i] >= 2 {
			want = atLow
		}
		if fine == 0 {
			want = 0
		}
		p.wanted[i] = want
		if p.lowers {
			p.least[i] = min(want-1, coarser, l-1) + 1
		}
	}
}

// orZeros returns n elements of a column, or as many zeros for none. zeros are memory
// that nobody writes to.
func orZeros[T any](column []T, zeros *[]T, n int) []T {
	if column == nil {
		*zeros = grow(*zeros, n)
		return *zeros
	}
	return column[:n]
}

// firstBadLevel returns the first candidate with a level that does not exist, the
// number of candidates if there is none.
func (c *Candidates) firstBadLevel() int {
	worst := uint8(0)
	for _, level := range c.Level {
		worst = max(worst, level)
	}
	if worst < Levels {
		return c.Len()
	}
	return slices.IndexFunc(c.Level, func(level uint8) bool { return level >= Levels })
}

// listFlagged lists the candidates with flags, and returns the first with bad ones.
func (p *Packer) listFlagged() (bad int) {
	p.flagged = p.flagged[:0]
	flags := p.c.Flags
	for i := 0; i < len(flags); i++ {
		for i+8 <= len(flags) {
			f := flags[i : i+8]
			if f[0]|f[1]|f[2]|f[3]|f[4]|f[5]|f[6]|f[7] != 0 {
				break
			}
			i += 8
		}
		if i == len(flags) || flags[i] == 0 {
			continue
		}
		p.flagged = append(p.flagged, uint32(i))
		if f := flags[i]; f > allFlags || f&lifecycle == lifecycle {
			return i
		}
	}
	return p.c.Len()
}

// resetLists makes the lists empty that classify fills.
func (p *Packer) resetLists() {
	p.removes.reset()
	p.spawns.reset()
	p.musts.reset()
	p.starved, p.owners, p.gone = p.starved[:0], p.owners[:0], p.gone[:0]
	p.members, p.groups = p.members[:0], p.groups[:0]
	p.raisable = p.raisable[:0]
}

// leave takes candidate i out of the normal ones.
func (p *Packer) leave(i uint32) {
	p.total.Sum -= uint64(p.costs[i])
	p.costs[i] = 0
	p.gone = append(p.gone, i)
}

// dropGone closes the gaps that those left behind in keys and costs, and returns
// how many are there.
func (p *Packer) dropGone() int {
	n := len(p.keys)
	if len(p.gone) == 0 {
		return n
	}
	keys, costs, to := p.keys, p.costs[:n], 0
	if n < 32*len(p.gone) {
		for i, cost := range costs {
			keys[to], costs[to] = keys[i], cost
			if cost != 0 {
				to++
			}
		}
		return to
	}
	// Few of many: move what lies between them.
	slices.Sort(p.gone)
	from := 0
	for _, g := range append(p.gone, math.MaxUint32) {
		end := int(min(g, uint32(n)))
		if end < from || end < n && costs[end] != 0 {
			continue // noted twice, or back again as the leader of a group
		}
		copy(keys[to:], keys[from:end])
		to += copy(costs[to:], costs[from:end])
		from = end + 1
	}
	return to
}
