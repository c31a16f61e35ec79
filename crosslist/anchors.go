package crosslist

// Anchors. Every trigger has the two of its outer interval on each axis. A box with
// a margin has those of the inner interval too. A disc has no use for them: within
// its box distances decide, and all its pairs are reviewed anyway.

// anchors is the number of the anchors of an interval: twice the trigger, plus one
// for the inner.
func anchors(t uint32, inner bool) uint32 {
	if inner {
		return 2*t + 1
	}
	return 2 * t
}

// hasInner reports whether a trigger has inner anchors.
func (r *extent) hasInner(shape Shape) bool { return shape == Box && r.inner != r.outer }

// eachAnchor passes the nodes of a trigger's anchors on both axes.
func (l *List) eachAnchor(t uint32, r *extent, visit func(a *axis, w word)) {
	inner := r.hasInner(l.rings[t].shape)
	for i, c := range [2]int32{r.at.x, r.at.y} {
		a := &l.axes[i]
		visit(a, makeWord(c-r.outer, kindLow, anchors(t, false)))
		visit(a, makeWord(c+r.outer, kindHigh, anchors(t, false)))
		if inner {
			visit(a, makeWord(c-r.inner, kindLow, anchors(t, true)))
			visit(a, makeWord(c+r.inner, kindHigh, anchors(t, true)))
		}
	}
}

// linkTrigger puts a trigger's anchors into the axes, where they are now.
func (l *List) linkTrigger(t uint32) {
	l.eachAnchor(t, &l.rings[t].extent, (*axis).insert)
	l.zones[t].linked = true
	l.stats.Jumps++
}

// unlinkTrigger takes a trigger's anchors out of the axes, where they were.
func (l *List) unlinkTrigger(t uint32) {
	l.eachAnchor(t, &l.zones[t].former, (*axis).remove)
	l.zones[t].linked = false
}

// jumpBody puts an entity's nodes where they are now, through the directory.
func (l *List) jumpBody(slot uint32) {
	b := &l.bodies[slot]
	if b.linked {
		l.unlinkBody(slot)
	}
	l.axes[0].insert(bodyWord(l.places[slot].x, slot))
	l.axes[1].insert(bodyWord(l.places[slot].y, slot))
	b.linked = true
	l.stats.Jumps++
}

// unlinkBody takes an entity's nodes out of the axes, where they were.
func (l *List) unlinkBody(slot uint32) {
	l.axes[0].remove(bodyWord(l.before[slot].x, slot))
	l.axes[1].remove(bodyWord(l.before[slot].y, slot))
}
