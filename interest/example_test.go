package interest_test

import (
	"fmt"

	"vicinity/arena"
	"vicinity/grid"
	"vicinity/interest"
)

func Example() {
	a, err := arena.New(arena.Config{Deferred: true})
	if err != nil {
		panic(err)
	}
	g, err := grid.New(grid.Config{Arena: a, Layers: []grid.Layer{{CellX: 32}}, Previous: true})
	if err != nil {
		panic(err)
	}
	defer g.Close()
	// Who comes within 100 units enters; it leaves beyond 120.
	set, err := interest.New(interest.Config{Arena: a, Grid: g, Reach: []interest.Reach{{Enter: 100, Margin: 20}}})
	if err != nil {
		panic(err)
	}

	spawn := func(id uint64, x int32) arena.Handle {
		h, err := a.Alloc()
		if err != nil {
			panic(err)
		}
		if err := g.Insert(h, id, 0, grid.Point{X: x}); err != nil {
			panic(err)
		}
		return h
	}
	me, wolf := spawn(1, 0), spawn(2, 110)
	view, err := set.Add(interest.Observer{ID: 1, Entity: me, ExcludeSelf: true})
	if err != nil {
		panic(err)
	}

	for tick, x := range []int32{110, 90, 110, 121} {
		if err := g.Move(wolf, x, 0); err != nil {
			panic(err)
		}
		if err := g.Publish(uint64(tick + 1)); err != nil {
			panic(err)
		}
		if err := set.UpdateAll(nil); err != nil {
			panic(err)
		}
		fmt.Printf("wolf at %d: %d in view", x, view.Len())
		for _, e := range view.AppendEnters(nil) {
			fmt.Printf(", %d enters (%v)", e.ID, e.Reason)
		}
		for _, e := range view.AppendLeaves(nil) {
			fmt.Printf(", %d leaves (%v)", e.ID, e.Reason)
		}
		fmt.Println()
		view.Commit() // the client has it
	}
	// Output:
	// wolf at 110: 0 in view
	// wolf at 90: 1 in view, 2 enters (range)
	// wolf at 110: 1 in view
	// wolf at 121: 0 in view, 2 leaves (range)
}
