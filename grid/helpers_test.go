package grid

import (
	"cmp"
	"flag"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dgryski/go-pcgr"

	"vicinity/arena"
	"vicinity/asm"
)

var seedFlag = flag.Uint64("seed", 1, "seed of the random tests")

// random is a seeded generator with the few draws that the tests need.
type random struct{ pcgr.Rand }

func newRandom(t testing.TB) *random {
	t.Helper()
	t.Logf("seed %d", *seedFlag)
	r := &random{}
	r.SeedWithState(int64(*seedFlag), 1)
	return r
}

// below returns a value in [0, n).
func (r *random) below(n int) int { return int(r.Bound(uint32(n))) }

// spread returns a value in [-n, n].
func (r *random) spread(n int32) int32 {
	v := uint64(r.Next())<<32 | uint64(r.Next())
	return int32(int64(v%(2*uint64(n)+1)) - int64(n))
}

// point returns a point in the square, or cube, of half edge n.
func (r *random) point(n int32) Point {
	return Point{X: r.spread(n), Y: r.spread(n), Z: r.spread(n)}
}

// rounds returns n, less under the race detector, which is slow.
func rounds(n int) int {
	if raceEnabled {
		return n/5 + 1
	}
	return n
}

// eachLevel runs test once a kernel level, as a subtest.
func eachLevel(t *testing.T, test func(t *testing.T)) {
	before := asm.Tier()
	defer asm.SetTier(before)
	for _, l := range asm.Levels() {
		if err := asm.SetTier(l); err != nil {
			t.Fatal(err)
		}
		t.Run(l.String(), test)
	}
}

// eachMemory runs test in both memories, as subtests.
func eachMemory(t *testing.T, test func(t *testing.T, m arena.Memory)) {
	for _, m := range []arena.Memory{arena.Heap, arena.Mapped} {
		t.Run(m.String(), func(t *testing.T) { test(t, m) })
	}
}

// entity is what the tests know of one entity.
type entity struct {
	h         arena.Handle
	id        uint64
	layer     int
	at        Point
	body      Body
	need, any uint32
	born      uint64 // rises with the calls of spawn
}

// world is a grid and, beside it, what should be in it.
type world struct {
	t      testing.TB
	arena  *arena.Arena
	grid   *Grid
	all    []entity
	tick   uint64
	lastID uint64
	shaped bool // churn changes bodies, too
}

// newWorld makes an empty world; cfg lacks only the arena. Everything is closed
// when the test ends.
func newWorld(t testing.TB, cfg Config) *world {
	t.Helper()
	w := &world{t: t}
	var err error
	w.arena, err = arena.New(arena.Config{Deferred: true, Memory: cfg.Memory, Capacity: 1 << 18})
	w.must(err)
	cfg.Arena = w.arena
	w.grid, err = New(cfg)
	w.must(err)
	t.Cleanup(func() {
		if err := w.grid.Close(); err != nil && !t.Failed() {
			t.Errorf("Close: %v", err)
		}
		if err := w.arena.Close(); err != nil && !t.Failed() {
			t.Errorf("the arena's Close: %v", err)
		}
	})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("tick %d: %v", w.tick, err)
	}
}

// newID returns IDs that neither rise nor fall with slots.
func (w *world) newID() uint64 {
	w.lastID++
	return w.lastID * 0x9E3779B97F4A7C15
}

// spawn inserts an entity and returns its index in w.all.
func (w *world) spawn(layer int, p Point) int {
	w.t.Helper()
	h, err := w.arena.Alloc()
	w.must(err)
	e := entity{h: h, id: w.newID(), layer: layer, at: p, born: w.lastID}
	w.must(w.grid.Insert(h, e.id, layer, p))
	w.all = append(w.all, e)
	return len(w.all) - 1
}

// move moves entity i.
func (w *world) move(i int, p Point) {
	w.t.Helper()
	e := &w.all[i]
	e.at = p
	if w.grid.Heights() {
		w.must(w.grid.MoveZ(e.h, p))
		return
	}
	w.must(w.grid.Move(e.h, p.X, p.Y))
}

func (w *world) setLayer(i, layer int) {
	w.t.Helper()
	w.all[i].layer = layer
	w.must(w.grid.SetLayer(w.all[i].h, layer))
}

func (w *world) setBody(i int, b Body) {
	w.t.Helper()
	w.all[i].body = b
	w.must(w.grid.SetBody(w.all[i].h, b))
}

