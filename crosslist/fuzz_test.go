package crosslist

import "testing"

// bytesFirst takes choices from bytes, then from a generator seeded by them.
type bytesFirst struct {
	bytes []byte
	*random
}

func newBytesFirst(b []byte) *bytesFirst {
	seed := int64(1469598103934665603)
	for _, c := range b {
		seed = (seed ^ int64(c)) * 1099511628211
	}
	return &bytesFirst{b, seeded(seed, 1)}
}

func (b *bytesFirst) below(n int) int {
	if len(b.bytes) == 0 || n > 256 {
		return b.random.below(n)
	}
	c := b.bytes[0]
	b.bytes = b.bytes[1:]
	return int(c) % n
}

func (b *bytesFirst) spread(n int32) int32 {
	if n < 128 {
		return int32(b.below(int(2*n+1))) - n
	}
	return b.random.spread(n)
}

// FuzzCrosslist plays a history that the input chooses, in a world whose sizes it
// chooses too, against the model: after every call outside a batch, and after every
// batch, events and sets are the model's and all invariants hold.
func FuzzCrosslist(f *testing.F) {
	f.Add([]byte{0, 40, 1, 2, 3})
	f.Add([]byte{1, 100, 0, 0, 0, 4, 4, 4, 31, 31, 31})
	f.Add([]byte{2, 200, 14, 31, 31, 15, 9, 10})
	f.Add([]byte{3, 255, 1, 5, 1, 5, 12, 12, 13, 20})
	f.Fuzz(func(t *testing.T, input []byte) {
		c := newBytesFirst(input)
		size := []int32{3, 8, 60, 5000, MaxCoord}[c.below(5)]
		calls := 1 + c.below(256)
		if testing.Short() {
			calls = min(calls, 100)
		}
		h := newHistory(t, c, size, max(size/8, 1), int(size/2)+1, 24)
		for range calls {
			h.act()
		}
		if h.list.Open() {
			h.end()
		}
		for len(h.entities) > 0 {
			h.remove(h.entities[0])
			h.entities = h.entities[1:]
		}
		if s := h.list.Stats(); s.Lingering != 0 {
			t.Fatalf("%d members of nobody", s.Lingering)
		}
	})
}
