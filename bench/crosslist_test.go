package bench

import (
	"fmt"
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

// Boxes without a margin tell of as much as the list manager, move by move. That
// crosslist is right is tested in package fuzz: FuzzMoves.
func TestListManagerAgrees(t *testing.T) {
	w := corridor(120)
	box, list := newCrowd(t, w, &arena.Arena{}, crosslist.Box, 0), newManaged(w)
	told := 0
	for range 20 {
		box.motion.step = 2000
		box.motion.Walk()
		for i := range box.handles {
			list.motion.X[i], list.motion.Y[i] = box.motion.X[i], box.motion.Y[i]
			list.count = 0
			box.move(i)
			list.move(i)
			if told += list.count; len(box.events) != list.count {
				t.Fatalf("%d events; the list manager tells of %d", len(box.events), list.count)
			}
		}
	}
	if told < 100 {
		t.Errorf("only %d events", told)
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
