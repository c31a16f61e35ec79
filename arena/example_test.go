package arena_test

import (
	"fmt"

	"vicinity/arena"
)

func Example() {
	a, err := arena.New(arena.Config{Capacity: 1000, Deferred: true})
	if err != nil {
		panic(err)
	}
	defer a.Close()
	health, err := arena.NewColumn[int32](a, arena.Heap)
	if err != nil {
		panic(err)
	}

	spawn := func(hp int32) arena.Handle {
		h, err := a.Alloc()
		if err != nil {
			panic(err)
		}
		health.Slice()[h.Slot()] = hp
		return h
	}
	wolf, bear := spawn(40), spawn(90)
	fmt.Println(wolf, bear, health.Slice()[bear.Slot()])

	// The wolf goes. Its slot waits until nobody looks at the old picture.
	a.Free(wolf)
	batch := a.Seal()
	hare := spawn(5)
	fmt.Println(a.Alive(wolf), hare)

	fmt.Println(a.Reclaim(batch), "slot reusable")
	fox := spawn(20)
	fmt.Println(fox, a.Alive(fox), a.Alive(wolf), fox.Slot() == wolf.Slot())

	// Output:
	// 0#1 1#1 90
	// false 2#1
	// 1 slot reusable
	// 0#3 true false true
}

// What lives in an arena can be taken out one by one, in a fixed order.
func ExampleArena_Drain() {
	var a arena.Arena
	for range 3 {
		if _, err := a.Alloc(); err != nil {
			panic(err)
		}
	}
	a.Drain(func(h arena.Handle) { fmt.Println("despawn", h) })
	fmt.Println(a.Len(), a.Slots())
	// Output:
	// despawn 0#1
	// despawn 1#1
	// despawn 2#1
	// 0 3
}
