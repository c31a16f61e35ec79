package arena

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"vicinity/internal/invariants"
)

// Memory says where columns and buffers live.
type Memory uint8

const (
	// Heap is ordinary Go slices: seen by GOMEMLIMIT, the race detector and
	// checkptr. Growing copies.
	Heap Memory = iota
	// Mapped is memory outside of the Go heap: the address space for the whole
	// capacity is reserved at once and made usable step by step, so growing
	// neither copies nor stalls. On Linux it asks for huge pages. Linux, macOS,
	// Windows, the BSDs and Solaris have it; elsewhere, in builds with the race
	// detector (which does not see it), and where the address space is too small
	// for the capacity, Heap is given instead.
	Mapped
)

// String returns "heap" or "mapped".
func (m Memory) String() string {
	switch m {
	case Heap:
		return "heap"
	case Mapped:
		return "mapped"
	}
	return fmt.Sprintf("Memory(%d)", uint8(m))
}

const (
	// hugePage is what reservations are rounded and aligned to, so that the
	// kernel can back them with huge pages.
	hugePage = 2 << 20

	// smallStep is how much is made usable at a time below one huge page. It is
	// a multiple of every page size in use.
	smallStep = 64 << 10

	// maxBytes bounds one column or buffer: half of the 47 bits of address that
	// a process has on common systems, or what an int holds, less the rounding.
	maxBytes = min(1<<46, math.MaxInt) - 2*hugePage
)

// mapped counts the usable mapped bytes of the process.
var mapped atomic.Int64

// MappedBytes returns how many bytes of mapped memory all arenas and buffers of
// the process hold at present: those made usable, whether or not the system has
// backed them with pages yet. Go's allocation counters do not see them, so a
// test of "allocates nothing" has to look here too. It may be called at any time.
func MappedBytes() int64 { return mapped.Load() }

// A space is a range of reserved addresses, of which a prefix is usable.
type space struct {
	whole     []byte // as the system gave it, and wants it back
	aligned   []byte // the part that starts at a multiple of hugePage
	committed int    // usable bytes of aligned
}

// reserve returns a space for n bytes, nil if there is none to be had or ok is
// false. Nothing in it is usable yet.
func reserve(n int, ok bool) *space {
	if !ok || n > maxBytes || n == 0 {
		return nil
	}
	n = roundUp(n, hugePage)
	whole, err := systemReserve(n + hugePage)
	if err != nil {
		return nil
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(whole)))
	skip := int(-start & (hugePage - 1))
	return &space{whole: whole, aligned: whole[skip : skip+n]}
}

// commit makes the first n bytes usable, and whatever rounding adds. Fresh bytes
// are zero, and none moves. On error nothing has changed.
func (s *space) commit(n int) error {
	if n <= s.committed {
		return nil
	}
	if n > len(s.aligned) {
		return fmt.Errorf("%w: %d bytes of %d reserved", ErrNoMemory, n, len(s.aligned))
	}
	end := roundUp(n, smallStep)
	if n > hugePage {
		end = roundUp(n, hugePage)
	}
	if err := systemCommit(s.aligned[s.committed:end]); err != nil {
		return fmt.Errorf("%w: %w", ErrNoMemory, err)
	}
	mapped.Add(int64(end - s.committed))
	s.committed = end
	return nil
}

// start returns the address of the first byte.
func (s *space) start() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s.aligned)) }

// release gives everything back. A nil space has nothing.
func (s *space) release() {
	if s == nil {
		return
	}
	err := systemRelease(s.whole)
	if invariants.Enabled {
		invariants.Check(err == nil, "arena: release of %d bytes: %v", len(s.whole), err)
	}
	mapped.Add(-int64(s.committed))
	*s = space{}
}

// roundUp returns the least multiple of step, a power of two, that is >= n.
func roundUp(n, step int) int { return (n + step - 1) &^ (step - 1) }
