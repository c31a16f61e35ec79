package crosslist

// lingering is the set of the pairs in the margin whose entity is a member: a hash
// table, at most half full, with linear probing.
type lingering struct {
	slots []uint64 // a power of two; keys plus one, zero is vacant
	n     int
}

// linger is a change of the set.
type linger struct {
	key  uint64
	adds bool
}

// pairKey names a pair.
func pairKey(t, slot uint32) uint64 { return uint64(t)<<32 | uint64(slot) }

// home is where the search for a key begins.
func (s *lingering) home(key uint64) int {
	return int(key * 0x9E3779B97F4A7C15 >> 32 & uint64(len(s.slots)-1))
}

// find returns the index of a key, or where it would be.
func (s *lingering) find(key uint64) (i int, ok bool) {
	for i = s.home(key); ; i = (i + 1) & (len(s.slots) - 1) {
		switch s.slots[i] {
		case 0:
			return i, false
		case key + 1:
			return i, true
		}
	}
}

func (s *lingering) has(key uint64) bool {
	if s.n == 0 {
		return false
	}
	_, ok := s.find(key)
	return ok
}

// add adds a key; it may be there.
func (s *lingering) add(key uint64) {
	if 2*s.n >= len(s.slots) {
		s.grow()
	}
	if i, ok := s.find(key); !ok {
		s.slots[i] = key + 1
		s.n++
	}
}

func (s *lingering) grow() {
	old := s.slots
	s.slots, s.n = make([]uint64, max(64, 2*len(old))), 0
	for _, k := range old {
		if k != 0 {
			s.add(k - 1)
		}
	}
}

// drop takes a key out, and reports whether it was there. Those behind it move up as
// far as their searches allow.
func (s *lingering) drop(key uint64) bool {
	if s.n == 0 {
		return false
	}
	i, ok := s.find(key)
	if !ok {
		return false
	}
	mask := len(s.slots) - 1
	for j := (i + 1) & mask; s.slots[j] != 0; j = (j + 1) & mask {
		if (j-s.home(s.slots[j]-1))&mask >= (j-i)&mask {
			s.slots[i] = s.slots[j]
			i = j
		}
	}
	s.slots[i] = 0
	s.n--
	return true
}

// apply makes changes.
func (s *lingering) apply(changes []linger) {
	for _, c := range changes {
		if c.adds {
			s.add(c.key)
		} else {
			s.drop(c.key)
		}
	}
}
