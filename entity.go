package vicinity

import (
	"errors"
	"fmt"
	"math"

	"vicinity/arena"
	"vicinity/grid"
	"vicinity/interest"
	"vicinity/packer"
)

// Handle names one stay of an entity in one World: see package arena. It is stale
// for ever once the entity has gone.
type Handle = arena.Handle

// Entity describes an entity at Spawn.
type Entity struct {
	// ID is the caller's, unique among those present. Ties are broken by it.
	ID uint64
	// X, Y and Z are metres. Z must be 0 without Config.Height.
	X, Y, Z float64
	// Body is its extent around the position. The zero Body is a point.
	Body Body
	// Cost is how many bytes an update of it takes at most, headers included, at each
	// level of detail. Cost[0] is required; a zero behind it says that there is no
	// such level: then the next finer one is sent.
	Cost [packer.Levels]uint32
	// SpawnCost is how many bytes its whole state takes. Zero means Cost[0].
	SpawnCost uint32
	// Class is its traffic class, an index into Config.Classes; Reach its reach
	// class, an index into Config.Reach.
	Class, Reach uint8
	// Priority ranks updates and spawns: higher ones go first.
	Priority uint16
	// Need and Any are permission bits: a connection with mask m may know it if
	// Need &^ m == 0 and (Any == 0 or Any & m != 0).
	Need, Any uint32
	// Groups are up to four groups (party, raid, guild, one of the caller's): a
	// connection with the same non-zero number at the same index has it in view at
	// any distance.
	Groups [4]uint32
	// Bundle, if not zero, names entities whose updates go all or none: a vehicle
	// and its passengers.
	Bundle uint32
	// Ask says that Config.Predicate decides too. Protected, that no cap takes it out
	// of a view. MustSend, that its changes go before those of others.
	Ask, Protected, MustSend bool
}

// record is what a delivery needs of an entity: half a cache line.
type record struct {
	id         uint64
	cost       [packer.Levels]uint32
	generation uint32
	jumped     uint32 // stamp of the last teleport, 0 for never
	priority   uint16
	class      uint8
	flags      uint8 // reach class in the low bits
}

const (
	reachBits     = MaxReaches - 1
	mustSendShift = 5
	flagMustSend  = 1 << mustSendShift
)

// extra is what is read of few entities.
type extra struct{ spawn, bundle uint32 }

// leastUnit is what asm.Hot.Least counts: of an entity's levels the least cost,
// rounded down.
const leastUnit = 4

// leastCost is a lower bound of what an entity costs, by its Least.
func leastCost(least uint8) uint32 { return max(uint32(least)*leastUnit, 1) }

// warm brings what World.hot repeats of an entity's record up to date.
func (w *World) warm(slot uint32) {
	r, h := &w.records.Slice()[slot], &w.hot.Slice()[slot]
	least := r.cost[0]
	for _, c := range r.cost[1:] {
		if c != 0 {
			least = min(least, c)
		}
	}
	h.Rank, h.Class, h.Least = math.MaxUint16-r.priority, r.class, uint8(min(least/leastUnit, math.MaxUint8))
	w.dearest = max(w.dearest, r.cost[0], r.cost[1], r.cost[2])
}

// touch marks an entity as changed.
func (w *World) touch(slot uint32) { w.hot.Slice()[slot].Changed = w.now + 1 }

// handleOf returns the handle of a slot that is in use.
func (w *World) handleOf(slot uint32) Handle {
	return arena.MakeHandle(slot, w.records.Slice()[slot].generation)
}

// Spawn puts an entity into the World. It is in queries and views from the next
// Tick on. The errors are [ErrExists], [ErrNotFinite], [ErrRange], [ErrBody],
// [ErrCost], [ErrClass], [ErrFull], [ErrUnsupported] (Ask without a predicate, Z without
// heights), [ErrBusy], [ErrClosed], and those of package arena when memory cannot be
// had; they name the ID, and nothing has changed. It allocates only when there are more
// entities than ever before, and for the first bodies: see [World.SetBody].
func (w *World) Spawn(e Entity) (Handle, error) {
	if err := w.ready(); err != nil {
		return 0, err
	}
	p, body, err := w.admit(&e)
	if err != nil {
		return 0, w.rejects.count(fmt.Errorf("spawn of entity %d: %w", e.ID, err))
	}
	h, err := w.arena.Alloc()
	if err != nil {
		if errors.Is(err, arena.ErrFull) || errors.Is(err, arena.ErrExhausted) {
			err = w.rejects.count(fmt.Errorf("%w: %w", ErrFull, err))
		}
		return 0, fmt.Errorf("spawn of entity %d: %w", e.ID, err)
	}
	// A fresh handle at a checked place: nothing can fail but getting memory for bodies.
	must(w.grid.Insert(h, e.ID, int(e.Reach), p))
	if err := w.grid.SetBody(h, body); err != nil {
		must(w.grid.Remove(h))
		w.arena.Free(h)
		return 0, fmt.Errorf("spawn of entity %d: %w", e.ID, err)
	}
	if w.cfg.QueryMasks {
		must(w.grid.SetMasks(h, e.Need, e.Any))
	}
	w.records.Slice()[h.Slot()] = e.record(h)
	w.extras.Slice()[h.Slot()] = e.extra()
	w.warm(h.Slot())
	w.touch(h.Slot())
	w.ids.add(w.records.Slice(), h.Slot())
	w.countKinds(h.Slot(), 1)
	must(w.set.SetTraits(h, e.traits()))
	return h, nil
}

