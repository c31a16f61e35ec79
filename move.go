package vicinity

import (
	"fmt"

	"vicinity/grid"
)

// Move moves an entity to (x, y), in metres; its height stays. It counts as changed
// if it was elsewhere before, in whole units. The errors are [ErrEntity],
// [ErrNotFinite], [ErrRange], [ErrBusy] and [ErrClosed]; they name the handle, and
// nothing has changed. Between Ticks, moves of distinct handles may run at the same
// time. O(1), no allocation.
func (w *World) Move(h Handle, x, y float64) error {
	if err := w.ready(); err != nil {
		return err
	}
	ux, err := w.cfg.Unit.Units(x)
	if err != nil {
		return w.rejectMove(h, "x", err)
	}
	uy, err := w.cfg.Unit.Units(y)
	if err != nil {
		return w.rejectMove(h, "y", err)
	}
	return w.moveTo(h, ux, uy)
}

// rejectMove counts and names the error of a move.
func (w *World) rejectMove(h Handle, axis string, err error) error {
	return w.rejects.count(fmt.Errorf("move of %v: %s: %w", w.name(h), axis, err))
}

// name names the entity of a handle for an error.
func (w *World) name(h Handle) string {
	if id, ok := w.ID(h); ok {
		return fmt.Sprintf("entity %d (handle %v)", id, h)
	}
	return fmt.Sprintf("handle %v", h)
}

// moveTo is Move in units that are not checked yet.
func (w *World) moveTo(h Handle, x, y int32) error {
	p, ok := w.grid.Position(h)
	if !ok {
		return w.rejects.count(stale(h))
	}
	if p.X == x && p.Y == y {
		return nil
	}
	if err := w.grid.Move(h, x, y); err != nil {
		return w.rejectMove(h, "position", fmt.Errorf("%w: %w", ErrRange, err))
	}
	w.touch(h.Slot())
	return nil
}

// MoveUnits is [World.Move] in units, for callers that keep whole numbers.
func (w *World) MoveUnits(h Handle, x, y int32) error {
	if err := w.ready(); err != nil {
		return err
	}
	return w.moveTo(h, x, y)
}

// MoveZ is [World.Move] with a height; [ErrUnsupported] without Config.Height.
func (w *World) MoveZ(h Handle, x, y, z float64) error {
	if err := w.ready(); err != nil {
		return err
	}
	if !w.cfg.Height {
		return w.rejectMove(h, "z", errNoHeight)
	}
	p, err := w.point(x, y, z)
	if err != nil {
		return w.rejectMove(h, "position", err)
	}
	return w.MoveUnitsZ(h, p)
}

// MoveUnitsZ is [World.MoveZ] in units.
func (w *World) MoveUnitsZ(h Handle, p grid.Point) error {
	if err := w.ready(); err != nil {
		return err
	}
	if !w.cfg.Height {
		return w.rejectMove(h, "z", errNoHeight)
	}
	before, ok := w.grid.Position(h)
	if !ok {
		return w.rejects.count(stale(h))
	}
	if before == p {
		return nil
	}
	if err := w.grid.MoveZ(h, p); err != nil {
		return w.rejectMove(h, "position", fmt.Errorf("%w: %w", ErrRange, err))
	}
	w.touch(h.Slot())
	return nil
}

// Teleport is [World.Move] across a discontinuity: until a connection was sent the
// entity, its update there is marked Jumped, so that the client does not
// interpolate from where it was.
func (w *World) Teleport(h Handle, x, y float64) error {
	if err := w.Move(h, x, y); err != nil {
		return err
	}
	return w.MarkJump(h)
}

// MarkJump says that the last move of an entity went across a discontinuity: what
// [World.Teleport] does behind its move. The errors are those of [World.Touch].
func (w *World) MarkJump(h Handle) error {
	if err := w.Touch(h); err != nil {
		return err
	}
	w.records.Slice()[h.Slot()].jumped = w.now + 1
	return nil
}

// Touch says that the state of an entity has changed, its position or anything that
// the World does not know. The errors are [ErrEntity], [ErrBusy] and [ErrClosed].
// Calls for distinct handles may run at the same time, like moves.
func (w *World) Touch(h Handle) error {
	if err := w.ready(); err != nil {
		return err
	}
	if !w.arena.Alive(h) {
		return w.rejects.count(stale(h))
	}
	w.touch(h.Slot())
	return nil
}

// moveBlock is how many moves are converted at a time, on the stack.
const moveBlock = 512

// MoveAll moves many entities to positions in metres, x[i] and y[i] for handle i,
// converted in bulk. The good ones move; the others are appended to rejected by
// rising index, with the error that [World.Move] would return, and the extended
// slice is returned. Unless x and y are as long as handles, it panics before anybody
// has moved. If the World is closed or ticks, that is the error of index 0, and nobody
// moves. Between Ticks, calls for distinct handles may run at the same time. It
// allocates only for the rejected. O(len(handles)).
func MoveAll[F float32 | float64](w *World, rejected []Rejected, handles []Handle, x, y []F) []Rejected {
	checkLengths(len(handles), len(x), len(y))
	if err := w.ready(); err != nil {
		return append(rejected, Rejected{Index: 0, Err: err})
	}
	var ux, uy [moveBlock]int32
	var badX, badY [moveBlock / 64]uint64
	for lo := 0; lo < len(handles); lo += moveBlock {
		hi := min(lo+moveBlock, len(handles))
		bad := quantise(ux[:hi-lo], badX[:], w.cfg.Unit, x[lo:hi])
		bad += quantise(uy[:hi-lo], badY[:], w.cfg.Unit, y[lo:hi])
		for i, h := range handles[lo:hi] {
			var err error
			if bad != 0 && (badX[i/64]|badY[i/64])>>(i%64)&1 != 0 {
				err = w.Move(h, float64(x[lo+i]), float64(y[lo+i]))
			} else {
				err = w.moveTo(h, ux[i], uy[i])
			}
			if err != nil {
				rejected = append(rejected, Rejected{Index: lo + i, Err: err})
			}
		}
	}
	return rejected
}

// checkLengths panics unless columns are as long as the handles.
func checkLengths(handles, x, y int) {
	if x != handles || y != handles {
		panic(fmt.Sprintf("vicinity: columns of %d and %d positions for %d handles", x, y, handles))
	}
}

// MoveAllOrNone is [MoveAll], except that if any is refused nobody moves. It is for
// one goroutine.
func MoveAllOrNone[F float32 | float64](w *World, rejected []Rejected, handles []Handle, x, y []F) []Rejected {
	checkLengths(len(handles), len(x), len(y))
	if err := w.ready(); err != nil {
		return append(rejected, Rejected{Index: 0, Err: err})
	}
	before := len(rejected)
	for i, h := range handles {
		if err := w.tryMove(h, float64(x[i]), float64(y[i])); err != nil {
			rejected = append(rejected, Rejected{Index: i, Err: err})
		}
	}
	if len(rejected) > before {
		return rejected
	}
	return MoveAll(w, rejected, handles, x, y)
}

// tryMove returns the error of a move that it does not make.
func (w *World) tryMove(h Handle, x, y float64) error {
	if !w.arena.Alive(h) {
		return w.rejects.count(stale(h))
	}
	if _, err := w.point(x, y, 0); err != nil {
		return w.rejectMove(h, "position", err)
	}
	return nil
}
