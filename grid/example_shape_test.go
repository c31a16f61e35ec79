package grid_test

import (
	"fmt"
	"slices"

	"vicinity/arena"
	"vicinity/grid"
)

// A guard at (0, 0) looks along the y axis, 60 degrees to either side and 50 m far. A
// horn is heard from 30 m to 60 m away: nearer, everybody is awake already.
func ExampleSnapshot_AppendCone() {
	const metre = 100 // units
	a, err := arena.New(arena.Config{Deferred: true})
	if err != nil {
		panic(err)
	}
	cellX, cellY := grid.CellFor(50 * metre)
	g, err := grid.New(grid.Config{Arena: a, Layers: []grid.Layer{{CellX: cellX, CellY: cellY}}})
	if err != nil {
		panic(err)
	}
	defer g.Close()
	for _, e := range []struct {
		id   uint64
		x, y int32
		body grid.Body
	}{
		{1, 0, 50 * metre, grid.Body{}},                                // ahead, on the border
		{2, 0, -5 * metre, grid.Body{}},                                // behind
		{3, 40 * metre, 10 * metre, grid.Body{}},                       // too far to the side
		{4, 40 * metre, 10 * metre, grid.Body{Radius: 12 * metre}},     // so is this tower's centre
		{5, -20 * metre, 55 * metre, grid.Body{HalfX: 90 * metre}},     // a wall behind the border
		{6, -20 * metre, 45 * metre, grid.Body{HalfX: 90 * metre}},     // and one in front of it
		{7, 0, 0, grid.Body{HalfX: 50 * metre, HalfY: 50 * metre / 2}}, // the square itself
	} {
		h, err := a.Alloc()
		if err != nil {
			panic(err)
		}
		if err := g.Insert(h, e.id, 0, grid.Point{X: e.x, Y: e.y}); err != nil {
			panic(err)
		}
		if err := g.SetBody(h, e.body); err != nil {
			panic(err)
		}
	}
	if err := g.Publish(1); err != nil {
		panic(err)
	}
	s := g.Snapshot()
	tell := func(what string, slots []uint32, err error) {
		ids := []uint64{}
		for _, slot := range slots {
			ids = append(ids, s.ID(slot))
		}
		slices.Sort(ids)
		fmt.Println(what, ids, err)
	}
	cone := grid.Cone{DirY: 1, HalfAngle: grid.HalfTurn / 3, Range: 50 * metre}
	slots, err := s.AppendCone(nil, cone, grid.Filter{})
	tell("seen:", slots, err)
	slots, err = s.AppendRing(nil, grid.Ring{Inner: 30 * metre, Outer: 60 * metre}, grid.Filter{})
	tell("woken:", slots, err)
	// Output:
	// seen: [1 4 6 7] <nil>
	// woken: [1 3 4 5 6 7] <nil>
}
