package vicinity

import (
	"strings"
	"testing"

	"vicinity/interest"
)

// explains expects words in an explanation, and, behind a "!", that they are not.
func explains(t *testing.T, w *World, c ConnID, id uint64, words ...string) {
	t.Helper()
	got := w.Explain(c, id)
	for _, word := range words {
		if word, not := strings.CutPrefix(word, "!"); strings.Contains(got, word) == not {
			t.Errorf("explanation of %d: %q; want %q in it: %v", id, got, word, !not)
		}
	}
}

// TestExplain: the words name the cause.
func TestExplain(t *testing.T) {
	w := newWorld(t, Config{Reach: []Reach{{Enter: 10, Margin: 2}, {Enter: -1}}, Predicate: func(_ ConnID, h Handle) bool { return false }})
	self := spawn(t, w, 1, 0, 0)
	spawn(t, w, 2, 30, 0)
	masked := spawn(t, w, 3, 1, 0)
	ok(t, w.SetMasks(masked, 4, 0))
	spawnOf(t, w, Entity{ID: 4, Cost: cost(1), Any: 2})
	spawnOf(t, w, Entity{ID: 5, Cost: cost(1), Ask: true})
	spawnOf(t, w, Entity{ID: 6, Cost: cost(1), Reach: 1})
	near := spawn(t, w, 7, 3, 4)
	spawnOf(t, w, Entity{ID: 8, Cost: cost(1), SpawnCost: 60})
	far := spawnOf(t, w, Entity{ID: 9, Cost: cost(90), X: 5, SpawnCost: 1})
	leaver := spawn(t, w, 11, 9, 0)
	ok(t, w.Connect(Connection{ID: 1, Viewpoint: on(self), ExcludeSelf: true, Budget: 100}))
	ok(t, w.Observe(Connection{ID: 2}))
	ok(t, w.Trace(1, true))
	tick(t, w)
	spawn(t, w, 10, 0, 0)
	explains(t, w, 9, 1, "no connection 9")
	explains(t, w, 1, 77, "no such entity")
	explains(t, w, 1, 10, "spawned after the last tick")
	explains(t, w, 1, 1, "excluded")
	explains(t, w, 1, 2, "not in view", "30.00 m", "enter at 10.00 m", "up to 12.00 m")
	explains(t, w, 1, 3, "not permitted", "0x4")
	explains(t, w, 1, 4, "not permitted", "one of the bits 0x2")
	explains(t, w, 1, 5, "predicate says no")
	explains(t, w, 1, 6, "not seen")
	explains(t, w, 1, 7, "sent at this tick", "number", "lifecycle", "20 bytes")
	explains(t, w, 1, 8, "enter is pending since tick 1", "can never be sent", "oversize")
	explains(t, w, 2, 7, "watcher")
	ok(t, w.Touch(near))
	ok(t, w.Touch(far))
	ok(t, w.Move(leaver, 500, 0))
	tickIf(t, w, false)
	explains(t, w, 1, 7, "sent at tick 1", "changed at tick 2", "waits since tick 2", "selected")
	explains(t, w, 1, 9, "deferred (no room)")
	explains(t, w, 1, 11, "leave (range) is pending since tick 2")
	ok(t, w.Trace(1, false))
	tick(t, w)
	explains(t, w, 1, 7, "sent at this tick", "not traced")
	ok(t, w.Pause(1, true))
	tick(t, w)
	explains(t, w, 1, 7, "paused", "sent at tick 3", "last delivery was at tick 3")
}

// TestExplainLate: what is told of a connection that is not up to date says so.
func TestExplainLate(t *testing.T) {
	w := newWorld(t, Config{})
	a, far := spawn(t, w, 1, 0, 0), spawn(t, w, 2, 999, 0)
	tick(t, w)
	ok(t, w.Connect(Connection{ID: 1, Viewpoint: on(a), SendEvery: 5}))
	explains(t, w, 1, 1, "not updated yet", "!not in view")
	explains(t, w, 1, 2, "not updated yet", "!not in view")
	for range 5 {
		tick(t, w)
	}
	explains(t, w, 1, 1, "in view", "!not updated")
	explains(t, w, 1, 2, "not in view", "999.00 m", "!related")
	ok(t, w.Relate(1, far, interest.Quest))
	explains(t, w, 1, 2, "not in view", "related", "from the next update on")
	ok(t, w.Unrelate(1, far, interest.Quest))
	ok(t, w.SetGroups(far, [4]uint32{0, 7}))
	ok(t, w.SetConnGroups(1, [4]uint32{0, 7}))
	explains(t, w, 1, 2, "related")
	ok(t, w.Pause(1, true))
	for range 5 {
		tick(t, w)
	}
	explains(t, w, 1, 2, "paused", "as of its last update, at tick", "not in view")
	explains(t, w, 1, 1, "as of its last update, at tick")
}

