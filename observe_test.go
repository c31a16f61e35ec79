package vicinity

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"vicinity/interest"
	"vicinity/packer"
)

// TestImportance: what an entity means to a connection moves it in its order, there
// alone, within the range of priorities, until it is forgotten or despawns.
func TestImportance(t *testing.T) {
	w := newWorld(t, Config{})
	var handles []Handle
	for i := range 10 {
		handles = append(handles, spawnOf(t, w, Entity{ID: uint64(i), X: float64(i), Cost: cost(10), Priority: 100}))
	}
	for id := range ConnID(2) {
		ok(t, w.Connect(Connection{ID: id}))
	}
	tick(t, w)
	for id := range ConnID(2) {
		ok(t, w.SetBudget(id, 20, 10))
	}
	first := func() map[ConnID][]uint64 {
		for _, h := range handles {
			if _, alive := w.ID(h); alive {
				ok(t, w.Touch(h))
			}
		}
		out := map[ConnID][]uint64{}
		for id, s := range tick(t, w) {
			out[id] = ids(s.updates)
		}
		return out
	}
	check := func(what string, zero, one []uint64) {
		t.Helper()
		got := first()
		if !slices.Equal(got[0], zero) || !slices.Equal(got[1], one) {
			t.Errorf("%s: %v; want %v and %v", what, got, zero, one)
		}
	}
	plain := []uint64{0, 1}
	check("nobody", plain, plain)
	ok(t, w.SetImportance(0, handles[9], 1, false))
	check("a target", []uint64{9, 0}, plain)
	ok(t, w.SetImportance(0, handles[8], math.MaxInt32, false))
	ok(t, w.SetImportance(0, handles[7], math.MaxInt32, false))
	check("two more", []uint64{7, 8}, plain)
	ok(t, w.SetImportance(1, handles[0], math.MinInt32, false))
	check("a bore", []uint64{7, 8}, []uint64{1, 2})
	ok(t, w.SetImportance(0, handles[5], -50, true))
	check("a must", []uint64{5, 7}, []uint64{1, 2})
	ok(t, w.SetImportance(0, handles[5], 0, false))
	ok(t, w.SetImportance(0, handles[7], 0, false))
	ok(t, w.Despawn(handles[8]))
	first() // the leave takes 8 bytes
	check("forgotten", []uint64{9, 0}, []uint64{1, 2})
	ok(t, w.SetMustSend(handles[6], true))
	ok(t, w.SetPriority(handles[4], 101))
	check("its own", []uint64{6, 4}, []uint64{6, 4})
}

// TestRuntimeBudget: budgets, caps, rates and pauses act from the next Tick on.
func TestRuntimeBudget(t *testing.T) {
	w := newWorld(t, Config{})
	var handles []Handle
	for i := range 50 {
		handles = append(handles, spawn(t, w, uint64(i), float64(i), 0))
	}
	ok(t, w.Connect(Connection{ID: 1}))
	touch := func() sent {
		for _, h := range handles {
			ok(t, w.Touch(h))
		}
		return tick(t, w)[1]
	}
	if s := touch(); len(s.enters) != 50 || s.d.Bytes != 1000 || s.d.Budget != 0 {
		t.Fatalf("%d enters, %d bytes, budget %d", len(s.enters), s.d.Bytes, s.d.Budget)
	}
	for _, budget := range []uint32{100, 1000, 50, 0, 200} {
		ok(t, w.SetBudget(1, budget, 0))
		want := budget / 20
		if budget == 0 {
			want = 50
		}
		s := touch()
		if len(s.updates) != int(want) || s.d.Budget != budget {
			t.Errorf("budget %d: %d updates; want %d", budget, len(s.updates), want)
		}
		if s.d.Deferred[packer.WhyNoRoom] != 50-int(want) {
			t.Errorf("budget %d: deferred %v", budget, s.d.Deferred)
		}
	}
	ok(t, w.SetMustSend(handles[0], true))
	ok(t, w.SetMustSend(handles[1], true))
	ok(t, w.SetBudget(1, 30, 0))
	if s := touch(); s.d.MustDeferred != 1 || w.Stats().MustDeferred != 1 || s.updates[0].Reason != packer.ReasonMustSend {
		t.Errorf("%d and %d that must be sent were deferred, %v; want 1", s.d.MustDeferred, w.Stats().MustDeferred, s.updates)
	}
	for budget := range uint32(1000) {
		ok(t, w.SetBudget(1, 100+budget, 0))
	}
	if n := len(w.budgets); n != 1 {
		t.Errorf("%d budgets are kept for one connection", n)
	}
	ok(t, w.SetBudget(1, 0, 0))
	ok(t, w.SetCap(1, Cap{Members: 10}))
	if s := touch(); len(s.leaves) != 40 || s.leaves[0].Cause != interest.ReasonCulled {
		t.Errorf("cap 10: %d leaves", len(s.leaves))
	}
	if got := w.Stats(); got.Members != 10 || got.Culled != 40 {
		t.Errorf("cap 10: %d members, %d culled", got.Members, got.Culled)
	}
	ok(t, w.SetCap(1, Cap{}))
	if s := touch(); len(s.enters) != 40 {
		t.Errorf("no cap: %d enters", len(s.enters))
	}
	ok(t, w.Pause(1, true))
	for range 3 {
		if s := tick(t, w); len(s) != 0 {
			t.Error("served while paused")
		}
	}
	ok(t, w.Pause(1, false))
	ok(t, w.SetRate(1, 3))
	served := 0
	for range 12 {
		served += len(tick(t, w))
	}
	if served != 4 {
		t.Errorf("every third tick: served %d times of 12", served)
	}
}

