package packer

import (
	"math"
	"slices"
	"testing"
)

// byOrder are candidates of the given costs that compete in the order given.
func byOrder(costs ...uint32) *Candidates {
	c := &Candidates{}
	for i, cost := range costs {
		c.ID = append(c.ID, uint64(100+i))
		c.Dist2 = append(c.Dist2, float32(i))
		c.Cost[0] = append(c.Cost[0], cost)
	}
	return c
}

func pack(t *testing.T, c *Candidates, l Limits) *Plan {
	t.Helper()
	plan := &Plan{WantDeferred: true}
	if err := new(Packer).Pack(plan, c, mustBudget(t, l)); err != nil {
		t.Fatal(err)
	}
	return plan
}

// costsOf returns the costs of the selected and of the deferred, in their order.
func costsOf(p *Plan, c *Candidates) (selected, deferred []uint32) {
	for _, s := range p.Selected {
		selected = append(selected, s.Cost)
	}
	for _, d := range p.Deferred {
		deferred = append(deferred, c.Cost[0][d.Index])
	}
	return selected, deferred
}

// indexes returns who is selected, in order.
func indexes(p *Plan) (all []uint32) {
	for _, s := range p.Selected {
		all = append(all, s.Index)
	}
	return all
}

func TestWorkedExamples(t *testing.T) {
	for _, test := range []struct {
		name                      string
		budget                    uint32
		costs, selected, deferred []uint32
	}{
		{"96 bytes", 96, []uint32{80, 56, 16}, []uint32{80, 16}, []uint32{56}},
		{"152 bytes", 152, []uint32{72, 48, 40, 32}, []uint32{72, 48, 32}, []uint32{40}},
		{"exact", 10, []uint32{4, 6, 1}, []uint32{4, 6}, []uint32{1}},
		{"nothing fits", 1, []uint32{2, 3}, nil, []uint32{2, 3}},
		{"sum overflows 32 bits", math.MaxUint32, []uint32{math.MaxUint32 - 1, 2, 1}, []uint32{math.MaxUint32 - 1, 1}, []uint32{2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := byOrder(test.costs...)
			p := pack(t, c, Limits{Bytes: test.budget})
			selected, deferred := costsOf(p, c)
			if !slices.Equal(selected, test.selected) || !slices.Equal(deferred, test.deferred) {
				t.Errorf("selected %v, deferred %v; want %v, %v", selected, deferred, test.selected, test.deferred)
			}
			sum := uint32(0)
			for _, cost := range test.selected {
				sum += cost
			}
			if p.Used != sum || p.Left() != test.budget-sum {
				t.Errorf("used %d, left %d; want %d, %d", p.Used, p.Left(), sum, test.budget-sum)
			}
		})
	}
}

func TestOrderIsPriorityThenDistanceThenID(t *testing.T) {
	c := &Candidates{
		ID:       []uint64{9, 8, 7, 6, 5, 4},
		Priority: []uint16{1, 1, 2, 2, 1, 2},
		Dist2:    []float32{4, 4, 9, 1, float32(math.Inf(1)), 9},
		Cost:     [Levels][]uint32{{1, 1, 1, 1, 1, 1}},
	}
	if got, want := indexes(pack(t, c, Limits{Bytes: 100})), []uint32{3, 5, 2, 1, 0, 4}; !slices.Equal(got, want) {
		t.Errorf("order %v; want %v", got, want)
	}
}

func TestOrderOfSpend(t *testing.T) {
	c := byOrder(10, 10, 10, 10, 10, 10)
	c.Flags = []Flags{0, 0, 0, MustSend, Spawn, Remove}
	c.Class = []uint8{0, 1, 2, 0, 0, 0}
	c.Waited = []uint32{0, 5, 0, 0, 0, 0}
	p := pack(t, c, Limits{Bytes: 1000, Reserve: 30, Classes: []Class{{}, {MaxSilence: 5}, {Share: 0.1}}})
	want := []Selected{
		{5, 10, 0, ReasonLifecycle}, {4, 10, 0, ReasonLifecycle}, {3, 10, 0, ReasonMustSend},
		{2, 10, 0, ReasonGuaranteed}, {1, 10, 0, ReasonStarved}, {0, 10, 0, ReasonChanged},
	}
	if !slices.Equal(p.Selected, want) {
		t.Errorf("got %v; want %v", p.Selected, want)
	}
	c.Waited = nil
	if p = pack(t, c, Limits{Bytes: 1000, Reserve: 30, Classes: make([]Class, 3)}); p.Selected[3].Reason != ReasonNearby {
		t.Errorf("without Waited the reason is %v", p.Selected[3].Reason)
	}
}

