package grid

import (
	"fmt"
	"sync"
	"sync/atomic"

	"vicinity/arena"
	"vicinity/asm"
)

// A Grid is the writer's side: pending positions, and what Publish needs. See the
// package documentation for who may call what.
type Grid struct {
	cfg Config
	// layers are the storages: first those of the layers' points, by layer, then those
	// of bodies in the order in which their size classes came.
	layers []*layer

	// Columns by slot. xy is the pending position, [asm.Gone] if there is none.
	// ids and gens are written by Insert only, when no snapshot holds the slot.
	xy    *arena.Column[[2]int32]
	z     *arena.Column[int32]
	masks *arena.Column[[2]uint32]
	ids   *arena.Column[uint64]
	gens  *arena.Column[uint32]
	homes *arena.Column[home]
	// bodies is nil until somebody has one.
	bodies *arena.Column[Body]

	// arrivals are the slots that change layer at the next Publish, or come from
	// nowhere; removed those that left since the last.
	arrivals, removed []uint32
	arrived           []uint32 // what the current snapshot has anew
	// reshaped says that the body of somebody in the current snapshot changed.
	reshaped bool

	current atomic.Pointer[Snapshot]
	past    past
	// idle are the snapshots that are neither current nor kept; readers may still have
	// them pinned. snapshots counts all.
	idle      []*Snapshot
	snapshots int
	attempts  uint64 // to publish: the number of the last, for marks
	alive     int

	readersMu sync.Mutex
	readers   []*Reader
	closed    atomic.Bool
	started   atomic.Bool // something was published

	build   *builder // own scratch memory, since it was needed
	lent    *builder // of somebody else
	counted counters
}

// home says which storage an entity belongs to, and which holds it.
type home struct {
	// want is the storage it is in after the next Publish, plus one; 0 if none.
	want uint16
	// have is the storage that holds it now, plus one; 0 if none.
	have uint16
	// listed says that it is in Grid.arrivals.
	listed bool
}

// New returns an empty grid. The errors are [ErrConfig], those of package arena
// when memory cannot be had, and [asm.EnvError].
func New(cfg Config) (*Grid, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.MaxReaders == 0 {
		cfg.MaxReaders = 64
	}
	g := &Grid{cfg: cfg}
	g.past.keep(cfg.History)
	if err := cfg.Arena.Retain(); err != nil {
		return nil, err
	}
	if err := g.makeColumns(); err != nil {
		g.freeColumns()
		cfg.Arena.Release()
		return nil, err
	}
	for i := range cfg.Layers {
		g.layers = append(g.layers, newLayer(&cfg, cfg.Layers[i], i))
	}
	return g, nil
}

func (g *Grid) makeColumns() (err error) {
	a, m := g.cfg.Arena, g.cfg.Memory
	column(&g.xy, a, m, &err)
	column(&g.ids, a, m, &err)
	column(&g.gens, a, m, &err)
	column(&g.homes, a, m, &err)
	if err == nil {
		// Snapshots keep the slices of their time: see Handle and ID.
		g.ids.KeepOld()
		g.gens.KeepOld()
	}
	if g.cfg.Height {
		column(&g.z, a, m, &err)
	}
	if g.cfg.Masks {
		column(&g.masks, a, m, &err)
	}
	return err
}

// column makes a column unless an earlier one failed.
func column[T any](c **arena.Column[T], a *arena.Arena, m arena.Memory, err *error) {
	if *err == nil {
		*c, *err = arena.NewColumn[T](a, m)
	}
}

func (g *Grid) freeColumns() {
	free(g.xy)
	free(g.z)
	free(g.masks)
	free(g.ids)
	free(g.gens)
	free(g.homes)
	free(g.bodies)
}

func free[T any](c *arena.Column[T]) {
	if c != nil {
		c.Free()
	}
}

// Layers returns the number of layers.
func (g *Grid) Layers() int { return len(g.cfg.Layers) }

