package vicinity

import (
	"unsafe"

	"vicinity/asm"
)

// Connections, their views, pairs and entities lie all over memory, and in no cache
// when there are many. While one is packed, that which is farAhead of it is fetched;
// of that which is nearAhead, whose pointers have come by then, the columns; of that
// which is nextAhead, whose columns have come, the entities. With a million entities
// that saved a sixth of a Tick.
const (
	farAhead  = 12
	nearAhead = 6
	nextAhead = 2
)

// prefetchEntities fetches what packing reads of the entities in a connection's first
// rows.
func (w *World) prefetchEntities(c *connection) {
	entities, records := w.hot.Slice(), w.records.Slice()
	slots := c.view.Columns().Slot
	xy, _, _ := c.view.Sight()
	for _, slot := range slots[:min(len(slots), 64)] {
		if uint64(slot) < uint64(len(records)) {
			asm.Prefetch(unsafe.Pointer(&entities[slot]), 8)
			asm.Prefetch(unsafe.Pointer(&records[slot]), 32)
			if uint64(slot) < uint64(len(xy)) {
				asm.Prefetch(unsafe.Pointer(&xy[slot]), 8)
			}
		}
	}
}

// prefetch fetches a connection and its view.
func (c *connection) prefetch() {
	asm.Prefetch(unsafe.Pointer(c), unsafe.Offsetof(c.told))
	asm.Prefetch(unsafe.Pointer(c.view), 128)
}

// prefetchPairs fetches the beginnings of what a scan reads by row: it goes on to
// fetch by itself.
func (c *connection) prefetchPairs() {
	n := len(c.pairs.since)
	if n == 0 {
		return
	}
	size := 4 * uintptr(min(n, 256))
	asm.Prefetch(unsafe.Pointer(&c.pairs.since[0]), size)
	asm.Prefetch(unsafe.Pointer(&c.pairs.sent[0]), 4*uintptr(min(n, 64)))
	if slot := c.view.Columns().Slot; len(slot) > 0 {
		asm.Prefetch(unsafe.Pointer(&slot[0]), size)
	}
}
