package vicinity

import (
	"errors"
	"slices"
	"testing"

	"vicinity/interest"
	"vicinity/packer"
)

// expect compares the IDs of a delivery.
func expect(t *testing.T, s sent, leaves, enters, updates []uint64) {
	t.Helper()
	for _, c := range []struct {
		what string
		got  []Item
		want []uint64
	}{{"leaves", s.leaves, leaves}, {"enters", s.enters, enters}, {"updates", s.updates, updates}} {
		if got := ids(c.got); !slices.Equal(got, c.want) {
			t.Errorf("tick %d, connection %d: %s are %v; want %v", s.d.Tick, s.d.Conn, c.what, got, c.want)
		}
	}
}

// TestTick: enter once, update when changed, leave once; with a budget and without.
func TestTick(t *testing.T) {
	for _, budget := range []uint32{0, 1200} {
		w := newWorld(t, Config{Reach: []Reach{{Enter: 10, Margin: 2}}})
		self := spawn(t, w, 1, 0, 0)
		other := spawn(t, w, 2, 9, 0)
		ok(t, w.Connect(Connection{ID: 7, Viewpoint: on(self), Budget: budget, ExcludeSelf: true}))

		s := tick(t, w)[7]
		expect(t, s, nil, []uint64{2}, nil)
		if s.d.Bytes != 20 || s.enters[0].Cost != 20 || s.enters[0].Entity != other || s.enters[0].Cause != interest.ReasonRange {
			t.Errorf("enter is %+v of %d bytes", s.enters[0], s.d.Bytes)
		}
		expect(t, tick(t, w)[7], nil, nil, nil)
		ok(t, w.Move(other, 11, 0))
		expect(t, tick(t, w)[7], nil, nil, []uint64{2})
		ok(t, w.Move(other, 11, 0)) // nowhere else
		expect(t, tick(t, w)[7], nil, nil, nil)
		ok(t, w.Touch(other))
		s = tick(t, w)[7]
		expect(t, s, nil, nil, []uint64{2})
		if s.updates[0].Jumped {
			t.Error("a touched entity has jumped")
		}
		ok(t, w.Teleport(other, 8, 0))
		if s = tick(t, w)[7]; !s.updates[0].Jumped {
			t.Error("a teleported entity has not jumped")
		}
		ok(t, w.Move(other, 12.1, 0))
		s = tick(t, w)[7]
		expect(t, s, []uint64{2}, nil, nil)
		if s.d.Bytes != 8 {
			t.Errorf("a leave of %d bytes; want 8", s.d.Bytes)
		}
		expect(t, tick(t, w)[7], nil, nil, nil)
	}
}

// TestRefused: what is refused stays pending, and the wait counts from the first
// packing that saw the change.
func TestRefused(t *testing.T) {
	for _, budget := range []uint32{0, 1200} {
		w := newWorld(t, Config{Reach: []Reach{{Enter: 10, Margin: 2}}})
		h := spawn(t, w, 2, 9, 0)
		ok(t, w.Connect(Connection{ID: 7, Viewpoint: at(0, 0), Budget: budget}))
		for i := range 3 {
			s := tickIf(t, w, false)[7]
			expect(t, s, nil, []uint64{2}, nil)
			if s.d.OldestWait != uint32(i) {
				t.Errorf("try %d: the enter has waited %d ticks", i, s.d.OldestWait)
			}
		}
		expect(t, tick(t, w)[7], nil, []uint64{2}, nil)
		ok(t, w.Teleport(h, 8, 0))
		expect(t, tickIf(t, w, false)[7], nil, nil, []uint64{2})
		ok(t, w.Move(h, 7, 0))
		s := tickIf(t, w, false)[7]
		expect(t, s, nil, nil, []uint64{2})
		if s.d.OldestWait != 1 || !s.updates[0].Jumped {
			t.Errorf("waited %d, jumped %v; want 1, true", s.d.OldestWait, s.updates[0].Jumped)
		}
		expect(t, tick(t, w)[7], nil, nil, []uint64{2})
		expect(t, tick(t, w)[7], nil, nil, nil)
		ok(t, w.Despawn(h))
		for range 2 {
			s = tickIf(t, w, false)[7]
			expect(t, s, []uint64{2}, nil, nil)
			if s.leaves[0].Cause != interest.ReasonDespawn || s.leaves[0].Entity != h {
				t.Errorf("leave is %+v", s.leaves[0])
			}
		}
		expect(t, tick(t, w)[7], []uint64{2}, nil, nil)
		expect(t, tick(t, w)[7], nil, nil, nil)
	}
}

