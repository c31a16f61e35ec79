package packer

import (
	"math/bits"
	"slices"

	"vicinity/asm"
)

// takeAll takes all keys, in order. spare is memory for as many and asm.Slack more;
// what is behind keys, up to asm.Slack of them, may be lost.
func (s *selector) takeAll(keys, spare []uint64, final bool) {
	for len(keys) > s.sorts {
		if s.done() {
			return
		}
		if s.deals {
			s.dealAll(keys, spare, final)
			return
		}
		if s.work < len(keys) {
			sortAll(keys, s.ids)
			s.take(keys, true)
			return
		}
		s.work -= len(keys)
		left := s.split(keys, spare)
		if left == len(keys) { // they tie
			if final {
				s.work = 0
			} else {
				final = rekey(keys, s.ids)
			}
			continue
		}
		right := len(keys) - left
		s.takeAll(keys[:left], spare[right:], final)
		// What was left is done with, so its memory is spare now.
		keys, spare = spare[:right], keys[:cap(keys)]
	}
	asm.SortKeys(keys)
	s.take(keys, final)
}

// buckets is how many dealAll has at most.
const buckets = 256

// dealAll is takeAll for where there are no kernels that split fast: it deals the
// keys into buckets of equal ranges, some two to four keys a bucket, and sorts as many
// buckets at once as it can. One with too many keys is taken by itself; its range has
// at least five bits less, so nobody can make this go on for long.
func (s *selector) dealAll(keys, spare []uint64, final bool) {
	low, high := keys[0], keys[0]
	for _, k := range keys {
		low, high = min(low, k), max(high, k)
	}
	low = first(low)
	if low == first(high) { // they tie
		if final {
			sortAll(keys, s.ids)
			s.take(keys, true)
			return
		}
		s.takeAll(keys, spare, rekey(keys, s.ids))
		return
	}
	n := min(bits.Len(uint(len(keys)))-2, bits.Len(buckets)-1)
	// Keys that tie are in the same bucket.
	shift := max(bits.Len64(high-low)-n, asm.KeyIndexBits) & 63
	var ends [buckets + 1]uint32
	for _, k := range keys {
		ends[(k-low)>>shift%buckets+1]++
	}
	sum := uint32(0)
	for i, count := range ends[:1<<n] {
		sum += count
		ends[i] = sum
	}
	for _, k := range keys {
		b := (k - low) >> shift % buckets
		spare[ends[b]] = k
		ends[b]++ // where b begins, and so at last where it ends
	}
	from, start := uint32(0), uint32(0)
	for _, end := range ends[:1<<n] {
		if int(end-from) > s.small {
			s.takeFew(spare[from:start], final)
			if from = start; s.done() {
				return
			}
			if int(end-start) > s.small {
				var behind [asm.Slack]uint64
				copy(behind[:], spare[end:])
				s.takeAll(spare[start:end], keys[:cap(keys)], final)
				copy(spare[end:], behind[:])
				from = end
			}
		}
		start = end
	}
	s.takeFew(spare[from:start], final)
}

// done returns whether nothing of what is left can fit.
func (s *selector) done() bool { return s.room < s.floor && s.misfits }

// takeFew takes at most s.sorts keys.
func (s *selector) takeFew(keys []uint64, final bool) {
	asm.SortKeys(keys)
	s.take(keys, final)
}

// split is cut without costs, about in the middle, and with the right part in spare.
func (s *selector) split(keys, spare []uint64) (left int) {
	pivot := choosePivot(&s.sample, keys, 0.5)
	left = asm.SplitKeys(keys, spare, pivot)
	if left < len(keys) || first(pivot) == 0 {
		return left
	}
	if left = asm.SplitKeys(keys, spare, first(pivot)-1); left == 0 {
		copy(keys, spare[:len(keys)])
		return len(keys)
	}
	return left
}

// walk takes what fits of sorted keys. Those that tie are ordered by ID before,
// unless they are final.
func (s *selector) walk(keys []uint64, final bool) {
	room, ordered := s.room, 0
	if final {
		ordered = len(keys)
	}
	at := len(s.taken)
	s.taken = slices.Grow(s.taken, len(keys))
	taken := s.taken[:at+len(keys)]
	for i, k := range keys {
		if i+1 < len(keys) && prefixOf(k) == prefixOf(keys[i+1]) && i >= ordered {
			ordered = i + orderTies(keys[i:], s.ids)
			k = keys[i]
		}
		index := indexOf(k)
		cost := s.cost[index]
		if cost > room {
			if room < s.floor {
				break
			}
			if s.least == nil || s.least[index] > room {
				continue
			}
			cost = s.lower(index, room)
		}
		taken[at] = grant{index, cost}
		at++
		room -= cost
	}
	s.taken, s.room = taken[:at], room
}

// take is walk for keys that all fit, unless there are misfits.
func (s *selector) take(keys []uint64, final bool) {
	if s.misfits {
		s.walk(keys, final)
		return
	}
	ordered := 0
	if final {
		ordered = len(keys)
	}
	at := len(s.taken)
	s.taken = slices.Grow(s.taken, len(keys))[:at+len(keys)]
	taken, cost, room := s.taken[at:], s.cost, s.room
	for i, k := range keys {
		if i+1 < len(keys) && prefixOf(k) == prefixOf(keys[i+1]) && i >= ordered {
			ordered = i + orderTies(keys[i:], s.ids)
			k = keys[i]
		}
		g := grant{indexOf(k), cost[indexOf(k)]}
		taken[i] = g
		room -= g.cost
	}
	s.room = room
}
