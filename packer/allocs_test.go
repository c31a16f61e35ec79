package packer

import "testing"

func TestPackDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	d := newDice(t, 11)
	var p Packer
	var plan Plan
	var stats Stats
	lastSent := make([]uint32, 3000)
	for range 60 {
		l := d.limits()
		b := mustBudget(t, l)
		n := int(d(3000))
		c := d.candidates(n, &l)
		plan.WantDeferred = d.one(2)
		pack := func() {
			if err := p.Pack(&plan, c, b); err != nil {
				t.Fatal(err)
			}
			plan.Commit(c, lastSent, 5)
			plan.SortDeferred(c)
			stats.Observe(&plan, c)
		}
		pack()
		if got := testing.AllocsPerRun(3, pack); got != 0 {
			t.Fatalf("%v allocations with %d candidates, limits %+v", got, n, l)
		}
	}
}

// The packer works on, whatever memory it was copied from.
func TestPackerCanBeCopied(t *testing.T) {
	c := byOrder(50, 50)
	c.Cost[1] = []uint32{20, 20}
	b := mustBudget(t, Limits{Bytes: 75, Degrade: true})
	var first Packer
	var plan Plan
	if err := first.Pack(&plan, c, b); err != nil {
		t.Fatal(err)
	}
	second := first
	first = Packer{}
	if err := second.Pack(&plan, c, b); err != nil || plan.Used != 70 {
		t.Errorf("used %d, %v", plan.Used, err)
	}
}
