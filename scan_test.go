package vicinity

import (
	"fmt"
	"testing"

	"vicinity/packer"
)

// crowded is a World of many who see each other, some of them connected.
func crowded(t *testing.T, cfg Config, seed uint32, entities int) *churn {
	cfg.Reach = []Reach{{Enter: 500, Margin: 10}}
	c := newChurn(t, cfg, entities, 6)
	for range 2 { // all enters at once, without a budget
		for id := range ConnID(6) {
			ok(t, c.w.SetBudget(id, 0, 0))
		}
		tick(t, c.w)
	}
	c.seed = seed
	return c
}

// TestShortlist: scans that pass over most of a crowd lead to the same deliveries, to
// the last figure, as listing everybody; and they do pass over most.
func TestShortlist(t *testing.T) {
	rounds, skipped, short, failed := 9, 0, 0, 0
	if testing.Short() {
		rounds = 3
	}
	const ticks = 30
	for seed := range uint32(rounds) {
		cfg := Config{Degrade: seed%2 == 1, Classes: []packer.Class{{AgeWeight: seed / 2 % 3}}}
		if seed%4 == 1 {
			cfg.Levels = Levels{Near: 40, Mid: 90, Margin: 5}
		}
		var wishes bool // the order is not all
		switch seed {
		case 2:
			cfg.Classes[0].MaxSilence, cfg.Degrade, wishes = 6, true, true
		case 5, 6, 7:
			cfg.Degrade = false
			cfg.Classes[0].MaxSilence = 3*seed - 13
		case 3:
			cfg.Classes[0].Share, wishes = 0.5, true
		case 4:
			cfg.Classes[0].MinInterval, wishes = [packer.Levels]uint32{3, 3, 3}, true
		}
		a, b := crowded(t, cfg, seed, 700), crowded(t, cfg, seed, 700)
		b.w.shortlists = false
		if seed >= 6 { // less is left over, for less long
			a.budget, b.budget = 3000+1000*(seed-6), 3000+1000*(seed-6)
		}
		if a.w.shortlists == wishes {
			t.Errorf("seed %d: short lists: %v", seed, a.w.shortlists)
		}
		for n := range ticks {
			var sum [2]map[ConnID]string
			for i, c := range []*churn{a, b} {
				sum[i] = map[ConnID]string{}
				c.quiet = n > 5 // or there are always some that must be sent
				c.step(func(conn ConnID, d *Delivery) bool {
					sum[i][conn] = fmt.Sprint(*d)
					return (uint64(conn)+d.Tick)%5 != 0
				})
			}
			checkWaits(t, a.w)
			for conn, want := range sum[1] {
				if got := sum[0][conn]; got != want {
					t.Fatalf("seed %d, tick %d, connection %d:\n%s\nwant\n%s", seed, a.w.Now(), conn, got, want)
				}
			}
			s := a.w.Stats()
			skipped, short, failed = skipped+a.w.scratch[0].found.skipped, short+s.Shortlisted, failed+s.Retried
		}
		x, y := a.w.scratch[0].totals, b.w.scratch[0].totals
		if x.Candidates != y.Candidates || x.Deferred != y.Deferred || x.ByWhy != y.ByWhy || x.Used != y.Used || x.OldestWait != y.OldestWait {
			t.Errorf("seed %d: totals differ: %d candidates, %d deferred, %v; want %d, %d, %v", seed, x.Candidates, x.Deferred, x.ByWhy, y.Candidates, y.Deferred, y.ByWhy)
		}
	}
	if short < ticks*rounds || failed == 0 || skipped < 50*ticks*rounds {
		t.Errorf("%d short lists, %d were not enough, %d passed over by the last of each tick", short, failed, skipped)
	}
	t.Logf("%d short lists, %d were not enough, %d passed over by the last of each tick", short, failed, skipped)
}

// checkWaits holds what scans rely on: a change that waits was not sent, and goes on
// waiting until it is.
func checkWaits(t *testing.T, w *World) {
	t.Helper()
	entities := w.hot.Slice()
	for _, c := range w.list {
		slots := c.view.Columns().Slot
		for r, since := range c.pairs.since {
			if since == 0 || r/64 >= c.view.Words() || c.view.KnownWord(r/64)>>(r%64)&1 == 0 {
				continue
			}
			if changed := entities[slots[r]].Changed; changed <= c.pairs.sent[r] {
				t.Fatalf("tick %d, connection %d, row %d: waits since %d; changed at %d, sent at %d", w.Now(), c.id, r, since, changed, c.pairs.sent[r])
			}
		}
	}
}

// TestSettled: a plan made within limits stands only if each of its reasons holds.
func TestSettled(t *testing.T) {
	w := newWorld(t, Config{Classes: []packer.Class{{MaxSilence: 5}}})
	w.now = 100
	limit := limits{key: key(0, 50), since: 90}
	for _, c := range []struct {
		name                string
		left, least, hunger uint32
		waited              uint32
		dist2               float32
		skipped, starving   int
		want                bool
	}{
		{"all is well", 9, 10, 30, 10, 50, 7, 3, true},
		{"somebody fits", 10, 10, 30, 10, 50, 7, 3, false},
		{"nobody was passed over", 10, 10, 30, 10, 50, 0, 0, true},
		{"one beyond the limit was taken", 9, 10, 30, 10, 51, 7, 3, false},
		{"a starving one beyond the limit was taken", 9, 10, 30, 9, 50, 7, 3, false},
		{"no other was passed over", 9, 10, 30, 9, 50, 7, 0, true},
		{"another starving one fits", 9, 10, 20, 10, 50, 7, 3, false},
	} {
		var sc scratch
		sc.found = scanned{skipped: c.skipped, starving: c.starving, least: c.least}
		sc.table.reserve(2)
		sc.table.all.Waited[0], sc.table.all.Dist2[1], sc.table.all.Priority[1] = c.waited, c.dist2, 65535
		sc.plan.Selected = []packer.Selected{
			{Index: 0, Cost: c.hunger, Reason: packer.ReasonStarved},
			{Index: 1, Cost: 90 - c.hunger, Reason: packer.ReasonChanged},
		}
		sc.plan.Budget, sc.plan.Used = 99, 99-c.left // a third is set aside for the starving
		if got := w.settled(&sc, limit, w.lastOf(&sc)); got != c.want {
			t.Errorf("%s: %v; want %v", c.name, got, c.want)
		}
	}
	w.now = 0
}
