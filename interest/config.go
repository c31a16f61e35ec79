package interest

import (
	"errors"
	"fmt"
	"math"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// The errors of this package; those with a culprit wrap them.
var (
	// ErrConfig: a field of Config is missing or out of range.
	ErrConfig = errors.New("interest: bad configuration")
	// ErrReach: a reach is out of range.
	ErrReach = errors.New("interest: bad reach")
	// ErrObserver: the observer's entity is not alive, or its point out of range.
	ErrObserver = errors.New("interest: bad observer")
	// ErrView: the view was removed, or belongs to another set.
	ErrView = errors.New("interest: view is not in this set")
	// ErrCandidate: a candidate's handle is not alive, or comes twice.
	ErrCandidate = errors.New("interest: bad candidate")
	// ErrEntity: a handle is not alive.
	ErrEntity = errors.New("interest: entity is not alive")
	// ErrSource: sources of a relation are none, Spatial, or unknown.
	ErrSource = errors.New("interest: bad sources of a relation")
	// ErrCap: a field of a Cap is out of range.
	ErrCap = errors.New("interest: bad cap")
	// ErrLevels: level distances are out of range.
	ErrLevels = errors.New("interest: bad levels")
	// ErrRate: SendEvery is out of range.
	ErrRate = errors.New("interest: bad rate")
	// ErrUnpublished: the grid has published nothing.
	ErrUnpublished = errors.New("interest: nothing published yet")
)

// Unseen as a Reach's Enter says that the class is not seen at all; but for the
// observer's own entity, which no reach hides.
const Unseen = -1

// Reach is how far one class of entities is seen, in units.
type Reach struct {
	// Enter is the closed radius within which a stranger becomes a member, 0 to
	// grid.MaxCoord, or Unseen.
	Enter int32
	// Margin is how much further a member may be and stay. Enter + Margin is at
	// most grid.MaxCoord.
	Margin int32
	// Height and HeightMargin are the same for |dz|, in grids with heights:
	// grid.AnyHeight admits every height. Elsewhere they must be zero.
	Height, HeightMargin int32
}

// Config says what a Set is to be.
type Config struct {
	// Arena tells which handles are alive. Required.
	Arena *arena.Arena
	// Grid is where UpdateAll and Update look. Without one only
	// View.UpdateFrom works.
	Grid *grid.Grid
	// Reach is the default reach of each class, one for each layer of the grid.
	// Required with a Grid.
	Reach []Reach
	// Levels are the default distances between levels of detail, for observers that
	// are Measured.
	Levels Levels
	// Predicate, if not nil, decides about entities with [Traits].Ask, after the
	// permission bits: whether the observer of that ID may know the entity. In one
	// update of a view it is asked at most once about an entity, never about the
	// observer's own, and only
	//   - when a stranger would enter, be it that a [Cap] then keeps it out. Who was
	//     refused is remembered, and not asked about again, while it would still enter
	//     at every update of the view;
	//   - about members, and those remembered, when [Set.Invalidate] or SetTraits
	//     changed the entity, when it is back after it had left the world, or when
	//     [View.Invalidate] or another centre changed the view.
	// So an answer that changes without Invalidate acts when it is asked for next,
	// whichever way an update takes. What is remembered takes 8 bytes for each refused
	// entity within reach.
	//
	// It must be safe for concurrent use and must not use the set. If it panics, the
	// panic comes out of the update, and the view is as it was before: nothing of the
	// update happened to it, and its next one is exact.
	Predicate func(observer uint64, entity arena.Handle) bool
	// MeasureLate leaves the distances of views that look from one place and have no
	// levels to who needs them: updates do not write them, [View.Sight] tells what to
	// measure, and of such views Columns().Dist2 means nothing.
	MeasureLate bool
	// Seed decides, with the IDs, who stays when a crowd is culled.
	Seed uint64
}

func (cfg *Config) check() error {
	if cfg.Arena == nil {
		return fmt.Errorf("%w: Arena is required", ErrConfig)
	}
	if cfg.Grid == nil {
		return asm.EnvError()
	}
	if len(cfg.Reach) != cfg.Grid.Layers() {
		return fmt.Errorf("%w: %d reaches for %d layers", ErrConfig, len(cfg.Reach), cfg.Grid.Layers())
	}
	return asm.EnvError()
}

// limits is a reach as updates use it.
type limits struct {
	Reach
	outer                    int32 // Enter + Margin
	enter, leave             asm.Limit
	enterHeight, leaveHeight uint32
	flags                    asm.Flags
}

// resolve checks the reaches and prepares them, scaled.
func resolve(reach []Reach, scale float64, heights bool) ([]limits, error) {
	if math.IsNaN(scale) || math.IsInf(scale, 0) || scale < 0 {
		return nil, fmt.Errorf("%w: scale %v", ErrReach, scale)
	}
	if scale == 0 {
		scale = 1
	}
	out := make([]limits, len(reach))
	for class, r := range reach {
		if r.Enter == Unseen {
			out[class] = limits{Reach: Reach{Enter: Unseen}}
			continue
		}
		enter, leave := math.Round(float64(r.Enter)*scale), math.Round((float64(r.Enter)+float64(r.Margin))*scale)
		if r.Enter < 0 || r.Margin < 0 || leave > grid.MaxCoord {
			return nil, fmt.Errorf("%w: class %d: enter %d, margin %d, scale %v", ErrReach, class, r.Enter, r.Margin, scale)
		}
		if r.Height < 0 || r.HeightMargin < 0 || !heights && (r.Height != 0 || r.HeightMargin != 0) {
			return nil, fmt.Errorf("%w: class %d: height %d, margin %d (grid with heights: %v)", ErrReach, class, r.Height, r.HeightMargin, heights)
		}
		l := &out[class]
		l.Reach = Reach{Enter: int32(enter), Margin: int32(leave) - int32(enter), Height: r.Height, HeightMargin: r.HeightMargin}
		l.outer = int32(leave)
		l.enter, l.leave = asm.MakeLimit(int32(enter)), asm.MakeLimit(int32(leave))
		l.enterHeight = uint32(r.Height)
		l.leaveHeight = uint32(min(int64(r.Height)+int64(r.HeightMargin), math.MaxInt32))
		if r.Height == grid.AnyHeight {
			l.leaveHeight, l.enterHeight = math.MaxInt32, math.MaxInt32
		}
		if heights {
			l.flags = asm.WithHeight
		}
	}
	return out, nil
}

// disc prepares the query of one class around a point.
func (l *limits) disc(p grid.Point) asm.Disc {
	return asm.Disc{
		X: p.X, Y: p.Y, Z: p.Z,
		Outer: l.leave, Inner: l.enter,
		OuterHeight: l.leaveHeight, InnerHeight: l.enterHeight,
		Flags: l.flags,
	}
}

// pair prepares the one-pass query of one class.
func (l *limits) pair(now, before grid.Point) asm.Pair {
	return asm.Pair{
		X: now.X, Y: now.Y, Z: now.Z,
		OldX: before.X, OldY: before.Y, OldZ: before.Z,
		Outer: l.leave, Inner: l.enter,
		OuterHeight: l.leaveHeight, InnerHeight: l.enterHeight,
		Flags: l.flags,
	}
}
