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
	visit    func(worker, layer, lo, hi int)
	next     atomic.Int64
	asked    withinJob
	observe  func(worker, layer, lo, hi int)
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

// Chunks calls visit with ranges [lo, hi) of each layer's storage order, on all
// workers, until every element was in one. The ranges of one worker rise. visit
// must be safe for concurrent use; worker is 0 to N-1.
func (sw *Sweep) Chunks(s *Snapshot, visit func(worker, layer, lo, hi int)) {
	sw.snapshot, sw.visit = s, visit
	sw.next.Store(0)
	sw.workers.Run(sw.run)
	sw.snapshot, sw.visit = nil, nil
}

func (sw *Sweep) work(worker int) {
	layer, base := 0, int64(0) // the layer at hand, and its first chunk's number
	for {
		number := sw.next.Add(1) - 1
		for layer < len(sw.snapshot.layers) && number-base >= chunksOf(sw.snapshot.layers[layer].store.n) {
			base += chunksOf(sw.snapshot.layers[layer].store.n)
			layer++
		}
		if layer == len(sw.snapshot.layers) {
			return
		}
		lo := int(number-base) * chunk
		sw.visit(worker, layer, lo, min(lo+chunk, sw.snapshot.layers[layer].store.n))
	}
}

func chunksOf(n int) int64 { return int64((n + chunk - 1) / chunk) }

// Observation is what a sweep found for one observer. It is valid during the
// call.
type Observation struct {
	// Worker is the number of the worker that makes the call.
	Worker int
	// Layer and Slot are the observer's, Index its place in storage order.
	Layer       int
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

// observeChunk asks for the observers among the elements [lo, hi) of a layer.
func (sw *Sweep) observeChunk(worker, layer, lo, hi int) {
	var c cover
	s, o, d := sw.snapshot, &sw.scratch[worker], sw.asked.disc
	own := &s.layers[layer].cells
	o.Layer = layer
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
			if s.aims(&d, &c, &sw.asked.query, l) {
				o.Found = s.layers[l].appendSlots(o.Found, &d, &c)
			}
		}
		sw.asked.visit(o)
	}
}

func (v *view) appendSlots(dst []uint32, d *asm.Disc, c *cover) []uint32 {
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

func (w *Work) add(b *asm.Block) { w.Cells += int(b.Rows) * int(b.ColEnd-b.Col) }

// AppendIndexes appends the storage index of every element of a layer within d's
// outer disc, with the bit [asm.Inner] for those within the inner one. radius is
// the outer radius. It returns the work done too. It trusts its arguments: it is
// for package interest and the like, which prepare discs once and use them for many
// observers.
func (s *Snapshot) AppendIndexes(dst []uint32, layer int, d *asm.Disc, radius int32) (found []uint32, work Work) {
	v := &s.layers[layer]
	var c cover
	c.set(v, square(d.X, d.Y, radius))
	work.add(&c.first)
	work.add(&c.second)
	v.aim(d, radius)
	dst = asm.AppendIndexes(dst, &v.cells, &c.first, d)
	if c.second.Rows != 0 {
		dst = asm.AppendIndexes(dst, &v.cells, &c.second, d)
	}
	work.Candidates = int(c.first.Seen + c.second.Seen)
	return dst, work
}

// AppendNear is [Snapshot.AppendIndexes] for slots instead of indexes.
func (s *Snapshot) AppendNear(dst []uint32, layer int, d *asm.Disc, radius int32) []uint32 {
	v := &s.layers[layer]
	var c cover
	c.set(v, square(d.X, d.Y, radius))
	v.aim(d, radius)
	return v.appendSlots(dst, d, &c)
}

// Steady reports whether [Snapshot.AppendCrossings] is possible for a layer: the
// grid keeps previous positions, no entity changed its layer since the snapshot
// before, and not too many jumped.
func (s *Snapshot) Steady(layer int) bool {
	return s.follows && !s.relayered && s.layers[layer].steady
}

// AppendCrossings finds, in one pass over the elements of a layer near the
// observer, those that crossed a limit since the snapshot before: see
// [asm.AppendCrossings]. radius is p's outer radius. To enter it appends storage
// indexes. To leave it appends the slots of the leavers; of one that is no longer in
// the layer with the bit [Left]. Somebody who jumped may be appended twice. The
// layer must be [Snapshot.Steady].
func (s *Snapshot) AppendCrossings(enter, leave []uint32, layer int, p *asm.Pair, radius int32) (entered, left []uint32, work Work) {
	v := &s.layers[layer]
	reach := int64(radius) + int64(v.step)
	var c cover
	c.set(v, Rect{
		X0: saturate(int64(min(p.X, p.OldX)) - reach), Y0: saturate(int64(min(p.Y, p.OldY)) - reach),
		X1: saturate(int64(max(p.X, p.OldX)) + reach), Y1: saturate(int64(max(p.Y, p.OldY)) + reach),
	})
	work.add(&c.first)
	work.add(&c.second)
	from := len(leave)
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
	for k, i := range leave[from:] {
		leave[from+k] = v.cells.Slot[i]
		if v.cells.X[i] == asm.Gone {
			leave[from+k] |= Left
		}
	}
	work.Candidates = int(c.first.Seen + c.second.Seen)
	return enter, leave, work
}

// Left is the bit of a slot that is no longer in its layer.
const Left = 1 << 31

func saturate(v int64) int32 { return int32(min(max(v, math.MinInt32), math.MaxInt32)) }

// Find returns the layer and the storage index of an entity. It tries the index
// hint of layer first, then searches all elements: O(1) or O(entities). ok is
// false if the snapshot does not hold h.
func (s *Snapshot) Find(h arena.Handle, layer int, hint uint32) (inLayer int, index uint32, ok bool) {
	if layer < len(s.layers) && uint64(hint) < uint64(s.layers[layer].store.n) && s.layers[layer].cells.Slot[hint] == h.Slot() {
		return layer, hint, s.Handle(h.Slot()) == h
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
