package arena

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"unsafe"
)

// mappedHere says that this build has mapped memory. It repeats the build
// constraints in other words, so that a wrong constraint shows.
var mappedHere = !raceEnabled && slices.Contains([]string{
	"linux", "android", "darwin", "ios", "freebsd", "netbsd", "openbsd", "dragonfly", "solaris", "illumos", "windows",
}, runtime.GOOS)

func TestMemoryString(t *testing.T) {
	for m, want := range map[Memory]string{Heap: "heap", Mapped: "mapped", 7: "Memory(7)"} {
		if got := m.String(); got != want {
			t.Errorf("String() = %q; want %q", got, want)
		}
	}
}

// Mapped is given where the build has it, and otherwise Heap, which Stats tells.
func TestFallback(t *testing.T) {
	before := MappedBytes()
	a := newArena(t, Config{Capacity: 1000, Memory: Mapped})
	mustAlloc(t, a, 100)
	s := a.Stats()
	if s.Fallback == mappedHere {
		t.Errorf("Fallback = %v; mapped memory here: %v", s.Fallback, mappedHere)
	}
	if (s.MappedBytes > 0) != mappedHere || (s.HeapBytes > 0) == mappedHere {
		t.Errorf("Stats %+v; mapped memory here: %v", s, mappedHere)
	}
	if got := MappedBytes() - before; got != s.MappedBytes {
		t.Errorf("MappedBytes() grew by %d; Stats says %d", got, s.MappedBytes)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got := MappedBytes(); got != before {
		t.Errorf("MappedBytes() = %d after Close; want %d", got, before)
	}
}

// A capacity whose addresses no process has falls back too.
func TestFallbackForWantOfAddresses(t *testing.T) {
	type page [1 << 16]byte
	a := newArena(t, Config{Capacity: maxSlots})
	c, err := NewColumn[page](a, Mapped)
	if err != nil {
		t.Fatal(err)
	}
	if c.space != nil || !a.Stats().Fallback {
		t.Error("2^31 elements of 64 KiB were reserved")
	}
	c.Free()
	if a.Stats().Fallback {
		t.Error("Fallback of a column that is gone")
	}
}

func TestReserveNothing(t *testing.T) {
	if s := reserve(maxBytes+1, true); s != nil {
		t.Error("reserve of too much")
	}
	if s := reserve(1, false); s != nil {
		t.Error("reserve of what does not fit in an int")
	}
	if s := reserve(0, true); s != nil {
		t.Error("reserve of nothing")
	}
}

func TestBytesFor(t *testing.T) {
	if n, ok := bytesFor[[3]int32](100); n != 12*(100+Slack) || !ok {
		t.Errorf("bytesFor = %d, %v", n, ok)
	}
	if n, ok := bytesFor[struct{}](maxSlots); n != 0 || !ok {
		t.Errorf("bytesFor of nothing = %d, %v", n, ok)
	}
	if n, ok := bytesFor[[1 << 20]byte](maxSlots); ok {
		t.Errorf("bytesFor 2^31 MiB = %d", n)
	}
	if n, ok := bytesFor[uint64](math.MaxInt); ok {
		t.Errorf("bytesFor MaxInt = %d", n)
	}
}

// Reservations are as small as the capacity allows, and aligned for huge pages;
// growth commits a part and moves nothing.
func TestMappedGrowth(t *testing.T) {
	if !mappedHere {
		t.Skip("no mapped memory in this build")
	}
	const capacity = 2_000_000
	a := newArena(t, Config{Capacity: capacity})
	c, err := NewColumn[uint64](a, Mapped)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(c.space.aligned), roundUp((capacity+Slack)*8, hugePage); got != want {
		t.Errorf("%d bytes reserved; want %d", got, want)
	}
	if at := uintptr(c.space.start()); at%hugePage != 0 {
		t.Errorf("starts at %#x, which is no multiple of %#x", at, hugePage)
	}
	if got := c.space.committed; got != smallStep {
		t.Errorf("%d bytes committed at first; want %d", got, smallStep)
	}
	start := unsafe.SliceData(c.Slice())
	grown := 0
	for i := range capacity {
		h, err := a.Alloc()
		if err != nil {
			t.Fatal(err)
		}
		s := c.Slice()
		if s[h.Slot()] != 0 {
			t.Fatalf("fresh element %d is %d", i, s[h.Slot()])
		}
		s[h.Slot()] = uint64(h)
		if n := len(s); n != grown {
			grown = n
			checkSlack(t, c, a)
		}
	}
	if unsafe.SliceData(c.Slice()) != start {
		t.Error("growth moved the column")
	}
	for slot, v := range c.Slice()[:capacity] {
		if v != uint64(MakeHandle(uint32(slot), 1)) {
			t.Fatalf("element %d is %#x", slot, v)
		}
	}
	if a.Stats().MappedBytes != int64(len(c.space.aligned)) {
		t.Errorf("%d bytes mapped when full; want all %d", a.Stats().MappedBytes, len(c.space.aligned))
	}
}

// The system refuses memory in the middle of growth: Alloc says so, nothing has
// changed, and the arena goes on once there is some.
func TestGrowthRefused(t *testing.T) {
	if !mappedHere {
		t.Skip("no mapped memory in this build")
	}
	a := newArena(t, Config{Capacity: 100_000})
	first, err := NewColumn[uint32](a, Heap)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewColumn[uint64](a, Mapped)
	if err != nil {
		t.Fatal(err)
	}
	last, err := NewColumn[uint32](a, Heap)
	if err != nil {
		t.Fatal(err)
	}
	aligned := c.space.aligned
	c.space.aligned = aligned[:smallStep]
	var h Handle
	for err == nil {
		if h, err = a.Alloc(); err == nil {
			first.Slice()[h.Slot()] = h.Slot()
			c.Slice()[h.Slot()] = uint64(h)
			last.Slice()[h.Slot()] = h.Slot()
		}
	}
	if !errors.Is(err, ErrNoMemory) || h != 0 {
		t.Fatalf("Alloc = %v, %v; want none, ErrNoMemory", h, err)
	}
	check(t, a)
	n := a.Len()
	if n == 0 || n != a.Slots() || n > smallStep/8 {
		t.Fatalf("%d alive in %d slots", n, a.Slots())
	}
	if got, err := NewColumn[[64]uint64](a, Mapped); err != nil {
		t.Fatal(err) // another column is not concerned
	} else {
		got.Free()
	}
	c.space.aligned = aligned
	mustAlloc(t, a, 1000)
	for slot := range n {
		s := uint32(slot)
		if first.Slice()[slot] != s || last.Slice()[slot] != s || c.Slice()[slot] != uint64(MakeHandle(s, 1)) {
			t.Fatalf("slot %d was lost", slot)
		}
	}
}

// A new column that the system has no memory for leaves nothing behind.
func TestNewColumnRefused(t *testing.T) {
	type huge [min(1<<42, math.MaxInt>>2)]byte
	a := newArena(t, Config{})
	mustAlloc(t, a, 1)
	columns := len(a.columns)
	if c, err := NewColumn[huge](a, Heap); !errors.Is(err, ErrNoMemory) || c != nil {
		t.Fatalf("NewColumn = %v, %v; want nil, ErrNoMemory", c, err)
	}
	if len(a.columns) != columns {
		t.Error("the column is still there")
	}
}
