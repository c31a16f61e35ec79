package grid

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"vicinity/arena"
	"vicinity/internal/invariants"
)

func TestReaderErrors(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, MaxReaders: 2})
	a, err := w.grid.NewReader()
	w.must(err)
	b, err := w.grid.NewReader()
	w.must(err)
	if r, err := w.grid.NewReader(); r != nil || !errors.Is(err, ErrReaders) {
		t.Errorf("a third reader: %v, %v; want %v", r, err, ErrReaders)
	}
	b.Close()
	b.Close()
	c, err := w.grid.NewReader() // its place is free
	w.must(err)
	defer c.Close()
	if s, err := a.Pin(); s != nil || !errors.Is(err, ErrUnpublished) {
		t.Errorf("Pin: %v, %v; want %v", s, err, ErrUnpublished)
	}
	a.Unpin()
	w.spawn(0, Point{})
	w.publish()
	s, err := a.Pin()
	if err != nil || s != w.grid.Snapshot() {
		t.Fatalf("Pin: %v, %v; want the current snapshot", s, err)
	}
	if again, err := a.Pin(); again != nil || !errors.Is(err, ErrPinned) {
		t.Errorf("a second Pin: %v, %v; want %v", again, err, ErrPinned)
	}
	if st := w.grid.Stats(); st.Pinned != 1 {
		t.Errorf("%d pinned; want 1", st.Pinned)
	}

	// A busy grid stays as it is.
	if err := w.grid.Close(); !errors.Is(err, ErrBusy) {
		t.Fatalf("Close: %v; want %v", err, ErrBusy)
	}
	checkAll(t, s, w.all)
	if w.grid.Snapshot() != s {
		t.Error("Close took the snapshot away")
	}
	w.spawn(0, Point{X: 5})
	checkAll(t, s, w.publish()[:1])
	a.Unpin()
	a.Unpin()
	if s, err = a.Pin(); err != nil || s.Tick() != 2 {
		t.Errorf("after Unpin: tick %d, %v; want 2", s.Tick(), err)
	}
	a.Close() // unpins
	if st := w.grid.Stats(); st.Pinned != 0 {
		t.Errorf("%d pinned; want 0", st.Pinned)
	}
	w.must(w.grid.Close())
	if _, err := c.Pin(); !errors.Is(err, ErrClosed) {
		t.Errorf("Pin: %v; want %v", err, ErrClosed)
	}
}

func TestDefaultReaders(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	for n := range 65 {
		_, err := w.grid.NewReader()
		if want := n == 64; errors.Is(err, ErrReaders) != want {
			t.Errorf("reader %d: %v", n, err)
		}
	}
}

// TestBuffersAreBounded: with readers that stall on snapshots as different as can
// be, there are at most readers + 2 stores a layer, and as many snapshots.
func TestBuffersAreBounded(t *testing.T) {
	for _, readers := range []int{0, 1, 2, 5} {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 16, Static: true}}})
		for i := range 100 {
			w.spawn(i%2, Point{X: int32(i)})
		}
		var all []*Reader
		for range readers {
			reader, err := w.grid.NewReader()
			w.must(err)
			defer reader.Close()
			all = append(all, reader)
		}
		r := newRandom(t)
		most := 0
		for tick := range 60 {
			w.move(2*r.below(50), r.point(500))
			if tick%10 == 0 {
				w.move(2*r.below(50)+1, r.point(500))
			}
			w.publish()
			st := w.grid.Stats()
			if bound := readers + 2; st.Snapshots > bound || st.Buffers > 2*bound {
				t.Fatalf("%d readers: %d snapshots, %d buffers; want at most %d, %d", readers, st.Snapshots, st.Buffers, bound, 2*bound)
			}
			most = max(most, st.Snapshots)
			if readers == 0 || tick == 0 || tick%2 != 0 {
				continue // in odd ticks nobody has the current one
			}
			reader := all[tick/2%readers]
			reader.Unpin()
			_, err := reader.Pin()
			w.must(err)
		}
		if most != readers+2 {
			t.Errorf("%d readers: at most %d snapshots; the test does not stall them", readers, most)
		}
	}
}

