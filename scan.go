package vicinity

import (
	"math"
	"math/bits"
	"slices"

	"vicinity/packer"
)

// A crowd is thousands who see each other, of whom a budget takes a few dozen each
// tick. To list all of them for the packer, in a dozen columns, would cost many
// times what ranking them does. So a scan reads 20 bytes a member and passes on
// those only whose key is up to a limit: that of the last one sent in the
// connection's last delivery, and some slack. Packing them gives the same result as
// packing all, if what is left of the budget is below the least cost of anybody who
// was passed over, and nobody was taken whose key is beyond the limit: those passed
// over come later in the order than everybody else, and none of them fits. If that
// does not hold, all are packed.
//
// It is right only for policies in which the order is all: see World.shortlists.

// scanned is what a scan found.
type scanned struct {
	rows      []uint32 // to be offered
	unchanged int      // members without a change
	skipped   int      // those who were passed over
	least     uint32   // a lower bound of what one of these costs
	oldest    uint32   // stamp of the oldest change that was not sent
}

// everybody is the limit that no key exceeds.
const everybody = math.MaxUint64

// key ranks an update: effective priority, then distance. Smaller is better.
func key(rank uint16, dist2 float32) uint64 {
	return uint64(rank)<<32 | uint64(math.Float32bits(dist2))
}

// scan finds the known members that have changed since they were sent, with keys up
// to limit, and notes for all of them since when they wait.
func (w *World) scan(s *scanned, c *connection, limit uint64) {
	if w.aged {
		w.scanAged(s, c, limit)
		return
	}
	v, cols, now, entities := c.view, c.view.Columns(), w.now, w.hot.Slice()
	words := v.Words()
	rows := s.reset(64 * words)
	n, unchanged, skipped, least, oldest := 0, 0, 0, hot{least: math.MaxUint8}, now
	for i := range words {
		slot, dist2 := (*[64]uint32)(cols.Slot[64*i:]), (*[64]float32)(cols.Dist2[64*i:])
		sent, since := (*[64]uint32)(c.pairs.sent[64*i:]), (*[64]uint32)(c.pairs.since[64*i:])
		for word := v.KnownWord(i); word != 0; word &= word - 1 {
			r := bits.TrailingZeros64(word) & 63
			e := &entities[slot[r]]
			if e.changed <= sent[r] {
				unchanged++
				continue
			}
			if since[r] == 0 {
				since[r] = now
			}
			oldest = min(oldest, since[r])
			if key(e.rank, dist2[r]) > limit {
				skipped++
				least.least = min(least.least, e.least)
				continue
			}
			rows[n] = uint32(64*i + r)
			n++
		}
	}
	*s = scanned{rows: rows[:n], unchanged: unchanged, skipped: skipped, least: least.leastCost(), oldest: oldest}
}

// scanAged is scan where waiting counts.
func (w *World) scanAged(s *scanned, c *connection, limit uint64) {
	v, cols, now, entities := c.view, c.view.Columns(), w.now, w.hot.Slice()
	words := v.Words()
	rows := s.reset(64 * words)
	n, unchanged, skipped, least, oldest := 0, 0, 0, hot{least: math.MaxUint8}, now
	for i := range words {
		slot, dist2 := (*[64]uint32)(cols.Slot[64*i:]), (*[64]float32)(cols.Dist2[64*i:])
		sent, since := (*[64]uint32)(c.pairs.sent[64*i:]), (*[64]uint32)(c.pairs.since[64*i:])
		for word := v.KnownWord(i); word != 0; word &= word - 1 {
			r := bits.TrailingZeros64(word) & 63
			e := &entities[slot[r]]
			if e.changed <= sent[r] {
				unchanged++
				continue
			}
			if since[r] == 0 {
				since[r] = now
			}
			oldest = min(oldest, since[r])
			if key(w.age(e.rank, e.class, now-since[r]), dist2[r]) > limit {
				skipped++
				least.least = min(least.least, e.least)
				continue
			}
			rows[n] = uint32(64*i + r)
			n++
		}
	}
	*s = scanned{rows: rows[:n], unchanged: unchanged, skipped: skipped, least: least.leastCost(), oldest: oldest}
}

