package grid

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
)

// newReader returns a reader that is closed when the test ends.
func (w *world) newReader() *Reader {
	w.t.Helper()
	reader, err := w.grid.NewReader()
	w.must(err)
	w.t.Cleanup(reader.Close)
	return reader
}

// record is what a snapshot was when it was the current one.
type record struct {
	tick    uint64
	all     []entity
	answers string
}

// answers asks everything that can be asked of a snapshot, from places that depend on
// its tick only, and returns the answers as they come, order included.
func (w *world) answers(s *Snapshot, size int32) string {
	w.t.Helper()
	r := &random{}
	r.SeedWithState(int64(s.Tick()), 7)
	var out strings.Builder
	say := func(what any, err error) {
		w.must(err)
		fmt.Fprintln(&out, what)
	}
	before, follows := s.Previous()
	fmt.Fprintln(&out, s.Tick(), before, follows, s.Len(), s.Layers(), s.Storages())
	for range 4 {
		p := r.point(size)
		q := Query{X: p.X, Y: p.Y, Radius: int32(r.below(int(size)))}
		if w.grid.z != nil {
			q.Z, q.Height = p.Z, int32(r.below(int(size)))
		}
		if w.grid.masks != nil {
			q.Mask = r.Next() & 15
		}
		rect := square(p.X, p.Y, q.Radius)
		hits, err := s.AppendWithin(nil, q)
		say(hits, err)
		slots, err := s.AppendSlots(nil, q)
		say(slots, err)
		n, err := s.CountWithin(q)
		say(n, err)
		near, err := s.AppendNearest(nil, 5, q)
		say(near, err)
		slots, err = s.AppendIn(nil, rect, q.Filter)
		say(slots, err)
		n, err = s.CountIn(rect, q.Filter)
		say(n, err)
		for _, h := range hits {
			fmt.Fprint(&out, s.Handle(h.Slot), s.ID(h.Slot), " ")
			say(h.Slot, nil)
		}
		d := asm.Disc{X: p.X, Y: p.Y, Outer: asm.MakeLimit(q.Radius), Inner: asm.MakeLimit(q.Radius / 2)}
		for storage := range s.Storages() {
			found, work := s.AppendIndexes(nil, storage, &d, q.Radius)
			fmt.Fprintln(&out, s.LayerOf(storage), found, work, s.AppendNear(nil, storage, &d, q.Radius))
			if s.Steady(storage) {
				pair := makePair(p, Point{X: p.X + 3, Y: p.Y, Z: p.Z}, q.Radius, q.Radius, w.grid.z != nil)
				enter, leave, work := s.AppendCrossings(nil, nil, storage, &pair, q.Radius)
				fmt.Fprintln(&out, enter, leave, work)
			}
		}
		observers := &SlotSet{}
		for _, h := range hits {
			observers.Add(h.Slot)
		}
		w.must(NewSweep(nil).Within(s, observers, q, func(o *Observation) { fmt.Fprintln(&out, o.Slot, o.Storage, o.Index, o.Found) }))
	}
	for storage := range s.Storages() {
		perm, rebuilt := s.Perm(storage)
		fmt.Fprintln(&out, rebuilt, s.Columns(storage))
		if rebuilt {
			fmt.Fprintln(&out, perm)
		}
	}
	return out.String()
}

