package arena

import (
	"errors"
	"math"
	"testing"

	"vicinity/internal/invariants"
)

func TestBuffer(t *testing.T) {
	both(t, func(t *testing.T, m Memory) {
		for _, n := range []int{0, 1, 1000, smallStep, 3*hugePage/4 + 1} {
			before := MappedBytes()
			b, err := NewBuffer[uint32](m, n)
			if err != nil {
				t.Fatal(err)
			}
			if want := m == Mapped && mappedHere; (b.Memory() == Mapped) != want {
				t.Errorf("Memory() = %v; asked for %v", b.Memory(), m)
			}
			s := b.Slice()
			if len(s) != n || cap(s) != n || b.Bytes() < 4*int64(n) {
				t.Fatalf("len %d, cap %d, %d bytes; want %d elements", len(s), cap(s), b.Bytes(), n)
			}
			if got := MappedBytes() - before; b.Memory() == Mapped && got != b.Bytes() || b.Memory() == Heap && got != 0 {
				t.Errorf("MappedBytes() grew by %d; Bytes() = %d in %v", got, b.Bytes(), b.Memory())
			}
			for i, v := range s {
				if v != 0 {
					t.Fatalf("element %d is %d; want 0", i, v)
				}
				s[i] = uint32(i)
			}
			b.Poison()
			for i, v := range s {
				if v != 0xA5A5A5A5 {
					t.Fatalf("element %d is %#x after Poison", i, v)
				}
			}
			for range 2 {
				b.Free()
				if b.Slice() != nil || b.Bytes() != 0 || MappedBytes() != before {
					t.Fatalf("after Free: %d elements, %d bytes", len(b.Slice()), b.Bytes())
				}
				b.Poison()
			}
		}
	})
}

func TestNewBufferRefuses(t *testing.T) {
	both(t, func(t *testing.T, m Memory) {
		for _, n := range []int{-1, math.MinInt, math.MaxInt, math.MaxInt / 8} {
			if b, err := NewBuffer[uint64](m, n); !errors.Is(err, ErrRange) || b != nil {
				t.Errorf("NewBuffer(%d) = %v, %v; want nil, ErrRange", n, b, err)
			}
		}
		if b, err := NewBuffer[string](m, 1); !errors.Is(err, ErrPointers) || b != nil {
			t.Errorf("NewBuffer[string] = %v, %v; want nil, ErrPointers", b, err)
		}
	})
	if b, err := NewBuffer[int](9, 1); !errors.Is(err, ErrUnknownMemory) || b != nil {
		t.Errorf("memory 9: %v, %v; want nil, ErrUnknownMemory", b, err)
	}
}

// Under the tag invariants who reads a freed heap buffer reads poison.
func TestFreedBufferIsPoisoned(t *testing.T) {
	b, err := NewBuffer[uint16](Heap, 100)
	if err != nil {
		t.Fatal(err)
	}
	s := b.Slice()
	b.Free()
	want := uint16(0)
	if invariants.Enabled {
		want = 0xA5A5
	}
	for i, v := range s {
		if v != want {
			t.Fatalf("element %d is %#x after Free; want %#x", i, v, want)
		}
	}
}
