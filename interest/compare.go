package interest

import (
	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// compare compares all within the leave radius, and all that is related, with the
// rows. same says that a slot that this snapshot has, and the one of the view's last
// update had, is the same entity in both: either they follow one another (the arena
// does not hand out a slot again before it was published as free), or nobody arrived
// meanwhile.
func (v *View) compare(now *grid.Snapshot, sc *scratch, same bool) {
	filtered := v.set.traits.filters()
	sc.begin(len(v.rows.words), filtered, v.relational)
	v.fill(sc)
	v.sight(sc, same)
	sc.linked = v.relational || len(sc.points) > 1
	sc.crowd = sc.crowd[:0]
	if v.maxMembers > 0 {
		v.measureRings(sc)
	}
	for _, p := range sc.points {
		for storage := range now.Storages() {
			l := &v.reach[now.LayerOf(storage)]
			if l.Enter == Unseen {
				continue
			}
			d := l.disc(p)
			var work grid.Work
			sc.found, work = now.AppendIndexes(sc.found[:0], storage, &d, l.outer)
			sc.stats.Candidates += work.Candidates
			sc.stats.Cells += work.Cells
			sc.stats.Inside += len(sc.found)
			if filtered {
				v.filter(now, sc, storage, same)
			}
			v.meet(now, sc, storage, same)
		}
	}
	sc.markSeen()
	v.meetSelf(now, sc)
	if v.relational {
		v.meetRelations(sc)
	}
	if v.before != nil {
		v.blameReach(now, sc)
	}
	v.empty(sc)
	v.settle(sc, filtered)
}

// filter splits what was found in one storage: those not permitted are not met.
func (v *View) filter(now *grid.Snapshot, sc *scratch, storage int, same bool) {
	slots, t := now.Columns(storage).Slot, &v.set.traits
	own := uint32(noSlot)
	if v.entity != 0 && v.set.holds(v.entity) {
		own = v.entity.Slot()
	}
	if t.masked > 0 {
		v.filterByMask(sc, slots, own)
	} else {
		sc.denied = sc.denied[:0]
	}
	if t.asking > 0 && v.set.cfg.Predicate != nil {
		v.filterByAnswer(now, sc, slots, own, same)
	}
	for _, found := range sc.denied {
		v.meetDenied(now, sc, slots[found&^asm.Inner], found&asm.Inner != 0, same)
	}
}

// filterByMask is the permission bits' part of filter, without a branch.
func (v *View) filterByMask(sc *scratch, slots []uint32, own uint32) {
	if cap(sc.denied) < len(sc.found) {
		sc.denied = make([]uint32, 0, cap(sc.found))
	}
	permissions, mask := v.set.traits.permissions, v.mask
	denied, kept := sc.denied[:len(sc.found)], 0
	lost := 0
	for _, found := range sc.found {
		slot := slots[found&^asm.Inner]
		ok := permissions[slot].permits(mask)
		if slot == own {
			ok = 1
		}
		denied[lost], sc.found[kept] = found, found
		kept += ok
		lost += 1 - ok
	}
	sc.found, sc.denied = sc.found[:kept], denied[:lost]
}

// filterByAnswer is the predicate's part of filter.
func (v *View) filterByAnswer(now *grid.Snapshot, sc *scratch, slots []uint32, own uint32, same bool) {
	kept := 0
	for _, found := range sc.found {
		slot := slots[found&^asm.Inner]
		if r := &v.set.traits.records[slot]; r.ask && slot != own {
			row := sc.index.find(slot)
			_, enters := strangerOf(row)
			member := row >= 0 && v.rows.isMember(row) && (same || v.rows.row[row].generation == r.generation)
			// Who is neither member nor within the enter radius would not enter.
			if !enters && (member || found&asm.Inner != 0) && !v.answer(sc, r, now.Handle(slot), member) {
				sc.denied = append(sc.denied, found)
				continue
			}
		}
		sc.found[kept] = found
		kept++
	}
	sc.found = sc.found[:kept]
}

// meetDenied notes a member that is not permitted any more: it leaves for that, not
// because of its distance.
func (v *View) meetDenied(now *grid.Snapshot, sc *scratch, slot uint32, inner, same bool) {
	r := sc.index.find(slot)
	if r < 0 || !v.rows.isMember(r) || !same && v.rows.row[r].generation != now.Handle(slot).Generation() {
		return
	}
	sc.refuse(r)
	if inner || v.rows.sources(r)&Spatial != 0 {
		sc.mark(r)
	}
}

// meet goes through the found of one storage.
func (v *View) meet(now *grid.Snapshot, sc *scratch, storage int, same bool) {
	c, class, excluded := now.Columns(storage), now.LayerOf(storage), v.excluded()
	// With a cap, most strangers in a crowd are culled again: only where they are is
	// noted.
	brief, own := v.maxMembers > 0 && !sc.linked, v.entity.Slot()
	rest := sc.found
	if len(sc.seen) > 0 {
		rest = sc.see(c.Slot)
	}
	for _, found := range rest {
		i := found &^ asm.Inner
		slot := c.Slot[i]
		r := sc.index.find(slot)
		if r < 0 && found == i {
			continue // a stranger, not within the enter radius
		}
		if r >= 0 && slot != excluded.Slot() && (same || v.rows.row[r].generation == now.Handle(slot).Generation()) {
			if w, b := v.rows.bit(r); w.member&^w.related&b != 0 {
				sc.mark(r)
				continue
			}
		}
		if r == -1 && brief && slot != own {
			if st, ok := v.stratumNear(sc, class, slot, &c, i); ok {
				sc.crowd = append(sc.crowd, bystander{index: i, storage: uint16(storage), stratum: st})
				continue
			}
		}
		v.meetOne(now, sc, c, class, found, r)
	}
}

// meetOne is the rare part of meet: who may be somebody else than the row says, is
// no member yet, or has other sources.
func (v *View) meetOne(now *grid.Snapshot, sc *scratch, c grid.Columns, class int, found uint32, r int) {
	i := found &^ asm.Inner
	h := now.Handle(c.Slot[i])
	known := r >= 0 && v.rows.row[r].generation == h.Generation()
	if _, ok := strangerOf(r); ok || h == v.excluded() {
		return
	}
	if known && v.rows.isMember(r) {
		if found != i || v.rows.sources(r)&Spatial != 0 {
			sc.mark(r)
		}
		return
	}
	if found == i {
		return
	}
	e := stranger{id: now.ID(c.Slot[i]), handle: h, sources: Spatial, class: uint8(class), reason: v.enterReason(sc, h, c, i, class)}
	if v.newlyPermitted(h) {
		e.reason = ReasonPermission
	}
	v.admit(sc, r, e)
	if known {
		sc.mark(r)
	}
}

// meetSelf meets the observer's own entity if its class is Unseen: no reach hides
// oneself.
func (v *View) meetSelf(now *grid.Snapshot, sc *scratch) {
	h := v.entity
	if h == 0 || v.exclude || !v.set.holds(h) || v.reach[v.set.class(h)].Enter != Unseen {
		return
	}
	r := sc.index.find(h.Slot())
	known := r >= 0 && v.rows.row[r].generation == h.Generation()
	if !known || !v.rows.isMember(r) {
		v.admit(sc, r, stranger{id: now.ID(h.Slot()), handle: h, sources: Spatial, class: v.set.class(h), reason: ReasonRange})
	}
	if known {
		sc.mark(r)
	}
}

// enterReason tells whether a stranger, element i of a storage, enters because the
// reach changed.
func (v *View) enterReason(sc *scratch, h arena.Handle, c grid.Columns, i uint32, class int) Reason {
	if v.before == nil || h == v.entity {
		return ReasonRange
	}
	old := &v.before[class]
	for _, p := range sc.points {
		if old.Enter != Unseen && old.admits(c, i, p) {
			return ReasonRange
		}
	}
	return ReasonReach
}

// blameReach notes the members that the old reach would have kept.
func (v *View) blameReach(now *grid.Snapshot, sc *scratch) {
	sc.blamed = cleared(sc.blamed, len(v.rows.words))
	for _, p := range sc.points {
		for storage := range now.Storages() {
			l := &v.before[now.LayerOf(storage)]
			if l.Enter == Unseen {
				continue
			}
			d := l.disc(p)
			sc.found, _ = now.AppendIndexes(sc.found[:0], storage, &d, l.outer)
			slots := now.Columns(storage).Slot
			for _, i := range sc.found {
				slot := slots[i&^asm.Inner]
				if r := sc.index.find(slot); r >= 0 && v.rows.row[r].generation == now.Handle(slot).Generation() {
					sc.blamed[r/64] |= 1 << (r % 64)
				}
			}
		}
	}
}

// settle ends the memberships of those without a source or permission, and sets
// the sources of the others.
func (v *View) settle(sc *scratch, filtered bool) {
	anyRelated := false
	for i := range v.rows.words {
		w := &v.rows.words[i]
		slow := uint64(0)
		if v.relational {
			slow = w.member & (w.related | sc.touched[i])
		}
		for gone := w.member &^ sc.marks[i] &^ slow; gone != 0; gone &= gone - 1 {
			r := 64*i + lowest(gone)
			v.leave(r, v.lossReason(sc, r, Spatial))
		}
		if filtered {
			for out := w.member & sc.refused[i] &^ slow; out != 0; out &= out - 1 {
				v.leave(64*i+lowest(out), ReasonPermission)
			}
		}
		for ; slow != 0; slow &= slow - 1 {
			v.settleRelated(sc, 64*i+lowest(slow))
		}
		anyRelated = anyRelated || w.related != 0
	}
	v.relational = v.relational && (anyRelated || len(v.relations) > 0 || v.groups != [groups]uint32{})
}

// settleRelated is settle for a member that has or had other sources than Spatial.
func (v *View) settleRelated(sc *scratch, r int) {
	s := sc.relations[r]
	if sc.hasMark(r) {
		s |= Spatial
	}
	switch {
	case s == 0:
		v.leave(r, v.lossReason(sc, r, v.rows.sources(r)))
	case sc.isRefused(r):
		v.leave(r, ReasonPermission)
	default:
		v.rows.setSources(r, s)
	}
}

// lossReason tells why a member lost all the sources it had.
func (v *View) lossReason(sc *scratch, r int, had Sources) Reason {
	switch {
	case !v.set.holds(v.rows.row[r].handle()):
		return ReasonDespawn
	case v.before != nil && !sc.given && had&Spatial != 0 && sc.blamed[r/64]>>(r%64)&1 != 0:
		return ReasonReach
	}
	return reasonOf(had)
}
