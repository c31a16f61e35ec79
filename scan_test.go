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
			cfg.Classes[0].MaxSilence, wishes = 6, true
		case 3:
			cfg.Classes[0].Share, wishes = 0.5, true
		case 4:
			cfg.Classes[0].MinInterval, wishes = [packer.Levels]uint32{3, 3, 3}, true
		}
		a, b := crowded(t, cfg, seed, 700), crowded(t, cfg, seed, 700)
		b.w.shortlists = false
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
