package grid

import (
	"errors"
	"slices"
	"testing"
	"time"

	"vicinity/arena"
	"vicinity/asm"
)

// TestBodiesAgainstPlainLoops changes everything about entities with bodies of all
// sizes, also in the middle, and asks every query.
func TestBodiesAgainstPlainLoops(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			name   string
			size   int32
			layers []Layer
		}{
			{"small", 600, []Layer{{CellX: 32}, {CellX: 64, CellY: 16}}},
			{"dense", 40, []Layer{{CellX: 4}, {CellX: 1}}},
			{"aliasing", 1 << 18, []Layer{{CellX: 1}, {CellX: 2}}},
			{"whole range", MaxCoord, []Layer{{CellX: 1 << 22}, {CellX: 1 << 26, Static: true}}},
		} {
			t.Run(c.name, func(t *testing.T) {
				r := newRandom(t)
				w := newWorld(t, Config{Layers: c.layers, Height: true, Masks: true, Previous: true})
				w.shaped = true
				for range 250 {
					w.setBody(w.spawn(r.below(2), r.point(c.size)), r.someBody(c.size))
				}
				for range 6 {
					all := w.publish()
					s := w.grid.Snapshot()
					checkAll(t, s, all)
					for range rounds(40) {
						q := Query{X: r.spread(c.size), Y: r.spread(c.size), Z: r.spread(c.size), Height: r.spread(c.size / 2), Filter: Filter{Mask: r.Next() & 15, Layers: r.Bound(4)}}
						if q.Radius = int32(r.Bound(uint32(c.size) / 2)); r.below(3) == 0 {
							q.Radius = int32(r.below(4))
						}
						if q.Height < 0 {
							q.Height = AnyHeight
						}
						checkQuery(t, s, all, q)
						checkIndexes(t, s, all, q)
						a, b := r.point(c.size), r.point(c.size)
						checkRect(t, s, all, Rect{X0: min(a.X, b.X), Y0: min(a.Y, b.Y), X1: max(a.X, b.X), Y1: max(a.Y, b.Y)}, q.Filter)
					}
					w.churn(r, c.size, c.size/20+1)
				}
			})
		}
	})
}

// checkIndexes compares AppendIndexes with plain loops: q's radius is the outer one,
// three quarters of it and of its height the inner.
func checkIndexes(t *testing.T, s *Snapshot, all []entity, q Query) {
	t.Helper()
	inner := q
	if inner.Radius = q.Radius / 4 * 3; q.Height != AnyHeight {
		inner.Height = q.Height / 4 * 3
	}
	var d asm.Disc
	s.prepare(&d, &q)
	d.Inner, d.InnerHeight = asm.MakeLimit(inner.Radius), uint32(inner.Height)
	got := map[arena.Handle]bool{}
	for storage := range s.Storages() {
		found, work := s.AppendIndexes([]uint32{5}, storage, &d, q.Radius)
		if found[0] != 5 || work.Candidates < len(found)-1 {
			t.Fatalf("%v in front, %d candidates of which %d are found", found[0], work.Candidates, len(found)-1)
		}
		for _, i := range found[1:] {
			h := s.Handle(s.Columns(storage).Slot[i&^asm.Inner])
			if _, twice := got[h]; twice {
				t.Fatalf("tick %d: %v is found twice", s.Tick(), h)
			}
			got[h] = i&asm.Inner != 0
		}
	}
	q.Layers, inner.Layers = 0, 0
	for i := range all {
		e := &all[i]
		in, found := got[e.h]
		if want := s.wants(&q, e); found != want || found && in != s.wants(&inner, e) {
			t.Fatalf("tick %d, %+v, inner %+v: %+v is found: %v, inner: %v; want %v, %v", s.Tick(), q, inner, e, found, in, want, s.wants(&inner, e))
		}
	}
}

