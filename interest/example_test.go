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

// A view with a party, permission, a cap and levels of detail.
func ExampleSet_SetTraits() {
	a, err := arena.New(arena.Config{Deferred: true})
	if err != nil {
		panic(err)
	}
	defer a.Close()
	g, err := grid.New(grid.Config{Arena: a, Layers: []grid.Layer{{CellX: 64}}})
	if err != nil {
		panic(err)
	}
	defer g.Close()
	set, err := interest.New(interest.Config{
		Arena: a, Grid: g, Reach: []interest.Reach{{Enter: 100, Margin: 20}},
		Levels: interest.Levels{Near: 30, Mid: 60, Margin: 5},
	})
	if err != nil {
		panic(err)
	}
	const stealth, party = 1 << 4, 77
	traits := map[uint64]interest.Traits{
		2: {},                            // anybody
		3: {Need: stealth},               // seen by who detects stealth
		4: {Groups: [4]uint32{0: party}}, // far away, in the party
	}
	handles := map[uint64]arena.Handle{}
	for id, x := range []int32{1: 0, 2: 50, 3: 10, 4: 9000} {
		if id == 0 {
			continue
		}
		h, err := a.Alloc()
		if err != nil {
			panic(err)
		}
		handles[uint64(id)] = h
		if err := g.Insert(h, uint64(id), 0, grid.Point{X: x}); err != nil {
			panic(err)
		}
		if err := set.SetTraits(h, traits[uint64(id)]); err != nil {
			panic(err)
		}
	}
	view, err := set.Add(interest.Observer{
		ID: 1, Entity: handles[1], ExcludeSelf: true, Groups: [4]uint32{0: party}, Measured: true,
		Cap: interest.Cap{MaxMembers: 50, Protected: interest.Group0},
	})
	if err != nil {
		panic(err)
	}
	tick := func(n uint64) {
		if err := g.Publish(n); err != nil {
			panic(err)
		}
		if err := set.UpdateAll(nil); err != nil {
			panic(err)
		}
		levels := view.Columns().Level
		for _, e := range view.AppendEnters(nil) {
			fmt.Printf("tick %d: %d enters (%v), detail %v\n", e.Since, e.ID, e.Reason, levels[e.Row])
		}
		for _, e := range view.AppendLeaves(nil) {
			fmt.Printf("tick %d: %d leaves (%v)\n", e.Since, e.ID, e.Reason)
		}
		view.Commit()
	}
	tick(1)
	view.SetMask(stealth)
	tick(2)
	view.SetGroups([4]uint32{})
	tick(3)
	fmt.Println(len(set.AppendObserversOf(nil, handles[3])), "sees the stealthy one")
	// Output:
	// tick 1: 2 enters (range), detail medium
	// tick 1: 4 enters (group), detail low
	// tick 2: 3 enters (permission), detail high
	// tick 3: 4 leaves (group)
	// 1 sees the stealthy one
}
