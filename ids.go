package vicinity

// idTable finds the slot of an entity by its ID: open addressing with linear
// probing over slots, 4 bytes a place. The IDs themselves are in the records. A
// removal closes the gap it leaves, so that coming and going for ever neither fills
// the table nor allocates. Nobody walks it: its order decides nothing.
type idTable struct {
	place []uint32 // slot + 1; 0 is empty. A power of two long.
	n     int
}

// minPlaces is the smallest table.
const minPlaces = 16

// home is where the search for an ID begins. The multiplication spreads IDs that
// count up, or differ in high bits only.
func (t *idTable) home(id uint64) int {
	id ^= id >> 32
	id *= 0x9E3779B97F4A7C15
	return int(id>>32) & (len(t.place) - 1)
}

// find returns the slot of an ID.
func (t *idTable) find(records []record, id uint64) (slot uint32, ok bool) {
	if t.n == 0 {
		return 0, false
	}
	for i := t.home(id); t.place[i] != 0; i = (i + 1) & (len(t.place) - 1) {
		if slot := t.place[i] - 1; records[slot].id == id {
			return slot, true
		}
	}
	return 0, false
}

// add enters a slot whose record has an ID that is not in the table.
func (t *idTable) add(records []record, slot uint32) {
	if 4*(t.n+1) > 3*len(t.place) {
		t.grow(records)
	}
	t.put(records, slot)
	t.n++
}

func (t *idTable) put(records []record, slot uint32) {
	i := t.home(records[slot].id)
	for t.place[i] != 0 {
		i = (i + 1) & (len(t.place) - 1)
	}
	t.place[i] = slot + 1
}

func (t *idTable) grow(records []record) {
	old := t.place
	t.place = make([]uint32, max(minPlaces, 2*len(old)))
	for _, p := range old {
		if p != 0 {
			t.put(records, p-1)
		}
	}
}

// remove takes a slot out and moves those up that were pushed past it.
func (t *idTable) remove(records []record, slot uint32) {
	mask := len(t.place) - 1
	gap := t.home(records[slot].id)
	for t.place[gap] != slot+1 {
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; t.place[i] != 0; i = (i + 1) & mask {
		// It may move up unless its search begins behind the gap.
		if home := t.home(records[t.place[i]-1].id); (i-home)&mask >= (i-gap)&mask {
			t.place[gap] = t.place[i]
			gap = i
		}
	}
	t.place[gap] = 0
	t.n--
}

// bytes is the memory that the table holds.
func (t *idTable) bytes() int64 { return 4 * int64(cap(t.place)) }
