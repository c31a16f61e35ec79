package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// watcher sees everything within 10, and up to 12 what it saw.
var watcher = []Observer{{ID: 1, Reach: []Reach{{Enter: 10, Margin: 2}}}}

// thing is an entity that costs and matters.
func thing(id uint64, x int64, cost uint32, priority uint16) Thing {
	return Thing{Entity: Entity{ID: id, X: x}, Cost: cost, Priority: priority}
}

// describe prints what the only observer got: "spawn 5, update 7; 2 wait, oldest 3".
func describe(all []Sent) string {
	if len(all) == 0 {
		return "not updated"
	}
	names := [...]string{SendSpawn: "spawn", SendUpdate: "update", SendRemove: "remove"}
	s := &all[0]
	var parts []string
	for _, item := range s.Items {
		parts = append(parts, fmt.Sprintf("%s %d", names[item.What], item.Entity))
	}
	text := strings.Join(parts, ", ")
	if s.Deferred > 0 {
		text += fmt.Sprintf("; %d wait", s.Deferred)
	}
	if s.Oversize > 0 {
		text += fmt.Sprintf(" (%d oversize)", s.Oversize)
	}
	if s.Oldest > 0 {
		text += fmt.Sprintf("; oldest %d", s.Oldest)
	}
	return text
}

