package packer

import (
	"errors"
	"fmt"
)

// Limits of one call.
const (
	// Levels is how many levels of detail there may be: 0 is the finest.
	Levels = 3
	// MaxClasses is how many classes a Budget may have.
	MaxClasses = 16
	// MaxCandidates is how many candidates one Pack takes.
	MaxCandidates = 1 << 17
)

// Errors of Pack. On each of them nothing was selected and the plan is as it was.
var (
	// ErrColumns: a column is missing or has another length than Cost[0], or
	// there are more than MaxCandidates.
	ErrColumns = errors.New("packer: bad columns")
	// ErrCandidate: a value of a candidate is out of range. The error is a
	// *CandidateError, which names it.
	ErrCandidate = errors.New("packer: bad candidate")
)

// Flags say what a candidate is. A candidate with neither Remove nor Spawn is an
// update.
type Flags uint8

const (
	// Remove: the client is to forget the entity. Excludes Spawn.
	Remove Flags = 1 << iota
	// Spawn: the client is to learn of the entity.
	Spawn
	// MustSend: an update that goes before all others, and at its wanted level or
	// not at all. No meaning with Remove or Spawn.
	MustSend
	// Unchanged: an update with nothing to send. It is counted, and no more. No
	// meaning with Remove or Spawn.
	Unchanged
	// AwaitingSpawn: an update that cannot be understood before a spawn that is
	// under way has arrived. It is counted, and no more; it goes before Unchanged.
	// No meaning with Remove or Spawn.
	AwaitingSpawn

	lifecycle = Remove | Spawn
	allFlags  = AwaitingSpawn<<1 - 1
)

// Candidates are what one connection may be sent, as a structure of arrays:
// element i of each column is about candidate i. ID and Cost[0] are required; any
// other column may be nil and then has the value said. All columns that are not
// nil have the same length, at most MaxCandidates. Pack only reads them.
type Candidates struct {
	// ID is the entity's ID, the last tie-break. Unique among the removes, among
	// the spawns and among the updates, which is for the caller to see to (a build
	// with the tag invariants checks it): the order of equals is not promised.
	ID []uint64
	// Priority: more is more important. The caller has added what the entity
	// means to this connection (its own avatar, its target). nil: 0.
	Priority []uint16
	// Dist2 is the squared distance, at least 0, +Inf included; NaN is an error.
	// nil: 0.
	Dist2 []float32
	// Cost is the size in bytes at each level of detail, header included, an upper
	// bound. Cost[0] is required and never 0. In a coarser level 0 says that the
	// candidate has no such level, and so does a nil column.
	Cost [Levels][]uint32
	// Class is an index into Limits.Classes. nil: 0.
	Class []uint8
	// Flags: see there. nil: 0, all are updates.
	Flags []Flags
	// Waited is how many ticks ago the oldest change that was not sent happened; 0
	// for a change of this tick. What is at rest does not wait. nil: 0.
	Waited []uint32
	// Silent is how many ticks ago the candidate was last sent, math.MaxUint32 for
	// never. It matters to Class.MinInterval only. nil: never.
	Silent []uint32
	// Level is the wanted level of detail, below Levels. A candidate that has no
	// such level is sent at the next finer one that it has. nil: 0.
	Level []uint8
	// Group: candidates with the same number other than 0 are sent together or not
	// at all, their removes, their spawns and their updates each on their own.
	// nil: 0.
	Group []uint32
	// Row is where the candidate's state lies in the caller's columns, for
	// Plan.Commit. nil: the index.
	Row []uint32
}

// Len returns how many candidates there are.
func (c *Candidates) Len() int { return len(c.Cost[0]) }

// A CandidateError says which candidate was refused, and why. It is an
// ErrCandidate.
type CandidateError struct {
	ID    uint64
	Index int
	Field string // of Candidates
	Value float64
}

// Error names the entity, the field and its value.
func (e *CandidateError) Error() string {
	return fmt.Sprintf("%v: entity %d: %s %v", ErrCandidate, e.ID, e.Field, e.Value)
}

// Unwrap returns ErrCandidate.
func (e *CandidateError) Unwrap() error { return ErrCandidate }

// checkColumns returns an error if c cannot be read as a table.
func (c *Candidates) checkColumns() error {
	n := len(c.Cost[0])
	if n > MaxCandidates {
		return fmt.Errorf("%w: %d candidates, at most %d", ErrColumns, n, MaxCandidates)
	}
	if len(c.ID) != n {
		return fmt.Errorf("%w: ID has %d elements, Cost[0] has %d", ErrColumns, len(c.ID), n)
	}
	bad := ""
	check := func(name string, absent bool, length int) {
		if !absent && length != n && bad == "" {
			bad = fmt.Sprintf("%s has %d elements, Cost[0] has %d", name, length, n)
		}
	}
	check("Priority", c.Priority == nil, len(c.Priority))
	check("Dist2", c.Dist2 == nil, len(c.Dist2))
	check("Cost[1]", c.Cost[1] == nil, len(c.Cost[1]))
	check("Cost[2]", c.Cost[2] == nil, len(c.Cost[2]))
	check("Class", c.Class == nil, len(c.Class))
	check("Flags", c.Flags == nil, len(c.Flags))
	check("Waited", c.Waited == nil, len(c.Waited))
	check("Silent", c.Silent == nil, len(c.Silent))
	check("Level", c.Level == nil, len(c.Level))
	check("Group", c.Group == nil, len(c.Group))
	check("Row", c.Row == nil, len(c.Row))
	if bad != "" {
		return fmt.Errorf("%w: %s", ErrColumns, bad)
	}
	return nil
}

// refuse returns what is wrong with candidate i, nil if nothing is.
func (c *Candidates) refuse(i, classes int) error {
	bad := func(field string, value float64) error {
		return &CandidateError{ID: c.ID[i], Index: i, Field: field, Value: value}
	}
	switch {
	case c.Cost[0][i] == 0:
		return bad("Cost[0]", 0)
	case c.Dist2 != nil && !(c.Dist2[i] >= 0):
		return bad("Dist2", float64(c.Dist2[i]))
	case c.Class != nil && int(c.Class[i]) >= classes:
		return bad("Class", float64(c.Class[i]))
	case c.Level != nil && c.Level[i] >= Levels:
		return bad("Level", float64(c.Level[i]))
	case c.Flags != nil && (c.Flags[i] > allFlags || c.Flags[i]&lifecycle == lifecycle):
		return bad("Flags", float64(c.Flags[i]))
	}
	return nil
}
