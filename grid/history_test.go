package grid

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/internal/invariants"
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

// TestHistoryUnderGrowthAndReaders: pins of all ages outlive the history, while the
// arena and the stores grow, and storages are made; there are never more buffers than
// history and readers ask for.
func TestHistoryUnderGrowthAndReaders(t *testing.T) {
	const history, readers = 4, 3
	eachMemory(t, func(t *testing.T, m arena.Memory) {
		r := newRandom(t)
		w := newWorld(t, Config{
			Layers: []Layer{{CellX: 16}, {CellX: 64}}, Memory: m, Height: true, Previous: true,
			History: history, MaxReaders: readers,
		})
		w.shaped = true
		var all [readers]*Reader
		var shows [readers][]entity
		for k := range all {
			all[k] = w.newReader()
		}
		if _, err := w.grid.NewReader(); !errors.Is(err, ErrReaders) {
			t.Errorf("one reader more: %v; want %v", err, ErrReaders)
		}
		published := map[uint64][]entity{}
		for round := range 40 {
			for range 1 + round*round/4 {
				w.spawn(r.below(2), r.point(500))
			}
			w.churn(r, 500, 20)
			all0 := w.publish()
			published[w.tick] = all0
			for k, reader := range all {
				if (round+k*5)%13 == 0 { // some pins last 13 ticks
					reader.Unpin()
					back := uint64(r.below(history + 1))
					s, err := reader.PinAt(max(w.tick, back+1) - back)
					w.must(err)
					shows[k] = published[s.Tick()]
				}
				if s := reader.pinned.Load(); s != nil {
					checkAll(t, s, shows[k])
					p := r.point(500)
					checkQuery(t, s, shows[k], Query{X: p.X, Y: p.Y, Z: p.Z, Radius: 200, Height: 200})
				}
			}
			bound := history + readers + 2
			if st := w.grid.Stats(); st.Snapshots > bound || st.Buffers > w.grid.Snapshot().Storages()*bound {
				t.Fatalf("%d snapshots, %d buffers; want at most %d each", st.Snapshots, st.Buffers, bound)
			}
		}
	})
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

// TestReadersOfHistory: readers pin ticks back and forth, also some that are just being
// dropped, while the writer publishes, spawns and despawns. They get the tick that they
// ask for or are told that it is out of range, and rightly so.
func TestReadersOfHistory(t *testing.T) {
	const n, readers, history, every = 200, 4, 5, 3
	last := uint64(600)
	if raceEnabled || testing.Short() {
		last = 150
	}
	w := newWorld(t, Config{Layers: []Layer{{CellX: 32}, {CellX: 128}}, Height: true, Previous: true, History: history})
	// As in TestReadersSeeOneTick, with counts of publishes in place of ticks: every
	// third tick is published.
	spawn := func(i, count uint64) entity {
		h, err := w.arena.Alloc()
		w.must(err)
		e := entity{h: h, id: i<<32 | count, layer: int(i % 2), at: positionAt(i, count)}
		w.must(w.grid.Insert(h, e.id, e.layer, e.at))
		return e
	}
	for i := range uint64(n) {
		w.all = append(w.all, spawn(i, 1))
	}
	w.must(w.grid.Publish(every))
	var published atomic.Uint64 // count of those that are over
	published.Store(1)

	look := func(s *Snapshot) error {
		count := s.Tick() / every
		if s.Len() != n {
			return fmt.Errorf("count %d: %d entities; want %d", count, s.Len(), n)
		}
		for layer := range s.Layers() {
			c := s.Columns(layer)
			for k, slot := range c.Slot {
				id := s.ID(slot)
				if got := (Point{c.X[k], c.Y[k], c.Z[k]}); got != positionAt(id>>32, count) || id&0xFFFFFFFF > count || s.Handle(slot).Slot() != slot {
					return fmt.Errorf("count %d: entity %d of %d at %v", count, id>>32, id&0xFFFFFFFF, got)
				}
			}
		}
		return nil
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	failures := make([]error, readers)
	var pins, refused [readers]int
	for k := range readers {
		reader, r := w.newReader(), &random{}
		r.SeedWithState(int64(*seedFlag), int64(k+1))
		once := func() error {
			before := published.Load()
			tick := max(every*before+uint64(r.below(4)), every*(history+3)) - uint64(r.below(every*(history+2)))
			s, err := reader.PinAt(tick)
			after := published.Load() + 1 // a Publish may be about to return
			if errors.Is(err, ErrTick) {
				refused[k]++
				if tick <= every*before && tick >= every*(max(after, history+1)-history) {
					return fmt.Errorf("count %d to %d: %v", before, after, err)
				}
				return nil
			}
			if err != nil {
				return err
			}
			defer reader.Unpin()
			pins[k]++
			if s.Tick() != tick-tick%every {
				return fmt.Errorf("PinAt(%d): tick %d", tick, s.Tick())
			}
			for range 1 + k*k { // some keep it until it is out of the history
				if err := look(s); err != nil {
					return err
				}
			}
			return nil
		}
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if failures[k] = once(); failures[k] != nil {
					return
				}
			}
		})
	}
	for count := uint64(2); count <= last; count++ {
		for i := range w.all {
			e := &w.all[i]
			if (uint64(i)+count)%50 == 0 {
				w.must(w.grid.Remove(e.h))
				w.arena.Free(e.h)
				*e = spawn(uint64(i), count)
				continue
			}
			w.must(w.grid.MoveZ(e.h, positionAt(uint64(i), count)))
		}
		w.must(w.grid.Publish(every * count))
		published.Store(count)
	}
	close(stop)
	wg.Wait()
	for k, err := range failures {
		if err != nil {
			t.Errorf("reader %d: %v", k, err)
		}
	}
	t.Logf("pins %v, refused %v; %+v", pins, refused, w.grid.Stats())
	w.must(w.grid.CheckInvariants())
}

