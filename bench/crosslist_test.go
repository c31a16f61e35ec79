package bench

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"vicinity/arena"
	"vicinity/crosslist"
	"vicinity/grid"
	"vicinity/interest"
)

// crowd is the entities of a workload in a list, each with a trigger of its radius.
type crowd struct {
	list    *crosslist.List
	motion  *Motion
	handles []arena.Handle
	events  []crosslist.Event
	count   int
}

func newCrowd(t testing.TB, w Workload, a *arena.Arena, shape crosslist.Shape, margin int32) *crowd {
	t.Helper()
	list, err := crosslist.New(crosslist.Config{Arena: a})
	must(t, err)
	c := &crowd{list: list, motion: NewMotion(w), handles: make([]arena.Handle, w.Entities)}
	for i := range c.handles {
		c.handles[i], err = a.Alloc()
		must(t, err)
		c.events, err = list.AppendInsert(c.events[:0], c.handles[i], uint64(i), c.motion.X[i], c.motion.Y[i])
		must(t, err)
		c.events, _, err = list.AppendAddTrigger(c.events[:0], crosslist.Spec{
			ID: uint64(i), Owner: c.handles[i], Radius: w.RadiusUnits(), Margin: margin, Shape: shape,
		})
		must(t, err)
	}
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// move brings an entity to where the motion has it.
func (c *crowd) move(i int) {
	var err error
	c.events, err = c.list.AppendMove(c.events[:0], c.handles[i], c.motion.X[i], c.motion.Y[i])
	if err != nil {
		panic(err)
	}
	c.count += len(c.events)
}

// managed is the same entities in a ListManager.
type managed struct {
	manager *ListManager
	motion  *Motion
	nodes   []*ListNode
	count   int
}

func newManaged(w Workload) *managed {
	m := &managed{motion: NewMotion(w), nodes: make([]*ListNode, w.Entities)}
	m.manager = NewListManager(w.RadiusUnits(), func(_, _ *ListNode, _ bool) { m.count++ })
	for i := range m.nodes {
		m.nodes[i] = m.manager.Enter(i, m.motion.X[i], m.motion.Y[i])
	}
	m.count = 0
	return m
}

func (m *managed) move(i int) { m.manager.Move(m.nodes[i], m.motion.X[i], m.motion.Y[i]) }

func corridor(n int) Workload {
	w := Uniform(n)
	w.Radius = 25
	return w
}

// The list manager is right: after every move neighbours are those that plain loops
// find, and each change is told, to both.
func TestListManager(t *testing.T) {
	w := corridor(120)
	m := newManaged(w)
	r := w.RadiusUnits()
	held := 0
	for _, n := range m.nodes {
		held += len(n.Neighbours)
	}
	for range 5 {
		m.motion.step *= 3
		m.motion.Walk()
		for i := range m.nodes {
			m.count = 0
			m.move(i)
			n := 0
			for _, a := range m.nodes {
				for _, b := range m.nodes {
					_, is := a.Neighbours[b]
					want := a != b && max(a.at[0]-b.at[0], b.at[0]-a.at[0], a.at[1]-b.at[1], b.at[1]-a.at[1]) <= r
					if is != want {
						t.Fatalf("%d has neighbour %d: %v", a.ID, b.ID, is)
					}
					if is {
						n++
					}
				}
			}
			if d := n - held; d > m.count || -d > m.count || (d-m.count)%2 != 0 {
				t.Fatalf("%d changes told, from %d to %d", m.count, held, n)
			}
			held = n
		}
	}
}

// After every move crosslist, the list manager, a grid published then, and an
// interest set on that grid agree.
func TestCrosslistAgrees(t *testing.T) {
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for _, margin := range []int32{0, 500} {
		w := corridor(60)
		a, err := arena.New(arena.Config{Deferred: true})
		must(t, err)
		disc := newCrowd(t, w, a, crosslist.Disc, margin)
		g, err := grid.New(grid.Config{Arena: a, Layers: []grid.Layer{{CellX: 2048}}, Previous: true})
		must(t, err)
		set, err := interest.New(interest.Config{Arena: a, Grid: g, Reach: []interest.Reach{{Enter: w.RadiusUnits(), Margin: margin}}})
		must(t, err)
		views := make([]*interest.View, w.Entities)
		for i, h := range disc.handles {
			must(t, g.Insert(h, uint64(i), 0, disc.motion.Point(i)))
			views[i], err = set.Add(interest.Observer{ID: uint64(i), Entity: h, ExcludeSelf: true})
			must(t, err)
		}
		tick := uint64(0)
		step := func() {
			tick++
			must(t, g.Publish(tick))
			must(t, set.UpdateAll(nil))
		}
		step()
		for _, v := range views {
			v.Commit()
		}
		boxes, err := arena.New(arena.Config{})
		must(t, err)
		box, list := newCrowd(t, w, boxes, crosslist.Box, margin), newManaged(w)
		for range rounds {
			disc.motion.step = 2000
			disc.motion.Walk()
			for i, h := range disc.handles {
				p := disc.motion.Point(i)
				disc.move(i)
				must(t, g.Move(h, p.X, p.Y))
				step()
				sameEvents(t, disc.events, views)
				sameSnapshot(t, disc, g, w.RadiusUnits(), margin)

				box.motion.X[i], box.motion.Y[i] = p.X, p.Y
				list.motion.X[i], list.motion.Y[i] = p.X, p.Y
				list.count = 0
				box.move(i)
				list.move(i)
				if margin == 0 && len(box.events) != list.count {
					t.Fatalf("%d events; the list manager tells of %d", len(box.events), list.count)
				}
			}
		}
		// A batch is a tick: everybody moves, and both decide once.
		for range 10 * rounds {
			disc.motion.Walk()
			must(t, disc.list.Begin())
			for i, h := range disc.handles {
				p := disc.motion.Point(i)
				disc.move(i)
				must(t, g.Move(h, p.X, p.Y))
			}
			step()
			disc.events, err = disc.list.AppendEnd(disc.events[:0])
			must(t, err)
			sameEvents(t, disc.events, views)
		}
		must(t, disc.list.CheckInvariants())
		must(t, box.list.CheckInvariants())
		must(t, g.Close())
	}
}

// sameEvents compares events with the pending differences of views, and commits
// those.
func sameEvents(t *testing.T, events []crosslist.Event, views []*interest.View) {
	t.Helper()
	var want []crosslist.Event
	for i, v := range views {
		from := len(want)
		for _, e := range v.AppendEnters(nil) {
			want = append(want, crosslist.Event{TriggerID: uint64(i), EntityID: e.ID, Kind: crosslist.Enter})
		}
		for _, e := range v.AppendLeaves(nil) {
			want = append(want, crosslist.Event{TriggerID: uint64(i), EntityID: e.ID, Kind: crosslist.Leave})
		}
		slices.SortFunc(want[from:], func(a, b crosslist.Event) int { return cmp.Compare(a.EntityID, b.EntityID) })
		v.Commit()
	}
	if !slices.EqualFunc(events, want, func(a, b crosslist.Event) bool {
		return a.TriggerID == b.TriggerID && a.EntityID == b.EntityID && a.Kind == b.Kind
	}) {
		t.Fatalf("events %v; want %v", events, want)
	}
}

// sameSnapshot compares a list with queries of the grid: rectangles, and without a
// margin members.
func sameSnapshot(t *testing.T, c *crowd, g *grid.Grid, radius, margin int32) {
	t.Helper()
	s := g.Snapshot()
	for _, h := range c.handles {
		x, y, ok := c.list.Position(h)
		if !ok {
			t.Fatalf("%v has no position", h)
		}
		r := grid.Rect{X0: x - radius, Y0: y - radius/2, X1: x + radius, Y1: y + radius/2}
		want, err := s.AppendIn(nil, r, grid.Filter{})
		must(t, err)
		got, err := c.list.AppendIn(nil, crosslist.Rect(r))
		must(t, err)
		slots := make([]uint32, 0, len(got))
		for _, h := range got {
			slots = append(slots, h.Slot())
		}
		slices.Sort(slots)
		slices.Sort(want)
		if !slices.Equal(slots, want) {
			t.Fatalf("slots %v in %+v; want %v", slots, r, want)
		}
		if margin != 0 {
			continue
		}
		hits, err := s.CountWithin(grid.Query{X: x, Y: y, Radius: radius})
		must(t, err)
		triggers, err := c.list.AppendTriggers(nil, h) // mutual, without a margin
		must(t, err)
		if hits-1 != len(triggers) {
			t.Fatalf("%v is in %d triggers; want %d", h, len(triggers), hits-1)
		}
	}
}

// BenchmarkCrosslist moves every entity in turn, by up to half a metre on each axis:
// through crosslist, boxes and discs, and through the list manager.
func BenchmarkCrosslist(b *testing.B) {
	for _, n := range []int{1000, 5000, 20_000} {
		w := corridor(n)
		for _, shape := range []crosslist.Shape{crosslist.Box, crosslist.Disc} {
			b.Run(fmt.Sprintf("n=%d/%v", n, shape), func(b *testing.B) {
				c := newCrowd(b, w, &arena.Arena{}, shape, 0)
				benchMoves(b, c.motion, c.move)
			})
		}
		b.Run(fmt.Sprintf("n=%d/list-manager", n), func(b *testing.B) {
			m := newManaged(w)
			benchMoves(b, m.motion, m.move)
		})
	}
}

func benchMoves(b *testing.B, motion *Motion, move func(i int)) {
	i := len(motion.X)
	for b.Loop() {
		if i == len(motion.X) {
			b.StopTimer()
			motion.Walk()
			b.StartTimer()
			i = 0
		}
		move(i)
		i++
	}
}

// BenchmarkCrosslistRatio measures boxes, discs, a batch of all discs, the list
// manager, and a grid with an interest set, in turns, and reports medians for each
// move and what the list manager takes as a multiple of the boxes. Each does a round
// untimed before one that counts: else it would find the cache as the others left
// it, and a round is short.
func BenchmarkCrosslistRatio(b *testing.B) {
	for _, n := range []int{1000, 5000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			w := corridor(n)
			box := newCrowd(b, w, &arena.Arena{}, crosslist.Box, 0)
			disc := newCrowd(b, w, &arena.Arena{}, crosslist.Disc, 0)
			batch := newCrowd(b, w, &arena.Arena{}, crosslist.Disc, 0)
			list := newManaged(w)
			tick := newTicks(b, w)
			all := func(move func(i int)) func() {
				return func() {
					for i := range n {
						move(i)
					}
				}
			}
			warmed := func(name string, m *Motion, run func()) Variant {
				return Variant{Name: name, Run: run, Prepare: func() {
					m.Walk()
					run()
					m.Walk()
				}}
			}
			times := [][]time.Duration{}
			for b.Loop() { // once is enough: -benchtime 1x
				times = Paired(15, true, []Variant{
					warmed("box", box.motion, all(box.move)),
					warmed("disc", disc.motion, all(disc.move)),
					warmed("batch", batch.motion, func() {
						must(b, batch.list.Begin())
						all(batch.move)()
						var err error
						batch.events, err = batch.list.AppendEnd(batch.events[:0])
						must(b, err)
					}),
					warmed("list-manager", list.motion, all(list.move)),
					warmed("grid", tick.motion, tick.run),
				})
			}
			for i, name := range []string{"box", "disc", "batch", "manager", "grid"} {
				b.ReportMetric(float64(Median(times[i]).Nanoseconds())/float64(n), name+"-ns/move")
			}
			b.ReportMetric(float64(Median(times[3]))/float64(Median(times[0])), "manager/box")
			b.ReportMetric(float64(Median(times[1]))/float64(Median(times[4])), "disc/grid")
		})
	}
}

