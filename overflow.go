package vicinity

import (
	"cmp"
	"math"

	"vicinity/packer"
)

// The packer takes packer.MaxCandidates at a time. Of a view with more, the best are
// chosen by the packer's own order: leaves, then enters, each by their order; of the
// updates those that must be sent, the starving by how long they wait, those of
// classes with a share, and everybody by key. Each of these kinds has some room of its
// own, and what it does not need goes to everybody: so none can crowd the others out,
// whoever waits gets in as a starving one sooner or later, and the important ones are
// always in. Half of the room is for updates, if there are so many.
//
// What a budget takes of those chosen is what it would take of all, unless it has room
// left behind the last of them. Those who were not chosen are deferred for want of
// room.

// contender is a candidate that may have to be left out. Smaller is better.
type contender struct {
	first uint64 // before all else
	key   uint64 // effective priority, then distance
	id    uint64
	index uint32 // into the table
	kind  packer.Flags
	group uint32
	class uint8
	late  uint32 // how long it waits, if it starves
	taken bool
}

func (c *contender) compare(o *contender) int {
	return cmp.Or(cmp.Compare(c.first, o.first), cmp.Compare(c.key, o.key), cmp.Compare(c.id, o.id), cmp.Compare(c.index, o.index))
}

// overflow is the memory of a choice; there is none before the first.
type overflow struct {
	all, pool []contender
	// lifecycle and updates say how many of these were left out, must how many of the
	// updates must be sent; the waits are the longest that one left out has waited, in
	// the lifecycle and at all.
	lifecycle, updates, must int
	lifecycleWait, wait      uint32
	dice                     uint32

	best map[uint32]contender // of each group
	torn map[uint32]bool      // groups of which somebody was not taken
}

// leftOut returns how many candidates the choice left out.
func (o *overflow) leftOut() int { return o.lifecycle + o.updates }

// chooseLifecycle leaves the best leaves and enters in the table, if there are too
// many with that many updates.
func (w *World) chooseLifecycle(sc *scratch, c *connection, updates int) {
	t, o := &sc.table, &sc.overflow
	o.lifecycle, o.updates, o.must, o.lifecycleWait, o.wait = 0, 0, 0, 0, 0
	room := packer.MaxCandidates - min(updates, packer.MaxCandidates/2)
	if t.enters <= room {
		return
	}
	o.gather(w, t, 0, t.enters)
	for i := range o.all {
		e := &o.all[i]
		if e.first = 0; int(e.index) >= t.leaves {
			e.first = 1
			if t.all.Cost[0][e.index] > c.budget.Reserve() {
				e.first = 2 // it can never be sent
			}
		}
	}
	o.take(room, func(*contender) bool { return true })
	leaves, enters := 0, 0
	for i := range o.all {
		e := &o.all[i]
		k := int(e.index)
		if !e.taken {
			if o.lifecycle++; e.first < 2 {
				o.lifecycleWait = max(o.lifecycleWait, t.all.Waited[k])
			}
			continue
		}
		if k < t.leaves {
			sc.events[enters] = sc.events[k]
			leaves++
		}
		t.move(enters, k)
		enters++
	}
	t.leaves, t.enters, o.wait = leaves, enters, o.lifecycleWait
}

// chooseUpdates leaves the best updates in the table, of n candidates, and returns how
// many candidates there are then.
func (w *World) chooseUpdates(sc *scratch, c *connection, n int, need *needs) int {
	t, o := &sc.table, &sc.overflow
	o.updates, o.must, o.wait = 0, 0, o.lifecycleWait
	if n <= packer.MaxCandidates {
		return n
	}
	o.gather(w, t, t.enters, n)
	o.describe(w, t, c, need)
	room := packer.MaxCandidates - t.enters
	o.takeBy(room/4, func(e *contender) (bool, uint64) { return e.kind == packer.MustSend, 0 })
	o.takeBy(room/4, func(e *contender) (bool, uint64) { return e.late != 0, math.MaxUint32 - uint64(e.late) })
	for class := range w.cfg.Classes {
		if w.cfg.Classes[class].Share > 0 {
			o.takeBy(room/8/len(w.cfg.Classes), func(e *contender) (bool, uint64) { return int(e.class) == class, 0 })
		}
	}
	taken := 0
	for i := range o.all {
		if o.all[i].taken {
			taken++
		}
	}
	o.takeBy(room-taken, func(e *contender) (bool, uint64) { return true, uint64(e.kind & packer.Unchanged) })
	o.completeGroups(need)
	to := t.enters
	for i := range o.all {
		e := &o.all[i]
		if e.taken {
			t.move(to, int(e.index))
			to++
			continue
		}
		o.updates++
		if e.kind == packer.MustSend {
			o.must++
		}
		if e.kind != packer.Unchanged {
			o.wait = max(o.wait, t.all.Waited[e.index])
		}
	}
	return to
}

