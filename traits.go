package vicinity

import (
	"fmt"

	"vicinity/interest"
	"vicinity/packer"
)

// change returns the record of an entity that is about to change.
func (w *World) change(h Handle) (*record, error) {
	if err := w.ready(); err != nil {
		return nil, err
	}
	if !w.arena.Alive(h) {
		return nil, w.rejects.count(stale(h))
	}
	return &w.records.Slice()[h.Slot()], nil
}

// refuseChange counts the error of a change of an entity, and names it.
func (w *World) refuseChange(h Handle, err error) error {
	return w.rejects.count(fmt.Errorf("%v: %w", w.name(h), err))
}

// SetCost sets what updates of an entity cost at each level, and its spawn, in
// bytes; zeros mean what they do in [Entity]. It does not count as a change of
// the entity. The errors are [ErrCost], and those of [World.Touch].
func (w *World) SetCost(h Handle, cost [packer.Levels]uint32, spawn uint32) error {
	r, err := w.change(h)
	if err != nil {
		return err
	}
	if cost[0] == 0 {
		return w.refuseChange(h, ErrCost)
	}
	if spawn == 0 {
		spawn = cost[0]
	}
	r.cost, w.extras.Slice()[h.Slot()].spawn = cost, spawn
	w.warm(h.Slot())
	return nil
}

// SetPriority sets an entity's priority. The errors are those of [World.Touch].
func (w *World) SetPriority(h Handle, priority uint16) error {
	r, err := w.change(h)
	if err == nil {
		r.priority = priority
		w.warm(h.Slot())
	}
	return err
}

// SetClass sets an entity's traffic class. The errors are [ErrClass], and those of
// [World.Touch].
func (w *World) SetClass(h Handle, class uint8) error {
	r, err := w.change(h)
	if err != nil {
		return err
	}
	if err := w.checkClass(class); err != nil {
		return w.refuseChange(h, err)
	}
	r.class = class
	w.warm(h.Slot())
	return nil
}

// SetReachClass sets an entity's reach class, from the next Tick on. The errors are
// [ErrClass], and those of [World.Touch].
func (w *World) SetReachClass(h Handle, class uint8) error {
	r, err := w.change(h)
	if err != nil {
		return err
	}
	if err := w.checkReach(class); err != nil {
		return w.refuseChange(h, err)
	}
	must(w.grid.SetLayer(h, int(class)))
	r.flags = r.flags&^reachBits | class
	return nil
}

// SetMustSend sets whether an entity's changes go before those of others. The
// errors are those of [World.Touch].
func (w *World) SetMustSend(h Handle, on bool) error {
	r, err := w.change(h)
	if err != nil {
		return err
	}
	w.countKinds(h.Slot(), -1)
	r.set(flagMustSend, on)
	w.countKinds(h.Slot(), 1)
	return nil
}

// SetBundle sets with whom an entity's updates go, all or none; zero: alone. The
// errors are those of [World.Touch].
func (w *World) SetBundle(h Handle, bundle uint32) error {
	if _, err := w.change(h); err != nil {
		return err
	}
	w.countKinds(h.Slot(), -1)
	w.extras.Slice()[h.Slot()].bundle = bundle
	w.countKinds(h.Slot(), 1)
	return nil
}

// SetMasks sets an entity's permission bits, from the next Tick on. The errors are
// those of [World.Touch].
func (w *World) SetMasks(h Handle, need, any uint32) error {
	t, err := w.traits(h)
	if err != nil {
		return err
	}
	if t.Need == need && t.Any == any {
		return nil
	}
	if w.cfg.QueryMasks {
		must(w.grid.SetMasks(h, need, any))
	}
	t.Need, t.Any = need, any
	return w.set.SetTraits(h, t)
}

// SetGroups sets an entity's groups, from the next Tick on. The errors are those of
// [World.Touch].
func (w *World) SetGroups(h Handle, groups [4]uint32) error {
	t, err := w.traits(h)
	if err != nil {
		return err
	}
	t.Groups = groups
	return w.set.SetTraits(h, t)
}

// SetAsk sets whether Config.Predicate decides about an entity too. The errors are
// [ErrUnsupported] without one, and those of [World.Touch].
func (w *World) SetAsk(h Handle, on bool) error {
	t, err := w.traits(h)
	if err != nil {
		return err
	}
	if err := w.checkAsk(on); err != nil {
		return w.refuseChange(h, err)
	}
	t.Ask = on
	return w.set.SetTraits(h, t)
}

// SetProtected sets whether no cap may take an entity out of a view. The errors are
// those of [World.Touch].
func (w *World) SetProtected(h Handle, on bool) error {
	t, err := w.traits(h)
	if err != nil {
		return err
	}
	t.Protected = on
	return w.set.SetTraits(h, t)
}

// traits returns the traits of an entity that is about to change.
func (w *World) traits(h Handle) (t interest.Traits, err error) {
	if _, err := w.change(h); err != nil {
		return t, err
	}
	t, _ = w.set.Traits(h)
	return t, nil
}

// Invalidate says that Config.Predicate may answer otherwise about an entity now:
// it is asked again at the next Tick. The errors are those of [World.Touch].
func (w *World) Invalidate(h Handle) error {
	if _, err := w.change(h); err != nil {
		return err
	}
	return w.set.Invalidate(h)
}
