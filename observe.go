package vicinity

import (
	"fmt"
	"slices"

	"vicinity/interest"
)

// refuse counts the error of a call about a connection, and names it.
func (w *World) refuse(id ConnID, err error) error {
	return w.rejects.count(fmt.Errorf("connection %d: %w", id, err))
}

// wrong is refuse for what package interest refuses, if it does.
func (w *World) wrong(id ConnID, err error) error {
	if err == nil {
		return nil
	}
	return w.refuse(id, fmt.Errorf("%w: %w", ErrObserver, err))
}

// SetBudget sets how many bytes a delivery may take, and how many of them are
// kept for enters and leaves, from the next Tick on; zeros mean what they do in
// [Connection]. The errors are [ErrBudget] and those of [World.Disconnect]. It
// allocates only for a pair of numbers that no connection has at present.
func (w *World) SetBudget(id ConnID, bytes, reserve uint32) error {
	c, err := w.conn(id)
	if err != nil {
		return err
	}
	if c.watch {
		return w.refuse(id, fmt.Errorf("%w: a watcher has none", ErrBudget))
	}
	b, err := w.takeBudget(bytes, reserve)
	if err != nil {
		return w.refuse(id, err)
	}
	w.dropBudget(c.budget)
	c.budget = b
	return nil
}

// SetViewpoints sets where a connection looks from. The errors are [ErrEntity],
// [ErrNotFinite], [ErrRange], [ErrUnsupported] (a height without Config.Height) and
// those of [World.Disconnect]. It allocates.
func (w *World) SetViewpoints(id ConnID, first Viewpoint, more ...Viewpoint) error {
	c, err := w.conn(id)
	if err != nil {
		return err
	}
	at, err := w.viewpoint(first)
	if err != nil {
		return w.refuse(id, err)
	}
	rest, err := w.viewpoints(more)
	if err != nil {
		return w.refuse(id, err)
	}
	return w.wrong(id, c.view.SetViewpoints(first.Entity, at, rest...))
}

// SetReach sets how far a connection sees, at once and without any movement; nil
// and zero mean what they do in [Connection]. The errors are [ErrObserver] and
// those of [World.Disconnect]. It allocates.
func (w *World) SetReach(id ConnID, reach []Reach, scale float64) error {
	c, err := w.conn(id)
	if err != nil {
		return err
	}
	r, err := w.reaches(reach)
	if err != nil {
		return w.refuse(id, err)
	}
	return w.wrong(id, c.view.SetReach(r, scale))
}

// SetMask sets the permission bits of a connection. The errors are those of
// [World.Disconnect].
func (w *World) SetMask(id ConnID, mask uint32) error {
	c, err := w.conn(id)
	if err == nil {
		c.view.SetMask(mask)
	}
	return err
}

// SetConnGroups sets the groups of a connection: see [Entity.Groups]. The errors
// are those of [World.Disconnect].
func (w *World) SetConnGroups(id ConnID, groups [4]uint32) error {
	c, err := w.conn(id)
	if err == nil {
		c.view.SetGroups(groups)
	}
	return err
}

// SetCap bounds how many entities a connection has in view, from the next Tick on.
// The errors are [ErrObserver] and those of [World.Disconnect].
func (w *World) SetCap(id ConnID, limit Cap) error {
	c, err := w.conn(id)
	if err != nil {
		return err
	}
	l, err := w.cap(limit)
	if err != nil {
		return w.refuse(id, err)
	}
	return w.wrong(id, c.view.SetCap(l))
}

// SetLevels sets from which distance on a connection wants less detail; nil means
// Config.Levels. The errors are [ErrObserver] and those of [World.Disconnect].
func (w *World) SetLevels(id ConnID, l *Levels) error {
	c, err := w.conn(id)
	if err != nil {
		return err
	}
	if l == nil {
		return w.wrong(id, c.view.SetLevels(nil))
	}
	units, err := w.levels(*l)
	if err != nil {
		return w.wrong(id, err)
	}
	if err := c.view.SetLevels(&units); err != nil {
		return w.wrong(id, err)
	}
	w.ranked = true
	return nil
}

