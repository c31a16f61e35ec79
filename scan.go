package vicinity

import (
	"math"
	"math/bits"
	"slices"

	"vicinity/packer"
)

// scanned is what a scan found.
type scanned struct {
	rows      []uint32 // to be offered
	unchanged int      // members without a change
	skipped   int      // those who were passed over: see shortlist.go
	starving  int      // of these, who have waited as long as their class's MaxSilence
	least     uint32   // a lower bound of what one of these costs
	oldest    uint32   // stamp of the oldest change that was not sent
}

// limits say who is offered: those whose key is up to key, and the starving who wait
// since a stamp up to since.
type limits struct {
	key   uint64
	since uint32
}

// everybody are limits that nobody exceeds.
var everybody = limits{key: math.MaxUint64}

// key ranks an update: effective priority, then distance. Smaller is better.
func key(rank uint16, dist2 float32) uint64 {
	return uint64(rank)<<32 | uint64(math.Float32bits(dist2))
}

// scan finds the known members that have changed since they were sent and are within
// the limits, and notes for all that have changed since when they wait.
func (w *World) scan(s *scanned, c *connection, limit limits) {
	if w.waiting {
		w.scanWaiting(s, c, limit)
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
			if key(e.rank, dist2[r]) > limit.key {
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

// scanWaiting is scan where waiting counts: it raises priorities, or starves.
func (w *World) scanWaiting(s *scanned, c *connection, limit limits) {
	v, cols, now, entities := c.view, c.view.Columns(), w.now, w.hot.Slice()
	words := v.Words()
	rows := s.reset(64 * words)
	n, unchanged, skipped, starving, least, oldest := 0, 0, 0, 0, hot{least: math.MaxUint8}, now
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
			began := since[r]
			oldest = min(oldest, began)
			starves := now-began >= w.silences[e.class&(packer.MaxClasses-1)]
			if key(w.age(e.rank, e.class, now-began), dist2[r]) > limit.key && !(starves && began <= limit.since) {
				skipped++
				if starves {
					starving++
				}
				least.least = min(least.least, e.least)
				continue
			}
			rows[n] = uint32(64*i + r)
			n++
		}
	}
	*s = scanned{
		rows: rows[:n], unchanged: unchanged, skipped: skipped, starving: starving,
		least: least.leastCost(), oldest: oldest,
	}
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
