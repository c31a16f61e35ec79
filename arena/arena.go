package arena

import (
	"fmt"
	"math"
	"sync/atomic"
)

const (
	// maxSlots is the largest capacity: 2^31, or what an int holds.
	maxSlots = min(1<<31, math.MaxInt)

	// lastGeneration is the highest generation, that of a slot's last use. It is
	// all ones: the generation after it is 0, which retires the slot.
	lastGeneration = math.MaxUint32

	// firstRoom is how many slots an arena makes room for at first, by the first Alloc
	// at the latest; leastStep by how many at least room grows then.
	firstRoom, leastStep = 16, 8

	// isClosed is the value of Arena.users after Close.
	isClosed = -1
)

// Config says what an [Arena] is to be. The zero Config is valid.
type Config struct {
	// Capacity is the largest number of slots, 0 to 2^31 (2^31-1 where int has
	// 32 bits). 0 means the largest.
	Capacity int
	// Memory is where the arena keeps its own 8 bytes a slot; columns choose for
	// themselves. The zero value is Heap.
	Memory Memory
	// Deferred keeps a freed slot from being reused until the batch that it was
	// freed in has been closed by Seal and given up by Reclaim.
	Deferred bool
}

// An Arena hands out slots under handles and takes them back. The zero value is
// an empty arena on the heap, with the largest capacity, not deferred. It must
// not be copied. See the package comment for who may call what when.
type Arena struct {
	// users counts Retain minus Release; isClosed after Close. It is apart from
	// the rest because those three may meet from different goroutines.
	users atomic.Int64
	state
}

// state is all that Close wipes.
type state struct {
	capacity int    // 0 until init
	last     uint32 // lastGeneration, less in tests: 2^k - 1
	memory   Memory
	deferred bool
	draining bool

	// Both are indexed by slot. A generation is odd while the slot is alive and
	// 0 once it is retired. A link is the slot behind this one in whichever list
	// holds the slot; what ends a list is its count, not a value.
	generations Column[uint32]
	links       Column[uint32]

	columns []column // those two, then the callers', in order of creation
	room    int      // every column has room for at least so many slots

	slots   int // slots handed out at least once
	alive   int
	retired int
	free    stack
	limbo   limbo
}

// stack is the list of reusable slots, last in, first out.
type stack struct {
	top uint32
	n   int
}

// New returns an empty arena. A bad capacity is [ErrRange], a bad memory is
// [ErrUnknownMemory].
func New(cfg Config) (*Arena, error) {
	if cfg.Capacity < 0 || cfg.Capacity > maxSlots {
		return nil, fmt.Errorf("%w: capacity %d", ErrRange, cfg.Capacity)
	}
	if cfg.Memory > Mapped {
		return nil, fmt.Errorf("%w: %d", ErrUnknownMemory, cfg.Memory)
	}
	a := &Arena{}
	a.capacity = cfg.Capacity
	a.memory = cfg.Memory
	a.deferred = cfg.Deferred
	a.init()
	return a, nil
}

// init completes an arena on first use; New does so at once.
func (a *Arena) init() {
	if len(a.columns) > 0 {
		return
	}
	if a.capacity == 0 {
		a.capacity = maxSlots
	}
	if a.last == 0 {
		a.last = lastGeneration
	}
	a.columns = make([]column, 0, 10) // enough for most
	a.generations.attach(a, a.memory)
	a.links.attach(a, a.memory)
}

// Alloc returns the handle of a slot that is now alive. It takes the slot that
// became reusable last, whose memory is the likeliest to be in a cache; of slots
// that became reusable together (by Reclaim, Clear or Drain) the one that was
// freed first; and only if there is none the next slot never used before. The
// elements of columns at the slot are zero if it was never used before, else
// what its last user left there.
//
// It fails with [ErrFull], [ErrExhausted], [ErrClosed], with [ErrBusy] while
// Drain runs, and with [ErrNoMemory] if a column could not grow; then nothing
// has changed. It allocates only when it hands out more slots than ever before,
// and then seldom: room grows by half. O(1), amortized.
func (a *Arena) Alloc() (Handle, error) {
	if a.draining {
		return 0, ErrBusy
	}
	if a.free.n > 0 {
		return a.revive(a.pop()), nil
	}
	if a.slots == a.room {
		if err := a.grow(); err != nil {
			return 0, err
		}
	}
	slot := uint32(a.slots)
	a.slots++
	return a.revive(slot), nil
}

// revive makes a slot alive: the next generation, which is odd.
func (a *Arena) revive(slot uint32) Handle {
	g := a.generations.data[slot] + 1
	a.generations.data[slot] = g
	a.alive++
	return MakeHandle(slot, g)
}

