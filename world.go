package vicinity

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
	"vicinity/interest"
	"vicinity/packer"
)

// A World is one space (a map, an instance, a dungeon): the entities in it, who
// looks at them, and what each connection is sent in a tick. See the package
// documentation for the terms, and for who may call what when.
type World struct {
	cfg   Config
	arena *arena.Arena
	grid  *grid.Grid
	set   *interest.Set

	// Columns by slot. hot is what decides whether a member is worth a look: all that
	// packing reads of the many who are not sent. A rank is 65,535 - priority.
	ids     idTable
	records *arena.Column[record]
	hot     *arena.Column[asm.Hot]
	extras  *arena.Column[extra]
	// mustSends and bundles count the entities that have such a thing: while there
	// are none, packing need not look.
	mustSends, bundles int
	// dearest is at least what any entity costs.
	dearest uint32

	conns map[ConnID]*connection // nil before the first
	list  []*connection          // in no order; a view's tag is its connection's number here
	// order is by ID; with disorder it is not, and has some who have gone. With several
	// workers nobody needs it, and those gone are forgotten when half of it are.
	order    []*connection
	disorder bool
	budgets  map[budgetKey]*sharedBudget

	tick    uint64 // of the last Tick
	epoch   uint64 // tick of stamp 0
	now     uint32 // stamp of the last Tick, 0 before the first
	state   atomic.Int32
	rejects rejects

	run     run
	scratch []*scratch
	lent    bool // it is in a Group
	// past is what scratch memory that was given up had counted, nil for nothing.
	past   *packer.Stats
	ranked bool // budgets see levels of detail
	spaced bool // budgets see when somebody was sent last
	// waiting says that how long somebody waits counts; ageWeights and silences by how
	// much and from when on, by class.
	waiting              bool
	ageWeights, silences [packer.MaxClasses]uint32
	starvedShare         float64
	// shortlists says that crowds may be packed by their best: see shortlist.go.
	shortlists bool
	stretch    float64 // of Class.MinInterval; 0 is 1
	stats      Stats
}

// The states of a World.
const (
	stateOpen = iota
	stateTicking
	stateClosed
)

// New returns an empty World. The errors are [ErrConfig] with the field named,
// those of package arena when memory cannot be had, and that of a kernel tier
// that this machine does not have.
func New(cfg Config) (*World, error) {
	cfg = cfg.defaults()
	cfg.Reach, cfg.Classes = slices.Clone(cfg.Reach), slices.Clone(cfg.Classes)
	if err := cfg.check(); err != nil {
		return nil, err
	}
	w := &World{cfg: cfg}
	if err := w.build(); err != nil {
		w.free()
		return nil, err
	}
	return w, nil
}

// build makes the stages.
func (w *World) build() (err error) {
	reach, err := w.reaches(w.cfg.Reach)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	levels, err := w.levels(w.cfg.Levels)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	a, err := arena.New(arena.Config{Capacity: w.cfg.MaxEntities, Memory: w.cfg.Memory, Deferred: true})
	if err != nil {
		return err
	}
	w.arena = a
	if w.records, err = arena.NewColumn[record](a, w.cfg.Memory); err != nil {
		return err
	}
	if w.hot, err = arena.NewColumn[asm.Hot](a, w.cfg.Memory); err != nil {
		return err
	}
	if w.extras, err = arena.NewColumn[extra](a, w.cfg.Memory); err != nil {
		return err
	}
	g, err := grid.New(grid.Config{
		Arena: a, Layers: layers(reach), Height: w.cfg.Height, Masks: w.cfg.QueryMasks, Previous: true,
		History: w.cfg.History, MaxReaders: w.cfg.MaxReaders, Memory: w.cfg.Memory, Workers: w.cfg.Workers,
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	w.grid = g
	w.set, err = interest.New(interest.Config{
		Arena: a, Grid: g, Reach: reach, Levels: levels, Predicate: w.predicate(), Seed: w.cfg.Seed, MeasureLate: true,
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	w.ranked = w.cfg.Levels != Levels{} || w.cfg.Degrade
	w.usePolicy()
	w.run.share, w.run.note = w.share, w.note // once: a method value allocates
	w.run.labels = newLabels(w.cfg.Profile)
	return nil
}

// predicate hands the interest's question on.
func (w *World) predicate() func(uint64, arena.Handle) bool {
	ask := w.cfg.Predicate
	if ask == nil {
		return nil
	}
	return func(observer uint64, h arena.Handle) bool { return ask(ConnID(observer), h) }
}

// layers gives each reach class a layer with cells that suit its radius.
func layers(reach []interest.Reach) []grid.Layer {
	out := make([]grid.Layer, len(reach))
	for i, r := range reach {
		radius := int32(1 << 10)
		if r.Enter != interest.Unseen {
			radius = int32(min(int64(r.Enter)+int64(r.Margin), grid.MaxCoord))
		}
		out[i].CellX, out[i].CellY = grid.CellFor(radius)
	}
	return out
}

// Close frees the World's memory. While a reader has a snapshot pinned, or a Tick of
// it or of its [Group] is running, it is [ErrBusy] and nothing has changed. Afterwards
// every call is [ErrClosed] or answers that there is nobody. A second Close does
// nothing. The workers stay the caller's.
func (w *World) Close() error {
	switch w.state.Load() {
	case stateClosed:
		return nil
	case stateTicking:
		return ErrBusy
	}
	if err := w.grid.Close(); err != nil {
		if errors.Is(err, grid.ErrBusy) {
			return fmt.Errorf("%w: %w", ErrBusy, err)
		}
		return err
	}
	w.state.Store(stateClosed)
	w.free()
	return nil
}

// free drops everything. Nobody can have a snapshot pinned.
func (w *World) free() {
	if w.grid != nil {
		w.grid.Close()
	}
	if w.arena != nil {
		w.arena.Close()
	}
	w.ids, w.conns, w.list, w.order, w.budgets, w.scratch = idTable{}, nil, nil, nil, nil, nil
}

// ready returns the error of a change that comes at the wrong time.
func (w *World) ready() error {
	switch w.state.Load() {
	case stateOpen:
		return nil
	case stateTicking:
		return ErrBusy
	}
	return ErrClosed
}

// SetStretch multiplies every MinInterval of the traffic classes by a factor of 1 or
// more, from the next Tick on: for a server that cannot keep up. The errors are
// [ErrBudget], [ErrBusy] and [ErrClosed].
func (w *World) SetStretch(factor float64) error {
	if err := w.ready(); err != nil {
		return err
	}
	if !(factor >= 1) || math.IsInf(factor, 1) {
		return w.rejects.count(fmt.Errorf("%w: intervals stretched by %v", ErrBudget, factor))
	}
	w.stretch = factor
	return nil
}

// Unit returns how many metres a unit is.
func (w *World) Unit() Unit { return w.cfg.Unit }

// Now returns the tick of the last Tick, 0 before the first.
func (w *World) Now() uint64 { return w.tick }
