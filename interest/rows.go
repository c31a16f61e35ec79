package interest

import (
	"math/bits"

	"vicinity/arena"
)

// Sources says why somebody is a member: a bit set.
type Sources uint16

// Spatial: the entity is within reach.
const Spatial Sources = 1

// Reason says why an enter or a leave happened.
type Reason uint8

// The reasons.
const (
	// ReasonNone is no reason: the zero value.
	ReasonNone Reason = iota
	// ReasonRange: the distance changed.
	ReasonRange
	// ReasonReach: the reach changed; with the old one nothing would have happened.
	ReasonReach
	// ReasonDespawn: the entity is no longer there.
	ReasonDespawn
	// ReasonResync: [View.Resync] was called.
	ReasonResync
	// ReasonObserver: the observer is no longer there.
	ReasonObserver
)

var reasonNames = [...]string{"none", "range", "reach changed", "despawn", "resync", "observer gone"}

// String returns the reason in words.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}

// row is what a view knows of one member, or of one whose leave is pending.
type row struct {
	id               uint64
	slot, generation uint32
	sources          Sources
	reason           Reason
	class            uint8
}

func (r *row) handle() arena.Handle { return arena.MakeHandle(r.slot, r.generation) }

// rows is the table of a view's rows, with sets of them and an index by slot.
type rows struct {
	row []row
	// One bit a row. used = member | delivered.
	used, member, delivered []uint64
	marked                  []uint64 // found by the update under way

	// table finds a row by slot: row + 1, or 0; linear probing. It holds every used
	// row, except those whose slot has passed to somebody else. Its length is a
	// power of two, at least twice the number of rows.
	table []uint32
	shift uint8
	n     int // used rows
}

// find returns the row of a slot, -1 if there is none.
func (t *rows) find(slot uint32) int {
	if len(t.table) == 0 {
		return -1
	}
	mask := uint32(len(t.table) - 1)
	for i := t.home(slot); ; i = (i + 1) & mask {
		r := int(t.table[i]) - 1
		if r < 0 || t.row[r].slot == slot {
			return r
		}
	}
}

// home is where a slot's search begins.
func (t *rows) home(slot uint32) uint32 { return slot * 0x9E3779B1 >> t.shift }

// add takes the lowest free row for a new member. The slot must not be in the
// table.
func (t *rows) add(r row) int {
	i := t.lowestFree()
	t.row[i] = r
	t.set(t.used, i)
	t.set(t.member, i)
	t.n++
	t.insert(i)
	return i
}

func (t *rows) set(s []uint64, i int)      { s[i/64] |= 1 << (i % 64) }
func (t *rows) clear(s []uint64, i int)    { s[i/64] &^= 1 << (i % 64) }
func (t *rows) has(s []uint64, i int) bool { return s[i/64]>>(i%64)&1 != 0 }

// lowestFree returns the lowest free row, making rows if there is none.
func (t *rows) lowestFree() int {
	for w, word := range t.used {
		if word != ^uint64(0) {
			return 64*w + bits.TrailingZeros64(^word)
		}
	}
	t.grow()
	return t.lowestFree()
}

// grow makes half as many rows again, in whole words, and a larger table.
func (t *rows) grow() {
	words := len(t.used) + 1 + len(t.used)/2
	for _, s := range []*[]uint64{&t.used, &t.member, &t.delivered, &t.marked} {
		*s = append(make([]uint64, 0, words), *s...)[:words]
	}
	t.row = append(make([]row, 0, 64*words), t.row...)[:64*words]
	size := 1 << bits.Len(uint(2*64*words-1))
	old := t.table
	t.table, t.shift = make([]uint32, size), uint8(32-bits.TrailingZeros(uint(size)))
	for _, r := range old {
		if r != 0 {
			t.insert(int(r - 1))
		}
	}
}

func (t *rows) insert(r int) {
	mask := uint32(len(t.table) - 1)
	i := t.home(t.row[r].slot)
	for t.table[i] != 0 {
		i = (i + 1) & mask
	}
	t.table[i] = uint32(r + 1)
}

// forget takes a row out of the table, if it is there: its slot has passed to
// somebody else, or will. What follows in the probe sequence moves up.
func (t *rows) forget(r int) {
	mask := uint32(len(t.table) - 1)
	i := t.home(t.row[r].slot)
	for t.table[i] != uint32(r+1) {
		if t.table[i] == 0 {
			return
		}
		i = (i + 1) & mask
	}
	for j := i; ; {
		t.table[i] = 0
		for {
			j = (j + 1) & mask
			if t.table[j] == 0 {
				return
			}
			// The entry at j may move to i unless its search begins after i.
			if h := t.home(t.row[t.table[j]-1].slot); (j-h)&mask >= (j-i)&mask {
				break
			}
		}
		t.table[i] = t.table[j]
		i = j
	}
}

// release frees every row that is neither a member nor delivered.
func (t *rows) release() {
	for w := range t.used {
		for free := t.used[w] &^ (t.member[w] | t.delivered[w]); free != 0; free &= free - 1 {
			r := 64*w + bits.TrailingZeros64(free)
			t.forget(r)
			t.n--
		}
		t.used[w] = t.member[w] | t.delivered[w]
	}
}

// members returns the number of members.
func (t *rows) members() int {
	n := 0
	for _, w := range t.member {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls visit with every row in the set.
func each(set []uint64, visit func(r int)) {
	for w, word := range set {
		for ; word != 0; word &= word - 1 {
			visit(64*w + bits.TrailingZeros64(word))
		}
	}
}
