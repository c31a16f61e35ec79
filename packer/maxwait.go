package packer

import (
	"fmt"
	"slices"
)

// MaxWait returns how many ticks after its oldest unsent change a candidate is
// sent at the latest, whatever the others do, so that what a budget promises is
// known before anybody plays.
//
// class is the candidate's; cost is its own, that of its whole group if it has one,
// at the cheapest level if the budget degrades and it is never must-send. costs are
// those of everything that is visible at one time or another while it waits, itself
// among them, each at its dearest level. cost 0 asks about the dearest of costs, who
// waits longest. mustSend is the most that must-send costs in a tick.
//
// The bound is MaxSilence + 1 + (sum(costs) - cost) / (A - cost + 1), where A is
// the starved share of Bytes - Reserve - mustSend: a share that is not much more
// than the cost promises little. It supposes that groups keep their members
// meanwhile, and that who was sent waits anew, from its next change. The package's
// documentation has the proof.
//
// What cannot be promised is an ErrBudget that names the culprit: a class without
// MaxSilence, a cost above A, a cost of 0 among costs, more than what is visible.
func (b *Budget) MaxWait(class int, costs []uint32, cost, mustSend uint32) (ticks uint64, err error) {
	if class < 0 || class >= b.n {
		return 0, fmt.Errorf("%w: class %d of %d", ErrBudget, class, b.n)
	}
	silence := b.classes[class].silence
	if silence == 0 {
		return 0, fmt.Errorf("%w: class %d has no MaxSilence: it may wait for ever", ErrBudget, class)
	}
	if mustSend > b.bytes-b.reserve {
		return 0, fmt.Errorf("%w: must-send %d is above Bytes %d - Reserve %d", ErrBudget, mustSend, b.bytes, b.reserve)
	}
	if len(costs) == 0 {
		return 0, fmt.Errorf("%w: no costs", ErrBudget)
	}
	if i := slices.Index(costs, 0); i >= 0 {
		return 0, fmt.Errorf("%w: element %d costs nothing", ErrBudget, i)
	}
	who := "the candidate"
	if cost == 0 {
		cost = slices.Max(costs)
		who = fmt.Sprintf("element %d", slices.Index(costs, cost))
	}
	visible := uint64(0)
	for _, each := range costs {
		visible += uint64(each)
	}
	share := part(b.starved, b.bytes-b.reserve-mustSend)
	if cost > share {
		return 0, fmt.Errorf("%w: %s costs %d, the starved get %d: it may wait for ever", ErrBudget, who, cost, share)
	}
	if uint64(cost) > visible {
		return 0, fmt.Errorf("%w: %s costs %d, all that is visible %d", ErrBudget, who, cost, visible)
	}
	return uint64(silence) + 1 + (visible-uint64(cost))/uint64(share-cost+1), nil
}
