package player

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"vicinity/internal/replay"
)

func TestPackedReport(t *testing.T) {
	var none packedSum
	if r := none.report(); r != nil {
		t.Errorf("without a budget: %+v", r)
	}
	var idle packedSum
	idle.add(&replay.Packed{})
	if r := idle.report(); r == nil || *r != (PackedReport{}) {
		t.Errorf("nobody there: %+v", r)
	}
	var s packedSum
	for n := range 200 { // 1 to 200 bytes, two a tick
		if n%2 == 1 {
			continue
		}
		s.add(&replay.Packed{
			Deliveries: []replay.Delivery{
				{Observer: 1, Bytes: uint32(200 - n), Deferred: 3, Oversize: 1, Oldest: uint32(n)},
				{Observer: 2, Bytes: uint32(199 - n)},
			},
			Selections: []replay.Selection{{What: replay.Spawn}, {What: replay.Update}, {What: replay.Update}, {What: replay.Remove}},
		})
	}
	want := PackedReport{
		Deliveries: 200, Bytes: 20100, BytesP50: 100, BytesP90: 180, BytesP99: 198, BytesMax: 200,
		Selected: 400, Spawns: 100, Updates: 200, Removals: 100,
		Deferred: 300, Oversize: 100, OldestWait: 198,
	}
	if got := *s.report(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestCheckPacked(t *testing.T) {
	sel := func(o, e uint64, w replay.What) replay.Selection {
		return replay.Selection{Observer: o, Entity: e, What: w}
	}
	to := func(ids ...uint64) (all []replay.Delivery) {
		for _, id := range ids {
			all = append(all, replay.Delivery{Observer: id})
		}
		return all
	}
	for _, c := range []struct {
		name string
		p    replay.Packed
		ok   bool
	}{
		{"empty", replay.Packed{}, true},
		{"right", replay.Packed{Deliveries: to(1, 2, 4), Selections: []replay.Selection{
			sel(1, 5, replay.Spawn), sel(1, 5, replay.Remove), sel(4, 1, replay.Update),
		}}, true},
		{"deliveries out of order", replay.Packed{Deliveries: to(2, 1)}, false},
		{"delivery twice", replay.Packed{Deliveries: to(2, 2)}, false},
		{"no delivery", replay.Packed{Deliveries: to(1, 3), Selections: []replay.Selection{sel(2, 1, replay.Spawn)}}, false},
		{"no delivery behind the last", replay.Packed{Deliveries: to(1), Selections: []replay.Selection{sel(2, 1, replay.Spawn)}}, false},
		{"update twice", replay.Packed{Deliveries: to(1), Selections: []replay.Selection{sel(1, 1, replay.Update), sel(1, 1, replay.Update)}}, false},
		{"out of order", replay.Packed{Deliveries: to(1), Selections: []replay.Selection{sel(1, 2, replay.Update), sel(1, 1, replay.Update)}}, false},
	} {
		if err := checkPacked(&c.p); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrEngine) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestChange(t *testing.T) {
	var h change
	pairs := func(n ...uint64) (all []replay.Relation) {
		for _, e := range n {
			all = append(all, replay.Relation{Observer: 1, Entity: e})
		}
		return all
	}
	for i, s := range []struct {
		now                []replay.Relation
		enter, keep, leave int
	}{
		{pairs(2, 4, 6), 3, 0, 0},
		{pairs(2, 4, 6), 0, 3, 0},
		{pairs(1, 4, 7, 8), 3, 1, 2},
		{nil, 0, 0, 4},
		{pairs(9), 1, 0, 0},
	} {
		var c Counts
		h.count(&c, s.now)
		if c != (Counts{Enter: s.enter, Keep: s.keep, Leave: s.leave}) {
			t.Errorf("step %d: %+v, want %+v", i, c, s)
		}
	}
}

// What an engine says of its deliveries is checked too.
func TestContradictoryPacked(t *testing.T) {
	l := &packedLiar{}
	l.packed.Deliveries = []replay.Delivery{{Observer: 2}, {Observer: 1}}
	_, err := Play(t.Context(), Job{Source: trace("0,0,0,0,0,0\n"), Engine: l})
	if !errors.Is(err, ErrEngine) || !strings.HasPrefix(err.Error(), "tick 0: ") {
		t.Errorf("%v, want ErrEngine in tick 0", err)
	}
	slices.Reverse(l.packed.Deliveries)
	r, err := Play(t.Context(), Job{Source: trace("0,0,0,0,0,0\n"), Engine: l})
	if err != nil || r.Packed == nil || r.Packed.Deliveries != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// packedLiar is an engine that says what it is told to.
type packedLiar struct {
	plain
	packed replay.Packed
}

func (l *packedLiar) Packed() *replay.Packed { return &l.packed }

func TestBudgetConfig(t *testing.T) {
	price := Price{Cost: 10}
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"cap", func(c *Config) { c.Cap = -1 }, "cap of -1 members"},
		{"rate", func(c *Config) { c.SendEvery = -2 }, "every -2 ticks"},
		{"slow rate", func(c *Config) { c.SendEvery = MaxSendEvery + 1 }, "every 841 ticks"},
		{"no bytes", func(c *Config) { c.Budget = &Budget{Other: price} }, "budget of 0 bytes"},
		{"few bytes", func(c *Config) { c.Budget = &Budget{Bytes: 7, Other: price} }, "budget of 7 bytes, want 8 or more"},
		{"zero cost", func(c *Config) {
			c.Budget = &Budget{Bytes: 100, Other: price, Kinds: map[int32]Price{9: {}, 1: price, 4: {}}}
		}, "kind 4 costs 0 bytes"},
		{"zero cost of others", func(c *Config) { c.Budget = &Budget{Bytes: 100} }, "without a price costs 0 bytes"},
	} {
		for _, make := range []func(Config) (Engine, error){NewOracle, NewGrid, NewWorld} {
			config := Config{Radius: 10}
			c.change(&config)
			e, err := make(config)
			if !errors.Is(err, ErrConfig) || e != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want ErrConfig with %q", c.name, err, c.want)
			}
		}
	}
	for _, c := range []Config{{Cap: 1}, {SendEvery: 2}, {Budget: &Budget{Bytes: 100, Other: price}}} {
		if e, err := NewGrid(c); !errors.Is(err, ErrConfig) || e != nil {
			t.Errorf("grid with %+v: %v, want ErrConfig", c, err)
		}
	}
}
