package vicinity

import (
	"fmt"
	"sync"
	"testing"

	"github.com/cespare/xxhash/v2"

	"vicinity/grid"
)

// deliveries hashes what every connection is sent, each on its own so that the
// order of callbacks does not matter.
type deliveries struct {
	mu  sync.Mutex
	sum map[ConnID]uint64
}

func (s *deliveries) add(c ConnID, d *Delivery) {
	text := fmt.Sprint(*d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum[c] = s.sum[c]*31 + xxhash.Sum64String(text)
}

// TestWorkers: what is sent does not depend on how many workers there are, to the
// last byte and place.
func TestWorkers(t *testing.T) {
	ticks := 40
	if testing.Short() {
		ticks = 12
	}
	play := func(workers int) map[ConnID]uint64 {
		cfg := Config{Reach: []Reach{{Enter: 30, Margin: 3}, {Enter: 60, Margin: 5}}, Levels: Levels{Near: 5, Mid: 10, Margin: 1}}
		if workers > 0 {
			cfg.Workers = grid.NewWorkers(workers)
			t.Cleanup(cfg.Workers.Close)
		}
		c := newChurn(t, cfg, 900, 60)
		s := &deliveries{sum: map[ConnID]uint64{}}
		for range ticks {
			c.step(func(conn ConnID, d *Delivery) bool {
				s.add(conn, d)
				return (uint64(conn)+d.Tick)%7 != 0
			})
		}
		return s.sum
	}
	want := play(0)
	for workers := 1; workers <= 4; workers++ {
		got := play(workers)
		for c, sum := range want {
			if got[c] != sum {
				t.Fatalf("%d workers: connection %d is sent something else than without workers", workers, c)
			}
		}
	}
}

// TestPanicOnWorker: a panic on any worker comes out of Tick as it was, and the next
// Tick makes everything good.
func TestPanicOnWorker(t *testing.T) {
	ws := grid.NewWorkers(3)
	defer ws.Close()
	w := newWorld(t, Config{Workers: ws})
	for i := range 3000 {
		spawn(t, w, uint64(i), float64(i)*400, 0)
	}
	for id := range ConnID(3000) {
		h, _ := w.Handle(uint64(id))
		ok(t, w.Connect(Connection{ID: id, Viewpoint: on(h), Budget: 100}))
	}
	for round := range 5 {
		var mu sync.Mutex
		told := map[ConnID]bool{}
		func() {
			defer func() {
				if p := recover(); p != "boom" {
					t.Errorf("Tick panicked with %v", p)
				}
			}()
			w.Tick(func(c ConnID, d *Delivery) bool {
				if c == 2999 {
					panic("boom")
				}
				mu.Lock()
				defer mu.Unlock()
				told[c] = true
				return true
			})
		}()
		seen := 0
		ok(t, w.Tick(func(c ConnID, d *Delivery) bool {
			mu.Lock()
			defer mu.Unlock()
			seen++
			if told[c] != (len(d.Enters) == 0) {
				t.Errorf("round %d: connection %d was told before: %v; enters %v", round, c, told[c], ids(d.Enters))
			}
			return true
		}))
		if seen != 3000 {
			t.Errorf("round %d: %d connections were served", round, seen)
		}
		for id := range ConnID(3000) {
			ok(t, w.Resync(id))
		}
	}
}
