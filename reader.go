package vicinity

import (
	"errors"
	"fmt"
	"math"

	"vicinity/grid"
)

// A Reader asks where everybody was at one tick: who is within a radius, in a cone,
// nearest. It pins the snapshot of a tick, the last or one before, which stays as it is
// whatever the World does meanwhile, answers any number of queries about it, and unpins
// it. A query moves nothing and locks nothing.
//
// All queries have the same rules. Lengths are metres, rounded to the nearest whole unit
// once, directions and angles as [Cone] says; from there on everything is exact in whole
// numbers, the same on every CPU.
// Borders are inside: an entity is found if its closed [Body] and the closed shape have a
// point in common. It is found once. The order is fixed by the snapshot but otherwise
// unspecified, except that of [Reader.AppendNearest]. On an error dst comes back as it was;
// all errors but [ErrUnpinned] are counted in [Stats].Rejects.
//
// A Reader is for one goroutine; different ones run at the same time as each other and
// as everything else, a Tick too. Close and NewReader may be called at any time. It
// owns the scratch memory of its queries, which grows with the largest answer.
type Reader struct {
	world    *World
	reader   *grid.Reader   // nil once closed
	snapshot *grid.Snapshot // nil if none is pinned

	slots []uint32
	hits  []grid.Hit
	near  []grid.Near
}

// Found is an entity that a query found.
type Found struct {
	// ID is the caller's; Handle is that of the entity then, which may have gone since.
	ID     uint64
	Handle Handle
	// Distance is how far its body is from the centre of the query in the plane, in
	// metres, 0 inside: of AppendWithin, rounded to about seven digits; of AppendNearest,
	// to about 16, but that of a disc may be short by up to a unit. Other queries leave
	// it 0.
	Distance float64
}

// NewReader registers a reader of snapshots. The errors are those of
// [grid.Grid.NewReader], and [ErrClosed]. It may be called at any time, by anybody.
func (w *World) NewReader() (*Reader, error) {
	r, err := w.grid.NewReader()
	if err != nil {
		return nil, closedError(err)
	}
	return &Reader{world: w, reader: r}, nil
}

// closedError is an error of package grid, with ErrClosed too if it is its like.
func closedError(err error) error {
	if errors.Is(err, grid.ErrClosed) {
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return err
}

// Pin pins the snapshot of the last Tick; of the one before while a Tick is sorting.
// The errors are [grid.ErrPinned] (unpin first), [grid.ErrUnpublished] (there was no
// Tick yet) and [ErrClosed]. It takes about ten nanoseconds, never waits for the writer
// and does not allocate. A World that has a snapshot pinned cannot be closed.
func (r *Reader) Pin() error {
	if r.reader == nil {
		return ErrClosed
	}
	s, err := r.reader.Pin()
	if err != nil {
		return closedError(err)
	}
	r.snapshot = s
	return nil
}

// PinAt pins the state as of a tick: the newest snapshot that is not later. With
// Config.History that may be an earlier one, in which everything is found as it was
// found then. The errors are those of Pin, and [ErrTick] if the tick is later than the
// last or before the oldest that is kept; it names them, and is counted in
// [Stats].Rejects. Otherwise it is like Pin. O(log History).
func (r *Reader) PinAt(tick uint64) error {
	if r.reader == nil {
		return ErrClosed
	}
	s, err := r.reader.PinAt(tick)
	if errors.Is(err, grid.ErrTick) {
		return r.world.rejects.count(fmt.Errorf("%w: %w", ErrTick, err))
	}
	if err != nil {
		return closedError(err)
	}
	r.snapshot = s
	return nil
}

// Unpin gives the snapshot back. Without one it does nothing. What was found stays
// the caller's.
func (r *Reader) Unpin() {
	if r.reader != nil {
		r.reader.Unpin()
	}
	r.snapshot = nil
}

// Close unpins, and makes room for another Reader: afterwards Pin is [ErrClosed]. A
// second Close does nothing.
func (r *Reader) Close() {
	r.Unpin()
	if r.reader != nil {
		r.reader.Close()
	}
	r.reader, r.slots, r.hits, r.near = nil, nil, nil, nil
}

// Tick returns the tick of the pinned snapshot, 0 if none is pinned.
func (r *Reader) Tick() uint64 {
	if r.snapshot == nil {
		return 0
	}
	return r.snapshot.Tick()
}

// Snapshot returns the pinned snapshot for queries in units, nil if none is pinned. Its
// layers are the reach classes. It is valid until Unpin.
func (r *Reader) Snapshot() *grid.Snapshot { return r.snapshot }

// lengths converts what a query asks for, if there is something to ask.
func (r *Reader) lengths() lengths {
	l := lengths{unit: r.world.cfg.Unit}
	if r.snapshot == nil {
		l.err = ErrUnpinned
	}
	return l
}

// refuse counts the error of a query and names the query; nil stays nil. Without a pin the
// query itself may be right.
func (r *Reader) refuse(name string, err error) error {
	if err == nil || err == ErrUnpinned {
		return err
	}
	return r.world.rejects.count(fmt.Errorf("%s: %w", name, err))
}

// found describes a slot of the pinned snapshot at a squared distance in square units.
func (r *Reader) found(slot uint32, dist2 float64) Found {
	return Found{
		ID: r.snapshot.ID(slot), Handle: r.snapshot.Handle(slot),
		Distance: math.Sqrt(dist2) * float64(r.world.cfg.Unit),
	}
}

// answer appends what the scratch slots are, unless the query is refused.
func (r *Reader) answer(dst []Found, name string, err error) ([]Found, error) {
	if err != nil {
		return dst, r.refuse(name, err)
	}
	for _, slot := range r.slots {
		dst = append(dst, r.found(slot, 0))
	}
	return dst, nil
}
