package interest

import (
	"fmt"

	"vicinity/arena"
	"vicinity/grid"
)

// Traits is what an entity is to interest, besides where it is. The zero value
// permits everybody and belongs to no group.
type Traits struct {
	// Need and Any are permission bits: an observer with mask m may know the entity
	// if Need &^ m == 0 and (Any == 0 or Any & m != 0).
	Need, Any uint32
	// Groups are ids of what the entity belongs to. Equal and not zero at the same
	// index as an observer's means related, by the source Group0 to Group3.
	Groups [4]uint32
	// Ask says that Config.Predicate decides too.
	Ask bool
	// Protected says that the entity is never culled.
	Protected bool
}

// permission is an entity's permission bits.
type permission struct{ need, any uint32 }

// permits is 1 if a mask meets the permission, else 0, without a branch.
func (p permission) permits(mask uint32) int {
	lacks := p.need &^ mask
	// Bit 63 of 0 - x says that x is not zero.
	anyWanted, anyHad := -int64(p.any), -int64(p.any&mask)
	denied := uint64(-int64(lacks)) | uint64(anyWanted&^anyHad)
	return int(denied>>63) ^ 1
}

// record is what else the set knows of an entity, by slot.
type record struct {
	groups     [groups]uint32
	place      [groups]uint32 // where in the lists of its groups it is
	generation uint32         // of whom the record is; 0: nobody
	ask        bool
	protected  bool
	listed     bool // in tracker.changed
	// changed is the number of the update that was the next one when something changed
	// last; permitted the same for what may decide permission, of entities that
	// observers might have met before.
	changed, permitted uint64
}

// tracker is the traits of all entities, and what of them changed since the last
// UpdateAll.
type tracker struct {
	permissions []permission
	records     []record
	used        int // records of somebody
	masked      int // of these with permission bits
	asking      int // of these with ask
	grouped     map[group]*groupList
	spare       []*groupList

	// changed has the slots with changes since update number from; too many are not
	// listed. last is the number of the update that the last change acts in.
	changed    []uint32
	tooMany    bool
	from, last uint64
	// blocks are the changed by layer, for the update under way, if sorted; nil before
	// the first change.
	blocks []changedBlock
	sorted bool

	// prepared says that snapshot prepared was looked through for arrivals.
	prepared   uint64
	isPrepared bool
}

// SetTraits replaces the traits of an entity, which need not be in the grid yet:
// from the next update on. They end with the entity: a handle that takes its slot
// later begins with none. The error is [ErrEntity] (h is not alive). O(1); it
// allocates when the arena has grown.
func (s *Set) SetTraits(h arena.Handle, to Traits) error {
	if !s.cfg.Arena.Alive(h) {
		return fmt.Errorf("%w: %v", ErrEntity, h)
	}
	t, slot := &s.traits, h.Slot()
	if to == (Traits{}) && (uint64(slot) >= uint64(len(t.records)) || t.records[slot].generation == 0) {
		return nil
	}
	t.grow(s.cfg.Arena.Slots())
	r := &t.records[slot]
	fresh := r.generation != h.Generation()
	if fresh {
		t.reset(slot)
		r.generation = h.Generation()
		t.used++
	}
	old := t.get(slot)
	if old == to {
		return nil
	}
	t.count(slot, -1)
	t.permissions[slot] = permission{to.Need, to.Any}
	r.ask, r.protected = to.Ask, to.Protected
	t.count(slot, 1)
	for i := range groups {
		t.regroup(slot, i, to.Groups[i])
	}
	s.note(h, !fresh, old.Need != to.Need || old.Any != to.Any || old.Ask != to.Ask)
	return nil
}

// Traits returns an entity's traits, the zero value if it has none. ok is false if
// it is not alive.
func (s *Set) Traits(h arena.Handle) (t Traits, ok bool) {
	if s.traits.of(h) != nil {
		t = s.traits.get(h.Slot())
	}
	return t, s.cfg.Arena.Alive(h)
}

// Invalidate says that Config.Predicate's answers about an entity may have
// changed: they are asked for again in the next update. The error is [ErrEntity].
// O(1).
func (s *Set) Invalidate(h arena.Handle) error {
	if !s.cfg.Arena.Alive(h) {
		return fmt.Errorf("%w: %v", ErrEntity, h)
	}
	if r := s.traits.of(h); r != nil && r.ask {
		s.note(h, true, true)
	}
	return nil
}

// note notes a change of an entity. known says that observers of a set without a
// grid might have met it.
func (s *Set) note(h arena.Handle, known, permission bool) {
	s.placing = true
	t, slot := &s.traits, h.Slot()
	r := &t.records[slot]
	r.changed, t.last = s.update+1, s.update+1
	if t.blocks == nil {
		t.blocks = make([]changedBlock, len(s.reach))
	}
	if s.cfg.Grid != nil {
		if known = s.cfg.Grid.Holds(h); !known {
			return // it arrives with all its traits
		}
		t.list(slot, s.cfg.Arena.Slots())
	}
	if known && permission {
		r.permitted = r.changed
	}
}

