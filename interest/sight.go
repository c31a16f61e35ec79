package interest

import (
	"encoding/binary"

	"vicinity/asm"
)

// Most of what a view finds are plain members: rows whose entity is a member for no
// other source than Spatial. They need no more than a mark, and get it without a
// branch (nobody could predict who in the ring between the limits is a member) and
// without waiting for one another, as marks in one word would.

// Bits of a byte of scratch.seen. Byte seenFirst+r is row r's, the one before it
// that of everybody who has no row.
const (
	wasSeen  = 1 << 0
	notPlain = 1 << 1
)

// seenFirst aligns the rows' bytes.
const seenFirst = 8

// sight prepares see, if a slot's row is that of its entity for sure.
func (v *View) sight(sc *scratch, same bool) {
	sc.seen = sc.seen[:0]
	if !same || v.excluded() != 0 {
		return
	}
	sc.seen = cleared(sc.seen, seenFirst+64*len(v.rows.words))
	sc.seen[seenFirst-1] = notPlain
	for i := range v.rows.words {
		w := &v.rows.words[i]
		for others := w.used &^ (w.member &^ w.related); others != 0; others &= others - 1 {
			sc.seen[seenFirst+64*i+lowest(others)] = notPlain
		}
	}
}

// see notes the plain members among the found, and returns the others: without the
// strangers who are not within the enter radius.
func (sc *scratch) see(slots []uint32) []uint32 {
	if cap(sc.rest) < len(sc.found) {
		sc.rest = make([]uint32, cap(sc.found))
	}
	rows, seen, rest, n := sc.index.row, sc.seen[seenFirst-1:], sc.rest[:len(sc.found)], 0
	for _, found := range sc.found {
		entry := rows[slots[found&^asm.Inner]] // row + 1, or at most 0
		b := &seen[max(entry, 0)]
		*b |= wasSeen
		concerns := found/asm.Inner | uint32(entry|-entry)>>31
		rest[n] = found
		n += int(uint32(*b/notPlain) & concerns)
	}
	return rest[:n]
}

// markSeen marks the rows that see noted.
func (sc *scratch) markSeen() {
	if len(sc.seen) == 0 {
		return
	}
	rows := sc.seen[seenFirst:]
	for i := range sc.marks {
		word := uint64(0)
		for k := range 8 {
			x := binary.LittleEndian.Uint64(rows[64*i+8*k:])
			x = (x &^ (x >> 1)) & 0x0101010101010101 // wasSeen without notPlain
			word |= x * 0x0102040810204080 >> 56 << (8 * k)
		}
		sc.marks[i] |= word
	}
}
