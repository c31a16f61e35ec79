package vicinity

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"vicinity/grid"
	"vicinity/interest"
	"vicinity/packer"
)

// A Group ticks many Worlds over one set of workers: the instances of one process,
// each at its own rate. Worlds that were made without workers are ticked side by
// side, each whole by one worker, in whose memory all of them sort, look and pack: so
// a small World needs little of its own, under 4 KB without anybody, and some 28 KB
// with 20 entities and 5 connections that see them all. Worlds made with the Group's
// own workers are ticked before, one after the other, each over all workers: that is
// for large ones. A Group is for one goroutine. It needs NewGroup.
type Group struct {
	workers *grid.Workers
	members []*member
	due     []*member
	ticking atomic.Bool
	turn    uint64
	lent    []lent // by worker
	next    atomic.Int64
	fn      func(w *World, c ConnID, d *Delivery) bool
	run     func(worker int)
	phases  map[uint64][]int // by rate: how many Worlds have each phase
}

// lent is what one worker has for the Worlds that it ticks whole.
type lent struct {
	pack  []*scratch // one
	sort  *grid.Scratch
	views *interest.Scratch
}

// renew replaces what a panic may have left in disorder.
func (l *lent) renew() { l.sort, l.views = new(grid.Scratch), interest.NewScratch(nil) }

// member is a World in a Group.
type member struct {
	world        *World
	every, phase uint64
	shut         bool // for the Tick under way
	err          error
	panicked     any
}

// NewGroup returns an empty Group over workers, which are the caller's; nil means
// the goroutine that calls Tick, alone.
func NewGroup(workers *grid.Workers) *Group {
	g := &Group{workers: workers, phases: map[uint64][]int{}}
	g.run = g.work
	for range workers.N() {
		g.lent = append(g.lent, lent{pack: []*scratch{new(scratch)}})
		g.lent[len(g.lent)-1].renew()
	}
	return g
}

// Add adds a World that is ticked at every n-th Tick of the Group; 0 means 1. Worlds
// with the same n take turns, so that the work is even. From now on only the Group
// may tick it: its own Tick is [ErrMember] until Remove. The errors are [ErrMember] (it
// is in a Group already), [ErrConfig] (n is negative or above 2^16, or the World has
// workers that are not the Group's), [ErrClosed], and [ErrBusy] during a Tick.
func (g *Group) Add(w *World, every int) error {
	if every < 0 || every > 1<<16 {
		return fmt.Errorf("%w: every %d ticks", ErrConfig, every)
	}
	if w.cfg.Workers != nil && w.cfg.Workers != g.workers {
		return fmt.Errorf("%w: the World has other workers than the Group", ErrConfig)
	}
	if w.lent {
		return fmt.Errorf("%w: the World is in a Group", ErrMember)
	}
	if g.ticking.Load() {
		return fmt.Errorf("%w: the Group is ticking", ErrBusy)
	}
	if err := w.ready(); err != nil {
		return err
	}
	w.keepTotals()
	m := &member{world: w, every: max(uint64(every), 1)}
	m.phase = g.takePhase(m.every)
	g.members = append(g.members, m)
	w.lent = true
	return nil
}

// takePhase returns the phase that the fewest have.
func (g *Group) takePhase(every uint64) uint64 {
	p := g.phases[every]
	if p == nil {
		p = make([]int, every)
		g.phases[every] = p
	}
	least := 0
	for i := range p {
		if p[i] < p[least] {
			least = i
		}
	}
	p[least]++
	return uint64(least)
}

func (g *Group) find(w *World) int {
	return slices.IndexFunc(g.members, func(m *member) bool { return m.world == w })
}

// Remove takes a World out, which may be ticked alone then. A World that was closed
// in the Group is to be removed too. The errors are [ErrMember] and, during a Tick,
// [ErrBusy].
func (g *Group) Remove(w *World) error {
	i := g.find(w)
	if i < 0 {
		return fmt.Errorf("%w: the World is not in the Group", ErrMember)
	}
	if g.ticking.Load() {
		return fmt.Errorf("%w: the Group is ticking", ErrBusy)
	}
	m := g.members[i]
	g.phases[m.every][m.phase]--
	g.members = slices.Delete(g.members, i, i+1)
	w.lent = false
	return nil
}

