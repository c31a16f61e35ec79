package packer

import (
	"cmp"
	"math/bits"
	"slices"
)

// waiter is one that is starved: a candidate or the leader of a group.
type waiter struct{ wait, index uint32 }

// serveStarved serves those that waited longest, within room bytes. Equal waits
// go by the total order.
//
// The bytes are few and the starved may be many, so they are not sorted, but dealt
// into buckets of waits, longest first. Of each bucket only those are looked at that
// fit into what is left when its turn comes: mostly none. A bucket of many waits is
// dealt again, one of many that waited alike is a ranking like any other.
func (p *Packer) serveStarved(room uint32) {
	list := p.fitting(p.starved, room)
	p.sorted = grow(p.sorted, len(list))
	p.serveWaiters(list, p.sorted, room)
}

// fitting keeps those of a list that are not served yet and fit into room at some
// level.
func (p *Packer) fitting(list []waiter, room uint32) []waiter {
	cheapest := p.costs
	if p.lowers {
		cheapest = p.least
	}
	k := 0
	for _, w := range list {
		list[k] = w
		// What costs 0 was served by its class's share.
		if p.costs[w.index] != 0 && cheapest[w.index] <= room {
			k++
		}
	}
	return list[:k]
}

// few is how many are sorted one by one.
const few = 24

// serveWaiters serves a list and returns what is left of room. spare is memory as
// long as the list.
func (p *Packer) serveWaiters(list, spare []waiter, room uint32) uint32 {
	if len(list) <= few {
		return p.serveFew(list, room)
	}
	least, most := list[0].wait, list[0].wait
	for _, w := range list {
		least, most = min(least, w.wait), max(most, w.wait)
	}
	if least == most {
		return p.serveAlike(list, room)
	}
	shift := max(0, bits.Len32(most-least)-8)
	var end [257]uint32 // of the bucket before
	for _, w := range list {
		end[(most-w.wait)>>shift+1]++
	}
	for i := 1; i < len(end); i++ {
		end[i] += end[i-1]
	}
	for _, w := range list {
		b := (most - w.wait) >> shift
		spare[end[b]] = w
		end[b]++
	}
	for i, first := 0, uint32(0); int(first) < len(list); i++ {
		bucket := p.fitting(spare[first:end[i]], room)
		room = p.serveWaiters(bucket, list[first:end[i]], room)
		first = end[i]
	}
	return room
}

// serveFew serves a short list.
func (p *Packer) serveFew(list []waiter, room uint32) uint32 {
	if len(list) > 1 {
		slices.SortFunc(list, func(x, y waiter) int {
			if x.wait != y.wait {
				return cmp.Compare(y.wait, x.wait)
			}
			return compareKeys(p.keys[x.index], p.keys[y.index], p.c.ID)
		})
	}
	for _, w := range list {
		cost := p.costs[w.index]
		if cost > room {
			if !p.lowers || p.least[w.index] > room {
				continue
			}
			cost = p.lowered(w.index, room)
		}
		p.grantStarved(w.index, cost)
		room -= cost
	}
	return room
}

// serveAlike serves a list of equal waits.
func (p *Packer) serveAlike(list []waiter, room uint32) uint32 {
	p.side.reset()
	for _, w := range list {
		least := uint32(0)
		if p.lowers {
			least = p.least[w.index]
		}
		p.placeSide(&p.side, w.index, p.costs[w.index], least)
	}
	p.fit.firstFit(&p.side, p.c.ID, room, p.lower)
	for _, g := range p.fit.taken {
		p.grantStarved(g.index, g.cost)
		room -= g.cost
	}
	return room
}

func (p *Packer) grantStarved(i, cost uint32) {
	if cost != p.costs[i] {
		p.raisable = append(p.raisable, raise{i, len(p.plan.Selected), p.stepOf(i, cost)})
	}
	p.grant(i, cost, ReasonStarved)
	p.leave(i)
}

// raise is a starved one that was sent at a coarser level than is wanted.
type raise struct {
	index    uint32
	selected int // its first element of Plan.Selected
	step     int
}

// raiseStarved gives those of the starved that were sent at a coarser level, in
// the order of spend, the finest one that the bytes left over pay for.
func (p *Packer) raiseStarved() {
	plan, c := p.plan, p.c
	for _, r := range p.raisable {
		had := uint32(p.stepCost(r.index, r.step))
		step := p.stepFor(r.index, had+plan.Left())
		if step >= r.step {
			continue
		}
		plan.Used += uint32(p.stepCost(r.index, step)) - had
		members := 1
		if g := p.groupOf(r.index); g != nil {
			members = g.n
		}
		for i := range plan.Selected[r.selected : r.selected+members] {
			s := &plan.Selected[r.selected+i]
			plan.Degraded -= c.coarser(*s)
			s.Level = c.levelAt(s.Index, step)
			s.Cost = c.Cost[s.Level][s.Index]
			plan.Degraded += c.coarser(*s)
		}
	}
}