// checkHistory pins every tick from before the oldest kept to after the newest, and
// compares what is found with the records, the last of which is the current one.
func checkHistory(t *testing.T, w *world, reader *Reader, records []record, history int, size int32) {
	t.Helper()
	kept := records[max(0, len(records)-1-history):]
	first, last := kept[0].tick, kept[len(kept)-1].tick
	if oldest, ok := w.grid.OldestTick(); !ok || oldest != first {
		t.Fatalf("tick %d: OldestTick is %d, %v; want %d", last, oldest, ok, first)
	}
	if st := w.grid.Stats(); st.Kept != len(kept)-1 || st.OldestTick != first {
		t.Fatalf("tick %d: %d kept, the oldest of %d; want %d, %d", last, st.Kept, st.OldestTick, len(kept)-1, first)
	}
	at := 0
	for tick := first - 2; tick <= last+2; tick++ {
		s, err := reader.PinAt(tick)
		if tick < first || tick > last {
			if want := fmt.Sprintf("%d; kept are %d to %d", tick, first, last); s != nil || !errors.Is(err, ErrTick) || !strings.Contains(err.Error(), want) {
				t.Fatalf("PinAt(%d): %v, %v; want %v: %s", tick, s, err, ErrTick, want)
			}
			continue
		}
		for at+1 < len(kept) && kept[at+1].tick <= tick {
			at++
		}
		if err != nil || s.Tick() != kept[at].tick {
			t.Fatalf("PinAt(%d): %v, %v; want tick %d", tick, s, err, kept[at].tick)
		}
		if tick == kept[at].tick {
			checkAll(t, s, kept[at].all)
			if got := w.answers(s, size); got != kept[at].answers {
				t.Fatalf("tick %d as seen in %d:\n%s\nwas\n%s", tick, last, got, kept[at].answers)
			}
		}
		reader.Unpin()
	}
}

// TestHistoryAnswersAsThen: whatever is asked of a kept tick, the answer is what it was
// when that tick was the current one, though since then entities moved, came, left,
// took slots again, and changed bodies, layers and masks.
func TestHistoryAnswersAsThen(t *testing.T) {
	const size = 300
	for _, history := range []int{0, 1, 2, 7} {
		for setting := range 4 {
			heights, shaped := setting&1 != 0, setting&2 != 0
			t.Run(fmt.Sprintf("history=%d/heights=%v/bodies=%v", history, heights, shaped), func(t *testing.T) {
				r := newRandom(t)
				w := newWorld(t, Config{
					Layers:  []Layer{{CellX: 32}, {CellX: 16, CellY: 64}, {CellX: 64, Static: true}, {CellX: 64, Static: true}},
					Height:  heights,
					Masks:   !shaped,
					History: history, Previous: setting != 3, Memory: arena.Memory(setting & 1),
				})
				reader := w.newReader()
				w.shaped, w.tick = shaped, 10
				for i := range 120 {
					w.spawn(i%3, r.point(size)) // nobody is in the last layer, at first
				}
				var records []record
				for range rounds(30) {
					switch r.below(6) {
					case 0: // nothing happens
					case 1:
						w.move(0, r.point(size))
					default:
						w.churn(r, size, 20)
					}
					w.tick += uint64(r.below(3)) // ticks are left out
					all := w.publish()
					s := w.grid.Snapshot()
					records = append(records, record{s.Tick(), all, w.answers(s, size)})
					checkHistory(t, w, reader, records, history, size)
				}
			})
		}
	}
}

func TestPinAtErrors(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, History: 2})
	reader := w.newReader()
	refuse := func(tick uint64, want error, text string) {
		t.Helper()
		before := reader.pinned.Load()
		s, err := reader.PinAt(tick)
		if s != nil || !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
			t.Errorf("PinAt(%d): %v, %v; want %v with %q", tick, s, err, want, text)
		}
		if reader.pinned.Load() != before {
			t.Errorf("PinAt(%d), refused, pinned something", tick)
		}
	}
	refuse(0, ErrUnpublished, "")
	if tick, ok := w.grid.OldestTick(); tick != 0 || ok {
		t.Errorf("OldestTick before the first: %d, %v; want 0, false", tick, ok)
	}
	w.must(w.grid.Publish(0))
	refuse(1, ErrTick, "1; kept are 0 to 0")
	w.must(w.grid.Publish(5))
	w.must(w.grid.Publish(6))
	refuse(7, ErrTick, "7; kept are 0 to 6")
	w.must(w.grid.Publish(math.MaxUint64))
	refuse(4, ErrTick, "4; kept are 5 to 18446744073709551615")
	for tick, want := range map[uint64]uint64{5: 5, 6: 6, 7: 6, math.MaxUint64 - 1: 6, math.MaxUint64: math.MaxUint64} {
		s, err := reader.PinAt(tick)
		if err != nil || s.Tick() != want {
			t.Errorf("PinAt(%d): %v, %v; want tick %d", tick, s, err, want)
		}
		refuse(tick, ErrPinned, "")
		if _, err := reader.Pin(); !errors.Is(err, ErrPinned) {
			t.Errorf("Pin after PinAt(%d): %v; want %v", tick, err, ErrPinned)
		}
		if err := w.grid.Close(); !errors.Is(err, ErrBusy) {
			t.Errorf("Close while %d is pinned: %v; want %v", want, err, ErrBusy)
		}
		reader.Unpin()
	}
	w.must(w.grid.Close())
	refuse(5, ErrClosed, "")
	if tick, ok := w.grid.OldestTick(); tick != 0 || ok {
		t.Errorf("OldestTick after Close: %d, %v; want 0, false", tick, ok)
	}
}