// someBody returns a body of some size in a world of half edge size: often none, now
// and then larger than the world.
func (r *random) someBody(size int32) Body {
	most := []int64{1, 3, int64(size) / 50, int64(size) / 4, 4 * int64(size)}[r.below(5)]
	length := func() int32 { return int32(r.Bound(uint32(min(most, MaxCoord) + 1))) }
	switch r.below(6) {
	case 0, 1:
		return Body{Radius: length()}
	case 2:
		return Body{HalfX: length(), HalfY: length()}
	case 3:
		return Body{HalfY: length()}
	}
	return Body{}
}

func (w *world) setMasks(i int, need, any uint32) {
	w.t.Helper()
	w.all[i].need, w.all[i].any = need, any
	w.must(w.grid.SetMasks(w.all[i].h, need, any))
}

// despawn removes entity i and frees its handle. The last one takes its index.
func (w *world) despawn(i int) {
	w.t.Helper()
	w.must(w.grid.Remove(w.all[i].h))
	if !w.arena.Free(w.all[i].h) {
		w.t.Fatalf("%v was not alive", w.all[i].h)
	}
	w.all[i] = w.all[len(w.all)-1]
	w.all = w.all[:len(w.all)-1]
}

// publish publishes the next tick and returns what the snapshot must hold.
func (w *world) publish() []entity {
	w.t.Helper()
	w.tick++
	w.must(w.grid.Publish(w.tick))
	w.must(w.grid.CheckInvariants())
	return slices.Clone(w.all)
}

// churn moves a third of all, jumps some, changes layers and masks of some,
// despawns one in 40 and spawns as many.
func (w *world) churn(r *random, size, step int32) {
	w.t.Helper()
	for i := range w.all {
		e := &w.all[i]
		switch r.below(30) {
		case 0:
			w.move(i, r.point(size))
		case 1, 2, 3, 4, 5, 6, 7, 8, 9:
			w.move(i, Point{
				X: clamp(e.at.X+r.spread(step), size), Y: clamp(e.at.Y+r.spread(step), size),
				Z: clamp(e.at.Z+r.spread(step), size),
			})
		case 10:
			if r.below(4) == 0 {
				w.setLayer(i, r.below(w.grid.Layers()))
			}
		case 11:
			if w.grid.masks != nil {
				w.setMasks(i, 1<<r.below(4)&r.Next(), r.Next()&15)
			}
		case 12:
			if w.shaped {
				w.setBody(i, r.someBody(size))
			}
		}
	}
	for range len(w.all)/40 + 1 {
		if len(w.all) > 0 {
			w.despawn(r.below(len(w.all)))
		}
		i := w.spawn(r.below(w.grid.Layers()), r.point(size))
		if w.shaped {
			w.setBody(i, r.someBody(size))
		}
	}
}

func clamp(v, size int32) int32 { return min(max(v, -size), size) }

// asked reports whether a filter admits the entity: the definition.
func (e *entity) asked(f Filter, masks bool) bool {
	if f.Layers != 0 && f.Layers>>e.layer&1 == 0 {
		return false
	}
	if !masks {
		return true
	}
	return e.need&^f.Mask == 0 && (e.any == 0 || e.any&f.Mask != 0)
}

// dist2 is the exact squared distance of two points in the plane.
func dist2(a, b Point) int64 {
	dx, dy := int64(a.X)-int64(b.X), int64(a.Y)-int64(b.Y)
	return dx*dx + dy*dy
}

// within reports whether e's body reaches to within r of p: the definition.
func (e *entity) within(p Point, r int64) bool {
	if e.body.Radius > 0 {
		r += int64(e.body.Radius)
		return dist2(e.at, p) <= r*r
	}
	return dist2(e.nearest(p), p) <= r*r
}

// nearest returns the point of e's box that is nearest to p.
func (e *entity) nearest(p Point) Point {
	clip := func(v, centre, half int32) int32 {
		return int32(min(max(int64(v), int64(centre)-int64(half)), int64(centre)+int64(half)))
	}
	return Point{X: clip(p.X, e.at.X, e.body.HalfX), Y: clip(p.Y, e.at.Y, e.body.HalfY)}
}

