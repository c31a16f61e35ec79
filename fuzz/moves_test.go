package fuzz

import (
	"flag"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/crosslist"
	"vicinity/grid"
	"vicinity/interest"
)

var seedFlag = flag.Int64("seed", 1, "seed of TestMoves and TestSoak")

// mover is an entity that moves about.
type mover struct {
	handle arena.Handle
	id     uint64
	x, y   int32
}

// sight is a radius and a margin around a mover or a point. Crosslist has a disc and a
// box of it, interest a view. The box is compared with plain loops only.
type sight struct {
	id             uint64
	owner          *mover // nil: it stands
	x, y           int32  // if it stands
	radius, margin int32
	disc, box      crosslist.Trigger
	view           *interest.View
}

func (g *sight) centre() (x, y int32) {
	if g.owner != nil {
		return g.owner.x, g.owner.y
	}
	return g.x, g.y
}

func (g *sight) reach() []interest.Reach {
	return []interest.Reach{{Enter: g.radius, Margin: g.margin}}
}

// moves is a world that three ways judge after each move: plain loops, a list, and a
// view of a grid that is published then.
type moves struct {
	t      testing.TB
	s      *script
	arena  *arena.Arena
	list   *crosslist.List
	grid   *grid.Grid
	set    *interest.Set
	size   int32
	movers []*mover
	sights []*sight
	alive  map[uint64]bool // movers and sights
	nextID uint64
	tick   uint64
	what   string                  // was done last
	events []crosslist.Event       // since the last settle
	held   map[relation]bool       // by plain loops
	told   map[relation]bool       // by events
	views  map[relation]bool       // by differences of views
	ids    map[arena.Handle]uint64 // of movers
	counts
}

// counts says what was done.
type counts struct {
	settled, batches, pairs, changed int
	onePass, general                 int
}

func (c *counts) add(d counts) {
	c.settled += d.settled
	c.batches += d.batches
	c.pairs += d.pairs
	c.changed += d.changed
	c.onePass += d.onePass
	c.general += d.general
}

func newMoves(t testing.TB, s *script) *moves {
	t.Helper()
	m := &moves{
		t: t, s: s, alive: map[uint64]bool{}, nextID: 1, ids: map[arena.Handle]uint64{},
		held: map[relation]bool{}, told: map[relation]bool{}, views: map[relation]bool{},
	}
	// In small worlds nearly everybody is on a border of somebody.
	m.size = [...]int32{2, 4, 9, 40, 3000, min(crosslist.MaxCoord, grid.MaxCoord)}[s.below(6)]
	layer := grid.Layer{CellX: 1 << s.below(bits.Len32(uint32(m.size))), CellY: 1 << s.below(bits.Len32(uint32(m.size)))}
	var err error
	m.arena, err = arena.New(arena.Config{Deferred: true})
	m.must(err)
	m.list, err = crosslist.New(crosslist.Config{Arena: m.arena})
	m.must(err)
	m.grid, err = grid.New(grid.Config{Arena: m.arena, Layers: []grid.Layer{layer}, Previous: s.below(4) > 0})
	m.must(err)
	m.set, err = interest.New(interest.Config{Arena: m.arena, Grid: m.grid, Reach: []interest.Reach{{}}})
	m.must(err)
	return m
}

func (m *moves) must(err error) {
	m.t.Helper()
	if err != nil {
		m.fail("%v", err)
	}
}

func (m *moves) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("step %d, %v, size %d, %s: %s", m.settled, asm.Tier(), m.size, m.what, fmt.Sprintf(format, args...))
}

// crowd is the largest number of movers, and of sights.
const crowd = 16

// play does something, steps times, and compares after each: mostly a single call, now
// and then a batch.
func (m *moves) play(steps int) {
	for range steps {
		if m.s.below(12) == 0 {
			m.must(m.list.Begin())
			for range 1 + m.s.below(20) {
				m.act()
			}
			m.what = "a batch"
			var err error
			m.events, err = m.list.AppendEnd(m.events)
			m.must(err)
			m.batches++
		} else {
			m.act()
		}
		m.settle()
	}
	m.must(m.grid.Close())
}

