package vicinity

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"vicinity/packer"
)

// TestSelectBest: the best are in front, whatever the order was.
func TestSelectBest(t *testing.T) {
	const n = 1000
	r := rand.New(rand.NewPCG(1, 2))
	for name, at := range map[string]func(i int) uint64{
		"rising": func(i int) uint64 { return uint64(i) }, "falling": func(i int) uint64 { return uint64(n - i) },
		"pipe": func(i int) uint64 { return uint64(max(i, n-i)) }, "few": func(i int) uint64 { return uint64(i % 3) },
		"any": func(int) uint64 { return r.Uint64() },
	} {
		list := make([]contender, n)
		for i := range list {
			list[i] = contender{first: uint64(i % 2), key: at(i), id: uint64(n - i), index: uint32(i)}
		}
		want := slices.Clone(list)
		slices.SortFunc(want, func(a, b contender) int { return a.compare(&b) })
		for _, k := range []int{0, 1, 2, 3, 499, 500, 997, 998, 999, n} {
			var o overflow
			got := slices.Clone(list)
			o.selectBest(got, k)
			slices.SortFunc(got[:k], func(a, b contender) int { return a.compare(&b) })
			if !slices.Equal(got[:k], want[:k]) {
				t.Errorf("%s: the best %d are wrong", name, k)
			}
		}
	}
}

// TestCompleteGroups: of a group at the border nobody is taken.
func TestCompleteGroups(t *testing.T) {
	var o overflow
	for i := range 10 {
		group := [...]uint32{5, 0, 5, 7, 7, 7, 7, 0, 0, 8}[i]
		o.all = append(o.all, contender{key: uint64(i), id: uint64(i), group: group})
	}
	o.take(5, func(*contender) bool { return true })
	o.completeGroups(&needs{group: true})
	for i := range o.all {
		if want := i < 3; o.all[i].taken != want {
			t.Errorf("%d of 5 is taken: %v; want %v", i, o.all[i].taken, want)
		}
	}
}

// TestOverflowAgain: a choice among groups knows nothing of the one before, and
// allocates only at first.
func TestOverflowAgain(t *testing.T) {
	w := newWorld(t, Config{})
	const n = 100
	var all table
	all.reserve(n)
	for k := range n {
		all.all.Cost[0][k], all.all.Group[k], all.all.Priority[k] = 1, uint32(k/3), 9
	}
	budget, err := w.takeBudget(100, 0)
	ok(t, err)
	c := &connection{budget: budget}
	choose := func(o *overflow, room int) {
		o.gather(w, &all, 0, n)
		o.describe(w, &all, c, &needs{group: true})
		o.takeBy(room, func(*contender) (bool, uint64) { return true, 0 })
		o.completeGroups(&needs{group: true})
	}
	var used, fresh overflow
	choose(&used, n/2)
	if len(used.torn) == 0 {
		t.Error("no group is torn")
	}
	clear(all.all.Priority)
	choose(&used, n)
	choose(&fresh, n)
	if !slices.Equal(used.all, fresh.all) {
		t.Error("the second choice is another one than a first")
	}
	if got := testing.AllocsPerRun(5, func() { choose(&used, n/2) }); got != 0 && !raceEnabled {
		t.Errorf("%v allocations", got)
	}
}

// crowd is one view with more than the packer takes.
type crowd struct {
	w       *World
	handles []Handle
	all     []Entity
}

func newCrowd(t *testing.T, cfg Config, change func(i int, e *Entity)) *crowd {
	if testing.Short() {
		t.Skip("140,000 entities")
	}
	const n = 140_000
	c := &crowd{w: newWorld(t, cfg)}
	for i := range n {
		e := Entity{ID: uint64(n - i), X: float64(i%1000) / 20, Y: float64(i/1000) / 4, Cost: cost(10 + uint32(i)%30)}
		change(i, &e)
		c.all = append(c.all, e)
		c.handles = append(c.handles, spawnOf(t, c.w, e))
	}
	return c
}

func (c *crowd) touchAll(t *testing.T) {
	for _, h := range c.handles {
		ok(t, c.w.Touch(h))
	}
}

// fits are the IDs of those whom a plain budget holds, first fit.
func (c *crowd) fits(budget uint32, spend func(e *Entity) uint32) (out []uint64) {
	all := slices.Clone(c.all)
	d := func(e *Entity) float64 { return e.X*e.X + e.Y*e.Y }
	slices.SortFunc(all, func(a, b Entity) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(d(&a), d(&b)), cmp.Compare(a.ID, b.ID))
	})
	for i := range all {
		if s := spend(&all[i]); s <= budget {
			budget -= s
			out = append(out, all[i].ID)
		}
	}
	return out
}

