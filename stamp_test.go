package vicinity

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// TestEpoch: ticks may jump by any number, past the range of stamps too. What was
// sent is not sent again, what waits goes on waiting, and a change is seen.
func TestEpoch(t *testing.T) {
	for _, budget := range []uint32{0, 100} {
		w := newWorld(t, Config{})
		spawn(t, w, 1, 0, 0)
		waits := spawn(t, w, 2, 0, 0)
		spawn(t, w, 3, 0, 0)
		ok(t, w.Connect(Connection{ID: 1, Budget: budget}))
		at := func(tick uint64, accept bool) (s sent) {
			t.Helper()
			ok(t, w.TickAt(tick, func(_ ConnID, d *Delivery) bool { s = keep(d); return accept }))
			return s
		}
		at(5, true)
		at(6, true)
		if got := len(at(7, true).updates); got != 0 {
			t.Fatalf("%d updates of those at rest", got)
		}
		ok(t, w.Teleport(waits, 1, 0))
		expect(t, at(8, false), nil, nil, []uint64{2})
		for _, tick := range []uint64{math.MaxUint32 - 1, math.MaxUint32 + 10, 5 << 32, 5<<32 + 1, 1 << 63, math.MaxUint64} {
			s := at(tick, false)
			expect(t, s, nil, nil, []uint64{2})
			if t.Failed() {
				t.FailNow()
			}
			if !s.updates[0].Jumped {
				t.Errorf("tick %d: the jump is forgotten", tick)
			}
			if want := uint32(min(tick-8, math.MaxUint32-2)); tick < 1<<32 && s.d.OldestWait != want {
				t.Errorf("tick %d: waited %d ticks; want %d", tick, s.d.OldestWait, want)
			}
			if s.d.OldestWait < 1<<29 {
				t.Errorf("tick %d: waited %d ticks only", tick, s.d.OldestWait)
			}
		}
	}
}

// TestEpochGoesOn: pairs and entities are exact after the epoch has moved.
func TestEpochGoesOn(t *testing.T) {
	w := newWorld(t, Config{})
	a, b := spawn(t, w, 1, 0, 0), spawn(t, w, 2, 0, 0)
	ok(t, w.Connect(Connection{ID: 1, Budget: 100}))
	var s sent
	fn := func(_ ConnID, d *Delivery) bool { s = keep(d); return true }
	ok(t, w.TickAt(math.MaxUint32-3, fn))
	for i := range uint64(8) {
		ok(t, w.Move(a, float64(i+1), 0))
		ok(t, w.TickAt(1<<40+i*(1<<31), fn))
		if i > 0 {
			expect(t, s, nil, nil, []uint64{1})
			if s.updates[0].Jumped {
				t.Error("a walk is a jump")
			}
		}
	}
	ok(t, w.Teleport(b, 3, 3))
	ok(t, w.TickAt(1<<41, fn))
	expect(t, s, nil, nil, []uint64{2})
	ok(t, w.TickAt(1<<42, fn))
	expect(t, s, nil, nil, nil)
}

// epochs are jumps of the tick, past the range of stamps and below.
var epochs = []uint64{1 << 20, 1 << 31, 1<<32 - 2, 1<<32 - 1, 1 << 32, 1<<32 + 1, 3<<30 + 7, 1 << 33, 1 << 50}

// TestEpochRest: whoever is paused, or not due, is not served for the epoch's moving.
func TestEpochRest(t *testing.T) {
	for _, gap := range append(epochs, 1<<32-1<<30, 1<<32) {
		w := newWorld(t, Config{})
		spawn(t, w, 1, 0, 0)
		ok(t, w.Connect(Connection{ID: 1}))
		ok(t, w.Connect(Connection{ID: 2, SendEvery: 3}))
		ok(t, w.TickAt(1, nil))
		// The stamp of this tick is what it is after the epoch has moved.
		ok(t, w.TickAt(1<<30, nil))
		ok(t, w.Pause(1, true))
		served := 0
		for i := range uint64(3) {
			ok(t, w.TickAt(1<<30+gap+i, func(c ConnID, d *Delivery) bool {
				if served++; c == 1 {
					t.Errorf("gap %d: served while paused", gap)
				}
				return true
			}))
		}
		if served != 1 {
			t.Errorf("gap %d: served %d times in 3 ticks; want once", gap, served)
		}
		ok(t, w.CheckInvariants())
	}
}

