package interest

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"vicinity/arena"
	"vicinity/grid"
)

// A View is one observer's relevance set, and what of it was delivered. Calls for
// one view must not overlap; distinct views are independent.
type View struct {
	// The first four lines are all that a plain update touches, besides what rows
	// point to; TestHotView counts them. Views are in no cache, and each line costs.
	set    *Set
	entity arena.Handle // Observer.Entity
	tag    int          // the owner's
	// at is where the observer stood at the last update, tick when that was; placed
	// says that there was one, by one viewpoint. layer and index are where the grid
	// had it.
	at    grid.Point
	index uint32
	tick  uint64
	layer int
	// updated is the number of the set's update that came last.
	updated uint64

	reach  []limits
	before []limits // the reach of the last update, if it changed since
	placed bool
	// exclude is Observer.ExcludeSelf, measured Observer.Measured.
	exclude, measured bool
	// bodied says that distances are to bodies, and kept.
	bodied bool
	// graded says that levels other than High may stand in the rows.
	graded bool
	// force makes the next update compare sets: something changed that one pass does
	// not see. culling says that the last update was over the cap.
	force, culling bool
	// relational says that sources other than Spatial have to be looked at.
	relational bool
	// masked says that the mask is another than oldMask, that of the last update;
	// reask that the predicate is to be asked again; invalid that its answers may be
	// others.
	masked, reask, invalid bool
	regular                bool   // state.regular
	several                bool   // there are more viewpoints
	every                  uint16 // rate
	mask, oldMask          uint32
	maxMembers             int // Cap.MaxMembers
	rows                   rows

	// What follows is not touched by plain updates; rows ends with what measured
	// views touch.
	next      *View // with the same centre
	groups    [groups]uint32
	relations []relation
	refused   []arena.Handle // the predicate's no is remembered, sorted
	more      []Viewpoint    // Observer.More
	levels    *grades
	phase     uint16 // of the rate
	paused    bool
	number    int // in Set.views
	observer  observer
}

// hotView is how many bytes of a View an update touches; of a measured one a little
// more.
const hotView = unsafe.Offsetof(View{}.rows) + unsafe.Offsetof(rows{}.dist2)

// observer is what else an Observer says.
type observer struct {
	ID        uint64
	At        grid.Point
	SendEvery int
	Reach     []Reach
	Scale     float64
	Cap       Cap
	Levels    *Levels
}

// Event is an enter or a leave: a row of the view, who it is, and why.
type Event struct {
	Row    uint32
	Reason Reason
	// Sources are the member's sources; none for a leave.
	Sources Sources
	Entity  arena.Handle
	ID      uint64
	// Since is the tick of the snapshot at which it became pending.
	Since uint64
}

// Member is a member of a view.
type Member struct {
	Row     uint32
	Sources Sources
	Entity  arena.Handle
	ID      uint64
}

// Observer returns what the view was added with; Reach and Scale as last set.
func (v *View) Observer() Observer {
	o := &v.observer
	return Observer{
		ID: o.ID, Entity: v.entity, At: o.At, Reach: o.Reach, Scale: o.Scale, ExcludeSelf: v.exclude,
		More: slices.Clip(v.more), Mask: v.mask, Groups: v.groups, Cap: o.Cap, SendEvery: o.SendEvery,
		Measured: v.measured, Levels: o.Levels,
	}
}

// ID returns Observer.ID.
func (v *View) ID() uint64 { return v.observer.ID }

// Tag returns what [View.SetTag] set last, 0 at first.
func (v *View) Tag() int { return v.tag }

// SetTag keeps a number of the caller's with the view: where he has what belongs to
// it, say.
func (v *View) SetTag(tag int) { v.tag = tag }

// Len returns the number of members.
func (v *View) Len() int { return v.rows.members() }

// AppendMembers appends the members in row order.
func (v *View) AppendMembers(dst []Member) []Member {
	for i := range v.rows.words {
		for word := v.rows.words[i].member; word != 0; word &= word - 1 {
			r := 64*i + bits.TrailingZeros64(word)
			e := &v.rows.row[r]
			dst = append(dst, Member{Row: uint32(r), Sources: v.rows.sources(r), Entity: e.handle(), ID: e.id})
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
	if len(dst)-from > 1 {
		slices.SortFunc(dst[from:], compareEvents)
	}
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
		dst = append(dst, v.Event(uint32(64*i+bits.TrailingZeros64(word))))
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
			r := 64*i + bits.TrailingZeros64(known)
			v.rows.row[r].reason, v.rows.since[r] = ReasonResync, v.tick
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
	v.set.widen(v.reach)
	v.set.narrowed = true
	return nil
}

// SetCentre centres the view on an entity, or if that is zero on a point, from the
// next update on; more viewpoints are none any more. The errors are [ErrObserver],
// and [ErrView] for a removed view; then nothing has changed.
func (v *View) SetCentre(entity arena.Handle, at grid.Point) error {
	return v.SetViewpoints(entity, at)
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
	w.related &^= b
	v.rows.row[r].reason, v.rows.row[r].sources, v.rows.since[r] = why, 0, v.tick
}

// readmit makes the entity of a row a member again.
func (v *View) readmit(sc *scratch, r int, s *stranger) {
	w, b := v.rows.bit(r)
	e := &v.rows.row[r]
	if v.maxMembers > 0 {
		sc.returned = append(sc.returned, returned{row: r, reason: e.reason, since: v.rows.since[r]})
	}
	w.member |= b
	e.reason, e.class, v.rows.since[r] = s.reason, s.class, v.tick
	v.rows.setSources(r, s.sources)
	if v.measured {
		v.rows.level[r], v.graded = unjudged, true
	}
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

// complete ends an update: rows nobody needs are free, strangers get theirs, by
// ID so that rows do not depend on the order of discovery.
func (v *View) complete(sc *scratch) {
	v.rows.release()
	slices.SortFunc(sc.strangers, compareStrangers)
	for i := range sc.strangers {
		s := &sc.strangers[i]
		r := v.rows.add(row{
			id: s.id, slot: s.handle.Slot(), generation: s.handle.Generation(),
			sources: s.sources, reason: s.reason, class: s.class,
		}, v.tick)
		if sc.given && v.measured {
			sc.note(r, s.candidate)
		}
	}
	v.before, v.force, v.masked, v.reask, v.invalid, v.oldMask = nil, false, false, false, false, v.mask
	v.updated = v.set.update
	if now := v.isRegular(); now != v.regular {
		v.regular, v.set.states[v.number].regular = now, now
	}
	sc.stats.Updated++
	for i := range v.rows.words {
		m, d := v.rows.words[i].member, v.rows.words[i].delivered
		sc.stats.Members += bits.OnesCount64(m)
		sc.stats.Enters += bits.OnesCount64(m &^ d)
		sc.stats.Leaves += bits.OnesCount64(d &^ m)
	}
}

// compareEvents orders events by ID; equal ones by handle, so that nothing is left
// to chance. It compares no more than it must: crowds enter thousands at once.
func compareEvents(a, b Event) int {
	if a.ID != b.ID {
		return cmp.Compare(a.ID, b.ID)
	}
	return cmp.Compare(a.Entity, b.Entity)
}

func compareStrangers(a, b stranger) int {
	if a.id != b.id {
		return cmp.Compare(a.id, b.id)
	}
	return cmp.Compare(a.handle, b.handle)
}
