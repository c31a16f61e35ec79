package interest

// A predicate may panic in the middle of an update. The view is then to be what it
// was after its last one: so that nothing half done is delivered, and the next update
// judges, with its hysteresis, from a state that was true once.

// undo is what that takes: kept while an update may ask the predicate.
type undo struct {
	on     bool
	placed bool
	tick   uint64
	words  []word
	rows   []rowBefore
}

// rowBefore is a row before it was changed.
type rowBefore struct {
	at    int
	slot  uint32
	row   row
	since uint64
	level Level
}

// ready makes the scratch memory fit for an update, whatever became of the last one.
func (sc *scratch) ready() {
	if sc.indexed {
		clear(sc.index.row)
		sc.indexed, sc.linked = false, false
	}
	sc.answers.clear()
	sc.undo.on = false
	sc.strangers, sc.returned, sc.crowd = sc.strangers[:0], sc.returned[:0], sc.crowd[:0]
}

// begin keeps what an update will change.
func (u *undo) begin(v *View) {
	u.on, u.tick, u.placed = true, v.tick, v.placed
	u.words, u.rows = append(u.words[:0], v.rows.words...), u.rows[:0]
}

// keep keeps a row that is about to change while the predicate may still be asked.
func (u *undo) keep(v *View, r int) {
	if !u.on {
		return
	}
	t := &v.rows
	b := rowBefore{at: r, slot: t.slot[r], row: t.row[r], since: t.since[r]}
	if t.measured {
		b.level = t.level[r]
	}
	u.rows = append(u.rows, b)
}

// rollBack undoes an update that did not come to the point where nobody is asked any
// more. The next one compares sets.
func (u *undo) rollBack(v *View) {
	if !u.on {
		return
	}
	u.on = false
	t := &v.rows
	copy(t.words, u.words)
	for i := len(u.rows) - 1; i >= 0; i-- {
		b := &u.rows[i]
		t.slot[b.at], t.row[b.at], t.since[b.at] = b.slot, b.row, b.since
		if t.measured {
			t.level[b.at] = b.level
		}
	}
	v.tick, v.placed, v.force = u.tick, u.placed, true
}
