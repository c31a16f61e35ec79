package interest

import (
	"cmp"
	"slices"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// AppendObserversOf appends the views that have an entity as a member, as of their
// last updates, sorted by observer ID: those who are told what it says and does.
// The order of views with equal IDs is fixed by the calls made.
//
// Between an UpdateAll and the grid's next Publish it looks around the entity, and
// into those views only that were not updated just now, have relations or several
// viewpoints, or are not centred on an entity; otherwise into all views. It does not
// allocate if dst has room, once its scratch memory is large enough. It is for the
// set's goroutine.
func (s *Set) AppendObserversOf(dst []*View, h arena.Handle) []*View {
	from := len(dst)
	around := s.lookAround(h)
	for number := range s.states {
		if around && s.isAround(number) {
			continue
		}
		if v := s.views[number]; v.has(h) {
			dst = append(dst, v)
		}
	}
	if around {
		for _, slot := range s.around {
			if !s.centred.Has(slot) {
				continue
			}
			for v := s.first[slot].view; v != nil; v = v.next {
				if s.isAround(v.number) && v.has(h) {
					dst = append(dst, v)
				}
			}
		}
	}
	slices.SortFunc(dst[from:], func(a, b *View) int {
		return cmp.Or(cmp.Compare(a.observer.ID, b.observer.ID), cmp.Compare(a.number, b.number))
	})
	return dst
}

// isAround reports whether a view is found by looking around its members: it was
// updated in the last round, and is regular since.
func (s *Set) isAround(number int) bool {
	st := &s.states[number]
	return st.regular && st.due(s.round)
}

// lookAround lists in s.around the slots from which h may have been seen in the
// last UpdateAll. It reports false if that cannot be told.
func (s *Set) lookAround(h arena.Handle) bool {
	if s.cfg.Grid == nil || s.cfg.Grid.Snapshot() == nil || !s.complete {
		return false
	}
	now := s.cfg.Grid.Snapshot()
	layer, ok := s.cfg.Grid.Home(h)
	if now.Tick() != s.tick || !ok {
		return false
	}
	s.locate(now)
	p, body := s.places.of(h.Slot()), s.places.body(h.Slot())
	// Everybody sees oneself; and a body from further away than its position.
	wide := int64(max(s.widestOf(layer), 0)) + int64(max(body.Radius, body.HalfX)) + int64(body.HalfY)
	if wide > grid.MaxCoord {
		return false
	}
	radius := int32(wide)
	s.around = s.around[:0]
	d := asm.Disc{X: p.X, Y: p.Y, Outer: asm.MakeLimit(radius)}
	for storage := range now.Storages() {
		s.around = now.AppendNear(s.around, storage, &d, radius)
	}
	return true
}

// has reports whether an entity is a member.
func (v *View) has(h arena.Handle) bool {
	r := v.rows.find(h.Slot())
	return r >= 0 && v.rows.isMember(r) && v.rows.row[r].generation == h.Generation()
}

// isRegular reports whether the view has nobody as a member but who is within reach
// of the entity that it is centred on, where that is in the snapshot.
func (v *View) isRegular() bool {
	return v.placed && v.entity != 0 && !v.relational
}

// narrowEvery is how many rounds there are at least between two looks at all views
// for how far they see.
const narrowEvery = 64

// widestOf returns a leave radius that no view's exceeds for a class, now or at its
// last update; Unseen if there is none.
func (s *Set) widestOf(class int) int32 {
	if s.narrowed && s.round >= s.narrowAt {
		s.narrowed, s.narrowAt = false, s.round+narrowEvery
		for class := range s.widest {
			s.widest[class] = Unseen
		}
		for _, v := range s.views {
			s.widen(v.reach)
			s.widen(v.before)
		}
	}
	return s.widest[class]
}

// widen notes that a view sees as far as it does.
func (s *Set) widen(reach []limits) {
	for class := range reach {
		if l := &reach[class]; l.Enter != Unseen {
			s.widest[class] = max(s.widest[class], l.outer)
		}
	}
}