// TestWatch: a watcher is told of enters and leaves, not of updates, and is not
// budgeted.
func TestWatch(t *testing.T) {
	w := newWorld(t, Config{Reach: []Reach{{Enter: 10, Margin: 2}}})
	wolf := spawn(t, w, 1, 0, 0)
	sheep := spawn(t, w, 2, 50, 0)
	ok(t, w.Observe(Connection{ID: 1, Viewpoint: on(wolf), ExcludeSelf: true}))
	expect(t, tick(t, w)[1], nil, nil, nil)
	ok(t, w.Move(sheep, 10, 0))
	expect(t, tickIf(t, w, false)[1], nil, []uint64{2}, nil)
	expect(t, tick(t, w)[1], nil, []uint64{2}, nil)
	if got := w.AppendObserversOf(nil, sheep); !slices.Equal(got, []ConnID{1}) {
		t.Errorf("observers of the sheep: %v", got)
	}
	if got := w.AppendMembers(nil, 1); len(got) != 1 || got[0].Entity != sheep || got[0].ID != 2 || got[0].Sources != interest.Spatial {
		t.Errorf("in view of the wolf: %+v; want the sheep, near", got)
	}
	if got := w.AppendMembers(nil, 2); got != nil {
		t.Errorf("in view of nobody: %+v", got)
	}
	ok(t, w.Move(sheep, 12, 0))
	expect(t, tick(t, w)[1], nil, nil, nil)
	ok(t, w.SetReach(1, []Reach{{Enter: 5}}, 0))
	expect(t, tick(t, w)[1], []uint64{2}, nil, nil)
	ok(t, w.SetReach(1, nil, 2))
	expect(t, tick(t, w)[1], nil, []uint64{2}, nil)
	ok(t, w.SetViewpoints(1, at(100, 0), Viewpoint{X: -100}))
	expect(t, tick(t, w)[1], []uint64{2}, nil, nil)
}

// TestStaleObservers: nobody observes a stale handle, before the next Tick too, nor
// the handle of who has the ID now.
func TestStaleObservers(t *testing.T) {
	w := newWorld(t, Config{})
	h, g := spawn(t, w, 1, 0, 0), spawn(t, w, 2, 5, 0)
	ok(t, w.Connect(Connection{ID: 1, Viewpoint: on(h)}))
	tick(t, w)
	expect := func(h Handle, want ...ConnID) {
		t.Helper()
		if got := w.AppendObserversOf(nil, h); !slices.Equal(got, want) {
			t.Errorf("observers of %v are %v; want %v", h, got, want)
		}
	}
	expect(g, 1)
	ok(t, w.Despawn(g))
	expect(g)
	expect(h, 1)
	expect(0)
	again := spawn(t, w, 2, 5, 0)
	expect(again)
	tick(t, w)
	expect(g)
	expect(again, 1)
}

