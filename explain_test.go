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
