package vicinity

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vicinity/grid"
	"vicinity/interest"
	"vicinity/packer"
)

// Explain says in words why a connection was or was not sent an entity at the last
// Tick. It is for people: the wording is not promised. With [World.Trace] it knows
// what packing decided. It allocates; not for a callback.
func (w *World) Explain(id ConnID, entity uint64) string {
	if err := w.ready(); err != nil {
		return err.Error()
	}
	c, ok := w.conns[id]
	if !ok {
		return fmt.Sprintf("there is no connection %d", id)
	}
	e := explanation{w: w, c: c, id: entity}
	e.say("connection %d, entity %d, tick %d: ", id, entity, w.tick)
	e.explain()
	return e.text.String()
}

type explanation struct {
	w    *World
	c    *connection
	id   uint64
	text strings.Builder
}

func (e *explanation) say(format string, args ...any) { fmt.Fprintf(&e.text, format, args...) }

func (e *explanation) explain() {
	if leave, ok := e.leaving(); ok {
		e.say("its leave (%v) is pending since tick %d", leave.Reason, leave.Since)
		e.successor(leave.Entity)
		e.verdict(leave.Entity)
		return
	}
	h, ok := e.w.Handle(e.id)
	if !ok {
		e.say("there is no such entity")
		return
	}
	if e.w.grid.Snapshot() == nil || !e.w.grid.Holds(h) {
		e.say("it was spawned after the last tick: it can enter at the next")
		return
	}
	if e.c.due == 0 {
		e.say("the connection was not updated yet: it is when it is due for the first time")
		return
	}
	if e.c.view.Paused() {
		e.say("the connection is paused; ")
	}
	if e.c.due != e.w.now {
		e.say("as of its last update, at tick %d: ", e.w.epoch+uint64(e.c.due))
	}
	row, ok := e.rowOf(h)
	if !ok {
		e.absent(h)
		return
	}
	e.present(h, row)
}

// successor says what a pending leave means for another entity that has the ID now.
func (e *explanation) successor(left Handle) {
	h, ok := e.w.Handle(e.id)
	if !ok || h == left {
		return
	}
	if row, in := e.rowOf(h); in && e.pending(row) {
		e.say("; another entity has the ID now, whose enter is pending")
		if e.c.budget != nil {
			e.say(" and waits until that leave was delivered")
		}
	}
}

// pending reports whether the enter in a row is pending.
func (e *explanation) pending(row uint32) bool {
	return e.c.view.PendingWord(int(row/64))>>(row%64)&1 != 0
}

// leaving returns the pending leave of the entity.
func (e *explanation) leaving() (interest.Event, bool) {
	for _, l := range e.c.view.AppendLeaves(nil) {
		if l.ID == e.id {
			return l, true
		}
	}
	return interest.Event{}, false
}

// rowOf returns the row of a member.
func (e *explanation) rowOf(h Handle) (row uint32, ok bool) {
	for _, m := range e.c.view.AppendMembers(nil) {
		if m.Entity == h {
			return m.Row, true
		}
	}
	return 0, false
}

// absent says why somebody is not in view.
func (e *explanation) absent(h Handle) {
	w, o := e.w, e.c.view.Observer()
	e.say("not in view")
	if h == o.Entity && o.ExcludeSelf {
		e.say(": it is the observer itself, which is excluded")
		return
	}
	t, _ := w.set.Traits(h)
	if missing := t.Need &^ o.Mask; missing != 0 && h != o.Entity {
		e.say("; not permitted: it needs bits %#x, the connection lacks %#x of them", t.Need, missing)
	}
	if t.Any != 0 && t.Any&o.Mask == 0 && h != o.Entity {
		e.say("; not permitted: it needs one of the bits %#x, the connection has %#x", t.Any, o.Mask)
	}
	if t.Ask && h != o.Entity && !w.cfg.Predicate(e.c.id, h) {
		e.say("; not permitted: the predicate says no")
	}
	if s := e.c.view.Related(h); s != 0 {
		e.say("; it is related (sources %#x), which counts from the next update on", s)
	}
	e.distance(h, &o)
	if o.Cap.MaxMembers > 0 && e.c.view.Len() >= o.Cap.MaxMembers {
		e.say("; %d are in view with a cap of %d: it may be culled", e.c.view.Len(), o.Cap.MaxMembers)
	}
}

