package grid

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vicinity/arena"
)

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