// of returns the record of an entity, nil if it has none.
func (t *tracker) of(h arena.Handle) *record {
	if slot := h.Slot(); uint64(slot) < uint64(len(t.records)) && t.records[slot].generation == h.Generation() {
		return &t.records[slot]
	}
	return nil
}

// get returns the traits kept for a slot.
func (t *tracker) get(slot uint32) Traits {
	p, r := t.permissions[slot], &t.records[slot]
	return Traits{Need: p.need, Any: p.any, Groups: r.groups, Ask: r.ask, Protected: r.protected}
}

// grow makes room for slots.
func (t *tracker) grow(slots int) {
	if slots > len(t.records) {
		n := slots + slots/4 + 8
		t.records = append(t.records, make([]record, n-len(t.records))...)
		t.permissions = append(t.permissions, make([]permission, n-len(t.permissions))...)
	}
}

// count adds n to what a slot's traits count for.
func (t *tracker) count(slot uint32, n int) {
	if t.permissions[slot] != (permission{}) {
		t.masked += n
	}
	if t.records[slot].ask {
		t.asking += n
	}
}

// reset forgets a slot's traits: its entity is no more.
func (t *tracker) reset(slot uint32) {
	r := &t.records[slot]
	if r.generation == 0 {
		return
	}
	t.used--
	t.count(slot, -1)
	for i := range groups {
		t.regroup(slot, i, 0)
	}
	t.permissions[slot] = permission{}
	*r = record{listed: r.listed}
}

// list puts a slot among the changed.
func (t *tracker) list(slot uint32, slots int) {
	if r := &t.records[slot]; !r.listed && !t.tooMany {
		if len(t.changed) > max(64, slots/8) {
			t.tooMany = true
			return
		}
		r.listed = true
		t.changed = append(t.changed, slot)
	}
}

// settle forgets the changes: all views have seen them, or will see that they
// have not.
func (t *tracker) settle(update uint64) {
	for _, slot := range t.changed {
		t.records[slot].listed = false
	}
	t.changed, t.tooMany, t.from, t.sorted = t.changed[:0], false, update, false
}

// prepare brings the traits up to a snapshot: those of entities whose slots belong
// to others are forgotten, and who arrived with groups is among the changed. The
// update that it is for was counted.
func (s *Set) prepare(now *grid.Snapshot) {
	t := &s.traits
	t.sorted = false // it may be of an update that did not come to its end
	previous, follows := now.Previous()
	same := t.isPrepared && t.prepared == now.Tick()
	if !same && (!follows || !t.isPrepared || t.prepared != previous || len(s.cfg.Grid.Arrived()) > 0) {
		s.lastArrival = now.Tick()
	}
	switch {
	case t.used == 0 || same:
	case follows && t.isPrepared && t.prepared == previous:
		t.grow(s.cfg.Arena.Slots())
		for _, slot := range s.cfg.Grid.Arrived() {
			s.arrive(slot)
		}
	default:
		// A snapshot was skipped; then no view follows from the last one.
		t.grow(s.cfg.Arena.Slots())
		for slot := range t.records {
			r := &t.records[slot]
			if r.generation != 0 && r.generation != s.cfg.Grid.Generation(uint32(slot)) &&
				!s.cfg.Arena.Alive(arena.MakeHandle(uint32(slot), r.generation)) {
				t.reset(uint32(slot))
			}
		}
	}
	t.prepared, t.isPrepared = now.Tick(), true
	if t.used > 0 {
		t.grow(s.cfg.Arena.Slots())
	}
}

// arrive meets a slot that the snapshot has anew.
func (s *Set) arrive(slot uint32) {
	t := &s.traits
	r := &t.records[slot]
	if r.generation != s.cfg.Grid.Generation(slot) {
		t.reset(slot)
	}
	if r.groups != [groups]uint32{} {
		r.changed, t.last = s.update, s.update
		t.list(slot, s.cfg.Arena.Slots())
	}
}

// filters reports whether anybody may be hidden from some.
func (t *tracker) filters() bool { return t.masked+t.asking > 0 }

// permits reports whether the observer may know an entity, see answer.
func (v *View) permits(sc *scratch, h arena.Handle, member bool) bool {
	t := &v.set.traits
	if !t.filters() || h == v.entity {
		return true
	}
	r := t.of(h)
	if r == nil {
		return true
	}
	return t.permissions[h.Slot()].permits(v.mask) != 0 && v.answer(sc, r, h, member)
}

// newlyPermitted reports whether an entity that enters might be let in because
// permission changed since the view's last update.
func (v *View) newlyPermitted(h arena.Handle) bool {
	r := v.set.traits.of(h)
	if r == nil || h == v.entity {
		return false
	}
	return r.permitted > v.updated || v.invalid && r.ask ||
		v.masked && v.set.traits.permissions[h.Slot()].permits(v.oldMask) == 0
}

// Invalidate says that Config.Predicate's answers to this observer may have changed:
// they are asked for again in the next update of the view. O(1).
func (v *View) Invalidate() { v.reask, v.invalid, v.force = true, true, true }

// SetMask sets what the observer is permitted, see [Traits], from the next update
// on. O(1).
func (v *View) SetMask(mask uint32) {
	v.mask = mask
	v.masked = v.mask != v.oldMask
	v.force = v.force || v.masked
}
