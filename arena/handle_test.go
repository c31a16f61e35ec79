package arena

import (
	"math"
	"testing"
)

func TestHandle(t *testing.T) {
	for _, c := range []struct {
		slot, generation uint32
		bits             uint64
		text             string
	}{
		{0, 0, 0, "none"},
		{0, 1, 1 << 32, "0#1"},
		{5, 3, 3<<32 | 5, "5#3"},
		{1<<31 - 1, 1, 1<<32 | 1<<31 - 1, "2147483647#1"},
		{math.MaxUint32, 0, math.MaxUint32, "4294967295#0"},
		{0, math.MaxUint32, math.MaxUint32 << 32, "0#4294967295"},
		{math.MaxUint32, math.MaxUint32, math.MaxUint64, "4294967295#4294967295"},
	} {
		h := MakeHandle(c.slot, c.generation)
		if h != Handle(c.bits) || h.Slot() != c.slot || h.Generation() != c.generation {
			t.Errorf("MakeHandle(%d, %d) = %#x with %d, %d; want %#x",
				c.slot, c.generation, uint64(h), h.Slot(), h.Generation(), c.bits)
		}
		if h.String() != c.text {
			t.Errorf("String() = %q; want %q", h.String(), c.text)
		}
	}
}