// grow makes room for at least one more slot in all columns. If one of them
// cannot, those before it keep the larger room, which does no harm.
func (a *Arena) grow() error {
	if a.users.Load() == isClosed {
		return ErrClosed
	}
	a.init()
	switch {
	case a.retired == a.capacity:
		return ErrExhausted
	case a.slots == a.capacity:
		return ErrFull
	}
	// Compared before it is added: the sum may not fit in an int of 32 bits.
	room, step := a.capacity, max(leastStep, a.room/2)
	if a.room == 0 {
		step = firstRoom
	}
	if step < a.capacity-a.room {
		room = a.room + step
	}
	for _, c := range a.columns {
		if err := c.grow(room); err != nil {
			return err
		}
	}
	a.room = room
	return nil
}

// Free ends the use of h and reports whether there was one: false means that h
// is stale, zero, or of another arena's making, and nothing has changed. From
// now on h is stale for ever. The slot becomes reusable, at once or (Deferred)
// by Seal and Reclaim, unless its generations are used up: then it is retired.
// O(1), no allocation.
func (a *Arena) Free(h Handle) bool {
	if !a.Alive(h) {
		return false
	}
	a.end(h.Slot())
	return true
}

// end ends the use of an alive slot.
func (a *Arena) end(slot uint32) {
	g := (a.generations.data[slot] + 1) & a.last
	a.generations.data[slot] = g
	a.alive--
	switch {
	case g == 0:
		a.retired++
	case a.deferred:
		a.await(slot)
	default:
		a.push(slot)
	}
}

// push puts a slot on top of the reusable ones.
func (a *Arena) push(slot uint32) {
	a.links.data[slot] = a.free.top
	a.free.top = slot
	a.free.n++
}

// pop takes the topmost reusable slot; there is one.
func (a *Arena) pop() uint32 {
	slot := a.free.top
	a.free.top = a.links.data[slot]
	a.free.n--
	return slot
}

// Alive reports whether h is in use: given out by Alloc, not yet freed. The
// zero Handle is not. O(1), no allocation; several goroutines may ask at once
// while none changes the arena.
func (a *Arena) Alive(h Handle) bool {
	slot, g := uint64(h.Slot()), h.Generation()
	return g&1 == 1 && slot < uint64(len(a.generations.data)) && a.generations.data[slot] == g
}

// Len returns how many slots are alive.
func (a *Arena) Len() int { return a.alive }

// Slots returns how many slots have ever been handed out. All of them lie below
// it, so it is what a walk over a column has to cover. It never falls, not even
// by Clear, until Close makes it 0.
func (a *Arena) Slots() int { return a.slots }

// Capacity returns the largest number of slots, 0 after Close.
func (a *Arena) Capacity() int {
	if a.capacity == 0 && a.users.Load() != isClosed {
		return maxSlots // the zero Arena before its first use
	}
	return a.capacity
}

// Clear frees everything that is alive, in order of slots, as [Arena.Free] does.
// If slots are reusable at once, all reusable ones are put in order: Alloc hands
// out the lowest first. Column elements stay as they are. O(slots), no
// allocation.
func (a *Arena) Clear() {
	for slot := range a.slots {
		if a.generations.data[slot]&1 == 1 {
			a.end(uint32(slot))
		}
	}
	a.sortFree()
}

// Drain is Clear with a last look: before each handle is freed it is passed to
// fn, in order of slots, still alive. fn may read the arena and its columns, and
// may Free any handle, that one or others, which are then not passed any more.
// While Drain runs, Alloc and Close fail with [ErrBusy]. If fn panics, the handle
// it had and those of higher slots stay alive.
func (a *Arena) Drain(fn func(Handle)) {
	if a.Retain() != nil {
		return // closed: nothing is alive
	}
	defer a.Release()
	before := a.draining
	a.draining = true
	defer func() { a.draining = before }()
	for slot := range a.slots {
		if g := a.generations.data[slot]; g&1 == 1 {
			h := MakeHandle(uint32(slot), g)
			fn(h)
			a.Free(h)
		}
	}
	a.sortFree()
}

// sortFree puts the reusable slots in order, lowest on top. Nothing is alive. So
// a cleared arena hands out slots as a new one does, save the retired. In a
// deferred arena the limbo list has that order already.
func (a *Arena) sortFree() {
	if a.deferred {
		return
	}
	a.free = stack{}
	for slot := a.slots - 1; slot >= 0; slot-- {
		if a.generations.data[slot] != 0 {
			a.push(uint32(slot))
		}
	}
}
