package interest

import (
	"math/bits"

	"vicinity/arena"
	"vicinity/asm"
)

// row is what a view knows of one member, or of one whose leave is pending. It is
// touched when that changes, not by every update.
type row struct {
	id               uint64
	slot, generation uint32
	sources          Sources
	reason           Reason
	class            uint8
}

func (r *row) handle() arena.Handle { return arena.MakeHandle(r.slot, r.generation) }

// rows is the table of a view's rows, with sets of them. Its layout is for views
// that are in no cache, as most are in a large world: an update reads one line of
// words for 128 rows and, in order, one line of slots for 16; a row only for an
// event.
type rows struct {
	words []word
	// slot tells each row's slot; noSlot if the row is free, or its slot has passed
	// to somebody else. It has asm.Slack elements more in its capacity.
	slot     []uint32
	open     int32 // words before this one have no free row
	measured bool
	// row and since have an element for the rows that were ever used, and some more:
	// most of the memory is here, and views of a few rows are many.
	row []row
	// since tells when a row's enter or leave became pending, if one is.
	since []uint64
	// dist2 and level are kept for measured views only.
	dist2 []float32
	level []Level
}

// word is 64 rows' bits of each set.
type word struct {
	used      uint64 // member or delivered
	member    uint64
	delivered uint64
	related   uint64 // members with other sources than Spatial
}

// noSlot is no entity's slot.
const noSlot = 1<<32 - 1

// bit returns the word of a row, and its bit there.
func (t *rows) bit(r int) (*word, uint64) { return &t.words[r/64], 1 << (r % 64) }

// isMember reports whether a row's entity is a member.
func (t *rows) isMember(r int) bool {
	w, b := t.bit(r)
	return w.member&b != 0
}

// sources returns a member's sources.
func (t *rows) sources(r int) Sources {
	if w, b := t.bit(r); w.related&b != 0 {
		return t.row[r].sources
	}
	return Spatial
}

// setSources sets a member's sources.
func (t *rows) setSources(r int, s Sources) {
	w, b := t.bit(r)
	w.related &^= b
	if s != Spatial {
		w.related |= b
	}
	t.row[r].sources = s
}

// find returns the row of a slot, -1 if there is none. O(rows), but 16 at a time:
// for more than a few, use an index.
func (t *rows) find(slot uint32) int { return asm.Find(t.slot, slot) }

// add takes the lowest free row for a new member since a tick. No row may have the
// slot.
func (t *rows) add(e row, tick uint64) int {
	r := t.lowestFree()
	if r >= len(t.row) {
		t.extend()
	}
	t.row[r], t.slot[r], t.since[r] = e, e.slot, tick
	w, b := t.bit(r)
	w.used |= b
	w.member |= b
	w.related &^= b
	if e.sources != Spatial {
		w.related |= b
	}
	if t.measured {
		t.level[r] = unjudged
	}
	return r
}

// lowestFree returns the lowest free row, making rows if there is none.
func (t *rows) lowestFree() int {
	for ; int(t.open) < len(t.words); t.open++ {
		if used := t.words[t.open].used; used != ^uint64(0) {
			return 64*int(t.open) + bits.TrailingZeros64(^used)
		}
	}
	t.grow()
	return t.lowestFree()
}

// grow makes bits and slots for half as many rows again, in whole words.
func (t *rows) grow() {
	words, old := len(t.words)+1+len(t.words)/2, len(t.slot)
	n := 64 * words
	t.words = append(make([]word, 0, words), t.words...)[:words]
	t.slot = append(make([]uint32, 0, n+asm.Slack), t.slot...)[:n]
	for r := old; r < n; r++ {
		t.slot[r] = noSlot
	}
	if t.measured {
		t.dist2 = append(make([]float32, 0, n), t.dist2...)[:n]
		t.level = append(make([]Level, 0, n), t.level...)[:n]
	}
}

// extend lengthens row and since, up to what the sets have bits for. The lowest free
// row is never further away than the next.
func (t *rows) extend() {
	n := min(len(t.slot), (len(t.row)+max(8, len(t.row)/2)+7)&^7)
	t.row = append(make([]row, 0, n), t.row...)[:n]
	t.since = append(make([]uint64, 0, n), t.since...)[:n]
}

// forget makes a row unfindable: its slot has passed to somebody else, or the row
// is free.
func (t *rows) forget(r int) { t.slot[r] = noSlot }

// release frees every row that is neither a member nor delivered.
func (t *rows) release() {
	for i := range t.words {
		w := &t.words[i]
		t.releaseWord(i, w)
	}
}

func (t *rows) releaseWord(i int, w *word) {
	if w.used == w.member|w.delivered {
		return
	}
	t.open = min(t.open, int32(i))
	for free := w.used &^ (w.member | w.delivered); free != 0; free &= free - 1 {
		t.forget(64*i + bits.TrailingZeros64(free))
	}
	w.used = w.member | w.delivered
}

// members returns the number of members.
func (t *rows) members() int {
	n := 0
	for i := range t.words {
		n += bits.OnesCount64(t.words[i].member)
	}
	return n
}

// index finds rows by slot in O(1): a worker's memory, row + 1 by slot, filled from
// one view and emptied again. Entries of neighbours are shared by the views around,
// and so in the cache. Strangers can be in it, too, as negative values.
type index struct{ row []int32 }

// fill enters all rows of t. slots bounds the slots that may be asked for.
func (x *index) fill(t *rows, slots int) {
	if len(x.row) < slots {
		x.row = append(x.row, make([]int32, slots+slots/4-len(x.row))...)
	}
	for r, slot := range t.slot {
		if uint64(slot) < uint64(len(x.row)) {
			x.row[slot] = int32(r + 1)
		}
	}
}

// find returns the row of a slot, -1 if there is none; for stranger k it returns
// -3 - k.
func (x *index) find(slot uint32) int { return int(x.row[slot]) - 1 }

// addStranger enters stranger k.
func (x *index) addStranger(slot uint32, k int) { x.row[slot] = int32(-2 - k) }

// strangerOf returns which stranger a result of find is.
func strangerOf(found int) (k int, ok bool) { return -3 - found, found < -1 }

// empty takes all rows of t out, wherever their slots went meanwhile.
func (x *index) empty(t *rows) {
	for _, slot := range t.slot {
		if uint64(slot) < uint64(len(x.row)) {
			x.row[slot] = 0
		}
	}
}
