package interest

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"vicinity/arena"
	"vicinity/grid"
)

// rowsModel is a view's rows made of maps.
type rowsModel struct {
	rowOf     map[arena.Handle]uint32
	member    map[arena.Handle]bool
	delivered map[arena.Handle]bool
}

// lowest returns the lowest free row.
func (m *rowsModel) lowest() uint32 {
	taken := map[uint32]bool{}
	for _, row := range m.rowOf {
		taken[row] = true
	}
	row := uint32(0)
	for taken[row] {
		row++
	}
	return row
}

// update is UpdateFrom by the rules, with all candidates inner.
func (m *rowsModel) update(now []Candidate) {
	found := map[arena.Handle]bool{}
	for _, c := range now {
		found[c.Entity] = true
	}
	for h := range m.member {
		if !found[h] {
			delete(m.member, h)
		}
	}
	// Whom nobody needs is forgotten before strangers get rows, except who returns.
	for h := range m.rowOf {
		if !m.delivered[h] && !found[h] {
			delete(m.rowOf, h)
		}
	}
	sorted := slices.Clone(now)
	slices.SortFunc(sorted, func(a, b Candidate) int { return int(a.ID) - int(b.ID) })
	for _, c := range sorted {
		m.member[c.Entity] = true
		if _, ok := m.rowOf[c.Entity]; !ok {
			m.rowOf[c.Entity] = m.lowest()
		}
	}
}

func (m *rowsModel) commit() {
	clear(m.delivered)
	for h := range m.member {
		m.delivered[h] = true
	}
	m.release()
}

func (m *rowsModel) resync() {
	clear(m.delivered)
	m.release()
}

func (m *rowsModel) release() {
	for h := range m.rowOf {
		if !m.member[h] && !m.delivered[h] {
			delete(m.rowOf, h)
		}
	}
}

// TestRowsAgainstMaps plays random sets, with slots used again by other handles,
// few rows and many, against maps.
func TestRowsAgainstMaps(t *testing.T) {
	for _, size := range []int{3, 60, 70, 400} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := newRandom(t, 9)
			a, err := arena.New(arena.Config{})
			if err != nil {
				t.Fatal(err)
			}
			set, err := New(Config{Arena: a})
			if err != nil {
				t.Fatal(err)
			}
			v, err := set.Add(Observer{})
			if err != nil {
				t.Fatal(err)
			}
			m := &rowsModel{map[arena.Handle]uint32{}, map[arena.Handle]bool{}, map[arena.Handle]bool{}}
			var all []Candidate
			lastID := uint64(0)
			for step := range 24_000 / (size + 60) {
				// Some die, and others take their slots at once.
				all = slices.DeleteFunc(all, func(c Candidate) bool { return r.below(12) == 0 && a.Free(c.Entity) })
				for len(all) < size {
					h, err := a.Alloc()
					if err != nil {
						t.Fatal(err)
					}
					lastID++
					all = append(all, Candidate{Entity: h, ID: lastID * 40_503 % 65_537, Inner: true})
				}
				var now []Candidate
				odds := 1 + r.below(4)
				for _, c := range all {
					if r.below(odds) == 0 {
						now = append(now, c)
					}
				}
				if err := v.UpdateFrom(now); err != nil {
					t.Fatal(err)
				}
				m.update(now)
				if r.below(3) > 0 {
					v.Commit()
					m.commit()
				}
				if r.below(20) == 0 {
					v.Resync()
					m.resync()
				}
				if err := v.CheckInvariants(); err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				got := map[arena.Handle]uint32{}
				for _, e := range v.AppendMembers(nil) {
					got[e.Entity] = e.Row
				}
				if len(got) != len(m.member) || v.Len() != len(got) {
					t.Fatalf("step %d: %d members, Len %d; want %d", step, len(got), v.Len(), len(m.member))
				}
				for _, e := range v.AppendLeaves(nil) {
					if m.member[e.Entity] || !m.delivered[e.Entity] {
						t.Fatalf("step %d: a leave of %v", step, e.Entity)
					}
					got[e.Entity] = e.Row
				}
				for _, e := range v.AppendEnters(nil) {
					if !m.member[e.Entity] || m.delivered[e.Entity] {
						t.Fatalf("step %d: an enter of %v", step, e.Entity)
					}
				}
				if len(got) != len(m.rowOf) {
					t.Fatalf("step %d: %d rows in use; want %d", step, len(got), len(m.rowOf))
				}
				for h, row := range m.rowOf {
					if got[h] != row {
						t.Fatalf("step %d: %v has row %d; want %d", step, h, got[h], row)
					}
				}
			}
		})
	}
}