// Len returns the number of Worlds.
func (g *Group) Len() int { return len(g.members) }

// Tick ticks every World that is due, as [World.Tick] does. fn runs on the workers;
// the calls for one World without workers do not overlap. An error of one World does
// not stop the others; all are returned, joined in the order in which the Worlds were
// added. If fn panics, Tick panics with the same value when all Worlds that are due
// have been ticked; of several panics, with that of the World added first. fn must
// change neither a World of the Group, due or not, nor the Group: all that is
// [ErrBusy] until Tick returns, and so is Tick itself. A World that was closed is
// [ErrClosed] until it is removed. It does not allocate in the steady state.
func (g *Group) Tick(fn func(w *World, c ConnID, d *Delivery) bool) error {
	if !g.ticking.CompareAndSwap(false, true) {
		return fmt.Errorf("%w: the Group is ticking", ErrBusy)
	}
	g.fn = fn
	defer g.end()
	g.due = g.due[:0]
	for _, m := range g.members {
		// All Worlds are shut before the first callback is made.
		m.shut = m.world.state.CompareAndSwap(stateOpen, stateTicking)
	}
	for _, m := range g.members {
		if m.err, m.panicked = nil, nil; g.turn%m.every != m.phase {
			continue
		}
		if !m.shut {
			m.err = m.world.ready()
			continue
		}
		if m.world.cfg.Workers.N() > 1 {
			g.tick(m, nil)
			continue
		}
		g.due = append(g.due, m)
	}
	g.turn++
	g.next.Store(0)
	g.workers.Run(g.run)
	err := g.gather()
	clear(g.due)
	return err
}

// end opens the Worlds again.
func (g *Group) end() {
	for _, m := range g.members {
		if m.shut {
			m.world.state.Store(stateOpen)
		}
	}
	g.fn = nil
	g.ticking.Store(false)
}

// work ticks Worlds on one worker until none is left.
func (g *Group) work(worker int) {
	for {
		i := int(g.next.Add(1)) - 1
		if i >= len(g.due) {
			return
		}
		g.tick(g.due[i], &g.lent[worker])
	}
}

// tick ticks one World, in the memory of a worker if it has none of its own.
func (g *Group) tick(m *member, mem *lent) {
	defer func() {
		if m.panicked = recover(); m.panicked != nil && mem != nil {
			mem.renew()
		}
	}()
	m.err = m.world.tickFor(g.fn, mem)
}

// tickFor is Tick for a Group, which has shut the World.
func (w *World) tickFor(fn func(w *World, c ConnID, d *Delivery) bool, mem *lent) error {
	defer w.endTick()
	if mem != nil {
		w.lend(mem)
		defer w.giveBack(mem)
	}
	w.run.of = fn
	return w.tickAt(w.tick + 1)
}

// lend gives a World the memory for a tick.
func (w *World) lend(mem *lent) {
	w.scratch = mem.pack
	w.grid.Lend(mem.sort)
	w.set.Lend(mem.views)
}

// giveBack takes the memory away again. Nothing in it refers to the World any more.
func (w *World) giveBack(mem *lent) {
	clear(mem.pack[0].due)
	w.scratch = nil
	w.grid.Lend(nil)
	w.set.Lend(nil)
}

// gather returns the errors of a Tick, and raises a panic.
func (g *Group) gather() error {
	var all []error
	for _, m := range g.members {
		if m.panicked != nil {
			panic(m.panicked)
		}
		if m.err != nil {
			all = append(all, m.err)
		}
	}
	return errors.Join(all...)
}

// AddTotals adds to dst what all deliveries with a budget in Ticks of the Group came
// to, of all Worlds that had no more than one worker, since NewGroup; those of the
// others are in [World.AddTotals]. Not for a callback.
func (g *Group) AddTotals(dst *packer.Stats) {
	for i := range g.lent {
		dst.Merge(&g.lent[i].pack[0].totals)
	}
}