func TestLifecycleSpendsTheReserveOnly(t *testing.T) {
	c := byOrder(30, 30, 30, 30, 30, 30)
	c.Flags = []Flags{0, 0, 0, Spawn, Spawn, Remove}
	for _, test := range []struct {
		reserve  uint32
		selected []uint32
	}{
		{0, []uint32{0, 1, 2}},
		{29, []uint32{0, 1, 2}},
		{30, []uint32{5, 0, 1}},
		{60, []uint32{5, 3, 0}},
		{89, []uint32{5, 3, 0}}, // 29 of the reserve and 10 flow on
		{100, []uint32{5, 3, 4}},
	} {
		p := pack(t, c, Limits{Bytes: 100, Reserve: test.reserve})
		if got := indexes(p); !slices.Equal(got, test.selected) {
			t.Errorf("reserve %d: selected %v; want %v", test.reserve, got, test.selected)
		}
		if p.Lifecycle > test.reserve {
			t.Errorf("reserve %d: lifecycle took %d", test.reserve, p.Lifecycle)
		}
	}
}

// A raid's worth of spawns, and the end of a raid, take the computed number of
// ticks, the nearest first, and updates go on.
func TestMassOfLifecycleIsAWindow(t *testing.T) {
	for _, f := range []Flags{Spawn, Remove} {
		c := byOrder(slices.Repeat([]uint32{20}, 5000)...)
		c.Flags = slices.Repeat([]Flags{f}, 5000)
		b := mustBudget(t, Limits{Bytes: 1200, Reserve: 400})
		var p Packer
		var plan Plan
		next, ticks := uint64(100), 0
		for ; c.Len() > 0; ticks++ {
			c.ID, c.Dist2, c.Cost[0], c.Flags = append(c.ID, 7), append(c.Dist2, 0), append(c.Cost[0], 800), append(c.Flags, 0)
			if err := p.Pack(&plan, c, b); err != nil {
				t.Fatal(err)
			}
			n := len(plan.Selected) - 1
			if plan.Selected[n].Cost != 800 {
				t.Fatalf("tick %d: the update is not sent", ticks)
			}
			for _, s := range plan.Selected[:n] {
				if c.ID[s.Index] != next {
					t.Fatalf("tick %d: sent %d; want %d", ticks, c.ID[s.Index], next)
				}
				next++
			}
			last := c.Len() - 1
			c.ID, c.Dist2, c.Cost[0], c.Flags = c.ID[n:last], c.Dist2[n:last], c.Cost[0][n:last], c.Flags[n:last]
		}
		if want := 5000 / (400 / 20); ticks != want {
			t.Errorf("flags %v: %d ticks; want %d", f, ticks, want)
		}
	}
}

// Whoever is last in the input and first in importance is sent.
func TestPlayerBehindPickups(t *testing.T) {
	for _, budget := range []uint32{16, 64, 1024} {
		c := byOrder(slices.Repeat([]uint32{16}, 1001)...)
		c.Priority = make([]uint16, 1001)
		c.Priority[1000] = 1
		p := pack(t, c, Limits{Bytes: budget})
		if len(p.Selected) != int(budget)/16 || p.Selected[0].Index != 1000 {
			t.Errorf("budget %d: %d selected, the first is %d", budget, len(p.Selected), p.Selected[0].Index)
		}
	}
}

