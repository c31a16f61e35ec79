package packer

import (
	"fmt"
	"math"
	"slices"

	"vicinity/asm"
)

// A Packer is the scratch memory of Pack. The zero value is ready for use. One
// goroutine at a time may use it: keep one a worker. It keeps nothing of what it
// packed but the memory.
type Packer struct {
	// Stretch multiplies every MinInterval (rounded down), for a server that cannot
	// keep up. 0: 1. Otherwise at least 1 and finite.
	Stretch float64

	// The call at hand.
	c      *Candidates
	b      *Budget
	plan   *Plan
	lowers bool // it may send at coarser levels

	fit   selector
	lower func(index, room uint32) uint32 // lowered of self, made once
	self  *Packer

	// By candidate.
	keys          []uint64
	costs, least  []uint32  // of the normal ones; see rank
	wants, wanted []uint32  // costs at the wanted levels; wanted is memory
	leads         []uint32  // 1 + index into groups, 0 if it leads none
	why           []Why     // if the plan wants it
	total         asm.Costs // of costs

	// Lists of candidates.
	flagged                      []uint32
	removes, spawns, musts, side ranks
	owners                       []uint32 // whose class has a share
	starved                      []waiter
	gone                         []uint32 // taken out of the normal ones
	list                         []uint32 // of one pass
	sorted                       []waiter
	noCosts                      []uint32 // zeros
	noLevels                     []uint8  // zeros
	members                      []uint64
	groups                       []group
	raisable                     []raise

	interval [MaxClasses][Levels]uint32 // stretched
}

// isSelected marks selected ones in Packer.why.
const isSelected = Whys

// Pack decides which of the candidates are sent within the budget, and writes the
// decision into plan. It selects nothing and leaves plan as it was if it returns
// an error: ErrColumns, ErrCandidate for a value out of range, ErrBudget for no
// budget or a bad Stretch. The same candidates in any order give the same
// selection in the same order.
//
// It only reads c and b; plan remembers b, for SortDeferred. It does not allocate
// once its memory and the plan's have grown. O(n) usually, O(n log n) at worst.
func (p *Packer) Pack(plan *Plan, c *Candidates, b *Budget) error {
	if err := p.check(c, b); err != nil {
		return err
	}
	p.c, p.b, p.plan = c, b, plan
	p.lowers = b.degrade && c.coarse()
	if i := p.rank(); i < c.Len() {
		p.end()
		return c.refuse(i, b.n)
	}
	p.checkUnique()
	p.begin()
	p.classify()
	p.spend()
	p.finish()
	p.end()
	return nil
}

// check returns an error if the call cannot be served.
func (p *Packer) check(c *Candidates, b *Budget) error {
	if b == nil || b.n == 0 {
		return fmt.Errorf("%w: no budget", ErrBudget)
	}
	if p.Stretch != 0 && !(p.Stretch >= 1 && p.Stretch <= math.MaxFloat64) {
		return fmt.Errorf("%w: Stretch %v", ErrBudget, p.Stretch)
	}
	return c.checkColumns()
}

// begin makes the plan empty.
func (p *Packer) begin() {
	if p.self != p {
		p.self, p.lower = p, p.lowered
	}
	plan, n := p.plan, p.c.Len()
	*plan = Plan{
		WantDeferred: plan.WantDeferred,
		Selected:     plan.Selected[:0],
		Deferred:     plan.Deferred[:0],
		Budget:       p.b.bytes,
		Candidates:   n,
		budget:       p.b,
	}
	if plan.WantDeferred {
		p.why = slices.Grow(p.why[:0], n)[:n]
		clear(p.why) // NoRoom
	}
}

// end lets go of the call.
func (p *Packer) end() { p.c, p.b, p.plan, p.wants = nil, nil, nil, nil }

// finish counts and lists what waits.
func (p *Packer) finish() {
	waiting := p.plan.Candidates - len(p.plan.Selected)
	for _, n := range p.plan.ByWhy {
		waiting -= n
	}
	p.plan.ByWhy[WhyNoRoom] = waiting
	if p.plan.WantDeferred {
		for i, why := range p.why {
			if why != isSelected {
				p.plan.Deferred = append(p.plan.Deferred, Deferred{uint32(i), why})
			}
		}
	}
}
