package crosslist

import (
	"errors"
	"strings"
	"testing"

	"vicinity/arena"
)

func TestErrors(t *testing.T) {
	if _, err := New(Config{}); !errors.Is(err, ErrConfig) {
		t.Errorf("New: %v; want %v", err, ErrConfig)
	}
	w := newWorld(t)
	w.insert(1, 0, 0)
	w.insert(2, 5, 0)
	w.attach(7, 1, 10, 0, Disc)
	w.stand(8, 0, 0, 10, 0, Box)
	h, l := w.handles[1], w.list
	free, err := w.arena.Alloc()
	w.must(err)
	stale, err := w.arena.Alloc()
	w.must(err)
	w.arena.Free(stale)
	for name, h := range map[string]arena.Handle{
		"zero": 0, "stale": stale, "not inserted": free, "another generation": h + 2<<32, "far": arena.MakeHandle(1<<31, 1),
	} {
		events, err := l.AppendMove(nil, h, 1, 1)
		fails(t, name, events, err, ErrHandle)
		if !strings.Contains(err.Error(), h.String()) {
			t.Errorf("%q does not name %v", err, h)
		}
		events, err = l.AppendTeleport(nil, h, 1, 1)
		fails(t, name, events, err, ErrHandle)
		events, err = l.AppendRemove(nil, h)
		fails(t, name, events, err, ErrHandle)
		if _, err := l.AppendTriggers(nil, h); !errors.Is(err, ErrHandle) {
			t.Errorf("%s: AppendTriggers: %v", name, err)
		}
		if _, _, ok := l.Position(h); ok || l.Holds(h) {
			t.Errorf("%s: is in the list", name)
		}
		if h != 0 { // zero is no owner
			events, _, err = l.AppendAddTrigger(nil, Spec{Owner: h, Radius: 1})
			fails(t, name, events, err, ErrHandle)
		}
		if h != free {
			events, err = l.AppendInsert(nil, h, 3, 1, 1)
			fails(t, name, events, err, ErrHandle)
		}
	}
	events, err := l.AppendInsert(nil, h, 1, 1, 1)
	fails(t, "twice", events, err, ErrExists)
	events, _, err = l.AppendAddTrigger(nil, Spec{Shape: 2})
	fails(t, "shape", events, err, ErrShape)
	events, _, err = l.AppendAddTrigger(nil, Spec{Owner: h, X: 1})
	fails(t, "owner and place", events, err, ErrRange)
	events, err = l.AppendMoveTrigger(nil, w.triggers[7], 1, 1)
	fails(t, "attached", events, err, ErrAttached)
	for _, trigger := range []Trigger{0, w.triggers[8] + 2<<32, Trigger(arena.MakeHandle(9, 1))} {
		events, err = l.AppendMoveTrigger(nil, trigger, 1, 1)
		fails(t, "trigger", events, err, ErrTrigger)
		events, err = l.AppendSetRadius(nil, trigger, 1, 1)
		fails(t, "trigger", events, err, ErrTrigger)
		events, err = l.AppendRemoveTrigger(nil, trigger)
		fails(t, "trigger", events, err, ErrTrigger)
		if _, err := l.AppendMembers(nil, trigger); !errors.Is(err, ErrTrigger) {
			t.Errorf("AppendMembers: %v", err)
		}
		if _, _, ok := l.Radius(trigger); ok {
			t.Error("there is a radius")
		}
		if _, ok := l.Owner(trigger); ok {
			t.Error("there is an owner")
		}
	}
	for _, r := range []Rect{{1, 0, 0, 0}, {0, 1, 0, 0}, {-MaxCoord - 1, 0, 0, 0}, {0, 0, 0, MaxCoord + 1}} {
		if _, err := l.AppendIn(nil, r); !errors.Is(err, ErrRange) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	_, err = l.AppendEnd(nil)
	if !errors.Is(err, ErrNotOpen) {
		t.Errorf("AppendEnd: %v", err)
	}
	w.begin()
	if err := l.Begin(); !errors.Is(err, ErrOpen) {
		t.Errorf("Begin: %v", err)
	}
	_, err1 := l.AppendIn(nil, Rect{})
	_, err2 := l.AppendMembers(nil, w.triggers[7])
	_, err3 := l.AppendTriggers(nil, h)
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, ErrOpen) {
			t.Errorf("asked while a batch is open: %v", err)
		}
	}
	w.end()
	w.compare()

	if r, m, ok := l.Radius(w.triggers[7]); r != 10 || m != 0 || !ok {
		t.Errorf("radius %d, %d, %v", r, m, ok)
	}
	if o, ok := l.Owner(w.triggers[7]); o != h || !ok {
		t.Errorf("owner %v, %v", o, ok)
	}
	if o, ok := l.Owner(w.triggers[8]); o != 0 || !ok {
		t.Errorf("owner %v, %v", o, ok)
	}
	// Freed in the arena first: it can be removed all the same, and its slot reused.
	w.arena.Free(h)
	next, err := w.arena.Alloc()
	w.must(err)
	if next.Slot() != h.Slot() {
		t.Fatalf("slot %d; want %d", next.Slot(), h.Slot())
	}
	events, err = l.AppendInsert(nil, next, 9, 0, 0)
	fails(t, "slot not removed yet", events, err, ErrExists)
	events, err = l.AppendRemove(nil, h)
	w.must(err)
	expect(t, "removed", events, "-7:2 -8:1 ")
	events, err = l.AppendInsert(nil, next, 9, 0, 0)
	w.must(err)
	expect(t, "reused", events, "+8:9 ")
	w.must(l.CheckInvariants())
}

func TestWords(t *testing.T) {
	for want, s := range map[string]interface{ String() string }{
		"enter": Enter, "leave": Leave, "Kind(7)": Kind(7), "disc": Disc, "box": Box, "Shape(9)": Shape(9),
		"trigger none": Trigger(0), "trigger 3#1": Trigger(arena.MakeHandle(3, 1)), "trigger with ID 5": Spec{ID: 5},
	} {
		if got := s.String(); got != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
}
