package packer

import "math/bits"

// histogram counts numbers in buckets that are exact below 16 and a sixteenth of
// their value wide above.
type histogram struct {
	count [464]uint64
	n     uint64
	sum   uint64
	max   uint32
}

func bucket(v uint32) int {
	if v < 16 {
		return int(v)
	}
	shift := bits.Len32(v) - 5
	return shift<<4 + int(v>>shift)
}

// top returns the largest number of a bucket.
func top(bucket int) uint32 {
	if bucket < 32 {
		return uint32(bucket)
	}
	shift := bucket>>4 - 1
	return uint32((uint64(bucket&15+16)+1)<<shift - 1)
}

func (h *histogram) add(v uint32) {
	h.count[bucket(v)]++
	h.n++
	h.sum += uint64(v)
	h.max = max(h.max, v)
}

func (h *histogram) merge(from *histogram) {
	for i := range h.count {
		h.count[i] += from.count[i]
	}
	h.n += from.n
	h.sum += from.sum
	h.max = max(h.max, from.max)
}

// quantile returns a number that at least a part q of all are at most as large as.
func (h *histogram) quantile(q float64) uint32 {
	if h.n == 0 {
		return 0
	}
	need := uint64(q * float64(h.n))
	if float64(need) < q*float64(h.n) || need == 0 {
		need++
	}
	var seen uint64
	for i := range h.count {
		if seen += h.count[i]; seen >= need {
			return min(top(i), h.max)
		}
	}
	return h.max
}

// Stats sums up any number of plans, of one connection or of many. The zero value
// is empty. It has a fixed size of about 8 KB, and no method allocates. One
// goroutine at a time may use it; let each worker have its own and Merge them.
type Stats struct {
	// Plans is how many plans were observed; the other counts are sums over them.
	Plans               uint64
	Used, Left          uint64 // bytes
	Candidates          uint64
	Selected, Deferred  uint64
	ByReason            [Reasons]uint64
	ByWhy               [Whys]uint64
	MustDeferred        uint64
	Degraded, Stretched uint64
	// OldestWait is the largest of all, in ticks.
	OldestWait uint32

	bytes, waits histogram
}

// Observe adds a plan. c are the candidates that were packed. O(selected).
func (s *Stats) Observe(p *Plan, c *Candidates) {
	s.Plans++
	s.Used += uint64(p.Used)
	s.Left += uint64(p.Left())
	s.Candidates += uint64(p.Candidates)
	s.Selected += uint64(len(p.Selected))
	s.Deferred += uint64(p.DeferredCount())
	for i, n := range p.ByReason {
		s.ByReason[i] += uint64(n)
	}
	for i, n := range p.ByWhy {
		s.ByWhy[i] += uint64(n)
	}
	s.MustDeferred += uint64(p.MustDeferred)
	s.Degraded += uint64(p.Degraded)
	s.Stretched += uint64(p.Stretched)
	s.OldestWait = max(s.OldestWait, p.OldestWait)
	s.bytes.add(p.Used)
	for i := range p.Selected {
		wait := uint32(0)
		if c.Waited != nil {
			wait = c.Waited[p.Selected[i].Index]
		}
		s.waits.add(wait)
	}
}

// Merge adds all that from has observed.
func (s *Stats) Merge(from *Stats) {
	s.Plans += from.Plans
	s.Used += from.Used
	s.Left += from.Left
	s.Candidates += from.Candidates
	s.Selected += from.Selected
	s.Deferred += from.Deferred
	for i, n := range from.ByReason {
		s.ByReason[i] += n
	}
	for i, n := range from.ByWhy {
		s.ByWhy[i] += n
	}
	s.MustDeferred += from.MustDeferred
	s.Degraded += from.Degraded
	s.Stretched += from.Stretched
	s.OldestWait = max(s.OldestWait, from.OldestWait)
	s.bytes.merge(&from.bytes)
	s.waits.merge(&from.waits)
}

// Reset empties s.
func (s *Stats) Reset() { *s = Stats{} }

// Bytes returns a number of bytes that a part q (0 to 1) of the plans did not
// exceed, at most 1/16 too high. 0 before the first plan.
func (s *Stats) Bytes(q float64) uint32 { return s.bytes.quantile(q) }

// Wait returns a number of ticks that a part q (0 to 1) of the selected had not
// waited longer than, at most 1/16 too high. 0 before the first.
func (s *Stats) Wait(q float64) uint32 { return s.waits.quantile(q) }

// MeanBytes returns the mean of the bytes used by a plan, 0 before the first.
func (s *Stats) MeanBytes() float64 { return s.bytes.mean() }

// MeanWait returns the mean of the ticks waited by the selected, 0 before the
// first.
func (s *Stats) MeanWait() float64 { return s.waits.mean() }

func (h *histogram) mean() float64 {
	if h.n == 0 {
		return 0
	}
	return float64(h.sum) / float64(h.n)
}
