package packer

import (
	"errors"
	"math"
	"strings"
	"testing"

	"vicinity/internal/oracle"
)

// maxWait returns MaxWait, which must promise something.
func maxWait(t *testing.T, b *Budget, class int, costs []uint32, cost, mustSend uint32) uint64 {
	t.Helper()
	bound, err := b.MaxWait(class, costs, cost, mustSend)
	if err != nil {
		t.Fatal(err)
	}
	return bound
}

// world is a crowd of entities that change at random, seen by one connection,
// with everything that can get in the way of a candidate.
type world struct {
	d        dice
	c        Candidates
	since    []int // tick of the oldest unsent change, -1 for none
	lastSent []uint32
	class    []uint8
	cost     [Levels][]uint32
	group    []uint32
	bound    []uint64 // of MaxWait, 0: nothing is promised
}

func newWorld(t *testing.T, d dice, b *Budget, l *Limits, n int, must uint32) *world {
	w := &world{d: d, lastSent: make([]uint32, n+1), group: make([]uint32, n), bound: make([]uint64, n)}
	dearest, cheapest := make([]uint32, n), make([]uint32, n)
	for i := range n {
		w.since = append(w.since, -1)
		w.class = append(w.class, uint8(d(4)))
		cost := 10 + d(110)
		if d.one(8) {
			cost = 150 // just what the starved get
		}
		w.cost[0] = append(w.cost[0], cost)
		w.cost[1] = append(w.cost[1], [...]uint32{0, 1 + cost/2}[d(2)])
		w.cost[2] = append(w.cost[2], [...]uint32{0, 1 + cost/4}[d(2)])
		if d.one(6) {
			w.group[i] = 1 + d(4)
		}
		dearest[i], cheapest[i] = cost, cost
		for l := range 2 {
			if c := w.cost[1+l][i]; c > 0 {
				cheapest[i] = min(cheapest[i], c)
			}
		}
	}
	for i, g := range w.group {
		own := uint32(0)
		for j := range n {
			if i != j && (g == 0 || w.group[j] != g) {
				continue
			}
			if l.Degrade {
				own += cheapest[j]
			} else {
				own += dearest[j]
			}
		}
		// Without a promise the bound stays 0.
		w.bound[i], _ = b.MaxWait(int(w.class[i]), dearest, own, must)
	}
	return w
}

// mustCost returns what it costs to have i sent at once.
func (w *world) mustCost(i int) (cost uint32) {
	for j, g := range w.group {
		if j == i || g != 0 && g == w.group[i] {
			cost += w.cost[0][j]
		}
	}
	return cost
}

// step packs one tick, with must-send up to must bytes, and returns the longest wait
// as a part of the bound.
func (w *world) step(p *Packer, plan *Plan, b *Budget, tick int, must uint32) float64 {
	c := &w.c
	c.ID, c.Priority, c.Dist2, c.Class, c.Flags = c.ID[:0], c.Priority[:0], c.Dist2[:0], c.Class[:0], c.Flags[:0]
	c.Waited, c.Silent, c.Group, c.Row = c.Waited[:0], c.Silent[:0], c.Group[:0], c.Row[:0]
	for l := range c.Cost {
		c.Cost[l] = c.Cost[l][:0]
	}
	for i := range w.since {
		if w.since[i] < 0 && w.d(4) > 0 {
			w.since[i] = tick
		}
		f := Flags(0)
		waited := uint32(0)
		if w.since[i] < 0 {
			f = Unchanged
		} else {
			waited = uint32(tick - w.since[i])
		}
		// A must-send is never lowered, and takes its whole group along.
		if cost := w.mustCost(i); f == 0 && cost <= must && w.d.one(6) {
			f = MustSend
			must -= cost
		}
		priority := uint16(w.d(3) * w.d(2000))
		if i%7 == 3 { // always last
			priority = 0
		}
		c.ID, c.Priority, c.Dist2 = append(c.ID, uint64(i)), append(c.Priority, priority), append(c.Dist2, float32(w.d(5)))
		c.Class, c.Flags, c.Waited = append(c.Class, w.class[i]), append(c.Flags, f), append(c.Waited, waited)
		c.Silent, c.Row = append(c.Silent, uint32(tick)-w.lastSent[i]), append(c.Row, uint32(i))
		c.Group = append(c.Group, w.group[i])
		for l := range c.Cost {
			c.Cost[l] = append(c.Cost[l], w.cost[l][i])
		}
	}
	for k := range w.d(12) { // spawns and removes that eat the reserve
		c.ID, c.Priority, c.Dist2 = append(c.ID, uint64(1000+k)), append(c.Priority, 65535), append(c.Dist2, 0)
		c.Class, c.Flags, c.Waited = append(c.Class, 0), append(c.Flags, Spawn>>(k&1)), append(c.Waited, 0)
		c.Silent, c.Row, c.Group = append(c.Silent, math.MaxUint32), append(c.Row, uint32(len(w.since))), append(c.Group, 0)
		for l := range c.Cost {
			c.Cost[l] = append(c.Cost[l], 10+w.d(90))
		}
	}
	if err := p.Pack(plan, c, b); err != nil {
		panic(err)
	}
	worst := 0.0
	for i, since := range w.since {
		if since >= 0 && w.bound[i] > 0 {
			worst = max(worst, float64(tick-since)/float64(w.bound[i]))
		}
	}
	plan.Commit(c, w.lastSent, uint32(tick))
	for _, s := range plan.Selected {
		if row := c.Row[s.Index]; int(row) < len(w.since) {
			w.since[row] = -1
		}
	}
	return worst
}

