package vicinity_test

import (
	"fmt"
	"math"
	"slices"

	"vicinity"
)

// scene is a World with some entities, ticked once, and a Reader of it.
func scene(cfg vicinity.Config, entities ...vicinity.Entity) (*vicinity.World, *vicinity.Reader, []vicinity.Handle) {
	world, err := vicinity.New(cfg)
	check(err)
	var handles []vicinity.Handle
	for _, e := range entities {
		e.Cost[0] = 20
		h, err := world.Spawn(e)
		check(err)
		handles = append(handles, h)
	}
	check(world.Tick(nil))
	reader, err := world.NewReader()
	check(err)
	return world, reader, handles
}

// sorted are the IDs of who was found.
func sorted(found []vicinity.Found) (ids []uint64) {
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	slices.Sort(ids)
	return ids
}

// A fireball hurts all within five metres, the less the further: an ogre by its nearest
// side.
func ExampleReader_AppendWithin() {
	world, reader, _ := scene(vicinity.Config{},
		vicinity.Entity{ID: 1, X: 3, Y: 4},
		vicinity.Entity{ID: 2, X: 3, Y: 4.5},
		vicinity.Entity{ID: 3, X: -7, Body: vicinity.Body{Radius: 3}}, // the ogre
		vicinity.Entity{ID: 4, Y: -2},
	)
	check(reader.Pin())
	found, err := reader.AppendWithin(nil, vicinity.Disc{Radius: 5}, vicinity.Where{})
	check(err)
	reader.Unpin()
	slices.SortFunc(found, func(a, b vicinity.Found) int { return int(a.ID) - int(b.ID) })
	for _, f := range found {
		fmt.Printf("%d at %v m: %v damage\n", f.ID, f.Distance, 100-20*f.Distance)
	}
	reader.Close()
	check(world.Close())

	// Output:
	// 1 at 5 m: 0 damage
	// 3 at 4 m: 20 damage
	// 4 at 2 m: 60 damage
}

// A guard looks up the street and sees 30 degrees to either side, 20 metres far.
func ExampleReader_AppendCone() {
	world, reader, _ := scene(vicinity.Config{},
		vicinity.Entity{ID: 1, X: 10, Y: 5},
		vicinity.Entity{ID: 2, X: 10, Y: 6},                                           // too far to the side
		vicinity.Entity{ID: 3, X: -1},                                                 // behind
		vicinity.Entity{ID: 4, X: 20},                                                 // at the very end
		vicinity.Entity{ID: 5, X: 20, Y: -1},                                          // beyond it
		vicinity.Entity{ID: 6, X: 12, Y: -9, Body: vicinity.Body{HalfX: 4, HalfY: 2}}, // a cart, of which a corner
	)
	check(reader.Pin())
	found, err := reader.AppendCone(nil, vicinity.Cone{
		DirX: 1, HalfAngle: 30 * math.Pi / 180, Range: 20,
	}, vicinity.Where{})
	check(err)
	fmt.Println("in sight:", sorted(found))
	reader.Close()
	check(world.Close())

	// Output:
	// in sight: [1 4 6]
}

// A beam, half a metre thick to either side, goes from one point to another.
func ExampleReader_AppendCapsule() {
	world, reader, _ := scene(vicinity.Config{},
		vicinity.Entity{ID: 1, X: 6, Y: 8},
		vicinity.Entity{ID: 2, X: 6.5, Y: 8},                                   // 0.4 m beside
		vicinity.Entity{ID: 3, X: 7, Y: 8},                                     // 0.8 m beside
		vicinity.Entity{ID: 4, X: 15, Y: 20, Body: vicinity.Body{Radius: 4.5}}, // 5 m beyond the end, but large
	)
	check(reader.Pin())
	found, err := reader.AppendCapsule(nil, vicinity.Capsule{X1: 12, Y1: 16, Radius: 0.5}, vicinity.Where{})
	check(err)
	fmt.Println("hit:", sorted(found))
	reader.Close()
	check(world.Close())

	// Output:
	// hit: [1 2 4]
}

// A shot is judged by what the shooter saw three ticks ago, though the target has run
// into cover since.
func ExampleReader_PinAt() {
	world, reader, handles := scene(vicinity.Config{History: 8},
		vicinity.Entity{ID: 1, X: 50, Body: vicinity.Body{Radius: 0.5}},
	)
	for i := range 3 {
		check(world.Move(handles[0], 50, float64(1+i)))
		check(world.Tick(nil))
	}
	line := vicinity.Capsule{X1: 100}
	for _, ago := range []uint64{0, 3} {
		check(reader.PinAt(world.Now() - ago))
		found, err := reader.AppendCapsule(nil, line, vicinity.Where{})
		check(err)
		fmt.Printf("as of tick %d the shot hits %v\n", reader.Tick(), sorted(found))
		reader.Unpin()
	}
	err := reader.PinAt(world.Now() + 1)
	fmt.Println(err)
	reader.Close()
	check(world.Close())

	// Output:
	// as of tick 4 the shot hits []
	// as of tick 1 the shot hits [1]
	// vicinity: tick out of range: grid: tick out of range: 5; kept are 1 to 4
}
