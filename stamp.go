package vicinity

import (
	"math"

	"vicinity/asm"
)

// Stamps are ticks in 32 bits, counted from the World's epoch: when an entity
// changed, when a pair was sent. Stamp 0 is before everything. A change between
// two Ticks gets the stamp after the first's, and no later Tick's is below that.
//
// At 20 ticks a second they last for six years. Before they run out the epoch moves
// and all stamps move with it: see moveEpoch.

// Stamps from before a new epoch are oldSent, or less: enough to keep the order of a
// jump, of the change that it is part of or that came later, and of what was sent.
const (
	oldJump   = 1
	oldChange = 2
	oldSent   = 2
)

// stampKept is how many of the last ticks are told apart after the epoch has moved.
const stampKept = 1 << 30

// advance begins a tick.
func (w *World) advance(tick uint64) {
	if w.now == 0 {
		w.epoch = tick - 1 // changes from before the first Tick have stamp 1, and so has it
	}
	if tick-w.epoch >= math.MaxUint32 {
		w.moveEpoch(tick - w.epoch - stampKept)
	}
	w.tick, w.now = tick, uint32(tick-w.epoch)
}

// moveEpoch moves the epoch by some ticks. What was sent, has changed or jumped before
// the new one is told apart by order alone: what waits goes on waiting, and a jump
// that was sent is not sent again. O(entities + pairs), once in years.
func (w *World) moveEpoch(by uint64) {
	w.epoch += by
	entities, records := w.hot.Slice()[:w.arena.Slots()], w.records.Slice()
	for _, c := range w.list {
		if c.short.set = false; c.due != 0 {
			c.due = moved(c.due, by, 1)
		}
		c.pairs.moveEpoch(by, c.view.Columns().Slot, entities, records)
	}
	for i := range entities {
		entities[i].Changed = moved(entities[i].Changed, by, oldChange)
		if j := &records[i].jumped; *j != 0 {
			*j = moved(*j, by, oldJump)
		}
	}
}

// moved is a stamp after the epoch has moved; old, if it is from before the new one.
func moved(stamp uint32, by uint64, old uint32) uint32 {
	if uint64(stamp) <= by+oldSent {
		return old
	}
	return uint32(uint64(stamp) - by)
}

func (p *pairs) moveEpoch(by uint64, slots []uint32, entities []asm.Hot, records []record) {
	for r := range p.sent {
		sent, old := p.sent[r], uint32(oldSent)
		if r < len(slots) && uint64(slots[r]) < uint64(len(entities)) && entities[slots[r]].Changed > sent {
			if old = oldJump; records[slots[r]].jumped > sent {
				old = 0
			}
		}
		p.sent[r] = moved(sent, by, old)
		if p.since[r] != 0 {
			p.since[r] = moved(p.since[r], by, 1)
		}
	}
}
