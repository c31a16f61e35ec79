package vicinity

import (
	"fmt"
	"slices"
	"testing"
)

// TestWallEnters: a wall comes into view by its nearest point, stays up to the margin
// from it, and is told at the level of detail of that distance.
func TestWallEnters(t *testing.T) {
	w := newWorld(t, Config{Reach: []Reach{{Enter: 10, Margin: 2}}, Levels: Levels{Near: 4, Mid: 8}})
	wall := spawnOf(t, w, Entity{ID: 1, X: 100, Cost: [3]uint32{30, 20, 10}, Body: Body{HalfX: 1, HalfY: 50}})
	ok(t, w.Connect(Connection{ID: 1}))
	const unit = 1.0 / 256
	for _, c := range []struct {
		x, y           float64
		leaves, enters []uint64
	}{
		{89 - unit, 40, nil, nil},          // from the face
		{89, 40, nil, []uint64{1}},         //
		{87, -40, nil, nil},                // within the margin
		{87 - unit, 0, []uint64{1}, nil},   //
		{93, 58 + unit, nil, nil},          // from the corner: 6, 8
		{93, 58, nil, []uint64{1}},         //
		{100, 62, nil, nil},                // from the end, within the margin
		{100, 62 + unit, []uint64{1}, nil}, //
		{100.5, 3, nil, []uint64{1}},       // inside
	} {
		ok(t, w.SetViewpoints(1, at(c.x, c.y)))
		expect(t, tick(t, w)[1], c.leaves, c.enters, nil)
	}
	for _, c := range []struct {
		x     float64
		level uint8
	}{{99, 0}, {95, 0}, {95 - unit, 1}, {91, 1}, {91 - unit, 2}, {105, 0}} {
		ok(t, w.SetViewpoints(1, at(c.x, 49)))
		ok(t, w.Touch(wall))
		s := tick(t, w)[1]
		if len(s.updates) != 1 || s.updates[0].Level != c.level {
			t.Errorf("from x = %v: %+v; want level %d", c.x, s.updates, c.level)
		}
	}
}

// TestSetBody: a body counts from the next Tick on, and a change of it is none that is
// sent.
func TestSetBody(t *testing.T) {
	w := newWorld(t, Config{Reach: []Reach{{Enter: 10}}})
	h := spawn(t, w, 1, 100, 0)
	near := spawn(t, w, 2, 5, 0)
	ok(t, w.Connect(Connection{ID: 1}))
	expect(t, tick(t, w)[1], nil, []uint64{2}, nil)
	for _, c := range []struct {
		body           Body
		leaves, enters []uint64
	}{
		{Body{Radius: 90}, nil, []uint64{1}},
		{Body{HalfX: 95, HalfY: 1}, nil, nil},
		{Body{HalfX: 1, HalfY: 95}, []uint64{1}, nil},
		{Body{HalfX: 90}, nil, []uint64{1}},
		{Body{Radius: 0.001}, []uint64{1}, nil}, // rounded to a point
	} {
		ok(t, w.SetBody(h, c.body))
		if b, alive := w.Body(h); !alive || b != c.body && b != (Body{}) {
			t.Errorf("body %+v is %+v", c.body, b)
		}
		expect(t, tick(t, w)[1], c.leaves, c.enters, nil)
	}
	ok(t, w.SetBody(near, Body{Radius: 1.0 / 512})) // a tie: to even
	if b, _ := w.Body(near); b != (Body{}) {
		t.Errorf("half a unit is %+v", b)
	}
	ok(t, w.SetBody(near, Body{Radius: 3}))
	expect(t, tick(t, w)[1], nil, nil, nil)
	if err := w.Tick(func(ConnID, *Delivery) bool { return w.SetBody(h, Body{}) == ErrBusy }); err != nil {
		t.Error(err)
	}
	ok(t, w.Despawn(h))
	if b, alive := w.Body(h); alive || b != (Body{}) {
		t.Errorf("a stale handle has body %+v, %v", b, alive)
	}
}

