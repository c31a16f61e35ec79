package arena

import (
	"fmt"
	"reflect"
	"unsafe"

	"vicinity/internal/invariants"
)

// Slack is how many elements behind the end of a column's slice may be read.
// They are there for kernels that load whole vectors; nobody may write them.
const Slack = 16

// A Column holds one T a slot, indexed by [Handle.Slot]. It grows together with
// its arena and is freed by the arena's Close, or alone by Free. It needs
// [NewColumn].
type Column[T any] struct {
	arena *Arena // nil once freed
	data  []T    // len: room; cap: at least Slack more, all zero
	space *space // nil on the heap
	asked Memory
	// keepOld leaves the contents of slices from before growth alone.
	keepOld bool
}

// column is a Column of whatever type, as its arena sees it.
type column interface {
	// grow makes room for so many slots, or changes nothing.
	grow(room int) error
	// roomFor returns the room.
	roomFor() int
	// held returns the bytes in either memory, and whether the memory asked for
	// was not to be had.
	held() (mapped, heap int64, fallback bool)
	// drop frees the memory without telling the arena.
	drop()
}

// NewColumn adds a column to an arena, which must not be nil. It has room for
// all slots there are; their elements are zero. If m is [Mapped] and that is not
// to be had, the column is on the heap and [Stats] says so.
//
// It fails with [ErrPointers], [ErrUnknownMemory], [ErrNoMemory] or, after the
// arena's Close, [ErrClosed].
func NewColumn[T any](a *Arena, m Memory) (*Column[T], error) {
	if err := checkElement[T](m); err != nil {
		return nil, err
	}
	if a.users.Load() == isClosed {
		return nil, ErrClosed
	}
	a.init()
	c := &Column[T]{}
	if a.room == 0 {
		// Even the first Slice has its slack.
		if m == Heap && elementSize[T]()*Slack <= unsafe.Sizeof(nothing) {
			c.data = unsafe.Slice((*T)(unsafe.Pointer(&nothing)), Slack)[:0]
		} else if err := a.grow(); err != nil {
			return nil, err
		}
	}
	c.attach(a, m)
	if err := c.grow(a.room); err != nil {
		c.Free()
		return nil, err
	}
	return c, nil
}

// nothing is the slack behind all columns on the heap that have no room yet: where
// there are thousands of arenas, many are empty, and should take little.
var nothing [128]uint64

// checkElement refuses what must not be in a column or buffer.
func checkElement[T any](m Memory) error {
	if m > Mapped {
		return fmt.Errorf("%w: %d", ErrUnknownMemory, m)
	}
	if t := reflect.TypeFor[T](); holdsPointers(t) {
		return fmt.Errorf("%w: %v", ErrPointers, t)
	}
	return nil
}

// holdsPointers reports whether values of type t can refer to anything.
func holdsPointers(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k >= reflect.Bool && k <= reflect.Complex128: // the numbers, uintptr included
		return false
	case k == reflect.Array:
		return t.Len() > 0 && holdsPointers(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			if holdsPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}

// attach makes c an empty column of a.
func (c *Column[T]) attach(a *Arena, m Memory) {
	c.arena, c.asked = a, m
	if m == Mapped {
		// nil if it cannot be had: then the column is on the heap.
		c.space = reserve(bytesFor[T](a.capacity))
	}
	a.columns = append(a.columns, c)
}

// bytesFor returns the size of room elements and the slack behind them, and
// false if it is beyond what a process can have.
func bytesFor[T any](room int) (n int, ok bool) {
	size := uint64(elementSize[T]())
	count := uint64(room) + Slack
	if size > 0 && count > maxBytes/size {
		return 0, false
	}
	return int(count * size), true
}

// Slice returns the column: one element a slot, at least [Arena.Slots] of them,
// and [Slack] more in its capacity that may be read and are zero. It is invalid
// after any Alloc (which may grow the column, in either memory), after Free, and
// after the arena's Close; take it again then. It is nil after Free and Close.
func (c *Column[T]) Slice() []T { return c.data }

// KeepOld says that slices taken before growth will be read afterwards. Until Free
// and Close their elements keep their values, as far as nobody writes them; whether
// later writes show depends on the memory. Without it, such slices are poisoned
// under the tag invariants.
func (c *Column[T]) KeepOld() { c.keepOld = true }

// Free frees the column before its arena. A second call, or one after the
// arena's Close, does nothing. O(columns).
func (c *Column[T]) Free() {
	a := c.arena
	if a == nil {
		return
	}
	for i, other := range a.columns {
		if other == column(c) {
			a.columns = append(a.columns[:i], a.columns[i+1:]...)
			break
		}
	}
	c.drop()
}

func (c *Column[T]) grow(room int) error {
	if room <= len(c.data) {
		return nil
	}
	n, ok := bytesFor[T](room)
	if !ok {
		return ErrNoMemory
	}
	if c.space == nil {
		grown := make([]T, room+Slack)
		copy(grown, c.data)
		if invariants.Enabled && !c.keepOld {
			poison(c.data) // a slice kept across growth shows itself
		}
		c.data = grown[:room]
		return nil
	}
	if err := c.space.commit(n); err != nil {
		return err
	}
	c.data = unsafe.Slice((*T)(c.space.start()), room+Slack)[:room]
	return nil
}

func (c *Column[T]) roomFor() int { return len(c.data) }

func (c *Column[T]) held() (mapped, heap int64, fallback bool) {
	fallback = c.asked == Mapped && c.space == nil
	if c.space != nil {
		return int64(c.space.committed), 0, fallback
	}
	if len(c.data) == 0 {
		return 0, 0, fallback // the slack is everybody's
	}
	return 0, sizeOf(c.data), fallback
}

func (c *Column[T]) drop() {
	if invariants.Enabled && c.space == nil {
		poison(c.data)
	}
	c.space.release()
	*c = Column[T]{}
}

// sizeOf returns the bytes behind s, up to its capacity.
func sizeOf[T any](s []T) int64 {
	return int64(cap(s)) * int64(elementSize[T]())
}

// elementSize returns the size of a T without making one, which could be large.
func elementSize[T any]() uintptr { return unsafe.Sizeof(*(*T)(nil)) }
