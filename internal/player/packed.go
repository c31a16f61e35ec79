package player

import (
	"fmt"
	"maps"
	"slices"

	"vicinity/internal/replay"
)

// PackedReport sums up what was sent under a budget. A delivery is what one
// observer got in one tick in which it was updated, nothing included.
type PackedReport struct {
	Deliveries int64
	Bytes      int64 // of all deliveries
	// BytesP50, BytesP90 and BytesP99 are the smallest numbers of bytes that at
	// least that share of the deliveries did not exceed; BytesMax is the largest.
	BytesP50, BytesP90, BytesP99, BytesMax uint32
	Selected                               int64 // spawns, updates and removals sent
	Spawns, Updates, Removals              int64 // of these
	Deferred                               int64 // summed over all deliveries: what waited, once for each
	Oversize                               int64 // of these, what costs more than can ever be sent
	OldestWait                             uint32
}

// packedSum gathers a PackedReport. The number of different sizes is small: a
// budget bounds it.
type packedSum struct {
	r     PackedReport
	sizes map[uint32]int64 // deliveries by bytes; nil until the first tick under a budget
}

// add counts one tick in.
func (s *packedSum) add(p *replay.Packed) {
	if s.sizes == nil {
		s.sizes = map[uint32]int64{}
	}
	for i := range p.Deliveries {
		d := &p.Deliveries[i]
		s.sizes[d.Bytes]++
		s.r.Deliveries++
		s.r.Bytes += int64(d.Bytes)
		s.r.Deferred += int64(d.Deferred)
		s.r.Oversize += int64(d.Oversize)
		s.r.OldestWait = max(s.r.OldestWait, d.Oldest)
	}
	for i := range p.Selections {
		switch p.Selections[i].What {
		case replay.Spawn:
			s.r.Spawns++
		case replay.Update:
			s.r.Updates++
		case replay.Remove:
			s.r.Removals++
		}
	}
	s.r.Selected += int64(len(p.Selections))
}

// report returns the sums, nil if there was no budget.
func (s *packedSum) report() *PackedReport {
	if s.sizes == nil {
		return nil
	}
	sizes := slices.Sorted(maps.Keys(s.sizes))
	rank := func(percent int64) uint32 {
		want := max(1, (s.r.Deliveries*percent+99)/100)
		for _, size := range sizes {
			if want -= s.sizes[size]; want <= 0 {
				return size
			}
		}
		return 0 // no delivery
	}
	s.r.BytesP50, s.r.BytesP90, s.r.BytesP99, s.r.BytesMax = rank(50), rank(90), rank(99), rank(100)
	return &s.r
}

// checkPacked looks for what cannot be: lists out of order, somebody twice, and
// selections without a delivery.
func checkPacked(p *replay.Packed) error {
	for i := 1; i < len(p.Deliveries); i++ {
		if a, b := p.Deliveries[i-1].Observer, p.Deliveries[i].Observer; a >= b {
			return fmt.Errorf("%w: the delivery to %d comes before that to %d", ErrEngine, a, b)
		}
	}
	left := p.Deliveries
	for i, s := range p.Selections {
		if i > 0 && p.Selections[i-1].Compare(s) >= 0 {
			return fmt.Errorf("%w: %v is selected before %v", ErrEngine, p.Selections[i-1], s)
		}
		for len(left) > 0 && left[0].Observer < s.Observer {
			left = left[1:]
		}
		if len(left) == 0 || left[0].Observer != s.Observer {
			return fmt.Errorf("%w: %v is selected, but %d gets no delivery", ErrEngine, s, s.Observer)
		}
	}
	return nil
}
