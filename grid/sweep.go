package grid

import (
	"math"
	"slices"
	"sync/atomic"

	"vicinity/arena"
	"vicinity/asm"
)

// chunk is how many elements a worker takes at a time: enough that taking costs
// nothing, few enough that workers finish together.
const chunk = 512

// A Sweep asks a query for many observers in one pass: in storage order, so that
// neighbours share what is in the caches, and over workers. It owns their scratch
// memory. One sweep runs at a time.
type Sweep struct {
	workers *Workers
	scratch []Observation // of Within, since the first
	run     func(worker int)

	// The job.
	snapshot *Snapshot
	visit    func(worker, storage, lo, hi int)
	next     atomic.Int64
	asked    withinJob
	observe  func(worker, storage, lo, hi int)
}

// withinJob is what the workers of [Sweep.Within] share.
type withinJob struct {
	observers *SlotSet
	query     Query
	disc      asm.Disc
	visit     func(o *Observation)
}

// NewSweep returns a Sweep over workers (nil is the caller's goroutine alone).
func NewSweep(w *Workers) *Sweep {
	sw := &Sweep{workers: w}
	sw.run = sw.work // once: a method value allocates
	return sw
}

// Chunks calls visit with ranges [lo, hi) of each storage, on all
// workers, until every element was in one. The ranges of one worker rise. visit
// must be safe for concurrent use; worker is 0 to N-1.
func (sw *Sweep) Chunks(s *Snapshot, visit func(worker, storage, lo, hi int)) {
	sw.snapshot, sw.visit = s, visit
	sw.next.Store(0)
	sw.workers.Run(sw.run)
	sw.snapshot, sw.visit = nil, nil
}

func (sw *Sweep) work(worker int) {
	storage, base := 0, int64(0) // the one at hand, and its first chunk's number
	for {
		number := sw.next.Add(1) - 1
		for storage < len(sw.snapshot.layers) && number-base >= chunksOf(sw.snapshot.layers[storage].store.n) {
			base += chunksOf(sw.snapshot.layers[storage].store.n)
			storage++
		}
		if storage == len(sw.snapshot.layers) {
			return
		}
		lo := int(number-base) * chunk
		sw.visit(worker, storage, lo, min(lo+chunk, sw.snapshot.layers[storage].store.n))
	}
}

func chunksOf(n int) int64 { return int64((n + chunk - 1) / chunk) }

// Observation is what a sweep found for one observer. It is valid during the
// call.
type Observation struct {
	// Worker is the number of the worker that makes the call.
	Worker int
	// Slot is the observer's, and Index its place in a storage.
	Storage     int
	Slot, Index uint32
	// Found are the slots within the radius, the observer's own included.
	Found []uint32

	_ [64]byte // keeps workers' scratch apart
}

// Within asks q around every observer that is in the snapshot: q's centre is
// ignored. It calls visit once an observer, on the workers, in an order that is
// fixed for one worker and unspecified for more; what it finds does not depend on
// it. The errors are those of [Snapshot.AppendWithin]; then nothing was visited. It
// does not allocate in the steady state. A panic of visit comes out of Within
// after all workers have stopped.
func (sw *Sweep) Within(s *Snapshot, observers *SlotSet, q Query, visit func(o *Observation)) error {
	q.X, q.Y, q.Z = 0, 0, 0
	if err := s.check(&q); err != nil {
		return err
	}
	if sw.scratch == nil {
		sw.observe, sw.scratch = sw.observeChunk, make([]Observation, sw.workers.N())
		for i := range sw.scratch {
			sw.scratch[i].Worker = i
		}
	}
	sw.asked = withinJob{observers: observers, query: q, visit: visit}
	s.prepare(&sw.asked.disc, &q)
	sw.Chunks(s, sw.observe)
	sw.asked = withinJob{}
	return nil
}

// observeChunk asks for the observers among the elements [lo, hi) of a storage.
func (sw *Sweep) observeChunk(worker, storage, lo, hi int) {
	var c cover
	s, o, d := sw.snapshot, &sw.scratch[worker], sw.asked.disc
	own := &s.layers[storage].cells
	o.Storage = storage
	for i := lo; i < hi; i++ {
		slot := own.Slot[i]
		if !sw.asked.observers.Has(slot) {
			continue
		}
		d.X, d.Y = own.X[i], own.Y[i]
		if own.Z != nil {
			d.Z = own.Z[i]
		}
		o.Slot, o.Index, o.Found = slot, uint32(i), o.Found[:0]
		for l := range s.layers {
			if r, ok := s.aims(&d, &c, &sw.asked.query, l); ok {
				o.Found = s.layers[l].appendSlots(o.Found, &d, &c, r)
			}
		}
		sw.asked.visit(o)
	}
}

// appendSlots appends the slots within d's outer disc, of radius r. Storages of bodies
// have no need of c.
func (v *view) appendSlots(dst []uint32, d *asm.Disc, c *cover, r int32) []uint32 {
	if v.bodied() {
		return v.appendBodiedSlots(dst, d, r)
	}
	dst = asm.AppendSlots(dst, &v.cells, &c.first, d)
	if c.second.Rows != 0 {
		dst = asm.AppendSlots(dst, &v.cells, &c.second, d)
	}
	return dst
}