// TestWorldTells follows one observer through what can happen to a pair.
func TestWorldTells(t *testing.T) {
	type step struct {
		things []Thing
		want   string
	}
	for _, c := range []struct {
		name  string
		cfg   WorldConfig
		steps []step
	}{
		{
			"everything at once without a budget", WorldConfig{},
			[]step{
				{[]Thing{thing(1, 0, 1, 0), thing(2, 5, 1, 0), thing(3, 11, 1, 0)}, "spawn 1, spawn 2"},
				{[]Thing{thing(1, 0, 1, 0), thing(2, 6, 1, 0), thing(3, 9, 1, 0)}, "update 2, spawn 3"},
				{[]Thing{thing(1, 0, 1, 0), thing(3, 12, 1, 0)}, "remove 2, update 3"},
				{[]Thing{thing(1, 0, 1, 0), thing(2, 6, 1, 0), thing(3, 13, 1, 0)}, "spawn 2, remove 3"},
			},
		},
		{
			"the reserve holds spawns back, the nearest goes first",
			WorldConfig{Budget: 100, Reserve: 20, RemoveCost: 8},
			[]step{
				{[]Thing{thing(1, 9, 20, 0), thing(2, 5, 20, 0), thing(3, 7, 20, 1)}, "spawn 3; 2 wait"},
				{[]Thing{thing(1, 9, 20, 0), thing(2, 5, 20, 0), thing(3, 7, 20, 1)}, "spawn 2; 1 wait; oldest 1"},
				{[]Thing{thing(1, 9, 20, 0), thing(2, 5, 20, 0), thing(3, 8, 20, 1)}, "spawn 1, update 3; oldest 2"},
				{[]Thing{thing(1, 9, 20, 0), thing(2, 5, 20, 0), thing(3, 8, 20, 1)}, ""},
			},
		},
		{
			"a spawn that leaves before it was sent was nothing",
			WorldConfig{Budget: 100, Reserve: 20, RemoveCost: 8},
			[]step{
				{[]Thing{thing(1, 0, 20, 0), thing(2, 5, 20, 0)}, "spawn 1; 1 wait"},
				{[]Thing{thing(1, 0, 20, 0)}, ""},
			},
		},
		{
			"a removal that waits, and is due no more", // nobody's spawn fits, nor does a removal
			WorldConfig{Budget: 100, Reserve: 10, RemoveCost: 8},
			[]step{
				{[]Thing{thing(1, 0, 10, 0)}, "spawn 1"},
				{[]Thing{thing(1, 0, 10, 0), thing(2, 5, 10, 0)}, "spawn 2"},
				{[]Thing{thing(1, 20, 10, 0), thing(2, 20, 10, 0)}, "remove 1; 1 wait"},
				{[]Thing{thing(1, 20, 10, 0), thing(2, 5, 10, 0)}, "update 2"},
			},
		},
		{
			"first fit goes on behind what does not fit; oversize is apart",
			WorldConfig{Budget: 96, Reserve: 96, RemoveCost: 8},
			[]step{
				{[]Thing{thing(1, 1, 80, 0), thing(2, 2, 56, 0), thing(3, 3, 16, 0), thing(4, 4, 97, 0)}, "spawn 1, spawn 3; 2 wait (1 oversize)"},
				{[]Thing{thing(1, 1, 80, 0), thing(2, 2, 56, 0), thing(3, 3, 16, 0), thing(4, 4, 97, 0)}, "spawn 2; 1 wait (1 oversize); oldest 1"},
			},
		},
		{
			"who returns is another, told after its removal",
			WorldConfig{Budget: 30, Reserve: 8, RemoveCost: 8},
			[]step{
				{[]Thing{thing(2, 1, 8, 0)}, "spawn 2"},
				{[]Thing{thing(2, 1, 8, 0), thing(3, 1, 8, 0)}, "spawn 3"},
				{nil, "remove 2; 1 wait"},
				{[]Thing{thing(3, 1, 8, 0)}, "remove 3; oldest 1"}, // its spawn is held back
				{[]Thing{thing(3, 1, 8, 0)}, "spawn 3; oldest 1"},
			},
		},
		{
			"silence goes before priority, for a third of the budget",
			WorldConfig{Budget: 60, Reserve: 60, RemoveCost: 8, MaxSilence: 2},
			[]step{
				{[]Thing{thing(1, 1, 20, 9), thing(2, 1, 20, 9), thing(3, 1, 20, 1)}, "spawn 1, spawn 2, spawn 3"},
				{[]Thing{thing(1, 2, 30, 9), thing(2, 2, 30, 9), thing(3, 2, 20, 1)}, "update 1, update 2; 1 wait"},
				{[]Thing{thing(1, 3, 30, 9), thing(2, 3, 30, 9), thing(3, 2, 20, 1)}, "update 1, update 2; 1 wait; oldest 1"},
				{[]Thing{thing(1, 4, 30, 9), thing(2, 4, 30, 9), thing(3, 2, 20, 1)}, "update 1, update 3; 1 wait; oldest 2"},
				{[]Thing{thing(1, 4, 30, 9), thing(2, 4, 30, 9), thing(3, 2, 20, 1)}, "update 2; oldest 1"},
				{[]Thing{{Entity: Entity{ID: 1, X: 4}, Cost: 30, Touched: true}, thing(2, 4, 30, 9), thing(3, 2, 20, 1)}, "update 1"},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := NewWorld(c.cfg)
			for i, s := range c.steps {
				if got := describe(w.Tick(uint64(i)+1, watcher, s.things)); got != s.want {
					t.Errorf("tick %d: %q, want %q", i+1, got, s.want)
				}
			}
		})
	}
}

// peer is what a client knows that does what it is told.
type peer map[uint64]bool

func (p peer) hear(t *testing.T, s *Sent) {
	for _, what := range []What{SendRemove, SendSpawn, SendUpdate} {
		for _, item := range s.Items {
			if item.What != what {
				continue
			}
			if known := p[item.Entity]; known == (what == SendSpawn) {
				t.Fatalf("observer %d is told %d of entity %d, which it knows: %v", s.Observer, what, item.Entity, known)
			}
			if what == SendRemove {
				delete(p, item.Entity)
			} else {
				p[item.Entity] = true
			}
		}
	}
}

