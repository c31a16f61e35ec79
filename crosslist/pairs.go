package crosslist

// A trigger and an entity that its outer box holds are a pair, and candidates of
// each other. Who is a member follows from where the two are, except in the margin:
// there it follows from what was before, and members are noted (see lingering). So
// what a call or batch changes can be told from the places before and now alone.
// Nothing is looked up, and it does not matter who decides a pair, or how often:
// the same event comes of it, and is kept once.

// weigh decides a pair: it notes the event if the membership differs from what it
// was, and makes candidates of those whose outer box begins to hold.
func (l *List) weigh(t, slot uint32) {
	r := &l.rings[t]
	z := &l.zones[t]
	was, now := z.former.depth(r.shape, l.before[slot]), r.depth(r.shape, l.places[slot])
	if was == now || z.owner == slot+1 {
		return
	}
	if was == apart {
		l.join(t, slot)
	}
	lingered := was == margin && l.lingering.has(pairKey(t, slot))
	member := was == inside || lingered
	in := now == inside || now == margin && member
	if in != member {
		kind := Leave
		if in {
			kind = Enter
		}
		l.events = append(l.events, l.event(t, slot, kind))
	}
	if lingers := now == margin && in; lingers != lingered {
		// Not yet: it might be decided once more.
		l.lingers = append(l.lingers, linger{pairKey(t, slot), lingers})
	}
}

// meet decides a pair if its outer box did not hold before. If it did, the pair is
// reviewed.
func (l *List) meet(t, slot uint32) {
	if !l.zones[t].former.holds(l.before[slot]) {
		l.weigh(t, slot)
	}
}

// reviewBody decides anew the pairs of an entity with triggers of a shape; those
// with triggers that are reviewed themselves are left to that. It drops candidates
// that are none any more. Most pairs stay what they are, and cost little.
func (l *List) reviewBody(slot uint32, shape Shape) {
	was, now := l.before[slot], l.places[slot]
	s := &l.bodies[slot].watchers[shape]
	list, k := l.pool.of(s), 0
	for _, t := range list {
		r := &l.rings[t]
		list[k] = t
		if r.touched && (r.shape == Disc || r.jumps) {
			k++
			continue
		}
		ax, ay := int64(was.x)-int64(r.at.x), int64(was.y)-int64(r.at.y)
		bx, by := int64(now.x)-int64(r.at.x), int64(now.y)-int64(r.at.y)
		if max(bx, -bx, by, -by) <= int64(r.outer) {
			k++
		}
		if shape == Box || turns(ax*ax+ay*ay, bx*bx+by*by, square64(r.inner), square64(r.outer)) {
			l.reweigh(t, slot)
		}
	}
	s.n = uint32(k)
}

// reviewTrigger is reviewBody for all pairs of a trigger.
func (l *List) reviewTrigger(t uint32) {
	z, r := &l.zones[t], l.rings[t]
	from, inner, outer := z.former.at, square64(r.inner), square64(r.outer)
	was := l.before
	if l.solo {
		was = l.places // nobody else moves: these are at hand
	}
	list, k := l.pool.of(&z.members), 0
	for _, slot := range list {
		list[k] = slot
		p, q := was[slot], l.places[slot]
		ax, ay := int64(p.x)-int64(from.x), int64(p.y)-int64(from.y)
		bx, by := int64(q.x)-int64(r.at.x), int64(q.y)-int64(r.at.y)
		if max(bx, -bx, by, -by) <= int64(r.outer) {
			k++
		}
		if r.jumps || turns(ax*ax+ay*ay, bx*bx+by*by, inner, outer) {
			l.reweigh(t, slot)
		}
	}
	z.members.n = uint32(k)
}

// reweigh decides a pair again whose outer box held before. Others are met.
func (l *List) reweigh(t, slot uint32) {
	if l.zones[t].former.holds(l.before[slot]) {
		l.weigh(t, slot)
	}
}

// endWatchers ends all pairs of an entity with triggers, because it goes.
func (l *List) endWatchers(slot uint32) {
	for shape := range l.bodies[slot].watchers {
		s := &l.bodies[slot].watchers[shape]
		for _, t := range l.pool.of(s) {
			l.endPair(t, slot)
		}
		l.pool.clear(s)
	}
}

// endMembers ends all pairs of a trigger, because it goes.
func (l *List) endMembers(t uint32) {
	s := &l.zones[t].members
	for _, slot := range l.pool.of(s) {
		l.endPair(t, slot)
	}
	l.pool.clear(s)
}

// endPair ends what was a pair, and perhaps was one no more, when the last batch
// ended.
func (l *List) endPair(t, slot uint32) {
	if l.zones[t].owner == slot+1 {
		return
	}
	was := l.zones[t].former.depth(l.rings[t].shape, l.before[slot])
	if was == inside || was == margin && l.lingering.drop(pairKey(t, slot)) {
		l.events = append(l.events, l.event(t, slot, Leave))
	}
}

// isMember reports whether a pair's entity is a member, between batches.
func (l *List) isMember(t, slot uint32) bool {
	d := l.rings[t].depth(l.rings[t].shape, l.places[slot])
	return d == inside || d == margin && l.lingering.has(pairKey(t, slot))
}
