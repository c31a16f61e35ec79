package vicinity

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vicinity/grid"
)

// annals are who was in a town, by tick.
type annals struct {
	mu    sync.RWMutex
	ticks map[uint64][]person
	last  atomic.Uint64 // tick that can be pinned
}

func (a *annals) write(tick uint64, people []person) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ticks == nil {
		a.ticks = map[uint64][]person{}
	}
	a.ticks[tick] = slices.Clone(people)
}

func (a *annals) of(tick uint64) []person {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.ticks[tick]
}

// step is town.step, written down before it can be seen.
func (a *annals) step(c *town) {
	for range len(c.people) {
		c.change()
	}
	a.write(c.w.Now()+1, c.people)
	ok(c.t, c.w.Tick(nil))
	a.last.Store(c.w.Now())
}

// hold holds what a pinned Reader finds against what was written down.
func (a *annals) hold(d *draws, r *Reader, tick uint64) error {
	if r.Tick() != tick {
		return fmt.Errorf("tick %d is pinned; want %d", r.Tick(), tick)
	}
	return d.hold(r, a.of(tick))
}

// TestPinAtEqualsLoops: queries in the past find who was where then, with the bodies,
// the permissions and the handles of then, whatever happened since; also in a snapshot
// that stays pinned when it is no longer kept.
func TestPinAtEqualsLoops(t *testing.T) {
	const seed, history = 11, 6
	t.Logf("seed %d", seed)
	c := newTown(t, Config{History: history, Height: true, QueryMasks: true}, seed, 100)
	var a annals
	r, slow := c.reader(), c.reader()
	for range rounds(60) {
		a.step(c)
		now := c.w.Now()
		oldest := max(now, history+1) - history
		if s := c.w.Stats(); s.OldestTick != oldest {
			t.Fatalf("the oldest tick is %d at %d; want %d", s.OldestTick, now, oldest)
		}
		for range 3 {
			tick := oldest + uint64(c.draws.below(int(now-oldest)+1))
			ok(t, r.PinAt(tick))
			ok(t, a.hold(c.draws, r, tick))
			r.Unpin()
		}
		if slow.Tick() == 0 || slow.Tick()+15 < now {
			slow.Unpin()
			ok(t, slow.PinAt(oldest))
		}
		ok(t, a.hold(c.draws, slow, slow.Tick()))
	}
	slow.Unpin()
}

// TestPinAtBetween: the state as of a tick that was left out is that of the one before.
func TestPinAtBetween(t *testing.T) {
	w := newWorld(t, Config{History: 2})
	h := spawn(t, w, 1, 0, 0)
	r, err := w.NewReader()
	ok(t, err)
	defer r.Close()
	for _, n := range []uint64{3, 10, 20, 40} {
		ok(t, w.Move(h, float64(n), 0))
		ok(t, w.TickAt(n, nil))
	}
	for _, c := range []struct{ at, want uint64 }{{10, 10}, {19, 10}, {20, 20}, {21, 20}, {39, 20}, {40, 40}} {
		ok(t, r.PinAt(c.at))
		found, err := r.AppendWithin(nil, Disc{X: float64(c.want)}, Where{})
		if r.Tick() != c.want || err != nil || len(found) != 1 || found[0] != (Found{ID: 1, Handle: h}) {
			t.Errorf("as of %d: tick %d, %v, %v; want %d", c.at, r.Tick(), found, err, c.want)
		}
		r.Unpin()
	}
}

