package interest

import (
	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// changedBlock is the changed entities of a layer, as a layer of one cell.
type changedBlock struct {
	cells asm.Cells
	start [2]uint32
	large []uint32 // slots of those with bodies, who are not in it
}

// sortChanged prepares the changed entities for [View.followChanges]: by layer, with
// their places side by side.
func (s *Set) sortChanged(now *grid.Snapshot) {
	t := &s.traits
	for i := range t.blocks {
		t.blocks[i].clear()
	}
	if t.sorted = !t.tooMany; !t.sorted {
		return
	}
	for _, slot := range t.changed {
		if layer, ok := s.cfg.Grid.Home(arena.MakeHandle(slot, t.records[slot].generation)); ok {
			if b := &t.blocks[layer]; s.places.body(slot) != (grid.Body{}) {
				b.large = append(b.large, slot)
			} else {
				b.add(slot, s.places.of(slot), s.heights)
			}
		}
	}
	for i := range t.blocks {
		t.blocks[i].finish()
	}
}

func (b *changedBlock) clear() {
	c := &b.cells
	c.X, c.Y, c.Z, c.Slot = c.X[:0], c.Y[:0], c.Z[:0], c.Slot[:0]
	b.large = b.large[:0]
}

func (b *changedBlock) add(slot uint32, p grid.Point, heights bool) {
	c := &b.cells
	c.X, c.Y, c.Slot = append(c.X, p.X), append(c.Y, p.Y), append(c.Slot, slot)
	if heights {
		c.Z = append(c.Z, p.Z)
	}
}

// finish adds the slack behind the columns and makes them one cell.
func (b *changedBlock) finish() {
	c, n := &b.cells, len(b.cells.Slot)
	if n == 0 {
		return
	}
	for range asm.Slack {
		c.X, c.Y, c.Slot = append(c.X, 0), append(c.Y, 0), append(c.Slot, 0)
		if len(c.Z) > 0 {
			c.Z = append(c.Z, 0)
		}
	}
	c.X, c.Y, c.Slot = c.X[:n], c.Y[:n], c.Slot[:n]
	if len(c.Z) > 0 {
		c.Z = c.Z[:n]
	}
	b.start = [2]uint32{0, uint32(n)}
	c.Start, c.LogW, c.RowMask = b.start[:], 0, 0
}

// followChanges judges the entities of which something changed besides where they
// are: those within reach, those in the observer's groups, and members.
func (v *View) followChanges(now *grid.Snapshot, sc *scratch) {
	t := &v.set.traits
	for class := range v.reach {
		b := &t.blocks[class]
		if l := &v.reach[class]; l.Enter != Unseen && len(b.cells.Slot) > 0 {
			d := l.disc(sc.points[0])
			block := asm.Block{Rows: 1, ColEnd: 1}
			sc.found = asm.AppendSlots(sc.found[:0], &b.cells, &block, &d)
			for _, slot := range sc.found {
				v.judge(now, sc, slot)
			}
		}
		for _, slot := range b.large {
			if v.reaches(sc, class, slot, true) {
				v.judge(now, sc, slot)
			}
		}
	}
	if v.groups == [groups]uint32{} {
		return
	}
	for _, slot := range t.changed {
		if commonGroups(&t.records[slot].groups, &v.groups) != 0 {
			v.judge(now, sc, slot)
		}
	}
}

// followRelations judges what is related and came or changed, and lets go who is
// no longer there.
func (v *View) followRelations(now *grid.Snapshot, sc *scratch, changes bool) {
	for i := range v.rows.words {
		for word := v.rows.words[i].related; word != 0; word &= word - 1 {
			r := 64*i + lowest(word)
			switch slot := v.rows.slot[r]; {
			case !v.set.cfg.Grid.HasSlot(slot):
				sc.undo.keep(v, r)
				v.leave(r, ReasonDespawn)
			case changes && v.changed(slot):
				v.judge(now, sc, slot)
			}
		}
	}
	dead := false
	for k := range v.relations {
		e := &v.relations[k]
		held := v.set.holds(e.entity)
		if slot := e.entity.Slot(); held && (!e.held || changes && v.changed(slot)) {
			v.judge(now, sc, slot)
		}
		e.held = held
		dead = dead || !held && !v.set.cfg.Arena.Alive(e.entity)
	}
	if dead {
		v.dropDead()
	}
}

// judge decides anew about the entity of a slot, if the snapshot has one. It does
// for one entity what compare does for all, and may be done again in one update.
func (v *View) judge(now *grid.Snapshot, sc *scratch, slot uint32) {
	if !v.set.cfg.Grid.HasSlot(slot) {
		return
	}
	h := now.Handle(slot)
	if h == v.excluded() || sc.isStranger(h) {
		return
	}
	r := v.find(sc, slot)
	member := r >= 0 && v.rows.isMember(r)
	had := Sources(0)
	if member {
		had = v.rows.sources(r)
		sc.undo.keep(v, r)
	}
	class := v.set.class(h)
	s := v.related(h)
	if h == v.entity || v.reaches(sc, int(class), slot, had&Spatial != 0) {
		s |= Spatial
	}
	switch {
	case s == 0 && member:
		v.leave(r, reasonOf(had))
	case s == 0:
	case !v.permits(sc, h, member):
		if member {
			v.leave(r, ReasonPermission)
		}
	case member:
		v.rows.setSources(r, s)
	default:
		e := stranger{id: now.ID(slot), handle: h, sources: s, class: class, reason: reasonOf(s)}
		if v.newlyPermitted(h) {
			e.reason = ReasonPermission
		}
		v.admit(sc, r, e)
	}
	v.relational = v.relational || s&^Spatial != 0
}

// isStranger reports whether somebody enters already.
func (sc *scratch) isStranger(h arena.Handle) bool {
	for i := range sc.strangers {
		if sc.strangers[i].handle == h {
			return true
		}
	}
	return false
}

// reaches reports whether the entity of a slot has the source Spatial: within the
// leave radius for those who had it before, within the enter radius for others.
func (v *View) reaches(sc *scratch, class int, slot uint32, had bool) bool {
	l := &v.reach[class]
	if l.Enter == Unseen {
		return false
	}
	radius, height := l.Enter, l.enterHeight
	if had {
		radius, height = l.outer, l.leaveHeight
	}
	q, b := v.set.places.of(slot), v.set.places.body(slot)
	for _, p := range sc.points {
		if l.near(b, q, p, radius, height) {
			return true
		}
	}
	return false
}

// admits reports whether an element is within the enter limits around p.
func (l *limits) admits(c grid.Columns, i uint32, p grid.Point) bool {
	q, b := grid.Point{X: c.X[i], Y: c.Y[i]}, grid.Body{}
	if c.Z != nil {
		q.Z = c.Z[i]
	}
	if c.Bodies != nil {
		b = c.Bodies[i]
	}
	return l.near(b, q, p, l.Enter, l.enterHeight)
}

// near reports whether a body at q is within a radius and a height of p.
func (l *limits) near(b grid.Body, q, p grid.Point, radius int32, height uint32) bool {
	if l.flags&asm.WithHeight != 0 {
		dz := int64(q.Z) - int64(p.Z)
		if max(dz, -dz) > int64(height) {
			return false
		}
	}
	return b.Within(q.X-p.X, q.Y-p.Y, radius)
}
