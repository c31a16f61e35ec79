package player

import (
	"fmt"
	"math"
)

// Price is what an entity of a kind costs and how much it matters.
type Price struct {
	Cost     uint32 // bytes of its state, 1 or more
	Priority uint16 // more is more important
}

// MinBudget is the smallest budget: what a removal takes.
const MinBudget = removeCost

// Budget is what every observer may be sent in a tick.
type Budget struct {
	Bytes      uint32          // most bytes in one tick, MinBudget or more
	MaxSilence uint32          // ticks of waiting that make a change starve; 0: never
	Kinds      map[int32]Price // by kind of entity
	Other      Price           // of all kinds that are not in Kinds
}

// Price returns the price of a kind.
func (b *Budget) Price(kind int32) Price {
	if p, ok := b.Kinds[kind]; ok {
		return p
	}
	return b.Other
}

// check reports the kind with the smallest number that is wrong.
func (b *Budget) check() error {
	if b.Bytes < MinBudget {
		return fmt.Errorf("%w: budget of %d bytes, want %d or more", ErrConfig, b.Bytes, MinBudget)
	}
	worst := int64(math.MaxInt64)
	for kind, p := range b.Kinds {
		if p.Cost == 0 {
			worst = min(worst, int64(kind))
		}
	}
	if worst != math.MaxInt64 {
		return fmt.Errorf("%w: kind %d costs 0 bytes, want 1 or more", ErrConfig, worst)
	}
	if b.Other.Cost == 0 {
		return fmt.Errorf("%w: a kind without a price costs 0 bytes, want 1 or more", ErrConfig)
	}
	return nil
}

// removeCost is what it takes to say that an entity left, as World has it.
const removeCost = 8

// reserve is how much of a budget is set aside for spawns and removals: half, as
// World has it, but room for one removal.
func reserve(budget uint32) uint32 { return max(budget/2, removeCost) }
