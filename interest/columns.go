package interest

import "vicinity/arena"

// RowColumns are columns of a view's rows. They are valid until the view's next
// change and must not be written.
type RowColumns struct {
	// Slot is the arena slot of each row in use. For a pending leave it may belong to
	// somebody else by now, or be no slot at all (all ones).
	Slot []uint32
	// Dist2 is the squared distance of each member in square units, rounded:
	// float32(float32(dx*dx) + float32(dy*dy)) with dx and dy the float32 values of the
	// int32 differences; of several viewpoints the smallest. As of the last update.
	// Nil unless Observer.Measured. Config.MeasureLate leaves it out: see [View.Sight].
	Dist2 []float32
	// Level is the level of each member. Nil unless Observer.Measured.
	Level []Level
	// Since is the tick of the snapshot at which an enter or leave became pending, for
	// rows for which one is. It may end behind the last of these.
	Since []uint64
}

// Columns returns the view's columns, one element a row of [View.Words]. O(1).
func (v *View) Columns() RowColumns {
	return RowColumns{Slot: v.rows.slot, Dist2: v.rows.dist2, Level: v.rows.level, Since: v.rows.since}
}

// Words returns the number of words of 64 rows: row r is bit r % 64 of word r / 64.
// The columns, save Since, have an element for every bit.
func (v *View) Words() int { return len(v.rows.words) }

// KnownWord returns the members among rows 64i to 64i+63 whose enter was delivered.
func (v *View) KnownWord(i int) uint64 { return v.rows.words[i].member & v.rows.words[i].delivered }

// PendingWord returns the members among these rows whose enter is pending.
func (v *View) PendingWord(i int) uint64 { return v.rows.words[i].member &^ v.rows.words[i].delivered }

// LeavingWord returns the rows among these whose leave is pending.
func (v *View) LeavingWord(i int) uint64 { return v.rows.words[i].delivered &^ v.rows.words[i].member }

// Event returns the enter or leave that is pending for a row, see [View.PendingWord]
// and [View.LeavingWord]. Of a member that was delivered it is the last one. A row that
// is not in use is an error of the caller's: the result says nothing, or it panics.
// O(1), no allocation.
func (v *View) Event(row uint32) Event {
	e := &v.rows.row[row]
	return Event{
		Row: row, Reason: e.reason, Sources: e.sources, Entity: e.handle(), ID: e.id, Since: v.rows.since[row],
	}
}

// RowOf returns the row of a member, or of an entity whose leave is pending unless
// its slot has passed to somebody else. O(rows), 16 at a time; no allocation.
func (v *View) RowOf(h arena.Handle) (row uint32, ok bool) {
	r := v.rows.find(h.Slot())
	if r < 0 || v.rows.row[r].generation != h.Generation() {
		return 0, false
	}
	return uint32(r), true
}

// CommitRows confirms that the pending enters and leaves of these rows, as of the
// last update, were delivered; what else is pending stays so. Rows for which nothing
// is pending, and rows that do not exist, are passed over. O(rows given).
func (v *View) CommitRows(rows []uint32) {
	for _, r := range rows {
		if uint64(r) >= uint64(len(v.rows.slot)) {
			continue
		}
		w, b := v.rows.bit(int(r))
		w.delivered = w.delivered&^b | w.member&b
		v.rows.releaseWord(int(r/64), w)
	}
}
