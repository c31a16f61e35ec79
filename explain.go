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
	if e.c.view.Paused() {
		e.say("the connection is paused; as of its last update ")
	}
	row, ok := e.rowOf(h)
	if !ok {
		e.absent(h)
		return
	}
	e.present(h, row)
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
	if t.Ask && !w.cfg.Predicate(e.c.id, h) {
		e.say("; not permitted: the predicate says no")
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
	from, ok := w.centre(o)
	if !ok {
		e.say("; the observer's entity is gone")
		return
	}
	p, _ := w.grid.Position(h)
	u := float64(w.cfg.Unit)
	d := math.Hypot(float64(p.X)-float64(from.X), float64(p.Y)-float64(from.Y)) * u
	e.say("; it is at %.2f m, strangers of reach class %d enter at %.2f m and stay up to %.2f m", d, class,
		float64(r.Enter)*scale*u, (float64(r.Enter)+float64(r.Margin))*scale*u)
	if w.cfg.Height && r.Height != grid.AnyHeight {
		e.say("; it is %.2f m above, of %.2f m", (float64(p.Z)-float64(from.Z))*u, float64(r.Height)*u)
	}
}

// centre returns where an observer stands.
func (w *World) centre(o *interest.Observer) (grid.Point, bool) {
	if o.Entity == 0 {
		return o.At, true
	}
	return w.grid.Position(o.Entity)
}

// present says what has become of somebody in view.
func (e *explanation) present(h Handle, row uint32) {
	w, c := e.w, e.c
	if c.view.PendingWord(int(row/64))>>(row%64)&1 != 0 {
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
	changed := w.hot.Slice()[h.Slot()].changed
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

// verdict says what the last packing decided.
func (e *explanation) verdict(h Handle) {
	c := e.c
	if v, ok := c.trace.of(h); ok {
		if v.sent {
			e.say("; selected as number %d (%v) at level %d: %d bytes of %d left", v.order+1, v.reason, v.level, v.cost, v.left)
		} else {
			e.say("; deferred (%v): %d bytes, and %d were left at the end", v.why, v.cost, v.left)
		}
	} else if c.trace == nil && c.budget != nil {
		e.say("; the connection is not traced: Trace it to know what packing decides")
	}
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
			e.say(" of %d, and left %d out for want of room", c.budget.Bytes(), t.deferred[packer.WhyNoRoom])
		}
	}
}
