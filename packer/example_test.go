package packer_test

import (
	"fmt"

	"vicinity/packer"
)

// Four entities want 192 bytes, and there are 152. The third does not fit when its
// turn comes, and does not block the fourth. Next tick it has waited.
func Example() {
	budget, err := packer.NewBudget(packer.Limits{
		Bytes:   152,
		Classes: []packer.Class{{AgeWeight: 100}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	candidates := &packer.Candidates{
		ID:       []uint64{11, 12, 13, 14},
		Priority: []uint16{50, 50, 20, 10},
		Dist2:    []float32{25, 400, 9, 16},
		Cost:     [packer.Levels][]uint32{{72, 48, 40, 32}},
		Waited:   []uint32{0, 0, 0, 0},
	}
	var (
		p        packer.Packer // scratch memory, one a worker
		plan     packer.Plan
		lastSent = make([]uint32, 4)
	)
	for tick := uint32(1); tick <= 2; tick++ {
		if err := p.Pack(&plan, candidates, budget); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("tick %d: %d bytes, %d deferred\n", tick, plan.Used, plan.DeferredCount())
		for i := range candidates.Waited { // here, all change every tick
			candidates.Waited[i]++
		}
		for _, s := range plan.Selected {
			fmt.Printf("  entity %d, %d bytes: %v\n", candidates.ID[s.Index], s.Cost, s.Reason)
			candidates.Waited[s.Index] = 0
		}
		plan.Commit(candidates, lastSent, tick) // it was sent
	}
	fmt.Println(lastSent)
	// Output:
	// tick 1: 152 bytes, 1 deferred
	//   entity 11, 72 bytes: changed
	//   entity 12, 48 bytes: changed
	//   entity 14, 32 bytes: changed
	// tick 2: 144 bytes, 1 deferred
	//   entity 13, 40 bytes: changed
	//   entity 11, 72 bytes: changed
	//   entity 14, 32 bytes: changed
	// [2 1 2 2]
}

// What a budget promises is known before anybody plays.
func ExampleBudget_MaxWait() {
	budget, _ := packer.NewBudget(packer.Limits{
		Bytes:   1200,
		Reserve: 300,
		Classes: []packer.Class{{MaxSilence: 20}},
	})
	crowd := make([]uint32, 500)
	for i := range crowd {
		crowd[i] = 30
	}
	ticks, _ := budget.MaxWait(0, crowd, 0, 0)
	fmt.Println("everybody within", ticks, "ticks")
	crowd[7] = 1000
	_, err := budget.MaxWait(0, crowd, 0, 0)
	fmt.Println(err)
	// Output:
	// everybody within 76 ticks
	// packer: bad budget: element 7 costs 1000, the starved get 300: it may wait for ever
}