// Heights reports whether positions have heights.
func (g *Grid) Heights() bool { return g.z != nil }

// Holds reports whether the current snapshot holds h. For the writer's goroutine,
// and those that it waits for.
func (g *Grid) Holds(h arena.Handle) bool {
	slot, homes := h.Slot(), g.homes.Slice()
	return uint64(slot) < uint64(len(homes)) && homes[slot].have != 0 && g.gens.Slice()[slot] == h.Generation()
}

// Len returns the number of entities in the grid, published or not.
func (g *Grid) Len() int { return g.alive }

// Insert puts an entity into a layer at p. It is in queries after the next
// Publish. id is the entity's stable ID: it breaks ties between equal distances.
// The errors are [ErrHandle] (h is not alive in the arena), [ErrExists],
// [ErrLayer], [ErrRange] and [ErrClosed].
func (g *Grid) Insert(h arena.Handle, id uint64, layer int, p Point) error {
	if g.closed.Load() {
		return ErrClosed
	}
	if !g.cfg.Arena.Alive(h) {
		return fmt.Errorf("%w: %v", ErrHandle, h)
	}
	if layer < 0 || layer >= len(g.cfg.Layers) {
		return fmt.Errorf("%w: %d of %v", ErrLayer, layer, h)
	}
	if g.z == nil {
		p.Z = 0
	}
	if err := p.check(h); err != nil {
		return err
	}
	slot := h.Slot()
	place := &g.homes.Slice()[slot]
	if *place != (home{}) {
		return fmt.Errorf("%w: %v", ErrExists, h)
	}
	if gen := &g.gens.Slice()[slot]; *gen != h.Generation() {
		*gen, g.ids.Slice()[slot] = h.Generation(), id
	} else if g.ids.Slice()[slot] != id {
		// It was in the grid before, and pinned snapshots may show it.
		return fmt.Errorf("%w: %v has the ID %d", ErrExists, h, g.ids.Slice()[slot])
	}
	*place = home{want: uint16(layer + 1), listed: true}
	g.arrivals = append(g.arrivals, slot)
	g.xy.Slice()[slot] = [2]int32{p.X, p.Y}
	if g.z != nil {
		g.z.Slice()[slot] = p.Z
	}
	if g.masks != nil {
		g.masks.Slice()[slot] = [2]uint32{}
	}
	if g.bodies != nil {
		g.bodies.Slice()[slot] = Body{}
	}
	g.alive++
	return nil
}

// find returns the entity's place, nil if h is not in the grid.
func (g *Grid) find(h arena.Handle) *home {
	slot, homes := h.Slot(), g.homes.Slice()
	if uint64(slot) >= uint64(len(homes)) || homes[slot].want == 0 || g.gens.Slice()[slot] != h.Generation() {
		return nil
	}
	return &homes[slot]
}

// missing is the error of a handle that find did not find.
func (g *Grid) missing(h arena.Handle) error {
	if g.closed.Load() {
		return ErrClosed
	}
	return fmt.Errorf("%w: %v", ErrHandle, h)
}

// Move sets the pending position of an entity; its height stays. The errors are
// [ErrHandle], [ErrRange] and [ErrClosed]. Moves of distinct handles may run
// concurrently. O(1), no allocation.
func (g *Grid) Move(h arena.Handle, x, y int32) error {
	place := g.find(h)
	if place == nil {
		return g.missing(h)
	}
	if outside(x) || outside(y) {
		return Point{X: x, Y: y}.check(h)
	}
	g.xy.Slice()[h.Slot()] = [2]int32{x, y}
	g.layers[place.want-1].touch()
	return nil
}

// MoveZ is [Grid.Move] with a height; [ErrUnsupported] without Config.Height.
func (g *Grid) MoveZ(h arena.Handle, p Point) error {
	if g.closed.Load() {
		return ErrClosed
	}
	if g.z == nil {
		return fmt.Errorf("%w: Config.Height is off", ErrUnsupported)
	}
	place := g.find(h)
	if place == nil {
		return g.missing(h)
	}
	if err := p.check(h); err != nil {
		return err
	}
	g.xy.Slice()[h.Slot()] = [2]int32{p.X, p.Y}
	g.z.Slice()[h.Slot()] = p.Z
	g.layers[place.want-1].touch()
	return nil
}