// TestEpochJump: a jump that was sent is not sent again, one that was not is, for
// every order of jump, delivery and change before the epoch moves.
func TestEpochJump(t *testing.T) {
	starts := make([]uint64, len(epochs))
	gaps := slices.Clone(epochs)
	for i := range uint64(16) { // the new epoch begins just then
		starts, gaps = append(starts, 3<<30+8), append(gaps, 1<<30-6+i)
	}
	for i, gap := range gaps {
		for order := range 6 {
			w := newWorld(t, Config{})
			h := spawn(t, w, 1, 0, 0)
			ok(t, w.Connect(Connection{ID: 1}))
			var s sent
			now := uint64(4)
			tick := func(accept bool) {
				t.Helper()
				now++
				ok(t, w.TickAt(now, func(_ ConnID, d *Delivery) bool { s = keep(d); return accept }))
			}
			tick(true)
			now += starts[i]
			tick(true)
			updates, jumped := true, true
			switch order {
			case 0: // nothing happened
				updates = false
			case 1: // jumped, sent
				ok(t, w.Teleport(h, 1, 0))
				tick(true)
				updates = false
			case 2: // jumped, sent, changed
				ok(t, w.Teleport(h, 1, 0))
				tick(true)
				ok(t, w.Touch(h))
				tick(false)
				jumped = false
			case 3: // jumped
				ok(t, w.Teleport(h, 1, 0))
				tick(false)
			case 4: // jumped, changed
				ok(t, w.Teleport(h, 1, 0))
				tick(false)
				ok(t, w.Touch(h))
				tick(false)
			case 5: // changed
				ok(t, w.Touch(h))
				tick(false)
				jumped = false
			}
			now += gap
			check := func(what string, updates, jumped bool) {
				t.Helper()
				if (len(s.updates) > 0) != updates || updates && s.updates[0].Jumped != jumped {
					t.Errorf("gap %d, order %d, %s: %v; want updates: %v, a jump: %v", gap, order, what, s.updates, updates, jumped)
				}
			}
			tick(false)
			check("refused", updates, jumped)
			now += gap
			tick(true)
			check("sent", updates, jumped)
			now += gap
			tick(true)
			check("at rest", false, false)
			ok(t, w.Touch(h))
			tick(true)
			check("touched", true, false)
			ok(t, w.Teleport(h, 2, 0))
			tick(true)
			check("jumped", true, true)
		}
	}
}

// TestTickRange: ticks are 1 or more, up to the largest number.
func TestTickRange(t *testing.T) {
	w := newWorld(t, Config{})
	h := spawn(t, w, 1, 0, 0)
	ok(t, w.Connect(Connection{ID: 1}))
	for _, c := range []struct {
		tick uint64
		want error
	}{{0, ErrTick}, {3, nil}, {3, ErrTick}, {2, ErrTick}, {math.MaxUint64 - 1, nil}, {math.MaxUint64, nil}, {0, ErrTick}, {math.MaxUint64, ErrTick}} {
		before, calls := w.Now(), 0
		err := w.TickAt(c.tick, func(ConnID, *Delivery) bool { calls++; return true })
		if !errors.Is(err, c.want) || err != nil && (w.Now() != before || calls != 0) {
			t.Errorf("tick %d: %v, now %d; want %v", c.tick, err, w.Now(), c.want)
		}
	}
	if err := w.Tick(nil); !errors.Is(err, ErrTick) {
		t.Errorf("a tick after the last: %v; want ErrTick", err)
	}
	ok(t, w.Touch(h))
}
