package interest

import (
	"slices"

	"vicinity/arena"
)

// answers is what the predicate said in the update of the view at hand. Bits are by
// slot, so that nobody is asked about twice, from however many viewpoints and by
// however many sources it is found.
type answers struct {
	asked, yes []uint64
	slots      []uint32       // of asked
	no         []arena.Handle // the answer was no
	near       []arena.Handle // updates from candidates: flagged, and would enter
	kept       []arena.Handle // memory for remember
}

// clear forgets all answers.
func (a *answers) clear() {
	for _, slot := range a.slots {
		a.asked[slot/64], a.yes[slot/64] = 0, 0
	}
	a.slots, a.no, a.near = a.slots[:0], a.no[:0], a.near[:0]
}

// of returns the answer about a slot, if there was one.
func (a *answers) of(slot uint32) (yes, ok bool) {
	if i := int(slot / 64); i < len(a.asked) && a.asked[i]>>(slot%64)&1 != 0 {
		return a.yes[i]>>(slot%64)&1 != 0, true
	}
	return false, false
}

// note notes an answer.
func (a *answers) note(h arena.Handle, yes bool) {
	slot := h.Slot()
	i, b := int(slot/64), uint64(1)<<(slot%64)
	if i >= len(a.asked) {
		n := i + i/4 + 1 - len(a.asked)
		a.asked, a.yes = append(a.asked, make([]uint64, n)...), append(a.yes, make([]uint64, n)...)
	}
	a.slots = append(a.slots, slot)
	if a.asked[i] |= b; yes {
		a.yes[i] |= b
		return
	}
	a.no = append(a.no, h)
}

// asks reports whether the predicate may be asked about anybody.
func (s *Set) asks() bool { return s.traits.asking > 0 && s.cfg.Predicate != nil }

// answer is the predicate's part of permits. It is asked at most once in an update,
// about a member only if its answer may have changed, and about others not while they
// are remembered as refused.
func (v *View) answer(sc *scratch, r *record, h arena.Handle, member bool) bool {
	ask := v.set.cfg.Predicate
	if !r.ask || ask == nil {
		return true
	}
	if yes, ok := sc.answers.of(h.Slot()); ok {
		return yes
	}
	if !v.reask && r.changed <= v.updated && (member || v.isRefused(h)) {
		return member
	}
	yes := ask(v.observer.ID, h)
	sc.answers.note(h, yes)
	return yes
}

// isRefused reports whether somebody is listed as refused.
func (v *View) isRefused(h arena.Handle) bool {
	if len(v.refused) == 0 {
		return false
	}
	_, ok := slices.BinarySearch(v.refused, h)
	return ok
}

// remember lists who was refused, now or before, and would enter but for that.
func (v *View) remember(sc *scratch) {
	a := &sc.answers
	if len(v.refused)+len(a.no) == 0 {
		return
	}
	slices.Sort(a.near)
	a.kept = a.kept[:0]
	if !v.reask {
		for _, h := range v.refused {
			if r := v.set.traits.of(h); r != nil && r.ask && r.changed <= v.updated && v.wouldEnter(sc, h) {
				a.kept = append(a.kept, h)
			}
		}
	}
	for _, h := range a.no {
		if v.wouldEnter(sc, h) {
			a.kept = append(a.kept, h)
		}
	}
	slices.Sort(a.kept)
	v.refused = append(v.refused[:0], a.kept...)
}

// wouldEnter reports whether a stranger of whom nothing but permission is asked would
// be a member.
func (v *View) wouldEnter(sc *scratch, h arena.Handle) bool {
	if sc.given {
		_, ok := slices.BinarySearch(sc.answers.near, h)
		return ok
	}
	return v.set.holds(h) && (v.related(h) != 0 || v.reaches(sc, int(v.set.class(h)), h.Slot(), false))
}
