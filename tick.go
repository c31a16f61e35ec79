package vicinity

import (
	"fmt"
	"sync/atomic"
	"time"

	"vicinity/grid"
	"vicinity/interest"
)

// run is the Tick under way.
type run struct {
	fn func(c ConnID, d *Delivery) bool
	// of is fn of a Group.
	of func(w *World, c ConnID, d *Delivery) bool
	// snapshot is the tick's.
	snapshot *grid.Snapshot
	labels   *labels

	// failed says that a callback has panicked, with what.
	failed   atomic.Bool
	panicked any

	visit, note func(worker int, v *interest.View)
	observers   []*interest.View // scratch of AppendObserversOf
}

// Tick publishes all moves, brings every view up to date, and calls fn once for
// each connection and watcher that is due, with what it is to be sent. If fn
// returns true that counts as sent; if false everything stays pending, and is
// decided anew in the next Tick. A nil fn sends nothing.
//
// fn runs on Config.Workers, on several at a time; without them, in the order of
// ConnID (unless Config.AnyOrder). It must not change the World. If it panics, no
// further callback is made, the delivery counts as refused, and Tick panics with the
// same value once all workers have stopped; the World is whole and can go on.
//
// Ticks are numbered from 1; [World.TickAt] takes the caller's number. The result
// does not depend on the workers. The errors are [ErrTick], [ErrBusy], [ErrClosed]
// and those of package arena when memory cannot be had; then nothing has happened.
// It does not allocate in the steady state.
func (w *World) Tick(fn func(c ConnID, d *Delivery) bool) error {
	return w.TickAt(w.tick+1, fn)
}

// TickAt is [World.Tick] under a number of the caller's, which must rise. Waiting
// and silence are measured in these numbers.
func (w *World) TickAt(tick uint64, fn func(c ConnID, d *Delivery) bool) error {
	if !w.state.CompareAndSwap(stateOpen, stateTicking) {
		return w.ready()
	}
	defer w.endTick()
	w.run.fn = fn
	return w.tickAt(tick)
}

// endTick ends a Tick, whatever ended it.
func (w *World) endTick() {
	w.run.fn, w.run.of, w.run.snapshot = nil, nil, nil
	w.state.Store(stateOpen)
	if w.run.failed.Load() {
		p := w.run.panicked
		w.run.panicked = nil
		w.run.failed.Store(false)
		panic(p)
	}
}

// tickAt is TickAt once the World is ticking.
func (w *World) tickAt(tick uint64) error {
	if w.now != 0 && tick <= w.tick {
		return fmt.Errorf("%w: %d after %d", ErrTick, tick, w.tick)
	}
	start := time.Now()
	if err := w.publish(tick); err != nil {
		return err
	}
	published := time.Now()
	w.borrow()
	err := w.serve()
	w.sum(published.Sub(start), time.Since(published))
	return err
}

// publish makes the moves the present.
func (w *World) publish(tick uint64) error {
	defer w.run.labels.region(stagePublish).End()
	if err := w.grid.Publish(tick); err != nil {
		return err
	}
	w.advance(tick)
	w.run.snapshot = w.grid.Snapshot()
	return nil
}

// serve updates the views and delivers.
func (w *World) serve() error {
	defer w.run.labels.region(stageUpdate).End()
	if w.cfg.AnyOrder || w.cfg.Workers.N() > 1 {
		return w.set.UpdateEach(w.cfg.Workers, w.run.visit)
	}
	if err := w.set.UpdateEach(w.cfg.Workers, w.run.note); err != nil {
		return err
	}
	w.tidyOrder()
	for _, c := range w.order {
		if c.due == w.now {
			w.deliver(w.scratch[0], c)
		}
	}
	return nil
}

// visit serves the connection of a view that was just updated.
func (w *World) visit(worker int, v *interest.View) {
	w.deliver(w.scratch[worker], w.byView[v])
}

// note notes that a view was updated.
func (w *World) note(_ int, v *interest.View) { w.byView[v].due = w.now }

// borrow makes sure that there is scratch memory for each worker.
func (w *World) borrow() {
	for len(w.scratch) < w.cfg.Workers.N() {
		w.scratch = append(w.scratch, new(scratch))
	}
	for _, sc := range w.scratch {
		sc.tally = tally{}
	}
}

// sampleEvery is how often a delivery's time is taken: reading the clock for all
// would cost as much as a small delivery.
const sampleEvery = 8

// deliver packs for one connection, calls back, and commits.
func (w *World) deliver(sc *scratch, c *connection) {
	sc.visits++
	if sc.visits%sampleEvery == 0 {
		w.deliverTimed(sc, c)
		return
	}
	w.run.labels.set(stagePack)
	if w.pack(sc, c) {
		w.run.labels.set(stageCallback)
		if w.call(c, &sc.delivery) {
			w.run.labels.set(stagePack)
			w.commit(sc, c)
		}
	}
	w.run.labels.set(stageUpdate)
}

// deliverTimed is deliver, with a look at the clock.
func (w *World) deliverTimed(sc *scratch, c *connection) {
	start := time.Now()
	sc.tally.timed++
	w.run.labels.set(stagePack)
	packed := w.pack(sc, c)
	called := time.Now()
	sc.tally.pack += called.Sub(start)
	if packed {
		w.run.labels.set(stageCallback)
		sent := w.call(c, &sc.delivery)
		back := time.Now()
		sc.tally.callback += back.Sub(called)
		if sent {
			w.run.labels.set(stagePack)
			w.commit(sc, c)
			sc.tally.pack += time.Since(back)
		}
	}
	w.run.labels.set(stageUpdate)
}

// call calls back, unless there is nobody to call or a callback has panicked. It
// keeps a panic for the end of the Tick.
func (w *World) call(c *connection, d *Delivery) (sent bool) {
	if w.run.fn == nil && w.run.of == nil || w.run.failed.Load() {
		return false
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		sent = false
		// Without a value the goroutine is being ended: let it.
		if p := recover(); p != nil && w.run.failed.CompareAndSwap(false, true) {
			w.run.panicked = p
		}
	}()
	if w.run.of != nil {
		sent = w.run.of(w, c.id, d)
	} else {
		sent = w.run.fn(c.id, d)
	}
	returned = true
	return sent
}