// distance says how far it is, and how far is seen.
func (e *explanation) distance(h Handle, o *interest.Observer) {
	w := e.w
	class := int(w.records.Slice()[h.Slot()].flags & reachBits)
	reach, _ := w.reaches(w.cfg.Reach)
	if o.Reach != nil {
		reach = o.Reach
	}
	scale := o.Scale
	if scale == 0 {
		scale = 1
	}
	r := reach[class]
	if r.Enter == interest.Unseen {
		e.say("; its reach class %d is not seen", class)
		return
	}
	p, _ := w.grid.Position(h)
	body, _ := w.grid.Body(h)
	from, ok := w.nearest(o, p, body)
	if !ok {
		e.say("; the entities that it looks from are gone")
		return
	}
	u := float64(w.cfg.Unit)
	d := between(from, p, body) * u
	e.say("; it is at %.2f m, strangers of reach class %d enter at %.2f m and stay up to %.2f m", d, class,
		float64(r.Enter)*scale*u, (float64(r.Enter)+float64(r.Margin))*scale*u)
	if w.cfg.Height && r.Height != grid.AnyHeight {
		e.say("; it is %.2f m above, of %.2f m", (float64(p.Z)-float64(from.Z))*u, float64(r.Height)*u)
	}
}

// nearest returns the viewpoint of an observer that is nearest to a body at p; ok is
// false if there is none.
func (w *World) nearest(o *interest.Observer, p grid.Point, b grid.Body) (from grid.Point, ok bool) {
	look := func(entity Handle, at grid.Point) {
		there := true
		if entity != 0 {
			at, there = w.grid.Position(entity)
		}
		if there && (!ok || between(at, p, b) < between(from, p, b)) {
			from, ok = at, true
		}
	}
	look(o.Entity, o.At)
	for _, v := range o.More {
		look(v.Entity, v.At)
	}
	return from, ok
}

// between is how far the nearest point of a body at p is from a viewpoint in the plane,
// in units.
func between(from, p grid.Point, b grid.Body) float64 {
	dx := math.Abs(float64(p.X)-float64(from.X)) - float64(b.HalfX)
	dy := math.Abs(float64(p.Y)-float64(from.Y)) - float64(b.HalfY)
	return max(math.Hypot(max(dx, 0), max(dy, 0))-float64(b.Radius), 0)
}

// present says what has become of somebody in view.
func (e *explanation) present(h Handle, row uint32) {
	w, c := e.w, e.c
	if e.pending(row) {
		enters := c.view.AppendEnters(nil)
		event := enters[slices.IndexFunc(enters, func(x interest.Event) bool { return x.ID == e.id })]
		e.say("in view (%v); its enter is pending since tick %d", event.Reason, event.Since)
		if cost := w.extras.Slice()[h.Slot()].spawn; c.budget != nil && cost > c.budget.Reserve() {
			e.say("; its spawn costs %d bytes and the reserve is %d: it can never be sent", cost, c.budget.Reserve())
		}
		e.verdict(h)
		return
	}
	if c.watch {
		e.say("in view; a watcher gets no updates")
		return
	}
	sent := c.pairs.sent[row]
	changed := w.hot.Slice()[h.Slot()].Changed
	switch {
	case sent == w.now:
		e.say("in view; sent at this tick")
	case changed <= sent:
		e.say("in view; sent at tick %d, and has not changed since", w.epoch+uint64(sent))
	default:
		e.say("in view; sent at tick %d, changed at tick %d", w.epoch+uint64(sent), w.epoch+uint64(changed))
		if since := c.pairs.since[row]; since != 0 {
			e.say(", waits since tick %d", w.epoch+uint64(since))
		}
	}
	e.verdict(h)
}

// traced says what packing decided, if the connection has a budget.
func (e *explanation) traced(h Handle) {
	c := e.c
	if c.budget == nil {
		return
	}
	if c.trace == nil {
		e.say("; the connection is not traced: Trace it to know what packing decides")
		return
	}
	v, ok := c.trace.of(h)
	if c.trace.tick != e.w.tick && c.trace.tick != 0 {
		e.say("; it was packed last at tick %d", c.trace.tick)
	}
	switch {
	case !ok && c.trace.leftOut > 0:
		e.say("; %d candidates were left out, as there were more than %d", c.trace.leftOut, packer.MaxCandidates)
	case !ok:
	case v.sent:
		e.say("; selected as number %d (%v) at level %d: %d bytes of %d left", v.order+1, v.reason, v.level, v.cost, v.left)
	default:
		e.say("; deferred (%v): %d bytes, and %d were left at the end", v.why, v.cost, v.left)
	}
}

// verdict says what the last packing decided, and what was delivered.
func (e *explanation) verdict(h Handle) {
	c := e.c
	e.traced(h)
	switch t := &c.told; {
	case t.err != nil:
		e.say("; packing failed: %v", t.err)
	case t.tick == 0:
		e.say("; nothing was delivered yet")
	case t.tick != e.w.tick:
		e.say("; the last delivery was at tick %d", t.tick)
	default:
		e.say("; the delivery had %d bytes", t.bytes)
		if c.budget != nil {
			e.say(" of %d, and left %d out for want of room", c.budget.Bytes(), t.noRoom)
		}
	}
}