// Work is what a query did.
type Work struct {
	// Candidates is the number of entities tested, Cells the number of cells they
	// were in, empty ones included.
	Candidates, Cells int
}

// AppendIndexes appends the index of every element of a storage within d's outer disc,
// with the bit [asm.Inner] for those within the inner one. radius is
// the outer radius. It returns the work done too. It trusts its arguments: it is
// for package interest and the like, which prepare discs once and use them for many
// observers.
func (s *Snapshot) AppendIndexes(dst []uint32, storage int, d *asm.Disc, radius int32) (found []uint32, work Work) {
	v := &s.layers[storage]
	if v.bodied() {
		return v.appendBodiedIndexes(dst, d, radius)
	}
	var c cover
	c.set(v, square(d.X, d.Y, radius))
	work.Cells = c.cells()
	v.aim(d, radius)
	dst = asm.AppendIndexes(dst, &v.cells, &c.first, d)
	if c.second.Rows != 0 {
		dst = asm.AppendIndexes(dst, &v.cells, &c.second, d)
	}
	work.Candidates = int(c.first.Seen + c.second.Seen)
	return dst, work
}

// AppendNear is [Snapshot.AppendIndexes] for slots instead of indexes.
func (s *Snapshot) AppendNear(dst []uint32, storage int, d *asm.Disc, radius int32) []uint32 {
	v := &s.layers[storage]
	var c cover
	if !v.bodied() {
		c.set(v, square(d.X, d.Y, radius))
		v.aim(d, radius)
	}
	return v.appendSlots(dst, d, &c, radius)
}

// Steady reports whether [Snapshot.AppendCrossings] is possible for a storage: the
// grid keeps previous positions, no entity changed its layer or its body since the
// snapshot before, and not too many jumped.
func (s *Snapshot) Steady(storage int) bool {
	return s.follows && !s.relayered && s.layers[storage].steady
}

// AppendCrossings finds, in one pass over the elements of a storage near the
// observer, those that crossed a limit since the snapshot before: see
// [asm.AppendCrossings]. radius is p's outer radius. To enter it appends storage
// indexes. To leave it appends the slots of the leavers; of one that is no longer in
// the storage with the bit [Left]. Somebody who jumped may be appended twice. The
// storage must be [Snapshot.Steady].
func (s *Snapshot) AppendCrossings(enter, leave []uint32, storage int, p *asm.Pair, radius int32) (entered, left []uint32, work Work) {
	v, from := &s.layers[storage], len(leave)
	if v.bodied() {
		enter, leave, work = v.appendBodiedCrossings(enter, leave, p, radius)
	} else {
		enter, leave, work = v.appendPointCrossings(enter, leave, p, radius)
	}
	for k, i := range leave[from:] {
		leave[from+k] = v.cells.Slot[i]
		if v.cells.X[i] == asm.Gone {
			leave[from+k] |= Left
		}
	}
	return enter, leave, work
}

// appendPointCrossings is AppendCrossings for a storage of points. It appends the
// indexes of those who leave.
func (v *view) appendPointCrossings(enter, leave []uint32, p *asm.Pair, radius int32) (entered, left []uint32, work Work) {
	reach := int64(radius) + int64(v.step)
	var c cover
	c.set(v, Rect{
		X0: saturate(int64(min(p.X, p.OldX)) - reach), Y0: saturate(int64(min(p.Y, p.OldY)) - reach),
		X1: saturate(int64(max(p.X, p.OldX)) + reach), Y1: saturate(int64(max(p.Y, p.OldY)) + reach),
	})
	work.Cells = c.cells()
	enter, leave = asm.AppendCrossings(enter, leave, &v.cells, &c.first, p)
	if c.second.Rows != 0 {
		enter, leave = asm.AppendCrossings(enter, leave, &v.cells, &c.second, p)
	}
	if v.extra > 0 {
		// Who left the layer, or jumped, is found by where it was. That somebody
		// jumped here is found above.
		kept := len(enter)
		behind := asm.Block{Rows: 1, ColEnd: 1}
		enter, leave = asm.AppendCrossings(enter, leave, &v.store.behind.cells, &behind, p)
		enter = enter[:kept]
		c.first.Seen += behind.Seen
	}
	work.Candidates = int(c.first.Seen + c.second.Seen)
	return enter, leave, work
}

// Left is the bit of a slot that is no longer in its storage.
const Left = 1 << 31

func saturate(v int64) int32 { return int32(min(max(v, math.MinInt32), math.MaxInt32)) }

// Find returns the storage of an entity, and its index there. It tries the index hint
// of a storage first, then searches all elements: O(1) or O(entities). ok is false if
// the snapshot does not hold h.
func (s *Snapshot) Find(h arena.Handle, storage int, hint uint32) (inStorage int, index uint32, ok bool) {
	if storage < len(s.layers) && uint64(hint) < uint64(s.layers[storage].store.n) && s.layers[storage].cells.Slot[hint] == h.Slot() {
		return storage, hint, s.Handle(h.Slot()) == h
	}
	for l := range s.layers {
		v := &s.layers[l]
		if i := slices.Index(v.cells.Slot[:v.store.n], h.Slot()); i >= 0 {
			// Only now: the generation of a slot that is not here may be written.
			return l, uint32(i), s.Handle(h.Slot()) == h
		}
	}
	return 0, 0, false
}