// TestWorldAgainstRelations holds the views against Relations, every tick, and
// what the peers know against the views, once nothing waits.
func TestWorldAgainstRelations(t *testing.T) {
	t.Logf("seed %d", *seed)
	for _, cfg := range []WorldConfig{
		{},
		{Budget: 200, Reserve: 50, RemoveCost: 8},
		{Budget: 90, Reserve: 30, RemoveCost: 8, MaxSilence: 4},
	} {
		rng := rand.New(rand.NewPCG(*seed, uint64(cfg.Budget)))
		reach := []Reach{{Enter: 12, Margin: 4}}
		var r Relations
		w := NewWorld(cfg)
		peers := map[uint64]peer{}
		x, y, absent := make([]int64, 25), make([]int64, 25), make([]bool, 25)
		waited := 0
		for tick := range uint64(300) {
			calm := tick >= 200
			var observers []Observer
			var entities []Entity
			var things []Thing
			for i := range x {
				if !calm {
					x[i] = min(20, max(-20, x[i]+rng.Int64N(5)-2))
					y[i] = min(20, max(-20, y[i]+rng.Int64N(5)-2))
					if rng.IntN(15) == 0 {
						absent[i] = !absent[i]
					}
				}
				if absent[i] {
					delete(peers, uint64(i))
					continue
				}
				e := Entity{ID: uint64(i), X: x[i], Y: y[i]}
				entities = append(entities, e)
				things = append(things, Thing{Entity: e, Cost: 20 + uint32(i%3), Priority: uint16(i % 4)})
				observers = append(observers, Observer{ID: e.ID, X: e.X, Y: e.Y, Reach: reach, Self: e.ID, ExcludeSelf: true})
				if peers[e.ID] == nil {
					peers[e.ID] = peer{}
				}
			}
			r.Update(observers, entities)
			all := w.Tick(tick+1, observers, things)
			if !slices.Equal(w.Pairs(), r.Pairs()) {
				t.Fatalf("budget %d, tick %d: the views are not the relations", cfg.Budget, tick)
			}
			for i := range all {
				s := &all[i]
				peers[s.Observer].hear(t, s)
				waited += s.Deferred
				if cfg.Budget > 0 && s.Bytes > cfg.Budget {
					t.Fatalf("%d of %d bytes", s.Bytes, cfg.Budget)
				}
				if tick == 299 && (s.Deferred > 0 || len(s.Items) > 0) {
					t.Errorf("budget %d: a hundred ticks of rest, and %+v", cfg.Budget, s)
				}
			}
		}
		for _, p := range r.Pairs() {
			if !peers[p.Observer][p.Entity] {
				t.Errorf("budget %d: %d was never told of %d", cfg.Budget, p.Observer, p.Entity)
			}
			delete(peers[p.Observer], p.Entity)
		}
		for id, p := range peers {
			if len(p) > 0 {
				t.Errorf("budget %d: %d knows too many: %v", cfg.Budget, id, p)
			}
		}
		if (waited > 0) != (cfg.Budget > 0) {
			t.Errorf("budget %d: %d waited", cfg.Budget, waited)
		}
	}
}

// Every observer is updated once in n ticks, and the work is even.
func TestWorldSendEvery(t *testing.T) {
	const n = 4
	w := NewWorld(WorldConfig{SendEvery: n})
	var observers []Observer
	for id := range uint64(10) {
		observers = append(observers, Observer{ID: id, Reach: watcher[0].Reach})
	}
	last := map[uint64]uint64{}
	for tick := uint64(1); tick <= 20; tick++ {
		all := w.Tick(tick, observers, []Thing{thing(1, int64(tick)%2, 1, 0)})
		if len(all) < 2 || len(all) > 3 {
			t.Errorf("tick %d: %d observers are updated, want 2 or 3", tick, len(all))
		}
		for _, s := range all {
			if before := last[s.Observer]; before != 0 && tick != before+n {
				t.Errorf("observer %d is updated at %d and %d", s.Observer, before, tick)
			}
			last[s.Observer] = tick
		}
	}
	if len(last) != 10 {
		t.Errorf("%d of 10 observers were updated", len(last))
	}
}
