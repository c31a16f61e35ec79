package interest

import (
	"unsafe"

	"vicinity/asm"
	"vicinity/grid"
)

// due is a view to be updated, and where its centre is in storage order.
type due struct {
	view  *View
	index uint32
}

// UpdateAll brings every view that is due, see [View.SetRate], up to the grid's
// current snapshot: those centred on an entity in storage order, over workers (nil:
// this goroutine). The result does not depend on the workers. It must not run at the
// same time as changes of the grid, the arena or the set. The error is
// [ErrUnpublished]. It does not allocate in the steady state. A view whose viewpoints
// are all gone from the snapshot becomes empty.
func (s *Set) UpdateAll(w *grid.Workers) error { return s.UpdateEach(w, nil) }

// UpdateEach is [Set.UpdateAll] with a visit of every updated view, right after that,
// on the worker that made it, while the view is in the cache: the place to deliver
// and [View.Commit]. visit must be safe for concurrent use (worker is 0 to N-1) and
// must not touch other views or the set. A panic of visit or of the predicate comes
// out of UpdateEach after all workers have stopped; some views may then be a snapshot
// behind, and as they were, which their next update makes good.
func (s *Set) UpdateEach(w *grid.Workers, visit func(worker int, v *View)) error {
	if s.cfg.Grid == nil || s.cfg.Grid.Snapshot() == nil {
		return ErrUnpublished
	}
	mem := s.useWorkers(w)
	s.now, s.visit = s.cfg.Grid.Snapshot(), visit
	defer func() { s.now, s.visit = nil, nil }()
	s.update++
	s.round++
	s.complete = false
	s.prepare(s.now)
	if s.placing {
		s.locate(s.now)
		s.sortChanged(s.now)
	}
	for i := range mem.each {
		mem.each[i].stats = Stats{}
	}
	mem.sweep.Chunks(s.now, s.visitChunk)
	if s.total(); s.stats.Updated < len(s.views) {
		// Views centred on points, and those whose entity is not there.
		all, points := s.countDue()
		s.missing = all > s.stats.Updated+points
		s.rest.Store(0)
		w.Run(s.runRest)
		s.total()
	}
	s.traits.settle(s.update)
	s.tick, s.complete = s.now.Tick(), true
	return nil
}

// total adds up what the workers did.
func (s *Set) total() {
	s.stats = Stats{}
	for i := range s.scratch.each {
		s.stats.add(&s.scratch.each[i].stats)
	}
}

// updateChunk updates the views centred on the elements [lo, hi) of a layer.
func (s *Set) updateChunk(worker, layer, lo, hi int) {
	sc, c := &s.scratch.each[worker], s.now.Columns(layer)
	sc.due = sc.due[:0]
	for i := lo; i < hi; i++ {
		slot := c.Slot[i]
		if !s.centred.Has(slot) || !s.first[slot].due(s.round) {
			continue
		}
		first := &s.first[slot]
		sc.due = append(sc.due, due{view: first.view, index: uint32(i)})
		if first.several {
			for v := first.view.next; v != nil; v = v.next {
				sc.due = append(sc.due, due{view: v, index: uint32(i)})
			}
		}
	}
	for k := range sc.due {
		sc.prefetch(k)
		v, i := sc.due[k].view, sc.due[k].index
		if v.entity != s.now.Handle(c.Slot[i]) || v.every > 1 && !s.states[v.number].due(s.round) {
			continue
		}
		p := grid.Point{X: c.X[i], Y: c.Y[i]}
		if c.Z != nil {
			p.Z = c.Z[i]
		}
		v.layer, v.index = layer, i
		sc.lookFrom(p)
		if v.several {
			v.addViewpoints(sc)
		}
		v.advance(s.now, sc)
		if s.visit != nil {
			s.visit(worker, v)
		}
	}
	clear(sc.due) // the memory may outlive the set
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
			asm.Prefetch(unsafe.Pointer(sc.due[i].view), hotView)
		}
	}
	if k+viewAhead < len(sc.due) {
		asm.Prefetch(unsafe.Pointer(sc.due[k+viewAhead].view), hotView)
	}
	if k+rowsAhead < len(sc.due) {
		if t := &sc.due[k+rowsAhead].view.rows; len(t.words) > 0 {
			asm.Prefetch(unsafe.Pointer(&t.words[0]), unsafe.Sizeof(word{})*uintptr(min(len(t.words), 8)))
			asm.Prefetch(unsafe.Pointer(&t.slot[0]), 4*uintptr(min(len(t.slot), 512)))
			if t.measured {
				asm.Prefetch(unsafe.Pointer(&t.dist2[0]), 4*uintptr(min(len(t.slot), 512)))
				asm.Prefetch(unsafe.Pointer(&t.level[0]), uintptr(min(len(t.slot), 512)))
			}
		}
	}
}

// restChunk is how many views a worker takes at a time.
const restChunk = 256

// countDue counts the views to be updated in this round, and those of them that are
// centred on points.
func (s *Set) countDue() (all, points int) {
	for i := range s.states {
		if st := &s.states[i]; st.due(s.round) {
			all++
			if st.point {
				points++
			}
		}
	}
	return all, points
}

// updateRest updates the views that are due and that no element is the centre of.
func (s *Set) updateRest(worker int) {
	sc := &s.scratch.each[worker]
	for {
		hi := int(s.rest.Add(restChunk))
		lo := hi - restChunk
		if lo >= len(s.views) {
			return
		}
		for k, st := range s.states[lo:min(hi, len(s.views))] {
			if !st.due(s.round) || !st.point && !s.missing {
				continue
			}
			v := s.views[lo+k]
			if v.updated == s.update {
				continue
			}
			v.advanceAway(s.now, sc)
			if s.visit != nil {
				s.visit(worker, v)
			}
		}
	}
}

// advanceAway updates a view whose centre is no entity of the snapshot.
func (v *View) advanceAway(now *grid.Snapshot, sc *scratch) {
	sc.points = sc.points[:0]
	if v.entity == 0 {
		sc.lookFrom(v.observer.At)
	}
	v.addViewpoints(sc)
	if len(sc.points) == 0 {
		v.blind(now, sc)
		return
	}
	v.advance(now, sc)
}

// Update brings one view up to the grid's current snapshot, as UpdateAll would,
// whatever its rate. The errors are [ErrView] and [ErrUnpublished]. It finds the
// observer's entity at once if the view was updated at the snapshot before or the
// entity did not move in storage order since; else it searches all entities.
func (s *Set) Update(v *View) error {
	if !s.owns(v) {
		return ErrView
	}
	if s.cfg.Grid == nil || s.cfg.Grid.Snapshot() == nil {
		return ErrUnpublished
	}
	now, sc := s.cfg.Grid.Snapshot(), s.alone()
	s.update++
	s.prepare(now)
	if s.placing {
		s.locate(now)
	}
	sc.stats = Stats{}
	layer, index, ok := 0, uint32(0), false
	if v.entity != 0 {
		layer, index, ok = now.Find(v.entity, v.layer, v.hint(now))
	}
	if !ok {
		v.advanceAway(now, sc)
		return nil
	}
	c := now.Columns(layer)
	p := grid.Point{X: c.X[index], Y: c.Y[index]}
	if c.Z != nil {
		p.Z = c.Z[index]
	}
	v.layer, v.index = layer, index
	sc.lookFrom(p)
	v.addViewpoints(sc)
	v.advance(now, sc)
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
