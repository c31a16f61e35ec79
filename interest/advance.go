package interest

import "vicinity/grid"

// advance updates the view, which looks from sc.points.
func (v *View) advance(now *grid.Snapshot, sc *scratch) {
	sc.ready()
	sc.given = false
	if v.set.asks() {
		sc.undo.begin(v)
		defer sc.undo.rollBack(v)
	}
	v.follow(now, sc)
}

// follow is advance, with the scratch memory ready.
func (v *View) follow(now *grid.Snapshot, sc *scratch) {
	previous, ok := now.Previous()
	next := ok && v.placed && v.tick == previous
	same := next || v.placed && v.set.lastArrival <= v.tick
	one := next && v.followsUp(now)
	// Whatever ends this half way, the next update must not trust it.
	v.tick, v.placed, v.force = now.Tick(), false, true
	if v.maxMembers > 0 {
		v.keepMembers(sc)
	}
	if one {
		// With a cap, too: who is relevant was a member, or the last update was over it.
		sc.stats.OnePass++
		v.onePass(now, sc)
	} else {
		sc.stats.General++
		// Who is in this snapshot was in the view's last one if nobody arrived since.
		v.compare(now, sc, same)
	}
	sc.undo.on = false // nobody is asked from here on
	if v.maxMembers > 0 {
		v.cull(now, sc)
	}
	if v.set.asks() {
		v.remember(sc)
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
	for storage := range now.Storages() {
		if v.reach[now.LayerOf(storage)].Enter != Unseen && !now.Steady(storage) {
			return false
		}
	}
	return true
}

// blind empties the view of an observer that is nowhere.
func (v *View) blind(now *grid.Snapshot, sc *scratch) {
	sc.ready()
	sc.stats.General++
	v.tick = now.Tick()
	for i := range v.rows.words {
		for word := v.rows.words[i].member; word != 0; word &= word - 1 {
			v.leave(64*i+lowest(word), ReasonObserver)
		}
	}
	v.dropDead()
	v.placed, v.culling, v.refused = false, false, v.refused[:0]
	v.complete(sc)
}
