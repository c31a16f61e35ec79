package crosslist

import (
	"errors"
	"fmt"

	"vicinity/arena"
)

// MaxCoord is the largest absolute value of a coordinate, and the largest
// Radius + Margin, in units.
const MaxCoord = 1<<30 - 1

// The errors of this package; those with a culprit wrap them and name it.
var (
	// ErrConfig: a field of Config is missing.
	ErrConfig = errors.New("crosslist: bad configuration")
	// ErrRange: a coordinate, a radius, a margin or a rectangle is out of range.
	ErrRange = errors.New("crosslist: out of range")
	// ErrShape: the [Shape] is none of the constants.
	ErrShape = errors.New("crosslist: unknown shape")
	// ErrHandle: the handle is zero or stale, or its entity is not in the list.
	ErrHandle = errors.New("crosslist: handle is not in the list")
	// ErrExists: the slot of the handle is taken; or the handle was removed in the
	// open batch and can be inserted again when that has ended.
	ErrExists = errors.New("crosslist: slot is taken")
	// ErrTrigger: the trigger is zero, or was removed.
	ErrTrigger = errors.New("crosslist: no such trigger")
	// ErrAttached: the trigger moves with its owner, and not otherwise.
	ErrAttached = errors.New("crosslist: trigger is attached to an entity")
	// ErrOpen: a batch is open, and the call needs that there is none.
	ErrOpen = errors.New("crosslist: a batch is open")
	// ErrNotOpen: no batch is open.
	ErrNotOpen = errors.New("crosslist: no batch is open")
	// ErrFull: the slot is 2^30 or more, or there are 2^29 triggers.
	ErrFull = errors.New("crosslist: full")
)

// outside reports whether v is no coordinate.
func outside(v int32) bool { return uint32(v+MaxCoord) > 2*MaxCoord }

// outOfRange is the error of a place.
func outOfRange(who fmt.Stringer, x, y int32) error {
	return fmt.Errorf("%w: %v at (%d, %d)", ErrRange, who, x, y)
}

// badRadius reports whether there can be no trigger of such a radius and margin.
func badRadius(radius, margin int32) bool {
	return radius < 0 || margin < 0 || int64(radius)+int64(margin) > MaxCoord
}

// radiusOutOfRange is the error of a radius.
func radiusOutOfRange(who fmt.Stringer, radius, margin int32) error {
	return fmt.Errorf("%w: %v with radius %d, margin %d", ErrRange, who, radius, margin)
}

// checkHandle returns ErrHandle if h is no entity of the list.
func (l *List) checkHandle(h arena.Handle) error {
	if !l.Holds(h) {
		return fmt.Errorf("%w: %v", ErrHandle, h)
	}
	return nil
}

// checkTrigger returns ErrTrigger if t is no trigger of the list.
func (l *List) checkTrigger(t Trigger) error {
	if !l.names.Alive(arena.Handle(t)) {
		return fmt.Errorf("%w: %v", ErrTrigger, t)
	}
	return nil
}
