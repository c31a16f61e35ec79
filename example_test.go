package vicinity_test

import (
	"fmt"
	"log"

	"vicinity"
	"vicinity/interest"
	"vicinity/packer"
)

// A knight passes a lamp. The lamp comes into view at 10 metres and goes out of view
// beyond 12.
func Example() {
	world, err := vicinity.New(vicinity.Config{Reach: []vicinity.Reach{{Enter: 10, Margin: 2}}})
	check(err)
	knight, err := world.Spawn(vicinity.Entity{ID: 1, X: -16, Cost: [3]uint32{20}})
	check(err)
	_, err = world.Spawn(vicinity.Entity{ID: 2, Y: 6, Cost: [3]uint32{20}})
	check(err)
	check(world.Connect(vicinity.Connection{
		ID: 7, Viewpoint: vicinity.Viewpoint{Entity: knight}, ExcludeSelf: true, Budget: 1200,
	}))

	for x := -15.0; x <= 15; x++ {
		check(world.Move(knight, x, 0))
		check(world.Tick(func(c vicinity.ConnID, d *vicinity.Delivery) bool {
			for _, e := range d.Enters {
				fmt.Printf("x = %v: connection %d learns of %d (%d bytes)\n", x, c, e.ID, e.Cost)
			}
			for _, e := range d.Leaves {
				fmt.Printf("x = %v: connection %d forgets %d (%d bytes)\n", x, c, e.ID, e.Cost)
			}
			return true // it was sent
		}))
	}
	check(world.Close())

	// Output:
	// x = -8: connection 7 learns of 2 (20 bytes)
	// x = 11: connection 7 forgets 2 (8 bytes)
}

// A budget of 96 bytes takes the first and the third of three: what does not fit
// waits, and does not stand in the way of what does.
func ExampleWorld_Tick() {
	world, err := vicinity.New(vicinity.Config{})
	check(err)
	var all []vicinity.Handle
	for i, cost := range []uint32{80, 56, 16} {
		h, err := world.Spawn(vicinity.Entity{ID: uint64(i), X: float64(i), Cost: [3]uint32{cost}})
		check(err)
		all = append(all, h)
	}
	check(world.Connect(vicinity.Connection{ID: 1}))
	check(world.Tick(func(vicinity.ConnID, *vicinity.Delivery) bool { return true })) // all enter

	check(world.SetBudget(1, 96, 0))
	for range 2 {
		check(world.Touch(all[1]))
		if world.Now() == 1 {
			check(world.Touch(all[0]))
			check(world.Touch(all[2]))
		}
		check(world.Tick(func(_ vicinity.ConnID, d *vicinity.Delivery) bool {
			fmt.Printf("tick %d: %d bytes of %d, no room for %d:", d.Tick, d.Bytes, d.Budget, d.Deferred[packer.WhyNoRoom])
			for _, u := range d.Updates {
				fmt.Printf(" entity %d", u.ID)
			}
			fmt.Println()
			return true
		}))
	}
	check(world.Close())

	// Output:
	// tick 2: 96 bytes of 96, no room for 1: entity 0 entity 2
	// tick 3: 56 bytes of 96, no room for 0: entity 1
}

// A wolf is told who comes near; chat goes to those who see the speaker.
func ExampleWorld_Observe() {
	world, err := vicinity.New(vicinity.Config{})
	check(err)
	wolf, err := world.Spawn(vicinity.Entity{ID: 1, Cost: [3]uint32{20}})
	check(err)
	sheep, err := world.Spawn(vicinity.Entity{ID: 2, X: 15, Cost: [3]uint32{20}})
	check(err)
	aggro := vicinity.Connection{ID: 100, Viewpoint: vicinity.Viewpoint{Entity: wolf}, ExcludeSelf: true, Scale: 0.1}
	check(world.Observe(aggro)) // a tenth of the usual reach
	tick := func() {
		check(world.Tick(func(c vicinity.ConnID, d *vicinity.Delivery) bool {
			for _, e := range d.Enters {
				fmt.Printf("tick %d: %d comes near\n", d.Tick, e.ID)
			}
			for _, e := range d.Leaves {
				fmt.Printf("tick %d: %d is gone: %v\n", d.Tick, e.ID, e.Cause)
			}
			return true
		}))
	}
	tick()
	check(world.Move(sheep, 9, 0))
	tick()
	fmt.Println("observers of the sheep:", world.AppendObserversOf(nil, sheep))
	check(world.Relate(100, sheep, interest.Pinned)) // the wolf follows the scent
	check(world.Move(sheep, 900, 0))
	tick()
	check(world.Despawn(sheep))
	tick()
	check(world.Close())

	// Output:
	// tick 2: 2 comes near
	// observers of the sheep: [100]
	// tick 4: 2 is gone: despawn
}

// Many small Worlds, each at its own rate, over two workers.
func ExampleGroup() {
	workers := vicinity.NewWorkers(2)
	defer workers.Close()
	group := vicinity.NewGroup(workers)
	for i := range 6 {
		world, err := vicinity.New(vicinity.Config{})
		check(err)
		_, err = world.Spawn(vicinity.Entity{ID: 1, Cost: [3]uint32{20}})
		check(err)
		check(world.Connect(vicinity.Connection{ID: 1, Budget: 1200}))
		check(group.Add(world, 1+i%2))
	}
	for range 4 {
		check(group.Tick(func(*vicinity.World, vicinity.ConnID, *vicinity.Delivery) bool { return true }))
	}
	var totals packer.Stats
	group.AddTotals(&totals)
	fmt.Println(totals.Plans, "deliveries,", totals.Selected, "spawns")

	// Output:
	// 18 deliveries, 6 spawns
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
