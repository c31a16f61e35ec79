package vicinity

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"vicinity/grid"
	"vicinity/internal/invariants"
	"vicinity/packer"
)

// instance is a small World: some entities that see each other, some of them
// connected.
func instance(t testing.TB, cfg Config, entities, conns int) *World {
	w := newWorld(t, cfg)
	for i := range entities {
		h := spawn(t, w, uint64(i), float64(i), 0)
		if i < conns {
			ok(t, w.Connect(Connection{ID: ConnID(i), Viewpoint: on(h), Budget: 1200}))
		}
	}
	return w
}

// TestGroup: every World ticks at its own rate, alike for any number of workers,
// and the work is even.
func TestGroup(t *testing.T) {
	for workers := range 4 {
		var ws *grid.Workers
		if workers > 0 {
			ws = grid.NewWorkers(workers)
		}
		t.Cleanup(ws.Close)
		g := NewGroup(ws)
		worlds := map[*World]int{}
		for i := range 60 {
			w := instance(t, Config{}, 5, 2)
			every := 1 + i%3
			ok(t, g.Add(w, every))
			worlds[w] = every
		}
		big := instance(t, Config{Workers: ws}, 50, 20)
		ok(t, g.Add(big, 1))
		worlds[big] = 1
		var mu sync.Mutex
		for round := range 12 {
			served := map[*World]int{}
			ok(t, g.Tick(func(w *World, c ConnID, d *Delivery) bool {
				mu.Lock()
				defer mu.Unlock()
				served[w]++
				if n := len(d.Enters); w != big && (n != w.Len() && d.Tick == 1 || n > 0 && d.Tick > 1) {
					t.Errorf("round %d: %d enters in tick %d of a World of %d", round, n, d.Tick, w.Len())
				}
				return true
			}))
			if n := len(served); n != 21+10+7 && n != 21+10+6 {
				t.Errorf("round %d: %d Worlds were ticked", round, n)
			}
			for w, n := range served {
				if n != w.Connections() {
					t.Errorf("round %d: %d of %d connections were served", round, n, w.Connections())
				}
			}
		}
		for w, every := range worlds {
			if got := w.Now(); got != uint64(12/every) {
				t.Errorf("a World that ticks every %d has made %d ticks of 12", every, got)
			}
		}
		var totals packer.Stats
		g.AddTotals(&totals)
		big.AddTotals(&totals)
		if totals.Plans == 0 || totals.Selected == 0 {
			t.Errorf("totals are %d plans", totals.Plans)
		}
	}
}

// TestGroupErrors: membership is checked; the error and the panic of one World leave
// the others alone.
func TestGroupErrors(t *testing.T) {
	ws := grid.NewWorkers(2)
	defer ws.Close()
	g := NewGroup(ws)
	a, b, c := instance(t, Config{}, 2, 1), instance(t, Config{}, 3, 1), instance(t, Config{}, 4, 1)
	other := grid.NewWorkers(2)
	defer other.Close()
	for name, err := range map[string]error{
		"negative": g.Add(a, -1), "rare": g.Add(a, 1<<20), "other workers": g.Add(instance(t, Config{Workers: other}, 1, 1), 1),
	} {
		if !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v; want ErrConfig", name, err)
		}
	}
	for _, w := range []*World{a, b, c} {
		ok(t, g.Add(w, 0))
	}
	if err := g.Add(a, 1); !errors.Is(err, ErrMember) {
		t.Errorf("added twice: %v", err)
	}
	if err := NewGroup(nil).Add(a, 1); !errors.Is(err, ErrMember) {
		t.Errorf("added to two groups: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("Tick panicked with %v", p)
			}
		}()
		g.Tick(func(w *World, _ ConnID, _ *Delivery) bool {
			if w == b {
				panic("boom")
			}
			return true
		})
	}()
	if b.Now() != 1 || c.Now() != 1 {
		t.Errorf("ticks are %d and %d", b.Now(), c.Now())
	}
	served := 0
	err := g.Tick(func(w *World, _ ConnID, d *Delivery) bool { served += len(d.Enters); return true })
	if !errors.Is(err, ErrClosed) || served != 3 {
		t.Errorf("%v, %d enters; want ErrClosed, and 3", err, served)
	}
	ok(t, g.Remove(a))
	if err := g.Remove(a); !errors.Is(err, ErrMember) {
		t.Errorf("removed twice: %v", err)
	}
	ok(t, g.Tick(func(*World, ConnID, *Delivery) bool { return true }))
	ok(t, g.Remove(b))
	expect(t, tick(t, b)[0], nil, nil, nil)
	if g.Len() != 1 {
		t.Errorf("%d members", g.Len())
	}
}

// TestGroupAllocs: Worlds tick without allocating.
func TestGroupAllocs(t *testing.T) {
	if raceEnabled || invariants.Enabled {
		t.Skip("this build allocates")
	}
	g := NewGroup(nil)
	for i := range 20 {
		ok(t, g.Add(instance(t, Config{}, 10, 3), 1+i%4))
	}
	fn := func(*World, ConnID, *Delivery) bool { return true }
	step := func() {
		for _, m := range g.members {
			h, _ := m.world.Handle(1)
			ok(t, m.world.Touch(h))
			ok(t, m.world.Move(h, float64(g.turn%10), 0))
		}
		ok(t, g.Tick(fn))
	}
	for range 20 {
		step()
	}
	if n := testing.AllocsPerRun(20, step); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}

// TestSmallWorld: an instance of 20 entities and 5 connections takes a few
// kilobytes.
func TestSmallWorld(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's memory counts")
	}
	const n, limit = 200, 64 << 10
	worlds := make([]*World, 0, n)
	g := NewGroup(nil)
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for range n {
		w := instance(t, Config{}, 20, 5)
		worlds = append(worlds, w)
		ok(t, g.Add(w, 1))
	}
	for range 3 {
		ok(t, g.Tick(func(*World, ConnID, *Delivery) bool { return true }))
	}
	each := (heap() - before) / n
	t.Logf("%d bytes a World of 20 entities and 5 connections, as %s", each, fmt.Sprint(worlds[0].Stats().HeapBytes))
	if each > limit {
		t.Errorf("%d bytes a World; want at most %d", each, limit)
	}
	runtime.KeepAlive(worlds)
}
