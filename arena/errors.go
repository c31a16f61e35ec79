package arena

import "errors"

// The errors of this package. A stale handle is not among them: it is a false.
var (
	// ErrFull: every slot of the capacity is alive, retired, or waits for
	// [Arena.Reclaim].
	ErrFull = errors.New("arena: full")
	// ErrExhausted: every slot of the capacity is retired; the arena will never
	// give out a handle again.
	ErrExhausted = errors.New("arena: all generations used up")
	// ErrClosed: the arena is closed.
	ErrClosed = errors.New("arena: closed")
	// ErrBusy: somebody retains the arena, or [Arena.Drain] is running.
	ErrBusy = errors.New("arena: in use")
	// ErrRange: a capacity or a length is negative or too large.
	ErrRange = errors.New("arena: capacity or length out of range")
	// ErrPointers: the element type holds pointers, which the garbage collector
	// would not see in mapped memory.
	ErrPointers = errors.New("arena: element type holds pointers")
	// ErrUnknownMemory: the [Memory] is none of the constants.
	ErrUnknownMemory = errors.New("arena: unknown memory")
	// ErrNoMemory: the system refused to give memory.
	ErrNoMemory = errors.New("arena: out of memory")
)