// TestConnOrder: without workers the callback comes in the order of ConnID.
func TestConnOrder(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, 1, 0, 0)
	for _, id := range []ConnID{5, 3, 9, 1, 7} {
		ok(t, w.Connect(Connection{ID: id, Viewpoint: at(-float64(id), 0), Budget: 100}))
	}
	order := func() (got []ConnID) {
		ok(t, w.Tick(func(c ConnID, d *Delivery) bool { got = append(got, c); return true }))
		return got
	}
	if got := order(); !slices.Equal(got, []ConnID{1, 3, 5, 7, 9}) {
		t.Errorf("order is %v", got)
	}
	ok(t, w.Disconnect(5))
	ok(t, w.Connect(Connection{ID: 4, Budget: 100}))
	ok(t, w.Connect(Connection{ID: 5, Budget: 100}))
	ok(t, w.Disconnect(9))
	if got := order(); !slices.Equal(got, []ConnID{1, 3, 4, 5, 7}) {
		t.Errorf("order is %v", got)
	}
}

// TestPanic: a panic of the callback comes out of Tick, its delivery counts as
// refused, those before as sent, and the World goes on exactly.
func TestPanic(t *testing.T) {
	w := newWorld(t, Config{})
	h := spawn(t, w, 1, 0, 0)
	for id := range ConnID(6) {
		ok(t, w.Connect(Connection{ID: id, Budget: 100}))
	}
	boom := errors.New("boom")
	var called []ConnID
	func() {
		defer func() {
			if p := recover(); p != boom {
				t.Errorf("Tick panicked with %v; want %v", p, boom)
			}
		}()
		w.Tick(func(c ConnID, d *Delivery) bool {
			called = append(called, c)
			if c == 3 {
				panic(boom)
			}
			return true
		})
		t.Error("Tick returned")
	}()
	if !slices.Equal(called, []ConnID{0, 1, 2, 3}) {
		t.Errorf("called %v; want 0 to 3", called)
	}
	ok(t, w.Move(h, 1, 0))
	for id, s := range tick(t, w) {
		if id < 3 {
			expect(t, s, nil, nil, []uint64{1})
		} else {
			expect(t, s, nil, []uint64{1}, nil)
		}
	}
}

// TestBusy: a callback cannot change the World.
func TestBusy(t *testing.T) {
	w := newWorld(t, Config{})
	h := spawn(t, w, 1, 0, 0)
	ok(t, w.Connect(Connection{ID: 1, Budget: 100}))
	ok(t, w.Tick(func(c ConnID, d *Delivery) bool {
		for name, err := range map[string]error{
			"Move": w.Move(h, 1, 1), "Despawn": w.Despawn(h), "Tick": w.Tick(nil), "Close": w.Close(),
			"Disconnect": w.Disconnect(1), "SetBudget": w.SetBudget(1, 50, 0), "SetMasks": w.SetMasks(h, 1, 0),
		} {
			if !errors.Is(err, ErrBusy) {
				t.Errorf("%s in a callback: %v; want ErrBusy", name, err)
			}
		}
		if id, ok := w.ID(h); !ok || id != 1 {
			t.Errorf("ID in a callback is %d, %v", id, ok)
		}
		return true
	}))
	expect(t, tick(t, w)[1], nil, nil, nil)
}

// TestSameID: the enter of somebody who has the ID of another whose leave is pending
// waits for that leave.
func TestSameID(t *testing.T) {
	w := newWorld(t, Config{RemoveCost: 8})
	old := spawnOf(t, w, Entity{ID: 1, Cost: cost(5)})
	ok(t, w.Connect(Connection{ID: 1, Budget: 40, Reserve: 30}))
	expect(t, tick(t, w)[1], nil, []uint64{1}, nil)
	ok(t, w.Despawn(old))
	young := spawnOf(t, w, Entity{ID: 1, Cost: cost(5)})
	s := tickIf(t, w, false)[1]
	expect(t, s, []uint64{1}, nil, nil)
	if s.leaves[0].Entity != old {
		t.Errorf("leave of %v; want %v", s.leaves[0].Entity, old)
	}
	expect(t, tick(t, w)[1], []uint64{1}, nil, nil)
	s = tick(t, w)[1]
	expect(t, s, nil, []uint64{1}, nil)
	if s.enters[0].Entity != young || s.enters[0].Reason != packer.ReasonLifecycle {
		t.Errorf("enter is %+v", s.enters[0])
	}
}