// SetRate has a connection served every n-th tick; 0 and 1: every tick. The errors
// are [ErrObserver] and those of [World.Disconnect].
func (w *World) SetRate(id ConnID, every int) error {
	c, err := w.conn(id)
	if err != nil {
		return err
	}
	return w.wrong(id, c.view.SetRate(every))
}

// Pause stops or resumes serving a connection. While it is paused it costs nothing;
// afterwards it is told the difference. The errors are those of
// [World.Disconnect].
func (w *World) Pause(id ConnID, on bool) error {
	c, err := w.conn(id)
	if err == nil {
		c.view.SetPaused(on)
	}
	return err
}

// Resync says that the client knows nothing: all in view are enters again. The
// errors are those of [World.Disconnect].
func (w *World) Resync(id ConnID) error {
	c, err := w.conn(id)
	if err == nil {
		c.view.Resync()
	}
	return err
}

// Relate gives a connection reasons to have an entity in view, wherever it is; a
// set of interest.Group0 to interest.Pinned. The errors are [ErrEntity],
// [ErrObserver] and those of [World.Disconnect]. It allocates only when the
// connection has more relations than ever before.
func (w *World) Relate(id ConnID, h Handle, sources interest.Sources) error {
	c, err := w.conn(id)
	if err != nil {
		return err
	}
	if !w.arena.Alive(h) {
		return w.refuse(id, stale(h))
	}
	return w.wrong(id, c.view.Relate(h, sources))
}

// Unrelate takes such reasons away; those that were not there are ignored. The
// errors are those of [World.Disconnect].
func (w *World) Unrelate(id ConnID, h Handle, sources interest.Sources) error {
	c, err := w.conn(id)
	if err == nil {
		c.view.Unrelate(h, sources)
	}
	return err
}

// InvalidateConn says that Config.Predicate may answer otherwise about a connection
// now. The errors are those of [World.Disconnect].
func (w *World) InvalidateConn(id ConnID) error {
	c, err := w.conn(id)
	if err == nil {
		c.view.Invalidate()
	}
	return err
}

// weight is what an entity means to a connection.
type weight struct {
	entity Handle
	delta  int32
	must   bool
}

// SetImportance adds delta to the priority that an entity has for a connection:
// its own avatar, its target, who attacks it. The sum is kept between 0 and 65,535.
// With must its changes go before those of others. Zero delta without must forgets it,
// and so does the entity's despawn. The errors are [ErrEntity] and those of
// [World.Disconnect]. It allocates only when the connection has more of these than
// ever before. O(number of them).
func (w *World) SetImportance(id ConnID, h Handle, delta int32, must bool) error {
	c, err := w.conn(id)
	if err != nil {
		return err
	}
	if !w.arena.Alive(h) {
		return w.refuse(id, stale(h))
	}
	c.weights = slices.DeleteFunc(c.weights, func(e weight) bool {
		return e.entity == h || !w.arena.Alive(e.entity)
	})
	if delta == 0 && !must {
		return nil
	}
	at := slices.IndexFunc(c.weights, func(e weight) bool { return e.entity.Slot() > h.Slot() })
	if at < 0 {
		at = len(c.weights)
	}
	c.weights = slices.Insert(c.weights, at, weight{entity: h, delta: delta, must: must})
	return nil
}

// AppendObserversOf appends the connections and watchers that have an entity in
// view, by rising ID: chat, emotes and hits go to those. The result is as of the last
// Tick; nobody observes a stale handle, from its despawn on. It does not allocate if
// dst has room. Not during a Tick.
func (w *World) AppendObserversOf(dst []ConnID, h Handle) []ConnID {
	if w.ready() != nil || !w.arena.Alive(h) {
		return dst
	}
	w.run.observers = w.set.AppendObserversOf(w.run.observers[:0], h)
	for _, v := range w.run.observers {
		dst = append(dst, ConnID(v.ID()))
	}
	return dst
}
