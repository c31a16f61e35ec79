package grid

import (
	"testing"
	"unsafe"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/internal/invariants"
)

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
