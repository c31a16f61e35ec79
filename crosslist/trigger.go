package crosslist

import (
	"fmt"
	"strconv"

	"vicinity/arena"
)

// A Trigger names a trigger of a [List], as an [arena.Handle] names an entity: for
// its life, and never again. The zero Trigger is none. Triggers and entities are
// numbered apart.
type Trigger arena.Handle

// String returns "trigger slot#generation" in decimal, and "trigger none" for the
// zero Trigger.
func (t Trigger) String() string { return "trigger " + arena.Handle(t).String() }

// Shape is what a trigger's radius means.
type Shape uint8

const (
	// Disc: within r is dx*dx + dy*dy <= r*r.
	Disc Shape = iota
	// Box: within r is |dx| <= r and |dy| <= r.
	Box

	shapes = 2
)

// String returns "disc" or "box".
func (s Shape) String() string {
	switch s {
	case Disc:
		return "disc"
	case Box:
		return "box"
	}
	return "Shape(" + strconv.Itoa(int(s)) + ")"
}

// Spec says what a trigger is to be.
type Spec struct {
	// ID orders events; it should be unique among triggers.
	ID uint64
	// Owner is the entity that the trigger is attached to: it is centred on it and
	// moves with it, goes when it goes, and never has it as a member. Zero: the
	// trigger stands at X, Y.
	Owner arena.Handle
	// X and Y are the centre, in units. With an Owner they must be zero.
	X, Y int32
	// Radius is the closed radius, in units, within which a stranger enters: 0 to
	// MaxCoord.
	Radius int32
	// Margin is how much further a member may be and stay. Radius + Margin is at
	// most MaxCoord.
	Margin int32
	// Shape is what both mean. The zero value is Disc.
	Shape Shape
}

// String names the trigger to be, for errors.
func (s Spec) String() string { return "trigger with ID " + strconv.FormatUint(s.ID, 10) }

// zone is the rest of what is known of a trigger: a line of the cache.
type zone struct {
	name    Trigger
	id      uint64
	former  extent // when the last batch ended
	members span   // candidates
	owner   uint32 // slot, plus one; 0: it stands
	next    uint32 // of the triggers of the same owner, plus one
	peer    [2]uint32
	size    uint8 // its size class
	linked  bool  // its anchors are in the axes
}

// AppendAddTrigger adds a trigger and appends an Enter for each entity within its
// radius. They are appended when it is there whole; what the caller does on
// reading them finds it complete.
//
// The errors are [ErrShape], [ErrHandle] (the Owner is not in the list),
// [ErrRange], [ErrFull]; then nothing changed, dst comes back as it was and the
// Trigger is zero. O(log nodes + nodes within the radius on the narrower axis); it
// allocates only if the list or what is paired in it grows.
func (l *List) AppendAddTrigger(dst []Event, s Spec) ([]Event, Trigger, error) {
	if s.Shape >= shapes {
		return dst, 0, fmt.Errorf("%w: %d, %v", ErrShape, s.Shape, s)
	}
	if badRadius(s.Radius, s.Margin) {
		return dst, 0, radiusOutOfRange(s, s.Radius, s.Margin)
	}
	if outside(s.X) || outside(s.Y) {
		return dst, 0, outOfRange(s, s.X, s.Y)
	}
	at := point{s.X, s.Y}
	if s.Owner != 0 {
		if err := l.checkHandle(s.Owner); err != nil {
			return dst, 0, fmt.Errorf("%w: owner of %v", err, s)
		}
		if at != (point{}) {
			return dst, 0, fmt.Errorf("%w: %v has an owner and stands at (%d, %d)", ErrRange, s, s.X, s.Y)
		}
		at = l.places[s.Owner.Slot()]
	}
	if l.names.Len() == maxTriggers {
		return dst, 0, fmt.Errorf("%w: %v", ErrFull, s)
	}
	h, err := l.names.Alloc()
	if err != nil {
		return dst, 0, fmt.Errorf("%w: %v: %w", ErrFull, s, err)
	}
	t := h.Slot()
	l.growTriggers(int(t) + 1)
	r, z := l.touchTrigger(t), &l.zones[t]
	r.at, r.inner, r.outer, r.shape, r.jumps = at, s.Radius, s.Radius+s.Margin, s.Shape, true
	z.former = extent{outer: -1}
	z.name, z.id = Trigger(h), s.ID
	if s.Owner != 0 {
		b := &l.bodies[s.Owner.Slot()]
		z.owner, z.next, b.triggers = s.Owner.Slot()+1, b.triggers, t+1
	}
	l.enlist(t)
	return l.finish(dst), Trigger(h), nil
}

