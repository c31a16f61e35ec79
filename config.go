package vicinity

import (
	"fmt"
	"math"

	"vicinity/arena"
	"vicinity/grid"
	"vicinity/interest"
	"vicinity/packer"
)

// MaxReaches is the largest number of reach classes.
const MaxReaches = 16

// Config says what a [World] is to be. The zero Config is valid.
type Config struct {
	// Unit is how many metres a unit is. Zero means [DefaultUnit], 1/256 m.
	Unit Unit
	// Reach says from how far each reach class of entities is seen, by class; at
	// most [MaxReaches]. An entity names its class at Spawn. Nil means one class,
	// seen from 100 m with a margin of 10 m.
	//
	// Each class has cells of its own, that suit its reach: so a giant that is seen
	// from afar costs nobody who looks at the small ones, and a class whose entities
	// stand still costs nothing at all. Give things that never move a class.
	Reach []Reach
	// Height gives positions a Z, and reaches a height.
	Height bool
	// Classes are the traffic classes: what budgets promise to each kind of entity.
	// An entity names its class at Spawn. Nil means one class without promises.
	Classes []packer.Class
	// StarvedShare is the share of a budget that goes to entities that waited longer
	// than their class's MaxSilence, 0 to 1. Zero means a third.
	StarvedShare float64
	// Degrade sends a lower level of detail where the wanted one does not fit.
	Degrade bool
	// QueryMasks keeps the permission bits of entities where queries of readers can
	// filter by them: [Where].Mask. It costs 8 bytes an entity in columns by slot and 8
	// more in each buffer of a layer, and [World.SetMasks] has its layer sorted anew.
	// Views do not need it.
	QueryMasks bool
	// History is how many ticks before the last are kept for [Reader.PinAt], 0 to
	// [grid.MaxHistory]: for a shot that is judged by what the shooter saw. Each costs
	// the buffers of the classes in which somebody moved: see [grid.Config]. Slots of
	// those who despawned wait that long, within MaxEntities.
	History int
	// Levels says from which distance on less detail is wanted, in metres. The zero
	// value means all detail at any distance.
	Levels Levels
	// RemoveCost is what telling a client of a leave costs, in bytes. Zero means 8.
	RemoveCost uint32
	// Predicate, if not nil, is asked whether a connection may know an entity that
	// was spawned with Ask, when it would enter a view and after [World.Invalidate].
	// It runs on the workers, must depend on nothing but what changes between ticks,
	// and must not call the World except for [World.ID]. [World.Explain] asks it too.
	// For its panics see [World.Tick].
	Predicate func(c ConnID, h Handle) bool
	// MaxEntities is the largest number of entities. Zero means 2^24; at most 2^31-1.
	MaxEntities int
	// Memory is where columns by entity and by cell live.
	Memory arena.Memory
	// Workers share the work of a Tick, and the callback runs on them. They are the
	// caller's, who closes them after the World. Nil means the goroutine that calls
	// Tick, alone.
	Workers *grid.Workers
	// MaxReaders is the largest number of readers of snapshots. Zero means 64.
	MaxReaders int
	// Seed draws who stays in view where a cap must choose.
	Seed uint64
	// Profile puts a label "stage" on the profiler's samples: publish, update, pack
	// or callback. Labels that the goroutine calling Tick has are lost then. It costs
	// some ten nanoseconds a connection.
	Profile bool
}

// Reach is how far one class of entities is seen, in metres.
type Reach struct {
	// Enter is the closed distance within which a stranger comes into view. Negative:
	// the class is not seen at all.
	Enter float64
	// Margin is how much further it may go and stay in view, 0 or more.
	Margin float64
	// Height and HeightMargin are the same for the difference in height, in Worlds
	// with Config.Height. Zero Height means any; else both must be zero.
	Height, HeightMargin float64
}

// Levels are the distances of detail in metres: [packer.Levels] of them. Up to Near
// an entity is wanted in full (level 0), up to Mid in part (1), beyond in little
// (2). A level once chosen is kept until the distance is Margin past its limit.
type Levels struct{ Near, Mid, Margin float64 }