// TestRowTable: finding rows by slot, with the slots in any order.
func TestRowTable(t *testing.T) {
	r := newRandom(t, 10)
	v := &View{set: &Set{}}
	model := map[uint32]int{} // row by slot
	for range 6000 {
		slot := uint32(r.below(300))
		switch slot % 3 { // far apart, too: whatever the table hashes them to
		case 1:
			slot = slot<<16 | 5
		case 2:
			slot <<= 22
		}
		row_, ok := model[slot]
		switch {
		case !ok:
			model[slot] = v.rows.add(row{slot: slot, generation: 1, sources: Spatial}, 0)
		case r.below(3) > 0: // free the row
			v.leave(row_, ReasonRange)
			v.Commit()
			delete(model, slot)
		}
		for range 5 {
			probe := uint32(r.below(300))
			want := -1
			if row, ok := model[probe]; ok {
				want = row
			}
			if got := v.rows.find(probe); got != want {
				t.Fatalf("slot %d is in row %d; want %d", probe, got, want)
			}
		}
	}
	for slot, want := range model {
		if got := v.rows.find(slot); got != want {
			t.Fatalf("slot %d is in row %d; want %d", slot, got, want)
		}
	}
	if err := v.CheckInvariants(); err != nil {
		t.Error(err)
	}
	if n := v.Len(); n != len(model) {
		t.Errorf("%d members; want %d", n, len(model))
	}
}

// TestRowOf: a row is found by its entity, and its event is that of the lists.
func TestRowOf(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100, Margin: 10})
	v := w.add(Observer{ID: 77})
	if v.ID() != 77 || v.Tag() != 0 {
		t.Errorf("ID %d, tag %d; want 77, 0", v.ID(), v.Tag())
	}
	if v.SetTag(5); v.Tag() != 5 {
		t.Errorf("tag %d; want 5", v.Tag())
	}
	var all []arena.Handle
	for i := range 150 {
		all = append(all, w.spawn(uint64(1000-i), 0, grid.Point{X: int32(i % 90)}))
	}
	check := func(events []Event, n int) {
		t.Helper()
		if len(events) != n {
			t.Fatalf("%d events; want %d", len(events), n)
		}
		for _, e := range events {
			if row, ok := v.RowOf(e.Entity); !ok || row != e.Row || v.Event(row) != e {
				t.Errorf("row %d, %v, of %v is %+v; want %+v", row, ok, e.Entity, v.Event(row), e)
			}
		}
	}
	w.step()
	check(v.AppendEnters(nil), 150)
	v.Commit()
	for i, h := range all {
		if i%3 == 0 {
			w.move(h, grid.Point{X: 500})
		}
	}
	gone := all[1]
	w.despawn(gone)
	w.step()
	check(v.AppendLeaves(nil), 51)
	next := w.spawn(1, 0, grid.Point{}) // in the slot of who is gone, a publish later
	w.step()
	for next.Slot() != gone.Slot() {
		next = w.spawn(uint64(next), 0, grid.Point{})
	}
	w.step()
	if row, ok := v.RowOf(gone); ok {
		t.Errorf("row %d is of somebody whose slot is another's", row)
	}
	if row, ok := v.RowOf(next); !ok || v.Event(row).Entity != next {
		t.Errorf("row %d, %v of the next in the slot", row, ok)
	}
	if row, ok := v.RowOf(all[0] + 1<<40); ok {
		t.Errorf("row %d of a handle that nobody has", row)
	}
	v.Commit()
	if row, ok := v.RowOf(all[0]); ok {
		t.Errorf("row %d after its leave was delivered", row)
	}
}

// TestFewRowsAreSmall: a view of a few members has few rows.
func TestFewRowsAreSmall(t *testing.T) {
	for _, c := range []struct{ members, most int }{{0, 0}, {1, 8}, {20, 24}, {64, 64}, {65, 96}, {1000, 1500}} {
		w := newWorld(t, false, Reach{Enter: 100})
		v := w.add(Observer{})
		for i := range c.members {
			w.spawn(uint64(i), 0, grid.Point{})
		}
		w.step()
		if n := len(v.rows.row); n > c.most || n < c.members || len(v.rows.since) != n || len(v.rows.slot)%64 != 0 {
			t.Errorf("%d members: %d rows, %d since, %d slots; want at most %d", c.members, n, len(v.rows.since), len(v.rows.slot), c.most)
		}
	}
}

// TestHotView: what a plain update touches of a view are its first four lines.
func TestHotView(t *testing.T) {
	if hotView > 256 {
		t.Errorf("%d bytes of a view are touched; want at most 256", hotView)
	}
	var v View
	if end := unsafe.Offsetof(v.rows) + unsafe.Sizeof(v.rows); unsafe.Offsetof(v.next) < end {
		t.Error("what is seldom touched stands before what is")
	}
}
