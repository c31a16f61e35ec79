package vicinity

import (
	"fmt"
	"sync/atomic"
	"time"

	"vicinity/interest"
	"vicinity/internal/invariants"
)

// run is the Tick under way.
type run struct {
	fn func(c ConnID, d *Delivery) bool
	// of is fn of a Group.
	of     func(w *World, c ConnID, d *Delivery) bool
	labels *labels

	// failed says that a callback has panicked, with what.
	failed   atomic.Bool
	panicked any

	note      func(worker int, v *interest.View)
	share     func(worker int)
	next      atomic.Int64     // of those due
	observers []*interest.View // scratch of AppendObserversOf
}

// Tick publishes all moves, brings every view up to date, and calls fn once for
// each connection and watcher that is due, with what it is to be sent. If fn
// returns true that counts as sent; if false everything stays pending, and is
// decided anew in the next Tick. A nil fn sends nothing.
//
// fn runs on Config.Workers, on several at a time; without them, or with one, in the
// order of ConnID. It must not change the World. If it panics, no further callback is
// made, the delivery counts as refused, and Tick panics with the same value once all
// workers have stopped; the World is whole and can go on. If Config.Predicate panics,
// so does Tick, before any callback, with the same value or, from another goroutine of
// the workers, its text: moves are published, nothing was sent, and views that are not
// up to date are brought so by the next Tick.
//
// Ticks are numbered from 1; [World.TickAt] takes the caller's number. The result
// does not depend on the workers. The errors are [ErrTick], [ErrBusy], [ErrClosed],
// [ErrMember] (its [Group] ticks it) and those of package arena when memory cannot be
// had. On an error no tick has gone by: nothing was published, no callback was made.
// It does not allocate in the steady state.
func (w *World) Tick(fn func(c ConnID, d *Delivery) bool) error {
	return w.TickAt(w.tick+1, fn)
}

// TickAt is [World.Tick] under a number of the caller's, 1 or more, which must rise.
// Waiting and silence are measured in these numbers.
func (w *World) TickAt(tick uint64, fn func(c ConnID, d *Delivery) bool) error {
	if !w.state.CompareAndSwap(stateOpen, stateTicking) {
		return w.ready()
	}
	if w.lent {
		w.state.Store(stateOpen)
		return fmt.Errorf("%w: the World is ticked by its Group", ErrMember)
	}
	defer w.endTick()
	w.run.fn = fn
	return w.tickAt(tick)
}

// endTick ends a Tick, whatever ended it.
func (w *World) endTick() {
	w.run.fn, w.run.of = nil, nil
	if !w.lent {
		w.state.Store(stateOpen) // else the Group does, when all have ticked
	}
	if w.run.failed.Load() {
		p := w.run.panicked
		w.run.panicked = nil
		w.run.failed.Store(false)
		panic(p)
	}
}

// tickAt is TickAt once the World is ticking.
func (w *World) tickAt(tick uint64) error {
	if tick <= w.tick {
		return w.rejects.count(fmt.Errorf("%w: %d after %d", ErrTick, tick, w.tick))
	}
	start := time.Now()
	if err := w.publish(tick); err != nil {
		return err
	}
	published := time.Now()
	w.borrow()
	if err := w.update(); err != nil {
		return err
	}
	updated := time.Now()
	w.deliverAll()
	w.sum(published.Sub(start), updated.Sub(published), time.Since(updated))
	if invariants.Enabled {
		must(w.CheckInvariants())
	}
	return nil
}

// publish makes the moves the present.
func (w *World) publish(tick uint64) error {
	defer w.run.labels.region(stagePublish).End()
	if err := w.grid.Publish(tick); err != nil {
		return err
	}
	w.advance(tick)
	return nil
}

// update brings the views up to date, and notes which were due.
func (w *World) update() error {
	defer w.run.labels.region(stageUpdate).End()
	return w.set.UpdateEach(w.cfg.Workers, w.run.note)
}

// note notes that a view was updated. Views come in storage order.
func (w *World) note(worker int, v *interest.View) {
	c := w.list[v.Tag()]
	if len(w.scratch) == 1 {
		c.due = w.now
		return
	}
	sc := w.scratch[worker]
	sc.due = append(sc.due, c)
}

// deliverAll packs and calls back for all whose views were due, over the workers:
// in storage order, so that neighbours, who are sent the same entities, follow each
// other; or, of one worker, in the order of ConnID.
func (w *World) deliverAll() {
	defer w.run.labels.region(stagePack).End()
	if len(w.scratch) == 1 {
		w.tidyOrder()
		sc := w.scratch[0]
		for _, c := range w.order {
			if c.due == w.now {
				sc.due = append(sc.due, c)
			}
		}
	}
	w.run.next.Store(0)
	w.cfg.Workers.Run(w.run.share)
}

// shareSize is how many connections a worker takes at a time.
const shareSize = 64

// share delivers to connections that are due until none is left.
func (w *World) share(worker int) {
	sc := w.scratch[worker]
	from := int64(0) // the number of the first connection in the list at hand
	for _, list := range w.scratch {
		due := list.due
		for {
			lo := w.run.next.Load() - from
			if lo >= int64(len(due)) {
				break
			}
			hi := min(lo+shareSize, int64(len(due)))
			if w.run.next.CompareAndSwap(from+lo, from+hi) {
				w.deliverShare(sc, due[lo:hi])
			}
		}
		from += int64(len(due))
	}
}

// deliverShare delivers to some connections.
func (w *World) deliverShare(sc *scratch, due []*connection) {
	for _, c := range due[:min(farAhead, len(due))] {
		c.prefetch()
	}
	for i, c := range due {
		if i+farAhead < len(due) {
			due[i+farAhead].prefetch()
		}
		if i+nearAhead < len(due) {
			due[i+nearAhead].prefetchPairs()
		}
		if i+nextAhead < len(due) {
			w.prefetchEntities(due[i+nextAhead])
		}
		w.deliver(sc, c)
	}
}

// borrow makes sure that there is scratch memory for each worker.
func (w *World) borrow() {
	for len(w.scratch) < w.cfg.Workers.N() {
		w.scratch = append(w.scratch, new(scratch))
	}
	for _, sc := range w.scratch {
		sc.tally, sc.due = tally{}, sc.due[:0]
		sc.packer.Stretch = w.stretch
	}
}

// sampleEvery is how often a delivery's time is taken, besides that of each worker's
// first: reading the clock for all would cost as much as a small delivery.
const sampleEvery = 8

// deliver packs for one connection, calls back, and commits.
func (w *World) deliver(sc *scratch, c *connection) {
	sc.visits++
	c.due = w.now
	var clock stopwatch // stands still unless it is started
	if sc.visits%sampleEvery == 0 || sc.tally.timed == 0 {
		sc.tally.timed++
		clock.start()
	}
	w.run.labels.set(stagePack)
	packed := w.pack(sc, c)
	sc.tally.pack += clock.lap()
	if !packed {
		return
	}
	w.run.labels.set(stageCallback)
	sent := w.call(c, &sc.delivery)
	sc.tally.callback += clock.lap()
	if !sent {
		return
	}
	w.run.labels.set(stagePack)
	w.commit(sc, c)
	sc.tally.pack += clock.lap()
}

// stopwatch measures laps.
type stopwatch struct {
	on   bool
	last time.Time
}

func (s *stopwatch) start() { s.on, s.last = true, time.Now() }

// lap returns the time since the last lap or the start, 0 without one.
func (s *stopwatch) lap() time.Duration {
	if !s.on {
		return 0
	}
	before := s.last
	s.last = time.Now()
	return s.last.Sub(before)
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
