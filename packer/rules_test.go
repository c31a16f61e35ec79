package packer

import (
	"errors"
	"math"
	"slices"
	"strings"
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

func TestSharesCountMustSendAndRoundDown(t *testing.T) {
	c := byOrder(slices.Repeat([]uint32{10}, 40)...)
	c.Class = make([]uint8, 40)
	c.Flags = make([]Flags, 40)
	for i := 20; i < 40; i++ { // the farther half are bosses
		c.Class[i] = 1
	}
	count := func(p *Plan) (bosses int) {
		for _, s := range p.Selected {
			bosses += int(c.Class[s.Index])
		}
		return bosses
	}
	l := Limits{Bytes: 100, Classes: []Class{{}, {Share: 0.35}}}
	if got := count(pack(t, c, l)); got != 3 { // 35 bytes
		t.Errorf("%d bosses; want 3", got)
	}
	c.Flags[39] = MustSend // 90 bytes left, 31 of them for bosses, who had 10
	if got := count(pack(t, c, l)); got != 3 {
		t.Errorf("%d bosses with one must-send; want 3", got)
	}
	c.Flags[39], c.Flags[0] = 0, MustSend
	if got := count(pack(t, c, l)); got != 3 { // 31 of 90
		t.Errorf("%d bosses with a must-send tree; want 3", got)
	}
	l.Bytes = 85 // 29.75
	c.Flags[0] = 0
	if got := count(pack(t, c, l)); got != 2 {
		t.Errorf("%d bosses for 29.75 bytes; want 2", got)
	}
}

func TestShareIsExact(t *testing.T) {
	for _, test := range []struct {
		share       float64
		bytes, want uint32
	}{
		{1.0 / 3, 300, 100}, {1.0 / 3, 299, 99}, {1.0 / 3, math.MaxUint32, math.MaxUint32 / 3},
		{0.2, 1200, 240}, {0.1, 10, 1}, {0.7, 10, 7}, {2.0 / 7, 7, 2}, {0.29, 100, 29},
		{1, math.MaxUint32, math.MaxUint32}, {0, math.MaxUint32, 0}, {1.0 / 13, 26, 2},
	} {
		share, ok := toShare(test.share)
		if got := part(share, test.bytes); !ok || got != test.want {
			t.Errorf("%v of %d is %d; want %d", test.share, test.bytes, got, test.want)
		}
	}
}

func TestDegrade(t *testing.T) {
	c := byOrder(50, 50, 50, 50)
	c.Cost[1] = []uint32{20, 0, 60, 20}
	c.Cost[2] = []uint32{10, 10, 10, 0}
	p := pack(t, c, Limits{Bytes: 100, Degrade: true})
	want := []Selected{{0, 50, 0, ReasonNearby}, {1, 50, 0, ReasonNearby}}
	if !slices.Equal(p.Selected, want) {
		t.Errorf("got %v; want %v", p.Selected, want)
	}
	p = pack(t, c, Limits{Bytes: 90, Degrade: true})
	want = []Selected{{0, 50, 0, ReasonNearby}, {1, 10, 2, ReasonNearby}, {2, 10, 2, ReasonNearby}, {3, 20, 1, ReasonNearby}}
	if !slices.Equal(p.Selected, want) || p.Degraded != 3 || p.Used != 90 {
		t.Errorf("got %v, %d degraded; want %v", p.Selected, p.Degraded, want)
	}
	// Off, the lower levels do nothing.
	p = pack(t, c, Limits{Bytes: 90})
	if want = want[:1]; !slices.Equal(p.Selected, want) {
		t.Errorf("got %v; want %v", p.Selected, want)
	}
	// A wanted level counts from there; without it, the next finer.
	c.Level = []uint8{1, 1, 1, 2}
	p = pack(t, c, Limits{Bytes: 1000, Degrade: true})
	want = []Selected{{0, 20, 1, ReasonNearby}, {1, 50, 0, ReasonNearby}, {2, 60, 1, ReasonNearby}, {3, 20, 1, ReasonNearby}}
	if !slices.Equal(p.Selected, want) || p.Degraded != 0 {
		t.Errorf("got %v, %d degraded; want %v", p.Selected, p.Degraded, want)
	}
}

// A starved one that its share lowered is raised again if bytes are left.
func TestStarvedIsRaised(t *testing.T) {
	c := byOrder(40, 90)
	c.Cost[1] = []uint32{10, 10}
	c.Waited = []uint32{0, 5}
	l := Limits{Bytes: 140, Degrade: true, Classes: []Class{{MaxSilence: 5}}}
	p := pack(t, c, l)
	if want := []Selected{{1, 90, 0, ReasonStarved}, {0, 40, 0, ReasonChanged}}; !slices.Equal(p.Selected, want) || p.Degraded != 0 || p.Used != 130 {
		t.Errorf("got %v, used %d, %d degraded; want %v", p.Selected, p.Used, p.Degraded, want)
	}
	l.Bytes = 129
	p = pack(t, c, l)
	if want := []Selected{{1, 10, 1, ReasonStarved}, {0, 40, 0, ReasonChanged}}; !slices.Equal(p.Selected, want) || p.Degraded != 1 || p.Used != 50 {
		t.Errorf("got %v, used %d, %d degraded; want %v", p.Selected, p.Used, p.Degraded, want)
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

func TestGroups(t *testing.T) {
	// The best key is that of 1, so the group of 1 and 3 comes before 0.
	c := byOrder(10, 20, 30, 40)
	c.Priority = []uint16{5, 9, 0, 0}
	c.Group = []uint32{0, 7, 0, 7}
	p := pack(t, c, Limits{Bytes: 70})
	if got, want := indexes(p), []uint32{1, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("selected %v; want %v", got, want)
	}
	p = pack(t, c, Limits{Bytes: 59}) // oversize as a whole
	if got, want := indexes(p), []uint32{0, 2}; !slices.Equal(got, want) || p.ByWhy[WhyOversize] != 2 {
		t.Errorf("selected %v, why %v; want %v", got, p.ByWhy, want)
	}

	// One must-send member makes all so.
	c.Flags = []Flags{0, 0, 0, MustSend}
	p = pack(t, c, Limits{Bytes: 60})
	if got, want := indexes(p), []uint32{1, 3}; !slices.Equal(got, want) || p.ByReason[ReasonMustSend] != 2 || p.MustDeferred != 0 {
		t.Errorf("selected %v; want %v", got, want)
	}

	// Who has nothing to send, or cannot be sent, stays behind.
	for _, f := range []Flags{Unchanged, AwaitingSpawn} {
		c.Flags = []Flags{0, 0, 0, f}
		p = pack(t, c, Limits{Bytes: 59})
		if got, want := indexes(p), []uint32{1, 0}; !slices.Equal(got, want) {
			t.Errorf("flags %v: selected %v; want %v", f, got, want)
		}
	}

	// A member that is due takes along those that are not.
	c.Flags = nil
	c.Silent = []uint32{0, 0, 0, 9}
	l := Limits{Bytes: 100, Classes: []Class{{MinInterval: [Levels]uint32{5}}}}
	if got, want := indexes(pack(t, c, l)), []uint32{1, 3}; !slices.Equal(got, want) {
		t.Errorf("selected %v; want %v", got, want)
	}
	c.Silent[3] = 4
	if got := indexes(pack(t, c, l)); len(got) != 0 {
		t.Errorf("selected %v; want none", got)
	}

	// The longest wait counts.
	c.Silent = nil
	c.Waited = []uint32{6, 0, 6, 7}
	p = pack(t, c, Limits{Bytes: 180, Classes: []Class{{MaxSilence: 6}}})
	if p.Selected[0] != (Selected{1, 20, 0, ReasonStarved}) || p.Selected[1] != (Selected{3, 40, 0, ReasonStarved}) {
		t.Errorf("selected %v", p.Selected)
	}

	// Removes, spawns and updates of a group go each on their own.
	c = byOrder(10, 20, 30, 40)
	c.Group = []uint32{7, 7, 7, 7}
	c.Flags = []Flags{Spawn, 0, Spawn, Remove}
	p = pack(t, c, Limits{Bytes: 100, Reserve: 45})
	if got, want := indexes(p), []uint32{3, 1}; !slices.Equal(got, want) {
		t.Errorf("selected %v; want %v", got, want)
	}

	// A sum beyond 32 bits is oversize, not small.
	c = byOrder(math.MaxUint32, 2, 1)
	c.Group = []uint32{1, 1, 0}
	p = pack(t, c, Limits{Bytes: math.MaxUint32})
	if got := indexes(p); !slices.Equal(got, []uint32{2}) {
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

func TestValidationLeavesNoTrace(t *testing.T) {
	bad := map[string]func(*Candidates){
		"entity 102: Cost[0] 0":  func(c *Candidates) { c.Cost[0][2] = 0 },
		"entity 102: Dist2 NaN":  func(c *Candidates) { c.Dist2[2] = float32(math.NaN()) },
		"entity 102: Dist2 -1":   func(c *Candidates) { c.Dist2[2] = -1 },
		"entity 102: Dist2 -Inf": func(c *Candidates) { c.Dist2[2] = float32(math.Inf(-1)) },
		"entity 102: Dist2 -1.4": func(c *Candidates) { c.Dist2[2] = -math.SmallestNonzeroFloat32 },
		"entity 102: Class 2":    func(c *Candidates) { c.Class[2] = 2 },
		"entity 102: Level 3":    func(c *Candidates) { c.Level[2] = 3 },
		"entity 102: Flags 3":    func(c *Candidates) { c.Flags[2] = Remove | Spawn },
		"entity 102: Flags 32":   func(c *Candidates) { c.Flags[2] = 32 },
		"entity 101: Cost[0] 0":  func(c *Candidates) { c.Cost[0][1], c.Cost[0][2] = 0, 0 },
		"ID has 3":               func(c *Candidates) { c.ID = c.ID[:3] },
		"Cost[0] has 0":          func(c *Candidates) { c.Cost[0] = nil },
		"Priority has 3":         func(c *Candidates) { c.Priority = make([]uint16, 3) },
		"Dist2 has 3":            func(c *Candidates) { c.Dist2 = c.Dist2[:3] },
		"Cost[1] has 3":          func(c *Candidates) { c.Cost[1] = make([]uint32, 3) },
		"Cost[2] has 3":          func(c *Candidates) { c.Cost[2] = make([]uint32, 3) },
		"Class has 3":            func(c *Candidates) { c.Class = c.Class[:3] },
		"Flags has 3":            func(c *Candidates) { c.Flags = c.Flags[:3] },
		"Waited has 3":           func(c *Candidates) { c.Waited = make([]uint32, 3) },
		"Silent has 3":           func(c *Candidates) { c.Silent = make([]uint32, 3) },
		"Level has 3":            func(c *Candidates) { c.Level = c.Level[:3] },
		"Group has 3":            func(c *Candidates) { c.Group = make([]uint32, 3) },
		"Row has 3":              func(c *Candidates) { c.Row = make([]uint32, 3) },
	}
	b := mustBudget(t, Limits{Bytes: 100, Classes: make([]Class, 2)})
	for message, spoil := range bad {
		c := byOrder(10, 20, 30, 40)
		c.Class, c.Level, c.Flags = make([]uint8, 4), make([]uint8, 4), make([]Flags, 4)
		plan := &Plan{WantDeferred: true}
		var p Packer
		if err := p.Pack(plan, c, mustBudget(t, Limits{Bytes: 60, Classes: make([]Class, 2)})); err != nil {
			t.Fatal(err)
		}
		before := *plan
		selected, deferred := slices.Clone(plan.Selected), slices.Clone(plan.Deferred)
		spoil(c)
		err := p.Pack(plan, c, b)
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: error %v", message, err)
		}
		if strings.HasPrefix(message, "entity") != errors.Is(err, ErrCandidate) || errors.Is(err, ErrCandidate) == errors.Is(err, ErrColumns) {
			t.Errorf("%s: wraps the wrong error", message)
		}
		if e := (*CandidateError)(nil); errors.As(err, &e) && c.ID[e.Index] != e.ID {
			t.Errorf("%s: %+v", message, e)
		}
		if !slices.Equal(plan.Selected, selected) || !slices.Equal(plan.Deferred, deferred) ||
			plan.Used != before.Used || plan.ByWhy != before.ByWhy || plan.Candidates != before.Candidates || plan.Budget != 60 {
			t.Errorf("%s: the plan changed: %+v", message, plan)
		}
	}
}

func TestPackRefusesBudgetAndStretch(t *testing.T) {
	var plan Plan
	for _, b := range []*Budget{nil, {}} {
		if err := new(Packer).Pack(&plan, byOrder(1), b); !errors.Is(err, ErrBudget) {
			t.Errorf("budget %v: %v", b, err)
		}
	}
	b := mustBudget(t, Limits{Bytes: 1})
	for _, s := range []float64{-1, 0.5, math.NaN(), math.Inf(1)} {
		p := Packer{Stretch: s}
		if err := p.Pack(&plan, byOrder(1), b); !errors.Is(err, ErrBudget) {
			t.Errorf("stretch %v: %v", s, err)
		}
	}
	c := &Candidates{ID: make([]uint64, MaxCandidates+1)}
	c.Cost[0] = slices.Repeat([]uint32{1}, MaxCandidates+1)
	if err := new(Packer).Pack(&plan, c, b); !errors.Is(err, ErrColumns) {
		t.Errorf("too many: %v", err)
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

func TestNewBudgetRefuses(t *testing.T) {
	for message, l := range map[string]Limits{
		"Bytes is 0":              {},
		"Reserve 11":              {Bytes: 10, Reserve: 11},
		"17 Classes":              {Bytes: 1, Classes: make([]Class, 17)},
		"StarvedShare -0.1":       {Bytes: 1, StarvedShare: -0.1},
		"StarvedShare 1.1":        {Bytes: 1, StarvedShare: 1.1},
		"StarvedShare NaN":        {Bytes: 1, StarvedShare: math.NaN()},
		"StarvedShare 1e-20":      {Bytes: 1, StarvedShare: 1e-20},
		"class 1: Share -1":       {Bytes: 1, Classes: []Class{{}, {Share: -1}}},
		"class 0: Share NaN":      {Bytes: 1, Classes: []Class{{Share: math.NaN()}}},
		"class 0: Share +Inf":     {Bytes: 1, Classes: []Class{{Share: math.Inf(1)}}},
		"class 1: Share 0.4":      {Bytes: 1, Classes: []Class{{Share: 0.3}, {Share: 0.4}}},
		"class 0: Share 0.500001": {Bytes: 1, StarvedShare: 0.5, Classes: []Class{{Share: 0.500001}}},
	} {
		if _, err := NewBudget(l); !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", message, err)
		}
	}
	b := mustBudget(t, Limits{Bytes: 10, Reserve: 10, Classes: []Class{{Share: 1.0 / 3}, {Share: 1.0 / 3}}})
	if b.Bytes() != 10 || b.Reserve() != 10 || b.Classes() != 2 {
		t.Errorf("%d, %d, %d", b.Bytes(), b.Reserve(), b.Classes())
	}
}

func TestCommit(t *testing.T) {
	c := byOrder(10, 20, 30)
	lastSent := []uint32{1, 1, 1, 1}
	p := pack(t, c, Limits{Bytes: 40})
	// Dropped: another plan of the same candidates is the same, and nothing is written.
	again := pack(t, c, Limits{Bytes: 40})
	if !slices.Equal(p.Selected, again.Selected) || !slices.Equal(lastSent, []uint32{1, 1, 1, 1}) {
		t.Errorf("a dropped plan left a trace: %v, %v, %v", p.Selected, again.Selected, lastSent)
	}
	p.Commit(c, lastSent, 9)
	if !slices.Equal(lastSent, []uint32{9, 9, 1, 1}) {
		t.Errorf("last sent %v", lastSent)
	}
	c.Row = []uint32{3, 0, 2}
	p.Commit(c, lastSent, 12)
	if !slices.Equal(lastSent, []uint32{12, 9, 1, 12}) {
		t.Errorf("last sent %v", lastSent)
	}
	// Commit after the packer moved on to others.
	var packer Packer
	first, second := &Plan{}, &Plan{}
	b := mustBudget(t, Limits{Bytes: 40})
	if err := errors.Join(packer.Pack(first, c, b), packer.Pack(second, byOrder(40), b)); err != nil {
		t.Fatal(err)
	}
	first.Commit(c, lastSent, 13)
	if !slices.Equal(lastSent, []uint32{13, 9, 1, 13}) {
		t.Errorf("last sent %v", lastSent)
	}
}

func TestSortDeferred(t *testing.T) {
	d := newDice(t, 7)
	var p Packer
	plan := Plan{WantDeferred: true}
	for range 500 {
		l := d.limits()
		c := d.candidates(int(d(60)), &l)
		b := mustBudget(t, l)
		var want []uint64
		for range 3 {
			if err := p.Pack(&plan, c, b); err != nil {
				t.Fatal(err)
			}
			plan.SortDeferred(c)
			var got []uint64
			for i, x := range plan.Deferred {
				got = append(got, c.ID[x.Index])
				if i == 0 {
					continue
				}
				y := plan.Deferred[i-1]
				kx, ky := c.flags(x.Index).kind(), c.flags(y.Index).kind()
				if ky > kx || ky == kx && compareKeys(c.key(y.Index, b), c.key(x.Index, b), c.ID) > 0 {
					t.Fatalf("deferred %d and %d are out of order", i-1, i)
				}
			}
			if want != nil && !slices.Equal(got, want) {
				t.Fatalf("deferred %v; want %v", got, want)
			}
			want = got
			c, _ = d.shuffled(c)
		}
	}
}

func TestNames(t *testing.T) {
	if ReasonStarved.String() != "starved" || WhyTooSoon.String() != "too soon" ||
		Reason(9).String() != "Reason(9)" || Why(9).String() != "Why(9)" {
		t.Error("names")
	}
}
