package vicinity

import (
	"math"
	"slices"

	"vicinity/asm"
	"vicinity/interest"
	"vicinity/packer"
)

// scratch is what one worker needs to deliver. It belongs to the worker, not to a
// connection, and stays in its cache.
type scratch struct {
	packer   packer.Packer
	plan     packer.Plan
	table    table
	delivery Delivery
	items    []Item
	events   []interest.Event // leaves
	enters   []interest.Event
	rows     []uint32
	due      []*connection // in this Tick, as it went
	withheld []uint32      // slots whose enter is not offered
	held     int           // enters that are not offered
	found    scanned
	overflow overflow
	scanner  scanner
	visits   int
	tally    tally
	totals   packer.Stats
	_        [64]byte // keeps workers apart
}

// table is the candidates of the connection at hand: leaves first, then enters, then
// updates, each by rising row.
type table struct {
	packer.Candidates
	all    packer.Candidates // columns of full length
	slot   []uint32
	event  []uint32 // of enters: which
	musts  []uint32 // updates that mean so much that they must be sent
	leaves int      // candidates [0, leaves) are leaves
	enters int      // candidates [leaves, enters) are enters
}

// reserve makes room for n candidates, and keeps those that are there.
func (t *table) reserve(n int) {
	if n <= len(t.slot) {
		return
	}
	n += n / 2
	a := &t.all
	lengthen(&t.slot, n)
	lengthen(&t.event, n)
	lengthen(&a.ID, n)
	lengthen(&a.Priority, n)
	lengthen(&a.Dist2, n)
	for l := range a.Cost {
		lengthen(&a.Cost[l], n)
	}
	lengthen(&a.Class, n)
	lengthen(&a.Flags, n)
	lengthen(&a.Level, n)
	lengthen(&a.Waited, n)
	lengthen(&a.Silent, n)
	lengthen(&a.Group, n)
	lengthen(&a.Row, n)
}

func lengthen[T any](column *[]T, n int) {
	*column = append(make([]T, 0, n), *column...)[:n]
}

// needs says which columns a connection's candidates have.
type needs struct{ flags, class, levels, silent, group bool }

// cut makes the candidates the first n elements of the columns that are needed.
func (t *table) cut(n int, need needs) {
	a := &t.all
	t.Candidates = packer.Candidates{
		ID: a.ID[:n], Priority: a.Priority[:n], Dist2: a.Dist2[:n], Waited: a.Waited[:n], Row: a.Row[:n],
	}
	c := &t.Candidates
	c.Cost[0] = a.Cost[0][:n]
	if need.levels {
		c.Level, c.Cost[1], c.Cost[2] = a.Level[:n], a.Cost[1][:n], a.Cost[2][:n]
	}
	if need.flags {
		c.Flags = a.Flags[:n]
	}
	if need.class {
		c.Class = a.Class[:n]
	}
	if need.silent {
		c.Silent = a.Silent[:n]
	}
	if need.group {
		c.Group = a.Group[:n]
	}
}

// offer lists what a connection with a budget may be sent: of the updates, those
// within the limits.
func (w *World) offer(sc *scratch, c *connection, limit limits) {
	t := &sc.table
	w.scan(&sc.found, &sc.scanner, limit)
	if sc.found.skipped > 0 {
		w.addWeighted(&sc.found, c)
	}
	n := t.enters + len(sc.found.rows)
	t.reserve(n)
	need := needs{
		flags: t.enters > 0 || w.mustSends > 0, class: len(w.cfg.Classes) > 1, levels: w.ranked,
		silent: w.spaced, group: w.bundles > 0,
	}
	w.offerUpdates(t, &sc.scanner, sc.found.rows)
	w.offerMore(t, c, sc.found.rows, &need)
	if len(c.weights) > 0 && w.weigh(t, c, t.enters, n) && !need.flags {
		need.flags = true
		t.markMusts(n)
	}
	t.cut(w.chooseUpdates(sc, c, n, &need), need)
}

// offerLifecycle lists the pending leaves and enters.
func (w *World) offerLifecycle(sc *scratch, c *connection) {
	t, v := &sc.table, c.view
	sc.events = v.AppendLeaves(sc.events[:0])
	w.withhold(sc)
	sc.enters = v.AppendEnters(sc.enters[:0])
	t.reserve(len(sc.events) + len(sc.enters))
	t.leaves = w.offerLeaves(t, sc.events)
	t.enters = w.offerEnters(t, &sc.scanner, sc.enters, sc.withheld)
	sc.held = len(sc.enters) - (t.enters - t.leaves)
	if len(c.weights) > 0 {
		w.weigh(t, c, t.leaves, t.enters)
	}
	w.chooseLifecycle(sc, c, sc.scanner.known)
}

// withhold finds the entities whose enter must wait: another one that had their ID
// has not left yet, and a client that goes by IDs would take the leave for theirs.
func (w *World) withhold(sc *scratch) {
	sc.withheld = sc.withheld[:0]
	for i := range sc.events {
		e := &sc.events[i]
		if w.arena.Alive(e.Entity) {
			continue
		}
		if slot, ok := w.ids.find(w.records.Slice(), e.ID); ok {
			sc.withheld = append(sc.withheld, slot)
		}
	}
}

