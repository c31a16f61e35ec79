package arena

import "slices"

// limbo is where freed slots of a deferred arena wait. They form one list in
// the order in which they were freed; batches cut it into pieces. The last piece
// is still open. Batches without a slot are not recorded, so there are never
// more of them than slots that wait.
type limbo struct {
	head, tail uint32  // ends of the list, if n > 0
	n          int     // slots that wait
	open       int     // of these, slots in the open batch
	sealed     uint64  // number of the last batch sealed
	batches    []batch // sealed, not reclaimed, not empty; numbers ascend
}

// batch is a sealed piece of the list.
type batch struct {
	number uint64
	last   uint32 // its last slot
	n      int
}

// await puts a slot at the end of the limbo list, into the open batch.
func (a *Arena) await(slot uint32) {
	l := &a.limbo
	if l.n == 0 {
		l.head = slot
	} else {
		a.links.data[l.tail] = slot
	}
	l.tail = slot
	l.n++
	l.open++
}

// Seal closes the batch of slots freed since the last Seal, opens the next, and
// returns the number of the closed one: 1 for the first call, then one more each
// time, whether or not the batch holds a slot. If the arena is not deferred all
// batches are empty. 0 after Close. O(1); it allocates only when more batches
// wait than ever before.
//
// The intended use: whoever publishes a picture of the arena calls Seal when it
// is published, and Reclaim once nobody looks at an older picture any more.
func (a *Arena) Seal() uint64 {
	if a.users.Load() == isClosed {
		return 0
	}
	l := &a.limbo
	l.sealed++
	if l.open > 0 {
		l.batches = append(l.batches, batch{number: l.sealed, last: l.tail, n: l.open})
		l.open = 0
	}
	return l.sealed
}

// Reclaim makes the slots of all sealed batches up to and including the given
// number reusable and returns how many these are. The open batch is not touched,
// whatever the number. O(batches), no allocation.
func (a *Arena) Reclaim(batch uint64) int {
	l := &a.limbo
	k, n := 0, 0
	for k < len(l.batches) && l.batches[k].number <= batch {
		n += l.batches[k].n
		k++
	}
	if k == 0 {
		return 0
	}
	// Move the front of the limbo list, as it is, on top of the reusable slots.
	first, last := l.head, l.batches[k-1].last
	l.head = a.links.data[last]
	l.n -= n
	l.batches = slices.Delete(l.batches, 0, k)
	a.links.data[last] = a.free.top
	a.free.top = first
	a.free.n += n
	return n
}

// Deferred reports whether freed slots wait for Seal and Reclaim. O(1).
func (a *Arena) Deferred() bool { return a.deferred }
