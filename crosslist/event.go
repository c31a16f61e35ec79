package crosslist

import (
	"math/bits"
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

// before returns 1 if e is ordered before f, else 0: by trigger ID, then entity ID; if
// IDs are not unique the handles decide. It compares all at once, as one number of
// four words, because which decides cannot be foreseen.
func (e *Event) before(f *Event) uint64 {
	_, b := bits.Sub64(uint64(e.Entity), uint64(f.Entity), 0)
	_, b = bits.Sub64(e.EntityID, f.EntityID, b)
	_, b = bits.Sub64(uint64(e.Trigger), uint64(f.Trigger), b)
	_, b = bits.Sub64(e.TriggerID, f.TriggerID, b)
	return b
}

func (l *List) event(t, slot uint32, kind Kind) Event {
	z, b := &l.zones[t], &l.bodies[slot]
	return Event{Trigger: z.name, Entity: b.handle, TriggerID: z.id, EntityID: b.id, Kind: kind}
}

// few is how many events are ranked by comparing each with each.
const few = 16

// appendSorted appends events in order, each once.
func appendSorted(dst, events []Event) []Event {
	if len(events) == 0 {
		return dst
	}
	start := len(dst)
	if len(events) <= few {
		dst = appendRanked(dst, events)
	} else {
		slices.SortFunc(events, func(e, f Event) int { return int(f.before(&e)) - int(e.before(&f)) })
		dst = append(dst, events...)
	}
	k := start + 1
	for i := start + 1; i < len(dst); i++ {
		if dst[i-1].before(&dst[i]) == 0 {
			continue // the same
		}
		if k < i {
			dst[k] = dst[i]
		}
		k++
	}
	return dst[:k]
}

// appendRanked appends a few events in order: each goes where as many are before it.
func appendRanked(dst, events []Event) []Event {
	var ranks [few]uint8
	for i := range events {
		for j := range i {
			b := uint8(events[i].before(&events[j]))
			ranks[j&(few-1)] += b
			ranks[i&(few-1)] += 1 - b
		}
	}
	n := len(dst)
	dst = slices.Grow(dst, len(events))[:n+len(events)]
	for i := range events {
		dst[n+int(ranks[i&(few-1)])] = events[i]
	}
	return dst
}
