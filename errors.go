package vicinity

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// The errors of World and Group; those with a culprit wrap them and name it. See
// [ErrNotFinite] and [ErrRange] too.
var (
	// ErrConfig: a field of a Config is missing or out of range.
	ErrConfig = errors.New("vicinity: bad configuration")
	// ErrClosed: the World is closed, or the Reader.
	ErrClosed = errors.New("vicinity: closed")
	// ErrBusy: the call is not possible now: a reader has a snapshot pinned (Close),
	// or a Tick is running, whose callback must not change the World, nor that of a
	// Group any World in it or the Group.
	ErrBusy = errors.New("vicinity: world is in use")
	// ErrTick: a new tick is not later than the last, of which the first is 1 or later; or
	// one to pin is later than the last, or before the oldest that is kept.
	ErrTick = errors.New("vicinity: tick out of range")
	// ErrEntity: the handle is zero or stale, or no entity has the ID.
	ErrEntity = errors.New("vicinity: no such entity")
	// ErrExists: another entity, or another connection, has the ID.
	ErrExists = errors.New("vicinity: ID is taken")
	// ErrCost: a cost is zero.
	ErrCost = errors.New("vicinity: cost is zero")
	// ErrClass: there is no such traffic class or reach class.
	ErrClass = errors.New("vicinity: no such class")
	// ErrMember: the World is in a Group already, or is not in this one, or its Group
	// ticks it.
	ErrMember = errors.New("vicinity: bad member of a group")
	// ErrFull: Config.MaxEntities entities are there, or wait to be forgotten.
	ErrFull = errors.New("vicinity: world is full")
	// ErrConn: no connection has the ID.
	ErrConn = errors.New("vicinity: no such connection")
	// ErrBudget: a budget, a reserve or a policy of budgets is impossible.
	ErrBudget = errors.New("vicinity: bad budget")
	// ErrObserver: a viewpoint, a reach, a cap or a rate is impossible.
	ErrObserver = errors.New("vicinity: bad observer")
	// ErrBody: an extent of a body is NaN, infinite, negative or out of range, or a disc
	// has edges.
	ErrBody = errors.New("vicinity: not a body")
	// ErrShape: a shape to search is impossible: the inner radius of a ring is above the
	// outer, a rectangle ends before it begins, a direction is zero, an angle is not from
	// zero to a half turn.
	ErrShape = errors.New("vicinity: not a shape")
	// ErrUnpinned: the Reader has no snapshot pinned.
	ErrUnpinned = errors.New("vicinity: reader has no snapshot pinned")
	// ErrUnsupported: the World was configured without what the call needs.
	ErrUnsupported = errors.New("vicinity: not configured for this")
)

// Rejects counts the calls that were refused because of bad input, by cause.
type Rejects struct {
	NotFinite uint64 // NaN or infinite metres
	Range     uint64 // positions and lengths out of range
	Stale     uint64 // handles that name nobody
	Duplicate uint64 // IDs that are taken
	Cost      uint64 // costs of zero
	Class     uint64 // classes that do not exist
	Full      uint64 // spawns into a full World
	Unknown   uint64 // connections that do not exist
	Other     uint64 // budgets, reaches, caps, rates, ticks, bodies, shapes, what was not configured
}

// Total returns the sum of all causes.
func (r Rejects) Total() uint64 {
	return r.NotFinite + r.Range + r.Stale + r.Duplicate + r.Cost + r.Class + r.Full + r.Unknown + r.Other
}

// rejectCauses are the errors that are counted apart.
var rejectCauses = [...]error{ErrNotFinite, ErrRange, ErrEntity, ErrExists, ErrCost, ErrClass, ErrFull, ErrConn}

// rejects are the counters behind [Rejects]: one for each cause, and one for the
// rest. Moves of several goroutines may count at the same time.
type rejects [len(rejectCauses) + 1]atomic.Uint64

// count counts an error by its cause and returns it. It is for bad input only, not
// for calls that come at the wrong time. Readers count too.
func (r *rejects) count(err error) error {
	for i, cause := range rejectCauses {
		if errors.Is(err, cause) {
			r[i].Add(1)
			return err
		}
	}
	r[len(rejectCauses)].Add(1)
	return err
}

func (r *rejects) read() Rejects {
	at := func(i int) uint64 { return r[i].Load() }
	return Rejects{
		NotFinite: at(0), Range: at(1), Stale: at(2), Duplicate: at(3), Cost: at(4),
		Class: at(5), Full: at(6), Unknown: at(7), Other: at(8),
	}
}

// errNoHeight is the error of a height in a World that has none.
var errNoHeight = fmt.Errorf("%w: Config.Height is off", ErrUnsupported)

// stale is the error of a handle that names nobody.
func stale(h Handle) error { return fmt.Errorf("%w: handle %v", ErrEntity, h) }
