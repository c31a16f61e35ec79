package vicinity

import (
	"cmp"
	"fmt"
	"slices"

	"vicinity/grid"
	"vicinity/interest"
)

// ConnID is the caller's ID of a connection or watcher, unique in its World.
type ConnID uint64

// Viewpoint is one place to look from: an entity, wherever it goes, or if that is
// zero a point in metres.
type Viewpoint struct {
	Entity  Handle
	X, Y, Z float64
}

// Cap bounds how many entities are in view at a time. The zero Cap does not.
type Cap struct {
	// Members is the bound; 0 is none.
	Members int
	// Near is the distance in metres within which nobody is left out.
	Near float64
	// Swaps is how many may be exchanged in a tick, 0 for any number.
	Swaps int
	// Protected are the sources that nobody is left out of.
	Protected interest.Sources
}

// Connection describes a client, or a watcher, at Connect and Observe.
type Connection struct {
	ID ConnID
	// Viewpoint is where it looks from; More are further places: what is near one of
	// them is in view.
	Viewpoint
	More []Viewpoint
	// Reach overrides Config.Reach; nil does not. Scale multiplies all distances; 0
	// means 1.
	Reach []Reach
	Scale float64
	// Levels overrides Config.Levels; nil does not.
	Levels *Levels
	// ExcludeSelf keeps Entity out of its own view.
	ExcludeSelf bool
	// Mask and Groups: see Entity.Need and Entity.Groups.
	Mask   uint32
	Groups [4]uint32
	// Cap bounds the view.
	Cap Cap
	// SendEvery has it served every n-th tick; 0 and 1: every tick. Those with the
	// same n take turns, so that the work of ticks is even. A change waits from the first
	// Tick that serves the connection, up to n-1 ticks after it was made; and a connection
	// has the bytes of its Budget once in n ticks. So where packer.Budget.MaxWait promises
	// a change within MaxSilence + k ticks, it is n-1 + n*(ceil(MaxSilence/n) + k).
	SendEvery int
	// Budget is how many bytes a delivery may take; 0: any number. Reserve is how many
	// of them are kept for enters and leaves, which may not take more; 0: half.
	// Neither is for watchers.
	Budget, Reserve uint32
}

// connection is what the World keeps of one: first what every Tick reads.
type connection struct {
	id     ConnID
	view   *interest.View
	budget *sharedBudget // nil: no limit
	watch  bool
	gone   bool
	due    uint32 // stamp of the last Tick in which it was due, 0 for none
	number int    // in World.list
	// pairs is the state of each pair, by row of the view.
	pairs pairs
	// weights are what single entities mean to it, by rising slot.
	weights []weight
	short   shortlist
	trace   *tracing // nil: not traced

	// told is what the last delivery came to.
	told told
}

// Connect adds a client: from the next Tick on it is served. The errors are
// [ErrExists], [ErrEntity], [ErrNotFinite], [ErrRange], [ErrUnsupported] (a height
// without Config.Height), [ErrBudget], [ErrObserver], [ErrBusy] and [ErrClosed]; they
// name the ID, and nothing has changed. It allocates.
func (w *World) Connect(c Connection) error { return w.add(&c, false) }

// Observe adds a watcher: an observer that is told of enters and leaves alone, without
// a budget, and of no updates: the aggro range of a creature, the trigger of a
// quest. Its Delivery comes to the same callback. The errors are those of
// [World.Connect].
func (w *World) Observe(c Connection) error { return w.add(&c, true) }

func (w *World) add(c *Connection, watch bool) error {
	if err := w.ready(); err != nil {
		return err
	}
	if err := w.tryAdd(c, watch); err != nil {
		return w.refuse(c.ID, err)
	}
	return nil
}