// TestPinAtErrors: a tick that is not kept is refused, counted, and pins nothing.
func TestPinAtErrors(t *testing.T) {
	w := newWorld(t, Config{History: 2})
	r, err := w.NewReader()
	ok(t, err)
	if err := r.PinAt(0); !errors.Is(err, grid.ErrUnpublished) {
		t.Errorf("before the first Tick: %v", err)
	}
	for range 5 {
		tick(t, w)
	}
	for i, n := range []uint64{0, 2, 6, 1 << 40} {
		err := r.PinAt(n)
		if !errors.Is(err, ErrTick) || !errors.Is(err, grid.ErrTick) || !strings.Contains(err.Error(), fmt.Sprintf("%d; kept are 3 to 5", n)) {
			t.Errorf("tick %d: %v", n, err)
		}
		if _, err := r.CountWithin(Disc{}, Where{}); err != ErrUnpinned || r.Tick() != 0 || r.Snapshot() != nil {
			t.Errorf("after a refused pin: %v, tick %d", err, r.Tick())
		}
		if got := w.Stats().Rejects; got != (Rejects{Other: uint64(i + 1)}) {
			t.Errorf("rejects are %+v; want %d others", got, i+1)
		}
	}
	ok(t, r.PinAt(4))
	if err := r.PinAt(5); !errors.Is(err, grid.ErrPinned) || r.Tick() != 4 {
		t.Errorf("a second pin: %v, tick %d", err, r.Tick())
	}
	if err := w.Close(); !errors.Is(err, ErrBusy) {
		t.Errorf("Close while the past is pinned: %v", err)
	}
	r.Close()
	if err := r.PinAt(5); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed Reader: %v", err)
	}
	r, err = w.NewReader()
	ok(t, err)
	ok(t, w.Close())
	if err := r.PinAt(5); !errors.Is(err, ErrClosed) || !errors.Is(err, grid.ErrClosed) {
		t.Errorf("a closed World: %v", err)
	}
	r.Close()
	r.Close()
}

// TestHistoryDelaysSlots: the slot of somebody who despawned is taken again when no kept
// tick shows him.
func TestHistoryDelaysSlots(t *testing.T) {
	for _, history := range []int{0, 5} {
		w := newWorld(t, Config{MaxEntities: 1, History: history})
		h := spawn(t, w, 1, 0, 0)
		tick(t, w)
		ok(t, w.Despawn(h))
		waited := 0
		for {
			tick(t, w)
			_, err := w.Spawn(Entity{ID: 2, Cost: cost(1)})
			if err == nil {
				break
			}
			if waited++; !errors.Is(err, ErrFull) || waited > 20 {
				t.Fatal(err)
			}
		}
		if waited < history || waited > history+2 {
			t.Errorf("with a history of %d the slot was free after %d ticks", history, waited)
		}
	}
}

// TestReadersEqualLoops: readers in several goroutines find who was there at the tick
// that they have pinned, the last or one before, while the World ticks.
func TestReadersEqualLoops(t *testing.T) {
	const seed, history = 12, 4
	t.Logf("seed %d", seed)
	c := newTown(t, Config{History: history, QueryMasks: true}, seed, 60)
	var a annals
	a.step(c)
	var stop atomic.Bool
	var pins [2]atomic.Int64 // of the last tick, of one before
	var wg sync.WaitGroup
	for i := range 3 {
		r, d := c.reader(), newDraws(seed+1+i)
		wg.Go(func() {
			for !stop.Load() {
				if err := readOnce(&a, d, r, &pins); err != nil {
					t.Error(err)
					stop.Store(true)
				}
			}
		})
	}
	for until := time.Now().Add(time.Second); !stop.Load() && time.Now().Before(until); {
		a.step(c)
	}
	stop.Store(true)
	wg.Wait()
	if pins[0].Load() == 0 || pins[1].Load() == 0 {
		t.Errorf("%d ticks: %d pins of the last, %d of one before", c.w.Now(), pins[0].Load(), pins[1].Load())
	}
}

// readOnce pins the last tick or one before and asks some questions. A tick may be gone.
func readOnce(a *annals, d *draws, r *Reader, pins *[2]atomic.Int64) error {
	defer r.Unpin()
	if d.below(2) == 0 {
		pins[0].Add(1)
		if err := r.Pin(); err != nil {
			return err
		}
		return a.hold(d, r, r.Tick())
	}
	tick := a.last.Load() - min(uint64(d.below(4)), a.last.Load()-1)
	switch err := r.PinAt(tick); {
	case errors.Is(err, ErrTick):
		return nil
	case err != nil:
		return err
	}
	pins[1].Add(1)
	return a.hold(d, r, tick)
}