func TestCostAtTheLimit(t *testing.T) {
	for cost, want := range map[uint32]int{99: 1, 100: 1, 101: 0, 1000: 0, math.MaxUint32: 0} {
		p := pack(t, byOrder(cost), Limits{Bytes: 100})
		if len(p.Selected) != want || p.ByWhy[WhyOversize] != 1-want {
			t.Errorf("cost %d: %d selected, why %v", cost, len(p.Selected), p.ByWhy)
		}
	}
}

func TestMustSend(t *testing.T) {
	c := byOrder(50, 40, 30, 200)
	c.Flags = []Flags{0, MustSend, MustSend, MustSend}
	c.Cost[1] = []uint32{5, 5, 5, 5}
	p := pack(t, c, Limits{Bytes: 60, Degrade: true})
	if got, want := indexes(p), []uint32{1, 0}; !slices.Equal(got, want) {
		t.Errorf("selected %v; want %v", got, want)
	}
	if p.MustDeferred != 2 || p.ByWhy[WhyNoRoom] != 1 || p.ByWhy[WhyOversize] != 1 {
		t.Errorf("must deferred %d, why %v", p.MustDeferred, p.ByWhy)
	}
	if p.Selected[0].Level != 0 || p.Selected[1].Level != 1 || p.Degraded != 1 {
		t.Errorf("selected %v, degraded %d", p.Selected, p.Degraded)
	}
}

// An oversize one is named every tick and starves nobody.
func TestOversizeStarvesNobody(t *testing.T) {
	c := byOrder(append([]uint32{1500}, slices.Repeat([]uint32{60}, 20)...)...)
	c.Priority = append([]uint16{65535}, make([]uint16, 20)...)
	c.Waited = slices.Repeat([]uint32{1000}, 21)
	for range 5 {
		p := pack(t, c, Limits{Bytes: 1200, Classes: []Class{{MaxSilence: 1, AgeWeight: 1}}})
		if len(p.Selected) != 20 || p.ByWhy[WhyOversize] != 1 || p.Deferred[0] != (Deferred{0, WhyOversize}) {
			t.Fatalf("%d selected, why %v, deferred %v", len(p.Selected), p.ByWhy, p.Deferred)
		}
		c.Waited[0] *= 2
	}
	// The limit is the budget for updates, the reserve for lifecycle; both inclusive.
	c = byOrder(100, 101, 40, 41)
	c.Flags = []Flags{0, 0, Spawn, Remove}
	p := pack(t, c, Limits{Bytes: 100, Reserve: 40})
	want := []Deferred{{0, WhyNoRoom}, {1, WhyOversize}, {3, WhyOversize}}
	if !slices.Equal(p.Deferred, want) {
		t.Errorf("deferred %v; want %v", p.Deferred, want)
	}
}

func TestAgeingSaturates(t *testing.T) {
	for _, test := range []struct {
		priority       uint16
		weight, waited uint32
		want           uint16
	}{
		{0, 0, math.MaxUint32, 0},
		{7, 3, 5, 22},
		{65535, 0, 0, 65535},
		{65535, 1, 1, 65535},
		{65534, 1, 1, 65535},
		{0, 1, 65535, 65535},
		{0, 1, 65536, 65535},
		{1, math.MaxUint32, math.MaxUint32, 65535},
		{65535, math.MaxUint32, math.MaxUint32, 65535},
	} {
		if got := age(test.priority, test.weight, test.waited); got != test.want {
			t.Errorf("age(%d, %d, %d) = %d; want %d", test.priority, test.weight, test.waited, got, test.want)
		}
	}
	// Two that saturate are equals: distance decides, not who waited longer.
	c := byOrder(10, 10)
	c.Waited = []uint32{70_000, math.MaxUint32}
	p := pack(t, c, Limits{Bytes: 10, Classes: []Class{{AgeWeight: math.MaxUint32}}})
	if got := indexes(p); !slices.Equal(got, []uint32{0}) {
		t.Errorf("selected %v", got)
	}
}