// act makes one call.
func (m *moves) act() {
	choice := m.s.below(24)
	if len(m.movers) == 0 {
		choice = 0
	} else if len(m.sights) == 0 && choice > 2 {
		choice = 3
	}
	switch {
	case choice < 2 || choice < 3 && len(m.movers) < 6:
		m.insert()
	case choice == 2:
		m.remove(m.s.below(len(m.movers)))
	case choice < 6:
		m.addSight()
	case choice == 6:
		m.removeSight(m.s.below(len(m.sights)))
	case choice == 7:
		m.setRadius(m.sights[m.s.below(len(m.sights))])
	case choice == 8:
		m.moveSight(m.sights[m.s.below(len(m.sights))])
	default:
		m.move(m.movers[m.s.below(len(m.movers))], choice < 12)
	}
}

// place draws a place: anywhere, a step from (x, y), where somebody is, or on a border
// of a sight or one unit off.
func (m *moves) place(x, y int32) (int32, int32) {
	s := m.s
	switch choice := s.below(8); {
	case choice < 2:
		return s.spread(m.size), s.spread(m.size)
	case choice == 2 && len(m.movers) > 0:
		at := m.movers[s.below(len(m.movers))]
		return at.x, at.y
	case choice < 6 && len(m.sights) > 0:
		g := m.sights[s.below(len(m.sights))]
		d := g.radius + int32(s.below(2))*g.margin
		dx, dy := d, int32(0)
		switch s.below(3) {
		case 0: // a corner of the box
			dy = d
		case 1: // exactly on the circle, if d is a multiple of 5
			dx, dy = d/5*3, d/5*4
		}
		if s.below(2) == 0 {
			dx, dy = dy, dx
		}
		off := int32(s.below(3)/2*s.below(2)*2) - int32(s.below(3)/2) // mostly 0
		sign := [...]int32{-1, 1}
		x, y = g.centre()
		return m.within(x, sign[s.below(2)]*(dx+off)), m.within(y, sign[s.below(2)]*dy)
	}
	return m.within(x, int32(s.below(5))-2), m.within(y, int32(s.below(5))-2)
}

// within returns v + d, brought back to the world.
func (m *moves) within(v, d int32) int32 {
	return int32(min(max(int64(v)+int64(d), -int64(m.size)), int64(m.size)))
}

// radius draws a radius and a margin, often 0.
func (m *moves) radius() (radius, margin int32) {
	radius, margin = int32(m.s.below(int(m.size)+1)), int32(m.s.below(int(m.size)/2+1))
	if m.s.below(3) == 0 {
		margin = 0
	}
	switch m.s.below(8) {
	case 0:
		radius = 0
	case 1, 2:
		radius -= radius % 5
	}
	return radius, min(margin, m.size-radius)
}

// append adds the events of a call.
func (m *moves) append(events []crosslist.Event, err error) {
	m.t.Helper()
	m.must(err)
	m.events = events
}

func (m *moves) insert() {
	if len(m.movers) == crowd {
		return
	}
	h, err := m.arena.Alloc()
	m.must(err)
	v := &mover{handle: h, id: m.nextID}
	m.nextID++
	v.x, v.y = m.place(0, 0)
	m.what = fmt.Sprintf("insert %+v", *v)
	m.append(m.list.AppendInsert(m.events, h, v.id, v.x, v.y))
	m.must(m.grid.Insert(h, v.id, 0, grid.Point{X: v.x, Y: v.y}))
	m.movers = append(m.movers, v)
	m.alive[v.id], m.ids[h] = true, v.id
}

func (m *moves) remove(i int) {
	v := m.movers[i]
	m.what = fmt.Sprintf("remove %+v", *v)
	m.append(m.list.AppendRemove(m.events, v.handle))
	m.must(m.grid.Remove(v.handle))
	m.arena.Free(v.handle)
	m.movers = slices.Delete(m.movers, i, i+1)
	delete(m.alive, v.id)
	delete(m.ids, v.handle)
	m.sights = slices.DeleteFunc(m.sights, func(g *sight) bool {
		if g.owner == v {
			m.forget(g)
		}
		return g.owner == v
	})
}

// forget ends a view, which tells of nothing then.
func (m *moves) forget(g *sight) {
	m.must(m.set.Remove(g.view))
	delete(m.alive, g.id)
	for r := range m.views {
		if r.trigger == 2*g.id {
			delete(m.views, r)
		}
	}
}

