package player

import (
	"errors"
	"fmt"
	"time"

	"vicinity/internal/replay"
)

// ErrConfig is wrapped by the errors of bad settings.
var ErrConfig = errors.New("player: bad setting")

// Config is what every engine is told.
type Config struct {
	Radius  int32 // enter radius in units, 0 or more
	Margin  int32 // a member stays up to Radius + Margin; 0 or more
	Workers int   // goroutines that share the work; 0 is 1
}

func (c *Config) check() error {
	far := int64(c.Radius) + int64(c.Margin)
	if c.Radius < 0 || c.Margin < 0 || far > replay.MaxCoord {
		return fmt.Errorf("%w: radius %d and margin %d units, want both from 0 and at most %d together",
			ErrConfig, c.Radius, c.Margin, replay.MaxCoord)
	}
	if c.Workers < 0 {
		return fmt.Errorf("%w: %d workers, want 1 or more", ErrConfig, c.Workers)
	}
	c.Workers = max(1, c.Workers)
	return nil
}

// Counts is what one tick did.
type Counts struct {
	Present    int
	Enter      int // relations that begin,
	Keep       int // stay,
	Leave      int // and end, absence of either side included
	Candidates int // pairs whose distance was looked at
}

// Times are the two stages inside Engine.Tick: taking over the positions, and
// finding out who sees whom.
type Times struct{ Publish, Update time.Duration }

// Engine plays one tick after the other. After an error it can only be closed.
// The questions are about the last tick played.
type Engine interface {
	// Tick takes the positions of all present, and updates every relation.
	Tick(t *replay.Tick) (Counts, Times, error)
	// AppendRelations appends all relations that hold, sorted by Compare.
	AppendRelations(dst []replay.Relation) []replay.Relation
	// Within returns how many ordered pairs are within Radius.
	Within() (int, error)
	// Nearest calls each for every present entity, by ascending ID, with the IDs
	// of the k nearest others within Radius, ordered by distance, then ID. The
	// list is valid during the call.
	Nearest(k int, each func(observer uint64, list []uint64)) error
	// Close frees what the engine holds.
	Close() error
}