func TestAgeingReordersByClass(t *testing.T) {
	c := byOrder(10, 10)
	c.Priority = []uint16{20, 0}
	c.Class = []uint8{0, 1}
	l := Limits{Bytes: 10, Classes: []Class{{}, {AgeWeight: 5}}}
	for waited, want := range map[uint32]uint32{0: 0, 3: 0, 4: 0, 5: 1} { // 4: equal, the nearer
		c.Waited = []uint32{waited, waited}
		if got := indexes(pack(t, c, l)); got[0] != want {
			t.Errorf("waited %d: selected %v; want %d", waited, got, want)
		}
	}
}

func TestStarvedGoByWaitWithinTheirShare(t *testing.T) {
	c := byOrder(10, 10, 10, 10, 10, 10)
	c.Waited = []uint32{3, 9, 10, 12, 12, 11}
	// Six of 10 for 60 bytes: all fit; the starved share is 20.
	p := pack(t, c, Limits{Bytes: 60, Classes: []Class{{MaxSilence: 10}}})
	if got, want := indexes(p), []uint32{3, 4, 0, 1, 2, 5}; !slices.Equal(got, want) {
		t.Errorf("selected %v; want %v", got, want)
	}
	if p.ByReason[ReasonStarved] != 2 || p.OldestWait != 12 {
		t.Errorf("by reason %v, oldest %d", p.ByReason, p.OldestWait)
	}
}

func TestRate(t *testing.T) {
	c := byOrder(10, 10, 10, 10)
	c.Silent = []uint32{4, 5, 7, math.MaxUint32}
	c.Waited = []uint32{1, 1, 1, 1}
	b := mustBudget(t, Limits{Bytes: 100, Classes: []Class{{MinInterval: [Levels]uint32{5}}}})
	for _, test := range []struct {
		stretch         float64
		soon, byStretch int
	}{{0, 1, 0}, {1, 1, 0}, {1.5, 2, 1}, {1.6, 3, 2}, {1e300, 3, 2}} {
		var plan Plan
		p := Packer{Stretch: test.stretch}
		if err := p.Pack(&plan, c, b); err != nil {
			t.Fatal(err)
		}
		if plan.ByWhy[WhyTooSoon] != test.soon || plan.Stretched != test.byStretch {
			t.Errorf("stretch %v: %d too soon, %d by stretch; want %d, %d", test.stretch, plan.ByWhy[WhyTooSoon], plan.Stretched, test.soon, test.byStretch)
		}
	}
	// Neither the starved nor must-send are held to it, and lifecycle isn't either.
	c.Flags = []Flags{MustSend, 0, 0, Spawn}
	c.Silent = []uint32{0, 0, 0, 0}
	c.Waited = []uint32{0, 9, 0, 0}
	p := pack(t, c, Limits{Bytes: 100, Reserve: 10, Classes: []Class{{MaxSilence: 9, MinInterval: [Levels]uint32{50}}}})
	if got, want := indexes(p), []uint32{3, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("selected %v; want %v", got, want)
	}
	// The interval is that of the wanted level.
	c = byOrder(10, 10)
	c.Level, c.Silent = []uint8{0, 2}, []uint32{5, 5}
	p = pack(t, c, Limits{Bytes: 100, Classes: []Class{{MinInterval: [Levels]uint32{5, 0, 6}}}})
	if got := indexes(p); !slices.Equal(got, []uint32{0}) {
		t.Errorf("selected %v", got)
	}
}

// Who is held does not use up anything.
func TestUnchangedDoNotCount(t *testing.T) {
	c := byOrder(slices.Repeat([]uint32{20}, 1010)...)
	c.Flags = slices.Repeat([]Flags{Unchanged}, 1010)
	clear(c.Flags[1000:])
	p := pack(t, c, Limits{Bytes: 200})
	if len(p.Selected) != 10 || p.ByWhy[WhyUnchanged] != 1000 {
		t.Errorf("%d selected, why %v", len(p.Selected), p.ByWhy)
	}
}

func TestMinusZeroIsZero(t *testing.T) {
	c := byOrder(10, 10)
	c.Dist2 = []float32{0, float32(math.Copysign(0, -1))}
	c.ID = []uint64{1, 2}
	if got := indexes(pack(t, c, Limits{Bytes: 10})); !slices.Equal(got, []uint32{0}) {
		t.Errorf("selected %v", got)
	}
}