// Over 100,000 ticks with must-send, shares, groups, intervals, lifecycle and
// levels in play, nobody waits longer than MaxWait says.
func TestNobodyWaitsLongerThanMaxWait(t *testing.T) {
	ticks, rounds := 100_000, 20
	if testing.Short() || raceEnabled {
		ticks = 4_000
	}
	worst := 0.0
	starved := 0
	for round := range rounds {
		d := newDice(t, int64(200+round))
		l := Limits{Bytes: 700, Reserve: 100, Degrade: round%2 == 1, Classes: []Class{
			{MaxSilence: 1 + d(12), AgeWeight: d(3)},
			{MaxSilence: 1 + d(12), Share: 0.3, MinInterval: [Levels]uint32{d(9), d(30)}},
			{MaxSilence: 1 + d(4), Share: 0.1},
			{AgeWeight: 900},
		}}
		const must = 150
		b := mustBudget(t, l)
		w := newWorld(t, d, b, &l, 40+int(d(40)), must)
		var p Packer
		p.Stretch = float64(1 + d(5))
		var plan Plan
		for tick := range ticks / rounds {
			got := w.step(&p, &plan, b, tick+1, must)
			if got > 1 {
				t.Fatalf("round %d, tick %d: waited %.2f of the bound", round, tick, got)
			}
			worst = max(worst, got)
			starved += plan.ByReason[ReasonStarved]
		}
	}
	t.Logf("worst wait %.2f of the bound, %d starved served", worst, starved)
	if worst < 0.2 || starved < ticks/10 {
		t.Errorf("the crowd starves nobody: worst %.2f, %d starved served", worst, starved)
	}
}

// A constructed crowd in which one waits nearly as long as MaxWait says: each tick
// serves one byte more of starved ahead of it than would leave room for it.
func TestMaxWaitIsTight(t *testing.T) {
	for _, test := range []struct {
		name   string
		share  float64
		filler uint32 // takes what the starved leave, every tick
	}{
		{"all bytes for the starved", 1, 0},
		{"a third", 0, 249},
	} {
		t.Run(test.name, func(t *testing.T) {
			bytes := uint32(100)
			if test.filler > 0 {
				bytes = 300
			}
			b := mustBudget(t, Limits{Bytes: bytes, StarvedShare: test.share, Classes: []Class{{MaxSilence: 1}}})
			const n = 200
			c := &Candidates{}
			add := func(priority uint16, cost uint32) {
				c.ID = append(c.ID, uint64(len(c.ID)))
				c.Priority = append(c.Priority, priority)
				c.Cost[0] = append(c.Cost[0], cost)
				c.Waited = append(c.Waited, 0)
			}
			add(0, 50) // it
			for range n {
				add(1, 51)
			}
			if test.filler > 0 {
				add(2, test.filler)
			}
			bound := maxWait(t, b, 0, c.Cost[0], 50, 0)
			var p Packer
			var plan Plan
			for tick := uint64(0); ; tick++ {
				if err := p.Pack(&plan, c, b); err != nil {
					t.Fatal(err)
				}
				for i := range c.Waited {
					c.Waited[i]++
				}
				for _, s := range plan.Selected { // changes again at once
					c.Waited[s.Index] = 0
					if s.Index == 0 {
						t.Logf("sent after %d ticks, bound %d", tick, bound)
						if tick > bound || float64(tick) < 0.9*float64(bound) {
							t.Errorf("sent after %d ticks; want within 10%% of %d", tick, bound)
						}
						return
					}
				}
				if tick > bound {
					t.Fatalf("not sent after %d ticks; the bound is %d", tick, bound)
				}
			}
		})
	}
}

