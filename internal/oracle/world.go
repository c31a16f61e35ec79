package oracle

import (
	"cmp"
	"slices"
)

// WorldConfig says what every connection of a World is allowed.
type WorldConfig struct {
	Budget     uint32 // bytes a tick
	Reserve    uint32 // of these, for spawns and removals
	RemoveCost uint32 // bytes of a removal
	MaxSilence uint32 // ticks of waiting that make a change starve; 0: never
	SendEvery  int    // ticks from one update of an observer to its next; 0 is 1
	Cap        Cap
}

// Thing is an entity as a World is told of it in a tick.
type Thing struct {
	Entity
	Cost     uint32 // bytes of its state
	Priority uint16
	Touched  bool // something else than its position changed
}

// World is the whole tick, as plainly as it can be said: who is in whose view,
// what of that the peer knows, and what it is sent under a budget, everything of
// it delivered. It needs [NewWorld].
type World struct {
	cfg    WorldConfig
	bodies map[uint64]*body
	conns  map[uint64]*conn
	load   []int // connections by phase
}

// NewWorld returns an empty world.
func NewWorld(cfg WorldConfig) *World {
	cfg.SendEvery = max(1, cfg.SendEvery)
	return &World{
		cfg: cfg, bodies: map[uint64]*body{}, conns: map[uint64]*conn{},
		load: make([]int, cfg.SendEvery),
	}
}

// body is one stay of an entity. Who returns is another body.
type body struct {
	Thing
	changed uint64 // tick of the last change
	gone    bool
}

// conn is one stay of an observer.
type conn struct {
	Observer
	phase int
	pairs map[*body]*pair
}

// pair is a body that is in view, or that the peer knows.
type pair struct {
	member    bool   // in view
	delivered bool   // the peer knows it
	since     uint64 // tick at which its spawn or removal became pending
	sent      uint64 // tick at which its state was sent last
	waits     uint64 // tick of the first pack that saw the unsent change; 0: none
}

// What says what is sent.
type What uint8

// What can be sent.
const (
	SendSpawn What = iota + 1
	SendUpdate
	SendRemove
)

// Item is one thing that is sent.
type Item struct {
	Entity uint64
	What   What
}

// Sent is what one observer got in a tick.
type Sent struct {
	Observer uint64
	Items    []Item // sorted by entity, then What
	Bytes    uint32
	Deferred int    // what waits, Oversize included
	Oversize int    // what can never fit
	Oldest   uint32 // most ticks that any of it had waited, sent or not, Oversize left out
	Culled   int    // who the cap keeps out of the view
}

// Tick moves on by one tick: numbers ascend from 1, and observers and things are
// all who are present, both by ascending ID. It returns what each observer that
// was updated got, in order.
func (w *World) Tick(tick uint64, observers []Observer, things []Thing) []Sent {
	w.place(tick, things)
	w.connect(observers)
	var all []Sent
	for i := range observers {
		c := w.conns[observers[i].ID]
		if !w.due(c, tick) {
			continue
		}
		culled := w.look(c, tick, things)
		s := w.send(c, tick)
		s.Culled = culled
		all = append(all, s)
	}
	return all
}

// place takes over who is where. A thing that was absent comes as a new body.
func (w *World) place(tick uint64, things []Thing) {
	present := make(map[uint64]bool, len(things))
	for _, t := range things {
		present[t.ID] = true
		b := w.bodies[t.ID]
		if b == nil {
			w.bodies[t.ID] = &body{Thing: t, changed: tick}
			continue
		}
		if t.Touched || b.X != t.X || b.Y != t.Y || b.Z != t.Z {
			b.changed = tick
		}
		b.Thing = t
	}
	for id, b := range w.bodies {
		if !present[id] {
			b.gone = true
			delete(w.bodies, id)
		}
	}
}

// connect takes over who looks. Whoever was absent knows nothing.
func (w *World) connect(observers []Observer) {
	present := make(map[uint64]bool, len(observers))
	for _, o := range observers {
		present[o.ID] = true
	}
	for id, c := range w.conns {
		if !present[id] {
			w.load[c.phase]--
			delete(w.conns, id)
		}
	}
	for _, o := range observers {
		if c := w.conns[o.ID]; c != nil {
			c.Observer = o
			continue
		}
		phase := 0 // the first of those with the fewest
		for p, n := range w.load {
			if n < w.load[phase] {
				phase = p
			}
		}
		w.load[phase]++
		w.conns[o.ID] = &conn{Observer: o, phase: phase, pairs: map[*body]*pair{}}
	}
}

func (w *World) due(c *conn, tick uint64) bool {
	n := uint64(w.cfg.SendEvery)
	return tick%n == uint64(c.phase)
}

// look decides who is in view. It returns how many the cap kept out.
func (w *World) look(c *conn, tick uint64, things []Thing) (culled int) {
	var near []*body // by ascending ID
	for i := range things {
		enters, stays := c.sees(&things[i].Entity)
		if !stays {
			continue
		}
		b := w.bodies[things[i].ID]
		p := c.pairs[b]
		if enters || p != nil && p.member {
			near = append(near, b)
		}
	}
	chosen := w.cfg.Cap.choose(c, near)
	in := make(map[*body]bool, len(chosen))
	for _, b := range chosen {
		in[b] = true
		p := c.pairs[b]
		switch {
		case p == nil:
			c.pairs[b] = &pair{member: true, since: tick}
		case !p.member: // its removal is not delivered, and now no more due
			p.member = true
		}
	}
	for b, p := range c.pairs {
		if in[b] || !p.member {
			continue
		}
		p.member, p.since = false, tick
		if !p.delivered {
			delete(c.pairs, b)
		}
	}
	return len(near) - len(chosen)
}

// Pairs returns who has whom in view, as of each observer's last update and without
// the things that have gone since, sorted by observer, then entity.
func (w *World) Pairs() []Pair {
	var all []Pair
	for id, c := range w.conns {
		for b, p := range c.pairs {
			if p.member && !b.gone {
				all = append(all, Pair{id, b.ID})
			}
		}
	}
	slices.SortFunc(all, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Observer, b.Observer), cmp.Compare(a.Entity, b.Entity))
	})
	return all
}