// hitDist2 is the distance that a Hit reports of e.
func (e *entity) hitDist2(p Point) float32 {
	if e.body.Radius > 0 {
		d := max(math.Sqrt(float64(dist2(e.at, p)))-float64(e.body.Radius), 0)
		return float32(d * d)
	}
	q := e.nearest(p)
	fx, fy := float32(q.X-p.X), float32(q.Y-p.Y)
	return float32(fx*fx) + float32(fy*fy)
}

// far is the exact distance of e's body from p, as good as.
func (e *entity) far(p Point) *big.Float {
	root := func(v int64) *big.Float {
		f := new(big.Float).SetPrec(300).SetInt64(v)
		return f.Sqrt(f)
	}
	if e.body.Radius == 0 {
		return root(dist2(e.nearest(p), p))
	}
	d := root(dist2(e.at, p))
	if d.Sub(d, new(big.Float).SetInt64(int64(e.body.Radius))).Sign() < 0 {
		d.SetInt64(0)
	}
	return d
}

// wants reports whether e is what q asks for: the definition.
func (s *Snapshot) wants(q *Query, e *entity) bool {
	dz := int64(e.at.Z) - int64(q.Z)
	if s.grid.Heights() && q.Height != AnyHeight && max(dz, -dz) > int64(q.Height) {
		return false
	}
	return e.within(Point{X: q.X, Y: q.Y}, int64(q.Radius)) && e.asked(q.Filter, s.grid.masks != nil)
}

// sorted sorts slots and returns them.
func sorted(slots []uint32) []uint32 {
	slices.Sort(slots)
	return slots
}

// checkQuery compares every kind of query with plain loops over all.
func checkQuery(t testing.TB, s *Snapshot, all []entity, q Query) {
	t.Helper()
	want := []uint32{}
	bySlot := map[uint32]*entity{}
	for i := range all {
		if s.wants(&q, &all[i]) {
			want = append(want, all[i].h.Slot())
			bySlot[all[i].h.Slot()] = &all[i]
		}
	}
	sorted(want)

	front := Hit{Slot: 7, Dist2: -7} // what dst holds already must stay
	hits, err := s.AppendWithin([]Hit{front}, q)
	if err != nil || hits[0] != front {
		t.Fatalf("AppendWithin(%+v): %v, %v; want %v in front", q, hits[0], err, front)
	}
	got := []uint32{}
	for _, h := range hits[1:] {
		got = append(got, h.Slot)
		e := bySlot[h.Slot]
		if e == nil {
			t.Fatalf("tick %d: AppendWithin(%+v) found %v, which is not within", s.Tick(), q, s.Handle(h.Slot))
		}
		if want := e.hitDist2(Point{X: q.X, Y: q.Y}); h.Dist2 != want {
			t.Fatalf("Dist2 of %v from %+v: %v; want %v", e.at, q, h.Dist2, want)
		}
		if s.Handle(h.Slot) != e.h || s.ID(h.Slot) != e.id {
			t.Fatalf("slot %d is %v, ID %d; want %v, ID %d", h.Slot, s.Handle(h.Slot), s.ID(h.Slot), e.h, e.id)
		}
	}
	if !slices.Equal(sorted(got), want) {
		t.Fatalf("tick %d: AppendWithin(%+v) found %d: %v; want %d: %v", s.Tick(), q, len(got), got, len(want), want)
	}
	slots, err := s.AppendSlots([]uint32{99}, q)
	if err != nil || slots[0] != 99 || !slices.Equal(sorted(slots[1:]), want) {
		t.Fatalf("tick %d: AppendSlots(%+v): %v, %v; want 99 and %v", s.Tick(), q, slots, err, want)
	}
	if n, err := s.CountWithin(q); n != len(want) || err != nil {
		t.Fatalf("tick %d: CountWithin(%+v): %d, %v; want %d", s.Tick(), q, n, err, len(want))
	}
	checkNearest(t, s, all, q, 1+len(want)/2)
}

