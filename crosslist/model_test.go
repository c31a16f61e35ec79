package crosslist

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/dgryski/go-pcgr"

	"vicinity/arena"
)

var seedFlag = flag.Uint64("seed", 1, "seed of the random tests")

// random is a seeded generator with the few draws that the tests need.
type random struct{ pcgr.Rand }

func newRandom(t testing.TB, stream int64) *random {
	t.Helper()
	t.Logf("seed %d, stream %d", *seedFlag, stream)
	return seeded(int64(*seedFlag), stream)
}

func seeded(seed, stream int64) *random {
	r := &random{}
	r.SeedWithState(seed, stream)
	return r
}

// below returns a value in [0, n).
func (r *random) below(n int) int { return int(r.Bound(uint32(n))) }

// spread returns a value in [-n, n].
func (r *random) spread(n int32) int32 { return int32(r.Bound(uint32(2*n+1))) - n }

// model is what a list is to be, in plain loops and maps. It is given IDs.
type model struct {
	entities map[uint64]point
	triggers map[uint64]*modelTrigger
	members  map[pair]bool
}

type modelTrigger struct {
	owner          uint64 // 0: it stands
	at             point
	radius, margin int64
	shape          Shape
}

type pair struct{ trigger, entity uint64 }

func newModel() *model {
	return &model{map[uint64]point{}, map[uint64]*modelTrigger{}, map[pair]bool{}}
}

// within is the definition of the shapes.
func (t *modelTrigger) within(centre, p point, r int64) bool {
	dx, dy := int64(p.x)-int64(centre.x), int64(p.y)-int64(centre.y)
	if t.shape == Box {
		return max(dx, -dx, dy, -dy) <= r
	}
	return dx*dx+dy*dy <= r*r
}

// change is an event without handles.
type change struct {
	pair
	kind Kind
}

// update decides about every trigger and every entity, and returns what changed,
// sorted.
func (m *model) update() (changes []change) {
	for id, t := range m.triggers {
		centre := t.at
		if t.owner != 0 {
			centre = m.entities[t.owner]
		}
		for e, p := range m.entities {
			was := m.members[pair{id, e}]
			r := t.radius
			if was {
				r += t.margin
			}
			is := e != t.owner && t.within(centre, p, r)
			if is != was {
				kind := Enter
				if was {
					kind = Leave
				}
				changes = append(changes, change{pair{id, e}, kind})
			}
		}
	}
	for p := range m.members {
		_, t := m.triggers[p.trigger]
		_, e := m.entities[p.entity]
		if !t || !e {
			changes = append(changes, change{p, Leave})
		}
	}
	for _, c := range changes {
		if c.kind == Enter {
			m.members[c.pair] = true
		} else {
			delete(m.members, c.pair)
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		if a.trigger != b.trigger {
			return int(int64(a.trigger) - int64(b.trigger))
		}
		return int(int64(a.entity) - int64(b.entity))
	})
	return changes
}

// removeEntity takes an entity out, with its triggers.
func (m *model) removeEntity(id uint64) {
	delete(m.entities, id)
	for t, trigger := range m.triggers {
		if trigger.owner == id {
			delete(m.triggers, t)
		}
	}
}

// world is a list and the model beside it.
type world struct {
	t        testing.TB
	arena    *arena.Arena
	list     *List
	model    *model
	handles  map[uint64]arena.Handle
	triggers map[uint64]Trigger
	events   []Event
	calls    int
	changed  int  // events so far
	lazy     bool // members and invariants are compared by hand
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, arena: &arena.Arena{}, model: newModel(), handles: map[uint64]arena.Handle{}, triggers: map[uint64]Trigger{}}
	var err error
	w.list, err = New(Config{Arena: w.arena})
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("call %d: %v", w.calls, err)
	}
}

// done compares the events of a call with the model's changes.
func (w *world) done(events []Event, err error) []Event {
	w.t.Helper()
	w.must(err)
	w.calls++
	w.events = events[:0]
	if w.list.Open() {
		if len(events) != 0 {
			w.t.Fatalf("call %d: %d events while a batch is open", w.calls, len(events))
		}
		return nil
	}
	want := w.model.update()
	w.changed += len(want)
	got := make([]change, 0, len(events))
	for _, e := range events {
		got = append(got, change{pair{e.TriggerID, e.EntityID}, e.Kind})
		if h, ok := w.handles[e.EntityID]; ok && h != e.Entity {
			w.t.Fatalf("call %d: event of %v; want %v", w.calls, e.Entity, h)
		}
		if h, ok := w.triggers[e.TriggerID]; ok && h != e.Trigger {
			w.t.Fatalf("call %d: event of %v; want %v", w.calls, e.Trigger, h)
		}
	}
	if !slices.Equal(got, want) {
		w.t.Fatalf("call %d: events %v; want %v", w.calls, got, want)
	}
	if !w.lazy {
		w.compare()
	}
	return events
}