// defaults returns the configuration with what zeros mean.
func (cfg Config) defaults() Config {
	if cfg.Unit == 0 {
		cfg.Unit = DefaultUnit
	}
	if cfg.Reach == nil {
		cfg.Reach = []Reach{{Enter: 100, Margin: 10}}
	}
	if len(cfg.Classes) == 0 {
		cfg.Classes = []packer.Class{{}}
	}
	if cfg.RemoveCost == 0 {
		cfg.RemoveCost = 8
	}
	if cfg.MaxEntities == 0 {
		cfg.MaxEntities = 1 << 24
	}
	return cfg
}

// check refuses what New cannot refuse by trying.
func (cfg *Config) check() error {
	if err := cfg.Unit.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if len(cfg.Reach) == 0 || len(cfg.Reach) > MaxReaches {
		return fmt.Errorf("%w: %d reach classes; want 1 to %d", ErrConfig, len(cfg.Reach), MaxReaches)
	}
	if cfg.MaxEntities < 0 || cfg.MaxEntities > math.MaxInt32 {
		return fmt.Errorf("%w: MaxEntities is %d", ErrConfig, cfg.MaxEntities)
	}
	// A budget as large as can be shows whether the policy is possible at all.
	if _, err := packer.NewBudget(cfg.limits(math.MaxUint32, math.MaxUint32/2)); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}

// limits is the policy for one budget.
func (cfg *Config) limits(bytes, reserve uint32) packer.Limits {
	return packer.Limits{
		Bytes: bytes, Reserve: reserve, Classes: cfg.Classes,
		StarvedShare: cfg.StarvedShare, Degrade: cfg.Degrade,
	}
}

// lengths converts lengths to whole units, each rounded to the nearest, up to the
// first that cannot be converted.
type lengths struct {
	unit Unit
	err  error // of that one
}

// extent returns a length that must not be negative in units, 0 after an error.
func (l *lengths) extent(name string, metres float64) int32 {
	if l.err == nil && metres < 0 && !math.IsInf(metres, -1) {
		l.err = fmt.Errorf("%s: %w: %v m is negative", name, ErrRange, metres)
	}
	return l.units(name, metres)
}

// units returns a length in units, 0 after an error.
func (l *lengths) units(name string, metres float64) int32 {
	if l.err != nil {
		return 0
	}
	v, err := l.unit.Units(metres)
	if err != nil {
		l.err = fmt.Errorf("%s: %w", name, err)
	}
	return v
}

// reaches converts reaches to units.
func (w *World) reaches(list []Reach) ([]interest.Reach, error) {
	if list == nil {
		return nil, nil
	}
	out := make([]interest.Reach, len(list))
	for class, r := range list {
		var err error
		if out[class], err = w.reach(r); err != nil {
			return nil, fmt.Errorf("%w: reach class %d: %w", ErrObserver, class, err)
		}
	}
	return out, nil
}

func (w *World) reach(r Reach) (interest.Reach, error) {
	if r.Enter < 0 {
		return interest.Reach{Enter: interest.Unseen}, nil
	}
	l := lengths{unit: w.cfg.Unit}
	out := interest.Reach{
		Enter: l.units("enter", r.Enter), Margin: l.units("margin", r.Margin),
		Height: l.units("height", r.Height), HeightMargin: l.units("height margin", r.HeightMargin),
	}
	if w.cfg.Height && r.Height == 0 && r.HeightMargin == 0 {
		out.Height = grid.AnyHeight
	}
	return out, l.err
}

func (w *World) levels(v Levels) (interest.Levels, error) {
	l := lengths{unit: w.cfg.Unit}
	out := interest.Levels{Near: l.units("near", v.Near), Mid: l.units("mid", v.Mid), Margin: l.units("margin of levels", v.Margin)}
	return out, l.err
}

// NewWorkers returns n workers for Config.Workers or a [Group]: n - 1 goroutines, and
// whoever calls Tick. Close ends them.
func NewWorkers(n int) *grid.Workers { return grid.NewWorkers(n) }
