package player

import (
	"errors"
	"fmt"
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

// NewGrid returns the engine of the stages alone that tell who sees whom: entities
// in an arena, positions in a grid, one interest view for each entity. It knows
// no cap, rate or budget: they are ErrConfig.
func NewGrid(c Config) (Engine, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Whole() {
		return nil, fmt.Errorf("%w: the grid engine has no cap, rate or budget", ErrConfig)
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

func (e *indexed) Packed() *replay.Packed { return nil }

// Within does not count the observers themselves.
func (e *indexed) Within() (int, error) {
	now := e.grid.Snapshot()
	err := e.each(func(s *scratch, i int) error {
		at := e.spot(i)
		n, err := now.CountWithin(at.query(e.config.Radius))
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

// spot returns where a present entity is.
func (e *indexed) spot(i int) spot {
	r := &e.present[i]
	p, _ := e.grid.Position(r.handle)
	return spot{r.id, r.handle, p}
}

func (e *indexed) Nearest(k int, each func(observer uint64, list []uint64)) error {
	spots := make([]spot, len(e.present))
	for i := range spots {
		spots[i] = e.spot(i)
	}
	return nearest(e.grid.Snapshot(), spots, e.config.Radius, k, each)
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
