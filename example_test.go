package vicinity_test

import (
	"fmt"
	"log"

	"vicinity/arena"
	"vicinity/grid"
	"vicinity/interest"
)

// The packages in a row: a walker passes a lamp. The lamp comes into view at 10
// units and goes out of view beyond 12.
func Example() {
	things, err := arena.New(arena.Config{Deferred: true})
	check(err)
	world, err := grid.New(grid.Config{Arena: things, Layers: []grid.Layer{{CellX: 4}}})
	check(err)
	views, err := interest.New(interest.Config{
		Arena: things,
		Grid:  world,
		Reach: []interest.Reach{{Enter: 10, Margin: 2}},
	})
	check(err)

	spawn := func(id uint64, x, y int32) arena.Handle {
		h, err := things.Alloc()
		check(err)
		check(world.Insert(h, id, 0, grid.Point{X: x, Y: y}))
		return h
	}
	const walkerID, lampID = 1, 2
	walker := spawn(walkerID, -15, 0)
	spawn(lampID, 0, 6)

	view, err := views.Add(interest.Observer{ID: walkerID, Entity: walker, ExcludeSelf: true})
	check(err)

	for tick := range uint64(30) {
		check(world.Move(walker, int32(tick)-15, 0))
		check(world.Publish(tick))
		check(views.UpdateAll(nil))
		for _, e := range view.AppendEnters(nil) {
			fmt.Printf("x = %d: %d enters, %v\n", int32(tick)-15, e.ID, e.Reason)
		}
		for _, e := range view.AppendLeaves(nil) {
			fmt.Printf("x = %d: %d leaves, %v\n", int32(tick)-15, e.ID, e.Reason)
		}
		view.Commit() // the walker was told
	}

	// Output:
	// x = -8: 2 enters, range
	// x = 11: 2 leaves, range
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
