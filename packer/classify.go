package packer

// unit is what is sent or not as one and is not just one of the many: a candidate
// with flags, or a group.
type unit struct {
	index           uint32 // of the candidate, or of the group's leader
	members         int
	wait            uint32 // the longest of its members
	kind            kind
	must, starved   bool
	soon, stretched bool // too soon; only because of Packer.Stretch
}

// classify says of each candidate what stage it is for. First those leave that are
// special each in its own way, then one pass for each rule that is in force lists
// those of the others whom it concerns, then groups come back as one each.
func (p *Packer) classify() {
	p.resetLists()
	p.stretchIntervals()
	for _, i := range p.flagged {
		p.placeFlagged(i)
	}
	if p.c.Group != nil {
		p.listMembers()
	}
	p.dropOversize()
	p.noteOldest()
	p.listStarved()
	p.dropTooSoon()
	p.listOwners()
	p.placeGroups()
}

// placeFlagged places candidate i, which has flags.
func (p *Packer) placeFlagged(i uint32) {
	f := p.c.Flags[i]
	k := f.kind()
	p.leave(i)
	switch {
	case k == update && f&AwaitingSpawn != 0:
		p.hold(i, WhyAwaitingSpawn)
	case k == update && f&Unchanged != 0:
		p.hold(i, WhyUnchanged)
	case p.c.Group != nil && p.c.Group[i] != 0:
		p.addMember(i, k)
	default:
		u := unit{index: i, members: 1, kind: k, wait: p.c.waited(i), must: k == update}
		if u.must {
			p.plan.MustDeferred++ // until it is selected
		}
		p.place(&u)
	}
}

// place puts u into the ranking that it competes in.
func (p *Packer) place(u *unit) {
	limit := p.b.bytes
	if u.kind != update {
		limit = p.b.reserve
	}
	want, least, fits := p.costsWithin(u.index, limit, p.lowers && !u.must)
	if !fits {
		p.defers(u, WhyOversize)
		return
	}
	p.plan.OldestWait = max(p.plan.OldestWait, u.wait)
	switch {
	case u.kind == remove:
		p.placeSide(&p.removes, u.index, want, least)
	case u.kind == spawn:
		p.placeSide(&p.spawns, u.index, want, least)
	case u.must:
		p.musts.add(p.keys[u.index], want)
	case u.soon:
		p.defers(u, WhyTooSoon)
		if u.stretched {
			p.plan.Stretched += u.members
		}
	default:
		p.placeNormal(u, want, least)
	}
}

func (p *Packer) placeSide(to *ranks, i, want, least uint32) {
	to.add(p.keys[i], want)
	if p.lowers {
		to.least = append(to.least, least)
	}
}

// placeNormal makes u, which is a group, one of the normal ones, in the place of its
// leader. If their class has a share, the leader is among the owners already.
func (p *Packer) placeNormal(u *unit, want, least uint32) {
	p.costs[u.index] = want
	p.total.Sum += uint64(want)
	p.total.Least = min(p.total.Least, want)
	if p.lowers {
		p.least[u.index] = least
	}
	if u.starved {
		p.starved = append(p.starved, waiter{u.wait, u.index})
	}
}

// costsWithin returns what candidate i, or the group that it leads, costs at the
// finest step that fits into limit (a finer one never will), and at the cheapest.
// Without lower only the first step is tried.
func (p *Packer) costsWithin(i, limit uint32, lower bool) (want, least uint32, fits bool) {
	for step := range Levels {
		cost := p.stepCost(i, step)
		if cost <= uint64(limit) {
			if !fits {
				want, least, fits = uint32(cost), uint32(cost), true
			}
			least = min(least, uint32(cost))
		}
		if !lower {
			break
		}
	}
	return want, least, fits
}

// hold defers candidate i.
func (p *Packer) hold(i uint32, why Why) {
	p.plan.ByWhy[why]++
	if p.plan.WantDeferred {
		p.why[i] = why
	}
}

// defers defers all of u.
func (p *Packer) defers(u *unit, why Why) {
	if g := p.groupOf(u.index); g != nil {
		for _, m := range p.membersOf(g) {
			p.hold(uint32(m&indexMask), why)
		}
		return
	}
	p.hold(u.index, why)
}
