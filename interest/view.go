package interest

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// A View is one observer's relevance set, and what of it was delivered. Calls for
// one view must not overlap; distinct views are independent.
type View struct {
	set    *Set
	next   *View // with the same centre
	reach  []limits
	before []limits // the reach of the last update, if it changed since
	rows   rows
	// at is where the observer stood at the last update, tick when that was; placed
	// says that there was one. layer and index are where the grid had it.
	at     grid.Point
	tick   uint64
	placed bool
	layer  int
	index  uint32
	// updated is the number of the set's update that came last.
	updated uint64
	entity  arena.Handle // Observer.Entity
	exclude bool         // Observer.ExcludeSelf

	// What follows is not touched by updates.
	observer Observer
	number   int // in Set.views
}

// Event is an enter or a leave: a row of the view, who it is, and why.
type Event struct {
	Row    uint32
	Reason Reason
	Entity arena.Handle
	ID     uint64
}

// Member is a member of a view.
type Member struct {
	Row     uint32
	Sources Sources
	Entity  arena.Handle
	ID      uint64
}

// Observer returns what the view was added with; Reach and Scale as last set.
func (v *View) Observer() Observer { return v.observer }

// Len returns the number of members.
func (v *View) Len() int { return v.rows.members() }

// AppendMembers appends the members in row order.
func (v *View) AppendMembers(dst []Member) []Member {
	for i := range v.rows.words {
		for word := v.rows.words[i].member; word != 0; word &= word - 1 {
			r := 64*i + bits.TrailingZeros64(word)
			e := &v.rows.row[r]
			dst = append(dst, Member{Row: uint32(r), Sources: e.sources, Entity: e.handle(), ID: e.id})
		}
	}
	return dst
}

// AppendEnters appends the pending enters, sorted by entity ID: the members that
// were not delivered. O(rows / 64 + enters x log enters).
func (v *View) AppendEnters(dst []Event) []Event {
	from := len(dst)
	for i, w := range v.rows.words {
		dst = v.appendEvents(dst, i, w.member&^w.delivered)
	}
	slices.SortFunc(dst[from:], func(a, b Event) int { return cmp.Compare(a.ID, b.ID) })
	return dst
}

// AppendLeaves appends the pending leaves in row order: what was delivered and is
// no member any more. O(rows / 64 + leaves).
func (v *View) AppendLeaves(dst []Event) []Event {
	for i, w := range v.rows.words {
		dst = v.appendEvents(dst, i, w.delivered&^w.member)
	}
	return dst
}

// appendEvents appends the rows set in a word, the i-th.
func (v *View) appendEvents(dst []Event, i int, word uint64) []Event {
	for ; word != 0; word &= word - 1 {
		r := 64*i + bits.TrailingZeros64(word)
		e := &v.rows.row[r]
		dst = append(dst, Event{Row: uint32(r), Reason: e.reason, Entity: e.handle(), ID: e.id})
	}
	return dst
}

// Commit confirms that the pending enters and leaves, as of the last update, were
// delivered: they are pending no more, and the rows of the leaves are free.
func (v *View) Commit() {
	for i := range v.rows.words {
		v.rows.words[i].delivered = v.rows.words[i].member
	}
	v.rows.release()
}

// Resync says that the peer knows nothing: every member is a pending enter again,
// with ReasonResync; pending leaves are dropped.
func (v *View) Resync() {
	for i := range v.rows.words {
		w := &v.rows.words[i]
		for known := w.delivered & w.member; known != 0; known &= known - 1 {
			v.rows.row[64*i+bits.TrailingZeros64(known)].reason = ReasonResync
		}
		w.delivered = 0
	}
	v.rows.release()
}

// SetReach replaces the reaches of all classes and their scale, from the next
// update on. Nil reaches mean the set's defaults, scale zero means 1. The error
// is [ErrReach], or [ErrView] for a removed view; then the old reach stays. It
// allocates.
func (v *View) SetReach(reach []Reach, scale float64) error {
	if v.set == nil {
		return ErrView
	}
	from := reach
	if from == nil {
		from = v.set.cfg.Reach
	}
	if len(from) != len(v.set.cfg.Reach) {
		return fmt.Errorf("%w: %d reaches for %d classes", ErrReach, len(from), len(v.set.cfg.Reach))
	}
	l, err := resolve(from, scale, v.set.heights)
	if err != nil {
		return err
	}
	if v.before == nil {
		v.before = v.reach
	}
	v.observer.Reach, v.observer.Scale = slices.Clone(reach), scale
	v.reach = l
	return nil
}

