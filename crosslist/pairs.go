package crosslist

// A pair of a trigger and an entity is kept on both sides while the trigger's outer
// box holds the entity, with a bit that says whether the entity is a member.
// Between batches that is exactly so; a settlement makes it so again.

// within reports whether v is within r of c. r = -1 holds nothing.
func within(v, c, r int32) bool {
	d := int64(v) - int64(c)
	return d <= int64(r) && -d <= int64(r)
}

// holds reports whether the outer box holds a point.
func (r *ring) holds(p point) bool {
	return within(p.x, r.at.x, r.outer) && within(p.y, r.at.y, r.outer)
}

// held reports whether the outer box held a point when the last batch ended.
func (r *formerRing) held(p point) bool {
	return within(p.x, r.at.x, r.outer) && within(p.y, r.at.y, r.outer)
}

// admits reports whether a member, or a stranger, at p is to be a member.
func (r *ring) admits(shape Shape, p point, member bool) bool {
	limit := int64(r.inner)
	if member {
		limit = int64(r.outer)
	}
	dx, dy := int64(p.x)-int64(r.at.x), int64(p.y)-int64(r.at.y)
	if shape == Box {
		return dx <= limit && -dx <= limit && dy <= limit && -dy <= limit
	}
	// |dx| and |dy| are below 2^31, limit below 2^30.
	return dx*dx+dy*dy <= limit*limit
}

// watchers returns the set of an entity that a trigger's pairs are in.
func (l *List) watchers(t, slot uint32) *set {
	return &l.bodies[slot].watchers[l.former[t].shape]
}

// join makes a pair whose outer box begins to hold.
func (l *List) join(t, slot uint32) {
	in := entry(0)
	if l.rings[t].admits(l.former[t].shape, l.places[slot], false) {
		in = inBit
		l.emit(t, slot, Enter)
	}
	l.pairs.add(&l.zones[t].members, entry(slot)|in)
	l.pairs.add(l.watchers(t, slot), entry(t)|in)
	l.held++
}

// part ends a pair, and returns whether it held.
func (l *List) part(t, slot uint32) (in bool) {
	in = l.pairs.drop(l.watchers(t, slot), t)
	l.pairs.drop(&l.zones[t].members, slot)
	l.held--
	return in
}

// endWatchers ends all pairs of an entity with triggers, because it goes.
func (l *List) endWatchers(slot uint32) {
	for shape := range l.bodies[slot].watchers {
		l.over = l.over[:0]
		for _, e := range l.pairs.of(&l.bodies[slot].watchers[shape]) {
			if !e.isVacant() {
				l.over = append(l.over, e.number())
			}
		}
		for _, t := range l.over {
			l.endPair(t, slot)
		}
	}
}

// endMembers ends all pairs of a trigger, because it goes.
func (l *List) endMembers(t uint32) {
	l.over = l.over[:0]
	for _, e := range l.pairs.of(&l.zones[t].members) {
		if !e.isVacant() {
			l.over = append(l.over, e.number())
		}
	}
	for _, slot := range l.over {
		l.endPair(t, slot)
	}
}

func (l *List) endPair(t, slot uint32) {
	if l.part(t, slot) {
		l.ended = append(l.ended, l.event(t, slot, Leave))
	}
}

// reviewBody decides every pair of an entity with triggers of a shape anew, and
// ends those whose outer box does not hold any more. Most stay what they are: so it
// first finds those that do not, and changes sets after.
func (l *List) reviewBody(slot uint32, shape Shape) {
	p := l.places[slot]
	l.over = l.over[:0]
	for _, e := range l.pairs.of(&l.bodies[slot].watchers[shape]) {
		if e.isVacant() {
			continue
		}
		if r := &l.rings[e.number()]; !r.holds(p) || r.admits(shape, p, e.in()) != e.in() {
			l.over = append(l.over, uint32(e))
		}
	}
	for _, e := range l.over {
		l.decide(entry(e).number(), slot, entry(e).in())
	}
}

// reviewTrigger is reviewBody for all pairs of a trigger.
func (l *List) reviewTrigger(t uint32) {
	r, shape := l.rings[t], l.former[t].shape
	l.over = l.over[:0]
	for _, e := range l.pairs.of(&l.zones[t].members) {
		if e.isVacant() {
			continue
		}
		if p := l.places[e.number()]; !r.holds(p) || r.admits(shape, p, e.in()) != e.in() {
			l.over = append(l.over, uint32(e))
		}
	}
	for _, e := range l.over {
		l.decide(t, entry(e).number(), entry(e).in())
	}
}

// decide brings a pair up to date.
func (l *List) decide(t, slot uint32, was bool) {
	r, p := &l.rings[t], l.places[slot]
	in := r.admits(l.former[t].shape, p, was)
	switch {
	case in && !was:
		l.emit(t, slot, Enter)
	case was && !in:
		l.emit(t, slot, Leave)
	}
	switch {
	case !r.holds(p):
		l.part(t, slot)
	case in != was:
		bit := entry(0)
		if in {
			bit = inBit
		}
		l.pairs.put(&l.zones[t].members, entry(slot)|bit)
		l.pairs.put(l.watchers(t, slot), entry(t)|bit)
	}
}

// depart ends a pair of a box that does not hold any more.
func (l *List) depart(t, slot uint32) {
	if l.part(t, slot) {
		l.emit(t, slot, Leave)
	}
}

// admit makes a member of an entity whose pair is there, if it is none.
func (l *List) admit(t, slot uint32) {
	watchers := l.watchers(t, slot)
	if i, ok := l.pairs.find(watchers, t); ok && !l.pairs.of(watchers)[i].in() {
		l.decide(t, slot, false)
	}
}
