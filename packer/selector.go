package packer

import (
	"math"
	"math/bits"
	"slices"

	"vicinity/asm"
)

// A selector finds what a walk over all candidates in the total order would take
// within a number of bytes, in that order, without ordering them all.
//
// It is a quicksort that orders only what decides. A part of the keys, all of which
// come before those of the other parts, is cut at a pivot, and the cost of what is
// left of it comes out of the same pass. If all of a part fits, the walk would take
// all of it. Otherwise what is right of the pivot waits in a pool, and the left is
// cut again, until it is small enough to be sorted and walked over. Then the nearest
// part of the pool is next, but only those in it that still fit: what does not fit
// now never will. It ends when there are fewer bytes left than the cheapest costs.
//
//	  at hand               pool
//	┌─────────┐   ┌──────────┬──────────┬──────────────────┐
//	│ keys    │ < │ parts[2] │ parts[1] │ parts[0]         │
//	└─────────┘   └──────────┴──────────┴──────────────────┘
//
// Pivots come from a sample, and are chosen where the bytes will about end, so that
// a selection of few costs one pass over all and little more. Keys that tie are never
// cut apart; a part of nothing else is ordered by ID in the same way, by keys made of
// the IDs (see rekey). Pivots may be bad, all the time if somebody means it: after as
// much work as a sort, what is left is sorted by slices.Sort. So it takes O(n)
// usually and O(n log n) at worst. What is taken is put in order in take.go.
//
// The zero value is ready for use.
type selector struct {
	taken []grant // the result, in the total order

	room  uint32   // what is left
	floor uint32   // nothing costs less
	ids   []uint64 // by candidate, like the next two
	cost  []uint32 // at the wanted level
	least []uint32 // at the cheapest level; nil: the same
	lower func(index, room uint32) (cost uint32)

	work    int  // how many keys may still be cut or split
	hurry   int  // for tests: what work is at first, 0 for the usual number
	sorts   int  // up to how many keys are sorted rather than split or dealt
	small   int  // up to how many keys are sorted rather than cut
	deals   bool // takeAll deals keys, it does not split them
	misfits bool // takeAll takes what fits, not all

	pool          pool
	sample        [samples + asm.Slack]uint64
	costs, leasts []uint32 // memory for cost and least
}

// pool holds the parts that wait, the nearest last.
type pool struct {
	keys  []uint64
	costs []uint32
	parts []poolPart
	n     int // how many keys are in it
}

// poolPart is where a part begins; it ends where the next one does. The keys of a
// final part do not tie.
type poolPart struct {
	start int
	final bool
}

// fewCut is up to how many keys are not worth a cut if most of them will be taken.
const fewCut = 128

// firstFit sets taken to what a walk over in takes: in the total order, everything
// that fits in what is left of room. With in.least, what does not fit at its wanted
// level but has a level that does is taken at lower(index, room), which is at most
// room. in's elements are moved about. The indexes in its keys are those of ids.
func (s *selector) firstFit(in *ranks, ids []uint64, room uint32, lower func(index, room uint32) (cost uint32)) {
	n := len(in.key)
	s.costs = slices.Grow(s.costs[:0], len(ids))[:len(ids)]
	total := asm.Costs{Least: math.MaxUint32}
	for i, k := range in.key {
		want := in.want[i]
		s.costs[indexOf(k)] = want
		total.Sum += uint64(want)
		total.Least = min(total.Least, want)
	}
	s.least, s.lower = nil, lower
	if len(in.least) > 0 {
		s.leasts = slices.Grow(s.leasts[:0], len(ids))[:len(ids)]
		s.least = s.leasts
		for i, k := range in.key {
			s.least[indexOf(k)] = in.least[i]
			total.Least = min(total.Least, in.least[i])
		}
	}
	in.key, in.want = slices.Grow(in.key, asm.Slack), slices.Grow(in.want, asm.Slack)
	s.choose(in.key[:n], in.want[:n], total, s.costs, ids, room)
	s.least, s.lower = nil, nil
}

