package crosslist_test

import (
	"fmt"

	"vicinity/arena"
	"vicinity/crosslist"
)

// A trap stands in a corridor; a guard sees the thief a little further than it must.
func Example() {
	a := &arena.Arena{}
	list, err := crosslist.New(crosslist.Config{Arena: a})
	if err != nil {
		panic(err)
	}
	tell := func(what string, events []crosslist.Event, err error) {
		if err != nil {
			panic(err)
		}
		fmt.Print(what, ":")
		for _, e := range events {
			fmt.Printf(" [trigger %d: %v %d]", e.TriggerID, e.Kind, e.EntityID)
		}
		fmt.Println()
	}
	spawn := func(id uint64, x, y int32) arena.Handle {
		h, err := a.Alloc()
		if err != nil {
			panic(err)
		}
		events, err := list.AppendInsert(nil, h, id, x, y)
		tell(fmt.Sprintf("%d appears", id), events, err)
		return h
	}
	thief, guard := spawn(1, 0, 0), spawn(2, 90, 0)
	events, _, err := list.AppendAddTrigger(nil, crosslist.Spec{ID: 10, X: 50, Radius: 5, Shape: crosslist.Box})
	tell("trap", events, err)
	events, _, err = list.AppendAddTrigger(nil, crosslist.Spec{ID: 20, Owner: guard, Radius: 40, Margin: 10})
	tell("sight", events, err)

	for _, x := range []int32{45, 50, 56, 41} {
		events, err = list.AppendMove(events[:0], thief, x, 0)
		tell(fmt.Sprintf("thief at %d", x), events, err)
	}
	events, err = list.AppendMove(events[:0], guard, 92, 0)
	tell("guard at 92", events, err)

	// A batch decides when it ends.
	if err := list.Begin(); err != nil {
		panic(err)
	}
	for _, x := range []int32{50, 80, 47} {
		if events, err = list.AppendMove(events[:0], thief, x, 0); err != nil {
			panic(err)
		}
	}
	events, err = list.AppendEnd(events[:0])
	tell("in one tick", events, err)
	// Output:
	// 1 appears:
	// 2 appears:
	// trap:
	// sight:
	// thief at 45: [trigger 10: enter 1]
	// thief at 50: [trigger 20: enter 1]
	// thief at 56: [trigger 10: leave 1]
	// thief at 41:
	// guard at 92: [trigger 20: leave 1]
	// in one tick: [trigger 10: enter 1]
}
