package arena

import (
	"errors"
	"testing"
	"unsafe"

	"vicinity/internal/invariants"
)

// checkSlack checks length, capacity and the zeros behind a column's slice.
func checkSlack[T comparable](t *testing.T, c *Column[T], a *Arena) {
	t.Helper()
	s := c.Slice()
	if len(s) < a.Slots() || cap(s) < len(s)+Slack {
		t.Fatalf("len %d, cap %d for %d slots; want %d of slack", len(s), cap(s), a.Slots(), Slack)
	}
	var zero T
	for i, v := range s[:len(s)+Slack][a.Slots():] {
		if v != zero {
			t.Fatalf("element %d, behind the last slot, is %v", a.Slots()+i, v)
		}
	}
}

func TestColumn(t *testing.T) {
	both(t, func(t *testing.T, m Memory) {
		a := newArena(t, Config{Capacity: 10_000, Memory: m})
		early, err := NewColumn[int32](a, m)
		if err != nil {
			t.Fatal(err)
		}
		checkSlack(t, early, a) // even before the first Alloc
		hs := mustAlloc(t, a, 700)
		for _, h := range hs {
			early.Slice()[h.Slot()] = int32(h.Slot()) + 1
		}
		// A column made when there are slots already.
		type pair struct {
			a uint64
			b [2]int16
		}
		late, err := NewColumn[pair](a, m)
		if err != nil {
			t.Fatal(err)
		}
		checkSlack(t, late, a)
		for i, v := range late.Slice() {
			if v != (pair{}) {
				t.Fatalf("element %d of a new column is %v", i, v)
			}
		}
		late.Slice()[699] = pair{a: 9, b: [2]int16{-1, 1}}
		mustAlloc(t, a, 9_300)
		checkSlack(t, early, a)
		checkSlack(t, late, a)
		for i := range 700 {
			if got := early.Slice()[i]; got != int32(i)+1 {
				t.Fatalf("element %d is %d after growth", i, got)
			}
		}
		if got, want := late.Slice()[699], (pair{a: 9, b: [2]int16{-1, 1}}); got != want {
			t.Errorf("element 699 is %v after growth; want %v", got, want)
		}
		if _, err := a.Alloc(); !errors.Is(err, ErrFull) {
			t.Errorf("Alloc = %v; want ErrFull", err)
		}
	})
}

// Elements that are too large for the slack that empty columns share have their own.
func TestLargeElementBeforeTheFirstAlloc(t *testing.T) {
	type large [len(nothing)*8/Slack + 1]byte
	a := newArena(t, Config{})
	c, err := NewColumn[large](a, Heap)
	if err != nil {
		t.Fatal(err)
	}
	checkSlack(t, c, a)
	if n := len(c.Slice()); n != firstRoom {
		t.Errorf("room for %d slots; want %d", n, firstRoom)
	}
}

// Room never exceeds the capacity, so tiny arenas stay tiny; empty ones have none.
func TestRoomOfTinyArena(t *testing.T) {
	a := newArena(t, Config{Capacity: 12})
	c, err := NewColumn[uint8](a, Heap)
	if err != nil {
		t.Fatal(err)
	}
	if n, bytes := len(c.Slice()), a.Stats().HeapBytes; n != 0 || bytes != 0 {
		t.Errorf("room for %d slots, %d bytes; want none", n, bytes)
	}
	mustAlloc(t, a, 1)
	if n := len(c.Slice()); n != 12 {
		t.Errorf("room for %d slots; want 12", n)
	}
	mustAlloc(t, a, 11)
	if got, want := a.Stats().HeapBytes, int64((4+4+1)*(12+Slack)); got > 2*want {
		t.Errorf("%d bytes; want about %d", got, want)
	}
}

func TestElementsStayWhenSlotsAreReused(t *testing.T) {
	a := newArena(t, Config{})
	c, err := NewColumn[int64](a, Heap)
	if err != nil {
		t.Fatal(err)
	}
	h := mustAlloc(t, a, 1)[0]
	c.Slice()[h.Slot()] = 42
	a.Clear()
	if h = mustAlloc(t, a, 1)[0]; c.Slice()[h.Slot()] != 42 {
		t.Errorf("element %d; want what the last user left", c.Slice()[h.Slot()])
	}
}

