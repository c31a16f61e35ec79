package interest

import (
	"fmt"
	"slices"

	"vicinity/arena"
	"vicinity/grid"
)

// Candidate is one entity within the leave radius, or related to the observer,
// from any index.
type Candidate struct {
	Entity arena.Handle
	ID     uint64
	// Class is the entity's reach class.
	Class uint8
	// Inner says that it is within the enter radius too.
	Inner bool
	// Far says that it is beyond the leave radius, and a candidate because it may be
	// related.
	Far bool
	// DX and DY are its offset from the nearest viewpoint, in units, and Body is its
	// body. Only views that are Measured or have a Cap need them: Inner and Far are the
	// caller's word.
	DX, DY int32
	Body   grid.Body
}

// UpdateFrom updates the view from plain candidates instead of a grid: all
// entities within the observer's leave radius, and those beyond it that are related
// to the observer, each once, in any order. The rules are the same; the reach is
// the caller's affair, and so is when a view is due. Ticks of events are those of
// the grid's current snapshot; without one, numbers of updates. The error is
// [ErrCandidate] (a handle that is not alive, or comes twice) or [ErrView]; then
// nothing has changed. It does not allocate in the steady state.
func (v *View) UpdateFrom(candidates []Candidate) error {
	if v.set == nil {
		return ErrView
	}
	s := v.set
	sc := s.alone()
	if err := sc.checkCandidates(s.cfg.Arena, candidates); err != nil {
		return err
	}
	sc.ready()
	sc.given, sc.candidates = true, candidates
	defer func() { sc.candidates = nil }()
	s.update++
	if s.asks() {
		sc.undo.begin(v)
		defer sc.undo.rollBack(v)
	}
	v.tick, v.placed, v.force = s.update, false, true
	if s.cfg.Grid != nil && s.cfg.Grid.Snapshot() != nil {
		v.tick = s.cfg.Grid.Snapshot().Tick()
	}
	sc.stats = Stats{General: 1, Candidates: len(candidates), Inside: len(candidates)}
	if v.maxMembers > 0 {
		v.keepMembers(sc)
	}
	sc.begin(len(v.rows.words), true, false)
	v.fill(sc)
	for i := range candidates {
		v.meetCandidate(sc, int32(i))
	}
	v.empty(sc)
	v.dismiss(sc)
	v.dropDead()
	sc.undo.on = false
	if s.asks() {
		v.remember(sc)
	}
	if v.maxMembers > 0 {
		v.cull(nil, sc)
	}
	v.complete(sc)
	if v.measured {
		v.measureGiven(sc)
	}
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

func (v *View) meetCandidate(sc *scratch, k int32) {
	c := &sc.candidates[k]
	h := c.Entity
	if h == v.excluded() {
		return
	}
	r := sc.index.find(h.Slot())
	known := r >= 0 && v.rows.row[r].generation == h.Generation()
	member := known && v.rows.isMember(r)
	had := Sources(0)
	if member {
		had = v.rows.sources(r)
		sc.undo.keep(v, r)
		v.rows.row[r].class = c.Class
	}
	s := v.related(h)
	if c.Inner || h == v.entity || had&Spatial != 0 && !c.Far {
		s |= Spatial
	}
	if c.Inner || s&^Spatial != 0 {
		v.approach(sc, h)
	}
	if known {
		sc.note(r, k)
	}
	switch {
	case s == 0 && member:
		v.leave(r, reasonOf(had))
	case s == 0:
	case !v.permits(sc, h, member):
		if member {
			v.leave(r, ReasonPermission)
		}
	case member:
		v.rows.setSources(r, s)
		sc.mark(r)
	default:
		e := stranger{id: c.ID, handle: h, sources: s, class: c.Class, reason: reasonOf(s), candidate: k}
		if v.newlyPermitted(h) {
			e.reason = ReasonPermission
		}
		if v.admit(sc, r, e); known {
			sc.mark(r)
		}
	}
}

// approach notes a flagged candidate that would enter: who was refused stays so.
func (v *View) approach(sc *scratch, h arena.Handle) {
	if r := v.set.traits.of(h); r != nil && r.ask {
		sc.answers.near = append(sc.answers.near, h)
	}
}

// dismiss ends the membership of all that were no candidates.
func (v *View) dismiss(sc *scratch) {
	v.relational = len(v.relations) > 0 || v.groups != [groups]uint32{}
	for i := range v.rows.words {
		w := &v.rows.words[i]
		for gone := w.member &^ sc.marks[i]; gone != 0; gone &= gone - 1 {
			r := 64*i + lowest(gone)
			why := reasonOf(v.rows.sources(r))
			if !v.set.cfg.Arena.Alive(v.rows.row[r].handle()) {
				why = ReasonDespawn
			}
			v.leave(r, why)
		}
		v.relational = v.relational || w.related != 0
	}
}
