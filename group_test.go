package vicinity

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

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

// TestGroupOfEmpty: Worlds without anybody tick side by side.
func TestGroupOfEmpty(t *testing.T) {
	ws := grid.NewWorkers(3)
	defer ws.Close()
	g := NewGroup(ws)
	for range 200 {
		ok(t, g.Add(newWorld(t, Config{}), 1))
	}
	for range 3 {
		ok(t, g.Tick(nil))
	}
	for i, m := range g.members {
		if n := m.world.Now(); n != 3 {
			t.Errorf("World %d has made %d ticks of 3", i, n)
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
	var served atomic.Int64 // Worlds are ticked by two workers
	err := g.Tick(func(w *World, _ ConnID, d *Delivery) bool { served.Add(int64(len(d.Enters))); return true })
	if !errors.Is(err, ErrClosed) || served.Load() != 3 {
		t.Errorf("%v, %d enters; want ErrClosed, and 3", err, served.Load())
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

// TestGroupBusy: while a Group ticks, its callback can change neither its Worlds, due
// or not, nor itself; a member is ticked by its Group alone.
func TestGroupBusy(t *testing.T) {
	g := NewGroup(nil)
	a, b, other := instance(t, Config{}, 3, 1), instance(t, Config{}, 5, 1), instance(t, Config{}, 2, 1)
	closed := instance(t, Config{}, 1, 1)
	ok(t, g.Add(a, 1))
	ok(t, g.Add(b, 7))
	tickGroup := func() error { return g.Tick(func(*World, ConnID, *Delivery) bool { return true }) }
	h, _ := b.Handle(1)
	calls := 0
	ok(t, g.Tick(func(w *World, c ConnID, d *Delivery) bool {
		calls++
		before := keep(d)
		for name, err := range map[string]error{
			"Group.Tick": tickGroup(), "Tick": a.Tick(nil), "Tick of another": b.Tick(nil), "Move": b.Move(h, 9, 9),
			"Close": b.Close(), "Close its own": a.Close(), "Add": g.Add(other, 1), "Remove": g.Remove(b), "Disconnect": b.Disconnect(0),
		} {
			if !errors.Is(err, ErrBusy) {
				t.Errorf("%s in a callback of the Group: %v; want ErrBusy", name, err)
			}
		}
		if after := keep(d); !reflect.DeepEqual(before, after) {
			t.Errorf("the delivery became %v", after)
		}
		return true
	}))
	if calls == 0 || g.Len() != 2 {
		t.Fatalf("%d calls, %d members", calls, g.Len())
	}
	if err := a.Tick(nil); !errors.Is(err, ErrMember) {
		t.Errorf("Tick of a member: %v; want ErrMember", err)
	}
	ok(t, a.Move(h, 1, 1))
	ok(t, closed.Close())
	if err := g.Add(closed, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed World is added: %v; want ErrClosed", err)
	}
	ok(t, other.Tick(func(ConnID, *Delivery) bool {
		if err := g.Add(other, 1); !errors.Is(err, ErrBusy) {
			t.Errorf("a ticking World is added: %v; want ErrBusy", err)
		}
		return true
	}))
	ok(t, tickGroup())
	ok(t, g.Remove(a))
	ok(t, a.Tick(nil))
	func() {
		defer func() { recover() }()
		g.Tick(func(*World, ConnID, *Delivery) bool { panic("boom") })
	}()
	ok(t, tickGroup())
	ok(t, b.Move(h, 2, 2))
}

// TestGroupTotals: what deliveries came to is counted once, by the World or by the
// Group, and never lost.
func TestGroupTotals(t *testing.T) {
	ws := grid.NewWorkers(2)
	defer ws.Close()
	g := NewGroup(ws)
	big, small := instance(t, Config{Workers: ws}, 4, 2), instance(t, Config{}, 4, 2)
	plans := func(adders ...interface{ AddTotals(*packer.Stats) }) (out []uint64) {
		for _, a := range adders {
			var s packer.Stats
			a.AddTotals(&s)
			out = append(out, s.Plans)
		}
		return out
	}
	expect := func(what string, want ...uint64) {
		t.Helper()
		if got := plans(big, small, g); !slices.Equal(got, want) {
			t.Errorf("%s: %v plans of the large, the small and the Group; want %v", what, got, want)
		}
	}
	both := func() { ok(t, big.Tick(nil)); ok(t, small.Tick(nil)) }
	both()
	expect("alone", 2, 2, 0)
	ok(t, g.Add(big, 1))
	ok(t, g.Add(small, 1))
	expect("added", 2, 2, 0)
	ok(t, g.Tick(nil))
	expect("in the Group", 4, 2, 2)
	ok(t, g.Remove(big))
	ok(t, g.Remove(small))
	both()
	expect("removed", 6, 4, 2)
	ok(t, g.Add(big, 1))
	ok(t, g.Add(small, 1))
	ok(t, g.Tick(nil))
	expect("added again", 8, 4, 4)
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

// TestSmallWorld: an empty World, and an instance of 20 entities and 5 connections,
// take a few kilobytes, also once everybody has moved.
func TestSmallWorld(t *testing.T) {
	if raceEnabled || invariants.Enabled {
		t.Skip("this build's memory counts too")
	}
	const n = 200
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	worlds := make([]*World, 0, 2*n)
	before := heap()
	check := func(what string, limit int64) {
		t.Helper()
		each := (heap() - before) / n
		if t.Logf("%d bytes a World %s", each, what); each > limit {
			t.Errorf("%d bytes a World %s; want at most %d", each, what, limit)
		}
	}
	for range n {
		w, err := New(Config{})
		ok(t, err)
		worlds = append(worlds, w)
	}
	check("without anybody", 4<<10)
	g := NewGroup(nil)
	before = heap()
	for range n {
		w := instance(t, Config{}, 20, 5)
		worlds = append(worlds, w)
		ok(t, g.Add(w, 1))
	}
	fn := func(*World, ConnID, *Delivery) bool { return true }
	for range 3 {
		ok(t, g.Tick(fn))
	}
	check("of 20 entities and 5 connections", 28<<10)
	for step := range 8 {
		for _, w := range worlds[n:] {
			for id := range uint64(20) {
				h, _ := w.Handle(id)
				ok(t, w.Move(h, float64(id), float64(step)))
			}
		}
		ok(t, g.Tick(fn))
	}
	check("in which they moved", 31<<10)
	for _, w := range worlds[:n] {
		ok(t, w.Close())
	}
}

// TestGroupLends: in the memory of a Group's worker, Worlds of different kinds that
// tick in turn send what they send alone.
func TestGroupLends(t *testing.T) {
	kinds := []Config{{}, {Height: true}, {Levels: Levels{Near: 5, Mid: 9}, Degrade: true}, {Reach: []Reach{{Enter: 8, Margin: 2}, {Enter: 40}}}}
	for round := range 3 {
		g := NewGroup(nil)
		var alone, grouped []*World
		for k, cfg := range kinds {
			n := []int{3, 200, 40, 90}[(k+round)%4]
			alone, grouped = append(alone, instance(t, cfg, n, n/2)), append(grouped, instance(t, cfg, n, n/2))
			ok(t, g.Add(grouped[k], 1))
		}
		for step := range 12 {
			for k := range kinds {
				for _, w := range []*World{alone[k], grouped[k]} {
					h, found := w.Handle(uint64(step % w.Len()))
					if found && step%5 == 4 {
						ok(t, w.Despawn(h))
					} else if found {
						ok(t, w.Move(h, float64(7*step%50), float64(step*k)))
					}
				}
			}
			got := map[*World]map[ConnID]string{}
			ok(t, g.Tick(func(w *World, c ConnID, d *Delivery) bool {
				if got[w] == nil {
					got[w] = map[ConnID]string{}
				}
				got[w][c] = fmt.Sprint(*d)
				return step%3 > 0
			}))
			for k := range kinds {
				served := 0
				ok(t, alone[k].Tick(func(c ConnID, d *Delivery) bool {
					if served++; got[grouped[k]][c] != fmt.Sprint(*d) {
						t.Errorf("step %d, kind %d, connection %d: %s; alone %v", step, k, c, got[grouped[k]][c], *d)
					}
					return step%3 > 0
				}))
				if served != len(got[grouped[k]]) {
					t.Errorf("step %d, kind %d: %d were served, %d alone", step, k, len(got[grouped[k]]), served)
				}
				ok(t, grouped[k].CheckInvariants())
			}
		}
	}
}

// TestGroupForgets: nothing in a Group refers to a World that was taken out.
func TestGroupForgets(t *testing.T) {
	g := NewGroup(nil)
	w, err := New(Config{})
	ok(t, err)
	for i := range 20 {
		h := spawn(t, w, uint64(i), float64(i), 0)
		ok(t, w.Connect(Connection{ID: ConnID(i), Viewpoint: on(h), Budget: 100}))
	}
	ok(t, g.Add(w, 1))
	for range 3 {
		ok(t, g.Tick(func(*World, ConnID, *Delivery) bool { return true }))
	}
	ok(t, g.Remove(w))
	c := w.conns[7]
	ok(t, w.Close())
	world, views, list := weak.Make(w), weak.Make(w.set), weak.Make(c)
	w, c = nil, nil
	for range 5 {
		runtime.GC()
	}
	if world.Value() != nil || views.Value() != nil || list.Value() != nil {
		t.Errorf("still there: World %v, views %v, connection %v", world.Value() != nil, views.Value() != nil, list.Value() != nil)
	}
	runtime.KeepAlive(g)
}

// TestPanickingPredicate: a predicate that panics in the middle of an update leaves
// nothing behind, neither in its World nor in the memory that Worlds share.
func TestPanickingPredicate(t *testing.T) {
	armed := false
	cfg := Config{Predicate: func(ConnID, Handle) bool {
		if armed {
			panic("boom")
		}
		return true
	}}
	for _, grouped := range []bool{false, true} {
		w, other := newWorld(t, cfg), newWorld(t, Config{})
		for i := range 40 {
			spawnOf(t, w, Entity{ID: uint64(i), X: float64(i), Cost: cost(20), Ask: true})
		}
		ok(t, w.Connect(Connection{ID: 1}))
		ok(t, w.Connect(Connection{ID: 2, Reach: []Reach{{Enter: 3}}}))
		ok(t, other.Connect(Connection{ID: 3}))
		g := NewGroup(nil)
		if grouped {
			ok(t, g.Add(w, 1))
			ok(t, g.Add(other, 1))
		}
		step := func() map[ConnID]int {
			enters := map[ConnID]int{}
			fn := func(_ *World, c ConnID, d *Delivery) bool {
				enters[c] = len(d.Enters)
				return true
			}
			if grouped {
				ok(t, g.Tick(fn))
				return enters
			}
			for _, w := range []*World{w, other} {
				ok(t, w.Tick(func(c ConnID, d *Delivery) bool { return fn(w, c, d) }))
			}
			return enters
		}
		if got := step(); got[1] != 40 || got[2] != 4 || got[3] != 0 {
			t.Fatalf("%v enters", got)
		}
		// Asked again, with all that it has at hand.
		ok(t, w.InvalidateConn(1))
		armed = true
		func() {
			defer func() {
				if p := recover(); p != "boom" {
					t.Errorf("panicked with %v", p)
				}
			}()
			step()
		}()
		armed = false
		ok(t, w.Disconnect(1)) // its next update would tidy up
		ok(t, w.SetReach(2, []Reach{{Enter: 100}}, 1))
		for i := range 40 {
			spawn(t, other, uint64(i), float64(i), 0)
		}
		if got := step(); got[1] != 0 || got[2] != 36 || got[3] != 40 {
			t.Errorf("grouped %v: %v enters; want 0, 36 and 40", grouped, got)
		}
		ok(t, errors.Join(w.CheckInvariants(), other.CheckInvariants()))
	}
}

// TestBudgetsAreShared: Worlds with the same policy have the same budget, and others
// have not.
func TestBudgetsAreShared(t *testing.T) {
	budget := func(cfg Config, bytes, reserve uint32) *packer.Budget {
		w := newWorld(t, cfg)
		ok(t, w.Connect(Connection{ID: 1, Budget: bytes, Reserve: reserve}))
		return w.conns[1].budget.Budget
	}
	first := budget(Config{}, 900, 300)
	if again := budget(Config{Classes: []packer.Class{{}}}, 900, 300); again != first {
		t.Error("the same policy has another budget")
	}
	for name, other := range map[string]*packer.Budget{
		"bytes":   budget(Config{}, 901, 300),
		"reserve": budget(Config{}, 900, 301),
		"share":   budget(Config{StarvedShare: 0.5}, 900, 300),
		"degrade": budget(Config{Degrade: true}, 900, 300),
		"class":   budget(Config{Classes: []packer.Class{{AgeWeight: 1}}}, 900, 300),
		"classes": budget(Config{Classes: make([]packer.Class, 2)}, 900, 300),
	} {
		if other == first {
			t.Errorf("%s: the same budget", name)
		}
	}
	runtime.KeepAlive(first)
}