// TestReaders: other goroutines query snapshots while the World ticks.
func TestReaders(t *testing.T) {
	w := newWorld(t, Config{})
	h := spawn(t, w, 1, 0, 0)
	tick(t, w)
	var pins atomic.Int64
	done := make(chan struct{})
	r, err := w.NewReader()
	ok(t, err)
	defer r.Close()
	stop := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := r.Pin(); err != nil {
				t.Error(err)
				return
			}
			s := r.Snapshot()
			if c := s.Columns(0); s.Len() != 1 || c.X[0] != int32(s.Tick())*256 && s.Tick() > 1 || s.ID(c.Slot[0]) != 1 {
				t.Errorf("tick %d shows x = %d", s.Tick(), c.X[0])
			}
			r.Unpin()
			pins.Add(1)
		}
	}()
	for n := 0; n < 300 || pins.Load() < 10 && n < 100_000; n++ {
		ok(t, w.Move(h, float64(w.Now()+1), 0))
		tick(t, w)
	}
	close(stop)
	<-done
	if pins.Load() == 0 {
		t.Error("no snapshot was read")
	}
}

// TestLevels: less detail further away, as the World says or the connection, with
// the costs of that level, and the next finer one where there is none.
func TestLevels(t *testing.T) {
	w := newWorld(t, Config{Levels: Levels{Near: 10, Mid: 20, Margin: 2}})
	costs := [packer.Levels]uint32{30, 20, 10}
	var handles []Handle
	for i, x := range []float64{5, 15, 25} {
		handles = append(handles, spawnOf(t, w, Entity{ID: uint64(i), X: x, Cost: costs}))
	}
	handles = append(handles, spawnOf(t, w, Entity{ID: 3, X: 26, Cost: [packer.Levels]uint32{31, 21}}))
	for id, budget := range []uint32{0, 500} {
		ok(t, w.Connect(Connection{ID: ConnID(id), Budget: budget}))
	}
	tick(t, w)
	check := func(what string, levels ...uint8) {
		t.Helper()
		for _, h := range handles {
			ok(t, w.Touch(h))
		}
		for id, s := range tick(t, w) {
			for _, u := range s.updates {
				cost := costs[u.Level]
				if u.ID == 3 {
					cost = 31 - 10*uint32(u.Level)
				}
				if u.Level != levels[u.ID] || u.Cost != cost {
					t.Errorf("%s: connection %d gets %d at level %d for %d bytes; want %d", what, id, u.ID, u.Level, u.Cost, levels[u.ID])
				}
			}
		}
	}
	check("as configured", 0, 1, 2, 1)
	ok(t, w.Move(handles[0], 12, 0))
	ok(t, w.Move(handles[2], 21, 0))
	check("within the margins", 0, 1, 2, 1)
	ok(t, w.Move(handles[0], 12.5, 0))
	ok(t, w.Move(handles[2], 20, 0))
	check("beyond", 1, 1, 1, 1)
	for id := range ConnID(2) {
		ok(t, w.SetLevels(id, &Levels{Near: 30, Mid: 40}))
	}
	check("farther", 0, 0, 0, 0)
	for id := range ConnID(2) {
		ok(t, w.SetLevels(id, nil))
	}
	check("as configured again", 1, 1, 1, 1)
}

// TestStretch: intervals grow while the server cannot keep up.
func TestStretch(t *testing.T) {
	w := newWorld(t, Config{Classes: []packer.Class{{MinInterval: [packer.Levels]uint32{2}}}})
	h := spawn(t, w, 1, 0, 0)
	ok(t, w.Connect(Connection{ID: 1, Budget: 100}))
	count := func() (updates, soon int) {
		for range 12 {
			ok(t, w.Touch(h))
			s := tick(t, w)[1]
			updates += len(s.updates)
			soon += s.d.Deferred[packer.WhyTooSoon]
		}
		return updates, soon
	}
	tick(t, w)
	if updates, soon := count(); updates != 6 || soon != 6 {
		t.Errorf("every second tick: %d updates, %d too soon of 12", updates, soon)
	}
	ok(t, w.SetStretch(2))
	if updates, soon := count(); updates != 3 || soon != 9 {
		t.Errorf("stretched twofold: %d updates, %d too soon of 12", updates, soon)
	}
}
