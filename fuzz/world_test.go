package fuzz

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
	"vicinity/interest"
)

// script is a source of choices: the fuzzer's bytes, then a generator seeded by
// them, so that short inputs make whole worlds too.
type script struct {
	bytes []byte
	state uint64
}

func newScript(b []byte) *script {
	s := &script{bytes: b, state: 0x9E3779B97F4A7C15}
	for _, c := range b {
		s.state = (s.state ^ uint64(c)) * 0xBF58476D1CE4E5B9
	}
	return s
}

func (s *script) next() uint64 {
	s.state += 0x9E3779B97F4A7C15
	z := s.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below returns a choice in [0, n).
func (s *script) below(n int) int {
	if len(s.bytes) > 0 {
		b := s.bytes[0]
		s.bytes = s.bytes[1:]
		if n <= 256 {
			return int(b) % n
		}
		return int((uint64(b)<<56 ^ s.next()>>8) % uint64(n))
	}
	return int(s.next() % uint64(n))
}

// spread returns a choice in [-n, n].
func (s *script) spread(n int32) int32 { return int32(int64(s.next()%(2*uint64(n)+1)) - int64(n)) }

// entity is what the model knows of one entity.
type entity struct {
	handle arena.Handle
	id     uint64
	class  int
	at     grid.Point
}

// observer is what the model knows of one view.
type observer struct {
	view   *interest.View
	self   arena.Handle // zero: stands at a point
	at     grid.Point
	reach  []interest.Reach
	before []interest.Reach // of the last update, if it changed since
	// members and delivered map to the ID; reasons tells why of what is pending.
	members, delivered map[arena.Handle]uint64
	reasons            map[arena.Handle]interest.Reason
	exclude            bool
}

// world is the engine and the model side by side.
type world struct {
	t        testing.TB
	s        *script
	arena    *arena.Arena
	grid     *grid.Grid
	set      *interest.Set
	workers  *grid.Workers
	height   bool
	size     int32
	reach    []interest.Reach
	alive    []entity
	stored   map[arena.Handle]entity // published
	watchers []*observer
	tick     int
	nextID   uint64
	relation string // history of all differences, for comparison between settings
}

// newWorld makes a world whose shape the script chooses. workers and level are the
// settings that must not matter.
func newWorld(t testing.TB, b []byte, workers int) *world {
	s := newScript(b)
	w := &world{t: t, s: s, workers: grid.NewWorkers(workers), stored: map[arena.Handle]entity{}}
	w.height = s.below(3) == 0
	w.size = []int32{40, 300, 5000, 1 << 20, 1 << 29}[s.below(5)]
	classes := 1 + s.below(3)
	layers := make([]grid.Layer, classes)
	for i := range layers {
		layers[i] = grid.Layer{
			CellX: 1 << (s.below(6) + max(0, logOf(w.size)-5)), CellY: 1 << (s.below(6) + max(0, logOf(w.size)-5)),
			Static: s.below(4) == 0,
		}
		w.reach = append(w.reach, w.someReach())
	}
	var err error
	if w.arena, err = arena.New(arena.Config{Deferred: true, Capacity: 4096}); err != nil {
		t.Fatal(err)
	}
	w.grid, err = grid.New(grid.Config{
		Arena: w.arena, Layers: layers, Height: w.height, Previous: s.below(4) != 0, Workers: w.workers,
		Memory: arena.Memory(s.below(2)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if w.set, err = interest.New(interest.Config{Arena: w.arena, Grid: w.grid, Reach: w.reach}); err != nil {
		t.Fatal(err)
	}
	return w
}

func logOf(v int32) int {
	n := 0
	for ; v > 1; v >>= 1 {
		n++
	}
	return min(n, 24)
}

// someReach returns a random reach, now and then none.
func (w *world) someReach() interest.Reach {
	if w.s.below(12) == 0 {
		return interest.Reach{Enter: interest.Unseen}
	}
	r := interest.Reach{Enter: int32(w.s.below(int(w.size)/2 + 2)), Margin: int32(w.s.below(int(w.size)/6 + 2))}
	if w.s.below(10) == 0 {
		r.Enter = 0
	}
	if w.height {
		r.Height, r.HeightMargin = int32(w.s.below(int(w.size)/2+2)), int32(w.s.below(int(w.size)/6+2))
	}
	return r
}

func (w *world) somewhere() grid.Point {
	p := grid.Point{X: w.s.spread(w.size), Y: w.s.spread(w.size)}
	if w.height {
		p.Z = w.s.spread(w.size / 2)
	}
	return p
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("tick %d: %v", w.tick, err)
	}
}

// run plays ticks of random changes and checks every one of them.
func (w *world) run(ticks int) {
	for w.tick = 1; w.tick <= ticks; w.tick++ {
		w.spawn()
		w.move()
		w.despawn()
		w.publish()
		w.change()
		w.update()
		w.deliver()
	}
}

func (w *world) close() {
	w.must(w.grid.Close())
	w.must(w.arena.Close())
	w.workers.Close()
}

func (w *world) spawn() {
	n := w.s.below(6)
	if w.tick == 1 {
		n = 5 + w.s.below(120)
	}
	for range n {
		h, err := w.arena.Alloc()
		w.must(err)
		w.nextID++
		// IDs fall and rise, so that their order is not that of slots.
		e := entity{handle: h, id: w.nextID*2654435761%100003 + w.nextID<<32, class: w.s.below(len(w.reach)), at: w.somewhere()}
		w.must(w.grid.Insert(h, e.id, e.class, e.at))
		w.alive = append(w.alive, e)
		if w.s.below(3) == 0 {
			w.watch(e.handle)
		}
	}
	if w.s.below(10) == 0 {
		w.watch(0)
	}
}

func (w *world) watch(self arena.Handle) {
	o := &observer{
		self: self, at: w.somewhere(), reach: w.reach, exclude: w.s.below(2) == 0,
		members: map[arena.Handle]uint64{}, delivered: map[arena.Handle]uint64{}, reasons: map[arena.Handle]interest.Reason{},
	}
	ob := interest.Observer{ID: uint64(len(w.watchers)), Entity: self, At: o.at, ExcludeSelf: o.exclude}
	if w.s.below(3) == 0 {
		o.reach = nil
		for range w.reach {
			o.reach = append(o.reach, w.someReach())
		}
		ob.Reach = o.reach
	}
	var err error
	o.view, err = w.set.Add(ob)
	w.must(err)
	w.watchers = append(w.watchers, o)
}

// move walks, jumps, or leaves everything where it is.
func (w *world) move() {
	if w.s.below(8) == 0 {
		return
	}
	step := max(w.size/int32(20+w.s.below(100)), 1)
	for i := range w.alive {
		e := &w.alive[i]
		switch w.s.below(20) {
		case 0:
			e.at = w.somewhere()
		case 1, 2, 3, 4, 5:
			continue
		case 6:
			if w.s.below(10) == 0 {
				e.class = w.s.below(len(w.reach))
				w.must(w.grid.SetLayer(e.handle, e.class))
			}
			continue
		default:
			e.at.X = clamp(e.at.X+w.s.spread(step), w.size)
			e.at.Y = clamp(e.at.Y+w.s.spread(step), w.size)
			if w.height {
				e.at.Z = clamp(e.at.Z+w.s.spread(step), w.size)
			}
		}
		if w.height {
			w.must(w.grid.MoveZ(e.handle, e.at))
		} else {
			w.must(w.grid.Move(e.handle, e.at.X, e.at.Y))
		}
	}
}

func clamp(v, size int32) int32 { return min(max(v, -size), size) }

func (w *world) despawn() {
	odds := 8 + w.s.below(60)
	w.alive = slices.DeleteFunc(w.alive, func(e entity) bool {
		if w.s.below(odds) != 0 {
			return false
		}
		if w.s.below(2) == 0 {
			w.must(w.grid.Remove(e.handle))
			w.arena.Free(e.handle)
		} else {
			w.arena.Free(e.handle)
			w.must(w.grid.Remove(e.handle))
		}
		return true
	})
}

func (w *world) publish() {
	w.must(w.grid.Publish(uint64(w.tick)))
	clear(w.stored)
	for _, e := range w.alive {
		w.stored[e.handle] = e
	}
	w.must(w.grid.CheckInvariants())
}

// change changes what acts without movement.
func (w *world) change() {
	for _, o := range w.watchers {
		switch w.s.below(24) {
		case 0:
			var r []interest.Reach
			for range w.reach {
				r = append(r, w.someReach())
			}
			w.must(o.view.SetReach(r, 0))
			if o.before == nil {
				o.before = o.reach
			}
			o.reach = r
		case 1:
			o.view.Resync()
			for h := range o.delivered {
				if _, ok := o.members[h]; ok {
					o.reasons[h] = interest.ReasonResync
				}
			}
			clear(o.delivered)
		case 2:
			if o.self == 0 {
				o.at = w.somewhere()
				w.must(o.view.SetCentre(0, o.at))
			}
		}
	}
	if len(w.watchers) > 0 && w.s.below(20) == 0 {
		i := w.s.below(len(w.watchers))
		w.must(w.set.Remove(w.watchers[i].view))
		w.watchers = slices.Delete(w.watchers, i, i+1)
	}
}

// update updates engine and model, and compares them.
func (w *world) update() {
	if w.s.below(10) == 0 {
		return // a skipped tick: the difference spans two
	}
	alone := w.s.below(6) == 0
	if !alone {
		w.must(w.set.UpdateAll(w.workers))
	}
	for _, o := range w.watchers {
		if alone && w.s.below(2) == 0 {
			continue
		}
		if alone {
			w.must(w.set.Update(o.view))
		}
		w.model(o)
		w.compare(o)
		w.must(o.view.CheckInvariants())
	}
}

// model applies the rules, word for word.
func (w *world) model(o *observer) {
	centre, placed := o.at, true
	if o.self != 0 {
		var e entity
		e, placed = w.stored[o.self]
		centre = e.at
	}
	for h := range o.members {
		e, there := w.stored[h]
		switch {
		case !placed:
			o.drop(h, interest.ReasonObserver)
		case !there:
			o.drop(h, interest.ReasonDespawn)
		case h != o.self && !within(centre, e.at, o.reach[e.class], true, w.height):
			why := interest.ReasonRange
			if o.before != nil && within(centre, e.at, o.before[e.class], true, w.height) {
				why = interest.ReasonReach
			}
			o.drop(h, why)
		}
	}
	if placed {
		for h, e := range w.stored {
			if _, member := o.members[h]; member || o.exclude && h == o.self {
				continue
			}
			// No reach hides oneself.
			if h == o.self || within(centre, e.at, o.reach[e.class], false, w.height) {
				o.members[h] = e.id
				o.reasons[h] = interest.ReasonRange
				if h != o.self && o.before != nil && !within(centre, e.at, o.before[e.class], false, w.height) {
					o.reasons[h] = interest.ReasonReach
				}
			}
		}
	}
	o.before = nil
}

func (o *observer) drop(h arena.Handle, why interest.Reason) {
	delete(o.members, h)
	o.reasons[h] = why
}

// within is the definition of both limits.
func within(a, b grid.Point, r interest.Reach, leave, height bool) bool {
	if r.Enter == interest.Unseen {
		return false
	}
	limit, high := int64(r.Enter), int64(r.Height)
	if leave {
		limit, high = limit+int64(r.Margin), high+int64(r.HeightMargin)
	}
	dx, dy, dz := int64(a.X)-int64(b.X), int64(a.Y)-int64(b.Y), int64(a.Z)-int64(b.Z)
	return dx*dx+dy*dy <= limit*limit && (!height || max(dz, -dz) <= high)
}

func (w *world) compare(o *observer) {
	w.t.Helper()
	var members []arena.Handle
	for _, m := range o.view.AppendMembers(nil) {
		members = append(members, m.Entity)
		if id, ok := o.members[m.Entity]; !ok || id != m.ID {
			w.t.Fatalf("tick %d, observer %v: member %v (ID %d) should be none", w.tick, o.self, m.Entity, m.ID)
		}
	}
	if len(members) != len(o.members) || o.view.Len() != len(members) {
		w.t.Fatalf("tick %d, observer %v: %d members; want %d", w.tick, o.self, len(members), len(o.members))
	}
	enters, leaves := o.view.AppendEnters(nil), o.view.AppendLeaves(nil)
	w.check(o, "enter", enters, o.members, o.delivered)
	w.check(o, "leave", leaves, o.delivered, o.members)
	if !slices.IsSortedFunc(enters, func(a, b interest.Event) int { return cmp.Compare(a.ID, b.ID) }) {
		w.t.Fatalf("tick %d, observer %v: enters are not sorted by ID: %v", w.tick, o.self, enters)
	}
	if !slices.IsSortedFunc(leaves, func(a, b interest.Event) int { return cmp.Compare(a.Row, b.Row) }) {
		w.t.Fatalf("tick %d, observer %v: leaves are not in row order: %v", w.tick, o.self, leaves)
	}
	w.relation += fmt.Sprintln(w.tick, o.self, enters, leaves)
}

// check compares events with what is in a and not in b.
func (w *world) check(o *observer, what string, got []interest.Event, a, b map[arena.Handle]uint64) {
	w.t.Helper()
	want := 0
	for h := range a {
		if _, ok := b[h]; !ok {
			want++
		}
	}
	if len(got) != want {
		w.t.Fatalf("tick %d, observer %v: %d %ss %v; want %d", w.tick, o.self, len(got), what, got, want)
	}
	for _, e := range got {
		id, in := a[e.Entity]
		if _, out := b[e.Entity]; !in || out || id != e.ID {
			w.t.Fatalf("tick %d, observer %v: %s of %v (ID %d) is wrong", w.tick, o.self, what, e.Entity, e.ID)
		}
		if e.Reason != o.reasons[e.Entity] {
			w.t.Fatalf("tick %d, observer %v: %s of %v because of %v; want %v", w.tick, o.self, what, e.Entity, e.Reason, o.reasons[e.Entity])
		}
	}
}

// deliver confirms some views' differences.
func (w *world) deliver() {
	for _, o := range w.watchers {
		if w.s.below(3) == 0 {
			continue
		}
		o.view.Commit()
		clear(o.delivered)
		for h, id := range o.members {
			o.delivered[h] = id
		}
	}
}

// play runs one world and returns its history.
func play(t testing.TB, b []byte, workers, ticks int) string {
	w := newWorld(t, b, workers)
	w.run(ticks)
	w.close()
	return w.relation
}

// FuzzWorld plays random worlds against the model, on every kernel level and with
// one and two workers; all histories must be the same to the last row.
func FuzzWorld(f *testing.F) {
	for i := range 40 {
		f.Add([]byte{byte(i), byte(7 * i), byte(31 * i), byte(i / 3), byte(5 * i), byte(11 * i)})
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := asm.Tier()
		defer asm.SetTier(before)
		var first string
		for _, level := range asm.Levels() {
			if err := asm.SetTier(level); err != nil {
				t.Fatal(err)
			}
			for workers := 1; workers <= 2; workers++ {
				history := play(t, b, workers, 12)
				if first == "" {
					first = history
				}
				if history != first {
					t.Fatalf("%v with %d workers: another history than %v with one", level, workers, asm.Levels()[0])
				}
			}
		}
	})
}
