package crosslist

// A word is one node of an axis, in a form that orders nodes by comparing
// integers: the coordinate in the high half, with its sign bit turned over, then 2
// bits of kind, then 30 bits of number. That is the total order (coordinate, kind,
// number). Because of the order of the kinds a body lies between the anchors of a
// trigger exactly if the trigger's closed interval holds it, ties included.
type word uint64

// The kinds, in the order that they have at the same coordinate.
const (
	kindLow  = 0 // the low anchor of an interval
	kindBody = 1 // an entity
	kindHigh = 2 // the high anchor of an interval
)

const (
	numberBits = 30
	numberMask = 1<<numberBits - 1
	signBit    = 1 << 31

	// maxBodies and maxTriggers are how many numbers there are. A trigger has two:
	// one for its outer interval, one for the inner.
	maxBodies   = 1 << numberBits
	maxTriggers = maxBodies / 2

	// unused is above all nodes.
	unused = ^word(0)

	// bodyBit is set in the words of bodies alone.
	bodyBit = kindBody << numberBits
)

func makeWord(coord int32, kind, number uint32) word {
	return word(uint32(coord)^signBit)<<32 | word(kind<<numberBits|number)
}

// bodyWord returns the node of the entity in a slot.
func bodyWord(coord int32, slot uint32) word { return makeWord(coord, kindBody, slot) }

func (w word) coord() int32   { return int32(uint32(w>>32) ^ signBit) }
func (w word) kind() uint32   { return uint32(w) >> numberBits }
func (w word) number() uint32 { return uint32(w) & numberMask }
func (w word) isBody() bool   { return w&bodyBit != 0 }

// firstAt and lastAt bound the nodes at a coordinate; no node equals lastAt.
func firstAt(coord int32) word { return makeWord(coord, 0, 0) }
func lastAt(coord int32) word  { return makeWord(coord, 3, numberMask) }