// TestSlotsForgetBodies: who takes the slot of somebody large is not large, and the
// other way around.
func TestSlotsForgetBodies(t *testing.T) {
	w := newWorld(t, Config{MaxEntities: 1, Reach: []Reach{{Enter: 10}, {Enter: 20}}})
	ok(t, w.Connect(Connection{ID: 1}))
	r, err := w.NewReader()
	ok(t, err)
	defer r.Close()
	bodies := []Body{{Radius: 200}, {}, {HalfX: 200, HalfY: 1}, {Radius: 1}, {}, {HalfY: 200}}
	var slot uint32
	for i, b := range bodies {
		h := spawnOf(t, w, Entity{ID: uint64(i), X: 100, Cost: cost(9), Body: b, Reach: uint8(i % 2)})
		if i > 0 && h.Slot() != slot {
			t.Fatalf("slot %d; want %d", h.Slot(), slot)
		}
		slot = h.Slot()
		near := max(b.Radius, b.HalfX) >= 90
		want := []uint64{}
		if near {
			want = append(want, uint64(i))
		}
		if s := tick(t, w)[1]; !slices.Equal(ids(s.enters), want) {
			t.Errorf("%+v: %v enter; want %v", b, ids(s.enters), want)
		}
		ok(t, r.Pin())
		if n, err := r.CountWithin(Disc{Radius: 10}, Where{}); err != nil || n != len(want) {
			t.Errorf("%+v: %d near, %v; want %d", b, n, err, len(want))
		}
		r.Unpin()
		ok(t, w.Despawn(h))
		for w.Stats().Headroom == 0 {
			tick(t, w)
		}
	}
}

// look is a viewpoint and a mask, and who is in view from there, by plain loops.
type look struct {
	x, y length
	mask uint32
	sees map[Handle]bool
}

// update brings the loops up to date: who was seen stays within the margin.
func (l *look) update(people []person, reach []Reach) {
	now := map[Handle]bool{}
	for i := range people {
		p := &people[i]
		far := reach[p.reach].Enter
		if l.sees[p.handle] {
			far += reach[p.reach].Margin
		}
		if p.need&^l.mask == 0 && (p.any == 0 || p.any&l.mask != 0) && p.within(l.x.units, l.y.units, int64(256*far)) {
			now[p.handle] = true
		}
	}
	l.sees = now
}

// TestViewsEqualLoops: with bodies that come, move, change and go, views and queries are
// what plain loops say, alone and in a Group, with and without workers.
func TestViewsEqualLoops(t *testing.T) {
	for name, workers := range map[string]int{"alone": 0, "workers": 3, "group": -2, "group with its workers": -3} {
		t.Run(name, func(t *testing.T) {
			const seed = 21
			t.Logf("seed %d", seed)
			var cfg Config
			pool := NewWorkers(max(workers, -workers, 1))
			t.Cleanup(pool.Close)
			if workers == 3 || workers == -3 {
				cfg.Workers = pool
			}
			c := newTown(t, cfg, seed, 150)
			if workers < 0 {
				group := NewGroup(pool)
				ok(t, group.Add(c.w, 1))
				c.tick = func() error { return group.Tick(func(*World, ConnID, *Delivery) bool { return true }) }
			}
			looks := make([]look, 6)
			for i := range looks {
				looks[i].mask = uint32(c.draws.below(8))
				ok(t, c.w.Connect(Connection{ID: ConnID(i), Mask: looks[i].mask}))
			}
			r := c.reader()
			for range rounds(60) {
				for i := range looks {
					if c.draws.below(2) == 0 {
						looks[i].x, looks[i].y = c.draws.around(30), c.draws.around(30)
						ok(t, c.w.SetViewpoints(ConnID(i), at(looks[i].x.metres, looks[i].y.metres)))
					}
				}
				if c.draws.below(2) == 0 {
					c.stroll()
				} else {
					c.step()
				}
				for i := range looks {
					looks[i].update(c.people, c.w.cfg.Reach)
					ok(t, looks[i].hold(c.w, ConnID(i)))
				}
				ok(t, r.Pin())
				ok(t, c.draws.hold(r, c.people))
				r.Unpin()
			}
		})
	}
}

// hold holds a view against the loops.
func (l *look) hold(w *World, id ConnID) error {
	members := w.AppendMembers(nil, id)
	for _, m := range members {
		if !l.sees[m.Entity] {
			return fmt.Errorf("tick %d: connection %d has %d in view", w.Now(), id, m.ID)
		}
	}
	if len(members) != len(l.sees) {
		return fmt.Errorf("tick %d: connection %d has %d in view; want %d", w.Now(), id, len(members), len(l.sees))
	}
	return nil
}