// TestStalledReader: Publish does not wait for a reader, its snapshot stays as it
// was, and Stats tells who it is.
func TestStalledReader(t *testing.T) {
	eachMemory(t, func(t *testing.T, m arena.Memory) {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 64}}, Memory: m, Height: true, Masks: true, Previous: true})
		w.shaped = true
		r := newRandom(t)
		for i := range 200 {
			w.spawn(i%2, r.point(300))
		}
		reader, err := w.grid.NewReader()
		w.must(err)
		w.publish()
		w.churn(r, 300, 20)
		was := w.publish()
		s, err := reader.Pin()
		w.must(err)
		for range 50 {
			w.churn(r, 300, 20)
			w.publish()
			checkAll(t, s, was)
			p := r.point(300)
			checkQuery(t, s, was, Query{X: p.X, Y: p.Y, Radius: 100, Z: p.Z, Height: 100, Filter: Filter{Mask: 3}})
			if st := w.grid.Stats(); st.OldestPinned != 2 || st.Pinned != 1 {
				t.Fatalf("oldest %d, pinned %d; want 2, 1", st.OldestPinned, st.Pinned)
			}
		}
		reader.Close()
		w.publish()
		if st := w.grid.Stats(); st.OldestPinned != w.tick || st.Pinned != 0 {
			t.Errorf("oldest %d, pinned %d; want %d, 0", st.OldestPinned, st.Pinned, w.tick)
		}
	})
}

// at is where entity i is in tick n of TestReadersSeeOneTick.
func positionAt(i, tick uint64) Point {
	return Point{X: int32(i*37%1000 + tick*13%997), Y: int32(i*i%1000) - int32(tick*7%991), Z: int32(tick)}
}

