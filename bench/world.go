package bench

import (
	"vicinity/arena"
	"vicinity/grid"
)

// Turns is how many different ticks a World rotates through: enough that branch
// predictors cannot learn them.
const Turns = 8

// World is a workload in the engine, with the positions of several ticks drawn
// ahead, so that drawing is not measured.
type World struct {
	Workload
	Arena     *arena.Arena
	Grid      *grid.Grid
	Handles   []arena.Handle
	Observers *grid.SlotSet
	Ticks     [Turns]Positions
	tick      uint64
}

// Positions are those of all entities in one tick.
type Positions struct{ X, Y []int32 }

// NewWorld puts a workload into a grid configured by cfg, whose Arena and Layers
// are filled in here, and publishes it.
func NewWorld(w Workload, cfg grid.Config) (*World, error) {
	a, err := arena.New(arena.Config{Capacity: w.Entities, Deferred: true, Memory: cfg.Memory})
	if err != nil {
		return nil, err
	}
	cfg.Arena = a
	if cfg.Layers == nil {
		cellX, cellY := grid.CellFor(w.RadiusUnits())
		cfg.Layers = []grid.Layer{{CellX: cellX, CellY: cellY}}
	}
	g, err := grid.New(cfg)
	if err != nil {
		return nil, err
	}
	b := &World{Workload: w, Arena: a, Grid: g, Observers: &grid.SlotSet{}}
	return b, b.fill()
}

func (b *World) fill() error {
	m := NewMotion(b.Workload)
	for i := range b.Entities {
		h, err := b.Arena.Alloc()
		if err != nil {
			return err
		}
		if err := b.Grid.Insert(h, uint64(i), 0, m.Point(i)); err != nil {
			return err
		}
		b.Handles = append(b.Handles, h)
		if b.Observes(i) {
			b.Observers.Add(h.Slot())
		}
	}
	for t := range b.Ticks {
		m.Walk()
		b.Ticks[t] = Positions{X: append([]int32(nil), m.X...), Y: append([]int32(nil), m.Y...)}
	}
	return b.Publish()
}

// Move moves every entity to its place in the next tick. Ticks go to and fro, so
// that nobody jumps from the last to the first.
func (b *World) Move() {
	t := int(b.tick % (2*Turns - 2))
	if t >= Turns {
		t = 2*Turns - 2 - t
	}
	p := &b.Ticks[t]
	for i, h := range b.Handles {
		if err := b.Grid.Move(h, p.X[i], p.Y[i]); err != nil {
			panic(err)
		}
	}
}

// Publish publishes the next tick.
func (b *World) Publish() error {
	b.tick++
	return b.Grid.Publish(b.tick)
}

// Close frees everything.
func (b *World) Close() error {
	if err := b.Grid.Close(); err != nil {
		return err
	}
	return b.Arena.Close()
}