// TestExplainNearest: the distance is that from the nearest viewpoint.
func TestExplainNearest(t *testing.T) {
	w := newWorld(t, Config{Reach: []Reach{{Enter: 2, Margin: 1}}})
	self := spawn(t, w, 1, 0, 0)
	spawn(t, w, 2, 1005, 0)
	spawn(t, w, 3, 7, 0)
	ok(t, w.Connect(Connection{ID: 1, Viewpoint: on(self), More: []Viewpoint{at(1000, 0)}}))
	tick(t, w)
	explains(t, w, 1, 2, "at 5.00 m")
	explains(t, w, 1, 3, "at 7.00 m")
	ok(t, w.Despawn(self))
	tick(t, w)
	explains(t, w, 1, 3, "at 993.00 m")
	ok(t, w.SetViewpoints(1, at(8, 0)))
	tick(t, w)
	explains(t, w, 1, 3, "in view")
}

// TestExplainBody: the distance is that to the nearest point of the body, and the
// viewpoint the one that is nearest to it.
func TestExplainBody(t *testing.T) {
	w := newWorld(t, Config{Reach: []Reach{{Enter: 10, Margin: 2}}})
	spawnOf(t, w, Entity{ID: 1, X: 103, Y: 24, Cost: cost(1), Body: Body{HalfX: 100, HalfY: 20}})
	spawnOf(t, w, Entity{ID: 2, X: -30, Y: 40, Cost: cost(1), Body: Body{Radius: 38}})
	tower := spawnOf(t, w, Entity{ID: 3, X: -30, Y: 40, Cost: cost(1), Body: Body{Radius: 60}})
	ok(t, w.SetMasks(tower, 1, 0))
	ok(t, w.Connect(Connection{ID: 1, Viewpoint: at(0, 0), ExcludeSelf: true, Scale: 0.25}))
	tick(t, w)
	explains(t, w, 1, 1, "not in view", "at 5.00 m", "enter at 2.50 m")
	explains(t, w, 1, 2, "not in view", "at 12.00 m")
	explains(t, w, 1, 3, "not in view", "not permitted", "at 0.00 m")
	// The position of the box is nearer to the second viewpoint, its edge to the first.
	ok(t, w.SetViewpoints(1, at(0, 0), at(103, 55)))
	tick(t, w)
	explains(t, w, 1, 1, "at 5.00 m")
	h, _ := w.Handle(1)
	ok(t, w.SetBody(h, Body{}))
	tick(t, w)
	explains(t, w, 1, 1, "at 31.00 m")
}

// TestExplainStale: no decision of an earlier tick is told as that of the last.
func TestExplainStale(t *testing.T) {
	w := newWorld(t, Config{})
	self, other := spawn(t, w, 1, 0, 0), spawn(t, w, 2, 5, 0)
	ok(t, w.Connect(Connection{ID: 1, Viewpoint: on(self), Budget: 100}))
	ok(t, w.Trace(1, true))
	tick(t, w)
	explains(t, w, 1, 2, "selected as number", "!packed last")
	ok(t, w.SetBudget(1, 0, 0))
	tick(t, w)
	explains(t, w, 1, 2, "!selected", "!packed", "!traced")
	ok(t, w.SetBudget(1, 100, 0))
	ok(t, w.SetRate(1, 5))
	ok(t, w.Touch(other))
	for range 5 {
		tick(t, w)
	}
	ok(t, w.Pause(1, true))
	tick(t, w)
	explains(t, w, 1, 2, "packed last at tick", "selected as number")
}
