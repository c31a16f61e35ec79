package main

import (
	"github.com/dgryski/go-pcgr"

	"vicinity/bench"
	"vicinity/grid"
)

// Places are where everybody is in one tick, in two orders.
type Places struct {
	// ByEntity is the order in which a game keeps its entities: any.
	ByEntity []Point
	// ByPlace holds the same in the grid's storage order of the first tick, in which
	// neighbours lie together. Trees are better off with it.
	ByPlace []Point
}

// Scene is a workload drawn for several ticks.
type Scene struct {
	bench.Workload
	Ticks []Places
}

// workloads are what is measured, of n entities each.
func workloads(n int) []bench.Workload {
	uniform := bench.Uniform(n)
	uniform.Name = "uniform"
	clustered := uniform
	clustered.Name = "clustered"
	// As in W0b: two in a hundred in one spot, others in many, the rest uniform.
	spots := max(n/2632, 1)
	clustered.Spots = []bench.Spot{
		{Count: 1, Entities: n / 50, Sigma: 5},
		{Count: spots, Entities: n * 19 / 50, Sigma: 30},
	}
	return []bench.Workload{uniform, clustered}
}

// newScene draws a workload.
func newScene(w bench.Workload) (*Scene, error) {
	world, err := bench.NewWorld(w, grid.Config{})
	if err != nil {
		return nil, err
	}
	entity := make(map[uint32]int, w.Entities)
	for i, h := range world.Handles {
		entity[h.Slot()] = i
	}
	s := &Scene{Workload: w}
	slots := world.Grid.Snapshot().Columns(0).Slot
	for _, t := range world.Ticks {
		var p Places
		for i := range t.X {
			p.ByEntity = append(p.ByEntity, Point{t.X[i], t.Y[i]})
		}
		for _, slot := range slots {
			p.ByPlace = append(p.ByPlace, p.ByEntity[entity[slot]])
		}
		s.Ticks = append(s.Ticks, p)
	}
	return s, world.Close()
}

// Order is that in which queries come.
type Order string

const (
	// InStorage is the grid's storage order: neighbours ask one after the other, as
	// when a server goes through its cells.
	InStorage Order = "storage"
	// AtRandom is an order in which each query begins with a cold place.
	AtRandom Order = "random"
)

// run is how many queries in storage order follow each other where not all entities
// ask.
const run = 256

// queries returns the first tick's positions of about n entities. In storage order
// these are runs, evenly spread.
func (s *Scene) queries(order Order, n int) []Point {
	all := s.Ticks[0].ByPlace
	if order == AtRandom {
		all = shuffled(all)
		return all[:min(n, len(all))]
	}
	if n >= len(all) {
		return all
	}
	var q []Point
	runs := max(n/run, 1)
	for i := range runs {
		from := i * len(all) / runs
		q = append(q, all[from:min(from+min(run, n), len(all))]...)
	}
	return q
}

func shuffled(p []Point) []Point {
	var rng pcgr.Rand
	rng.SeedWithState(bench.Seed, 7)
	p = append([]Point(nil), p...)
	for i := len(p) - 1; i > 0; i-- {
		j := rng.Bound(uint32(i + 1))
		p[i], p[j] = p[j], p[i]
	}
	return p
}
