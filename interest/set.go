package interest

import (
	"fmt"
	"slices"
	"sync/atomic"

	"vicinity/arena"
	"vicinity/grid"
)

// A Set is all observers of one world. It is for one goroutine; UpdateAll works on
// many inside.
type Set struct {
	cfg     Config
	heights bool
	reach   []limits
	views   []*View

	// first is the first view centred on a slot, by slot; centred has the slots
	// with any.
	first   []*View
	centred grid.SlotSet

	sweep   *grid.Sweep
	workers *grid.Workers
	scratch []scratch
	update  uint64 // number of updates made
	now     *grid.Snapshot
	visit   func(worker int, v *View)
	stats   Stats

	visitChunk func(worker, layer, lo, hi int)
	runRest    func(worker int)
	rest       atomic.Int64 // next of views that no element is the centre of

	compareOnly bool // tests switch the one-pass way off
}

// Stats is what the last update did, of all views or of one.
type Stats struct {
	// Updated is the number of views updated; OnePass how many of them by testing
	// old and new distance in one pass, General how many by comparing sets.
	Updated, OnePass, General int
	// Candidates is the number of entities tested, Inside how many of them were
	// within the leave radius (general updates only).
	Candidates, Inside int
	// Members is the number of members after the update; Enters and Leaves the
	// pending ones, those from before included.
	Members, Enters, Leaves int
}

func (s *Stats) add(o *Stats) {
	s.Updated += o.Updated
	s.OnePass += o.OnePass
	s.General += o.General
	s.Candidates += o.Candidates
	s.Inside += o.Inside
	s.Members += o.Members
	s.Enters += o.Enters
	s.Leaves += o.Leaves
}

// New returns an empty set. The errors are [ErrConfig], [ErrReach] and
// [vicinity/asm.EnvError].
func New(cfg Config) (*Set, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg.Reach = slices.Clone(cfg.Reach)
	s := &Set{cfg: cfg, heights: cfg.Grid != nil && cfg.Grid.Heights()}
	var err error
	if s.reach, err = resolve(cfg.Reach, 1, s.heights); err != nil {
		return nil, err
	}
	s.visitChunk = s.updateChunk
	s.runRest = s.updateRest
	s.useWorkers(nil)
	return s, nil
}

// useWorkers prepares scratch memory for each worker.
func (s *Set) useWorkers(w *grid.Workers) {
	if s.sweep != nil && s.workers == w {
		return
	}
	s.workers, s.sweep = w, grid.NewSweep(w)
	for len(s.scratch) < w.N() {
		s.scratch = append(s.scratch, scratch{})
	}
}

// Observer describes a point of view.
type Observer struct {
	// ID names the observer; the set only hands it back.
	ID uint64
	// Entity is what the view is centred on. Zero: on At.
	Entity arena.Handle
	// At is the centre of a view without an entity, in units.
	At grid.Point
	// Reach overrides the set's default reach, class by class. Nil: the default.
	Reach []Reach
	// Scale multiplies every radius of Reach; results are rounded to units. Zero
	// means 1. Heights are not scaled.
	Scale float64
	// ExcludeSelf keeps Entity out of its own view.
	ExcludeSelf bool
}

// Add adds an observer with an empty view. The errors are [ErrObserver] and
// [ErrReach].
func (s *Set) Add(o Observer) (*View, error) {
	v := &View{set: s, observer: o, entity: o.Entity, exclude: o.ExcludeSelf, reach: s.reach}
	if o.Entity != 0 && !s.cfg.Arena.Alive(o.Entity) {
		return nil, fmt.Errorf("%w: %d: entity %v is not alive", ErrObserver, o.ID, o.Entity)
	}
	if err := checkPoint(o.ID, o.At); err != nil {
		return nil, err
	}
	if o.Reach != nil || o.Scale != 0 {
		if err := v.SetReach(o.Reach, o.Scale); err != nil {
			return nil, err
		}
		v.before = nil
	}
	v.number = len(s.views)
	s.views = append(s.views, v)
	s.link(v)
	return v, nil
}

func checkPoint(id uint64, p grid.Point) error {
	for _, c := range [3]int32{p.X, p.Y, p.Z} {
		if c < -grid.MaxCoord || c > grid.MaxCoord {
			return fmt.Errorf("%w: %d: at (%d, %d, %d)", ErrObserver, id, p.X, p.Y, p.Z)
		}
	}
	return nil
}

// link enters a view in the list of its centre.
func (s *Set) link(v *View) {
	if v.observer.Entity == 0 {
		return
	}
	slot := int(v.observer.Entity.Slot())
	if slot >= len(s.first) {
		s.first = append(s.first, make([]*View, slot+1-len(s.first))...)
	}
	v.next, s.first[slot] = s.first[slot], v
	s.centred.Add(uint32(slot))
}

// unlink takes a view out of the list of its centre.
func (s *Set) unlink(v *View) {
	if v.observer.Entity == 0 {
		return
	}
	slot := v.observer.Entity.Slot()
	for at := &s.first[slot]; *at != nil; at = &(*at).next {
		if *at == v {
			*at = v.next
			break
		}
	}
	if s.first[slot] == nil {
		s.centred.Remove(slot)
	}
}

// Remove removes a view, which must not be used any more. The error is
// [ErrView].
func (s *Set) Remove(v *View) error {
	if !s.owns(v) {
		return ErrView
	}
	s.unlink(v)
	last := len(s.views) - 1
	s.views[v.number] = s.views[last]
	s.views[v.number].number = v.number
	s.views[last] = nil
	s.views = s.views[:last]
	v.set = nil
	return nil
}

func (s *Set) owns(v *View) bool { return v != nil && v.set == s }

// Len returns the number of views.
func (s *Set) Len() int { return len(s.views) }

// Views returns all views, in no particular order.
func (s *Set) Views() []*View { return slices.Clone(s.views) }

// Stats returns what the last UpdateAll did.
func (s *Set) Stats() Stats { return s.stats }