// gather lists the candidates from lo to hi by the packer's order.
func (o *overflow) gather(w *World, t *table, lo, hi int) {
	if cap(o.all) < hi-lo {
		o.all = make([]contender, 0, (hi-lo)+(hi-lo)/8)
		o.pool = make([]contender, 0, cap(o.all))
	}
	o.all = o.all[:0]
	a := &t.all
	for k := lo; k < hi; k++ {
		rank := w.age(math.MaxUint16-a.Priority[k], a.Class[k], a.Waited[k])
		o.all = append(o.all, contender{key: key(rank, a.Dist2[k]), id: a.ID[k], index: uint32(k), class: a.Class[k]})
	}
}

// describe notes what kinds of updates they are. The members of a group are what the
// best of them is, and those that can never be sent come last, as packer.Unchanged.
func (o *overflow) describe(w *World, t *table, c *connection, need *needs) {
	a := &t.all
	for i := range o.all {
		e := &o.all[i]
		k := e.index
		least := a.Cost[0][k]
		if need.levels && w.cfg.Degrade {
			for _, column := range a.Cost[1:] {
				if column[k] != 0 {
					least = min(least, column[k])
				}
			}
		}
		if least > c.budget.Bytes() {
			e.kind = packer.Unchanged
			continue
		}
		if need.flags && a.Flags[k]&packer.MustSend != 0 {
			e.kind = packer.MustSend
		}
		if s := w.silences[a.Class[k]%packer.MaxClasses]; a.Waited[k] >= s {
			e.late = a.Waited[k]
		}
		if need.group {
			e.group = a.Group[k]
		}
	}
	if !need.group {
		return
	}
	if o.best == nil {
		o.best = map[uint32]contender{}
	}
	clear(o.best)
	for i := range o.all {
		e := &o.all[i]
		if e.group == 0 {
			continue
		}
		b, ok := o.best[e.group]
		if !ok {
			b = *e
		}
		kind, late := max(b.kind, e.kind), max(b.late, e.late)
		if e.compare(&b) < 0 {
			b = *e
		}
		b.kind, b.late = kind, late
		o.best[e.group] = b
	}
	for i := range o.all {
		if e := &o.all[i]; e.group != 0 {
			b := o.best[e.group]
			e.kind, e.late, e.key, e.id, e.class = b.kind, b.late, b.key, b.id, b.class
		}
	}
}

// takeBy takes the best n of those that belong, by what by says first.
func (o *overflow) takeBy(n int, by func(e *contender) (belongs bool, first uint64)) {
	for i := range o.all {
		_, o.all[i].first = by(&o.all[i])
	}
	o.take(n, func(e *contender) bool { belongs, _ := by(e); return belongs })
}

// take takes the best n of those that belong and were not taken.
func (o *overflow) take(n int, belongs func(e *contender) bool) {
	o.pool = o.pool[:0]
	for i := range o.all {
		if e := &o.all[i]; !e.taken && belongs(e) {
			c := *e
			c.index = uint32(i)
			o.pool = append(o.pool, c)
		}
	}
	n = min(max(n, 0), len(o.pool))
	o.selectBest(o.pool, n)
	for i := range o.pool[:n] {
		o.all[o.pool[i].index].taken = true
	}
}

// completeGroups gives up groups that are in by half: they go all or none.
func (o *overflow) completeGroups(need *needs) {
	if !need.group {
		return
	}
	if o.torn == nil {
		o.torn = map[uint32]bool{}
	}
	clear(o.torn)
	for i := range o.all {
		if e := &o.all[i]; e.group != 0 && !e.taken {
			o.torn[e.group] = true
		}
	}
	for i := range o.all {
		if e := &o.all[i]; o.torn[e.group] {
			e.taken = false
		}
	}
}

// selectBest puts the best n to the front, in no order: Hoare's selection with the
// median of three, drawn at random, for rows are often in some order. There are no
// equals, so what is drawn decides how long it takes, and nothing else.
func (o *overflow) selectBest(list []contender, n int) {
	draw := func() *contender {
		o.dice = o.dice*1664525 + 1013904223
		return &list[uint64(o.dice)*uint64(len(list))>>32]
	}
	for n > 0 && n < len(list) {
		pivot := middle(draw(), draw(), draw())
		i, j := 0, len(list)-1
		for i <= j {
			for list[i].compare(&pivot) < 0 {
				i++
			}
			for list[j].compare(&pivot) > 0 {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			list = list[:j+1]
		case n >= i:
			list, n = list[i:], n-i
		default:
			return
		}
	}
}

func middle(a, b, c *contender) contender {
	if a.compare(b) > 0 {
		a, b = b, a
	}
	if b.compare(c) > 0 {
		b = c
	}
	if a.compare(b) > 0 {
		b = a
	}
	return *b
}

// move copies a candidate to another place of the table.
func (t *table) move(to, from int) {
	a := &t.all
	t.slot[to], t.event[to] = t.slot[from], t.event[from]
	a.ID[to], a.Priority[to], a.Dist2[to], a.Class[to] = a.ID[from], a.Priority[from], a.Dist2[from], a.Class[from]
	for l := range a.Cost {
		a.Cost[l][to] = a.Cost[l][from]
	}
	a.Flags[to], a.Level[to], a.Waited[to], a.Silent[to] = a.Flags[from], a.Level[from], a.Waited[from], a.Silent[from]
	a.Group[to], a.Row[to] = a.Group[from], a.Row[from]
}
