package packer

// serveShares serves each class that owns a share of open bytes. What its members
// among musts cost counts toward it.
func (p *Packer) serveShares(open uint32, musts []Selected) {
	spent := p.spentBy(musts)
	for class := range p.b.n {
		share := uint64(part(p.b.classes[class].share, open))
		if share > spent[class] {
			p.serveShare(uint8(class), uint32(share-spent[class]))
		}
	}
}

// spentBy returns what each class has got of the selected; a group's bytes are its
// leader's class's.
func (p *Packer) spentBy(selected []Selected) (spent [MaxClasses]uint64) {
	var class uint8
	rest := 0 // of the group at hand
	for _, s := range selected {
		if rest == 0 {
			class, rest = p.c.class(s.Index), 1
			if g := p.groupOf(s.Index); g != nil {
				rest = g.n
			}
		}
		rest--
		spent[class] += uint64(s.Cost)
	}
	return spent
}

// serveShare serves the owners of one class that are normal ones.
func (p *Packer) serveShare(class uint8, room uint32) {
	p.side.reset()
	for _, i := range p.owners {
		if p.costs[i] != 0 && p.c.class(i) == class {
			p.side.add(p.keys[i], p.costs[i])
		}
	}
	p.serve(&p.side, room, ReasonGuaranteed)
	if len(p.side.key) == 0 {
		return
	}
	for _, g := range p.fit.taken {
		p.leave(g.index)
	}
}
