package grid_test

import (
	"fmt"

	"vicinity/arena"
	"vicinity/grid"
)

func Example() {
	a, err := arena.New(arena.Config{Deferred: true})
	if err != nil {
		panic(err)
	}
	// One unit is a centimetre here, and queries reach about 50 m.
	cellX, cellY := grid.CellFor(5000)
	g, err := grid.New(grid.Config{Arena: a, Layers: []grid.Layer{{CellX: cellX, CellY: cellY}}})
	if err != nil {
		panic(err)
	}
	defer g.Close()

	spawn := func(id uint64, x, y int32) arena.Handle {
		h, err := a.Alloc()
		if err != nil {
			panic(err)
		}
		if err := g.Insert(h, id, 0, grid.Point{X: x, Y: y}); err != nil {
			panic(err)
		}
		return h
	}
	spawn(101, 0, 0)
	bear := spawn(102, 3000, 4000)
	spawn(103, 3000, 4001)

	look := func(tick uint64) {
		if err := g.Publish(tick); err != nil {
			panic(err)
		}
		s := g.Snapshot()
		hits, err := s.AppendWithin(nil, grid.Query{Radius: 5000})
		if err != nil {
			panic(err)
		}
		for _, h := range hits {
			fmt.Printf("tick %d: entity %d, squared distance %g\n", s.Tick(), s.ID(h.Slot), h.Dist2)
		}
	}
	look(1) // the border belongs to it

	if err := g.Move(bear, 9000, 4000); err != nil {
		panic(err)
	}
	look(2)
	// Unordered output:
	// tick 1: entity 101, squared distance 0
	// tick 1: entity 102, squared distance 2.5e+07
	// tick 2: entity 101, squared distance 0
}

func ExampleReader() {
	a, err := arena.New(arena.Config{Deferred: true})
	if err != nil {
		panic(err)
	}
	g, err := grid.New(grid.Config{Arena: a, Layers: []grid.Layer{{CellX: 256}}})
	if err != nil {
		panic(err)
	}
	h, err := a.Alloc()
	if err != nil {
		panic(err)
	}
	if err := g.Insert(h, 7, 0, grid.Point{X: 10}); err != nil {
		panic(err)
	}
	if err := g.Publish(1); err != nil {
		panic(err)
	}

	// In a goroutine of its own, say: what is pinned stays as it is.
	reader, err := g.NewReader()
	if err != nil {
		panic(err)
	}
	s, err := reader.Pin()
	if err != nil {
		panic(err)
	}
	if err := g.Move(h, 500, 0); err != nil {
		panic(err)
	}
	if err := g.Publish(2); err != nil {
		panic(err)
	}
	near, err := s.AppendNearest(nil, 1, grid.Query{Radius: 1000})
	if err != nil {
		panic(err)
	}
	fmt.Println("tick", s.Tick(), "entity", s.ID(near[0].Slot), "squared distance", near[0].Dist2)
	fmt.Println(g.Close())
	reader.Close()
	fmt.Println(g.Close())
	// Output:
	// tick 1 entity 7 squared distance 100
	// grid: a snapshot is pinned
	// <nil>
}
