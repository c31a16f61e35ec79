package grid_test

import (
	"fmt"

	"vicinity/arena"
	"vicinity/grid"
)

// Lag compensation: a shot is judged by what the shooter saw when the trigger was
// pulled, some ticks before the server hears of it.
func ExampleReader_PinAt() {
	a, err := arena.New(arena.Config{Deferred: true})
	if err != nil {
		panic(err)
	}
	g, err := grid.New(grid.Config{Arena: a, Layers: []grid.Layer{{CellX: 256}}, History: 8})
	if err != nil {
		panic(err)
	}
	defer g.Close()
	runner, err := a.Alloc()
	if err != nil {
		panic(err)
	}
	if err := g.Insert(runner, 7, 0, grid.Point{}); err != nil {
		panic(err)
	}
	// The runner makes 100 units a tick.
	for tick := range uint64(20) {
		if err := g.Move(runner, 100*int32(tick), 0); err != nil {
			panic(err)
		}
		if err := g.Publish(tick); err != nil {
			panic(err)
		}
	}

	reader, err := g.NewReader()
	if err != nil {
		panic(err)
	}
	defer reader.Close()
	shoot := func(x int32, seen uint64) {
		s, err := reader.PinAt(seen)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer reader.Unpin()
		n, err := s.CountWithin(grid.Query{X: x, Radius: 30})
		if err != nil {
			panic(err)
		}
		fmt.Printf("at %d in tick %d: %d hit\n", x, s.Tick(), n)
	}
	shoot(1500, 19) // what the server has now
	shoot(1500, 15) // what the shooter saw
	shoot(1500, 10)
	// Output:
	// at 1500 in tick 19: 0 hit
	// at 1500 in tick 15: 1 hit
	// grid: tick out of range: 10; kept are 11 to 19
}
