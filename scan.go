package vicinity

import (
	"math"
	"math/bits"
	"slices"

	"vicinity/asm"
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

// scanner is what one worker scans with.
type scanner struct {
	asm.Scan
	words []uint64 // the scan's sets of rows, one after the other
	known int      // members that were delivered
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
// the limits, and notes for all that have changed since when they wait. A change that
// waits goes on to, whatever else comes, until it is sent: of who waits already only
// that is read.
func (w *World) scan(s *scanned, k *scanner, limit limits) {
	k.Rank, k.Dist, k.Until = uint32(limit.key>>32), uint32(limit.key), limit.since
	if w.waiting {
		k.Weight, k.Silence = w.ageWeights, w.silences
		asm.ScanAged(&k.Scan)
	} else {
		asm.ScanRows(&k.Scan)
	}
	waits, offered, starving := 0, 0, 0
	for i, word := range k.Waits {
		waits += bits.OnesCount64(word)
		offered += bits.OnesCount64(k.Offered[i])
	}
	if w.waiting {
		for i, word := range k.Starves {
			starving += bits.OnesCount64(word &^ k.Offered[i])
		}
	}
	*s = scanned{
		rows: rowsOf(s.rows, k.Offered, offered), unchanged: k.known - waits, skipped: waits - offered, starving: starving,
		least: leastCost(uint8(k.Least)), oldest: min(k.Oldest, w.now),
	}
}

// use has the next scans be those of a connection.
func (k *scanner) use(w *World, c *connection) {
	v, cols := c.view, c.view.Columns()
	n := v.Words()
	if len(k.words) < 4*n {
		k.words = make([]uint64, 4*(n+n/2))
	}
	k.Known, k.Waits, k.Offered, k.Starves = k.words[:n], k.words[n:2*n], k.words[2*n:3*n], k.words[3*n:4*n]
	k.known = 0
	for i := range k.Known {
		word := v.KnownWord(i)
		k.Known[i] = word
		k.known += bits.OnesCount64(word)
	}
	k.Slot, k.Sent, k.Since = cols.Slot, c.pairs.sent, c.pairs.since
	k.Hot, k.Now = w.hot.Slice(), w.now
	if xy, at, ok := v.Sight(); ok {
		k.Dist2, k.XY, k.X, k.Y = nil, xy, at.X, at.Y
	} else {
		k.Dist2, k.XY = cols.Dist2, nil
	}
}

// distance returns the squared distance of the member in a row, of the connection
// that k is used for.
func (k *scanner) distance(row, slot uint32) float32 {
	if k.Dist2 != nil {
		return k.Dist2[row]
	}
	return asm.Dist2(k.XY[slot][0]-k.X, k.XY[slot][1]-k.Y)
}

// rowsOf lists the n rows of a set, rising, in the memory of rows if that is enough.
func rowsOf(rows []uint32, words []uint64, n int) []uint32 {
	if cap(rows) < n {
		rows = make([]uint32, n+n/2)
	}
	rows, n = rows[:n], 0
	for i, word := range words {
		for ; word != 0; word &= word - 1 {
			rows[n] = uint32(64*i + bits.TrailingZeros64(word))
			n++
		}
	}
	return rows
}

// age is the rank of somebody who has waited.
func (w *World) age(rank uint16, class uint8, waited uint32) uint16 {
	gain := uint64(waited) * uint64(w.ageWeights[class%packer.MaxClasses])
	return uint16(uint64(rank) - min(gain, uint64(rank)))
}

// addWeighted adds the rows of the known members that mean something to the
// connection, and were passed over.
func (w *World) addWeighted(s *scanned, c *connection) {
	cols, entities := c.view.Columns(), w.hot.Slice()
	for i := range c.weights {
		e := c.weights[i].entity
		r := slices.Index(cols.Slot[:64*c.view.Words()], e.Slot())
		if r < 0 || !w.arena.Alive(e) || c.view.KnownWord(r/64)>>(r%64)&1 == 0 || entities[e.Slot()].Changed <= c.pairs.sent[r] {
			continue
		}
		if at, in := slices.BinarySearch(s.rows, uint32(r)); !in {
			s.rows = slices.Insert(s.rows, at, uint32(r))
			s.skipped--
		}
	}
}