// ticks is the same workload on a grid with an interest set.
type ticks struct {
	b      testing.TB
	grid   *grid.Grid
	set    *interest.Set
	motion *Motion
	hs     []arena.Handle
	tick   uint64
}

func newTicks(b testing.TB, w Workload) *ticks {
	a, err := arena.New(arena.Config{Deferred: true})
	must(b, err)
	x, y := grid.CellFor(w.RadiusUnits())
	g, err := grid.New(grid.Config{Arena: a, Layers: []grid.Layer{{CellX: x, CellY: y}}, Previous: true})
	must(b, err)
	set, err := interest.New(interest.Config{Arena: a, Grid: g, Reach: []interest.Reach{{Enter: w.RadiusUnits()}}})
	must(b, err)
	t := &ticks{b: b, grid: g, set: set, motion: NewMotion(w)}
	for i := range w.Entities {
		h, err := a.Alloc()
		must(b, err)
		must(b, g.Insert(h, uint64(i), 0, t.motion.Point(i)))
		_, err = set.Add(interest.Observer{ID: uint64(i), Entity: h, ExcludeSelf: true})
		must(b, err)
		t.hs = append(t.hs, h)
	}
	t.run()
	return t
}

func (t *ticks) run() {
	for i, h := range t.hs {
		must(t.b, t.grid.Move(h, t.motion.X[i], t.motion.Y[i]))
	}
	t.tick++
	must(t.b, t.grid.Publish(t.tick))
	must(t.b, t.set.UpdateAll(nil))
	for _, v := range t.set.Views() {
		v.Commit()
	}
}