func (w *World) tryAdd(c *Connection, watch bool) error {
	if _, taken := w.conns[c.ID]; taken {
		return ErrExists
	}
	o, err := w.observer(c)
	if err != nil {
		return err
	}
	if watch && (c.Budget != 0 || c.Reserve != 0) {
		return fmt.Errorf("%w: a watcher has none", ErrBudget)
	}
	o.Measured = !watch
	budget, err := w.takeBudget(c.Budget, c.Reserve)
	if err != nil {
		return err
	}
	view, err := w.set.Add(o)
	if err != nil {
		w.dropBudget(budget)
		return fmt.Errorf("%w: %w", ErrObserver, err)
	}
	w.ranked = w.ranked || c.Levels != nil
	n := &connection{id: c.ID, view: view, budget: budget, watch: watch, number: len(w.list)}
	if w.conns == nil {
		w.conns = make(map[ConnID]*connection)
	}
	w.conns[c.ID] = n
	view.SetTag(n.number)
	w.list = append(w.list, n)
	w.order = append(w.order, n)
	if k := len(w.order); k > 1 && w.order[k-2].id > n.id {
		w.disorder = true
	}
	return nil
}

// observer converts a connection for package interest.
func (w *World) observer(c *Connection) (o interest.Observer, err error) {
	o = interest.Observer{
		ID: uint64(c.ID), Entity: c.Entity, Scale: c.Scale, ExcludeSelf: c.ExcludeSelf,
		Mask: c.Mask, Groups: c.Groups, SendEvery: c.SendEvery,
	}
	if o.At, err = w.viewpoint(c.Viewpoint); err != nil {
		return o, err
	}
	if o.More, err = w.viewpoints(c.More); err != nil {
		return o, err
	}
	if o.Reach, err = w.reaches(c.Reach); err != nil {
		return o, err
	}
	if o.Cap, err = w.cap(c.Cap); err != nil {
		return o, err
	}
	if c.Levels != nil {
		l, err := w.levels(*c.Levels)
		if err != nil {
			return o, fmt.Errorf("%w: %w", ErrObserver, err)
		}
		o.Levels = &l
	}
	return o, nil
}

// viewpoint checks a viewpoint and returns its point.
func (w *World) viewpoint(v Viewpoint) (grid.Point, error) {
	if v.Entity != 0 && !w.arena.Alive(v.Entity) {
		return grid.Point{}, stale(v.Entity)
	}
	return w.point(v.X, v.Y, v.Z)
}

func (w *World) viewpoints(list []Viewpoint) ([]interest.Viewpoint, error) {
	var out []interest.Viewpoint
	for i, v := range list {
		at, err := w.viewpoint(v)
		if err != nil {
			return nil, fmt.Errorf("viewpoint %d: %w", i+1, err)
		}
		out = append(out, interest.Viewpoint{Entity: v.Entity, At: at})
	}
	return out, nil
}

func (w *World) cap(c Cap) (interest.Cap, error) {
	l := lengths{unit: w.cfg.Unit}
	near := l.units("near radius of the cap", c.Near)
	if l.err != nil {
		return interest.Cap{}, fmt.Errorf("%w: %w", ErrObserver, l.err)
	}
	return interest.Cap{MaxMembers: c.Members, NearRadius: near, MaxSwap: c.Swaps, Protected: c.Protected}, nil
}

// Disconnect removes a connection or watcher. The errors are [ErrConn], [ErrBusy]
// and [ErrClosed].
func (w *World) Disconnect(id ConnID) error {
	c, err := w.conn(id)
	if err != nil {
		return err
	}
	must(w.set.Remove(c.view))
	w.dropBudget(c.budget)
	delete(w.conns, id)
	last := w.list[len(w.list)-1]
	w.list[c.number], last.number = last, c.number
	last.view.SetTag(last.number)
	w.list[len(w.list)-1] = nil
	w.list = w.list[:len(w.list)-1]
	if c.gone, w.disorder = true, true; len(w.order) > 2*len(w.list)+64 {
		w.tidyOrder()
	}
	return nil
}

// conn returns the connection of a call that changes it.
func (w *World) conn(id ConnID) (*connection, error) {
	if err := w.ready(); err != nil {
		return nil, err
	}
	c, ok := w.conns[id]
	if !ok {
		return nil, w.rejects.count(fmt.Errorf("%w: %d", ErrConn, id))
	}
	return c, nil
}

// Connections returns the number of connections and watchers.
func (w *World) Connections() int { return len(w.conns) }

// tidyOrder sorts order by ID, and forgets who has gone.
func (w *World) tidyOrder() {
	if !w.disorder {
		return
	}
	w.order = slices.DeleteFunc(w.order, func(c *connection) bool { return c.gone })
	slices.SortFunc(w.order, func(a, b *connection) int { return cmp.Compare(a.id, b.id) })
	w.disorder = false
}
