package packer

import (
	"math"
	"slices"
)

// The passes of this file are over all candidates that are neither flagged nor in a
// group: those that have a cost in Packer.costs when they run.

// dropOversize defers those that cost more than the budget at every level at which
// they may be sent. Those that do not at some have that as the wanted one from then
// on: a finer one will never fit.
func (p *Packer) dropOversize() {
	bytes := p.b.bytes
	if p.total.Most <= bytes {
		return
	}
	for i, cost := range p.costs {
		if cost <= bytes {
			continue
		}
		want, least, fits := p.costsWithin(uint32(i), bytes, p.lowers)
		if !fits {
			p.leave(uint32(i))
			p.hold(uint32(i), WhyOversize)
			continue
		}
		p.total.Sum -= uint64(cost - want)
		p.costs[i], p.least[i] = want, least
	}
}

// noteOldest notes the longest wait.
func (p *Packer) noteOldest() {
	oldest := uint32(0)
	if len(p.gone) == 0 {
		for _, wait := range p.c.Waited {
			oldest = max(oldest, wait)
		}
	} else {
		for i, wait := range p.c.Waited {
			if p.costs[i] != 0 {
				oldest = max(oldest, wait)
			}
		}
	}
	p.plan.OldestWait = max(p.plan.OldestWait, oldest)
}

// starves returns whether candidate i has waited its class's MaxSilence.
func (p *Packer) starves(i uint32) bool {
	silence := p.b.classes[p.c.class(i)].silence
	return silence > 0 && p.c.waited(i) >= silence
}

// listStarved lists who has waited its class's MaxSilence.
func (p *Packer) listStarved() {
	waited := p.c.Waited
	if !p.b.silence || waited == nil || p.plan.OldestWait <= p.b.leastPatience {
		return
	}
	list, k := grow(p.starved, len(waited)), 0
	if p.c.Class == nil {
		for i, wait := range waited {
			list[k] = waiter{wait, uint32(i)}
			if wait > p.b.patience[0] {
				k++
			}
		}
	} else {
		class := p.c.Class[:len(waited)]
		for i, wait := range waited {
			list[k] = waiter{wait, uint32(i)}
			if wait > p.b.patience[class[i]%MaxClasses] {
				k++
			}
		}
	}
	p.starved = list[:k]
	if len(p.gone) > 0 { // later, as one more condition above would cost more
		p.starved = slices.DeleteFunc(p.starved, func(w waiter) bool { return p.costs[w.index] == 0 })
	}
}

// stretchIntervals prepares the intervals of this call.
func (p *Packer) stretchIntervals() {
	if !p.b.intervals {
		return
	}
	for i := range p.b.n {
		for level, interval := range p.b.classes[i].interval {
			if p.Stretch > 1 {
				interval = uint32(min(float64(interval)*p.Stretch, math.MaxUint32))
			}
			p.interval[i][level] = interval
		}
	}
}

// tooSoon returns whether candidate i was sent less than its interval ago, and
// whether that would not be so without Stretch.
func (p *Packer) tooSoon(i uint32) (soon, stretched bool) {
	if p.c.Silent == nil || !p.b.intervals {
		return false, true
	}
	level := uint8(0)
	if p.c.Level != nil {
		level = p.c.Level[i]
	}
	class, silent := p.c.class(i), p.c.Silent[i]
	return silent < p.interval[class][level], silent >= p.b.classes[class].interval[level]
}

// dropTooSoon defers those that were sent less than their interval ago and are not
// starved.
func (p *Packer) dropTooSoon() {
	silent := p.c.Silent
	if !p.b.intervals || silent == nil {
		return
	}
	list, k := grow(p.list, len(silent)), 0
	switch class, level := p.c.Class, p.c.Level; {
	case class == nil && level == nil:
		for i, ticks := range silent {
			list[k] = uint32(i)
			if ticks < p.interval[0][0] {
				k++
			}
		}
	case level == nil:
		class = class[:len(silent)]
		for i, ticks := range silent {
			list[k] = uint32(i)
			if ticks < p.interval[class[i]%MaxClasses][0] {
				k++
			}
		}
	default:
		level = level[:len(silent)]
		for i, ticks := range silent {
			list[k] = uint32(i)
			if ticks < p.interval[p.c.class(uint32(i))%MaxClasses][level[i]] {
				k++
			}
		}
	}
	p.list = list
	for _, i := range list[:k] {
		if p.costs[i] == 0 || p.starves(i) {
			continue
		}
		p.leave(i)
		p.hold(i, WhyTooSoon)
		if _, stretched := p.tooSoon(i); stretched {
			p.plan.Stretched++
		}
	}
}

// listOwners lists the members of classes that own a share, those among them that
// are not normal ones included.
func (p *Packer) listOwners() {
	if !p.b.shares {
		return
	}
	n := p.c.Len()
	list, k := grow(p.owners, n), 0
	if p.c.Class == nil {
		for ; k < n; k++ {
			list[k] = uint32(k)
		}
	} else {
		for i, class := range p.c.Class {
			list[k] = uint32(i)
			k += int(p.b.owners >> (class % MaxClasses) & 1)
		}
	}
	p.owners = list[:k]
}