// checkNearest compares AppendNearest with sorting everything.
func checkNearest(t testing.TB, s *Snapshot, all []entity, q Query, k int) {
	t.Helper()
	type away struct {
		e *entity
		d *big.Float
	}
	sorted := []away{}
	for i := range all {
		if s.wants(&q, &all[i]) {
			sorted = append(sorted, away{&all[i], all[i].far(Point{X: q.X, Y: q.Y})})
		}
	}
	slices.SortFunc(sorted, func(a, b away) int {
		return cmp.Or(a.d.Cmp(b.d), cmp.Compare(a.e.id, b.e.id))
	})
	want := []Near{}
	for _, a := range sorted[:min(k, len(sorted))] {
		d2, _ := a.d.Mul(a.d, a.d).Int64() // rounds down; the roots of squares are exact
		if a.e.body.Radius == 0 {
			d2 = dist2(a.e.nearest(Point{X: q.X, Y: q.Y}), Point{X: q.X, Y: q.Y})
		}
		want = append(want, Near{Slot: a.e.h.Slot(), Dist2: d2})
	}
	front := Near{Slot: 3, Dist2: -1}
	got, err := s.AppendNearest([]Near{front}, k, q)
	if err != nil || got[0] != front || !slices.Equal(got[1:], want) {
		t.Fatalf("tick %d: AppendNearest(%d, %+v): %v, %v; want %v and %v", s.Tick(), k, q, got, err, front, want)
	}
}

// meets reports whether e's body and r have a point in common: the definition.
func (e *entity) meets(r Rect) bool {
	p := Point{X: min(max(e.at.X, r.X0), r.X1), Y: min(max(e.at.Y, r.Y0), r.Y1)} // nearest of r
	return e.within(p, 0)
}

// checkRect compares AppendIn and CountIn with a plain loop over all.
func checkRect(t testing.TB, s *Snapshot, all []entity, r Rect, f Filter) {
	t.Helper()
	want := []uint32{}
	for i := range all {
		if all[i].meets(r) && all[i].asked(f, s.grid.masks != nil) {
			want = append(want, all[i].h.Slot())
		}
	}
	sorted(want)
	got, err := s.AppendIn([]uint32{99}, r, f)
	if err != nil || got[0] != 99 || !slices.Equal(sorted(got[1:]), want) {
		t.Fatalf("tick %d: AppendIn(%+v, %+v): %v, %v; want 99 and %v", s.Tick(), r, f, got, err, want)
	}
	if n, err := s.CountIn(r, f); n != len(want) || err != nil {
		t.Fatalf("tick %d: CountIn(%+v, %+v): %d, %v; want %d", s.Tick(), r, f, n, err, len(want))
	}
}

// checkAll compares a snapshot with what it must hold, entity by entity.
func checkAll(t testing.TB, s *Snapshot, all []entity) {
	t.Helper()
	if s.Len() != len(all) {
		t.Fatalf("tick %d: %d entities; want %d", s.Tick(), s.Len(), len(all))
	}
	bySlot := map[uint32]*entity{}
	for i := range all {
		bySlot[all[i].h.Slot()] = &all[i]
	}
	n, stored := 0, 0
	for layer := range s.Layers() {
		n += s.LayerLen(layer)
	}
	for storage := range s.Storages() {
		c, layer := s.Columns(storage), s.LayerOf(storage)
		stored += len(c.X)
		if len(c.Y) != len(c.X) || len(c.Slot) != len(c.X) || c.Bodies != nil && len(c.Bodies) != len(c.X) {
			t.Fatalf("tick %d: columns of storage %d have %d, %d, %d, %d elements", s.Tick(), storage, len(c.X), len(c.Y), len(c.Slot), len(c.Bodies))
		}
		for i, slot := range c.Slot {
			e := bySlot[slot]
			if e == nil || e.layer != layer || c.X[i] != e.at.X || c.Y[i] != e.at.Y || (c.Z != nil && c.Z[i] != e.at.Z) ||
				c.Bodies == nil && e.body != (Body{}) || c.Bodies != nil && c.Bodies[i] != e.body {
				t.Fatalf("tick %d: storage %d has slot %d at (%d, %d); want %+v", s.Tick(), storage, slot, c.X[i], c.Y[i], e)
			}
			if s.Handle(slot) != e.h || s.ID(slot) != e.id {
				t.Fatalf("tick %d: slot %d is %v, ID %d; want %+v", s.Tick(), slot, s.Handle(slot), s.ID(slot), e)
			}
			hint := uint32(i)
			if i%64 == 0 {
				hint = 0 // now and then it has to search
			}
			if l, at, ok := s.Find(e.h, storage, hint); !ok || l != storage || at != uint32(i) {
				t.Fatalf("tick %d: Find(%v): %d, %d, %v; want %d, %d", s.Tick(), e.h, l, at, ok, storage, i)
			}
		}
	}
	if n != len(all) || stored != n {
		t.Fatalf("tick %d: the layers have %d entities, the storages %d; want %d", s.Tick(), n, stored, len(all))
	}
}
