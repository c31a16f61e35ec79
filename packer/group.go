package packer

import (
	"slices"

	"vicinity/asm"
)

// group is a number of candidates that are sent together or not at all. The first
// of its members in the total order leads it: the ranking knows the group by the
// leader's key and index.
type group struct {
	first, n int            // its members in Packer.members
	cost     [Levels]uint64 // of all, by steps
}

// A member is a candidate with a group: kind, group and index in one number, so
// that sorting brings groups together.
const (
	indexMask  = asm.KeyIndexMask
	groupShift = asm.KeyIndexBits
	kindShift  = groupShift + 32
)

func (p *Packer) addMember(i uint32, k kind) {
	p.members = append(p.members, uint64(k)<<kindShift|uint64(p.c.Group[i])<<groupShift|uint64(i))
}

// membersOf returns the members of g, best first, as candidate indexes in the low
// bits.
func (p *Packer) membersOf(g *group) []uint64 { return p.members[g.first : g.first+g.n] }

// groupOf returns the group that candidate i leads, nil if it leads none.
func (p *Packer) groupOf(i uint32) *group {
	if len(p.groups) == 0 || p.leads[i] == 0 {
		return nil
	}
	return &p.groups[p.leads[i]-1]
}

// listMembers takes all updates with a group out of the normal ones. Those with
// flags are members already.
func (p *Packer) listMembers() {
	for i, g := range p.c.Group {
		if g != 0 && p.costs[i] != 0 {
			p.leave(uint32(i))
			p.addMember(uint32(i), update)
		}
	}
}

// placeGroups forms groups of the members and places each.
func (p *Packer) placeGroups() {
	if len(p.members) == 0 {
		return
	}
	n := p.c.Len()
	p.leads = slices.Grow(p.leads[:0], n)[:n]
	clear(p.leads)
	slices.Sort(p.members)
	for first := 0; first < len(p.members); {
		end := first + 1
		for end < len(p.members) && p.members[end]>>groupShift == p.members[first]>>groupShift {
			end++
		}
		p.placeGroup(first, end)
		first = end
	}
}

// placeGroup places the group of members[first:end].
func (p *Packer) placeGroup(first, end int) {
	members := p.members[first:end]
	k := kind(members[0] >> kindShift)
	slices.SortFunc(members, func(x, y uint64) int {
		return compareKeys(p.keys[x&indexMask], p.keys[y&indexMask], p.c.ID)
	})
	leader := uint32(members[0] & indexMask)
	g := group{first: first, n: end - first}
	u := unit{index: leader, kind: k, soon: k == update, members: len(members)}
	for _, m := range members {
		i := uint32(m & indexMask)
		for step := range g.cost {
			g.cost[step] += uint64(p.c.costAt(i, step))
		}
		starved := p.starves(i)
		u.wait = max(u.wait, p.c.waited(i))
		if k == update && p.c.flags(i)&MustSend != 0 {
			u.must = true
			p.plan.MustDeferred++ // until it is selected
		}
		u.starved = u.starved || starved
		soon, stretched := p.tooSoon(i)
		u.soon = u.soon && soon && !starved
		u.stretched = u.stretched || stretched
	}
	p.groups = append(p.groups, g)
	p.leads[leader] = uint32(len(p.groups))
	p.place(&u)
}