// compare compares all sets with the model's.
func (w *world) compare() {
	w.t.Helper()
	w.must(w.list.CheckInvariants())
	got := 0
	for id, t := range w.triggers {
		members, err := w.list.AppendMembers(nil, t)
		w.must(err)
		for _, h := range members {
			x, y, ok := w.list.Position(h)
			if !ok {
				w.t.Fatalf("call %d: member %v is not in the list", w.calls, h)
			}
			e := w.id(h)
			if w.model.entities[e] != (point{x, y}) || !w.model.members[pair{id, e}] {
				w.t.Fatalf("call %d: trigger %d has member %d", w.calls, id, e)
			}
			got++
		}
	}
	if got != len(w.model.members) {
		w.t.Fatalf("call %d: %d members; want %d", w.calls, got, len(w.model.members))
	}
	got = 0
	for id, h := range w.handles {
		triggers, err := w.list.AppendTriggers(nil, h)
		w.must(err)
		for _, t := range triggers {
			if !w.model.members[pair{w.list.zones[arena.Handle(t).Slot()].id, id}] {
				w.t.Fatalf("call %d: entity %d has %v", w.calls, id, t)
			}
		}
		got += len(triggers)
	}
	if got != len(w.model.members) {
		w.t.Fatalf("call %d: %d members, by entity; want %d", w.calls, got, len(w.model.members))
	}
	if w.list.Len() != len(w.model.entities) || w.list.Triggers() != len(w.model.triggers) {
		w.t.Fatalf("call %d: %d entities, %d triggers", w.calls, w.list.Len(), w.list.Triggers())
	}
}

func (w *world) id(h arena.Handle) uint64 { return w.list.bodies[h.Slot()].id }

func (w *world) insert(id uint64, x, y int32) []Event {
	w.t.Helper()
	h, err := w.arena.Alloc()
	w.must(err)
	w.handles[id] = h
	w.model.entities[id] = point{x, y}
	return w.done(w.list.AppendInsert(w.events, h, id, x, y))
}

func (w *world) move(id uint64, x, y int32) []Event {
	w.t.Helper()
	w.model.entities[id] = point{x, y}
	return w.done(w.list.AppendMove(w.events, w.handles[id], x, y))
}

func (w *world) teleport(id uint64, x, y int32) []Event {
	w.t.Helper()
	w.model.entities[id] = point{x, y}
	return w.done(w.list.AppendTeleport(w.events, w.handles[id], x, y))
}

func (w *world) remove(id uint64) []Event {
	w.t.Helper()
	h := w.handles[id]
	delete(w.handles, id)
	for t, trigger := range w.model.triggers {
		if trigger.owner == id {
			delete(w.triggers, t)
		}
	}
	w.model.removeEntity(id)
	events := w.done(w.list.AppendRemove(w.events, h))
	w.arena.Free(h)
	return events
}

// attach adds a trigger to an entity.
func (w *world) attach(id, owner uint64, radius, margin int32, shape Shape) []Event {
	w.t.Helper()
	return w.add(Spec{ID: id, Owner: w.handles[owner], Radius: radius, Margin: margin, Shape: shape}, owner)
}

// stand adds a trigger that stands.
func (w *world) stand(id uint64, x, y, radius, margin int32, shape Shape) []Event {
	w.t.Helper()
	return w.add(Spec{ID: id, X: x, Y: y, Radius: radius, Margin: margin, Shape: shape}, 0)
}

func (w *world) add(s Spec, owner uint64) []Event {
	w.t.Helper()
	w.model.triggers[s.ID] = &modelTrigger{owner, point{s.X, s.Y}, int64(s.Radius), int64(s.Margin), s.Shape}
	events, t, err := w.list.AppendAddTrigger(w.events, s)
	w.triggers[s.ID] = t
	return w.done(events, err)
}

func (w *world) moveTrigger(id uint64, x, y int32) []Event {
	w.t.Helper()
	w.model.triggers[id].at = point{x, y}
	return w.done(w.list.AppendMoveTrigger(w.events, w.triggers[id], x, y))
}

func (w *world) setRadius(id uint64, radius, margin int32) []Event {
	w.t.Helper()
	t := w.model.triggers[id]
	t.radius, t.margin = int64(radius), int64(margin)
	return w.done(w.list.AppendSetRadius(w.events, w.triggers[id], radius, margin))
}

func (w *world) removeTrigger(id uint64) []Event {
	w.t.Helper()
	t := w.triggers[id]
	delete(w.triggers, id)
	delete(w.model.triggers, id)
	return w.done(w.list.AppendRemoveTrigger(w.events, t))
}

func (w *world) begin() {
	w.t.Helper()
	w.must(w.list.Begin())
}

func (w *world) end() []Event {
	w.t.Helper()
	return w.done(w.list.AppendEnd(w.events))
}

// words describes events: "+1:2" for an enter of entity 2 into trigger 1.
func words(events []Event) string {
	out := ""
	for _, e := range events {
		sign := "+"
		if e.Kind == Leave {
			sign = "-"
		}
		out += fmt.Sprintf("%s%d:%d ", sign, e.TriggerID, e.EntityID)
	}
	return out
}

// expect compares events with words.
func expect(t testing.TB, when string, events []Event, want string) {
	t.Helper()
	if got := words(events); got != want {
		t.Errorf("%s: got %q; want %q", when, got, want)
	}
}

// fails checks that a call failed with an error and appended nothing.
func fails(t testing.TB, when string, events []Event, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || len(events) != 0 {
		t.Errorf("%s: %d events and error %v; want %v", when, len(events), err, want)
	}
}
