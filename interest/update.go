package interest

import (
	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// scratch is a worker's memory.
type scratch struct {
	found        []uint32
	enter, leave []uint32
	strangers    []stranger
	stats        Stats
	_            [64]byte // keeps workers apart
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
func (s *Set) UpdateAll(w *grid.Workers) error {
	if s.cfg.Grid == nil || s.cfg.Grid.Snapshot() == nil {
		return ErrUnpublished
	}
	s.useWorkers(w)
	s.now = s.cfg.Grid.Snapshot()
	s.update++
	for i := range s.scratch {
		s.scratch[i].stats = Stats{}
	}
	s.sweep.Chunks(s.now, s.visitChunk)
	s.rest.Store(0)
	w.Run(s.runRest)
	s.stats = Stats{}
	for i := range s.scratch {
		s.stats.add(&s.scratch[i].stats)
	}
	s.now = nil
	return nil
}

// updateChunk updates the views centred on the elements [lo, hi) of a layer.
func (s *Set) updateChunk(worker, layer, lo, hi int) {
	sc, c := &s.scratch[worker], s.now.Columns(layer)
	for i := lo; i < hi; i++ {
		slot := c.Slot[i]
		if !s.centred.Has(slot) {
			continue
		}
		p := grid.Point{X: c.X[i], Y: c.Y[i]}
		if c.Z != nil {
			p.Z = c.Z[i]
		}
		for v := s.first[slot]; v != nil; v = v.next {
			if v.observer.Entity == s.now.Handle(slot) {
				v.layer, v.index = layer, uint32(i)
				v.advance(s.now, sc, p)
			}
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
			if v.observer.Entity == 0 {
				v.advance(s.now, sc, v.observer.At)
			} else {
				v.blind(s.now, sc)
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
	if v.observer.Entity == 0 {
		v.advance(now, sc, v.observer.At)
		return nil
	}
	layer, index, ok := now.Find(v.observer.Entity, v.layer, v.hint(now))
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
	if v.followsUp(now) {
		sc.stats.OnePass++
		v.onePass(now, sc, p)
	} else {
		sc.stats.General++
		v.compare(now, sc, p)
	}
	v.at, v.placed, v.tick, v.before = p, true, now.Tick(), nil
	v.complete(sc)
}

// followsUp reports whether the one-pass way is right: the view is exactly one
// snapshot old, with the same reach, and so are the old positions.
func (v *View) followsUp(now *grid.Snapshot) bool {
	previous, ok := now.Previous()
	if !ok || !v.placed || v.tick != previous || v.before != nil || v.set.compareOnly {
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
		for _, slot := range sc.leave {
			v.crossedOut(slot)
		}
		slots := now.Columns(class).Slot
		for _, i := range sc.enter {
			v.crossedIn(now, sc, slots[i], class)
		}
	}
}

func (v *View) crossedOut(slot uint32) {
	reason := ReasonRange
	if slot&grid.Left != 0 {
		reason = ReasonDespawn
	}
	r := v.rows.find(slot &^ grid.Left)
	if r < 0 || !v.rows.has(v.rows.member, r) {
		return
	}
	v.leave(r, reason)
}

// crossedIn lets somebody within the enter radius enter, who was not before.
func (v *View) crossedIn(now *grid.Snapshot, sc *scratch, slot uint32, class int) {
	h := now.Handle(slot)
	if h == v.excluded() {
		return
	}
	if r := v.rows.find(slot); r >= 0 {
		if v.rows.row[r].generation == h.Generation() {
			v.readmit(r, class, ReasonRange)
			return
		}
		v.replace(r)
	}
	sc.strangers = append(sc.strangers, stranger{id: now.ID(slot), handle: h, class: uint8(class), reason: ReasonRange})
}

// compare compares all within the leave radius with the rows.
func (v *View) compare(now *grid.Snapshot, sc *scratch, p grid.Point) {
	clear(v.rows.marked)
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
		v.meet(now, sc, p, class)
	}
	if v.before != nil {
		v.blameReach(now, sc, p)
	}
	v.dismiss(func(r int) Reason {
		if v.set.cfg.Grid.Holds(v.rows.row[r].handle()) {
			return ReasonRange
		}
		return ReasonDespawn
	})
}

// meet goes through the found of one class.
func (v *View) meet(now *grid.Snapshot, sc *scratch, p grid.Point, class int) {
	c, excluded := now.Columns(class), v.excluded()
	for _, found := range sc.found {
		i := found &^ asm.Inner
		slot := c.Slot[i]
		r := v.rows.find(slot)
		if r < 0 && found == i {
			continue // a stranger, not within the enter radius
		}
		h := now.Handle(slot)
		switch {
		case h == excluded:
		case r >= 0 && v.rows.row[r].generation == h.Generation():
			if v.rows.has(v.rows.member, r) {
				v.rows.set(v.rows.marked, r)
				v.rows.row[r].class = uint8(class)
			} else if found != i {
				v.readmit(r, class, v.enterReason(c, i, p, class))
				v.rows.set(v.rows.marked, r)
			}
		case found != i:
			if r >= 0 {
				v.replace(r)
			}
			sc.strangers = append(sc.strangers, stranger{
				id: now.ID(slot), handle: h, class: uint8(class), reason: v.enterReason(c, i, p, class),
			})
		}
	}
}