func TestHistoryBorders(t *testing.T) {
	for _, history := range []int{-1, MaxHistory + 1, math.MinInt, math.MaxInt} {
		a, err := arena.New(arena.Config{Deferred: true})
		if err != nil {
			t.Fatal(err)
		}
		g, err := New(Config{Arena: a, Layers: []Layer{{CellX: 16}}, History: history})
		if g != nil || !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), fmt.Sprint(history)) {
			t.Errorf("History %d: %v, %v; want %v", history, g, err, ErrConfig)
		}
	}
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, History: MaxHistory})
	w.spawn(0, Point{})
	for range MaxHistory + 5 {
		w.tick++
		w.must(w.grid.Publish(w.tick))
	}
	if oldest, _ := w.grid.OldestTick(); oldest != 5 {
		t.Errorf("the oldest of %d is %d; want 5", w.tick, oldest)
	}
	w.must(w.grid.CheckInvariants())
}

// TestSlotsWaitForHistory: a freed slot comes back with the Publish that drops the last
// snapshot that shows its entity, not before and not later; a pin delays it further.
func TestSlotsWaitForHistory(t *testing.T) {
	for _, history := range []int{0, 1, 3} {
		for _, pin := range []bool{false, true} {
			w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, History: history})
			reader := w.newReader()
			w.spawn(0, Point{})
			w.publish()
			was := w.publish() // the last that shows it
			if pin {
				_, err := reader.PinAt(w.tick)
				w.must(err)
			}
			w.despawn(0)
			for k := range history + 4 {
				w.publish()
				if pin && k == history+2 {
					if n := w.arena.Stats().Waiting; n != 1 {
						t.Errorf("history %d: %d slots wait for the pin; want 1", history, n)
					}
					checkAll(t, reader.pinned.Load(), was)
					reader.Unpin()
					w.publish()
				}
				want := 0
				if k < history || pin && k < history+2 {
					want = 1
				}
				if n := w.arena.Stats().Waiting; n != want {
					t.Errorf("history %d, pinned %v, %d publishes later: %d slots wait; want %d", history, pin, k+1, n, want)
				}
			}
		}
	}
}

// TestHistoryWithoutMemory: a Publish that gets no memory leaves the history alone, and
// no gap in it.
func TestHistoryWithoutMemory(t *testing.T) {
	const size = 300
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 64}}, History: 3})
	reader := w.newReader()
	for i := range 50 {
		w.spawn(i%2, r.point(size))
	}
	var records []record
	w.tick = 2
	for round := range 12 {
		w.churn(r, size, 20)
		if round%3 == 2 {
			for i := range len(w.all) {
				w.spawn(i%2, r.point(size))
			}
			w.grid.layers[1].memory = arena.Memory(77)
			for range 1 + round%2 {
				if err := w.grid.Publish(w.tick + 1); !errors.Is(err, arena.ErrUnknownMemory) {
					t.Fatalf("Publish: %v; want %v", err, arena.ErrUnknownMemory)
				}
				w.must(w.grid.CheckInvariants())
				checkHistory(t, w, reader, records, 3, size)
			}
			w.grid.layers[1].memory = arena.Heap
		}
		all := w.publish()
		records = append(records, record{w.tick, all, w.answers(w.grid.Snapshot(), size)})
		checkHistory(t, w, reader, records, 3, size)
	}
}
