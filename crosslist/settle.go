package crosslist

// settle ends a batch: it brings nodes, pairs and memberships up to what places
// and rings are now, appends one event for each pair whose membership differs from
// what it was at the last settlement, and makes now the new was.
//
// Which pairs can differ? A pair whose outer box held before has entries; those are
// reviewed. A pair whose outer box holds now and did not before was apart on some
// axis, so the entity's node and one of the trigger's anchors have changed places
// there: one of the two passes the other when it walks. Or one of them does not
// walk but jumps, and then looks around where it arrives. Everything is decided on
// the places and rings of before and now, never on what lies between or on who has
// walked already; so it does not matter in which order they walk.
//
// Each such pair is decided once. If it began or ceased to be together on an axis,
// the entity's node and exactly one of the two anchors have changed places; that is
// one pass, because two nodes that both walk and pass each other twice are where
// they were. If that is so on both axes, the pass on x counts (see crossed).
// Pairs with a party that jumps are left to the one that looks around; if both do,
// to the entity.
func (l *List) settle(dst []Event) []Event {
	start := len(dst)
	l.out = append(dst, l.ended...)
	l.follow()
	l.plan()
	l.review()
	l.relink()
	if l.jumps > 0 {
		l.arrive()
	}
	dst, l.out = l.out, nil
	sortEvents(dst[start:])
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
// and what is far from where it was.
func (l *List) plan() {
	for _, slot := range l.moved {
		b := &l.bodies[slot]
		if !b.present {
			continue
		}
		b.jumps = b.jumps || l.far(l.before[slot], l.places[slot])
		if !b.jumps {
			continue
		}
		l.jumps++
		for t := b.triggers; t != 0; t = l.zones[t-1].next {
			l.former[t-1].jumps = true
		}
	}
	l.solo = len(l.moved)+len(l.changed) == 1 || len(l.moved) == 1
	for _, t := range l.changed {
		z, r := &l.zones[t], &l.former[t]
		if z.name == 0 {
			continue
		}
		if z.owner == 0 && l.far(r.at, l.rings[t].at) {
			r.jumps = true // else as its owner does
		}
		if r.jumps {
			l.jumps++
		}
		l.solo = l.solo && (len(l.moved) == 0 || z.owner == l.moved[0]+1)
	}
}

func (l *List) far(was, now point) bool {
	dx, dy := int64(now.x)-int64(was.x), int64(now.y)-int64(was.y)
	return max(dx, -dx) > l.axes[0].farFrom || max(dy, -dy) > l.axes[1].farFrom
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
		if r := &l.former[t]; l.zones[t].name != 0 && (r.shape == Disc || r.jumps) {
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
		}
	}
	for _, t := range l.changed {
		switch z, r := &l.zones[t], &l.former[t]; {
		case z.name == 0:
		case r.jumps:
			if z.linked {
				l.unlinkTrigger(t)
			}
			l.linkTrigger(t)
		default:
			l.walkTrigger(t)
		}
	}
}

// arrive makes the pairs of those who jumped.
func (l *List) arrive() {
	for _, slot := range l.moved {
		if b := &l.bodies[slot]; !b.present || !b.jumps {
			continue
		}
		l.over = l.appendOver(l.over[:0], l.places[slot])
		for _, t := range l.over {
			if l.zones[t].owner != slot+1 && !l.former[t].held(l.before[slot]) {
				l.join(t, slot)
			}
		}
	}
	for _, t := range l.changed {
		z, was := &l.zones[t], &l.former[t]
		if z.name == 0 || !was.jumps {
			continue
		}
		l.over = l.appendSlots(l.over[:0], square(l.rings[t].at, l.rings[t].outer))
		for _, slot := range l.over {
			if z.owner != slot+1 && !l.bodies[slot].jumps && !was.held(l.before[slot]) {
				l.join(t, slot)
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
		l.zones[t].touched = false
		l.former[t].jumps = false
		l.former[t].ring = l.rings[t]
	}
	for _, slot := range l.gone {
		l.bodies[slot].gone = false
	}
	l.moved, l.changed, l.gone, l.ended = l.moved[:0], l.changed[:0], l.gone[:0], l.ended[:0]
	l.jumps = 0
}