// TestSweepSeesBodies: a sweep finds what single queries find.
func TestSweepSeesBodies(t *testing.T) {
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 32}}})
	var observers SlotSet
	for range 400 {
		i := w.spawn(0, r.point(500))
		w.setBody(i, r.someBody(500))
		observers.Add(w.all[i].h.Slot())
	}
	w.publish()
	s, seen := w.grid.Snapshot(), 0
	w.must(NewSweep(nil).Within(s, &observers, Query{Radius: 60}, func(o *Observation) {
		c := s.Columns(o.Storage)
		want, err := s.AppendSlots(nil, Query{X: c.X[o.Index], Y: c.Y[o.Index], Radius: 60})
		if err != nil || !slices.Equal(sorted(slices.Clone(o.Found)), sorted(want)) {
			t.Errorf("slot %d finds %v; want %v, %v", o.Slot, o.Found, want, err)
		}
		seen++
	}))
	if seen != len(w.all) {
		t.Errorf("%d observers; want %d", seen, len(w.all))
	}
}

// TestWallCostsNobody: a wall of 200 x 2 m among 100,000 small entities changes
// neither what queries elsewhere find nor how many candidates they test.
func TestWallCostsNobody(t *testing.T) {
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 4 * metre, CellY: 16 * metre}}})
	for range 100_000 {
		w.spawn(0, r.point(500*metre))
	}
	w.publish()
	d := asm.Disc{Outer: asm.MakeLimit(25 * metre)}
	candidates := func() (n, found int) {
		s := w.grid.Snapshot()
		for x := int32(-480); x < 480; x += 40 {
			for storage := range s.Storages() {
				d.X, d.Y = x*metre, 200*metre
				slots, work := s.AppendIndexes(nil, storage, &d, 25*metre)
				n, found = n+work.Candidates, found+len(slots)
			}
		}
		return n, found
	}
	n, found := candidates()
	w.setBody(w.spawn(0, Point{}), Body{HalfX: 100 * metre, HalfY: metre})
	w.publish()
	if m, also := candidates(); m != n || also != found || found == 0 {
		t.Errorf("%d candidates, %d found; %d and %d with the wall", n, found, m, also)
	}
	hits, err := w.grid.Snapshot().AppendSlots(nil, Query{X: 99 * metre, Y: 26 * metre, Radius: 25 * metre})
	if err != nil || !slices.Contains(hits, w.all[len(w.all)-1].h.Slot()) {
		t.Errorf("the wall is not seen from beside it: %v", err)
	}
}

