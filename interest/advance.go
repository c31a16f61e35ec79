package interest

import "vicinity/grid"

// advance updates the view, which looks from sc.points.
func (v *View) advance(now *grid.Snapshot, sc *scratch) {
	sc.strangers, sc.returned, sc.crowd, sc.given = sc.strangers[:0], sc.returned[:0], sc.crowd[:0], false
	previous, ok := now.Previous()
	next := ok && v.placed && v.tick == previous
	last := v.tick
	v.tick = now.Tick()
	if v.maxMembers > 0 {
		v.keepMembers(sc)
	}
	if next && v.followsUp(now) {
		// With a cap, too: who is relevant was a member, or the last update was over it.
		sc.stats.OnePass++
		v.onePass(now, sc)
	} else {
		sc.stats.General++
		// Who is in this snapshot was in the view's last one if nobody arrived since.
		v.compare(now, sc, next || v.placed && v.set.lastArrival <= last)
	}
	if v.maxMembers > 0 {
		v.cull(now, sc)
	}
	v.at, v.placed = sc.points[0], !v.several
	v.complete(sc)
	if v.measured {
		v.measure(sc)
	}
}

// followsUp reports whether the one-pass way is right for a view that is exactly
// one snapshot old: nothing of the view changed, the old positions are known, and
// the entities that changed otherwise are listed.
func (v *View) followsUp(now *grid.Snapshot) bool {
	t := &v.set.traits
	if v.before != nil || v.force || v.culling || v.several || v.set.compareOnly {
		return false
	}
	if t.last > v.updated && (v.updated < t.from || !t.sorted) {
		return false
	}
	for class := range v.reach {
		if v.reach[class].Enter != Unseen && !now.Steady(class) {
			return false
		}
	}
	return true
}

// blind empties the view of an observer that is nowhere.
func (v *View) blind(now *grid.Snapshot, sc *scratch) {
	sc.stats.General++
	v.tick = now.Tick()
	for i := range v.rows.words {
		for word := v.rows.words[i].member; word != 0; word &= word - 1 {
			v.leave(64*i+lowest(word), ReasonObserver)
		}
	}
	v.dropDead()
	v.placed, v.culling = false, false
	sc.strangers = sc.strangers[:0]
	v.complete(sc)
}
