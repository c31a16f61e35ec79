package packer

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
	selected, used := p.plan.Selected, p.plan.Used
	for _, g := range p.fit.taken {
		selected = append(selected, Selected{Index: g.index, Cost: g.cost, Reason: reason})
		used += g.cost
	}
	p.plan.Selected, p.plan.Used = selected, used
	p.plan.ByReason[reason] += len(p.fit.taken)
	if reason == ReasonMustSend {
		p.plan.MustDeferred -= len(p.fit.taken)
	}
}

// grant selects candidate i, or the group that it leads, for so many bytes. It
// returns the step at which it does.
func (p *Packer) grant(i, cost uint32, reason Reason) (step int) {
	if p.lowers && reason != ReasonMustSend {
		step = p.stepOf(i, cost)
	}
	p.plan.Used += cost
	if g := p.groupOf(i); g != nil {
		for _, m := range p.membersOf(g) {
			p.selects(uint32(m&indexMask), step, reason)
		}
		return step
	}
	p.selects(i, step, reason)
	return step
}

// selects selects candidate i.
func (p *Packer) selects(i uint32, step int, reason Reason) {
	plan, c := p.plan, p.c
	s := Selected{Index: i, Level: c.levelAt(i, step), Reason: reason}
	s.Cost = c.Cost[s.Level][i]
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
