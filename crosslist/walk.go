package crosslist

import "math/bits"

// walkBody moves an entity's nodes past others.
func (l *List) walkBody(slot uint32) {
	was, now := l.before[slot], l.places[slot]
	if was.x != now.x {
		a := &l.axes[0]
		l.passed = a.move(bodyWord(was.x, slot), bodyWord(now.x, slot), l.passed[:0], false)
		if l.solo {
			l.passed = l.nearRows(l.passed, was.y, now.y)
		}
		for _, w := range l.passed {
			l.crossed(0, w.number()/2, slot, w.kind(), w.number()&1 != 0)
		}
	}
	if was.y != now.y {
		a := &l.axes[1]
		l.passed = a.move(bodyWord(was.y, slot), bodyWord(now.y, slot), l.passed[:0], false)
		if l.solo {
			l.passed = l.nearColumns(l.passed, was.x, now.x)
		}
		for _, w := range l.passed {
			l.crossed(1, w.number()/2, slot, w.kind(), w.number()&1 != 0)
		}
	}
	l.stats.Walks++
}

// walkTrigger moves a trigger's anchors past others. Its radius is what it was.
func (l *List) walkTrigger(t uint32) {
	r, was := l.rings[t], l.former[t].at
	both := hasInner(l.former[t].shape, &r)
	for axis, v := range [2][2]int32{{was.x, r.at.x}, {was.y, r.at.y}} {
		if v[0] == v[1] {
			continue
		}
		l.walkAnchor(axis, t, v[0]-r.outer, v[1]-r.outer, kindLow, false)
		l.walkAnchor(axis, t, v[0]+r.outer, v[1]+r.outer, kindHigh, false)
		if both {
			l.walkAnchor(axis, t, v[0]-r.inner, v[1]-r.inner, kindLow, true)
			l.walkAnchor(axis, t, v[0]+r.inner, v[1]+r.inner, kindHigh, true)
		}
	}
	l.stats.Walks++
}

func (l *List) walkAnchor(axis int, t uint32, was, now int32, kind uint32, inner bool) {
	number := anchors(t, inner)
	l.passed = l.axes[axis].move(makeWord(was, kind, number), makeWord(now, kind, number), l.passed[:0], true)
	if l.solo {
		l.passed = l.nearBodies(l.passed, axis, t)
	}
	for _, w := range l.passed {
		l.crossed(axis, t, w.number(), kind, inner)
	}
}

// Most of what is passed is far away on the other axis. Where all but one stand
// still, the three functions below drop that quickly: what they drop is apart there
// before and now. Which nodes are near cannot be foreseen, so they store every one
// and step on by a bit: far(v, n) is 1 if 0 <= v <= n does not hold.

func far(v, n int64) int {
	_, borrow := bits.Sub64(uint64(n), uint64(v), 0)
	return int(borrow)
}

// nearRows keeps the anchors of triggers whose outer box holds y = a, y = b or
// something between.
func (l *List) nearRows(passed []word, a, b int32) []word {
	lo, n := int64(min(a, b)), int64(max(a, b))-int64(min(a, b))
	k := 0
	for _, w := range passed {
		r := &l.rings[w.number()/2]
		passed[k] = w
		k += 1 - far(int64(r.at.y)+int64(r.outer)-lo, n+2*int64(r.outer))
	}
	return passed[:k]
}

// nearColumns is nearRows for x.
func (l *List) nearColumns(passed []word, a, b int32) []word {
	lo, n := int64(min(a, b)), int64(max(a, b))-int64(min(a, b))
	k := 0
	for _, w := range passed {
		r := &l.rings[w.number()/2]
		passed[k] = w
		k += 1 - far(int64(r.at.x)+int64(r.outer)-lo, n+2*int64(r.outer))
	}
	return passed[:k]
}

// nearBodies keeps the entities that the trigger's outer box holds or held on the
// other axis, or would have between.
func (l *List) nearBodies(passed []word, axis int, t uint32) []word {
	r, was := &l.rings[t], &l.former[t]
	k := 0
	if axis == 0 {
		lo, hi := int64(min(was.at.y, r.at.y))-int64(r.outer), int64(max(was.at.y, r.at.y))+int64(r.outer)
		for _, w := range passed {
			passed[k] = w
			k += 1 - far(int64(l.places[w.number()].y)-lo, hi-lo)
		}
		return passed[:k]
	}
	lo, hi := int64(min(was.at.x, r.at.x))-int64(r.outer), int64(max(was.at.x, r.at.x))+int64(r.outer)
	for _, w := range passed {
		passed[k] = w
		k += 1 - far(int64(l.places[w.number()].x)-lo, hi-lo)
	}
	return passed[:k]
}

// crossed is called when the node of an entity and an anchor of a trigger passed
// each other: one of that kind, of the inner interval or the outer. It decides the
// pair, if that is for this pass to do. An owner and its own trigger move as one:
// their pair is the same before and now, and nothing comes of it.
func (l *List) crossed(axis int, t, slot, kind uint32, inner bool) {
	if l.jumps > 0 && (l.former[t].jumps || l.bodies[slot].jumps) {
		return
	}
	r, former := &l.rings[t], &l.former[t]
	p, q := l.places[slot], l.before[slot]
	wasX, nowX := within(q.x, former.at.x, r.outer), within(p.x, r.at.x, r.outer)
	wasY, nowY := within(q.y, former.at.y, r.outer), within(p.y, r.at.y, r.outer)
	was, now := wasX && wasY, nowX && nowY
	if inner {
		if was && now {
			l.crossedInner(axis, t, slot, kind)
		}
		return
	}
	if was == now || !decides(axis, wasX != nowX, wasY != nowY) || !l.swapped(axis, t, slot, kind, r.outer) {
		return
	}
	if now {
		l.join(t, slot)
	} else if former.shape == Box {
		l.depart(t, slot)
	}
}

// crossedInner is crossed for the inner anchors of boxes, and pairs that the outer
// box held and holds; others come by its anchors.
func (l *List) crossedInner(axis int, t, slot, kind uint32) {
	r, former := &l.rings[t], &l.former[t]
	p, q := l.places[slot], l.before[slot]
	wasX, nowX := within(q.x, former.at.x, r.inner), within(p.x, r.at.x, r.inner)
	wasY, nowY := within(q.y, former.at.y, r.inner), within(p.y, r.at.y, r.inner)
	enters := nowX && nowY && !(wasX && wasY)
	if enters && decides(axis, wasX != nowX, wasY != nowY) && l.swapped(axis, t, slot, kind, r.inner) {
		l.admit(t, slot)
	}
}

// decides reports whether passes on an axis are to decide about a pair, given on
// which axes its interval has begun or ceased to hold: the first of them.
func decides(axis int, x, y bool) bool {
	if axis == 0 {
		return x
	}
	return y && !x
}

// swapped reports whether an anchor, at distance reach from the centre, and an
// entity have changed places. If both walked they may have passed each other twice,
// to no effect.
func (l *List) swapped(axis int, t, slot, kind uint32, reach int32) bool {
	r, former := &l.rings[t], &l.former[t]
	was := int64(l.before[slot].x) - int64(former.at.x)
	now := int64(l.places[slot].x) - int64(r.at.x)
	if axis == 1 {
		was = int64(l.before[slot].y) - int64(former.at.y)
		now = int64(l.places[slot].y) - int64(r.at.y)
	}
	if kind == kindLow {
		return (was >= -int64(reach)) != (now >= -int64(reach))
	}
	return (was <= int64(reach)) != (now <= int64(reach))
}
