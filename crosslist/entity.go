package crosslist

import (
	"fmt"

	"vicinity/arena"
)

// AppendInsert puts an entity into the list at (x, y), in units, and appends an
// Enter for each trigger that it is within the radius of. id is the entity's
// stable ID: it orders events.
//
// The errors are [ErrHandle] (h is not alive in the arena), [ErrExists],
// [ErrRange] and [ErrFull]; then nothing changed and dst comes back as it was.
// O(log nodes + nodes within twice the usual radius on the narrower axis); it
// allocates only if the list or what is paired in it grows.
func (l *List) AppendInsert(dst []Event, h arena.Handle, id uint64, x, y int32) ([]Event, error) {
	slot := h.Slot()
	switch {
	case !l.arena.Alive(h):
		return dst, fmt.Errorf("%w: %v", ErrHandle, h)
	case slot >= maxBodies:
		return dst, fmt.Errorf("%w: %v", ErrFull, h)
	case int(slot) < len(l.bodies) && l.bodies[slot].keeps(h):
		return dst, fmt.Errorf("%w: %v", ErrExists, h)
	}
	if outside(x) || outside(y) {
		return dst, outOfRange(h, x, y)
	}
	l.growBodies(int(slot) + 1)
	b := l.touch(slot)
	b.handle, b.id, b.present, b.jumps = h, id, true, true
	l.places[slot], l.before[slot] = point{x, y}, nowhere
	l.alive++
	return l.finish(dst), nil
}

// growBodies makes the columns by slot at least n long.
func (l *List) growBodies(n int) {
	if more := n - len(l.bodies); more > 0 {
		l.bodies = append(l.bodies, make([]body, more)...)
		for range more {
			l.places = append(l.places, nowhere)
			l.before = append(l.before, nowhere)
		}
		l.marks.fit(n)
		for i := range l.axes {
			a := &l.axes[i]
			a.bodyHome = append(a.bodyHome, make([]uint32, more)...)
		}
	}
}

// AppendMove moves an entity, with the triggers attached to it, to (x, y), in
// units, and appends the events of that: one for each pair whose membership
// differs, whatever lies between.
//
// The errors are [ErrHandle] and [ErrRange]; then nothing changed and dst comes
// back as it was. O(nodes passed on both axes), and where discs are involved the
// candidates of the entity and its triggers besides. Where that many nodes are passed
// that a new search is cheaper, AppendMove is [List.AppendTeleport]. It does not
// allocate in the steady state.
func (l *List) AppendMove(dst []Event, h arena.Handle, x, y int32) ([]Event, error) {
	return l.move(dst, h, x, y, false)
}

// AppendTeleport is [List.AppendMove], with the same events, for moves that are
// known to be long: it takes the entity and its triggers out of the axes and finds
// their new places through the directory. The cost is that of
// [List.AppendInsert], whatever the distance, and the pairs that there were.
func (l *List) AppendTeleport(dst []Event, h arena.Handle, x, y int32) ([]Event, error) {
	return l.move(dst, h, x, y, true)
}

func (l *List) move(dst []Event, h arena.Handle, x, y int32, jump bool) ([]Event, error) {
	if err := l.checkHandle(h); err != nil {
		return dst, err
	}
	if outside(x) || outside(y) {
		return dst, outOfRange(h, x, y)
	}
	slot := h.Slot()
	if l.places[slot] == (point{x, y}) {
		return dst, nil
	}
	b := l.touch(slot)
	b.jumps = b.jumps || jump
	l.places[slot] = point{x, y}
	return l.finish(dst), nil
}

// AppendRemove takes an entity out, and all triggers that are attached to it. It
// appends a Leave for each pair that was: of the entity in triggers, and of
// entities in its triggers. The handle need not be alive in the arena any more.
//
// It fails with [ErrHandle]; then nothing changed and dst comes back as it was.
// O(pairs, and those that ended lately), no allocation in the steady state.
func (l *List) AppendRemove(dst []Event, h arena.Handle) ([]Event, error) {
	if err := l.checkHandle(h); err != nil {
		return dst, err
	}
	slot := h.Slot()
	b := &l.bodies[slot]
	for b.triggers != 0 {
		l.removeTrigger(b.triggers - 1)
	}
	l.endWatchers(slot)
	if b.linked {
		l.unlinkBody(slot)
	}
	*b = body{handle: h, gone: l.open, touched: b.touched}
	l.places[slot], l.before[slot] = nowhere, nowhere
	if l.open {
		l.gone = append(l.gone, slot)
	}
	l.alive--
	return l.finish(dst), nil
}

// Position returns where an entity is, in units, also while a batch is open. ok is
// false if h is not in the list. O(1), no allocation.
func (l *List) Position(h arena.Handle) (x, y int32, ok bool) {
	if !l.Holds(h) {
		return 0, 0, false
	}
	p := l.places[h.Slot()]
	return p.x, p.y, true
}

// Holds reports whether an entity is in the list. O(1), no allocation.
func (l *List) Holds(h arena.Handle) bool {
	slot := h.Slot()
	return uint64(slot) < uint64(len(l.bodies)) && l.bodies[slot].handle == h && l.bodies[slot].present
}

// keeps reports whether a slot cannot be given to h.
func (b *body) keeps(h arena.Handle) bool { return b.present || b.gone && b.handle == h }