func TestMaxWait(t *testing.T) {
	b := mustBudget(t, Limits{Bytes: 1200, Reserve: 200, Classes: []Class{{MaxSilence: 10}, {}}})
	for _, test := range []struct {
		name       string
		class      int
		costs      []uint32
		cost, must uint32
		want       uint64
		message    string
	}{
		// The starved get 300: a third of 1200 - 200 - 100.
		{"all fit", 0, []uint32{100, 200}, 0, 100, 11, ""},
		{"alone", 0, []uint32{300}, 0, 100, 11, ""},
		{"the dearest", 0, []uint32{300, 300, 100}, 0, 100, 11 + 400, ""},
		{"a cheaper one", 0, []uint32{300, 300, 100}, 100, 100, 11 + 2, ""},          // 600 / 201
		{"of equals", 0, []uint32{100, 100, 100, 100, 100, 100}, 0, 100, 11 + 2, ""}, // 500 / 201
		{"among dearer ones", 0, []uint32{900, 10}, 10, 100, 11 + 3, ""},             // 900 / 291
		{"dearer than the share", 0, []uint32{10, 301}, 0, 100, 0, "element 1 costs 301, the starved get 300"},
		{"asked for too dear", 0, []uint32{301, 10}, 301, 100, 0, "the candidate costs 301"},
		{"no silence", 1, []uint32{10}, 0, 100, 0, "class 1 has no MaxSilence"},
		{"class", 2, []uint32{10}, 0, 100, 0, "class 2 of 2"},
		{"negative class", -1, []uint32{10}, 0, 100, 0, "class -1"},
		{"must-send", 0, []uint32{10}, 0, 1001, 0, "must-send 1001"},
		{"must-send leaves nothing", 0, []uint32{10}, 0, 1000, 0, "the starved get 0"},
		{"zero cost", 0, []uint32{10, 0}, 0, 0, 0, "element 1 costs nothing"},
		{"nobody", 0, nil, 0, 0, 0, "no costs"},
		{"not visible", 0, []uint32{10}, 11, 0, 0, "costs 11, all that is visible 10"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := b.MaxWait(test.class, test.costs, test.cost, test.must)
			if got != test.want || (err == nil) != (test.message == "") {
				t.Errorf("got %d, %v; want %d", got, err, test.want)
			}
			if test.message != "" && (!errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), test.message)) {
				t.Errorf("got %v; want %q", err, test.message)
			}
		})
	}
}

// 20 bosses own a fifth among 1,000 trees at 1,200 bytes, where everything
// changes every tick and all compete alike.
func TestBossesAmongTrees(t *testing.T) {
	const trees, bosses, ticks = 1000, 20, 2000
	run := func(share float64) (boss, tree float64) {
		b := mustBudget(t, Limits{Bytes: 1200, Classes: []Class{
			{AgeWeight: 1, MaxSilence: 60},
			{AgeWeight: 1, MaxSilence: 60, Share: share},
		}})
		d := newDice(t, 5)
		c := &Candidates{}
		for i := range trees + bosses {
			class := uint8(0)
			if i >= trees {
				class = 1
			}
			c.ID, c.Class = append(c.ID, uint64(i)), append(c.Class, class)
			c.Cost[0] = append(c.Cost[0], 24+d(25))
			c.Dist2 = append(c.Dist2, float32(d(10_000)))
			c.Waited = append(c.Waited, d(60))
		}
		var p Packer
		var plan Plan
		var sent [2]int
		for range ticks {
			if err := p.Pack(&plan, c, b); err != nil {
				t.Fatal(err)
			}
			for i := range c.Waited {
				c.Waited[i]++
			}
			for _, s := range plan.Selected {
				c.Waited[s.Index] = 0
				sent[c.Class[s.Index]]++
			}
		}
		return ticks * bosses / float64(sent[1]), ticks * trees / float64(sent[0])
	}
	boss, tree := run(0)
	t.Logf("without a share: a boss every %.1f ticks, a tree every %.1f", boss, tree)
	ownBoss, ownTree := run(0.2)
	t.Logf("with a fifth:    a boss every %.1f ticks, a tree every %.1f", ownBoss, ownTree)
	if boss < 20 || ownBoss > 4 || ownTree > 1.5*tree {
		t.Errorf("a boss every %.1f ticks without, %.1f with a share; a tree %.1f, %.1f", boss, ownBoss, tree, ownTree)
	}
}

