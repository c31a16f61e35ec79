package asm

import (
	"math"
	"math/bits"
)

// Hot is what a scan reads of an entity: see [ScanRows]. The assembly knows its
// layout.
type Hot struct {
	Changed uint32 // stamp of its last change
	Rank    uint16 // smaller is better
	Class   uint8  // its low four bits count
	Least   uint8  // of those passed over, the smallest is reported
}

// topRank is above every rank.
const topRank = 1 << 16

// Scan is what [ScanRows] and [ScanAged] work on: rows, 64 a word, and the limits of
// who is offered. Waits, Offered and, for ScanAged, Starves must be as long as Known,
// the columns Slot, Sent and Since have an element for each of its bits; nothing
// beyond is touched. The assembly knows the offsets of the fields.
type Scan struct {
	Known   []uint64 // rows to look at
	Waits   []uint64 // found: of these, those with a change that was not sent
	Offered []uint64 // found: of these, those within the limits
	Starves []uint64 // found: of those who wait, those who do so for Silence and longer

	Slot  []uint32 // of the row's entity
	Sent  []uint32 // stamp at which it was sent
	Since []uint32 // stamp since when a change waits, 0 for none
	// Dist2 is the squared distance of each row; nil has it measured between X, Y and
	// XY, positions by slot, as [Measure] does.
	Dist2 []float32
	Hot   []Hot // by slot
	XY    [][2]int32
	X, Y  int32

	Now uint32 // stamp
	// Rank and Dist are the limits: a smaller rank is within them, and the same rank
	// with a squared distance whose bits are at most Dist. Until is the limit of the
	// starving: those whose change waits since then or longer are within it.
	Rank, Dist, Until uint32
	// Weight is by how much each stamp waited improves the rank, by class; Silence from
	// how many on one starves.
	Weight, Silence [Classes]uint32

	Least  uint32 // found: the smallest Least of those who wait and are not offered; 255 if there are none
	Oldest uint32 // found: the smallest Since of those who wait; all ones if there are none
}

// ScanRows finds the rows with a change that was not sent: those who have a Since,
// and those without whose entity's Changed is above their Sent; these get Now as
// their Since. Nothing else of a column is written. A row whose slot Hot does not
// have is passed over. No allocation. O(rows), but some four bytes a row are read of
// Slot and Since, and the other columns only where they decide.
func ScanRows(s *Scan) { s.run(false) }

// ScanAged is ScanRows where waiting counts: by Weight and by Silence.
func ScanAged(s *Scan) { s.run(true) }

func (s *Scan) run(aged bool) {
	n := len(s.Known)
	s.Rank, s.Least, s.Oldest = min(s.Rank, topRank), math.MaxUint8, math.MaxUint32
	if n == 0 {
		return
	}
	_, _, _, _, _ = s.Waits[:n], s.Offered[:n], s.Slot[:64*n], s.Sent[:64*n], s.Since[:64*n]
	if s.Dist2 != nil {
		_ = s.Dist2[:64*n]
	}
	if !aged {
		scan(s)
		return
	}
	_ = s.Starves[:n]
	scanAged(s)
}

// scanGeneric is the definition of ScanRows.
func scanGeneric(s *Scan) {
	for i, word := range s.Known {
		waits, offered := uint64(0), uint64(0)
		for ; word != 0; word &= word - 1 {
			bit := word & -word
			r := 64*i + bits.TrailingZeros64(word)
			e := s.waiting(r)
			if e == nil {
				continue
			}
			waits |= bit
			if s.within(uint32(e.Rank), r) {
				offered |= bit
			} else {
				s.Least = min(s.Least, uint32(e.Least))
			}
		}
		s.Waits[i], s.Offered[i] = waits, offered
	}
}

// scanAgedGeneric is the definition of ScanAged.
func scanAgedGeneric(s *Scan) {
	for i, word := range s.Known {
		waits, offered, starves := uint64(0), uint64(0), uint64(0)
		for ; word != 0; word &= word - 1 {
			bit := word & -word
			r := 64*i + bits.TrailingZeros64(word)
			e := s.waiting(r)
			if e == nil {
				continue
			}
			waits |= bit
			waited, class, rank := s.Now-s.Since[r], e.Class%Classes, uint32(e.Rank)
			rank -= min(min(waited, maxEffective)*min(s.Weight[class], maxEffective), rank)
			due := false
			if waited >= s.Silence[class] {
				starves |= bit
				due = s.Since[r] <= s.Until
			}
			if due || s.within(rank, r) {
				offered |= bit
			} else {
				s.Least = min(s.Least, uint32(e.Least))
			}
		}
		s.Waits[i], s.Offered[i], s.Starves[i] = waits, offered, starves
	}
}

// waiting returns the entity of a row if it has a change that was not sent, and
// notes since when that waits.
func (s *Scan) waiting(r int) *Hot {
	slot := s.Slot[r]
	if uint64(slot) >= uint64(len(s.Hot)) {
		return nil
	}
	e, since := &s.Hot[slot], &s.Since[r]
	if *since == 0 {
		if e.Changed <= s.Sent[r] {
			return nil
		}
		*since = s.Now
	}
	s.Oldest = min(s.Oldest, *since)
	return e
}

// within reports whether a row of some rank is within the limits.
func (s *Scan) within(rank uint32, r int) bool {
	if rank != s.Rank {
		return rank < s.Rank
	}
	d := float32(0)
	if s.Dist2 != nil {
		d = s.Dist2[r]
	} else if slot := s.Slot[r]; uint64(slot) < uint64(len(s.XY)) {
		d = Dist2(s.XY[slot][0]-s.X, s.XY[slot][1]-s.Y)
	}
	return math.Float32bits(d) <= s.Dist
}
