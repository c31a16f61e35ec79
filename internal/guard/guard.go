package guard

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// ErrRange is returned by [New] for a negative or absurdly large size.
var ErrRange = errors.New("guard: size out of range")

// maxSize bounds New far below anything that could overflow.
const maxSize = 1 << 29

// Memory is a range of bytes between two inaccessible pages. It is not for
// concurrent use, except that the slices taken from it are plain memory.
type Memory struct {
	whole  []byte // with both guard pages; nil on the heap
	usable []byte
}

// New returns memory for n bytes, 0 <= n <= 2^29, zeroed. The caller frees it.
func New(n int) (*Memory, error) {
	if n < 0 || n > maxSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrRange, n)
	}
	page := os.Getpagesize()
	size := max(page, (n+page-1)/page*page)
	if !Supported() {
		// uint64 elements, so that both ends are aligned for every T.
		words := make([]uint64, size/8)
		return &Memory{usable: unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)}, nil
	}
	whole, err := mapGuarded(size, page)
	if err != nil {
		return nil, err
	}
	return &Memory{whole: whole, usable: whole[page : page+size]}, nil
}

// Supported says whether touching what lies beyond the memory faults here.
func Supported() bool { return supported }

// Len returns how many bytes are usable: n of New, rounded up to whole pages.
func (m *Memory) Len() int { return len(m.usable) }

// Clear sets every usable byte to v.
func (m *Memory) Clear(v byte) {
	for i := range m.usable {
		m.usable[i] = v
	}
}

// Free gives the memory back; slices taken from it must not be used any more.
// A second call does nothing.
func (m *Memory) Free() error {
	whole := m.whole
	m.whole, m.usable = nil, nil
	if whole == nil {
		return nil
	}
	return unmap(whole)
}

// AtEnd returns n elements (length and capacity) that end exactly at the
// inaccessible page behind m. What stands in them is what was last written
// there. It aliases everything else taken from m, and panics if n elements do
// not fit. T must hold no pointers and must not be of size zero.
func AtEnd[T any](m *Memory, n int) []T {
	size := fit[T](m, n)
	return view[T](m.usable[len(m.usable)-size:], n)
}

// AtStart is like [AtEnd], but the first element stands right after the
// inaccessible page in front of m.
func AtStart[T any](m *Memory, n int) []T {
	return view[T](m.usable[:fit[T](m, n)], n)
}

// fit returns the bytes of n elements, or panics.
func fit[T any](m *Memory, n int) int {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if n < 0 || size == 0 || n > len(m.usable)/size {
		panic(fmt.Sprintf("guard: %d elements of %d bytes in %d bytes", n, size, len(m.usable)))
	}
	return n * size
}

// view returns b as n elements. An empty view still points to the border.
func view[T any](b []byte, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)[:n:n]
}

// A FaultError is what [Fault] returns: memory was touched that is not there.
type FaultError struct {
	// Addr is the address touched.
	Addr uintptr
	// Err is the run-time error as the Go runtime worded it.
	Err error
}

// Error returns the run-time error with the address.
func (e *FaultError) Error() string {
	return fmt.Sprintf("guard: touched %#x: %v", e.Addr, e.Err)
}

// Unwrap returns the run-time error.
func (e *FaultError) Unwrap() error { return e.Err }

// Fault calls f and returns a *[FaultError] if it touched an inaccessible page,
// in Go or in assembly. Any other panic goes on. Only faults of the calling
// goroutine are caught; those of goroutines that f starts end the program.
func Fault(f func()) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		fault, ok := v.(interface {
			runtime.Error
			Addr() uintptr
		})
		if !ok {
			panic(v)
		}
		err = &FaultError{Addr: fault.Addr(), Err: fault}
	}()
	f()
	return nil
}
