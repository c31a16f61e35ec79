package packer

import (
	"cmp"
	"slices"
)

// Selected is one candidate that is to be sent.
type Selected struct {
	Index  uint32 // into Candidates
	Cost   uint32 // bytes, at Level
	Level  uint8
	Reason Reason
}

// Deferred is one candidate that waits.
type Deferred struct {
	Index uint32 // into Candidates
	Why   Why
}

// A Plan is the result of one Pack. The zero value is ready for use; a plan that
// is used again allocates only to grow. It is valid until it is packed again, and
// dropping it leaves no trace.
type Plan struct {
	// WantDeferred, set by the caller, has Pack fill Deferred, which costs a pass
	// over all candidates. The counts are there in any case.
	WantDeferred bool

	// Selected are those to be sent, in the order in which the budget was spent:
	// removes, spawns, must-send, guaranteed by class, starved, normal. The members
	// of a group follow each other.
	Selected []Selected
	// Deferred are all others, by index; empty without WantDeferred. SortDeferred
	// orders them as they would have been served.
	Deferred []Deferred

	// Used is the sum of the costs of Selected, at most Budget. Lifecycle is the
	// part of it that removes and spawns took, at most the reserve.
	Used, Lifecycle uint32
	// Budget is what could be spent.
	Budget uint32
	// Candidates is how many were offered: the lengths of Selected and Deferred.
	Candidates int
	// ByReason counts Selected, ByWhy the deferred.
	ByReason [Reasons]int
	ByWhy    [Whys]int
	// MustDeferred counts those with MustSend that had something to send and were
	// not selected, WhyNoRoom and WhyOversize together.
	MustDeferred int
	// Degraded counts the selected whose level is not the wanted one.
	Degraded int
	// Stretched counts those that are WhyTooSoon only because of Packer.Stretch.
	Stretched int
	// OldestWait is the longest Waited among those that were selected, WhyNoRoom or
	// WhyTooSoon: all that have something to send that can be sent.
	OldestWait uint32

	budget *Budget // for the order of the deferred
}

// Left returns the bytes that were not spent.
func (p *Plan) Left() uint32 { return p.Budget - p.Used }

// DeferredCount returns how many candidates wait, whatever the reason.
func (p *Plan) DeferredCount() int { return p.Candidates - len(p.Selected) }

// Commit writes tick into the elements of lastSent that belong to the selected
// (element c.Row[i] for candidate i; element i without Row). Call it once the plan
// was really sent, with the candidates that were packed. It panics if lastSent is
// too short. It does not allocate.
func (p *Plan) Commit(c *Candidates, lastSent []uint32, tick uint32) {
	for i := range p.Selected {
		row := p.Selected[i].Index
		if c.Row != nil {
			row = c.Row[row]
		}
		lastSent[row] = tick
	}
}

// SortDeferred orders Deferred: removes, spawns, updates, each by the total
// order. c are the candidates that were packed. It does not allocate.
// O(d log d).
func (p *Plan) SortDeferred(c *Candidates) {
	slices.SortFunc(p.Deferred, func(x, y Deferred) int {
		return cmp.Or(
			cmp.Compare(c.flags(x.Index).kind(), c.flags(y.Index).kind()),
			compareKeys(c.key(x.Index, p.budget), c.key(y.Index, p.budget), c.ID),
		)
	})
}
