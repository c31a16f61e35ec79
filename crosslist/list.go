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
	rings   []ring // what they are
	zones   []zone
	classes [sizeClasses]class

	// Pairs: candidates, and members in margins.
	pool      pool
	marks     marks
	lingering lingering

	// What the batch touched, once each, in order of the first touch. Outside of a
	// batch every call is a batch of its own.
	open    bool
	moved   []uint32 // slots
	changed []uint32 // triggers
	events  []Event  // noted so far
	gone    []uint32 // slots of which a handle was removed

	// Scratch memory of a settlement.
	passed    []word
	crossings []uint64 // pairs whose nodes passed each other, by key
	lingers   []linger // to be applied
	over      []uint32
	jumps     bool  // some of those touched jump
	solo      bool  // all who move are one entity with its triggers, or one trigger
	slack     int64 // how far others walk at most while one does

	stats Stats
}

type point struct{ x, y int32 }

// nowhere is where an entity is that was not inserted yet, or is gone: no box holds
// it.
var nowhere = point{math.MinInt32, math.MinInt32}

// body is the rest of what is known of an entity: a line of the cache.
type body struct {
	handle   arena.Handle
	id       uint64
	watchers [shapes]span // candidates, by the triggers' shape
	triggers uint32       // the first trigger attached to it, plus one
	present  bool         // else the slot is empty
	gone     bool         // handle was removed in the open batch
	touched  bool         // in List.moved
	jumps    bool         // finds its place anew
	linked   bool         // its nodes are in the axes
	_        [8]byte
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
func (l *List) touchTrigger(t uint32) *ring {
	r := &l.rings[t]
	if !r.touched {
		r.touched = true
		l.changed = append(l.changed, t)
	}
	return r
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
