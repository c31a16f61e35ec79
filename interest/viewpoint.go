package interest

import (
	"fmt"

	"vicinity/arena"
	"vicinity/grid"
)

// Viewpoint is where an observer looks from: an entity, or if that is zero a point,
// in units.
type Viewpoint struct {
	Entity arena.Handle
	At     grid.Point
}

// SetViewpoints replaces all viewpoints, from the next update on: the centre as in
// [View.SetCentre], and more. The errors are [ErrObserver] and [ErrView]; then nothing
// has changed. It allocates if there are more than ever before.
func (v *View) SetViewpoints(entity arena.Handle, at grid.Point, more ...Viewpoint) error {
	if v.set == nil {
		return ErrView
	}
	if err := v.set.checkViewpoint(v.observer.ID, Viewpoint{entity, at}); err != nil {
		return err
	}
	for _, p := range more {
		if err := v.set.checkViewpoint(v.observer.ID, p); err != nil {
			return err
		}
	}
	v.set.unlink(v)
	v.placed = false
	// Who was exempt from permission as the observer's own entity is so no more.
	v.reask = v.reask || v.entity != entity
	v.observer.At, v.entity = at, entity
	v.look(more)
	v.set.enter(v)
	return nil
}

// look sets the further viewpoints.
func (v *View) look(more []Viewpoint) {
	v.more, v.several = append(v.more[:0], more...), len(more) > 0
	v.set.placing = v.set.placing || len(more) > 0
}

// checkViewpoint returns why an observer cannot look from p.
func (s *Set) checkViewpoint(id uint64, p Viewpoint) error {
	if p.Entity != 0 && !s.cfg.Arena.Alive(p.Entity) {
		return fmt.Errorf("%w: %d: entity %v is not alive", ErrObserver, id, p.Entity)
	}
	for _, c := range [3]int32{p.At.X, p.At.Y, p.At.Z} {
		if c < -grid.MaxCoord || c > grid.MaxCoord {
			return fmt.Errorf("%w: %d: at (%d, %d, %d)", ErrObserver, id, p.At.X, p.At.Y, p.At.Z)
		}
	}
	return nil
}

// lookFrom begins the list of where the view looks from.
func (sc *scratch) lookFrom(p grid.Point) { sc.points = append(sc.points[:0], p) }

// addViewpoints appends the further viewpoints that are there.
func (v *View) addViewpoints(sc *scratch) {
	for i := range v.more {
		p := &v.more[i]
		switch {
		case p.Entity == 0:
			sc.points = append(sc.points, p.At)
		case v.set.holds(p.Entity):
			sc.points = append(sc.points, v.set.places.of(p.Entity.Slot()))
		}
	}
}

// nearest returns the offset of q from the one of the points that is nearest to a body
// there. Of a disc, that is who is nearest to its centre.
func (sc *scratch) nearest(q grid.Point, b grid.Body) (dx, dy int32) {
	best := int64(-1)
	for _, p := range sc.points {
		x, y := q.X-p.X, q.Y-p.Y
		if d := b.EdgeDist2(x, y); best < 0 || d < best {
			best, dx, dy = d, x, y
		}
	}
	return dx, dy
}