func (m *moves) move(v *mover, teleport bool) {
	from := *v
	v.x, v.y = m.place(v.x, v.y)
	m.what = fmt.Sprintf("move %+v to %d, %d, teleport %v", from, v.x, v.y, teleport)
	if teleport {
		m.append(m.list.AppendTeleport(m.events, v.handle, v.x, v.y))
	} else {
		m.append(m.list.AppendMove(m.events, v.handle, v.x, v.y))
	}
	m.must(m.grid.Move(v.handle, v.x, v.y))
}

func (m *moves) addSight() {
	if len(m.sights) == crowd {
		return
	}
	g := &sight{id: m.nextID}
	m.nextID++
	g.radius, g.margin = m.radius()
	spec := crosslist.Spec{ID: 2 * g.id, Radius: g.radius, Margin: g.margin}
	o := interest.Observer{ID: g.id, Reach: g.reach(), ExcludeSelf: true}
	if m.s.below(4) > 0 {
		g.owner = m.movers[m.s.below(len(m.movers))]
		spec.Owner, o.Entity = g.owner.handle, g.owner.handle
	} else {
		g.x, g.y = m.place(0, 0)
		spec.X, spec.Y, o.At = g.x, g.y, grid.Point{X: g.x, Y: g.y}
	}
	m.what = fmt.Sprintf("add %+v", *g)
	var err error
	m.events, g.disc, err = m.list.AppendAddTrigger(m.events, spec)
	m.must(err)
	spec.ID, spec.Shape = spec.ID+1, crosslist.Box
	m.events, g.box, err = m.list.AppendAddTrigger(m.events, spec)
	m.must(err)
	g.view, err = m.set.Add(o)
	m.must(err)
	m.sights = append(m.sights, g)
	m.alive[g.id] = true
}

func (m *moves) removeSight(i int) {
	g := m.sights[i]
	m.what = fmt.Sprintf("remove %+v", *g)
	m.append(m.list.AppendRemoveTrigger(m.events, g.disc))
	m.append(m.list.AppendRemoveTrigger(m.events, g.box))
	m.forget(g)
	m.sights = slices.Delete(m.sights, i, i+1)
}

func (m *moves) setRadius(g *sight) {
	g.radius, g.margin = m.radius()
	m.what = fmt.Sprintf("change %+v", *g)
	m.append(m.list.AppendSetRadius(m.events, g.disc, g.radius, g.margin))
	m.append(m.list.AppendSetRadius(m.events, g.box, g.radius, g.margin))
	m.must(g.view.SetReach(g.reach(), 1))
}

func (m *moves) moveSight(g *sight) {
	if g.owner != nil {
		return
	}
	g.x, g.y = m.place(g.x, g.y)
	m.what = fmt.Sprintf("move sight %+v", *g)
	m.append(m.list.AppendMoveTrigger(m.events, g.disc, g.x, g.y))
	m.append(m.list.AppendMoveTrigger(m.events, g.box, g.x, g.y))
	m.must(g.view.SetCentre(0, grid.Point{X: g.x, Y: g.y}))
}

// playMoves plays a world on one tier that the script chooses.
func playMoves(t testing.TB, s *script, steps int) counts {
	t.Helper()
	before := asm.Tier()
	defer asm.SetTier(before)
	levels := asm.Levels()
	if err := asm.SetTier(levels[s.below(len(levels))]); err != nil {
		t.Fatal(err)
	}
	m := newMoves(t, s)
	m.play(steps)
	return m.counts
}

// After every single move, teleport, insert, remove and change of a radius, and after
// every batch, plain loops with hysteresis, a list, and views of a grid that is
// published and updated once then, have the same members and tell of the same changes:
// discs of all three, boxes of the list and the loops.
func TestMoves(t *testing.T) {
	worlds := 120
	if testing.Short() {
		worlds = 6
	}
	t.Logf("-seed=%d", *seedFlag)
	var sum counts
	for i := range worlds {
		sum.add(playMoves(t, &script{state: uint64(*seedFlag)<<32 + uint64(i)}, 300))
	}
	t.Logf("%d worlds: %+v", worlds, sum)
	if !testing.Short() && (sum.pairs < 3_000_000 || sum.onePass < 10_000 || sum.general < 10_000 || sum.changed < 100_000 || sum.batches < 1000) {
		t.Error("too little happens")
	}
}

func FuzzMoves(f *testing.F) {
	for i := range 12 {
		f.Add([]byte{byte(i), byte(5 * i), byte(i / 2), byte(11 * i), byte(7 * i)})
	}
	f.Fuzz(func(t *testing.T, b []byte) { playMoves(t, newScript(b), 150) })
}
