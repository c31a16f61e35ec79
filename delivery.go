package vicinity

import (
	"vicinity/interest"
	"vicinity/packer"
)

// Delivery is what one connection is to be sent in one tick. It is valid during
// the callback, which may keep copies only.
type Delivery struct {
	Conn ConnID
	Tick uint64
	// Leaves are the entities that the client is to forget, Enters those that it is
	// to learn of, with their whole state, Updates those whose state has changed
	// since it was sent last. A client applies them in this order. An ID may be in
	// Leaves and in Enters, if somebody new has it.
	//
	// With a budget each is in the order in which the budget was spent: the most
	// important first. Without one, enters are in the order of IDs, the others in
	// that of rows.
	Leaves, Enters, Updates []Item
	// Bytes is the sum of the costs; Budget what it is at most, 0 for no limit.
	Bytes  uint64
	Budget uint32
	// Deferred counts by reason what is not in this delivery, and is offered again:
	// indexed by packer.Why. Those who have not changed are among them. Enters that
	// wait until the leave of an earlier entity with their ID was delivered are
	// packer.WhyAwaitingSpawn. Of a view with more than packer.MaxCandidates to be
	// sent, those who are packed are chosen by the packer's order, with room for all
	// who starve in turn; the others are packer.WhyNoRoom.
	Deferred [packer.Whys]int
	// MustDeferred counts those with MustSend among them that did not fit.
	MustDeferred int
	// OldestWait is how many ticks the oldest change has waited that is in this
	// delivery, or was left out of it for want of room or because it is too soon. Waits
	// count from the first Tick that served the connection after the change: see
	// Connection.SendEvery.
	OldestWait uint32
}

// Item is one entity in a delivery.
type Item struct {
	ID     uint64
	Entity Handle // of a leave: the handle that is stale now, if it despawned
	Cost   uint32 // bytes
	// Row is a small number that no other entity in view of the connection has,
	// from its enter to its leave.
	Row uint32
	// Level is the level of detail to send, 0 the finest.
	Level uint8
	// Reason says why it was chosen; Cause why it entered or left.
	Reason packer.Reason
	Cause  interest.Reason
	// Jumped says that it was teleported since it was sent last.
	Jumped bool
}

// told is what a connection's last delivery came to.
type told struct {
	tick   uint64
	bytes  uint64
	noRoom int // deferred for want of room
	err    error
}

// told is what a connection remembers of a delivery.
func (d *Delivery) told() told {
	return told{tick: d.Tick, bytes: d.Bytes, noRoom: d.Deferred[packer.WhyNoRoom]}
}

// pairs is the state of a connection's pairs, by row of its view: two columns, read
// in the order of rows. sent is the stamp of the last delivery that had the entity;
// since that of the first tick whose packing saw a change that is not sent yet, 0 if
// there is none.
type pairs struct{ sent, since []uint32 }

// reserve makes room for some rows.
func (p *pairs) reserve(rows int) {
	if n := rows - len(p.sent); n > 0 {
		p.sent = append(p.sent, make([]uint32, n)...)
		p.since = append(p.since, make([]uint32, n)...)
	}
}

// deliver notes that a row was sent.
func (p *pairs) deliver(row, now uint32) { p.sent[row], p.since[row] = now, 0 }

// bytes is the memory that the columns hold.
func (p *pairs) bytes() int64 { return 4 * int64(cap(p.sent)+cap(p.since)) }