// age is the rank of somebody who has waited.
func (w *World) age(rank uint16, class uint8, waited uint32) uint16 {
	gain := uint64(waited) * uint64(w.ageWeights[class&(packer.MaxClasses-1)])
	return uint16(uint64(rank) - min(gain, uint64(rank)))
}

// reset returns room for n rows.
func (s *scanned) reset(n int) []uint32 {
	if cap(s.rows) < n {
		s.rows = make([]uint32, n+n/2)
	}
	return s.rows[:n]
}

// shortlist is the limit of a connection's scans, carried from tick to tick.
type shortlist struct {
	limit uint64 // 0: none yet
	slack uint64
}

const (
	// shortRows is from how many rows on a limit pays.
	shortRows = 256
	// minSlack and maxSlack bound the slack: between a sixteenth of an octave of squared
	// distance, and everything.
	minSlack, maxSlack = 1 << 19, 1 << 50
)

// limitFor returns the limit for a connection's scan.
func (w *World) limitFor(c *connection) uint64 {
	if w.shortlists && c.short.limit != 0 && c.trace == nil && w.mustSends == 0 && w.bundles == 0 &&
		w.dearest <= c.budget.Bytes() && 64*c.view.Words() >= shortRows {
		return c.short.limit
	}
	return everybody
}

// settled reports whether a plan made from those up to limit is that for all.
func (w *World) settled(sc *scratch, limit uint64) bool {
	return sc.found.skipped == 0 || sc.plan.Left() < sc.found.least && w.lastKey(sc) <= limit
}

// lastKey returns the worst key of a selected update, 0 if there is none. Those that
// must be sent do not count.
func (w *World) lastKey(sc *scratch) (last uint64) {
	t := &sc.table
	for i := range sc.plan.Selected {
		s := &sc.plan.Selected[i]
		if k := s.Index; int(k) >= t.enters && s.Reason != packer.ReasonMustSend {
			rank := math.MaxUint16 - t.all.Priority[k]
			last = max(last, key(w.age(rank, t.all.Class[k], t.all.Waited[k]), t.all.Dist2[k]))
		}
	}
	return last
}

// learn sets the limit of the next scan by a plan that stands. failed says that the
// first try did not.
func (s *shortlist) learn(w *World, sc *scratch, failed bool) {
	if s.slack == 0 {
		s.slack = 1 << 22
	}
	offered, selected := len(sc.found.rows), len(sc.plan.Selected)
	switch {
	case failed:
		s.slack = min(8*s.slack, maxSlack)
	case sc.found.skipped > 0 && offered > 3*selected+32:
		s.slack = max(s.slack/2, minSlack)
	}
	if sc.plan.ByWhy[packer.WhyNoRoom]+sc.found.skipped == 0 {
		s.limit = 0 // all fit
		return
	}
	s.limit = w.lastKey(sc) + s.slack
}

// addWeighted adds the rows of the known members that mean something to the
// connection, and were passed over.
func (w *World) addWeighted(s *scanned, c *connection) {
	cols, entities := c.view.Columns(), w.hot.Slice()
	for i := range c.weights {
		e := c.weights[i].entity
		r := slices.Index(cols.Slot[:64*c.view.Words()], e.Slot())
		if r < 0 || !w.arena.Alive(e) || c.view.KnownWord(r/64)>>(r%64)&1 == 0 || entities[e.Slot()].changed <= c.pairs.sent[r] {
			continue
		}
		if at, in := slices.BinarySearch(s.rows, uint32(r)); !in {
			s.rows = slices.Insert(s.rows, at, uint32(r))
			s.skipped--
		}
	}
}