// offerLeaves lists the pending leaves.
func (w *World) offerLeaves(t *table, events []interest.Event) int {
	a := &t.all
	for i := range events {
		e := &events[i]
		a.ID[i], a.Row[i], a.Flags[i], a.Cost[0][i] = e.ID, e.Row, packer.Remove, w.cfg.RemoveCost
		a.Cost[1][i], a.Cost[2][i], a.Level[i] = 0, 0, 0
		a.Priority[i], a.Dist2[i], a.Class[i], a.Silent[i], a.Group[i] = 0, 0, 0, 0, 0
		a.Waited[i] = uint32(min(w.tick-e.Since, math.MaxUint32))
		t.slot[i] = math.MaxUint32
	}
	return len(events)
}

// offerEnters lists the pending enters behind the leaves, in the order of IDs.
func (w *World) offerEnters(t *table, s *scanner, enters []interest.Event, withheld []uint32) int {
	a, k := &t.all, t.leaves
	records, extras := w.records.Slice(), w.extras.Slice()
	for i := range enters {
		r, slot := enters[i].Row, enters[i].Entity.Slot()
		if len(withheld) > 0 && slices.Contains(withheld, slot) {
			continue
		}
		e := &records[slot]
		t.slot[k], t.event[k] = slot, uint32(i)
		a.ID[k], a.Row[k], a.Flags[k], a.Cost[0][k] = e.id, r, packer.Spawn, extras[slot].spawn
		a.Cost[1][k], a.Cost[2][k], a.Level[k] = 0, 0, 0
		a.Priority[k], a.Dist2[k], a.Class[k] = e.priority, s.distance(r, slot), e.class
		a.Silent[k], a.Group[k] = math.MaxUint32, 0
		a.Waited[k] = uint32(min(w.tick-enters[i].Since, math.MaxUint32))
		k++
	}
	return k
}

// offerUpdates lists some rows behind the enters: the columns that packing always
// reads, and what lastOf and weigh do.
func (w *World) offerUpdates(t *table, s *scanner, rows []uint32) {
	column, since, records, n := s.Slot, s.Since, w.records.Slice(), len(rows)
	a, k := &t.all, t.enters
	slots, id, row, priority := t.slot[k:][:n], a.ID[k:][:n], a.Row[k:][:n], a.Priority[k:][:n]
	dist2, cost, waited, class := a.Dist2[k:][:n], a.Cost[0][k:][:n], a.Waited[k:][:n], a.Class[k:][:n]
	for i, r := range rows {
		slot := column[r]
		e := &records[slot]
		slots[i], id[i], row[i], priority[i], class[i] = slot, e.id, r, e.priority, e.class
		cost[i], waited[i] = e.cost[0], w.now-since[r]
	}
	if s.Dist2 == nil {
		asm.Measure(dist2, slots, s.XY, s.X, s.Y)
		return
	}
	for i, r := range rows {
		dist2[i] = s.Dist2[r]
	}
}

// offerMore fills the columns that not every World needs.
func (w *World) offerMore(t *table, c *connection, rows []uint32, need *needs) {
	if !need.flags && !need.levels && !need.silent && !need.group {
		return
	}
	cols, records, extras := c.view.Columns(), w.records.Slice(), w.extras.Slice()
	a, k := &t.all, t.enters
	for _, r := range rows {
		slot := cols.Slot[r]
		e := &records[slot]
		a.Flags[k] = packer.Flags(e.flags>>mustSendShift&1) * packer.MustSend
		a.Cost[1][k], a.Cost[2][k], a.Level[k] = e.cost[1], e.cost[2], uint8(cols.Level[r])
		a.Silent[k] = w.now - c.pairs.sent[r]
		if need.group {
			a.Group[k] = extras[slot].bundle
		}
		k++
	}
}

// weigh applies what single entities mean to a connection to the candidates from
// lo to hi, enters or updates. It reports whether some updates must be sent.
func (w *World) weigh(t *table, c *connection, lo, hi int) (must bool) {
	t.musts = t.musts[:0]
	for i := range c.weights {
		e := &c.weights[i]
		k := slices.Index(t.slot[lo:hi], e.entity.Slot())
		if k < 0 || !w.arena.Alive(e.entity) {
			continue
		}
		k += lo
		p := &t.all.Priority[k]
		*p = uint16(min(max(int64(*p)+int64(e.delta), 0), math.MaxUint16))
		if e.must {
			t.all.Flags[k] |= packer.MustSend
			t.musts = append(t.musts, uint32(k))
		}
	}
	return len(t.musts) > 0
}

// markMusts makes the column of flags, of n updates that had none.
func (t *table) markMusts(n int) {
	clear(t.all.Flags[:n])
	for _, k := range t.musts {
		t.all.Flags[k] = packer.MustSend
	}
}
