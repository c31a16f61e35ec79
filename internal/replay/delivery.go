package replay

// What says what is sent about an entity.
type What uint8

// What can be sent. The values are part of the digest.
const (
	Spawn  What = 1 // it comes into view: its whole state
	Update What = 2 // its state changed
	Remove What = 3 // it left the view
)

var whatNames = [...]string{Spawn: "spawn", Update: "update", Remove: "remove"}

// String returns the name in lower case.
func (w What) String() string {
	if w >= Spawn && int(w) < len(whatNames) {
		return whatNames[w]
	}
	return "unknown"
}

// Selection says that Observer is sent something about Entity. Both are entity
// IDs.
type Selection struct {
	Observer, Entity uint64
	What             What
}

// Compare orders selections by observer, then entity, then what.
func (s Selection) Compare(t Selection) int {
	a, b := Relation{s.Observer, s.Entity}, Relation{t.Observer, t.Entity}
	if c := a.Compare(b); c != 0 || s.What == t.What {
		return c
	}
	if s.What < t.What {
		return -1
	}
	return 1
}

// Delivery sums up what one observer is sent in one tick, and what waits. Every
// observer that was updated in the tick has one, with nothing to send too.
type Delivery struct {
	Observer uint64
	Bytes    uint32 // cost of all that is sent
	Deferred int    // what waits, Oversize included
	Oversize int    // what costs more than can ever be sent in a tick
	Oldest   uint32 // most ticks that any of it had waited, sent or not, without Oversize
}

// Packed is what one tick sends under a budget.
type Packed struct {
	Deliveries []Delivery  // by ascending observer, none twice
	Selections []Selection // sorted by Compare, none twice
	Culled     int         // how many the crowd cap keeps out of all views updated
}

// Reset empties the lists and keeps their memory.
func (p *Packed) Reset() {
	p.Deliveries, p.Selections, p.Culled = p.Deliveries[:0], p.Selections[:0], 0
}
