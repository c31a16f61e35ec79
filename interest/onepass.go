package interest

import "vicinity/grid"

// onePass applies the crossings of limits since the snapshot before, and what else
// changed.
func (v *View) onePass(now *grid.Snapshot, sc *scratch) {
	p := sc.points[0]
	changes := v.set.traits.last > v.updated
	for storage := range now.Storages() {
		class := now.LayerOf(storage)
		l := &v.reach[class]
		if l.Enter == Unseen {
			continue
		}
		pair := l.pair(p, v.at)
		var work grid.Work
		sc.enter, sc.leave, work = now.AppendCrossings(sc.enter[:0], sc.leave[:0], storage, &pair, l.outer)
		sc.stats.Candidates += work.Candidates
		sc.stats.Cells += work.Cells
		if len(sc.enter)+len(sc.leave) > manyLookups {
			v.fill(sc)
		}
		for _, slot := range sc.leave {
			v.crossedOut(now, sc, slot, changes)
		}
		slots := now.Columns(storage).Slot
		for _, i := range sc.enter {
			v.crossedIn(now, sc, slots[i], class, changes)
		}
		v.empty(sc)
	}
	if v.relational {
		v.followRelations(now, sc, changes)
	}
	if changes {
		v.followChanges(now, sc)
	}
}

// manyLookups is from how many lookups on it pays to index the rows first: a
// search goes over all rows too, but 16 at a time.
const manyLookups = 24

// fill indexes the view's rows; empty undoes it.
func (v *View) fill(sc *scratch) {
	sc.index.fill(&v.rows, v.set.cfg.Arena.Slots())
	sc.indexed = true
}

func (v *View) empty(sc *scratch) {
	if !sc.indexed {
		return
	}
	sc.index.empty(&v.rows)
	if sc.linked {
		for i := range sc.strangers {
			sc.index.row[sc.strangers[i].handle.Slot()] = 0
		}
	}
	sc.indexed, sc.linked = false, false
}

// find returns the row of a slot, -1 if there is none.
func (v *View) find(sc *scratch, slot uint32) int {
	if sc.indexed {
		return sc.index.find(slot)
	}
	return v.rows.find(slot)
}

// crossedOut takes the source Spatial from somebody beyond the leave radius, who
// was not before, or all from somebody who is gone.
func (v *View) crossedOut(now *grid.Snapshot, sc *scratch, slot uint32, changes bool) {
	gone := slot&grid.Left != 0
	slot &^= grid.Left
	if changes && !gone && v.changed(slot) {
		v.judge(now, sc, slot)
		return
	}
	r := v.find(sc, slot)
	if r < 0 || !v.rows.isMember(r) || !gone && slot == v.entity.Slot() && v.entity != 0 {
		return // oneself is never out of reach
	}
	sc.undo.keep(v, r)
	switch s := v.rows.sources(r) &^ Spatial; {
	case gone:
		v.leave(r, ReasonDespawn)
	case s == 0:
		v.leave(r, ReasonRange)
	default:
		v.rows.setSources(r, s)
	}
}

// crossedIn gives the source Spatial to somebody within the enter radius, who was
// not before.
func (v *View) crossedIn(now *grid.Snapshot, sc *scratch, slot uint32, class int, changes bool) {
	if changes && v.changed(slot) {
		v.judge(now, sc, slot)
		return
	}
	h := now.Handle(slot)
	if h == v.excluded() {
		return
	}
	r := v.find(sc, slot)
	if r >= 0 && v.rows.isMember(r) {
		if w, b := v.rows.bit(r); w.related&b != 0 {
			sc.undo.keep(v, r)
			v.rows.setSources(r, v.rows.sources(r)|Spatial)
		}
		return
	}
	if v.permits(sc, h, false) {
		e := stranger{id: now.ID(slot), handle: h, sources: Spatial, class: uint8(class), reason: ReasonRange}
		if v.relational {
			e.sources |= v.related(h)
		}
		v.admit(sc, r, e)
	}
}

// admit lets somebody enter who is no member. r is the row of the slot, if there is
// one.
func (v *View) admit(sc *scratch, r int, e stranger) {
	if r >= 0 {
		sc.undo.keep(v, r)
		if v.rows.row[r].generation == e.handle.Generation() {
			v.readmit(sc, r, &e)
			return
		}
		v.replace(sc, r)
	}
	v.meetStranger(sc, e)
}

// changed reports whether something about the entity of a slot, besides where it
// is, changed since the view's last update.
func (v *View) changed(slot uint32) bool {
	t := &v.set.traits
	return uint64(slot) < uint64(len(t.records)) && t.records[slot].changed > v.updated
}
