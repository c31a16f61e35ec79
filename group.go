package vicinity

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"vicinity/grid"
	"vicinity/packer"
)

// A Group ticks many Worlds over one set of workers: the instances of one process,
// each at its own rate. Worlds that were made without workers are ticked side by
// side, each whole by one worker, in whose memory all of them pack: so a small World
// needs little of its own. Worlds made with the Group's own workers are ticked
// before, one after the other, each over all workers: that is for large ones. A
// Group is for one goroutine. It needs NewGroup.
type Group struct {
	workers *grid.Workers
	members []*member
	due     []*member
	turn    uint64
	scratch []*scratch
	next    atomic.Int64
	fn      func(w *World, c ConnID, d *Delivery) bool
	run     func(worker int)
	phases  map[uint64][]int // by rate: how many Worlds have each phase
}

// member is a World in a Group.
type member struct {
	world        *World
	every, phase uint64
	err          error
	panicked     any
}

// The errors of Group.
var (
	// ErrMember: the World is in the Group already, or is not.
	ErrMember = errors.New("vicinity: bad member of a group")
)

// NewGroup returns an empty Group over workers, which are the caller's; nil means
// the goroutine that calls Tick, alone.
func NewGroup(workers *grid.Workers) *Group {
	g := &Group{workers: workers, phases: map[uint64][]int{}}
	g.run = g.work
	for range workers.N() {
		g.scratch = append(g.scratch, new(scratch))
	}
	return g
}

// Add adds a World that is ticked at every n-th Tick of the Group; 0 means 1. Worlds
// with the same n take turns, so that the work is even. From now on only the Group
// may tick it. The errors are [ErrMember] and [ErrConfig] (n is negative or above
// 2^16, or the World has workers that are not the Group's).
func (g *Group) Add(w *World, every int) error {
	if every < 0 || every > 1<<16 {
		return fmt.Errorf("%w: every %d ticks", ErrConfig, every)
	}
	if w.cfg.Workers != nil && w.cfg.Workers != g.workers {
		return fmt.Errorf("%w: the World has other workers than the Group", ErrConfig)
	}
	if w.lent || g.find(w) >= 0 {
		return fmt.Errorf("%w: the World is in a Group", ErrMember)
	}
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

// Remove takes a World out, which may be ticked alone or closed then. The error is
// [ErrMember].
func (g *Group) Remove(w *World) error {
	i := g.find(w)
	if i < 0 {
		return fmt.Errorf("%w: the World is not in the Group", ErrMember)
	}
	m := g.members[i]
	g.phases[m.every][m.phase]--
	g.members = slices.Delete(g.members, i, i+1)
	w.lent = false
	w.scratch = nil
	return nil
}

// Len returns the number of Worlds.
func (g *Group) Len() int { return len(g.members) }

// Tick ticks every World that is due, as [World.Tick] does. fn runs on the workers;
// the calls for one World without workers do not overlap. An error of one World does
// not stop the others; all are returned, joined in the order in which the Worlds were
// added. If fn panics, Tick panics with the same value when all Worlds that are due
// have been ticked; of several panics, with that of the World added first. It does
// not allocate in the steady state.
func (g *Group) Tick(fn func(w *World, c ConnID, d *Delivery) bool) error {
	g.fn = fn
	defer func() { g.fn = nil }()
	g.due = g.due[:0]
	for _, m := range g.members {
		if m.err, m.panicked = nil, nil; g.turn%m.every != m.phase {
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
	return g.gather()
}

// work ticks Worlds on one worker until none is left.
func (g *Group) work(worker int) {
	for {
		i := int(g.next.Add(1)) - 1
		if i >= len(g.due) {
			return
		}
		g.tick(g.due[i], g.scratch[worker])
	}
}

// tick ticks one World, in sc's memory if it has no workers.
func (g *Group) tick(m *member, sc *scratch) {
	w := m.world
	defer func() { m.panicked = recover() }()
	if sc != nil {
		w.scratch = append(w.scratch[:0], sc)
	}
	m.err = w.tickFor(g.fn)
}

// tickFor is Tick for a Group.
func (w *World) tickFor(fn func(w *World, c ConnID, d *Delivery) bool) error {
	if !w.state.CompareAndSwap(stateOpen, stateTicking) {
		return w.ready()
	}
	defer w.endTick()
	w.run.of = fn
	return w.tickAt(w.tick + 1)
}

// gather returns the errors of a Tick, and raises a panic.
func (g *Group) gather() error {
	var all error
	for _, m := range g.members {
		if m.panicked != nil {
			panic(m.panicked)
		}
		if m.err != nil {
			all = errors.Join(all, m.err)
		}
	}
	return all
}

// AddTotals adds to dst what all deliveries with a budget came to, of all Worlds
// without workers, since NewGroup: see [World.AddTotals].
func (g *Group) AddTotals(dst *packer.Stats) {
	for _, sc := range g.scratch {
		dst.Merge(&sc.totals)
	}
}
