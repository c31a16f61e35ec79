package crosslist

import (
	"fmt"
	"math"

	"vicinity/arena"
	"vicinity/internal/invariants"
)

// Config says what a List is to be.
type Config struct {
	// Arena tells which handles are alive when they are inserted. Required.
	Arena *arena.Arena
}

// A List holds entities and triggers in order of their coordinates. It needs
// [New] and must not be copied. One goroutine at a time may use it, for anything.
type List struct {
	arena *arena.Arena
	axes  [2]axis // x, y

	// By slot.
	places []point // where they are
	before []point // where they were when the last batch ended
	bodies []body
	alive  int

	// By slot of the arena that names triggers.
	names   arena.Arena
	rings   []ring
	former  []formerRing
	zones   []zone
	classes [sizeClasses]class

	pairs pool
	held  int // pairs whose outer box holds

	// What the batch touched, once each, in order of the first touch. Outside of a
	// batch every call is a batch of its own.
	open    bool
	moved   []uint32 // slots
	changed []uint32 // triggers
	ended   []Event  // leaves of what was removed
	gone    []uint32 // slots of which a handle was removed

	// Scratch memory of a settlement.
	out    []Event
	passed []word
	over   []uint32
	jumps  int  // how many of those touched jump
	solo   bool // all who move are one entity with its triggers, or one trigger

	stats Stats
}

type point struct{ x, y int32 }

// nowhere is where an entity was before it was inserted: no box holds it.
var nowhere = point{math.MinInt32, math.MinInt32}

// body is the rest of what is known of an entity.
type body struct {
	handle   arena.Handle
	id       uint64
	watchers [shapes]set // triggers whose outer box holds it, by shape
	triggers uint32      // the first trigger attached to it, plus one
	present  bool        // else the slot is empty
	gone     bool        // handle was removed in the open batch
	touched  bool        // in List.moved
	jumps    bool        // finds its place anew
	linked   bool        // its nodes are in the axes
}

// New returns an empty list. A missing Arena is [ErrConfig].
func New(cfg Config) (*List, error) {
	if cfg.Arena == nil {
		return nil, fmt.Errorf("%w: Arena is required", ErrConfig)
	}
	l := &List{arena: cfg.Arena}
	for i := range l.axes {
		l.axes[i].init()
	}
	return l, nil
}

// Len returns how many entities are in the list.
func (l *List) Len() int { return l.alive }

// Triggers returns how many triggers are in the list.
func (l *List) Triggers() int { return l.names.Len() }

// touch notes that an entity's place changes.
func (l *List) touch(slot uint32) *body {
	b := &l.bodies[slot]
	if !b.touched {
		b.touched = true
		l.moved = append(l.moved, slot)
	}
	return b
}

// touchTrigger notes that a trigger's ring changes.
func (l *List) touchTrigger(t uint32) *zone {
	z := &l.zones[t]
	if !z.touched {
		z.touched = true
		l.changed = append(l.changed, t)
	}
	return z
}

// finish ends a call that changed something: unless a batch is open it appends
// the events.
func (l *List) finish(dst []Event) []Event {
	if l.open {
		return dst
	}
	dst = l.settle(dst)
	if invariants.Enabled {
		l.selfCheck()
	}
	return dst
}
