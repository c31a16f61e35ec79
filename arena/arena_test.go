package arena

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
)

// both runs a test for arenas in either memory.
func both(t *testing.T, f func(t *testing.T, m Memory)) {
	for _, m := range []Memory{Heap, Mapped} {
		t.Run("memory="+m.String(), func(t *testing.T) { f(t, m) })
	}
}

// newArena returns an arena that is checked and closed when the test ends.
func newArena(t *testing.T, cfg Config) *Arena {
	t.Helper()
	a, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		check(t, a)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func check(t *testing.T, a *Arena) {
	t.Helper()
	if err := a.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
}

// mustAlloc allocates n handles.
func mustAlloc(t *testing.T, a *Arena, n int) []Handle {
	t.Helper()
	hs := make([]Handle, n)
	for i := range hs {
		h, err := a.Alloc()
		if err != nil {
			t.Fatalf("Alloc %d of %d: %v", i, n, err)
		}
		hs[i] = h
	}
	return hs
}

// slotsOf returns the slots of hs.
func slotsOf(hs []Handle) (slots []uint32) {
	for _, h := range hs {
		slots = append(slots, h.Slot())
	}
	return slots
}

func TestZeroArena(t *testing.T) {
	var a Arena
	if a.Len() != 0 || a.Slots() != 0 || a.Capacity() != maxSlots || a.Alive(0) || a.Free(0) {
		t.Errorf("a zero arena is not empty: %+v", a.Stats())
	}
	if a.Seal() != 1 || a.Reclaim(1) != 0 {
		t.Error("Seal and Reclaim of a zero arena")
	}
	a.Clear()
	a.Drain(func(h Handle) { t.Errorf("drained %v", h) })
	check(t, &a)
	h, err := a.Alloc()
	if err != nil || h != MakeHandle(0, 1) {
		t.Fatalf("Alloc = %v, %v; want 0#1", h, err)
	}
	check(t, &a)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	var untouched Arena
	if err := untouched.Close(); err != nil {
		t.Error(err)
	}
	if _, err := untouched.Alloc(); !errors.Is(err, ErrClosed) {
		t.Errorf("Alloc after Close = %v; want ErrClosed", err)
	}
	if got := untouched.Capacity(); got != 0 {
		t.Errorf("Capacity after Close = %d; want 0", got)
	}
}

func TestNewRefuses(t *testing.T) {
	bad := []struct {
		cfg  Config
		want error
	}{
		{Config{Capacity: -1}, ErrRange},
		{Config{Capacity: math.MinInt}, ErrRange},
		{Config{Memory: Mapped + 1}, ErrUnknownMemory},
		{Config{Memory: 255, Deferred: true}, ErrUnknownMemory},
	}
	if math.MaxInt > math.MaxInt32 {
		bad = append(bad, struct {
			cfg  Config
			want error
		}{Config{Capacity: maxSlots + min(1, math.MaxInt-maxSlots)}, ErrRange})
	}
	for _, c := range bad {
		if a, err := New(c.cfg); !errors.Is(err, c.want) || a != nil {
			t.Errorf("New(%+v) = %v, %v; want nil, %v", c.cfg, a, err, c.want)
		}
	}
}

// Fault: the last slot was not given back, or taking from an empty pool crashed.
// Fill, free the last, allocate, free, allocate, at several capacities.
func TestLastSlotComesBack(t *testing.T) {
	both(t, func(t *testing.T, m Memory) {
		for _, capacity := range []int{1, 2, 16, 63, 64, 65, 1000} {
			a := newArena(t, Config{Capacity: capacity, Memory: m})
			hs := mustAlloc(t, a, capacity)
			if a.Len() != capacity || a.Slots() != capacity || a.Capacity() != capacity {
				t.Fatalf("capacity %d: Len %d, Slots %d, Capacity %d", capacity, a.Len(), a.Slots(), a.Capacity())
			}
			last := hs[capacity-1]
			for use := uint32(1); use <= 10; use++ {
				for range 2 {
					if h, err := a.Alloc(); h != 0 || !errors.Is(err, ErrFull) {
						t.Fatalf("Alloc when full = %v, %v; want none, ErrFull", h, err)
					}
				}
				if !a.Free(last) || a.Free(last) || a.Alive(last) {
					t.Fatalf("capacity %d, use %d: Free of the last", capacity, use)
				}
				h, err := a.Alloc()
				if want := MakeHandle(last.Slot(), 2*use+1); err != nil || h != want {
					t.Fatalf("Alloc = %v, %v; want %v", h, err, want)
				}
				last = h
				check(t, a)
			}
			if a.Slots() != capacity {
				t.Fatalf("Slots() = %d; want %d", a.Slots(), capacity)
			}
		}
	})
}

// The very last slots of the largest arena, by leaving out those before them.
func TestLastSlotOf2To31(t *testing.T) {
	if math.MaxInt == math.MaxInt32 || !mappedHere {
		t.Skip("needs mapped memory and 64 bits")
	}
	a, err := New(Config{Capacity: maxSlots, Memory: Mapped})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, c := range a.columns {
		if err := c.grow(maxSlots); err != nil {
			t.Skip("the system does not commit 16 GiB of untouched memory: ", err)
		}
	}
	a.room, a.slots = maxSlots, maxSlots-3
	hs := mustAlloc(t, a, 3)
	if want := MakeHandle(1<<31-1, 1); hs[2] != want || a.Slots() != maxSlots {
		t.Fatalf("last handle %v, Slots %d; want %v, 2^31", hs[2], a.Slots(), want)
	}
	for range 3 {
		if h, err := a.Alloc(); h != 0 || !errors.Is(err, ErrFull) {
			t.Fatalf("Alloc when full = %v, %v; want none, ErrFull", h, err)
		}
		if !a.Free(hs[2]) || a.Alive(hs[2]) || !a.Alive(hs[1]) {
			t.Fatal("Free of the last slot")
		}
		hs[2] = mustAlloc(t, a, 1)[0]
	}
	if want := MakeHandle(1<<31-1, 7); hs[2] != want {
		t.Errorf("last handle %v; want %v", hs[2], want)
	}
}

func TestStaleAndForeignHandles(t *testing.T) {
	both(t, func(t *testing.T, m Memory) {
		a := newArena(t, Config{Memory: m})
		hs := mustAlloc(t, a, 3)
		a.Free(hs[1])
		for _, h := range []Handle{
			0,
			hs[1],
			MakeHandle(hs[1].Slot(), 2),   // between two uses
			MakeHandle(hs[0].Slot(), 0),   // even
			MakeHandle(hs[0].Slot(), 3),   // not yet
			MakeHandle(3, 1),              // room, but never handed out
			MakeHandle(math.MaxUint32, 1), // no such slot
			MakeHandle(math.MaxUint32, math.MaxUint32), // neither
		} {
			if a.Alive(h) || a.Free(h) {
				t.Errorf("%v is alive", h)
			}
		}
		if a.Len() != 2 || !a.Alive(hs[0]) || !a.Alive(hs[2]) {
			t.Error("a refused Free changed something")
		}
	})
}

// The documented order: latest freed first, then fresh slots.
func TestReuseOrder(t *testing.T) {
	a := newArena(t, Config{})
	hs := mustAlloc(t, a, 6)
	for _, i := range []int{1, 4, 2} {
		a.Free(hs[i])
	}
	if got, want := slotsOf(mustAlloc(t, a, 5)), []uint32{2, 4, 1, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("slots %v; want %v", got, want)
	}
}

func TestClear(t *testing.T) {
	both(t, func(t *testing.T, m Memory) {
		a := newArena(t, Config{Memory: m})
		hs := mustAlloc(t, a, 100)
		for i := 0; i < 100; i += 3 {
			a.Free(hs[i])
		}
		a.Clear()
		check(t, a)
		if a.Len() != 0 || a.Slots() != 100 {
			t.Fatalf("Len %d, Slots %d after Clear; want 0, 100", a.Len(), a.Slots())
		}
		for _, h := range hs {
			if a.Alive(h) {
				t.Fatalf("%v outlived Clear", h)
			}
		}
		// As from a new arena: slots in order; but no handle comes twice.
		for i, h := range mustAlloc(t, a, 101) {
			want := MakeHandle(uint32(i), 3)
			if i == 100 {
				want = MakeHandle(100, 1)
			}
			if h != want {
				t.Fatalf("Alloc %d after Clear = %v; want %v", i, h, want)
			}
		}
	})
}

func TestDrain(t *testing.T) {
	for _, deferred := range []bool{false, true} {
		t.Run(fmt.Sprintf("deferred=%v", deferred), func(t *testing.T) {
			a := newArena(t, Config{Deferred: deferred})
			hs := mustAlloc(t, a, 6)
			a.Free(hs[2])
			var got []Handle
			a.Drain(func(h Handle) {
				got = append(got, h)
				if !a.Alive(h) {
					t.Errorf("%v is not alive while it is drained", h)
				}
				if _, err := a.Alloc(); !errors.Is(err, ErrBusy) {
					t.Errorf("Alloc during Drain = %v; want ErrBusy", err)
				}
				if err := a.Close(); !errors.Is(err, ErrBusy) {
					t.Errorf("Close during Drain = %v; want ErrBusy", err)
				}
				if h == hs[1] { // one's own, and another that is to come
					a.Free(hs[1])
					a.Free(hs[4])
				}
				check(t, a)
			})
			if want := []Handle{hs[0], hs[1], hs[3], hs[5]}; !slices.Equal(got, want) {
				t.Errorf("drained %v; want %v", got, want)
			}
			if a.Len() != 0 {
				t.Errorf("Len after Drain = %d", a.Len())
			}
			check(t, a)
			want := []uint32{0, 1, 2, 3, 4, 5, 6}
			if deferred {
				if n := a.Reclaim(a.Seal()); n != 6 {
					t.Errorf("Reclaim = %d; want 6", n)
				}
				want = []uint32{2, 0, 1, 4, 3, 5, 6} // in the order of the frees
			}
			if got := slotsOf(mustAlloc(t, a, 7)); !slices.Equal(got, want) {
				t.Errorf("slots after Drain %v; want %v", got, want)
			}
		})
	}
}

func TestDrainWithinDrainAndClear(t *testing.T) {
	a := newArena(t, Config{})
	hs := mustAlloc(t, a, 5)
	var outer, inner []Handle
	a.Drain(func(h Handle) {
		outer = append(outer, h)
		if h == hs[1] {
			a.Drain(func(h Handle) {
				inner = append(inner, h)
				if h == hs[3] {
					a.Clear()
				}
			})
			if _, err := a.Alloc(); !errors.Is(err, ErrBusy) {
				t.Errorf("Alloc after the inner Drain = %v; want ErrBusy", err)
			}
		}
	})
	if !slices.Equal(outer, hs[:2]) || !slices.Equal(inner, hs[1:4]) {
		t.Errorf("outer %v, inner %v; want %v, %v", outer, inner, hs[:2], hs[1:4])
	}
	if a.Len() != 0 {
		t.Errorf("Len = %d; want 0", a.Len())
	}
}

func TestDrainPanics(t *testing.T) {
	a := newArena(t, Config{})
	hs := mustAlloc(t, a, 4)
	func() {
		defer func() {
			if recover() != "mine" {
				t.Error("the panic was lost")
			}
		}()
		a.Drain(func(h Handle) {
			if h == hs[2] {
				panic("mine")
			}
		})
	}()
	check(t, a)
	if a.Alive(hs[1]) || !a.Alive(hs[2]) || !a.Alive(hs[3]) || a.Len() != 2 {
		t.Errorf("%d alive after a panic in Drain; want the last two", a.Len())
	}
	mustAlloc(t, a, 3) // no longer ErrBusy
}

func TestDeferred(t *testing.T) {
	for _, want := range []bool{false, true} {
		if got := newArena(t, Config{Deferred: want}).Deferred(); got != want {
			t.Errorf("Deferred() = %v; want %v", got, want)
		}
	}
}

func TestStats(t *testing.T) {
	a := newArena(t, Config{Deferred: true, Capacity: 100})
	mustAlloc(t, a, 10)
	hs := mustAlloc(t, a, 3)
	for _, h := range hs {
		a.Free(h)
	}
	got := a.Stats()
	// Two columns of 4 bytes, room for 16 slots, and the slack.
	want := Stats{Alive: 10, Waiting: 3, HeapBytes: 2 * 4 * (firstRoom + Slack)}
	if got != want {
		t.Errorf("Stats() = %+v; want %+v", got, want)
	}
}

// Broken on purpose, an arena has to say so: a check that cannot fail is none.
func TestCheckInvariantsFindsDamage(t *testing.T) {
	for name, damage := range map[string]func(a *Arena){
		"alive":             func(a *Arena) { a.alive++ },
		"retired":           func(a *Arena) { a.retired++ },
		"slots":             func(a *Arena) { a.slots = a.room + 1 },
		"room":              func(a *Arena) { a.room = a.capacity + 1 },
		"column":            func(a *Arena) { a.room++ },
		"revived":           func(a *Arena) { a.generations.data[1]++ },
		"never handed out":  func(a *Arena) { a.generations.data[a.slots] = 2 },
		"beyond last":       func(a *Arena) { a.last = 0 },
		"reusable count":    func(a *Arena) { a.free.n++ },
		"reusable loop":     func(a *Arena) { a.links.data[a.free.top] = a.free.top },
		"alive is reusable": func(a *Arena) { a.free.top = 0 },
		"out of range":      func(a *Arena) { a.free.top = 1 << 30 },
		"batch end":         func(a *Arena) { a.limbo.batches[0].last++ },
		"batch order":       func(a *Arena) { a.limbo.batches[1].number = 1 },
		"batch of later":    func(a *Arena) { a.limbo.sealed = 1 },
		"batch size":        func(a *Arena) { a.limbo.batches[0].n++ },
		"lost batch":        func(a *Arena) { a.limbo.batches = a.limbo.batches[:1] },
		"tail":              func(a *Arena) { a.limbo.tail = 0 },
	} {
		a := newArenaWithEverything(t)
		check(t, a)
		damage(a)
		if a.CheckInvariants() == nil {
			t.Errorf("%s: not found", name)
		}
	}
}

// newArenaWithEverything has slots that are alive, reusable, and waiting in two
// sealed batches and the open one.
func newArenaWithEverything(t *testing.T) *Arena {
	t.Helper()
	a, err := New(Config{Deferred: true, Capacity: 100})
	if err != nil {
		t.Fatal(err)
	}
	hs := mustAlloc(t, a, 20)
	for i := 1; i <= 12; i++ {
		a.Free(hs[i])
		if i%3 == 0 && i < 12 {
			a.Seal()
		}
	}
	if a.Reclaim(1) != 3 || len(a.limbo.batches) != 2 || a.limbo.open != 3 {
		t.Fatal("the arena is not as intended")
	}
	return a
}