func TestBadBodies(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	i := w.spawn(0, Point{X: 3})
	w.setBody(i, Body{Radius: 5})
	h := w.all[i].h
	for _, b := range []Body{
		{Radius: -1}, {HalfX: -1}, {HalfY: -1}, {Radius: MaxCoord + 1}, {HalfX: -1 << 31}, {HalfY: 1<<31 - 1}, {Radius: 1, HalfY: 1},
	} {
		if err := w.grid.SetBody(h, b); !errors.Is(err, ErrBody) {
			t.Errorf("%+v: %v; want ErrBody", b, err)
		}
	}
	if err := w.grid.SetBody(h+1, Body{}); !errors.Is(err, ErrHandle) {
		t.Errorf("somebody else: %v; want ErrHandle", err)
	}
	if b, ok := w.grid.Body(h); !ok || b != (Body{Radius: 5}) {
		t.Errorf("the body is %+v, %v after errors", b, ok)
	}
	if _, ok := w.grid.Body(0); ok {
		t.Error("nobody has a body")
	}
	for _, b := range []Body{{Radius: MaxCoord}, {HalfX: MaxCoord, HalfY: MaxCoord}, {HalfX: 7}, {}} {
		w.setBody(i, b)
		all := w.publish()
		checkAll(t, w.grid.Snapshot(), all)
		hits, err := w.grid.Snapshot().AppendSlots(nil, Query{X: 3, Y: 0})
		if err != nil || len(hits) != 1 {
			t.Errorf("%+v: found %v, %v", b, hits, err)
		}
	}
	w.must(w.grid.Close())
	if err := w.grid.SetBody(h, Body{}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestBodyOfReusedSlot: who comes into a slot is a point, whatever was there.
func TestBodyOfReusedSlot(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	w.setBody(w.spawn(0, Point{}), Body{Radius: 100})
	slot := w.all[0].h.Slot()
	w.publish()
	w.despawn(0)
	w.publish()
	for w.spawn(0, Point{X: 50}); w.all[len(w.all)-1].h.Slot() != slot; w.spawn(0, Point{X: 50}) {
		w.publish()
	}
	all := w.publish()
	checkAll(t, w.grid.Snapshot(), all)
	checkQuery(t, w.grid.Snapshot(), all, Query{Radius: 49})
}

func TestSizeClasses(t *testing.T) {
	l := Layer{CellX: 16, CellY: 64}
	for _, c := range []struct {
		b     Body
		class int
		cells [2]int32
	}{
		{Body{}, 0, [2]int32{16, 64}},
		{Body{Radius: 1}, 1, [2]int32{16, 64}},
		{Body{HalfX: 16}, 1, [2]int32{16, 64}},
		{Body{HalfX: 17}, 2, [2]int32{16, 64}},
		{Body{HalfY: 65}, 3, [2]int32{64, 256}},
		{Body{Radius: MaxCoord}, 14, [2]int32{1 << 27, 1 << 29}},
	} {
		s := l.sized(l.sizeClass(c.b))
		if got := l.sizeClass(c.b); got != c.class || s.CellX != c.cells[0] || s.CellY != c.cells[1] {
			t.Errorf("%+v: class %d, cells of %d x %d; want %d, %v", c.b, got, s.CellX, s.CellY, c.class, c.cells)
		}
	}
}

// BenchmarkWall compares queries elsewhere with and without a wall of 200 x 2 m among
// 100,000 small entities, in turns of 1,000 queries: its ratio is the median of theirs.
func BenchmarkWall(b *testing.B) {
	var s [2]*Snapshot
	for i := range s {
		r := newRandom(b)
		w := newWorld(b, Config{Layers: []Layer{{CellX: 4 * metre, CellY: 16 * metre}}})
		for range 100_000 {
			w.spawn(0, r.point(500*metre))
		}
		if i == 1 {
			w.setBody(w.spawn(0, Point{}), Body{HalfX: 100 * metre, HalfY: metre})
		}
		w.publish()
		s[i] = w.grid.Snapshot()
	}
	dst := make([]uint32, 0, 10_000)
	ask := func(s *Snapshot) time.Duration {
		start := time.Now()
		for k := range int32(1000) {
			dst, _ = s.AppendSlots(dst[:0], Query{X: (k%90 - 45) * 10 * metre, Y: 200 * metre, Radius: 25 * metre})
		}
		return time.Since(start)
	}
	var ratios []float64
	for b.Loop() {
		without := ask(s[0])
		ratios = append(ratios, float64(ask(s[1]))/float64(without))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "with/without")
}

// TestGrowthCostsNobody: once somebody small has become a giant, or grew and was removed
// in one tick, the small ones are found as cheaply as before, also if none of them moves.
func TestGrowthCostsNobody(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 256, Static: true}}})
	for i := range int32(2500) {
		w.setBody(w.spawn(0, Point{X: i % 50 * 1000, Y: i / 50 * 1000}), Body{Radius: 50})
	}
	w.publish()
	candidates := func() int {
		d := asm.Disc{X: 25_000, Y: 25_000, Outer: asm.MakeLimit(1000), Inner: asm.MakeLimit(1000)}
		small := w.grid.storage(0, w.grid.cfg.Layers[0].sizeClass(Body{Radius: 50}))
		found, work := w.grid.Snapshot().AppendIndexes(nil, small, &d, 1000)
		if len(found) != 5 {
			t.Errorf("%d found; want 5", len(found))
		}
		return work.Candidates
	}
	before := candidates()
	w.setBody(0, Body{Radius: 20_000})
	for range 3 {
		w.publish()
		if n := candidates(); n != before {
			t.Errorf("%d candidates once one has grown; %d before", n, before)
		}
	}
	w.setBody(9, Body{Radius: 100_000})
	w.despawn(9)
	w.publish()
	if n := candidates(); n != before {
		t.Errorf("%d candidates once one has grown and gone; %d before", n, before)
	}
}
