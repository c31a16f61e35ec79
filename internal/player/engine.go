package player

import (
	"errors"
	"fmt"
	"time"

	"vicinity/interest"
	"vicinity/internal/replay"
)

// ErrConfig is wrapped by the errors of bad settings.
var ErrConfig = errors.New("player: bad setting")

// MaxSendEvery is the longest time between two updates of an observer, in ticks.
const MaxSendEvery = interest.MaxSendEvery

// Config is what every engine is told.
type Config struct {
	Radius  int32 // enter radius in units, 0 or more
	Margin  int32 // a member stays up to Radius + Margin; 0 or more
	Workers int   // goroutines that share the work; 0 is 1

	// Cap is the most members of one view: of more, a spatially even subset stays.
	// 0 is no cap.
	Cap int
	// SendEvery is how many ticks apart the updates of one observer are; its first
	// comes within as many. At most MaxSendEvery; 0 is 1: every tick.
	SendEvery int
	// Budget is what each observer may be sent. Nil: everything, at once.
	Budget *Budget
}

// Whole says that more is asked for than who sees whom in every tick: then NewGrid
// does not do.
func (c *Config) Whole() bool { return c.Cap > 0 || c.SendEvery > 1 || c.Budget != nil }

// price is what a kind costs; without a budget it does not matter.
func (c *Config) price(kind int32) Price {
	if c.Budget != nil {
		return c.Budget.Price(kind)
	}
	return Price{Cost: 1}
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
	if c.Cap < 0 {
		return fmt.Errorf("%w: cap of %d members, want 1 or more, or 0 for none", ErrConfig, c.Cap)
	}
	if c.SendEvery < 0 || c.SendEvery > MaxSendEvery {
		return fmt.Errorf("%w: an update every %d ticks, want 1 to %d", ErrConfig, c.SendEvery, MaxSendEvery)
	}
	if c.Budget != nil {
		if err := c.Budget.check(); err != nil {
			return err
		}
	}
	c.Workers, c.SendEvery = max(1, c.Workers), max(1, c.SendEvery)
	return nil
}

// Counts is what one tick did. A relation is a pair of IDs, as of the observer's
// last update.
type Counts struct {
	Present    int
	Enter      int // relations that begin,
	Keep       int // stay,
	Leave      int // and end, absence of either side included
	Candidates int // pairs whose distance was looked at
	Culled     int // pairs that the cap keeps out of the views updated
}

// Times are the stages inside Engine.Tick: taking over the positions, and
// finding out who sees whom and, with a budget, who is sent what. Output is listing
// what came of it, as far as Tick does that.
type Times struct{ Publish, Update, Output time.Duration }

// Engine plays one tick after the other. After an error it can only be closed.
// The questions are about the last tick played.
type Engine interface {
	// Tick takes the positions of all present, and updates every relation.
	Tick(t *replay.Tick) (Counts, Times, error)
	// AppendRelations appends all relations that hold, sorted by Compare.
	AppendRelations(dst []replay.Relation) []replay.Relation
	// Packed returns what was sent, nil without a budget. Culled is for the caller to
	// fill. It is valid until the next tick.
	Packed() *replay.Packed
	// Within returns how many ordered pairs are within Radius.
	Within() (int, error)
	// Nearest calls each for every present entity, by ascending ID, with the IDs
	// of the k nearest others within Radius, ordered by distance, then ID. The
	// list is valid during the call.
	Nearest(k int, each func(observer uint64, list []uint64)) error
	// Close frees what the engine holds.
	Close() error
}
