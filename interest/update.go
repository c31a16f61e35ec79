package interest

import (
	"unsafe"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// scratch is a worker's memory.
type scratch struct {
	due          []due
	found        []uint32
	enter, leave []uint32
	strangers    []stranger
	index        index
	indexed      bool // index holds the rows of the view at hand
	stats        Stats
	_            [64]byte // keeps workers apart
}

// due is a view to be updated, and where its centre is in storage order.
type due struct {
	view  *View
	index uint32
}

// stranger is somebody who enters in this update.
type stranger struct {
	id     uint64
	handle arena.Handle
	class  uint8
	reason Reason
}

// UpdateAll brings every view up to the grid's current snapshot: those centred on
// an entity in storage order, over workers (nil: this goroutine). The result does
// not depend on the workers. It must not run at the same time as changes of the
// grid, the arena or the set. The error is [ErrUnpublished]. It does not allocate in
// the steady state. A view whose entity is not in the snapshot becomes empty.
func (s *Set) UpdateAll(w *grid.Workers) error { return s.UpdateEach(w, nil) }

// UpdateEach is [Set.UpdateAll] with a visit of every view right after its update,
// on the worker that made it, while the view is in the cache: the place to deliver
// and [View.Commit]. visit must be safe for concurrent use (worker is 0 to N-1) and
// must not touch other views or the set. A panic of visit comes out of UpdateEach
// after all workers have stopped; some views may then be a snapshot behind, which
// the next update makes good.
func (s *Set) UpdateEach(w *grid.Workers, visit func(worker int, v *View)) error {
	if s.cfg.Grid == nil || s.cfg.Grid.Snapshot() == nil {
		return ErrUnpublished
	}
	s.useWorkers(w)
	s.now, s.visit = s.cfg.Grid.Snapshot(), visit
	s.update++
	for i := range s.scratch {
		s.scratch[i].stats = Stats{}
	}
	s.sweep.Chunks(s.now, s.visitChunk)
	if s.total(); s.stats.Updated < len(s.views) {
		s.rest.Store(0)
		w.Run(s.runRest)
		s.total()
	}
	s.now, s.visit = nil, nil
	return nil
}

// total adds up what the workers did.
func (s *Set) total() {
	s.stats = Stats{}
	for i := range s.scratch {
		s.stats.add(&s.scratch[i].stats)
	}
}

// updateChunk updates the views centred on the elements [lo, hi) of a layer.
func (s *Set) updateChunk(worker, layer, lo, hi int) {
	sc, c := &s.scratch[worker], s.now.Columns(layer)
	sc.due = sc.due[:0]
	for i := lo; i < hi; i++ {
		if slot := c.Slot[i]; s.centred.Has(slot) {
			for v := s.first[slot]; v != nil; v = v.next {
				sc.due = append(sc.due, due{view: v, index: uint32(i)})
			}
		}
	}
	for k := range sc.due {
		sc.prefetch(k)
		v, i := sc.due[k].view, sc.due[k].index
		if v.entity != s.now.Handle(c.Slot[i]) {
			continue
		}
		p := grid.Point{X: c.X[i], Y: c.Y[i]}
		if c.Z != nil {
			p.Z = c.Z[i]
		}
		v.layer, v.index = layer, i
		v.advance(s.now, sc, p)
		if s.visit != nil {
			s.visit(worker, v)
		}
	}
}

// Views lie all over memory. While view k is updated, view k + viewAhead is fetched,
// and of view k + rowsAhead, which has come by then, the rows.
const (
	viewAhead = 12
	rowsAhead = 6
)

func (sc *scratch) prefetch(k int) {
	if k == 0 {
		for i := range min(viewAhead, len(sc.due)) {
			asm.Prefetch(unsafe.Pointer(sc.due[i].view), unsafe.Offsetof(View{}.observer))
		}
	}
	if k+viewAhead < len(sc.due) {
		asm.Prefetch(unsafe.Pointer(sc.due[k+viewAhead].view), unsafe.Offsetof(View{}.observer))
	}
	if k+rowsAhead < len(sc.due) {
		if t := &sc.due[k+rowsAhead].view.rows; len(t.words) > 0 {
			asm.Prefetch(unsafe.Pointer(&t.words[0]), unsafe.Sizeof(word{})*uintptr(min(len(t.words), 8)))
			asm.Prefetch(unsafe.Pointer(&t.slot[0]), 4*uintptr(min(len(t.slot), 512)))
		}
	}
}

// restChunk is how many views a worker takes at a time.
const restChunk = 256

// updateRest updates the views that no element is the centre of.
func (s *Set) updateRest(worker int) {
	sc := &s.scratch[worker]
	for {
		hi := int(s.rest.Add(restChunk))
		lo := hi - restChunk
		if lo >= len(s.views) {
			return
		}
		for _, v := range s.views[lo:min(hi, len(s.views))] {
			if v.updated == s.update {
				continue
			}
			if v.entity == 0 {
				v.advance(s.now, sc, v.observer.At)
			} else {
				v.blind(s.now, sc)
			}
			if s.visit != nil {
				s.visit(worker, v)
			}
		}
	}
}

// Update brings one view up to the grid's current snapshot, as UpdateAll would.
// The errors are [ErrView] and [ErrUnpublished]. It finds the observer's entity at
// once if the view was updated at the snapshot before or the entity did not move
// in storage order since; else it searches all entities.
func (s *Set) Update(v *View) error {
	if !s.owns(v) {
		return ErrView
	}
	if s.cfg.Grid == nil || s.cfg.Grid.Snapshot() == nil {
		return ErrUnpublished
	}
	now, sc := s.cfg.Grid.Snapshot(), &s.scratch[0]
	s.update++
	sc.stats = Stats{}
	if v.entity == 0 {
		v.advance(now, sc, v.observer.At)
		return nil
	}
	layer, index, ok := now.Find(v.entity, v.layer, v.hint(now))
	if !ok {
		v.blind(now, sc)
		return nil
	}
	c := now.Columns(layer)
	p := grid.Point{X: c.X[index], Y: c.Y[index]}
	if c.Z != nil {
		p.Z = c.Z[index]
	}
	v.layer, v.index = layer, index
	v.advance(now, sc, p)
	return nil
}

// hint guesses where the observer's entity is in storage order.
func (v *View) hint(now *grid.Snapshot) uint32 {
	perm, rebuilt := now.Perm(v.layer)
	if previous, ok := now.Previous(); rebuilt && ok && v.placed && v.tick == previous && int(v.index) < len(perm) && perm[v.index] >= 0 {
		return uint32(perm[v.index])
	}
	return v.index
}

// advance updates the view, whose observer stands at p.
func (v *View) advance(now *grid.Snapshot, sc *scratch, p grid.Point) {
	sc.strangers = sc.strangers[:0]
	previous, ok := now.Previous()
	next := ok && v.placed && v.tick == previous
	if next && v.followsUp(now) {
		sc.stats.OnePass++
		v.onePass(now, sc, p)
	} else {
		sc.stats.General++
		v.compare(now, sc, p, next)
	}
	v.at, v.placed, v.tick, v.before = p, true, now.Tick(), nil
	v.complete(sc)
}

// followsUp reports whether the one-pass way is right for a view that is exactly
// one snapshot old: its reach is the same, and the old positions are known.
func (v *View) followsUp(now *grid.Snapshot) bool {
	if v.before != nil || v.set.compareOnly {
		return false
	}
	for class := range v.reach {
		if v.reach[class].Enter != Unseen && !now.Steady(class) {
			return false
		}
	}
	return true
}

// onePass applies the crossings of limits since the snapshot before.
func (v *View) onePass(now *grid.Snapshot, sc *scratch, p grid.Point) {
	for class := range v.reach {
		l := &v.reach[class]
		if l.Enter == Unseen {
			continue
		}
		pair := l.pair(p, v.at)
		var n int
		sc.enter, sc.leave, n = now.AppendCrossings(sc.enter[:0], sc.leave[:0], class, &pair, l.outer)
		sc.stats.Candidates += n
		if len(sc.enter)+len(sc.leave) > manyLookups {
			v.fill(sc)
		}
		for _, slot := range sc.leave {
			v.crossedOut(sc, slot)
		}
		slots := now.Columns(class).Slot
		for _, i := range sc.enter {
			v.crossedIn(now, sc, slots[i], class)
		}
		v.empty(sc)
	}
}

// manyLookups is from how many lookups on it pays to index the rows first: a
// search goes over all rows too, but 16 at a time.
const manyLookups = 24

// fill indexes the view's rows; empty undoes it.
func (v *View) fill(sc *scratch) {
	sc.index.fill(&v.rows, v.set.cfg.Arena.Slots())
	sc.indexed = true
}

func (v *View) empty(sc *scratch) {
	if sc.indexed {
		sc.index.empty(&v.rows)
		sc.indexed = false
	}
}

// find returns the row of a slot, -1 if there is none.
func (v *View) find(sc *scratch, slot uint32) int {
	if sc.indexed {
		return sc.index.find(slot)
	}
	return v.rows.find(slot)
}

func (v *View) crossedOut(sc *scratch, slot uint32) {
	reason := ReasonRange
	if slot&grid.Left != 0 {
		reason = ReasonDespawn
	}
	if r := v.find(sc, slot&^grid.Left); r >= 0 && v.rows.isMember(r) {
		v.leave(r, reason)
	}
}

// crossedIn lets somebody within the enter radius enter, who was not before.
func (v *View) crossedIn(now *grid.Snapshot, sc *scratch, slot uint32, class int) {
	h := now.Handle(slot)
	if h == v.excluded() {
		return
	}
	if r := v.find(sc, slot); r >= 0 {
		if v.rows.isMember(r) {
			return
		}
		if v.rows.row[r].generation == h.Generation() {
			v.readmit(r, class, ReasonRange)
			return
		}
		v.replace(sc, r)
	}
	sc.strangers = append(sc.strangers, stranger{id: now.ID(slot), handle: h, class: uint8(class), reason: ReasonRange})
}

// compare compares all within the leave radius with the rows. next says that the
// view is exactly one snapshot old.
func (v *View) compare(now *grid.Snapshot, sc *scratch, p grid.Point, next bool) {
	v.rows.unmark()
	v.fill(sc)
	for class := range v.reach {
		l := &v.reach[class]
		if l.Enter == Unseen {
			continue
		}
		d := l.disc(p)
		var n int
		sc.found, n = now.AppendIndexes(sc.found[:0], class, &d, l.outer)
		sc.stats.Candidates += n
		sc.stats.Inside += len(sc.found)
		v.meet(now, sc, p, class, next)
	}
	if v.before != nil {
		v.blameReach(now, sc, p)
	}
	v.empty(sc)
	v.dismiss(func(r int) Reason {
		if v.set.cfg.Grid.Holds(v.rows.row[r].handle()) {
			return ReasonRange
		}
		return ReasonDespawn
	})
}

// meet goes through the found of one class.
func (v *View) meet(now *grid.Snapshot, sc *scratch, p grid.Point, class int, next bool) {
	c, excluded := now.Columns(class), v.excluded()
	for _, found := range sc.found {
		i := found &^ asm.Inner
		slot := c.Slot[i]
		r := sc.index.find(slot)
		if r < 0 && found == i {
			continue // a stranger, not within the enter radius
		}
		// A slot that two snapshots in a row hold is the same entity in both: the
		// arena does not hand out a slot again before it was published as free.
		if r >= 0 && next && v.rows.isMember(r) && slot != excluded.Slot() {
			v.rows.mark(r)
			continue
		}
		v.meetOne(now, sc, c, p, class, found, r)
	}
}

// meetOne is the rare part of meet: who may be somebody else than the row says, or
// is no member yet.
func (v *View) meetOne(now *grid.Snapshot, sc *scratch, c grid.Columns, p grid.Point, class int, found uint32, r int) {
	i := found &^ asm.Inner
	h := now.Handle(c.Slot[i])
	known := r >= 0 && v.rows.row[r].generation == h.Generation()
	switch {
	case h == v.excluded():
	case known && v.rows.isMember(r):
		v.rows.mark(r)
	case found == i:
	case known:
		v.readmit(r, class, v.enterReason(c, i, p, class))
		v.rows.mark(r)
	default:
		if r >= 0 {
			v.replace(sc, r)
		}
		sc.strangers = append(sc.strangers, stranger{
			id: now.ID(c.Slot[i]), handle: h, class: uint8(class), reason: v.enterReason(c, i, p, class),
		})
	}
}
