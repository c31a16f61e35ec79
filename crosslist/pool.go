package crosslist

import "math/bits"

// A pool holds many lists of numbers in one slice: each has a span of it, of a power
// of two, and moves to a larger or smaller one as it grows or shrinks. Spans given up
// are kept by size and used again, so that lists which come and go do not allocate.
type pool struct {
	numbers []uint32
	free    [33]uint32 // by size: first free span, plus one; linked by numbers
}

// A span is a list of numbers in a pool. The zero span is empty.
type span struct {
	at   uint32
	n    uint32
	size uint8 // log2 of its room, plus one; 0: it has none
}

// smallestSpan is the smallest size: 4 numbers.
const smallestSpan = 3

func (s *span) room() uint32 { return 1 << s.size >> 1 }
func (s *span) isFull() bool { return s.n == s.room() }

// of returns the numbers of a list. They are valid until the pool changes.
func (p *pool) of(s *span) []uint32 { return p.numbers[s.at : s.at+s.n] }

// push adds a number to a list that is not full.
func (p *pool) push(s *span, number uint32) {
	p.numbers[s.at+s.n] = number
	s.n++
}

// fit gives a list that was cleaned a span that it fills to an eighth at least, and
// to half at most: so that many are added before it is cleaned again.
func (p *pool) fit(s *span) {
	size := s.size
	if s.n > s.room()/2 || size == 0 {
		size = max(size+1, smallestSpan)
	}
	for size > smallestSpan && s.n < 1<<size>>4 {
		size--
	}
	if size == s.size {
		return
	}
	old := *s
	s.at, s.size = p.take(size), size
	copy(p.numbers[s.at:], p.of(&old))
	p.give(&old)
}

// clear makes a list the zero span.
func (p *pool) clear(s *span) {
	p.give(s)
	*s = span{}
}

// take returns a span.
func (p *pool) take(size uint8) uint32 {
	if at := p.free[size]; at != 0 {
		p.free[size] = p.numbers[at-1]
		return at - 1
	}
	at := uint64(len(p.numbers))
	if bits.Len64(at+1<<(size-1)) > 32 {
		panic("crosslist: more than 2^32 candidates")
	}
	p.numbers = append(p.numbers, make([]uint32, 1<<(size-1))...)
	return uint32(at)
}

// give takes a list's span back.
func (p *pool) give(s *span) {
	if s.size != 0 {
		p.numbers[s.at] = p.free[s.size]
		p.free[s.size] = s.at + 1
	}
}
