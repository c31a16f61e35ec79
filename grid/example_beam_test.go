package grid_test

import (
	"fmt"
	"slices"

	"vicinity/arena"
	"vicinity/grid"
)

// street is a snapshot of four on a diagonal, and a wall beside it.
func street() *grid.Snapshot {
	a, err := arena.New(arena.Config{Deferred: true})
	if err != nil {
		panic(err)
	}
	g, err := grid.New(grid.Config{Arena: a, Layers: []grid.Layer{{CellX: 64}}})
	if err != nil {
		panic(err)
	}
	for _, e := range []struct {
		id   uint64
		at   grid.Point
		body grid.Body
	}{
		{1, grid.Point{X: 100, Y: 100}, grid.Body{}},
		{2, grid.Point{X: 300, Y: 310}, grid.Body{}},
		{3, grid.Point{X: 600, Y: 640}, grid.Body{Radius: 25}},
		{4, grid.Point{X: 900, Y: 900}, grid.Body{}},
		{5, grid.Point{X: 470, Y: 350}, grid.Body{HalfX: 120, HalfY: 5}},
	} {
		h, err := a.Alloc()
		if err != nil {
			panic(err)
		}
		if err := g.Insert(h, e.id, 0, e.at); err != nil {
			panic(err)
		}
		if err := g.SetBody(h, e.body); err != nil {
			panic(err)
		}
	}
	if err := g.Publish(1); err != nil {
		panic(err)
	}
	return g.Snapshot()
}

// identify returns the IDs of slots, in order.
func identify(s *grid.Snapshot, slots []uint32) (ids []uint64) {
	for _, slot := range slots {
		ids = append(ids, s.ID(slot))
	}
	slices.Sort(ids)
	return ids
}

// A beam from (0, 0) to about (707, 707), 10 wide: the wall ends in it, and the disc
// reaches into it.
func ExampleSnapshot_AppendTilted() {
	s := street()
	beam := grid.Tilted{X: 354, Y: 354, DirX: 1, DirY: 1, HalfLength: 500, HalfWidth: 5}
	slots, err := s.AppendTilted(nil, beam, grid.Filter{})
	if err != nil {
		panic(err)
	}
	fmt.Println(identify(s, slots))

	beam.HalfWidth = 0 // now it is a line
	slots, err = s.AppendTilted(slots[:0], beam, grid.Filter{})
	if err != nil {
		panic(err)
	}
	fmt.Println(identify(s, slots))

	_, err = s.AppendTilted(nil, grid.Tilted{X: 354, Y: 354, HalfLength: 500}, grid.Filter{})
	fmt.Println(err)
	// Output:
	// [1 3 5]
	// [1 5]
	// grid: not a shape: rectangle at (354, 354) without a direction
}

// Whom a ball of radius 10 touches that rolls from (150, 150) to (850, 850). It does not
// get as far as the last, and the first is behind it.
func ExampleSnapshot_AppendCapsule() {
	s := street()
	slots, err := s.AppendCapsule(nil, grid.Capsule{X0: 150, Y0: 150, X1: 850, Y1: 850, Radius: 10}, grid.Filter{})
	if err != nil {
		panic(err)
	}
	fmt.Println(identify(s, slots))
	// Output: [2 3 5]
}
