package vicinity

import (
	"math"
	"math/bits"

	"vicinity/arena"
	"vicinity/interest"
	"vicinity/packer"
)

// pack makes sc.delivery what a connection is to be sent now. It reports whether
// there is a delivery.
func (w *World) pack(sc *scratch, c *connection) bool {
	sc.items = sc.items[:0]
	sc.delivery = Delivery{Conn: c.id, Tick: w.tick}
	switch {
	case c.watch:
		w.packEvents(sc, c)
	case c.budget == nil:
		w.packAll(sc, c)
	default:
		if !w.packBudget(sc, c) {
			return false
		}
	}
	sc.tally.delivered(&sc.delivery)
	return true
}

// packEvents is pack for a watcher: enters and leaves.
func (w *World) packEvents(sc *scratch, c *connection) {
	sc.events = c.view.AppendLeaves(sc.events[:0])
	w.addEvents(sc, sc.events, func(*interest.Event) uint32 { return w.cfg.RemoveCost })
	leaves := len(sc.items)
	sc.events = c.view.AppendEnters(sc.events[:0])
	extras := w.extras.Slice()
	w.addEvents(sc, sc.events, func(e *interest.Event) uint32 { return extras[e.Entity.Slot()].spawn })
	sc.split(leaves, len(sc.items))
}

// addEvents adds enters or leaves.
func (w *World) addEvents(sc *scratch, events []interest.Event, cost func(e *interest.Event) uint32) {
	d := &sc.delivery
	for i := range events {
		e := &events[i]
		sc.items = append(sc.items, Item{ID: e.ID, Entity: e.Entity, Row: e.Row, Cost: cost(e), Cause: e.Reason})
		d.Bytes += uint64(sc.items[len(sc.items)-1].Cost)
		d.OldestWait = max(d.OldestWait, uint32(min(w.tick-e.Since, math.MaxUint32)))
	}
}

// split says where the delivery's enters and updates begin.
func (sc *scratch) split(enters, updates int) {
	d := &sc.delivery
	d.Leaves, d.Enters, d.Updates = sc.items[:enters:enters], sc.items[enters:updates:updates], sc.items[updates:]
}

// packAll is pack without a budget: everything that is pending or has changed.
func (w *World) packAll(sc *scratch, c *connection) {
	w.packEvents(sc, c)
	leaves, enters := len(sc.delivery.Leaves), len(sc.items)
	c.pairs.reserve(64 * c.view.Words())
	d, cols, records, entities := &sc.delivery, c.view.Columns(), w.records.Slice(), w.hot.Slice()
	for i := range c.view.Words() {
		for word := c.view.KnownWord(i); word != 0; word &= word - 1 {
			r := 64*i + bits.TrailingZeros64(word)
			slot := cols.Slot[r]
			if entities[slot].Changed <= c.pairs.sent[r] {
				d.Deferred[packer.WhyUnchanged]++
				continue
			}
			since := &c.pairs.since[r]
			if *since == 0 {
				*since = w.now
			}
			e, level := &records[slot], uint8(cols.Level[r])
			for e.cost[level] == 0 {
				level-- // the next finer one; Cost[0] is not 0
			}
			sc.items = append(sc.items, Item{
				ID: e.id, Entity: arena.MakeHandle(slot, e.generation), Row: uint32(r), Cost: e.cost[level], Level: level,
				Reason: packer.ReasonChanged, Jumped: e.jumped > c.pairs.sent[r],
			})
			d.Bytes += uint64(e.cost[level])
			d.OldestWait = max(d.OldestWait, w.now-*since)
		}
	}
	sc.split(leaves, enters)
}