func TestColumnFree(t *testing.T) {
	both(t, func(t *testing.T, m Memory) {
		a := newArena(t, Config{Capacity: 1000})
		before, stats := MappedBytes(), a.Stats()
		if _, err := a.Alloc(); err != nil {
			t.Fatal(err)
		}
		stats = a.Stats()
		x, err := NewColumn[uint64](a, m)
		if err != nil {
			t.Fatal(err)
		}
		y, err := NewColumn[uint64](a, m)
		if err != nil {
			t.Fatal(err)
		}
		y.Slice()[0] = 5
		x.Free()
		x.Free()
		if x.Slice() != nil {
			t.Error("a freed column has a slice")
		}
		mustAlloc(t, a, 500)
		if y.Slice()[0] != 5 || len(y.Slice()) < 501 {
			t.Error("freeing one column harmed the other")
		}
		if len(x.data) != 0 {
			t.Error("a freed column grew")
		}
		y.Free()
		if got := a.Stats().MappedBytes; got != stats.MappedBytes || MappedBytes() != before {
			t.Errorf("%d mapped bytes left; want %d", got, stats.MappedBytes)
		}
	})
}

func TestElementTypes(t *testing.T) {
	a := newArena(t, Config{})
	type plain struct {
		_ int8
		_ [4]struct{ _ complex128 }
		_ uintptr
		_ bool
		_ [0]*int
	}
	type nested struct {
		_ struct{ _ [2]struct{ _ string } }
	}
	good := map[string]error{
		"plain":  try[plain](a),
		"float":  try[float32](a),
		"handle": try[Handle](a),
		"array":  try[[3]uint16](a),
		"empty":  try[struct{}](a),
	}
	for name, err := range good {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := map[string]error{
		"pointer":        try[*int](a),
		"unsafe pointer": try[unsafe.Pointer](a),
		"string":         try[string](a),
		"slice":          try[[]int](a),
		"map":            try[map[int]int](a),
		"chan":           try[chan int](a),
		"func":           try[func()](a),
		"interface":      try[any](a),
		"array":          try[[2]*int](a),
		"struct":         try[struct{ a, b any }](a),
		"nested":         try[nested](a),
	}
	for name, err := range bad {
		if !errors.Is(err, ErrPointers) {
			t.Errorf("%s: %v; want ErrPointers", name, err)
		}
	}
	if _, err := NewColumn[int](a, 2); !errors.Is(err, ErrUnknownMemory) {
		t.Errorf("memory 2: %v; want ErrUnknownMemory", err)
	}
}

// try returns the error of columns and buffers of T, which must agree.
func try[T any](a *Arena) error {
	_, err1 := NewColumn[T](a, Heap)
	_, err2 := NewColumn[T](a, Mapped)
	_, err3 := NewBuffer[T](Mapped, 1)
	if (err1 == nil) != (err2 == nil) || (err1 == nil) != (err3 == nil) {
		return errors.New("column and buffer disagree")
	}
	return err1
}

// Under the tag invariants whoever keeps a heap column's slice across growth
// reads poison.
func TestStaleSliceIsPoisoned(t *testing.T) {
	if !invariants.Enabled {
		t.Skip("needs the tag invariants")
	}
	a := newArena(t, Config{})
	c, err := NewColumn[uint32](a, Heap)
	if err != nil {
		t.Fatal(err)
	}
	mustAlloc(t, a, firstRoom)
	stale := c.Slice()
	stale[3] = 3
	mustAlloc(t, a, 1)
	if stale[3] != 0xA5A5A5A5 || c.Slice()[3] != 3 {
		t.Errorf("stale %#x, live %#x; want poison and 3", stale[3], c.Slice()[3])
	}
	live := c.Slice()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if live[3] != 0xA5A5A5A5 {
		t.Errorf("%#x after Close; want poison", live[3])
	}
}
