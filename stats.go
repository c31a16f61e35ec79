package vicinity

import (
	"time"

	"vicinity/packer"
)

// Stats is what the last Tick did, and what the World is now.
type Stats struct {
	Tick uint64
	// Publish is how long sorting took, Update what the views took, Deliver the rest: by
	// the clock of the goroutine that called Tick. Pack and Callback are the parts of
	// Deliver, summed over the workers. They are estimates: each worker's first delivery
	// is timed, and one in eight of the others.
	Publish, Update, Deliver time.Duration
	Pack, Callback           time.Duration

	Entities, Connections int
	// Served is the number of connections and watchers that were due and packed
	// without an error, see PackErrors; Committed, how
	// many deliveries were sent.
	Served, Committed int
	// Cells and Candidates are what the views' updates went through: see
	// interest.Stats, also for Members, Culled and OverCap.
	Cells, Candidates, Members, Culled, OverCap int
	// Enters, Leaves and Updates are what was in deliveries, sent or not; Bytes the
	// sum of their costs.
	Enters, Leaves, Updates int
	Bytes                   uint64
	// Deferred counts by packer.Why what deliveries left out; MustDeferred those with
	// MustSend among them that did not fit.
	Deferred     [packer.Whys]int
	MustDeferred int
	// OldestWait is the longest wait in ticks of any delivery.
	OldestWait uint32
	// Shortlisted counts connections whose crowd was packed by its best alone, Retried
	// those for which that was not enough and all were packed: see shortlist.go.
	Shortlisted, Retried int
	// PackErrors counts connections that could not be packed: a broken promise of
	// the World's.
	PackErrors int

	// Rejects counts refused calls since New.
	Rejects Rejects
	// MappedBytes and HeapBytes are held by columns by slot, buffers of the grid, the
	// table of IDs and the columns of pairs, in either memory. Not counted are what a
	// view holds (see package interest), connections and their map, and workers' scratch
	// memory, all on the heap.
	MappedBytes, HeapBytes int64
	// Headroom is how many more entities fit.
	Headroom int
	// Readers is how many have a snapshot pinned, OldestPinned the tick of the oldest
	// snapshot that was in use at the last Tick.
	Readers      int
	OldestPinned uint64
	// OldestTick is the oldest tick that [Reader.PinAt] finds, 0 before the first Tick.
	OldestTick uint64
}

// tally is what one worker did in a Tick.
type tally struct {
	served, committed, packErrors int
	enters, leaves, updates       int
	bytes                         uint64
	deferred                      [packer.Whys]int
	mustDeferred                  int
	oldest                        uint32
	pack, callback                time.Duration
	timed                         int
	shortlisted, retries          int
}

// delivered counts a delivery.
func (t *tally) delivered(d *Delivery) {
	t.served++
	t.leaves += len(d.Leaves)
	t.enters += len(d.Enters)
	t.updates += len(d.Updates)
	t.bytes += d.Bytes
	for i, n := range d.Deferred {
		t.deferred[i] += n
	}
	t.mustDeferred += d.MustDeferred
	t.oldest = max(t.oldest, d.OldestWait)
}

func (t *tally) add(o *tally) {
	t.served += o.served
	t.committed += o.committed
	t.packErrors += o.packErrors
	t.enters += o.enters
	t.leaves += o.leaves
	t.updates += o.updates
	t.bytes += o.bytes
	for i, n := range o.deferred {
		t.deferred[i] += n
	}
	t.mustDeferred += o.mustDeferred
	t.oldest = max(t.oldest, o.oldest)
	t.pack += o.pack
	t.callback += o.callback
	t.timed += o.timed
	t.shortlisted += o.shortlisted
	t.retries += o.retries
}

// sum gathers what the workers did.
func (w *World) sum(publish, update, deliver time.Duration) {
	var t tally
	for _, sc := range w.scratch {
		t.add(&sc.tally)
	}
	if t.timed > 0 {
		t.pack = t.pack * time.Duration(t.served) / time.Duration(t.timed)
		t.callback = t.callback * time.Duration(t.served) / time.Duration(t.timed)
	}
	views := w.set.Stats()
	w.stats = Stats{
		Tick: w.tick, Publish: publish, Update: update, Deliver: deliver, Pack: t.pack, Callback: t.callback,
		Served: t.served, Committed: t.committed, PackErrors: t.packErrors,
		Cells: views.Cells, Candidates: views.Candidates, Members: views.Members,
		Culled: views.Culled, OverCap: views.OverCap,
		Enters: t.enters, Leaves: t.leaves, Updates: t.updates, Bytes: t.bytes,
		Shortlisted: t.shortlisted, Retried: t.retries, Deferred: t.deferred, MustDeferred: t.mustDeferred, OldestWait: t.oldest,
	}
}

// Stats returns the figures of the last Tick and the present. It is all zero after
// Close, and not for a callback. O(connections), no allocation.
func (w *World) Stats() Stats {
	if w.ready() != nil {
		return Stats{}
	}
	s := w.stats
	a, g := w.arena.Stats(), w.grid.Stats()
	s.Entities, s.Connections = a.Alive, len(w.conns)
	s.Rejects = w.rejects.read()
	s.MappedBytes = a.MappedBytes + g.MappedBytes
	s.HeapBytes = a.HeapBytes + g.HeapBytes + w.ids.bytes()
	for _, c := range w.list {
		s.HeapBytes += c.pairs.bytes()
	}
	s.Headroom = w.arena.Capacity() - a.Alive - a.Waiting - a.Retired
	s.Readers, s.OldestPinned, s.OldestTick = g.Pinned, g.OldestPinned, g.OldestTick
	return s
}

// AddTotals adds to dst what all deliveries with a budget since New came to, with
// quantiles of bytes and waits, except those in Ticks of a [Group] while the World had
// no more than one worker: these are in [Group.AddTotals]. After Close there are none.
// Not for a callback.
func (w *World) AddTotals(dst *packer.Stats) {
	if w.ready() != nil {
		return
	}
	if w.past != nil {
		dst.Merge(w.past)
	}
	for _, sc := range w.scratch {
		dst.Merge(&sc.totals)
	}
}

// keepTotals writes down what the World's own scratch memory has counted, before it
// is ticked in that of a Group.
func (w *World) keepTotals() {
	if w.cfg.Workers.N() > 1 || len(w.scratch) == 0 {
		return
	}
	if w.past == nil {
		w.past = new(packer.Stats)
	}
	for _, sc := range w.scratch {
		w.past.Merge(&sc.totals)
	}
	w.scratch = nil
}