// choose is firstFit for keys with their costs in a parallel column, whose sum and
// smallest are known (with least: the smallest of those), and with the costs by
// candidate. keys and costs have asm.Slack elements behind them, and are moved about.
func (s *selector) choose(keys []uint64, costs []uint32, total asm.Costs, cost []uint32, ids []uint64, room uint32) {
	n, sum := len(keys), total.Sum
	s.begin(n, room)
	if s.floor = total.Least; room < s.floor {
		return
	}
	s.cost, s.ids = cost, ids
	final := false
	for {
		switch {
		case sum <= uint64(s.room):
			s.takeAll(keys[:n], s.pool.keys[s.pool.n:], final)
		case n <= s.small:
			asm.SortKeys(keys[:n])
			s.walk(keys[:n], final)
		case (n <= fewCut || s.deals) && uint64(s.room)*2 >= sum:
			// Most of them will be taken: it does not pay to find out which first,
			// for few or where cuts are slow.
			s.misfits = true
			s.takeAll(keys[:n], s.pool.keys[s.pool.n:], final)
			s.misfits = false
		case s.work < n:
			sortAll(keys[:n], ids)
			s.walk(keys[:n], true)
		default:
			s.work -= n
			left, leftSum := s.cut(keys[:n], costs[:n], sum)
			if left == n { // they tie
				if final {
					s.work = 0
				} else {
					final = rekey(keys[:n], ids)
				}
				continue
			}
			s.pool.push(n-left, final)
			n, sum = left, leftSum
			continue
		}
		if len(s.pool.parts) == 0 || s.room < s.floor {
			break
		}
		n, sum, final = s.next(keys, costs)
	}
	s.ids, s.cost = nil, nil
}

// begin makes room for n candidates.
func (s *selector) begin(n int, room uint32) {
	s.taken, s.room = s.taken[:0], room
	if n+asm.Slack > len(s.pool.keys) {
		s.pool.keys = make([]uint64, n+n/4+asm.Slack)
		s.pool.costs = make([]uint32, n+n/4+asm.Slack)
	}
	s.pool.n, s.pool.parts = 0, s.pool.parts[:0]
	s.work, s.sorts = s.bound(n), asm.SortLimit()
	s.small, s.deals = s.sorts, false
	if asm.Tier() < asm.AVX2 {
		s.small, s.deals = s.sorts/2, true
	}
}

// bound is how many keys may be cut for n candidates.
func (s *selector) bound(n int) int {
	if s.hurry > 0 {
		return s.hurry
	}
	return n * (3*bits.Len(uint(n)) + 10)
}

// push makes the n keys behind the pool its nearest part.
func (p *pool) push(n int, final bool) {
	p.parts = append(p.parts, poolPart{p.n, final})
	p.n += n
}

// cut moves the keys right of a pivot to behind the pool, and returns how many stay
// and what they cost. All stay if, and only if, all tie.
func (s *selector) cut(keys []uint64, costs []uint32, sum uint64) (left int, leftSum uint64) {
	// A little further than where the bytes will end if few will be taken, a little
	// less far if most will: then the larger side is likely to be done with.
	part := float64(s.room) / float64(sum)
	deviation := 0.12 * math.Sqrt(math.Min(part, 1-part))
	if part < 0.5 {
		part += deviation
	} else {
		part -= deviation
	}
	pivot := choosePivot(&s.sample, keys, part)
	rightKeys, rightCosts := s.pool.keys[s.pool.n:], s.pool.costs[s.pool.n:]
	left, leftSum = asm.PartitionKeys(keys, costs, rightKeys, rightCosts, pivot)
	if left < len(keys) || first(pivot) == 0 {
		return left, leftSum
	}
	left, leftSum = asm.PartitionKeys(keys, costs, rightKeys, rightCosts, first(pivot)-1)
	if left == 0 {
		copy(keys, rightKeys[:len(keys)])
		copy(costs, rightCosts[:len(keys)])
		return len(keys), sum
	}
	return left, leftSum
}

// next removes the nearest part from the pool and copies those that fit to keys.
func (s *selector) next(keys []uint64, costs []uint32) (n int, sum uint64, final bool) {
	p := &s.pool
	part := p.parts[len(p.parts)-1]
	p.parts = p.parts[:len(p.parts)-1]
	from, fromCosts := p.keys[part.start:p.n], p.costs[part.start:p.n]
	p.n = part.start
	if s.least == nil {
		n, sum = asm.FittingKeys(keys[:cap(keys)], costs[:cap(costs)], from, fromCosts, s.room)
		return n, sum, part.final
	}
	for i, k := range from {
		if s.least[indexOf(k)] <= s.room {
			keys[n], costs[n] = k, fromCosts[i]
			n++
			sum += uint64(fromCosts[i])
		}
	}
	return n, sum, part.final
}