// growTriggers makes the columns by trigger at least n long.
func (l *List) growTriggers(n int) {
	if more := n - len(l.zones); more > 0 {
		l.zones = append(l.zones, make([]zone, more)...)
		l.rings = append(l.rings, make([]ring, more)...)
		l.marks.fit(n)
		for i := range l.axes {
			a := &l.axes[i]
			a.anchorHome = append(a.anchorHome, make([]uint32, 4*more)...)
		}
	}
}

// AppendMoveTrigger moves a trigger that stands to (x, y), in units, and appends
// the events of that, as [List.AppendMove] does for an entity and at the same cost.
//
// The errors are [ErrTrigger], [ErrAttached] and [ErrRange]; then nothing changed
// and dst comes back as it was.
func (l *List) AppendMoveTrigger(dst []Event, t Trigger, x, y int32) ([]Event, error) {
	if err := l.checkTrigger(t); err != nil {
		return dst, err
	}
	if outside(x) || outside(y) {
		return dst, outOfRange(t, x, y)
	}
	i := arena.Handle(t).Slot()
	if l.zones[i].owner != 0 {
		return dst, fmt.Errorf("%w: %v", ErrAttached, t)
	}
	if r := &l.rings[i]; r.at != (point{x, y}) {
		l.touchTrigger(i)
		r.at = point{x, y}
		dst = l.finish(dst)
	}
	return dst, nil
}

// AppendSetRadius changes a trigger's radius and margin, in units as in [Spec], and
// appends the events of that at once: members beyond Radius + Margin leave,
// strangers within Radius enter.
//
// The errors are [ErrTrigger] and [ErrRange]; then nothing changed and dst comes
// back as it was. O(log nodes + nodes within the radius on the narrower axis + its
// pairs).
func (l *List) AppendSetRadius(dst []Event, t Trigger, radius, margin int32) ([]Event, error) {
	if err := l.checkTrigger(t); err != nil {
		return dst, err
	}
	if badRadius(radius, margin) {
		return dst, radiusOutOfRange(t, radius, margin)
	}
	i := arena.Handle(t).Slot()
	r := &l.rings[i]
	if r.inner == radius && r.outer == radius+margin {
		return dst, nil
	}
	l.touchTrigger(i)
	l.delist(i)
	r.inner, r.outer = radius, radius+margin
	r.jumps = true
	l.enlist(i)
	return l.finish(dst), nil
}

// AppendRemoveTrigger takes a trigger out and appends a Leave for each member. It
// fails with [ErrTrigger]; then nothing changed and dst comes back as it was.
// O(pairs, and those that ended lately), no allocation in the steady state.
func (l *List) AppendRemoveTrigger(dst []Event, t Trigger) ([]Event, error) {
	if err := l.checkTrigger(t); err != nil {
		return dst, err
	}
	l.removeTrigger(arena.Handle(t).Slot())
	return l.finish(dst), nil
}

// removeTrigger takes a trigger out and notes the leaves.
func (l *List) removeTrigger(t uint32) {
	z := &l.zones[t]
	l.endMembers(t)
	if z.linked {
		l.unlinkTrigger(t)
	}
	if z.owner != 0 {
		l.detach(t)
	}
	l.delist(t)
	l.names.Free(arena.Handle(z.name))
	gone := extent{outer: -1}
	*z = zone{former: gone}
	l.rings[t] = ring{extent: gone, touched: l.rings[t].touched}
}

// detach takes a trigger out of its owner's list.
func (l *List) detach(t uint32) {
	link := &l.bodies[l.zones[t].owner-1].triggers
	for *link != t+1 {
		link = &l.zones[*link-1].next
	}
	*link = l.zones[t].next
}

// Radius returns a trigger's radius and margin, in units. ok is false if there is
// no such trigger. O(1), no allocation.
func (l *List) Radius(t Trigger) (radius, margin int32, ok bool) {
	if !l.names.Alive(arena.Handle(t)) {
		return 0, 0, false
	}
	r := &l.rings[arena.Handle(t).Slot()]
	return r.inner, r.outer - r.inner, true
}

// Owner returns the entity that a trigger is attached to, the zero Handle if it
// stands. ok is false if there is no such trigger. O(1), no allocation.
func (l *List) Owner(t Trigger) (owner arena.Handle, ok bool) {
	if !l.names.Alive(arena.Handle(t)) {
		return 0, false
	}
	if o := l.zones[arena.Handle(t).Slot()].owner; o != 0 {
		return l.bodies[o-1].handle, true
	}
	return 0, true
}