// checkRange checks that an error of PinAt where every tick was published names a range
// that there was, and the tick outside.
func checkRange(err error, tick, history uint64) error {
	var named, oldest, newest uint64
	text := strings.TrimPrefix(err.Error(), ErrTick.Error())
	if _, bad := fmt.Sscanf(text, ": %d; kept are %d to %d", &named, &oldest, &newest); bad != nil {
		return fmt.Errorf("%v: %w", err, bad)
	}
	if named != tick || oldest != max(newest, history+1)-history || oldest <= tick && tick <= newest {
		return fmt.Errorf("PinAt(%d): %w", tick, err)
	}
	return nil
}

// TestPinAtIsChecked: between looking for a snapshot and announcing it a reader may
// sleep while the writer publishes the ring round and round. What it pins is the tick
// that it asked for all the same, and stays that.
func TestPinAtIsChecked(t *testing.T) {
	const readers, history = 8, 2
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(readers + 1))
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, History: history})
	w.spawn(0, Point{X: 1})
	w.publish()
	var wg sync.WaitGroup
	var stop atomic.Bool
	var published atomic.Uint64
	published.Store(1)
	for k := range readers {
		reader := w.newReader()
		wg.Go(func() {
			for !stop.Load() {
				tick := max(published.Load(), history+2) - uint64(k%(history+2))
				s, err := reader.PinAt(tick)
				if errors.Is(err, ErrTick) {
					if err := checkRange(err, tick, history); err != nil {
						t.Error(err)
						return
					}
					continue
				}
				if err != nil {
					t.Errorf("PinAt(%d): %v", tick, err)
					return
				}
				for range 40 {
					if x := s.Columns(0).X; s.Tick() != tick || len(x) != 1 || x[0] != int32(tick) {
						t.Errorf("pinned tick %d shows %d at %v", tick, s.Tick(), x)
						return
					}
				}
				reader.Unpin()
			}
		})
	}
	for range rounds(60_000) {
		w.tick++
		w.must(w.grid.Move(w.all[0].h, int32(w.tick), 0))
		w.must(w.grid.Publish(w.tick))
		published.Store(w.tick)
	}
	stop.Store(true)
	wg.Wait()
}

