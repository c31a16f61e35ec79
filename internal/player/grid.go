package player

import (
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"vicinity/arena"
	"vicinity/grid"
	"vicinity/interest"
	"vicinity/internal/invariants"
	"vicinity/internal/replay"
)

// indexed plays through arena, grid and interest.
type indexed struct {
	config  Config
	workers *grid.Workers
	arena   *arena.Arena
	grid    *grid.Grid
	set     *interest.Set

	present []resident // ascending by id
	before  []resident // of the tick before
	ended   int        // relations of observers that this tick removed

	events  []interest.Event
	first   []int // first[i] is where the relations of present[i] go
	scratch []scratch
	closed  bool
}

// resident is one stay of an entity, in which it observes too.
type resident struct {
	id     uint64
	handle arena.Handle
	view   *interest.View
}

// scratch belongs to one worker.
type scratch struct {
	members []interest.Member
	ids     []uint64
	err     error
	within  int
}

// NewGrid returns the real engine: entities in an arena, positions in a grid, one
// interest view for each entity.
func NewGrid(c Config) (Engine, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	e := &indexed{config: c, workers: grid.NewWorkers(c.Workers), scratch: make([]scratch, c.Workers)}
	if err := e.build(); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

func (e *indexed) build() (err error) {
	if e.arena, err = arena.New(arena.Config{Deferred: true}); err != nil {
		return err
	}
	far := e.config.Radius + e.config.Margin
	cellX, cellY := grid.CellFor(far)
	e.grid, err = grid.New(grid.Config{
		Arena: e.arena, Layers: []grid.Layer{{CellX: cellX, CellY: cellY}}, Previous: true, Workers: e.workers,
	})
	if err != nil {
		return err
	}
	e.set, err = interest.New(interest.Config{
		Arena: e.arena, Grid: e.grid,
		Reach: []interest.Reach{{Enter: e.config.Radius, Margin: e.config.Margin}},
	})
	return err
}

// Tick publishes under the tick's number plus one, since the first must be later
// than none.
func (e *indexed) Tick(t *replay.Tick) (Counts, Times, error) {
	start := time.Now()
	if err := e.place(t); err != nil {
		return Counts{}, Times{}, err
	}
	if err := e.grid.Publish(t.Number + 1); err != nil {
		return Counts{}, Times{}, err
	}
	published := time.Now()
	if err := e.set.UpdateAll(e.workers); err != nil {
		return Counts{}, Times{}, err
	}
	c := e.count()
	times := Times{Publish: published.Sub(start), Update: time.Since(published)}
	if invariants.Enabled {
		return c, times, e.checkInvariants()
	}
	return c, times, nil
}

// checkInvariants asks every structure about itself.
func (e *indexed) checkInvariants() error {
	err := errors.Join(e.arena.CheckInvariants(), e.grid.CheckInvariants())
	for i := range e.present {
		err = errors.Join(err, e.present[i].view.CheckInvariants())
	}
	return err
}

// place spawns, moves and despawns. Both lists of entities are sorted, so one
// walk over the two tells them apart.
func (e *indexed) place(t *replay.Tick) error {
	e.before, e.present = e.present, e.before[:0]
	e.ended = 0
	old := e.before
	for i, id := range t.ID {
		for len(old) > 0 && old[0].id < id {
			if err := e.despawn(old[0]); err != nil {
				return err
			}
			old = old[1:]
		}
		if len(old) > 0 && old[0].id == id {
			if err := e.grid.Move(old[0].handle, t.X[i], t.Y[i]); err != nil {
				return err
			}
			e.present = append(e.present, old[0])
			old = old[1:]
			continue
		}
		if err := e.spawn(id, grid.Point{X: t.X[i], Y: t.Y[i]}); err != nil {
			return err
		}
	}
	for _, gone := range old {
		if err := e.despawn(gone); err != nil {
			return err
		}
	}
	return nil
}

func (e *indexed) spawn(id uint64, p grid.Point) error {
	h, err := e.arena.Alloc()
	if err != nil {
		return err
	}
	if err := e.grid.Insert(h, id, 0, p); err != nil {
		return err
	}
	v, err := e.set.Add(interest.Observer{ID: id, Entity: h, ExcludeSelf: true})
	if err != nil {
		return err
	}
	e.present = append(e.present, resident{id, h, v})
	return nil
}

// despawn ends all relations of the observer here; those of others to the entity
// end in the update.
func (e *indexed) despawn(r resident) error {
	e.ended += r.view.Len()
	if err := e.set.Remove(r.view); err != nil {
		return err
	}
	if err := e.grid.Remove(r.handle); err != nil {
		return err
	}
	e.arena.Free(r.handle)
	return nil
}

// count counts what the update did, and confirms it.
func (e *indexed) count() Counts {
	c := Counts{Present: len(e.present), Leave: e.ended, Candidates: e.set.Stats().Candidates}
	for i := range e.present {
		v := e.present[i].view
		e.events = v.AppendEnters(e.events[:0])
		c.Enter += len(e.events)
		c.Keep += v.Len() - len(e.events)
		e.events = v.AppendLeaves(e.events[:0])
		c.Leave += len(e.events)
		v.Commit()
	}
	return c
}

// share is how many observers a worker takes at a time.
const share = 64

// each calls visit for every present entity, over the workers. It returns the
// first error by entity.
func (e *indexed) each(visit func(s *scratch, i int) error) error {
	var next atomic.Int64
	e.workers.Run(func(worker int) {
		s := &e.scratch[worker]
		s.err, s.within = nil, 0
		for {
			hi := int(next.Add(share))
			for i := hi - share; i < min(hi, len(e.present)); i++ {
				if err := visit(s, i); err != nil && s.err == nil {
					s.err = err
				}
			}
			if hi >= len(e.present) {
				return
			}
		}
	})
	for i := range e.scratch {
		if err := e.scratch[i].err; err != nil {
			return err
		}
	}
	return nil
}

// AppendRelations lists the views side by side, each in the place that the lengths
// of those before it give.
func (e *indexed) AppendRelations(dst []replay.Relation) []replay.Relation {
	e.first = e.first[:0]
	end := len(dst)
	for i := range e.present {
		e.first = append(e.first, end)
		end += e.present[i].view.Len()
	}
	dst = slices.Grow(dst, end-len(dst))[:end]
	e.each(func(s *scratch, i int) error {
		r := &e.present[i]
		s.members = r.view.AppendMembers(s.members[:0])
		s.ids = s.ids[:0]
		for _, m := range s.members {
			s.ids = append(s.ids, m.ID)
		}
		slices.Sort(s.ids)
		list := dst[e.first[i]:][:len(s.ids)]
		for j, id := range s.ids {
			list[j] = replay.Relation{Observer: r.id, Entity: id}
		}
		return nil
	})
	return dst
}

// Within does not count the observers themselves.
func (e *indexed) Within() (int, error) {
	now := e.grid.Snapshot()
	err := e.each(func(s *scratch, i int) error {
		n, err := now.CountWithin(e.around(i))
		s.within += n - 1
		return err
	})
	if err != nil {
		return 0, err
	}
	sum := 0
	for i := range e.scratch {
		sum += e.scratch[i].within
	}
	return sum, nil
}

// around is the query around a present entity.
func (e *indexed) around(i int) grid.Query {
	p, _ := e.grid.Position(e.present[i].handle)
	return grid.Query{X: p.X, Y: p.Y, Radius: e.config.Radius}
}

// Nearest asks for one more than k, since the observer is in its own list, or
// behind k others on the same spot.
func (e *indexed) Nearest(k int, each func(observer uint64, list []uint64)) error {
	now := e.grid.Snapshot()
	var near []grid.Near
	var list []uint64
	for i := range e.present {
		r := &e.present[i]
		var err error
		if near, err = now.AppendNearest(near[:0], k+1, e.around(i)); err != nil {
			return err
		}
		list = list[:0]
		for _, n := range near {
			if n.Slot != r.handle.Slot() {
				list = append(list, now.ID(n.Slot))
			}
		}
		each(r.id, list[:min(k, len(list))])
	}
	return nil
}

func (e *indexed) Close() error {
	if e.closed {
		return nil
	}
	e.closed = true
	defer e.workers.Close()
	if e.grid != nil {
		if err := e.grid.Close(); err != nil {
			return err
		}
	}
	if e.arena != nil {
		return e.arena.Close()
	}
	return nil
}
