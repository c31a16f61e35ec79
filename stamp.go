package vicinity

import "math"

// Stamps are ticks in 32 bits, counted from the World's epoch: when an entity
// changed, when a pair was sent. Stamp 0 is before everything. A change between
// two Ticks gets the stamp after the first's, and no later Tick's is below that.
//
// At 20 ticks a second they last for six years. Before they run out the epoch moves
// and all stamps move with it: see moveEpoch.

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

// moveEpoch moves the epoch by some ticks. What was sent or changed before the new
// one counts as stamp 1, and as 0 where it was sent before it changed, so that a
// change which waits goes on waiting. O(entities + pairs), once in years.
func (w *World) moveEpoch(by uint64) {
	w.epoch += by
	back := uint32(min(by, math.MaxUint32))
	entities := w.hot.Slice()[:w.arena.Slots()]
	for _, c := range w.list {
		c.pairs.moveEpoch(back, c.view.Columns().Slot, entities)
	}
	for i := range entities {
		entities[i].changed = moved(entities[i].changed, back)
		if j := &w.records.Slice()[i].jumped; *j != 0 {
			*j = moved(*j, back)
		}
	}
}

// moved is a stamp after the epoch has moved.
func moved(stamp, back uint32) uint32 {
	if stamp <= back {
		return 1
	}
	return stamp - back
}

func (p *pairs) moveEpoch(back uint32, slots []uint32, entities []hot) {
	for r := range p.sent {
		waits := r < len(slots) && uint64(slots[r]) < uint64(len(entities)) && entities[slots[r]].changed > p.sent[r]
		if waits && p.sent[r] <= back {
			p.sent[r] = 0
		} else {
			p.sent[r] = moved(p.sent[r], back)
		}
		if p.since[r] != 0 {
			p.since[r] = moved(p.since[r], back)
		}
	}
}
