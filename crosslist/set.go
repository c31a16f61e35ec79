package crosslist

import "math/bits"

// A pool holds many sets in one slice: each has a span of it, of a power of two,
// and moves to a larger or smaller one as it grows or shrinks. Spans given up are
// kept by size and used again, so that sets which come and go do not allocate.
type pool struct {
	entries []entry
	free    [33]uint32 // by size: first free span, plus one; linked by entries
}

// An entry is one side of a pair: the number of the other party, and whether the
// pair holds. Both sides say so.
type entry uint32

const (
	inBit = 1 << 31
	// vacant is an unused entry of a table; no number is that large.
	vacant = 1 << numberBits
)

func (e entry) number() uint32 { return uint32(e) & numberMask }
func (e entry) in() bool       { return e&inBit != 0 }
func (e entry) isVacant() bool { return e&vacant != 0 }

// A set is a set of entries with distinct numbers, in a pool. The zero set is
// empty. A small one is an array, searched from the front: that is a few lines of
// the cache, in order. A large one is a hash table, at most half full, with linear
// probing. So no operation costs more than a constant.
type set struct {
	at   uint32 // of its span
	n    uint32
	size uint8 // log2 of its span, plus one; 0: it has none
}

const (
	smallestSpan = 3 // spans have at least 4 entries
	largestArray = 9 // spans of arrays have at most 256
)

func (s *set) room() uint32   { return 1 << (s.size - 1) }
func (s *set) isTable() bool  { return s.size > largestArray }
func (s *set) isFull() bool   { return s.size == 0 || s.n >= s.limit(s.size) }
func (s *set) wasteful() bool { return s.size > smallestSpan && s.n <= s.limit(s.smaller())/2 }

// larger and smaller return the next size of a set. The smallest table is left out:
// it would hold no more than the largest array.
func (s *set) larger() uint8 {
	if s.size == largestArray {
		return largestArray + 2
	}
	return max(s.size+1, smallestSpan)
}

func (s *set) smaller() uint8 {
	if s.size == largestArray+2 {
		return largestArray
	}
	return s.size - 1
}

// limit is how many entries a span of a size may hold.
func (*set) limit(size uint8) uint32 {
	if size > largestArray {
		return 1 << (size - 2)
	}
	return 1 << (size - 1)
}

// of returns the entries of a set, some of them perhaps vacant. It is valid until
// the set changes.
func (p *pool) of(s *set) []entry {
	if s.isTable() {
		return p.entries[s.at : s.at+s.room()]
	}
	return p.entries[s.at : s.at+s.n]
}

// home is where a number's search in a table begins.
func (s *set) home(number uint32) uint32 { return number * 0x9E3779B1 >> (33 - s.size) }

// find returns the index of a number in a set, or where in a table it would be.
func (p *pool) find(s *set, number uint32) (i uint32, ok bool) {
	entries := p.of(s)
	if !s.isTable() {
		for i, e := range entries {
			if e.number() == number {
				return uint32(i), true
			}
		}
		return s.n, false
	}
	for i = s.home(number); ; i = (i + 1) & (s.room() - 1) {
		switch e := entries[i]; {
		case e.isVacant():
			return i, false
		case e.number() == number:
			return i, true
		}
	}
}

// add adds an entry whose number is not in the set.
func (p *pool) add(s *set, e entry) {
	if s.isFull() {
		p.resize(s, s.larger())
	}
	p.place(s, e)
}

// place adds an entry where there is room.
func (p *pool) place(s *set, e entry) {
	i := s.n
	if s.isTable() {
		i, _ = p.find(s, e.number())
	}
	p.entries[s.at+i] = e
	s.n++
}

// put sets the bit of a number in the set.
func (p *pool) put(s *set, e entry) {
	i, _ := p.find(s, e.number())
	p.entries[s.at+i] = e
}

// drop takes a number out of the set, and returns whether its pair held.
func (p *pool) drop(s *set, number uint32) (in bool) {
	i, ok := p.find(s, number)
	if !ok {
		panic("crosslist: broken invariant: a pair has no entry")
	}
	entries := p.of(s)
	in = entries[i].in()
	s.n--
	switch {
	case s.isTable():
		s.close(entries, i)
	default:
		entries[i] = entries[s.n]
	}
	if s.n == 0 {
		p.give(s.at, s.size)
		*s = set{}
	} else if s.wasteful() {
		p.resize(s, s.smaller())
	}
	return in
}

// close fills the gap at index i of a table: entries behind it move up as far as
// their searches allow.
func (s *set) close(entries []entry, i uint32) {
	mask := s.room() - 1
	for j := i; ; {
		j = (j + 1) & mask
		e := entries[j]
		if e.isVacant() {
			break
		}
		if (j-s.home(e.number()))&mask >= (j-i)&mask {
			entries[i] = e
			i = j
		}
	}
	entries[i] = vacant
}

// resize moves a set to a span of another size.
func (p *pool) resize(s *set, size uint8) {
	old := *s
	*s = set{at: p.take(size), size: size}
	if s.isTable() {
		span := p.entries[s.at : s.at+s.room()]
		for i := range span {
			span[i] = vacant
		}
	}
	for _, e := range p.of(&old) {
		if !e.isVacant() {
			p.place(s, e)
		}
	}
	if old.size != 0 {
		p.give(old.at, old.size)
	}
}

// take returns a span.
func (p *pool) take(size uint8) uint32 {
	if at := p.free[size]; at != 0 {
		p.free[size] = uint32(p.entries[at-1])
		return at - 1
	}
	at := uint64(len(p.entries))
	if bits.Len64(at+1<<(size-1)) > 32 {
		panic("crosslist: more than 2^32 entries")
	}
	p.entries = append(p.entries, make([]entry, 1<<(size-1))...)
	return uint32(at)
}

func (p *pool) give(at uint32, size uint8) {
	p.entries[at] = entry(p.free[size])
	p.free[size] = at + 1
}
