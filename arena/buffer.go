package arena

import (
	"fmt"
	"unsafe"

	"vicinity/internal/invariants"
)

// poisonByte fills memory that nobody should read any more. As an int32 or a
// float32 it is a large negative or a tiny number, which no test expects.
const poisonByte = 0xA5

// A Buffer is scratch memory of a fixed number of elements, of no arena's, in
// the same memories as columns. It needs [NewBuffer], and must be freed.
type Buffer[T any] struct {
	data  []T
	space *space // nil on the heap
}

// NewBuffer returns n zero elements in memory m, or on the heap if m is not to be
// had, which [Buffer.Memory] tells. There is no slack behind them: who needs
// some asks for [Slack] more.
//
// It fails with [ErrRange] if n is negative or n elements are more than a process
// can have, [ErrPointers], [ErrUnknownMemory] or [ErrNoMemory].
func NewBuffer[T any](m Memory, n int) (*Buffer[T], error) {
	if err := checkElement[T](m); err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, fmt.Errorf("%w: length %d", ErrRange, n)
	}
	// The slack that it counts is not used; it keeps the size above zero.
	size, ok := bytesFor[T](n)
	if !ok {
		return nil, fmt.Errorf("%w: length %d", ErrRange, n)
	}
	b := &Buffer[T]{}
	if m == Mapped {
		b.space = reserve(size, true)
	}
	if b.space == nil {
		b.data = make([]T, n)
		return b, nil
	}
	if err := b.space.commit(size); err != nil {
		b.space.release()
		return nil, err
	}
	b.data = unsafe.Slice((*T)(b.space.start()), n)
	return b, nil
}

// Slice returns the elements; nil after Free, when slices taken earlier must not
// be touched any more.
func (b *Buffer[T]) Slice() []T { return b.data }

// Memory returns where the buffer is, which may be Heap though Mapped was asked
// for.
func (b *Buffer[T]) Memory() Memory {
	if b.space != nil {
		return Mapped
	}
	return Heap
}

// Bytes returns how many bytes the buffer holds in its memory; 0 after Free.
func (b *Buffer[T]) Bytes() int64 {
	if b.space != nil {
		return int64(b.space.committed)
	}
	return sizeOf(b.data)
}

// Poison overwrites all elements with bytes 0xA5. Owners that recycle buffers
// call it under the tag invariants, so that a reader of old contents is noticed.
func (b *Buffer[T]) Poison() { poison(b.data) }

// Free gives the memory back. A second call does nothing. Under the tag
// invariants a buffer on the heap is poisoned first; a mapped one is gone in any
// build, and touching it faults.
func (b *Buffer[T]) Free() {
	if invariants.Enabled && b.space == nil {
		poison(b.data)
	}
	b.space.release()
	*b = Buffer[T]{}
}

// poison overwrites s, which holds no pointers, up to its length.
func poison[T any](s []T) {
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(elementSize[T]()))
	for i := range raw {
		raw[i] = poisonByte
	}
}