// Many starved ones, with waits that fall into one bucket, two, or as many as can
// be, are served as if they were sorted.
func TestManyStarved(t *testing.T) {
	d := newDice(t, 31)
	rounds := 600
	if testing.Short() || raceEnabled {
		rounds = 100
	}
	var p Packer
	var plan Plan
	waits := []func() uint32{
		func() uint32 { return 9 },
		func() uint32 { return 9 + d(2) },
		func() uint32 { return 9 + d(256) },
		func() uint32 { return 9 + d(257) },
		func() uint32 { return 9 + d(5)*256 + d(3) },
		func() uint32 { return 9 + d(1<<31)>>d(31) },
		func() uint32 { return math.MaxUint32 - d(2)*(math.MaxUint32-1) },
	}
	for round := range rounds {
		l := Limits{Bytes: 300 + d(3000), Degrade: d.one(2), Classes: []Class{{MaxSilence: 1}, {MaxSilence: 1, Share: 0.1}}}
		wait := waits[round%len(waits)]
		c := &Candidates{}
		n := 20 + int(d(400))
		c.ID = d.ids(n)
		for range n {
			c.Priority = append(c.Priority, uint16(d(3)))
			c.Dist2 = append(c.Dist2, float32(d(3)))
			c.Cost[0] = append(c.Cost[0], 1+d(150))
			c.Cost[1] = append(c.Cost[1], d(40))
			c.Class = append(c.Class, uint8(d(2)))
			c.Waited = append(c.Waited, wait())
		}
		want := oracle.Pack(offers(c), spending(&l, 0, c))
		if err := p.Pack(&plan, c, mustBudget(t, l)); err != nil {
			t.Fatal(err)
		}
		if err := compare(&plan, c, &want); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// The starved share leaves priority its meaning: under steady overload the most
// important are sent often, and the least still within the bound.
func TestPriorityUnderOverload(t *testing.T) {
	const n, ticks = 1000, 3000
	run := func(share float64) (top, bottom float64) {
		b := mustBudget(t, Limits{Bytes: 1200, StarvedShare: share, Classes: []Class{{MaxSilence: 10}}})
		d := newDice(t, 6)
		c := &Candidates{}
		for i := range n {
			c.ID, c.Priority = append(c.ID, uint64(i)), append(c.Priority, uint16(i))
			c.Cost[0], c.Waited = append(c.Cost[0], 24+d(25)), append(c.Waited, d(30))
		}
		var p Packer
		var plan Plan
		var first, last int
		for range ticks {
			if err := p.Pack(&plan, c, b); err != nil {
				t.Fatal(err)
			}
			for i := range c.Waited {
				c.Waited[i]++
			}
			for _, s := range plan.Selected {
				c.Waited[s.Index] = 0
				if s.Index < n/10 {
					last++
				} else if s.Index >= n-n/10 {
					first++
				}
			}
		}
		return ticks * n / 10 / float64(first), ticks * n / 10 / float64(last)
	}
	top, bottom := run(1)
	t.Logf("all bytes for the starved: the top tenth every %.1f ticks, the bottom every %.1f", top, bottom)
	topThird, bottomThird := run(0)
	t.Logf("a third:                   the top tenth every %.1f ticks, the bottom every %.1f", topThird, bottomThird)
	if top < 20 || bottom > 40 || topThird > 8 || bottomThird > 120 {
		t.Error("the starved share does not do what it is for")
	}
}
