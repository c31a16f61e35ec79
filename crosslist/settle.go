package crosslist

// settle ends a batch: it brings nodes, pairs and memberships up to what places
// and rings are now, appends one event for each pair whose membership differs from
// what it was at the last settlement, and makes now the new was.
//
// Which pairs can differ? One whose outer box held before is among the candidates,
// and those are reviewed. One whose outer box holds now and did not before was apart
// on some axis, so the entity's node and one of the trigger's anchors have changed
// places there: one of the two passes the other when it walks. Or one of them does
// not walk but jumps, and then looks around where it arrives. Pairs of boxes in
// which nobody jumps need no review either: an anchor is passed if they differ.
//
// Everything is decided on the places and rings of before and now, never on what
// lies between or on who has walked already. So it does not matter in which order
// they walk; and a pair may be decided more than once, because it is the same event
// each time.
func (l *List) settle(dst []Event) []Event {
	start := len(dst)
	l.follow()
	l.plan()
	l.review()
	l.relink()
	if l.jumps {
		l.arrive()
	}
	dst = appendSorted(dst, l.events)
	l.rest()
	l.stats.Events += uint64(len(dst) - start)
	return dst
}

// follow moves attached triggers to their owners.
func (l *List) follow() {
	for _, slot := range l.moved {
		for t := l.bodies[slot].triggers; t != 0; t = l.zones[t-1].next {
			l.touchTrigger(t - 1)
			l.rings[t-1].at = l.places[slot]
		}
	}
}

// plan decides who jumps: what is new or has another radius, what the caller says,
// and what is far from where it was. Others walk: slack is how far.
func (l *List) plan() {
	for _, slot := range l.moved {
		b := &l.bodies[slot]
		if !b.present {
			continue
		}
		b.jumps = b.jumps || l.far(l.before[slot], l.places[slot])
		if !b.jumps {
			l.slack = max(l.slack, shift(l.before[slot], l.places[slot]))
			continue
		}
		l.jumps = true
		for t := b.triggers; t != 0; t = l.zones[t-1].next {
			l.rings[t-1].jumps = true
		}
	}
	l.solo = len(l.moved)+len(l.changed) == 1 || len(l.moved) == 1
	for _, t := range l.changed {
		z, r := &l.zones[t], &l.rings[t]
		if z.name == 0 {
			continue
		}
		if z.owner == 0 && l.far(z.former.at, r.at) {
			r.jumps = true // else as its owner does
		}
		if r.jumps {
			l.jumps = true
		} else {
			l.slack = max(l.slack, shift(z.former.at, r.at))
		}
		l.solo = l.solo && (len(l.moved) == 0 || z.owner == l.moved[0]+1)
	}
	if l.solo {
		l.slack = 0
	}
}

func (l *List) far(was, now point) bool {
	dx, dy := int64(now.x)-int64(was.x), int64(now.y)-int64(was.y)
	return max(dx, -dx) > l.axes[0].farFrom || max(dy, -dy) > l.axes[1].farFrom
}

// shift returns how far apart two points are on the axis where that is more.
func shift(p, q point) int64 {
	dx, dy := int64(p.x)-int64(q.x), int64(p.y)-int64(q.y)
	return max(dx, -dx, dy, -dy)
}

// review decides the pairs that there are. Pairs of boxes in which nobody jumps are
// left to the walks: they cannot differ unless an anchor is passed.
func (l *List) review() {
	for _, slot := range l.moved {
		if b := &l.bodies[slot]; b.present {
			l.reviewBody(slot, Disc)
			if b.jumps {
				l.reviewBody(slot, Box)
			}
		}
	}
	for _, t := range l.changed {
		if r := &l.rings[t]; l.zones[t].name != 0 && (r.shape == Disc || r.jumps) {
			l.reviewTrigger(t)
		}
	}
}

// relink brings all nodes to their places.
func (l *List) relink() {
	for _, slot := range l.moved {
		switch b := &l.bodies[slot]; {
		case !b.present:
		case b.jumps:
			l.jumpBody(slot)
		default:
			l.walkBody(slot)
			l.crossMany()
		}
	}
	for _, t := range l.changed {
		switch z, r := &l.zones[t], &l.rings[t]; {
		case z.name == 0:
		case r.jumps:
			if z.linked {
				l.unlinkTrigger(t)
			}
			l.linkTrigger(t)
		default:
			l.walkTrigger(t)
			l.crossMany()
		}
	}
	l.cross()
}

// arrive makes the pairs of those who jumped.
func (l *List) arrive() {
	for _, slot := range l.moved {
		if b := &l.bodies[slot]; !b.present || !b.jumps {
			continue
		}
		l.over = l.appendOver(l.over[:0], l.places[slot])
		for _, t := range l.over {
			l.meet(t, slot)
		}
	}
	for _, t := range l.changed {
		r := &l.rings[t]
		if l.zones[t].name == 0 || !r.jumps {
			continue
		}
		l.over = l.appendSlots(l.over[:0], square(r.at, r.outer))
		for _, slot := range l.over {
			if !l.bodies[slot].jumps { // who jumped has looked around
				l.meet(t, slot)
			}
		}
	}
}

// rest makes now what was.
func (l *List) rest() {
	for _, slot := range l.moved {
		b := &l.bodies[slot]
		b.touched, b.jumps = false, false
		l.before[slot] = l.places[slot]
	}
	for _, t := range l.changed {
		r := &l.rings[t]
		r.touched, r.jumps = false, false
		l.zones[t].former = r.extent
	}
	for _, slot := range l.gone {
		l.bodies[slot].gone = false
	}
	l.lingering.apply(l.lingers)
	l.lingers = l.lingers[:0]
	l.moved, l.changed, l.gone, l.events = l.moved[:0], l.changed[:0], l.gone[:0], l.events[:0]
	l.jumps, l.slack = false, 0
}
