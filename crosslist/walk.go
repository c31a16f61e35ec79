package crosslist

import (
	"math/bits"
	"slices"
)

// walkBody moves an entity's nodes past others, and notes the triggers whose anchors
// it passed.
func (l *List) walkBody(slot uint32) {
	was, now := l.before[slot], l.places[slot]
	if was.x != now.x {
		l.passed = l.axes[0].move(bodyWord(was.x, slot), bodyWord(now.x, slot), l.passed[:0], false)
		l.passedAnchors(slot, was.y, now.y, 0)
	}
	if was.y != now.y {
		l.passed = l.axes[1].move(bodyWord(was.y, slot), bodyWord(now.y, slot), l.passed[:0], false)
		l.passedAnchors(slot, was.x, now.x, 1)
	}
	l.stats.Walks++
}

// walkTrigger moves a trigger's anchors past others, and notes the entities that
// they passed. Its radius is what it was.
func (l *List) walkTrigger(t uint32) {
	r, was := l.rings[t], l.zones[t].former.at
	if was.x != r.at.x {
		l.walkAnchors(0, t, was.x, r.at.x)
		l.passedBodies(t, was.y, r.at.y, 0)
	}
	if was.y != r.at.y {
		l.walkAnchors(1, t, was.y, r.at.y)
		l.passedBodies(t, was.x, r.at.x, 1)
	}
	l.stats.Walks++
}

func (l *List) walkAnchors(axis int, t uint32, was, now int32) {
	a, r, outer, inner := &l.axes[axis], &l.rings[t], anchors(t, false), anchors(t, true)
	passed := l.passed[:0]
	passed = a.move(makeWord(was-r.outer, kindLow, outer), makeWord(now-r.outer, kindLow, outer), passed, true)
	passed = a.move(makeWord(was+r.outer, kindHigh, outer), makeWord(now+r.outer, kindHigh, outer), passed, true)
	if r.hasInner(r.shape) {
		passed = a.move(makeWord(was-r.inner, kindLow, inner), makeWord(now-r.inner, kindLow, inner), passed, true)
		passed = a.move(makeWord(was+r.inner, kindHigh, inner), makeWord(now+r.inner, kindHigh, inner), passed, true)
	}
	l.passed = passed
}

// Most of what is passed is far away on the other axis. The two functions below drop
// that quickly: what they drop is apart there before and now, or jumps and is left to
// that. Which nodes are near cannot be foreseen, so they store every one and step on
// by a bit: far(v, n) is 1 if 0 <= v <= n does not hold.

func far(v, n int64) int {
	_, borrow := bits.Sub64(uint64(n), uint64(v), 0)
	return int(borrow)
}

// passedAnchors notes the pairs of an entity that passed anchors on an axis, while
// it went from a to b on the other.
func (l *List) passedAnchors(slot uint32, a, b int32, axis int) {
	lo, n := int64(min(a, b))-l.slack, int64(max(a, b))-int64(min(a, b))+2*l.slack
	k, crossings := l.room()
	for _, w := range l.passed {
		t := w.number() / 2
		r := &l.rings[t]
		at := r.at.y
		if axis == 1 {
			at = r.at.x
		}
		crossings[k] = pairKey(t, slot)
		k += 1 - far(int64(at)+int64(r.outer)-lo, n+2*int64(r.outer))
	}
	l.crossings = crossings[:k]
}

// passedBodies notes the pairs of a trigger whose anchors passed entities on an
// axis, while it went from a to b on the other.
func (l *List) passedBodies(t uint32, a, b int32, axis int) {
	reach := int64(l.rings[t].outer) + l.slack
	lo, n := int64(min(a, b))-reach, int64(max(a, b))-int64(min(a, b))+2*reach
	k, crossings := l.room()
	for _, w := range l.passed {
		slot := w.number()
		v := l.places[slot].y
		if axis == 1 {
			v = l.places[slot].x
		}
		crossings[k] = pairKey(t, slot)
		k += 1 - far(int64(v)-lo, n)
	}
	l.crossings = crossings[:k]
}

// room returns the crossings noted so far and how many they are, with room for all
// that was passed.
func (l *List) room() (k int, crossings []uint64) {
	k = len(l.crossings)
	crossings = slices.Grow(l.crossings, len(l.passed))
	return k, crossings[:k+len(l.passed)]
}

// crossMany decides the pairs that were noted if there are many. All at once costs
// fewer wrong guesses; but in a batch they would be too many to keep at hand.
func (l *List) crossMany() {
	if len(l.crossings) > 1<<10 {
		l.cross()
	}
}

// cross decides the pairs that were noted.
func (l *List) cross() {
	for _, key := range l.crossings {
		t, slot := uint32(key>>32), uint32(key)
		if l.rings[t].shape == Disc {
			l.meet(t, slot)
		} else {
			l.weigh(t, slot)
		}
	}
	l.crossings = l.crossings[:0]
}
