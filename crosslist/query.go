package crosslist

import (
	"fmt"

	"vicinity/arena"
)

// Rect is a closed rectangle, in units: X0 <= x <= X1 and Y0 <= y <= Y1.
type Rect struct{ X0, Y0, X1, Y1 int32 }

// AppendIn appends the handles of all entities in a rectangle, border included. It
// looks at all nodes between the edges, on the axis that has fewer there. The order
// is fixed by the calls made so far but otherwise unspecified.
//
// The errors are [ErrRange] (an edge beyond MaxCoord, or behind its opposite) and
// [ErrOpen]; then dst comes back as it was. O(log nodes + nodes looked at); it
// does not allocate if dst has room.
func (l *List) AppendIn(dst []arena.Handle, r Rect) ([]arena.Handle, error) {
	if l.open {
		return dst, ErrOpen
	}
	if outside(r.X0) || outside(r.X1) || outside(r.Y0) || outside(r.Y1) || r.X0 > r.X1 || r.Y0 > r.Y1 {
		return dst, fmt.Errorf("%w: rectangle %+v", ErrRange, r)
	}
	l.over = l.appendSlots(l.over[:0], box{r.X0, r.Y0, r.X1, r.Y1})
	for _, slot := range l.over {
		dst = append(dst, l.bodies[slot].handle)
	}
	return dst, nil
}

// AppendMembers appends the members of a trigger, in no particular order. The
// errors are [ErrTrigger] and [ErrOpen]; then dst comes back as it was. O(entities
// in its outer box, and those that left it since the last question); it does not
// allocate if dst has room.
func (l *List) AppendMembers(dst []arena.Handle, t Trigger) ([]arena.Handle, error) {
	if l.open {
		return dst, ErrOpen
	}
	if err := l.checkTrigger(t); err != nil {
		return dst, err
	}
	i := arena.Handle(t).Slot()
	l.cleanMembers(i)
	for _, slot := range l.pool.of(&l.zones[i].members) {
		if l.isMember(i, slot) {
			dst = append(dst, l.bodies[slot].handle)
		}
	}
	return dst, nil
}

// AppendTriggers appends the triggers that an entity is a member of, in no
// particular order. The errors are [ErrHandle] and [ErrOpen]; then dst comes back as
// it was. O(triggers whose outer box holds it, and those that ceased to since the
// last question); it does not allocate if dst has room.
func (l *List) AppendTriggers(dst []Trigger, h arena.Handle) ([]Trigger, error) {
	if l.open {
		return dst, ErrOpen
	}
	if err := l.checkHandle(h); err != nil {
		return dst, err
	}
	slot := h.Slot()
	for shape := range Shape(shapes) {
		l.cleanWatchers(slot, shape)
		for _, t := range l.pool.of(&l.bodies[slot].watchers[shape]) {
			if l.isMember(t, slot) {
				dst = append(dst, l.zones[t].name)
			}
		}
	}
	return dst, nil
}