// packBudget is pack within a budget.
func (w *World) packBudget(sc *scratch, c *connection) bool {
	c.pairs.reserve(64 * c.view.Words())
	sc.scanner.use(w, c)
	w.offerLifecycle(sc, c)
	p, t, d, found := &sc.plan, &sc.table, &sc.delivery, &sc.found
	p.WantDeferred = c.trace != nil
	limit, crowd, failed := w.limitsFor(c), w.isCrowd(c), false
	var l last // of a crowd
	for {
		w.offer(sc, c, limit)
		if err := sc.packer.Pack(p, &t.Candidates, c.budget.Budget); err != nil {
			c.told = told{tick: w.tick, err: err}
			sc.tally.packErrors++
			return false
		}
		if crowd {
			l = w.lastOf(sc)
		}
		if w.settled(sc, limit, l) {
			break
		}
		limit, failed = everybody, true
		sc.tally.retries++
	}
	if limit != everybody {
		sc.tally.shortlisted++
	}
	if crowd {
		c.short.learn(sc, l, failed)
	}
	sc.count()
	d.Bytes, d.Budget, d.Deferred = uint64(p.Used), p.Budget, p.ByWhy
	d.Deferred[packer.WhyUnchanged] += found.unchanged
	d.Deferred[packer.WhyNoRoom] += found.skipped + sc.overflow.leftOut()
	d.Deferred[packer.WhyAwaitingSpawn] += sc.held
	d.MustDeferred, d.OldestWait = p.MustDeferred+sc.overflow.must, max(p.OldestWait, sc.overflow.wait)
	if found.skipped > 0 {
		d.OldestWait = max(d.OldestWait, w.now-found.oldest)
	}
	enters, updates := 0, 0
	for i := range p.Selected {
		s := &p.Selected[i]
		item := w.item(sc, c, s)
		switch k := int(s.Index); {
		case k < t.leaves:
			enters, updates = enters+1, updates+1
		case k < t.enters:
			updates++
		}
		sc.items = append(sc.items, item)
	}
	sc.split(enters, updates)
	if c.trace != nil {
		c.trace.keep(w, p, t, sc.events)
		c.trace.leftOut = sc.overflow.leftOut()
	}
	return true
}

// count counts a plan, and those who were passed over or left out as deferred.
func (sc *scratch) count() {
	sc.totals.Observe(&sc.plan, &sc.table.Candidates)
	passed := uint64(sc.found.skipped + sc.overflow.leftOut())
	sc.totals.Candidates += passed
	sc.totals.Deferred += passed
	sc.totals.ByWhy[packer.WhyNoRoom] += passed
	sc.totals.MustDeferred += uint64(sc.overflow.must)
}

// item is a selected candidate.
func (w *World) item(sc *scratch, c *connection, s *packer.Selected) Item {
	t, k := &sc.table, int(s.Index)
	item := Item{ID: t.ID[k], Row: t.Row[k], Cost: s.Cost, Level: s.Level, Reason: s.Reason}
	switch {
	case k < t.leaves:
		item.Entity, item.Cause = sc.events[k].Entity, sc.events[k].Reason
	case k < t.enters:
		item.Entity, item.Cause = w.handleOf(t.slot[k]), sc.enters[t.event[k]].Reason
	default:
		e := &w.records.Slice()[t.slot[k]]
		item.Entity, item.Jumped = arena.MakeHandle(t.slot[k], e.generation), e.jumped > c.pairs.sent[item.Row]
	}
	return item
}

// commit notes that the delivery was sent.
func (w *World) commit(sc *scratch, c *connection) {
	d := &sc.delivery
	sc.tally.committed++
	if c.told = d.told(); c.watch {
		c.view.Commit()
		return
	}
	sc.rows = sc.rows[:0]
	for i := range d.Leaves {
		sc.rows = append(sc.rows, d.Leaves[i].Row)
	}
	for i := range d.Enters {
		sc.rows = append(sc.rows, d.Enters[i].Row)
		c.pairs.deliver(d.Enters[i].Row, w.now)
	}
	for i := range d.Updates {
		c.pairs.deliver(d.Updates[i].Row, w.now)
	}
	if len(sc.rows) > 0 {
		c.view.CommitRows(sc.rows)
	}
}