// TestCloseUnderReadersOfHistory: PinAt and Close meet; Close never frees what is
// pinned, and no pin succeeds afterwards.
func TestCloseUnderReadersOfHistory(t *testing.T) {
	for round := range 60 {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, History: 3})
		for i := range 30 {
			w.spawn(0, Point{X: int32(i)})
		}
		for range 5 {
			w.move(0, Point{X: int32(w.tick)})
			w.publish()
		}
		var wg sync.WaitGroup
		for k := range uint64(2) {
			reader := w.newReader()
			wg.Go(func() {
				for tick := 2 + k; ; tick = 2 + tick%4 {
					s, err := reader.PinAt(tick)
					if errors.Is(err, ErrClosed) {
						return
					}
					if err != nil || s.Tick() != tick {
						t.Errorf("PinAt(%d): %v, %v", tick, s, err)
						return
					}
					for i, x := range s.Columns(0).X {
						if x < 0 || x >= 30 {
							t.Errorf("round %d: element %d at %d", round, i, x)
							reader.Unpin()
							return
						}
					}
					reader.Unpin()
				}
			})
		}
		for {
			err := w.grid.Close()
			if err == nil {
				break
			}
			if !errors.Is(err, ErrBusy) {
				t.Fatalf("Close: %v; want %v", err, ErrBusy)
			}
		}
		wg.Wait()
	}
}

// storeBytes is what Config.History says a changed storage costs; round says what a
// buffer takes.
func storeBytes(cfg *Config, n, cells int, bodies bool, round func(bytes int) int) int64 {
	columns := 4 // 16 bytes an entity
	if cfg.Height {
		columns++
	}
	if cfg.Masks {
		columns += 2
	}
	if cfg.Previous {
		n += maxJumps(n)
		if columns += 2; cfg.Height {
			columns++
		}
	}
	room := n + n/4 + 8 + asm.Slack
	bytes := columns*round(4*room) + round(4*(cells+1+asm.Slack))
	if bodies {
		bytes += round(12 * room)
	}
	return int64(bytes)
}

// TestHistoryMemory: what a kept tick costs is what Config.History says; one in which
// nothing changed costs no buffer.
func TestHistoryMemory(t *testing.T) {
	const n, history = 3000, 10
	for setting := range 16 {
		bodies := setting&8 != 0
		cfg := Config{
			Layers: []Layer{{CellX: 32}, {CellX: 32, Static: true}},
			Height: setting&1 != 0, Masks: setting&2 != 0, Previous: setting&4 != 0,
		}
		// play returns the bytes after some ticks with changes, and some without, and
		// the cells of what changed.
		play := func(history int, m arena.Memory) (moved, rested Stats, cells int) {
			cfg.History, cfg.Memory = history, m
			w := newWorld(t, cfg)
			for i := range 2 * n {
				w.spawn(i%2, Point{X: int32(i%100) * 20, Y: int32(i/100) * 20})
				if bodies && i%2 == 0 {
					w.setBody(i, Body{Radius: 3})
				}
			}
			for range 3 * history {
				w.tick++
				for i := 0; i < len(w.all); i += 2 { // the first layer
					w.must(w.grid.Move(w.all[i].h, int32(i%100)*20+int32(w.tick%7), int32(i/100)*20))
				}
				w.must(w.grid.Publish(w.tick))
			}
			moved = w.grid.Stats()
			for range 3 * history {
				w.publish()
			}
			changed := w.grid.layers[0]
			if bodies {
				changed = w.grid.layers[2]
			}
			return moved, w.grid.Stats(), changed.store.torus.Cells()
		}
		with, rested, cells := play(history, arena.Heap)
		without, _, _ := play(1, arena.Heap)
		exact := func(bytes int) int { return bytes }
		if got, want := with.HeapBytes-without.HeapBytes, (history-1)*storeBytes(&cfg, n, cells, bodies, exact); got != want {
			t.Errorf("setting %d: %d ticks more cost %d bytes; want %d", setting, history-1, got, want)
		}
		if with.Buffers != history+3 || rested.Buffers != with.Buffers || rested.HeapBytes != with.HeapBytes {
			t.Errorf("setting %d: %d buffers; then, without changes, %d, %d bytes; want %d, the same, %d", setting,
				with.Buffers, rested.Buffers, rested.HeapBytes, history+3, with.HeapBytes)
		}
		with, _, _ = play(history, arena.Mapped)
		if with.HeapBytes > 0 {
			continue // there is none to be had
		}
		without, _, _ = play(1, arena.Mapped)
		pages := func(bytes int) int { return (bytes + 1<<16 - 1) &^ (1<<16 - 1) }
		if got, want := with.MappedBytes-without.MappedBytes, (history-1)*storeBytes(&cfg, n, cells, bodies, pages); got != want {
			t.Errorf("setting %d: %d ticks more map %d bytes; want %d", setting, history-1, got, want)
		}
	}
	// Nothing ever changes: no buffer at all.
	w := newWorld(t, Config{Layers: []Layer{{CellX: 32}}, History: history})
	for i := range n {
		w.spawn(0, Point{X: int32(i)})
	}
	w.publish()
	first := w.grid.Stats()
	for range 2 * history {
		w.publish()
	}
	if st := w.grid.Stats(); st.Buffers != 1 || st.HeapBytes != first.HeapBytes || st.Kept != history {
		t.Errorf("%+v; want the buffer of %+v", st, first)
	}
	if got := unsafe.Sizeof(Snapshot{}) + unsafe.Sizeof(pastEntry{}); got > 160 || unsafe.Sizeof(view{}) > 280 {
		t.Errorf("a snapshot is %d bytes, and %d a storage; the documentation says 160, 280", got, unsafe.Sizeof(view{}))
	}
}

func TestHistoryAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	eachMemory(t, func(t *testing.T, m arena.Memory) {
		const history = 6
		s := &steady{r: newRandom(t), n: 1500}
		s.world = newWorld(t, Config{
			Layers: []Layer{{CellX: 32, CellY: 64}, {CellX: 128}, {CellX: 64, Static: true}},
			Height: true, Masks: true, Previous: true, Memory: m, History: history,
		})
		for i := range s.n {
			s.spawn(i%3*(i%2), s.r.point(3000))
		}
		for range 60 {
			s.step()
		}
		zeroAllocs(t, "a tick", s.step)
		zeroAllocs(t, "a tick in which nothing happens", func() {
			s.tick++
			s.must(s.grid.Publish(s.tick))
		})
		reader := s.newReader()
		back := uint64(0)
		pinned := func() {
			reader.Unpin()
			back = (back + 1) % (history + 1)
			_, err := reader.PinAt(s.tick - back)
			s.must(err)
			s.step()
		}
		for range 30 {
			pinned() // a store and snapshot more
		}
		zeroAllocs(t, "a tick with a reader of the past", pinned)
		reader.Unpin()
		zeroAllocs(t, "PinAt, OldestTick, Stats", func() {
			for back := range uint64(history + 1) {
				if _, err := reader.PinAt(s.tick - back); err != nil {
					t.Fatal(err)
				}
				reader.Unpin()
			}
			_, _ = s.grid.OldestTick()
			_ = s.grid.Stats()
		})
	})
}

// TestHistoryIsPoisonedAfterwards: under the tag invariants a buffer is overwritten as
// soon as it is used again, which is not before its tick is no longer kept.
func TestHistoryIsPoisonedAfterwards(t *testing.T) {
	if !invariants.Enabled {
		t.Skip("needs -tags invariants")
	}
	const history = 3
	eachMemory(t, func(t *testing.T, m arena.Memory) {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, Memory: m, History: history})
		for i := range 100 {
			w.spawn(0, Point{X: int32(i)})
		}
		reader := w.newReader()
		w.publish()
		s, err := reader.PinAt(w.tick)
		w.must(err)
		stale := s.Columns(0)
		reader.Unpin()
		for len(w.all) > 1 {
			w.despawn(1)
		}
		for k := range history + 2 {
			if got := stale.X[50]; got != 50 {
				t.Fatalf("element 50 is at %d after %d publishes; want 50", got, k)
			}
			w.move(0, Point{X: int32(w.tick)})
			w.publish()
		}
		const poison = -0x5A5A5A5B // 0xA5A5A5A5
		if stale.X[50] != poison || stale.Slot[50] != 0xA5A5A5A5 {
			t.Errorf("element 50 is slot %#x at %#x; want poison", stale.Slot[50], stale.X[50])
		}
	})
}
