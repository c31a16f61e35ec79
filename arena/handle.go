package arena

import "strconv"

// A Handle names one use of one slot: the slot in the low 32 bits, the
// generation in the high 32. The zero Handle names nothing. Handles are plain
// values: compare them with ==, use them as map keys, send them anywhere. They
// order by generation, then slot, which means nothing.
type Handle uint64

// MakeHandle returns the handle of a slot and a generation. It does not ask any
// arena whether there is such a thing; that is [Arena.Alive].
func MakeHandle(slot, generation uint32) Handle {
	return Handle(generation)<<32 | Handle(slot)
}

// Slot returns the index of the entity in every column of its arena.
func (h Handle) Slot() uint32 { return uint32(h) }

// Generation returns the reuse count. It is odd for every handle that an arena
// has given out, and so never zero.
func (h Handle) Generation() uint32 { return uint32(h >> 32) }

// String returns "slot#generation" in decimal, and "none" for the zero Handle.
func (h Handle) String() string {
	if h == 0 {
		return "none"
	}
	return strconv.FormatUint(uint64(h.Slot()), 10) + "#" + strconv.FormatUint(uint64(h.Generation()), 10)
}
