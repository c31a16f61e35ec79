package interest

import (
	"fmt"
	"slices"

	"vicinity/arena"
)

// Candidate is one entity within the leave radius, from any index.
type Candidate struct {
	Entity arena.Handle
	ID     uint64
	// Class is the entity's reach class; the view only remembers it.
	Class uint8
	// Inner says that it is within the enter radius too.
	Inner bool
}

// UpdateFrom updates the view from plain candidates instead of a grid: all
// entities within the observer's leave radius, each once, in any order. The rules
// are the same; the reach is the caller's affair. The error is [ErrCandidate] (a
// handle that is not alive, or comes twice) or [ErrView]; then nothing has changed. It does not allocate
// in the steady state.
func (v *View) UpdateFrom(candidates []Candidate) error {
	if v.set == nil {
		return ErrView
	}
	sc := &v.set.scratch[0]
	if err := sc.checkCandidates(v.set.cfg.Arena, candidates); err != nil {
		return err
	}
	v.set.update++
	sc.stats = Stats{General: 1, Candidates: len(candidates), Inside: len(candidates)}
	sc.strangers = sc.strangers[:0]
	v.rows.unmark()
	v.fill(sc)
	for i := range candidates {
		v.meetCandidate(sc, &candidates[i])
	}
	v.empty(sc)
	v.dismiss(func(r int) Reason {
		if v.set.cfg.Arena.Alive(v.rows.row[r].handle()) {
			return ReasonRange
		}
		return ReasonDespawn
	})
	v.placed, v.before = false, nil
	v.complete(sc)
	return nil
}

func (sc *scratch) checkCandidates(a *arena.Arena, candidates []Candidate) error {
	sc.found = sc.found[:0]
	for i := range candidates {
		if h := candidates[i].Entity; !a.Alive(h) {
			return fmt.Errorf("%w: %v (ID %d) is not alive", ErrCandidate, h, candidates[i].ID)
		}
		sc.found = append(sc.found, candidates[i].Entity.Slot())
	}
	slices.Sort(sc.found)
	for i := 1; i < len(sc.found); i++ {
		if sc.found[i] == sc.found[i-1] {
			return fmt.Errorf("%w: slot %d comes twice", ErrCandidate, sc.found[i])
		}
	}
	return nil
}

func (v *View) meetCandidate(sc *scratch, c *Candidate) {
	r := sc.index.find(c.Entity.Slot())
	known := r >= 0 && v.rows.row[r].generation == c.Entity.Generation()
	switch {
	case c.Entity == v.excluded():
	case known && v.rows.isMember(r):
		v.rows.mark(r)
	case !c.Inner:
	case known:
		v.readmit(r, int(c.Class), ReasonRange)
		v.rows.mark(r)
	default:
		if r >= 0 {
			v.replace(sc, r)
		}
		sc.strangers = append(sc.strangers, stranger{id: c.ID, handle: c.Entity, class: c.Class, reason: ReasonRange})
	}
}
