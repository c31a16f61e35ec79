package interest

import (
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
	levels  *grades
	views   []*View
	states  []state // of views, in the same order

	// first is the first view centred on a slot, by slot; centred has the slots
	// with any. Views that are paused are not among them.
	first   []centre
	centred grid.SlotSet

	traits tracker
	places places
	// lastArrival is the tick of the last snapshot that had somebody anew, or may have.
	lastArrival uint64
	placing     bool // places are needed, or were at some time
	timetable   timetable
	widest      []int32 // the largest leave radius of each class, see AppendObserversOf
	narrowed    bool    // it may be too large
	narrowAt    uint64  // not before this round is it made smaller
	around      []uint32

	own     *Scratch // since it was needed
	scratch *Scratch // own, or lent
	update  uint64   // number of updates made
	round   uint64   // number of calls of UpdateEach
	now     *grid.Snapshot
	visit   func(worker int, v *View)
	stats   Stats

	tick     uint64 // of the snapshot of the last UpdateEach
	complete bool   // and that it came to an end

	visitChunk func(worker, layer, lo, hi int)
	runRest    func(worker int)
	rest       atomic.Int64 // next of views that no element is the centre of
	missing    bool         // among these are views whose entity is not there

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
	// Cells is the number of cells visited.
	Cells int
	// Culled is the number of entities that a cap kept out; OverCap by how many members
	// views exceed their caps, because these are never culled.
	Culled, OverCap int
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
	s.Cells += o.Cells
	s.Culled += o.Culled
	s.OverCap += o.OverCap
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
	if s.levels, err = cfg.Levels.prepare(); err != nil {
		return nil, err
	}
	s.widest = make([]int32, len(s.reach))
	for class := range s.widest {
		s.widest[class] = Unseen
	}
	s.visitChunk = s.updateChunk
	s.runRest = s.updateRest
	return s, nil
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
	// More are further viewpoints: an entity is within reach if it is so from any of
	// them. Those that are no longer there do not count; if none is left, the view
	// becomes empty.
	More []Viewpoint
	// Mask is what the observer is permitted, see [Traits]. Entity is always
	// permitted.
	Mask uint32
	// Groups are what the observer belongs to, see [Traits].
	Groups [4]uint32
	// Cap bounds the number of members.
	Cap Cap
	// SendEvery is how many calls of UpdateAll there are to an update of this view, see
	// [View.SetRate]. Zero means 1.
	SendEvery int
	// Measured keeps [RowColumns].Dist2 and Level of the view.
	Measured bool
	// Levels are the distances between the levels; nil means the set's.
	Levels *Levels
}

// Add adds an observer with an empty view. The errors are [ErrObserver], [ErrReach],
// [ErrCap], [ErrLevels] and [ErrRate]; then nothing has changed.
func (s *Set) Add(o Observer) (*View, error) {
	v := &View{
		set: s, observer: observer{ID: o.ID, At: o.At, SendEvery: o.SendEvery}, entity: o.Entity, exclude: o.ExcludeSelf, measured: o.Measured, reach: s.reach, levels: s.levels,
		mask: o.Mask, oldMask: o.Mask, groups: o.Groups, every: uint16(max(o.SendEvery, 1)), number: len(s.views),
	}
	if err := s.check(&o); err != nil {
		return nil, err
	}
	if o.Reach != nil || o.Scale != 0 {
		if err := v.SetReach(o.Reach, o.Scale); err != nil {
			return nil, err
		}
		v.before = nil
	}
	if err := v.SetCap(o.Cap); err != nil {
		return nil, err
	}
	if err := v.SetLevels(o.Levels); err != nil {
		return nil, err
	}
	v.rows.measured = o.Measured
	v.relational = o.Groups != [groups]uint32{}
	s.placing = s.placing || o.Measured || v.relational
	v.look(o.More)
	s.views, s.states = append(s.views, v), append(s.states, state{})
	s.widen(v.reach)
	s.schedule(v)
	return v, nil
}

// check checks what Add does not check by setting it.
func (s *Set) check(o *Observer) error {
	if err := checkRate(o.ID, o.SendEvery); err != nil {
		return err
	}
	for _, p := range o.More {
		if err := s.checkViewpoint(o.ID, p); err != nil {
			return err
		}
	}
	return s.checkViewpoint(o.ID, Viewpoint{o.Entity, o.At})
}

// centre is the views centred on a slot: the first, and what else is to be known
// before one of them is looked at, for they are in no cache.
type centre struct {
	view         *View
	every, phase uint16 // of the only one
	several      bool   // there are more
}

// link enters a view in the list of its centre.
func (s *Set) link(v *View) {
	if v.entity == 0 || v.paused {
		return
	}
	slot := int(v.entity.Slot())
	if slot >= len(s.first) {
		s.first = append(s.first, make([]centre, slot+1-len(s.first))...)
	}
	v.next, s.first[slot].view = s.first[slot].view, v
	s.rate(uint32(slot))
	s.centred.Add(uint32(slot))
}

// unlink takes a view out of the list of its centre.
func (s *Set) unlink(v *View) {
	if v.entity == 0 || v.paused {
		return
	}
	slot := v.entity.Slot()
	for at := &s.first[slot].view; *at != nil; at = &(*at).next {
		if *at == v {
			*at, v.next = v.next, nil
			break
		}
	}
	if s.rate(slot); s.first[slot].view == nil {
		s.centred.Remove(slot)
	}
}

// rate notes the rate of a slot's first view; of several views, that they have to be
// looked at.
func (s *Set) rate(slot uint32) {
	c := &s.first[slot]
	if c.every, c.phase, c.several = 1, 0, c.view != nil && c.view.next != nil; c.view != nil && !c.several {
		c.every, c.phase = c.view.every, c.view.phase
	}
}

// due reports whether any view of the list may be due in a round.
func (c *centre) due(round uint64) bool {
	return c.every <= 1 || round%uint64(c.every) == uint64(c.phase)
}

// Remove removes a view, which must not be used any more. The error is
// [ErrView].
func (s *Set) Remove(v *View) error {
	if !s.owns(v) {
		return ErrView
	}
	s.unschedule(v)
	last := len(s.views) - 1
	s.views[v.number], s.states[v.number] = s.views[last], s.states[last]
	s.views[v.number].number = v.number
	s.views[last] = nil
	s.views, s.states = s.views[:last], s.states[:last]
	s.narrowed = true
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
