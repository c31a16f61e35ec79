package arena

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestDeferredReuse(t *testing.T) {
	both(t, func(t *testing.T, m Memory) {
		a := newArena(t, Config{Capacity: 8, Memory: m, Deferred: true})
		hs := mustAlloc(t, a, 8)
		a.Free(hs[3])
		a.Free(hs[1])
		full := func(when string) {
			t.Helper()
			if _, err := a.Alloc(); !errors.Is(err, ErrFull) {
				t.Fatalf("%s: Alloc = %v; want ErrFull", when, err)
			}
			check(t, a)
		}
		full("before Seal")
		if n := a.Reclaim(math.MaxUint64); n != 0 {
			t.Fatalf("Reclaim of the open batch = %d; want 0", n)
		}
		full("after Reclaim without Seal")
		if b := a.Seal(); b != 1 {
			t.Fatalf("first Seal = %d; want 1", b)
		}
		full("after Seal")
		a.Free(hs[5]) // batch 2
		if n := a.Reclaim(0); n != 0 {
			t.Fatalf("Reclaim(0) = %d; want 0", n)
		}
		if b := a.Seal(); b != 2 {
			t.Fatalf("second Seal = %d; want 2", b)
		}
		if b := a.Seal(); b != 3 { // an empty batch has a number too
			t.Fatalf("third Seal = %d; want 3", b)
		}
		a.Free(hs[7]) // batch 4, open
		if got := a.Stats().Waiting; got != 4 {
			t.Fatalf("Waiting = %d; want 4", got)
		}
		if n := a.Reclaim(1); n != 2 {
			t.Fatalf("Reclaim(1) = %d; want 2", n)
		}
		if got, want := slotsOf(mustAlloc(t, a, 2)), []uint32{3, 1}; !slices.Equal(got, want) {
			t.Fatalf("slots %v; want %v", got, want)
		}
		full("batch 1 used up")
		if n := a.Reclaim(3); n != 1 {
			t.Fatalf("Reclaim(3) = %d; want 1", n)
		}
		if n := a.Reclaim(3); n != 0 {
			t.Fatalf("Reclaim(3) again = %d; want 0", n)
		}
		if h := mustAlloc(t, a, 1)[0]; h != MakeHandle(5, 3) {
			t.Fatalf("Alloc = %v; want 5#3", h)
		}
		full("batch 3 used up")
		if n := a.Reclaim(a.Seal()); n != 1 {
			t.Fatalf("Reclaim = %d; want 1", n)
		}
	})
}

// Several batches at once come back in order of their frees, before what was
// reusable already.
func TestReclaimOrder(t *testing.T) {
	a := newArena(t, Config{Deferred: true})
	hs := mustAlloc(t, a, 10)
	for _, i := range []int{9, 8} {
		a.Free(hs[i])
	}
	a.Reclaim(a.Seal())
	for _, i := range []int{2, 0} {
		a.Free(hs[i])
	}
	a.Seal()
	for _, i := range []int{5, 1} {
		a.Free(hs[i])
	}
	if n := a.Reclaim(a.Seal()); n != 4 {
		t.Fatalf("Reclaim = %d; want 4", n)
	}
	if got, want := slotsOf(mustAlloc(t, a, 7)), []uint32{2, 0, 5, 1, 9, 8, 10}; !slices.Equal(got, want) {
		t.Errorf("slots %v; want %v", got, want)
	}
}

func TestClearOfDeferred(t *testing.T) {
	a := newArena(t, Config{Deferred: true, Capacity: 4})
	hs := mustAlloc(t, a, 4)
	a.Free(hs[2])
	a.Clear()
	check(t, a)
	if s := a.Stats(); s.Alive != 0 || s.Waiting != 4 {
		t.Fatalf("Stats %+v; want 4 waiting", s)
	}
	if _, err := a.Alloc(); !errors.Is(err, ErrFull) {
		t.Errorf("Alloc = %v; want ErrFull", err)
	}
	a.Reclaim(a.Seal())
	if got, want := slotsOf(mustAlloc(t, a, 4)), []uint32{2, 0, 1, 3}; !slices.Equal(got, want) {
		t.Errorf("slots %v; want %v", got, want)
	}
}

// An arena that is not deferred numbers its batches too; all are empty.
func TestSealOfImmediate(t *testing.T) {
	a := newArena(t, Config{})
	a.Free(mustAlloc(t, a, 1)[0])
	for want := uint64(1); want <= 3; want++ {
		if got := a.Seal(); got != want {
			t.Errorf("Seal = %d; want %d", got, want)
		}
	}
	if n := a.Reclaim(math.MaxUint64); n != 0 {
		t.Errorf("Reclaim = %d; want 0", n)
	}
	if h := mustAlloc(t, a, 1)[0]; h != MakeHandle(0, 3) {
		t.Errorf("Alloc = %v; want 0#3", h)
	}
}