// must panics: the caller has checked what can go wrong.
func must(err error) {
	if err != nil {
		panic("vicinity: broken invariant: " + err.Error())
	}
}

// admit checks an entity and returns its place and its body in units.
func (w *World) admit(e *Entity) (p grid.Point, b grid.Body, err error) {
	if p, err = w.point(e.X, e.Y, e.Z); err != nil {
		return p, b, err
	}
	if b, err = e.Body.units(w.cfg.Unit); err != nil {
		return p, b, err
	}
	if _, taken := w.ids.find(w.records.Slice(), e.ID); taken {
		return p, b, ErrExists
	}
	if e.Cost[0] == 0 {
		return p, b, fmt.Errorf("%w: Cost[0]", ErrCost)
	}
	if err := w.checkClass(e.Class); err != nil {
		return p, b, err
	}
	if err := w.checkReach(e.Reach); err != nil {
		return p, b, err
	}
	return p, b, w.checkAsk(e.Ask)
}

func (w *World) checkClass(class uint8) error {
	if int(class) >= len(w.cfg.Classes) {
		return fmt.Errorf("%w: traffic class %d of %d", ErrClass, class, len(w.cfg.Classes))
	}
	return nil
}

func (w *World) checkReach(class uint8) error {
	if int(class) >= len(w.cfg.Reach) {
		return fmt.Errorf("%w: reach class %d of %d", ErrClass, class, len(w.cfg.Reach))
	}
	return nil
}

func (w *World) checkAsk(ask bool) error {
	if ask && w.cfg.Predicate == nil {
		return fmt.Errorf("%w: Ask without Config.Predicate", ErrUnsupported)
	}
	return nil
}

// point converts a position.
func (w *World) point(x, y, z float64) (p grid.Point, err error) {
	if p.X, err = w.cfg.Unit.Units(x); err != nil {
		return p, fmt.Errorf("x: %w", err)
	}
	if p.Y, err = w.cfg.Unit.Units(y); err != nil {
		return p, fmt.Errorf("y: %w", err)
	}
	if p.Z, err = w.cfg.Unit.Units(z); err != nil {
		return p, fmt.Errorf("z: %w", err)
	}
	if z != 0 && !w.cfg.Height {
		return p, fmt.Errorf("%w: z is %v without Config.Height", ErrUnsupported, z)
	}
	return p, nil
}

// record returns what a delivery is to know.
func (e *Entity) record(h Handle) record {
	r := record{
		id: e.ID, cost: e.Cost, generation: h.Generation(),
		priority: e.Priority, class: e.Class, flags: e.Reach,
	}
	r.set(flagMustSend, e.MustSend)
	return r
}

func (e *Entity) extra() extra {
	x := extra{spawn: e.SpawnCost, bundle: e.Bundle}
	if x.spawn == 0 {
		x.spawn = e.Cost[0]
	}
	return x
}

func (r *record) set(flag uint8, on bool) {
	r.flags &^= flag
	if on {
		r.flags |= flag
	}
}

func (r *record) has(flag uint8) bool { return r.flags&flag != 0 }

// traits returns what interest is to know.
func (e *Entity) traits() interest.Traits {
	return interest.Traits{Need: e.Need, Any: e.Any, Groups: e.Groups, Ask: e.Ask, Protected: e.Protected}
}

// countKinds counts an entity in or out.
func (w *World) countKinds(slot uint32, by int) {
	if w.records.Slice()[slot].has(flagMustSend) {
		w.mustSends += by
	}
	if w.extras.Slice()[slot].bundle != 0 {
		w.bundles += by
	}
}

// Despawn takes an entity out. Views that have it show its leave at the next Tick,
// with interest.ReasonDespawn; a connection centred on it sees nothing from then
// on. Its ID is free at once. The errors are [ErrEntity], [ErrBusy] and [ErrClosed].
func (w *World) Despawn(h Handle) error {
	if err := w.ready(); err != nil {
		return err
	}
	if !w.arena.Alive(h) {
		return w.rejects.count(stale(h))
	}
	w.countKinds(h.Slot(), -1)
	w.ids.remove(w.records.Slice(), h.Slot())
	must(w.grid.Remove(h))
	w.arena.Free(h)
	return nil
}

// Handle returns the handle of the entity with an ID. ok is false if there is none.
func (w *World) Handle(id uint64) (h Handle, ok bool) {
	if w.state.Load() == stateClosed {
		return 0, false
	}
	slot, ok := w.ids.find(w.records.Slice(), id)
	if !ok {
		return 0, false
	}
	return w.handleOf(slot), true
}

// ID returns the ID of an entity. ok is false if the handle is stale.
func (w *World) ID(h Handle) (id uint64, ok bool) {
	if !w.arena.Alive(h) {
		return 0, false
	}
	return w.records.Slice()[h.Slot()].id, true
}

// Position returns where an entity is, in metres, moves since the last Tick
// included. ok is false if the handle is stale.
func (w *World) Position(h Handle) (x, y, z float64, ok bool) {
	p, ok := w.grid.Position(h)
	u := w.cfg.Unit
	return u.Metres(p.X), u.Metres(p.Y), u.Metres(p.Z), ok
}

// Len returns the number of entities.
func (w *World) Len() int { return w.arena.Len() }