// SetCentre centres the view on an entity, or if that is zero on a point, from the
// next update on. The errors are [ErrObserver], and [ErrView] for a removed view;
// then nothing has changed.
func (v *View) SetCentre(entity arena.Handle, at grid.Point) error {
	if v.set == nil {
		return ErrView
	}
	if entity != 0 && !v.set.cfg.Arena.Alive(entity) {
		return fmt.Errorf("%w: %d: entity %v is not alive", ErrObserver, v.observer.ID, entity)
	}
	if err := checkPoint(v.observer.ID, at); err != nil {
		return err
	}
	v.set.unlink(v)
	v.next, v.placed = nil, false
	v.observer.Entity, v.observer.At, v.entity = entity, at, entity
	v.set.link(v)
	return nil
}

// blind empties the view of an observer that is nowhere.
func (v *View) blind(now *grid.Snapshot, sc *scratch) {
	sc.stats.General++
	v.rows.unmark()
	v.dismiss(func(int) Reason { return ReasonObserver })
	v.placed, v.tick, v.before = false, now.Tick(), nil
	sc.strangers = sc.strangers[:0]
	v.complete(sc)
}

// excluded is the entity that never becomes a member, the zero handle if none.
func (v *View) excluded() arena.Handle {
	if v.exclude {
		return v.entity
	}
	return 0
}

// leave ends a membership.
func (v *View) leave(r int, why Reason) {
	w, b := v.rows.bit(r)
	w.member &^= b
	v.rows.row[r].reason, v.rows.row[r].sources = why, 0
}

// readmit makes the entity of a row a member, if it is not.
func (v *View) readmit(r, class int, why Reason) {
	w, b := v.rows.bit(r)
	if w.member&b != 0 {
		return
	}
	w.member |= b
	e := &v.rows.row[r]
	e.reason, e.sources, e.class = why, Spatial, uint8(class)
}

// replace ends the use of a row whose slot belongs to somebody else now.
func (v *View) replace(sc *scratch, r int) {
	if sc.indexed {
		sc.index.row[v.rows.slot[r]] = 0
	}
	if v.rows.isMember(r) {
		v.leave(r, ReasonDespawn)
	}
	v.rows.forget(r)
}

// dismiss ends the membership of all that were not marked.
func (v *View) dismiss(why func(r int) Reason) {
	for i := range v.rows.words {
		w := &v.rows.words[i]
		for gone := w.member &^ w.marked; gone != 0; gone &= gone - 1 {
			r := 64*i + bits.TrailingZeros64(gone)
			v.leave(r, why(r))
		}
	}
}

// complete ends an update: rows nobody needs are free, strangers get theirs, by
// ID so that rows do not depend on the order of discovery.
func (v *View) complete(sc *scratch) {
	v.rows.release()
	slices.SortFunc(sc.strangers, func(a, b stranger) int { return cmp.Compare(a.id, b.id) })
	for i := range sc.strangers {
		s := &sc.strangers[i]
		v.rows.add(row{
			id: s.id, slot: s.handle.Slot(), generation: s.handle.Generation(),
			sources: Spatial, reason: s.reason, class: s.class,
		})
	}
	v.updated = v.set.update
	sc.stats.Updated++
	for i := range v.rows.words {
		m, d := v.rows.words[i].member, v.rows.words[i].delivered
		sc.stats.Members += bits.OnesCount64(m)
		sc.stats.Enters += bits.OnesCount64(m &^ d)
		sc.stats.Leaves += bits.OnesCount64(d &^ m)
	}
}

// enterReason tells whether a stranger enters because the reach changed.
func (v *View) enterReason(c grid.Columns, i uint32, p grid.Point, class int) Reason {
	if v.before == nil {
		return ReasonRange
	}
	old := &v.before[class]
	if old.Enter == Unseen || !within(c, i, p, old.enter, old.flags, old.enterHeight) {
		return ReasonReach
	}
	return ReasonRange
}

// within reports whether an element is within a limit of p.
func within(c grid.Columns, i uint32, p grid.Point, l asm.Limit, flags asm.Flags, height uint32) bool {
	if flags&asm.WithHeight != 0 {
		dz := int64(c.Z[i]) - int64(p.Z)
		if max(dz, -dz) > int64(height) {
			return false
		}
	}
	dx, dy := int64(c.X[i])-int64(p.X), int64(c.Y[i])-int64(p.Y)
	return dx*dx+dy*dy <= l.R2
}

// blameReach ends the memberships that the old reach would have kept.
func (v *View) blameReach(now *grid.Snapshot, sc *scratch, p grid.Point) {
	for class := range v.before {
		l := &v.before[class]
		if l.Enter == Unseen {
			continue
		}
		d := l.disc(p)
		sc.found, _ = now.AppendIndexes(sc.found[:0], class, &d, l.outer)
		slots := now.Columns(class).Slot
		for _, i := range sc.found {
			slot := slots[i&^asm.Inner]
			r := sc.index.find(slot)
			if r < 0 || v.rows.row[r].generation != now.Handle(slot).Generation() {
				continue
			}
			if w, b := v.rows.bit(r); w.member&b != 0 && w.marked&b == 0 {
				v.leave(r, ReasonReach)
			}
		}
	}
}
