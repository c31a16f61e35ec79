package crosslist

import (
	"cmp"
	"slices"
	"strconv"

	"vicinity/arena"
)

// Kind says what an [Event] tells.
type Kind uint8

const (
	// Enter: the entity became a member of the trigger.
	Enter Kind = iota
	// Leave: it is none any more.
	Leave
)

// String returns "enter" or "leave".
func (k Kind) String() string {
	switch k {
	case Enter:
		return "enter"
	case Leave:
		return "leave"
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// An Event tells that an entity became, or ceased to be, a member of a trigger.
// Handles may be stale by then: that of an entity or a trigger which was removed.
type Event struct {
	Trigger   Trigger
	Entity    arena.Handle
	TriggerID uint64
	EntityID  uint64
	Kind      Kind
}

// before orders events by trigger ID, then entity ID; if IDs are not unique the
// handles decide.
func (e *Event) before(f *Event) int {
	if e.TriggerID != f.TriggerID {
		return cmp.Compare(e.TriggerID, f.TriggerID)
	}
	return cmp.Or(
		cmp.Compare(e.Trigger, f.Trigger),
		cmp.Compare(e.EntityID, f.EntityID), cmp.Compare(e.Entity, f.Entity),
	)
}

// emit notes an event of a pair.
func (l *List) emit(t, slot uint32, kind Kind) {
	l.out = append(l.out, l.event(t, slot, kind))
}

func (l *List) event(t, slot uint32, kind Kind) Event {
	z, b := &l.zones[t], &l.bodies[slot]
	return Event{Trigger: z.name, Entity: b.handle, TriggerID: z.id, EntityID: b.id, Kind: kind}
}

// sortEvents puts events in order. There are usually few.
func sortEvents(events []Event) {
	if len(events) > 12 {
		slices.SortFunc(events, func(e, f Event) int { return e.before(&f) })
		return
	}
	for i := 1; i < len(events); i++ {
		for j := i; j > 0 && events[j].before(&events[j-1]) < 0; j-- {
			events[j], events[j-1] = events[j-1], events[j]
		}
	}
}