// Position returns the pending position of an entity: where it is after the next
// Publish. ok is false if h is not in the grid.
func (g *Grid) Position(h arena.Handle) (p Point, ok bool) {
	if g.find(h) == nil {
		return Point{}, false
	}
	xy := g.xy.Slice()[h.Slot()]
	p = Point{X: xy[0], Y: xy[1]}
	if g.z != nil {
		p.Z = g.z.Slice()[h.Slot()]
	}
	return p, true
}

// Remove takes an entity out. It is in queries until the next Publish. The errors
// are [ErrHandle] and [ErrClosed]. Free the handle in the arena too, before or
// after, but before the next Publish. O(1); it allocates only if more are removed
// between two publishes than ever before.
func (g *Grid) Remove(h arena.Handle) error {
	place := g.find(h)
	if place == nil {
		return g.missing(h)
	}
	if place.have != 0 {
		g.layers[place.have-1].touch()
	}
	place.want = 0
	g.xy.Slice()[h.Slot()] = [2]int32{asm.Gone, 0}
	g.removed = append(g.removed, h.Slot())
	g.alive--
	return nil
}

// SetLayer moves an entity to another layer at the next Publish. The errors are
// [ErrHandle], [ErrLayer] and [ErrClosed].
func (g *Grid) SetLayer(h arena.Handle, layer int) error {
	place := g.find(h)
	if place == nil {
		return g.missing(h)
	}
	if layer < 0 || layer >= len(g.cfg.Layers) {
		return fmt.Errorf("%w: %d of %v", ErrLayer, layer, h)
	}
	b, _ := g.Body(h)
	g.settleIn(h, place, g.storage(layer, g.cfg.Layers[layer].sizeClass(b)))
	return nil
}

// settleIn gives an entity the storage it is in after the next Publish.
func (g *Grid) settleIn(h arena.Handle, place *home, storage int) {
	want := uint16(storage + 1)
	if place.want != want && place.have == want {
		// It comes back: moves meanwhile touched the other storage.
		g.layers[storage].touch()
	}
	place.want = want
	if !place.listed {
		place.listed = true
		g.arrivals = append(g.arrivals, h.Slot())
	}
}

// SetMasks sets an entity's permission bits: an observer with mask m may find it
// if need &^ m == 0 and (any == 0 or any & m != 0). The errors are [ErrHandle],
// [ErrUnsupported] without Config.Masks, and [ErrClosed].
func (g *Grid) SetMasks(h arena.Handle, need, any uint32) error {
	if g.closed.Load() {
		return ErrClosed
	}
	if g.masks == nil {
		return fmt.Errorf("%w: Config.Masks is off", ErrUnsupported)
	}
	place := g.find(h)
	if place == nil {
		return g.missing(h)
	}
	g.masks.Slice()[h.Slot()] = [2]uint32{need, any}
	g.layers[place.want-1].touch()
	return nil
}

// Close frees the grid's memory and releases the arena. While a reader has a
// snapshot pinned it is [ErrBusy] and nothing has changed. Afterwards every call
// is [ErrClosed]. A second Close does nothing.
func (g *Grid) Close() error {
	if g.closed.Load() {
		return nil
	}
	// Readers that arrive now find no snapshot and wait; so none is pinned after
	// the look at them.
	last := g.current.Swap(nil)
	if g.anyPinned() {
		g.current.Store(last)
		return ErrBusy
	}
	g.closed.Store(true)
	for _, l := range g.layers {
		l.free()
	}
	if g.build != nil {
		g.build.free()
	}
	g.freeColumns()
	g.cfg.Arena.Release()
	return nil
}
