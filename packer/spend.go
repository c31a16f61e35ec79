package packer

import "slices"

// spend serves what classify found, in the order of spend.
func (p *Packer) spend() {
	plan, b := p.plan, p.b
	p.serve(&p.removes, b.reserve, ReasonLifecycle)
	p.serve(&p.spawns, b.reserve-plan.Used, ReasonLifecycle)
	plan.Lifecycle = plan.Used
	paid := len(plan.Selected)
	p.serve(&p.musts, plan.Left(), ReasonMustSend)

	open := plan.Left()
	if len(p.owners) > 0 {
		p.serveShares(open, plan.Selected[paid:])
	}
	if len(p.starved) > 0 {
		p.serveStarved(part(b.starved, open))
	}
	p.serveNormal()
	p.raiseStarved()
}

// serve walks over a ranking and selects what fits into room.
func (p *Packer) serve(in *ranks, room uint32, reason Reason) {
	if len(in.key) > 0 {
		p.fit.firstFit(in, p.c.ID, room, p.lower)
		p.grantAll(reason)
	}
}

// serveNormal serves everybody else.
func (p *Packer) serveNormal() {
	byIndex := p.wants
	if p.lowers || len(p.groups) > 0 { // some do not cost what they want
		p.wanted = append(p.wanted[:0], p.costs...)
		byIndex = p.wanted
	}
	n := p.dropGone()
	if n == 0 {
		return
	}
	if p.lowers {
		p.fit.least, p.fit.lower = p.least, p.lower
		p.total.Least = 1
	}
	p.fit.choose(p.keys[:n], p.costs[:n], p.total, byIndex, p.c.ID, p.plan.Left())
	p.fit.least, p.fit.lower = nil, nil
	reason := ReasonChanged
	if p.c.Waited == nil {
		reason = ReasonNearby
	}
	p.grantAll(reason)
}

// grantAll selects all that the last selection took.
func (p *Packer) grantAll(reason Reason) {
	if p.plan.WantDeferred || p.c.coarse() || len(p.groups) > 0 {
		for _, g := range p.fit.taken {
			p.grant(g.index, g.cost, reason)
		}
		return
	}
	taken, n, used := p.fit.taken, len(p.plan.Selected), p.plan.Used
	p.plan.Selected = slices.Grow(p.plan.Selected, len(taken))[:n+len(taken)]
	selected := p.plan.Selected[n:]
	for i, g := range taken {
		selected[i] = Selected{Index: g.index, Cost: g.cost, Reason: reason}
		used += g.cost
	}
	p.plan.Used = used
	p.plan.ByReason[reason] += len(taken)
	if reason == ReasonMustSend {
		p.plan.MustDeferred -= len(taken)
	}
}

// grant selects candidate i, or the group that it leads, for so many bytes.
func (p *Packer) grant(i, cost uint32, reason Reason) {
	p.plan.Used += cost
	g := p.groupOf(i)
	if g == nil {
		p.selects(i, p.c.levelFor(i, cost), cost, reason)
		return
	}
	step := p.stepOf(i, cost)
	for _, m := range p.membersOf(g) {
		member := uint32(m & indexMask)
		level := p.c.levelAt(member, step)
		p.selects(member, level, p.c.Cost[level][member], reason)
	}
}

// selects selects candidate i.
func (p *Packer) selects(i uint32, level uint8, cost uint32, reason Reason) {
	plan, c := p.plan, p.c
	s := Selected{Index: i, Cost: cost, Level: level, Reason: reason}
	plan.Selected = append(plan.Selected, s)
	plan.ByReason[reason]++
	plan.Degraded += c.coarser(s)
	if reason == ReasonMustSend && c.flags(i)&MustSend != 0 {
		plan.MustDeferred--
	}
	if plan.WantDeferred {
		p.why[i] = isSelected
	}
}
