package arena

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// newShortArena returns an arena whose generations have so few bits.
func newShortArena(t *testing.T, cfg Config, bits int) *Arena {
	t.Helper()
	a := newArena(t, cfg)
	a.last = 1<<bits - 1
	return a
}

func TestLastGenerationIsAllOnes(t *testing.T) {
	if g := uint32(lastGeneration); g+1 != 0 || g&1 != 1 {
		t.Errorf("lastGeneration = %#x", g)
	}
	if a := newArena(t, Config{}); a.last != lastGeneration {
		t.Errorf("last = %#x; want %#x", a.last, uint32(lastGeneration))
	}
}

// Fault: a wrapped generation validates a very old handle. With 4 bits a slot
// has 8 uses; then it is retired and nothing of it is ever alive again.
func TestRetirement(t *testing.T) {
	for _, deferred := range []bool{false, true} {
		t.Run(fmt.Sprintf("deferred=%v", deferred), func(t *testing.T) {
			a := newShortArena(t, Config{Capacity: 2, Deferred: deferred}, 4)
			stay := mustAlloc(t, a, 1)[0]
			var old []Handle
			for use := range 8 {
				h, err := a.Alloc()
				if err != nil || h != MakeHandle(1, uint32(2*use+1)) {
					t.Fatalf("use %d: Alloc = %v, %v", use, h, err)
				}
				if !a.Free(h) {
					t.Fatalf("Free(%v) = false", h)
				}
				old = append(old, h)
				a.Reclaim(a.Seal())
				check(t, a)
			}
			if s := a.Stats(); s.Retired != 1 || s.Waiting != 0 || s.Alive != 1 {
				t.Fatalf("Stats %+v; want one retired, one alive", s)
			}
			// The other slot is alive: full, not exhausted.
			if _, err := a.Alloc(); !errors.Is(err, ErrFull) {
				t.Fatalf("Alloc = %v; want ErrFull", err)
			}
			a.Clear() // must not bring the retired slot back
			a.Reclaim(a.Seal())
			if h := mustAlloc(t, a, 1)[0]; h != MakeHandle(stay.Slot(), 3) {
				t.Fatalf("Alloc after Clear = %v; want 0#3", h)
			}
			for g := range uint32(64) {
				if h := MakeHandle(1, g); a.Alive(h) || a.Free(h) {
					t.Errorf("%v of a retired slot is alive", h)
				}
			}
			for _, h := range old {
				if a.Alive(h) {
					t.Errorf("%v is alive again", h)
				}
			}
		})
	}
}

// All slots retired is an error of its own, for ever.
func TestExhaustion(t *testing.T) {
	both(t, func(t *testing.T, m Memory) {
		a := newShortArena(t, Config{Capacity: 3, Memory: m}, 4)
		seen := map[Handle]bool{}
		for {
			h, err := a.Alloc()
			if err != nil {
				if !errors.Is(err, ErrExhausted) {
					t.Fatalf("Alloc = %v; want ErrExhausted", err)
				}
				break
			}
			if seen[h] {
				t.Fatalf("%v was handed out twice", h)
			}
			seen[h] = true
			a.Free(h)
			check(t, a)
		}
		if want := 3 * 8; len(seen) != want {
			t.Errorf("%d uses; want %d", len(seen), want)
		}
		a.Clear()
		if _, err := a.Alloc(); !errors.Is(err, ErrExhausted) {
			t.Errorf("Alloc after Clear = %v; want ErrExhausted", err)
		}
		if s := a.Stats(); s.Retired != 3 || a.Slots() != 3 || a.Len() != 0 {
			t.Errorf("Stats %+v; want 3 retired", s)
		}
	})
}

// The real last generation, reached by leaving out those before it.
func TestRetirementAt32Bits(t *testing.T) {
	a := newArena(t, Config{Capacity: 1})
	mustAlloc(t, a, 1)
	a.generations.data[0] = math.MaxUint32 - 2
	if !a.Free(MakeHandle(0, math.MaxUint32-2)) {
		t.Fatal("Free of the last use but one")
	}
	h := mustAlloc(t, a, 1)[0]
	if h != MakeHandle(0, math.MaxUint32) || !a.Alive(h) {
		t.Fatalf("Alloc = %v; want generation 2^32-1", h)
	}
	if !a.Free(h) || a.Stats().Retired != 1 {
		t.Fatal("the last use did not retire the slot")
	}
	if _, err := a.Alloc(); !errors.Is(err, ErrExhausted) {
		t.Errorf("Alloc = %v; want ErrExhausted", err)
	}
}
