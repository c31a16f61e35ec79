package fuzz

import (
	"cmp"
	"slices"

	"vicinity/crosslist"
	"vicinity/grid"
)

// relation is a membership. The disc of sight s is trigger 2s, the box 2s + 1.
type relation struct{ trigger, entity uint64 }

func compareRelations(a, b relation) int {
	return cmp.Or(cmp.Compare(a.trigger, b.trigger), cmp.Compare(a.entity, b.entity))
}

// change is an event without handles.
type change struct {
	relation
	kind crosslist.Kind
}

// judge decides about every pair by the definition, and returns what changed.
func (m *moves) judge() (changes []change) {
	decide := func(r relation, is func(limit int64) bool, radius, margin int32) {
		was, limit := m.held[r], int64(radius)
		if was {
			limit += int64(margin)
		}
		switch m.pairs++; {
		case is(limit) == was:
		case was:
			changes = append(changes, change{r, crosslist.Leave})
		default:
			changes = append(changes, change{r, crosslist.Enter})
		}
	}
	for _, g := range m.sights {
		x, y := g.centre()
		for _, v := range m.movers {
			if v == g.owner {
				continue
			}
			dx, dy := int64(v.x)-int64(x), int64(v.y)-int64(y)
			decide(relation{2 * g.id, v.id}, func(l int64) bool { return dx*dx+dy*dy <= l*l }, g.radius, g.margin)
			decide(relation{2*g.id + 1, v.id}, func(l int64) bool { return max(dx, -dx, dy, -dy) <= l }, g.radius, g.margin)
		}
	}
	for r := range m.held {
		if !m.alive[r.trigger/2] || !m.alive[r.entity] {
			changes = append(changes, change{r, crosslist.Leave})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return compareRelations(a.relation, b.relation) })
	m.apply(m.held, changes)
	return changes
}

// apply applies changes, each of which must be one.
func (m *moves) apply(to map[relation]bool, changes []change) {
	m.t.Helper()
	for _, c := range changes {
		if to[c.relation] != (c.kind == crosslist.Leave) {
			m.fail("%v of %v, which is a member: %v", c.kind, c.relation, to[c.relation])
		}
		if c.kind == crosslist.Enter {
			to[c.relation] = true
		} else {
			delete(to, c.relation)
		}
	}
}

// settle compares all three ways with each other.
func (m *moves) settle() {
	m.t.Helper()
	want := m.judge()
	m.settled++
	m.changed += len(want)

	// The list: one event a changed pair, in order, and the sets.
	got := make([]change, 0, len(m.events))
	for _, e := range m.events {
		got = append(got, change{relation{e.TriggerID, e.EntityID}, e.Kind})
	}
	m.events = m.events[:0]
	if !slices.Equal(got, want) {
		m.fail("events %v; want %v", got, want)
	}
	m.apply(m.told, got)
	asked, reverse := 0, 0
	for _, g := range m.sights {
		asked += m.members(2*g.id, g.disc) + m.members(2*g.id+1, g.box)
	}
	for _, v := range m.movers {
		triggers, err := m.list.AppendTriggers(nil, v.handle)
		m.must(err)
		reverse += len(triggers)
	}
	if asked != len(m.held) || reverse != len(m.held) || len(m.told) != len(m.held) {
		m.fail("the list has %d members, %d by entity, told of %d; want %d", asked, reverse, len(m.told), len(m.held))
	}

	// The views of a grid published now: differences, and the sets.
	m.tick++
	m.must(m.grid.Publish(m.tick))
	m.must(m.set.UpdateAll(nil))
	stats := m.set.Stats()
	m.onePass, m.general = m.onePass+stats.OnePass, m.general+stats.General
	got = got[:0]
	for _, g := range m.sights {
		from := len(got)
		for _, e := range g.view.AppendEnters(nil) {
			got = append(got, change{relation{2 * g.id, e.ID}, crosslist.Enter})
		}
		for _, e := range g.view.AppendLeaves(nil) {
			got = append(got, change{relation{2 * g.id, e.ID}, crosslist.Leave})
		}
		slices.SortFunc(got[from:], func(a, b change) int { return compareRelations(a.relation, b.relation) })
		g.view.Commit()
	}
	want = slices.DeleteFunc(want, func(c change) bool { return c.trigger%2 == 1 || !m.alive[c.trigger/2] })
	slices.SortFunc(got, func(a, b change) int { return compareRelations(a.relation, b.relation) })
	if !slices.Equal(got, want) {
		m.fail("views changed by %v; want %v", got, want)
	}
	m.apply(m.views, got)
	discs := 0
	for r := range m.held {
		if r.trigger%2 == 0 {
			discs++
		}
	}
	seen := 0
	for _, g := range m.sights {
		for _, e := range g.view.AppendMembers(nil) {
			if seen++; !m.held[relation{2 * g.id, e.ID}] {
				m.fail("view %d has member %d", g.id, e.ID)
			}
		}
	}
	if seen != discs || len(m.views) != discs {
		m.fail("views have %d members, told of %d; want %d", seen, len(m.views), discs)
	}
	if m.settled%16 == 0 {
		m.askRectangle()
		m.must(m.list.CheckInvariants())
	}
}

// members checks the members of a trigger and returns how many there are.
func (m *moves) members(id uint64, t crosslist.Trigger) int {
	m.t.Helper()
	handles, err := m.list.AppendMembers(nil, t)
	m.must(err)
	for _, h := range handles {
		if !m.held[relation{id, m.ids[h]}] {
			m.fail("trigger %d has member %d", id, m.ids[h])
		}
	}
	return len(handles)
}

// askRectangle asks list and grid about a rectangle, often with somebody on its edge.
func (m *moves) askRectangle() {
	x0, y0 := m.place(0, 0)
	x1, y1 := m.place(0, 0)
	r := grid.Rect{X0: min(x0, x1), Y0: min(y0, y1), X1: max(x0, x1), Y1: max(y0, y1)}
	var want, byList []uint32
	for _, v := range m.movers {
		if r.X0 <= v.x && v.x <= r.X1 && r.Y0 <= v.y && v.y <= r.Y1 {
			want = append(want, v.handle.Slot())
		}
	}
	handles, err := m.list.AppendIn(nil, crosslist.Rect(r))
	m.must(err)
	for _, h := range handles {
		byList = append(byList, h.Slot())
	}
	byGrid, err := m.grid.Snapshot().AppendIn(nil, r, grid.Filter{})
	m.must(err)
	slices.Sort(want)
	slices.Sort(byList)
	slices.Sort(byGrid)
	if !slices.Equal(byList, want) || !slices.Equal(byGrid, want) {
		m.fail("in %+v: list %v, grid %v; want %v", r, byList, byGrid, want)
	}
}
