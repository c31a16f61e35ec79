package player

import (
	"errors"
	"fmt"
	"time"

	"vicinity"
	"vicinity/grid"
	"vicinity/interest"
	"vicinity/internal/invariants"
	"vicinity/internal/replay"
	"vicinity/packer"
)

// whole plays through the whole tick: a World, with one connection for each
// entity.
type whole struct {
	config  Config
	workers *grid.Workers
	world   *vicinity.World
	reader  *vicinity.Reader

	present []stay // ascending by id
	before  []stay // of the tick before
	spots   []spot // of the present

	mail      []mail // by index in present
	packed    replay.Packed
	relations []replay.Relation
	change    change
	members   []interest.Member
	closed    bool
}

// stay is one stay of an entity, in which it has a connection too.
type stay struct {
	id     uint64
	handle vicinity.Handle
	kind   int32
}

// NewWorld returns the engine that is the whole tick: publish, update, pack and
// deliver. It is the only fast one that knows caps, rates and budgets.
func NewWorld(c Config) (Engine, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	w := &whole{config: c, workers: grid.NewWorkers(c.Workers)}
	if err := w.build(); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// build makes a World whose metre is a unit: whole numbers of metres are exact.
func (w *whole) build() (err error) {
	cfg := vicinity.Config{
		Unit: 1, Workers: w.workers, RemoveCost: removeCost,
		Reach: []vicinity.Reach{{Enter: float64(w.config.Radius), Margin: float64(w.config.Margin)}},
	}
	if b := w.config.Budget; b != nil {
		cfg.Classes = []packer.Class{{MaxSilence: b.MaxSilence}}
	}
	if w.world, err = vicinity.New(cfg); err != nil {
		return err
	}
	w.reader, err = w.world.NewReader()
	return err
}

// Tick ticks the World under the tick's number plus one, since the first must be
// later than none.
func (w *whole) Tick(t *replay.Tick) (Counts, Times, error) {
	start := time.Now()
	if err := w.place(t); err != nil {
		return Counts{}, Times{}, err
	}
	for len(w.mail) < len(w.present) {
		w.mail = append(w.mail, mail{})
	}
	for i := range w.present {
		w.mail[i].due = false
	}
	placed := time.Now()
	if err := w.world.TickAt(t.Number+1, w.deliver); err != nil {
		return Counts{}, Times{}, err
	}
	ticked := time.Now()
	s := w.world.Stats()
	if s.PackErrors > 0 {
		return Counts{}, Times{}, fmt.Errorf("%w: %d connections could not be packed", ErrEngine, s.PackErrors)
	}
	if invariants.Enabled {
		if err := w.world.CheckInvariants(); err != nil {
			return Counts{}, Times{}, err
		}
	}
	w.collect()
	c := Counts{Present: len(w.present), Candidates: s.Candidates, Culled: s.Culled}
	w.change.count(&c, w.relations)
	return c, Times{
		Publish: placed.Sub(start) + s.Publish, Update: ticked.Sub(placed) - s.Publish, Output: time.Since(ticked),
	}, nil
}

// place despawns first, so that who observes at which phase depends on nothing
// but who left and came in the tick, in the order of IDs.
func (w *whole) place(t *replay.Tick) error {
	w.before, w.present = w.present, w.before[:0]
	rest := t.ID
	for _, s := range w.before {
		for len(rest) > 0 && rest[0] < s.id {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0] == s.id {
			continue
		}
		if err := errors.Join(w.world.Disconnect(vicinity.ConnID(s.id)), w.world.Despawn(s.handle)); err != nil {
			return err
		}
	}
	w.spots = w.spots[:0]
	old := w.before
	for i, id := range t.ID {
		for len(old) > 0 && old[0].id < id {
			old = old[1:]
		}
		s := stay{id: id, kind: t.Kind[i]}
		var err error
		if len(old) > 0 && old[0].id == id {
			s.handle = old[0].handle
			err = w.move(s, old[0].kind, t.X[i], t.Y[i])
		} else {
			s.handle, err = w.spawn(s, t.X[i], t.Y[i])
		}
		if err != nil {
			return err
		}
		w.present = append(w.present, s)
		w.spots = append(w.spots, spot{id, s.handle, grid.Point{X: t.X[i], Y: t.Y[i]}})
	}
	return nil
}

// move moves somebody who was present. Another kind is another state.
func (w *whole) move(s stay, kind, x, y int32) error {
	if err := w.world.MoveUnits(s.handle, x, y); err != nil || s.kind == kind {
		return err
	}
	p := w.config.price(s.kind)
	return errors.Join(
		w.world.SetCost(s.handle, [packer.Levels]uint32{p.Cost}, 0),
		w.world.SetPriority(s.handle, p.Priority),
		w.world.Touch(s.handle),
	)
}

// spawn puts somebody into the World, who looks out of its own eyes.
func (w *whole) spawn(s stay, x, y int32) (vicinity.Handle, error) {
	p := w.config.price(s.kind)
	h, err := w.world.Spawn(vicinity.Entity{
		ID: s.id, X: float64(x), Y: float64(y),
		Cost: [packer.Levels]uint32{p.Cost}, Priority: p.Priority,
	})
	if err != nil {
		return 0, err
	}
	c := vicinity.Connection{
		ID: vicinity.ConnID(s.id), Viewpoint: vicinity.Viewpoint{Entity: h}, ExcludeSelf: true,
		Cap: vicinity.Cap{Members: w.config.Cap}, SendEvery: w.config.SendEvery,
	}
	if b := w.config.Budget; b != nil {
		c.Budget, c.Reserve = b.Bytes, reserve(b.Bytes)
	}
	return h, w.world.Connect(c)
}

func (w *whole) AppendRelations(dst []replay.Relation) []replay.Relation {
	return append(dst, w.relations...)
}

func (w *whole) Packed() *replay.Packed {
	if w.config.Budget == nil {
		return nil
	}
	return &w.packed
}

// Within does not count the observers themselves.
func (w *whole) Within() (sum int, err error) {
	if err := w.reader.Pin(); err != nil {
		return 0, err
	}
	defer w.reader.Unpin()
	now := w.reader.Snapshot()
	for i := range w.spots {
		n, err := now.CountWithin(w.spots[i].query(w.config.Radius))
		if err != nil {
			return 0, err
		}
		sum += n - 1
	}
	return sum, nil
}

func (w *whole) Nearest(k int, each func(observer uint64, list []uint64)) error {
	if err := w.reader.Pin(); err != nil {
		return err
	}
	defer w.reader.Unpin()
	return nearest(w.reader.Snapshot(), w.spots, w.config.Radius, k, each)
}

func (w *whole) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	defer w.workers.Close()
	if w.reader != nil {
		w.reader.Close()
	}
	if w.world == nil {
		return nil
	}
	if err := w.world.Close(); err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	return nil
}
