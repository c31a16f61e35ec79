package vicinity

import (
	"testing"

	"vicinity/arena"
	"vicinity/grid"
	"vicinity/interest"
	"vicinity/internal/invariants"
)

// churn is a World in which everything happens all the time: walks, teleports,
// spawns, despawns, flips of relations and masks, budgets that change, deliveries
// that are refused.
type churn struct {
	t   testing.TB
	w   *World
	all []Handle
	// related is whom each connection is related to.
	related []Handle
	next    uint64
	seed    uint32
	quiet   bool   // nothing must be sent
	budget  uint32 // of connections, and up to two bytes more
	bodied  bool   // some have bodies, which change
}

func newChurn(t testing.TB, cfg Config, entities, conns int) *churn {
	c := &churn{t: t, w: newWorld(t, cfg), seed: 1, budget: 300}
	for range entities {
		c.spawn(len(c.all))
	}
	c.related = make([]Handle, conns)
	for i := range conns {
		ok(t, c.w.Connect(Connection{
			ID: ConnID(i), Viewpoint: on(c.all[i]), Budget: c.budget + uint32(i%3), Mask: 1, SendEvery: 1 + i%2,
		}))
	}
	return c
}

func (c *churn) below(n int) int {
	c.seed = c.seed*1664525 + 1013904223
	return int(c.seed>>8) % n
}

func (c *churn) coordinate() float64 { return float64(c.below(200)) }

// spawn puts somebody at place i of the list.
func (c *churn) spawn(i int) {
	c.next++
	h, err := c.w.Spawn(Entity{
		ID: c.next, X: c.coordinate(), Y: c.coordinate(), Cost: cost(20 + uint32(c.below(20))), Groups: [4]uint32{uint32(c.below(40))},
		Reach: uint8(c.below(len(c.w.cfg.Reach))), Need: uint32(c.below(8) / 7), Priority: uint16(c.below(4)), MustSend: c.below(50) == 0 && !c.quiet,
	})
	ok(c.t, err)
	if i == len(c.all) {
		c.all = append(c.all, 0)
	}
	c.all[i] = h
}

// relate flips a relation of each connection: what it had goes, so that none has more
// than a few at any time.
func (c *churn) relate() {
	for i := range c.related {
		conn := ConnID(i)
		if h := c.related[i]; h != 0 {
			ok(c.t, c.w.Unrelate(conn, h, interest.Quest))
		}
		c.related[i] = c.all[c.below(len(c.all))]
		ok(c.t, c.w.Relate(conn, c.related[i], interest.Quest))
	}
}

// step does some of everything, then ticks. fn is made before, so as not to count.
func (c *churn) step(fn func(ConnID, *Delivery) bool) {
	w, n, conns := c.w, len(c.all), c.w.Connections()
	if c.quiet && w.mustSends > 0 {
		for _, h := range c.all {
			ok(c.t, w.SetMustSend(h, false))
		}
	}
	for range n / 3 {
		h := c.all[c.below(n)]
		x, y, _, _ := w.Position(h)
		ok(c.t, w.Move(h, x+float64(c.below(3)-1), y+float64(c.below(3)-1)))
	}
	for range 5 {
		if h := c.all[c.below(n)]; c.bodied {
			ok(c.t, w.SetBody(h, []Body{{}, {Radius: 2}, {HalfX: 9, HalfY: 1}}[c.below(3)]))
		}
		i := conns + c.below(n-conns)
		ok(c.t, w.Despawn(c.all[i]))
		c.spawn(i)
	}
	ok(c.t, w.Teleport(c.all[c.below(n)], c.coordinate(), c.coordinate()))
	c.relate()
	for range 3 {
		conn, h := ConnID(c.below(conns)), c.all[c.below(n)]
		group := [4]uint32{uint32(c.below(40)), uint32(c.below(40))}
		ok(c.t, w.SetGroups(h, group))
		ok(c.t, w.SetConnGroups(conn, group))
		ok(c.t, w.SetImportance(conn, h, int32(c.below(5)-2), c.below(2) == 0))
		ok(c.t, w.SetMask(conn, uint32(c.below(2))))
		ok(c.t, w.SetBudget(conn, c.budget+uint32(c.below(3)), 0))
		ok(c.t, w.SetMasks(h, uint32(c.below(8)/7), 0))
		ok(c.t, w.SetMustSend(h, c.below(50) == 0 && !c.quiet))
		ok(c.t, w.Touch(h))
	}
	ok(c.t, w.Tick(fn))
}

// TestZeroAllocs: no stage of a World in turmoil allocates once it has been in
// turmoil for a while.
func TestZeroAllocs(t *testing.T) {
	if raceEnabled || invariants.Enabled {
		t.Skip("this build allocates")
	}
	for name, cfg := range map[string]Config{
		"plain":   {Reach: []Reach{{Enter: 30, Margin: 3}}},
		"all":     {Reach: []Reach{{Enter: 30, Margin: 3}, {Enter: 60, Margin: 5}}, Levels: Levels{Near: 5, Mid: 10, Margin: 1}, Degrade: true, Profile: true},
		"workers": {Reach: []Reach{{Enter: 30, Margin: 3}}, Workers: grid.NewWorkers(3)},
		"bodies":  {Reach: []Reach{{Enter: 30, Margin: 3}}, History: 3, QueryMasks: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(cfg.Workers.Close)
			c := newChurn(t, cfg, 600, 40)
			c.bodied = name == "bodies"
			fn := func(conn ConnID, d *Delivery) bool { return (uint64(conn)+d.Tick)%7 != 0 }
			for range 400 {
				c.step(fn)
			}
			mapped := arena.MappedBytes()
			// Records are broken ever more seldom, but they are: a few allocations in many
			// ticks are growth.
			if n := testing.AllocsPerRun(200, func() { c.step(fn) }); n >= 1 {
				t.Errorf("%v allocations a tick", n)
			}
			if got := arena.MappedBytes(); got != mapped {
				t.Errorf("mapped bytes grew from %d to %d", mapped, got)
			}
		})
	}
}

// TestStatsAllocs: looking does not allocate.
func TestStatsAllocs(t *testing.T) {
	if raceEnabled || invariants.Enabled {
		t.Skip("this build allocates")
	}
	c := newChurn(t, Config{}, 100, 10)
	c.step(nil)
	var s Stats
	if n := testing.AllocsPerRun(10, func() { s = c.w.Stats() }); n != 0 {
		t.Errorf("Stats: %v allocations", n)
	}
	if s.Entities != 100 || s.Connections != 10 || s.HeapBytes == 0 {
		t.Errorf("figures are %+v", s)
	}
	x, y := make([]float32, 100), make([]float32, 100)
	if n := testing.AllocsPerRun(10, func() { MoveAll(c.w, nil, c.all, x, y) }); n != 0 {
		t.Errorf("MoveAll: %v allocations", n)
	}
}
