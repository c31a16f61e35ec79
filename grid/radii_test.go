package grid

import (
	"errors"
	"slices"
	"testing"

	"vicinity/arena"
)

// TestRadiiByLayer asks for another radius in each layer, none in some, and
// compares every kind of query with plain loops.
func TestRadiiByLayer(t *testing.T) {
	r := newRandom(t)
	a, err := arena.New(arena.Config{Deferred: true})
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(Config{Arena: a, Layers: []Layer{{CellX: 16}, {CellX: 64, CellY: 32}, {CellX: 8}}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	type one struct {
		id    uint64
		layer int
		p     Point
	}
	var all []one
	for id := range uint64(400) {
		h, err := a.Alloc()
		if err != nil {
			t.Fatal(err)
		}
		e := one{id: id, layer: int(id % 3), p: Point{X: r.spread(200), Y: r.spread(200)}}
		if err := g.Insert(h, id, e.layer, e.p); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	if err := g.Publish(1); err != nil {
		t.Fatal(err)
	}
	s := g.Snapshot()
	for range 300 {
		q := Query{X: r.spread(220), Y: r.spread(220)}
		for range 3 {
			q.Radii = append(q.Radii, int32(r.below(120))-1)
		}
		var want []uint64
		for _, e := range all {
			dx, dy, limit := int64(e.p.X-q.X), int64(e.p.Y-q.Y), int64(q.Radii[e.layer])
			if limit >= 0 && dx*dx+dy*dy <= limit*limit {
				want = append(want, e.id)
			}
		}
		ids := func(slots []uint32) (ids []uint64) {
			for _, slot := range slots {
				ids = append(ids, s.ID(slot))
			}
			slices.Sort(ids)
			return ids
		}
		slots, err := s.AppendSlots(nil, q)
		if err != nil || !slices.Equal(ids(slots), want) {
			t.Fatalf("%+v: AppendSlots found %v, %v; want %v", q, ids(slots), err, want)
		}
		hits, err := s.AppendWithin(nil, q)
		slots = slots[:0]
		for _, h := range hits {
			slots = append(slots, h.Slot)
		}
		if err != nil || !slices.Equal(ids(slots), want) {
			t.Fatalf("%+v: AppendWithin found %v, %v; want %v", q, ids(slots), err, want)
		}
		if n, err := s.CountWithin(q); err != nil || n != len(want) {
			t.Fatalf("%+v: CountWithin counts %d, %v; want %d", q, n, err, len(want))
		}
		near, err := s.AppendNearest(nil, len(all), q)
		slots = slots[:0]
		for _, n := range near {
			slots = append(slots, n.Slot)
		}
		if err != nil || !slices.Equal(ids(slots), want) {
			t.Fatalf("%+v: AppendNearest found %v, %v; want %v", q, ids(slots), err, want)
		}
		few, err := s.AppendNearest(nil, 5, q)
		if err != nil || !slices.Equal(few, near[:min(5, len(near))]) {
			t.Fatalf("%+v: the nearest 5 are %v, %v; want %v", q, few, err, near[:min(5, len(near))])
		}
	}

	// A sweep of all, with radii, finds what single queries find.
	var observers SlotSet
	for l := range 3 {
		for _, slot := range s.Columns(l).Slot {
			observers.Add(slot)
		}
	}
	q, visits := Query{Radii: []int32{30, -1, 5}}, 0
	err = NewSweep(nil).Within(s, &observers, q, func(o *Observation) {
		visits++
		c := s.Columns(o.Storage)
		at := q
		at.X, at.Y = c.X[o.Index], c.Y[o.Index]
		if want, err := s.AppendSlots(nil, at); err != nil || !slices.Equal(o.Found, want) {
			t.Errorf("observer %d found %v, %v; want %v", o.Slot, o.Found, err, want)
		}
	})
	if err != nil || visits != len(all) {
		t.Errorf("%d visits, %v; want %d", visits, err, len(all))
	}

	for _, bad := range []struct {
		q    Query
		want error
	}{
		{Query{Radii: []int32{1, 2}}, ErrLayer},
		{Query{Radii: []int32{}}, ErrLayer},
		{Query{Radii: []int32{1, 2, 3}, Radius: 4}, ErrRange},
		{Query{Radii: []int32{1, -2, 3}}, ErrRange},
		{Query{Radii: []int32{1, 2, MaxCoord + 1}}, ErrRange},
	} {
		if got, err := s.AppendSlots([]uint32{7}, bad.q); !errors.Is(err, bad.want) || len(got) != 1 {
			t.Errorf("%+v: got %v, %v; want %v", bad.q, got, err, bad.want)
		}
	}
}