// TestOverflow: a view with more than the packer takes is sent what packing all would
// send, the others are counted, and nobody is left out for being in a late row.
func TestOverflow(t *testing.T) {
	c := newCrowd(t, Config{}, func(i int, e *Entity) {
		if i > 139_900 {
			e.Priority = uint16(i % 3)
		}
	})
	w, n := c.w, len(c.all)
	ok(t, w.Connect(Connection{ID: 1, Budget: 1200, Reserve: 600}))
	for round := range 2 {
		s := tickIf(t, w, false)[1]
		if want := c.fits(600, func(e *Entity) uint32 { return e.Cost[0] }); !slices.Equal(ids(s.enters), want) {
			t.Fatalf("enters are %v; want %v", ids(s.enters), want)
		}
		if got := s.d.Deferred[packer.WhyNoRoom]; got != n-len(s.enters) || int(s.d.OldestWait) != round {
			t.Errorf("%d deferred, the oldest for %d ticks; want %d, %d", got, s.d.OldestWait, n-len(s.enters), round)
		}
	}
	ok(t, w.SetBudget(1, 0, 0))
	tick(t, w)
	ok(t, w.SetBudget(1, 1200, 100))
	must := c.handles[n-50]
	for round := range 4 {
		c.touchAll(t)
		want := c.fits(1200, func(e *Entity) uint32 { return e.Cost[0] })
		if round == 3 {
			ok(t, w.SetMustSend(must, true))
			id, _ := w.ID(must)
			want = append([]uint64{id}, c.fits(1200-c.all[n-50].Cost[0], func(e *Entity) uint32 {
				if e.ID == id {
					return 1 << 30
				}
				return e.Cost[0]
			})...)
		}
		s := tick(t, w)[1]
		if got := ids(s.updates); !slices.Equal(got, want) {
			t.Fatalf("round %d: updates are %v; want %v", round, got, want)
		}
		if got := s.d.Deferred[packer.WhyNoRoom]; got != n-len(want) || int(s.d.OldestWait) != round {
			t.Errorf("round %d: %d deferred, the oldest for %d ticks; want %d", round, got, s.d.OldestWait, n-len(want))
		}
	}
	var totals packer.Stats
	w.AddTotals(&totals)
	if want := uint64(6 * n); totals.Candidates != want || totals.Selected+totals.Deferred != want {
		t.Errorf("totals are %d candidates, %d selected, %d deferred; want %d", totals.Candidates, totals.Selected, totals.Deferred, want)
	}
	// All leave: those who waited go first whatever their rows.
	ok(t, w.SetViewpoints(1, at(5000, 0)))
	s := tick(t, w)[1]
	if len(s.leaves) != 100/8 || s.d.Deferred[packer.WhyNoRoom] != n-len(s.leaves) {
		t.Errorf("%d leaves, deferred %v", len(s.leaves), s.d.Deferred)
	}
	for i, l := range s.leaves {
		if l.ID != uint64(i+1) {
			t.Errorf("leave %d is of %d", i, l.ID)
		}
	}
	ok(t, w.CheckInvariants())
}

// TestOverflowStarving: in a view with more than the packer takes, in which everybody
// changes all the time, who has waited longest is sent, and who is important.
func TestOverflowStarving(t *testing.T) {
	c := newCrowd(t, Config{Classes: []packer.Class{{MaxSilence: 3}, {MaxSilence: 3, Share: 0.1}}}, func(i int, e *Entity) {
		e.Priority, e.Cost = 9, cost(20)
		switch {
		case i == 139_999:
			e.Priority = 0 // the last of all
		case i == 139_998:
			e.Priority = 10
		case i == 139_997:
			e.Priority, e.Class = 0, 1
		case i > 139_990:
			e.Priority, e.Bundle = 5, 7
		}
	})
	w, n := c.w, len(c.all)
	ok(t, w.Connect(Connection{ID: 1}))
	tick(t, w)
	ok(t, w.SetBudget(1, 1200, 100))
	last := map[uint64]uint64{}
	for round := range 8 {
		if round == 0 {
			for _, h := range c.handles[:100] {
				ok(t, w.Touch(h))
			}
			ok(t, w.Touch(c.handles[n-1]))
		} else {
			c.touchAll(t)
		}
		s := tick(t, w)[1]
		bundle := 0
		for _, u := range s.updates {
			last[u.ID] = s.d.Tick
			if u.ID >= 4 && u.ID <= 9 {
				bundle++
			}
		}
		if bundle != 0 && bundle != 6 {
			t.Errorf("tick %d: %d of a group of 6", s.d.Tick, bundle)
		}
		if round > 0 && (last[2] != s.d.Tick || last[3] != s.d.Tick) {
			t.Errorf("tick %d: the important and the one with a share were sent at %d and %d", s.d.Tick, last[2], last[3])
		}
		if got := len(s.updates) + s.d.Deferred[packer.WhyNoRoom] + s.d.Deferred[packer.WhyUnchanged]; got != n {
			t.Errorf("tick %d: %d are accounted for", s.d.Tick, got)
		}
	}
	// It starves from tick 5 on, behind the 40 of the 100 who wait as long and were not
	// sent at tick 2; 18 fit a tick.
	if last[1] < 5 || last[1] > 7 {
		t.Errorf("the starving one was sent at tick %d; want 5 to 7", last[1])
	}
}
