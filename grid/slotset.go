package grid

import "math/bits"

// SlotSet is a set of arena slots, one bit each. The zero value is empty.
type SlotSet struct {
	words []uint64
	n     int
}

// Add puts a slot in and reports whether it was new. It allocates when slot is
// beyond all before.
func (s *SlotSet) Add(slot uint32) bool {
	w := int(slot / 64)
	if w >= len(s.words) {
		s.words = append(s.words, make([]uint64, w+1-len(s.words))...)
	}
	if s.Has(slot) {
		return false
	}
	s.words[w] |= 1 << (slot % 64)
	s.n++
	return true
}

// Remove takes a slot out and reports whether it was in.
func (s *SlotSet) Remove(slot uint32) bool {
	if !s.Has(slot) {
		return false
	}
	s.words[slot/64] &^= 1 << (slot % 64)
	s.n--
	return true
}

// Has reports whether a slot is in.
func (s *SlotSet) Has(slot uint32) bool {
	w := int(slot / 64)
	return w < len(s.words) && s.words[w]>>(slot%64)&1 != 0
}

// Len returns the number of slots in the set.
func (s *SlotSet) Len() int { return s.n }

// Each calls visit with every slot, rising.
func (s *SlotSet) Each(visit func(slot uint32)) {
	for w, word := range s.words {
		for ; word != 0; word &= word - 1 {
			visit(uint32(64*w + bits.TrailingZeros64(word)))
		}
	}
}
