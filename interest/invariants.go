package interest

import (
	"fmt"
	"slices"

	"vicinity/arena"
)

// CheckInvariants returns the first broken rule that it finds, nil if all hold. It
// is for tests: O(rows), and it allocates.
func (v *View) CheckInvariants() error {
	t := &v.rows
	for i, w := range t.words {
		if w.used != w.member|w.delivered {
			return fmt.Errorf("interest: word %d: used rows %#x, members %#x, delivered %#x", i, w.used, w.member, w.delivered)
		}
		if w.related&^w.member != 0 {
			return fmt.Errorf("interest: word %d: members %#x, related %#x", i, w.member, w.related)
		}
	}
	slots := make(map[uint32]bool)
	for r, slot := range t.slot {
		w, b := t.bit(r)
		switch {
		case w.member&b != 0 && slot != t.row[r].slot:
			return fmt.Errorf("interest: member row %d of slot %d is listed under %d", r, t.row[r].slot, slot)
		case slot == noSlot:
		case w.used&b == 0 || slot != t.row[r].slot || slots[slot]:
			return fmt.Errorf("interest: row %d is listed under slot %d, and should not be", r, slot)
		}
		slots[slot] = true
		if w.member&b == 0 {
			continue
		}
		if s := t.row[r].sources; s == 0 || (s == Spatial) != (w.related&b == 0) || s&^Spatial != 0 && !v.relational {
			return fmt.Errorf("interest: member row %d has sources %#x, related %#x of word %d", r, s, w.related, r/64)
		}
	}
	return nil
}

// CheckInvariants returns the first broken rule that it finds in any view, or
// between views and what the set knows of entities; nil if all hold. Among them: a
// view has an entity as a member if and only if [Set.AppendObserversOf] names it. It
// is for tests: O(members x views around), and it allocates.
func (s *Set) CheckInvariants() error {
	seen := make(map[arena.Handle][]*View)
	for number, v := range s.views {
		if err := v.CheckInvariants(); err != nil {
			return err
		}
		if v.number != number || v.set != s {
			return fmt.Errorf("interest: view %d of the set has number %d", number, v.number)
		}
		for _, m := range v.AppendMembers(nil) {
			seen[m.Entity] = append(seen[m.Entity], v)
		}
	}
	for h, views := range seen {
		named := make(map[*View]bool)
		for _, v := range s.AppendObserversOf(nil, h) {
			if named[v] || !slices.Contains(views, v) {
				return fmt.Errorf("interest: observer %d does not see %v, or twice", v.observer.ID, h)
			}
			named[v] = true
		}
		if len(named) != len(views) {
			return fmt.Errorf("interest: %d observers see %v, %d are found", len(views), h, len(named))
		}
	}
	return s.traits.check()
}

// check compares what is counted with what is there.
func (t *tracker) check() error {
	used, masked, asking, listed, grouped := 0, 0, 0, 0, 0
	for slot := range t.records {
		r := &t.records[slot]
		used += bit(r.generation != 0)
		masked += bit(t.permissions[slot] != permission{})
		asking += bit(r.ask)
		listed += bit(r.listed)
		for i, id := range r.groups {
			if id == 0 {
				continue
			}
			grouped++
			if l := t.members(i, id); int(r.place[i]) >= len(l) || l[r.place[i]] != uint32(slot) {
				return fmt.Errorf("interest: slot %d is not in its group %d at %d", slot, id, i)
			}
		}
	}
	for _, l := range t.grouped {
		grouped -= len(l.slots)
	}
	if used != t.used || masked != t.masked || asking != t.asking || listed != len(t.changed) || grouped != 0 {
		return fmt.Errorf("interest: %d traits, %d with masks, %d asking, %d changed; counted %d, %d, %d, %d; %d too few in groups",
			used, masked, asking, listed, t.used, t.masked, t.asking, len(t.changed), grouped)
	}
	return nil
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
