package interest

import (
	"cmp"
	"fmt"
	"slices"

	"vicinity/arena"
)

// relation is what the caller related to an observer.
type relation struct {
	entity  arena.Handle
	sources Sources
	held    bool // the snapshot of the last update had it
}

// Relate gives an entity sources of the kinds Group0 to Pinned in this view, from
// the next update on, wherever it is; it becomes a member as soon as the snapshot
// has it. They last until [View.Unrelate] or until the entity is freed, whatever
// happens to the observer. The errors are [ErrEntity] (h is not alive), [ErrSource]
// (add has Spatial or unknown bits, or none) and [ErrView]; then nothing has changed.
// O(relations of the view); it allocates to grow.
func (v *View) Relate(h arena.Handle, add Sources) error {
	switch {
	case v.set == nil:
		return ErrView
	case !v.set.cfg.Arena.Alive(h):
		return fmt.Errorf("%w: %v", ErrEntity, h)
	case add == 0 || add&^relations != 0:
		return fmt.Errorf("%w: %#x of %v", ErrSource, uint16(add), h)
	}
	k, found := v.relation(h)
	if !found {
		v.relations = slices.Insert(v.relations, k, relation{entity: h})
	}
	if e := &v.relations[k]; e.sources|add != e.sources {
		e.sources |= add
		v.force, v.relational, v.set.placing = true, true, true
	}
	return nil
}

// Unrelate takes sources given by [View.Relate] away again, from the next update
// on. Groups that the entity has by [Traits] stay. Sources that it does not have
// are no error.
func (v *View) Unrelate(h arena.Handle, remove Sources) {
	k, found := v.relation(h)
	if !found {
		return
	}
	e := &v.relations[k]
	v.force = v.force || e.sources&remove != 0
	if e.sources &^= remove; e.sources == 0 {
		v.relations = slices.Delete(v.relations, k, k+1)
	}
}

// relation returns where in the list an entity is, or belongs.
func (v *View) relation(h arena.Handle) (k int, found bool) {
	return slices.BinarySearchFunc(v.relations, h, func(e relation, h arena.Handle) int {
		return cmp.Compare(e.entity, h)
	})
}

// related returns the sources of an entity that do not come from where it is.
func (v *View) related(h arena.Handle) Sources {
	s := Sources(0)
	if len(v.relations) > 0 {
		if k, found := v.relation(h); found {
			s = v.relations[k].sources
		}
	}
	if t := v.set.traits.of(h); t != nil {
		s |= commonGroups(&t.groups, &v.groups)
	}
	return s
}

// Related returns the sources that an entity has for the view besides
// [Spatial], as set by [View.Relate] and common groups: what the next update goes by.
func (v *View) Related(h arena.Handle) Sources { return v.related(h) }

// dropDead forgets relations to entities that are freed and that the snapshot does
// not show any more.
func (v *View) dropDead() {
	kept := v.relations[:0]
	for _, e := range v.relations {
		if v.set.cfg.Arena.Alive(e.entity) || v.set.holds(e.entity) {
			kept = append(kept, e)
		}
	}
	v.relations = kept
}

// meetRelations lets all that are related to the observer and in the snapshot
// have their sources, in a comparison of sets.
func (v *View) meetRelations(sc *scratch) {
	v.dropDead()
	for k := range v.relations {
		e := &v.relations[k]
		if e.held = v.set.holds(e.entity); e.held {
			v.meetRelated(sc, e.entity, e.sources)
		}
	}
	for i, id := range v.groups {
		if id == 0 {
			continue
		}
		for _, slot := range v.set.traits.members(i, id) {
			if h := arena.MakeHandle(slot, v.set.traits.records[slot].generation); v.set.holds(h) {
				v.meetRelated(sc, h, Group0<<i)
			}
		}
	}
}

// meetRelated adds a source of one entity that the snapshot has. Who is near was
// met before.
func (v *View) meetRelated(sc *scratch, h arena.Handle, s Sources) {
	if h == v.excluded() {
		return
	}
	slot := h.Slot()
	r := sc.index.find(slot)
	if k, ok := strangerOf(r); ok {
		sc.strangers[k].sources |= s
		return
	}
	known := r >= 0 && v.rows.row[r].generation == h.Generation()
	if known {
		w, b := v.rows.bit(r)
		if w.member&b != 0 {
			if !sc.hasMark(r) && !sc.isRefused(r) && !v.permits(sc, h, true) {
				sc.refuse(r)
			}
			sc.relate(r, s)
			return
		}
	}
	if !v.permits(sc, h, false) {
		return
	}
	s = v.related(h) // all of them, for the reason
	e := stranger{id: v.set.cfg.Grid.ID(h), handle: h, sources: s, class: v.set.class(h), reason: reasonOf(s)}
	if v.newlyPermitted(h) {
		e.reason = ReasonPermission
	}
	if r >= 0 {
		sc.undo.keep(v, r)
	}
	if known {
		v.readmit(sc, r, &e)
		sc.relate(r, s)
		return
	}
	if r >= 0 {
		v.replace(sc, r)
	}
	v.meetStranger(sc, e)
}

// meetStranger notes somebody who enters.
func (v *View) meetStranger(sc *scratch, e stranger) {
	if sc.linked {
		sc.index.addStranger(e.handle.Slot(), len(sc.strangers))
	}
	sc.strangers = append(sc.strangers, e)
}