// TestReadersSeeOneTick: readers beside a writer that publishes, spawns and
// despawns all the time see the positions, cells, handles and IDs of one tick.
func TestReadersSeeOneTick(t *testing.T) {
	const n, readers = 300, 4
	ticks := uint64(400)
	if raceEnabled || testing.Short() {
		ticks = 120
	}
	w := newWorld(t, Config{Layers: []Layer{{CellX: 32}, {CellX: 128}}, Height: true, Previous: true})
	// The ID says in its high half which entity it is, in its low half since when.
	spawn := func(i, tick uint64) entity {
		h, err := w.arena.Alloc()
		w.must(err)
		e := entity{h: h, id: i<<32 | tick, layer: int(i % 2), at: positionAt(i, tick)}
		w.must(w.grid.Insert(h, e.id, e.layer, e.at))
		return e
	}
	for i := range uint64(n) {
		w.all = append(w.all, spawn(i, 1))
	}
	w.publish()

	look := func(s *Snapshot, slots []uint32) error {
		if s.Len() != n {
			return fmt.Errorf("tick %d: %d entities; want %d", s.Tick(), s.Len(), n)
		}
		for layer := range s.Layers() {
			c := s.Columns(layer)
			for k, slot := range c.Slot {
				id := s.ID(slot)
				want := positionAt(id>>32, s.Tick())
				if got := (Point{c.X[k], c.Y[k], c.Z[k]}); got != want || id&0xFFFFFFFF > s.Tick() {
					return fmt.Errorf("tick %d: entity %d at %v; want %v", s.Tick(), id>>32, got, want)
				}
				if h := s.Handle(slot); h.Slot() != slot || h.Generation()&1 == 0 {
					return fmt.Errorf("tick %d: slot %d has the handle %v", s.Tick(), slot, h)
				}
			}
			// The cells fit the positions: everybody is found where they are.
			for k := 0; k < len(c.X); k += 17 {
				found, err := s.AppendSlots(slots[:0], Query{X: c.X[k], Y: c.Y[k], Radius: 0, Z: c.Z[k]})
				if err != nil || len(found) == 0 {
					return fmt.Errorf("tick %d: nobody at (%d, %d): %v", s.Tick(), c.X[k], c.Y[k], err)
				}
			}
		}
		return nil
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	failures := make([]error, readers)
	looks := make([]int, readers)
	for k := range readers {
		reader, err := w.grid.NewReader()
		w.must(err)
		wg.Go(func() {
			defer reader.Close()
			slots, last := make([]uint32, 0, 2*n), uint64(0)
			for {
				select {
				case <-stop:
					return
				default:
				}
				s, err := reader.Pin()
				if err == nil && s.Tick() < last {
					err = fmt.Errorf("tick %d after %d", s.Tick(), last)
				}
				for range k + 1 { // some keep it longer
					if err == nil {
						err = look(s, slots)
					}
				}
				if err != nil {
					failures[k] = err
					return
				}
				last = s.Tick()
				looks[k]++
				reader.Unpin()
			}
		})
	}
	for tick := uint64(2); tick <= ticks; tick++ {
		for i := range w.all {
			e := &w.all[i]
			if (uint64(i)+tick)%50 == 0 {
				w.must(w.grid.Remove(e.h))
				w.arena.Free(e.h)
				*e = spawn(uint64(i), tick)
				continue
			}
			w.must(w.grid.MoveZ(e.h, positionAt(uint64(i), tick)))
		}
		w.must(w.grid.Publish(tick))
	}
	close(stop)
	wg.Wait()
	for k, err := range failures {
		if err != nil {
			t.Errorf("reader %d: %v", k, err)
		}
	}
	t.Logf("looks: %v; %+v", looks, w.grid.Stats())
	if st := w.grid.Stats(); st.Snapshots > readers+2 || st.Buffers > 2*(readers+2) {
		t.Errorf("%d snapshots, %d buffers; want at most %d, %d", st.Snapshots, st.Buffers, readers+2, 2*(readers+2))
	}
	w.must(w.grid.CheckInvariants())
}

// TestPinIsChecked: between looking for the current snapshot and announcing it a
// reader may sleep while the writer publishes on; what it pins is current all the
// same. More threads than cores make it sleep anywhere.
func TestPinIsChecked(t *testing.T) {
	const readers = 8
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(readers + 1))
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	w.spawn(0, Point{X: 1})
	w.publish()
	var wg sync.WaitGroup
	var stop atomic.Bool
	for range readers {
		reader, err := w.grid.NewReader()
		w.must(err)
		wg.Go(func() {
			defer reader.Close()
			for !stop.Load() {
				s, err := reader.Pin()
				if err != nil {
					t.Errorf("Pin: %v", err)
					return
				}
				tick := s.Tick()
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
	}
	stop.Store(true)
	wg.Wait()
}

// TestCloseUnderReaders: pins and Close meet; a pin never succeeds afterwards, and
// Close never frees what is pinned.
func TestCloseUnderReaders(t *testing.T) {
	for round := range 60 {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
		for i := range 30 {
			w.spawn(0, Point{X: int32(i)})
		}
		w.publish()
		var wg sync.WaitGroup
		for range 2 {
			reader, err := w.grid.NewReader()
			w.must(err)
			wg.Go(func() {
				for {
					s, err := reader.Pin()
					if errors.Is(err, ErrClosed) {
						return
					}
					if err != nil {
						t.Errorf("Pin: %v", err)
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
		busy := 0
		for {
			err := w.grid.Close()
			if err == nil {
				break
			}
			if !errors.Is(err, ErrBusy) {
				t.Fatalf("Close: %v; want %v", err, ErrBusy)
			}
			busy++
		}
		wg.Wait()
	}
}

// TestReadersComeAndGo while the writer publishes.
func TestReadersComeAndGo(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, MaxReaders: 8})
	w.spawn(0, Point{})
	w.publish()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				reader, err := w.grid.NewReader()
				if err != nil {
					t.Errorf("NewReader: %v", err)
					return
				}
				if s, err := reader.Pin(); err != nil || s.Len() != 1 {
					t.Errorf("Pin: %v, %v", s, err)
				}
				reader.Close()
			}
		})
	}
	for range 300 {
		w.move(0, Point{X: int32(w.tick)})
		w.publish()
	}
	wg.Wait()
	if st := w.grid.Stats(); st.Pinned != 0 {
		t.Errorf("%d pinned; want 0", st.Pinned)
	}
}

// TestStaleReaderSeesPoison: under the tag invariants a buffer is overwritten
// before it is used again, so who kept a snapshot after Unpin notices.
func TestStaleReaderSeesPoison(t *testing.T) {
	if !invariants.Enabled {
		t.Skip("needs -tags invariants")
	}
	eachMemory(t, func(t *testing.T, m arena.Memory) {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, Memory: m, Height: true})
		for i := range 100 {
			w.spawn(0, Point{X: int32(i)})
		}
		reader, err := w.grid.NewReader()
		w.must(err)
		defer reader.Close()
		w.publish()
		s, err := reader.Pin()
		w.must(err)
		stale := s.Columns(0)
		reader.Unpin()
		// All but one leave, so that what follows does not cover the whole buffer.
		for len(w.all) > 1 {
			w.despawn(1)
		}
		for range 3 {
			w.move(0, Point{X: int32(w.tick)})
			w.publish()
		}
		const poison = -0x5A5A5A5B // 0xA5A5A5A5
		for _, column := range [][]int32{stale.X, stale.Y, stale.Z} {
			if got := column[50]; got != poison {
				t.Errorf("element 50 is %#x; want poison %#x", got, int32(poison))
			}
		}
		if got := stale.Slot[50]; got != 0xA5A5A5A5 {
			t.Errorf("slot 50 is %#x; want poison", got)
		}
	})
}
