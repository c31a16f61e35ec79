package interest

// group is a group id at an index.
type group struct {
	index int
	id    uint32
}

// groupList is the slots of a group's members, in no particular order.
type groupList struct{ slots []uint32 }

// members returns the slots of a group.
func (t *tracker) members(index int, id uint32) []uint32 {
	if l := t.grouped[group{index, id}]; l != nil {
		return l.slots
	}
	return nil
}

// regroup moves a slot from its group at an index to another, 0 is none.
func (t *tracker) regroup(slot uint32, index int, to uint32) {
	r := &t.records[slot]
	from := r.groups[index]
	if from == to {
		return
	}
	if from != 0 {
		t.leaveGroup(slot, index, from)
	}
	if r.groups[index] = to; to != 0 {
		t.joinGroup(slot, index, to)
	}
}

func (t *tracker) joinGroup(slot uint32, index int, id uint32) {
	if t.grouped == nil {
		t.grouped = make(map[group]*groupList)
	}
	l := t.grouped[group{index, id}]
	if l == nil {
		if n := len(t.spare); n > 0 {
			l, t.spare = t.spare[n-1], t.spare[:n-1]
		} else {
			l = &groupList{}
		}
		t.grouped[group{index, id}] = l
	}
	t.records[slot].place[index] = uint32(len(l.slots))
	l.slots = append(l.slots, slot)
}

func (t *tracker) leaveGroup(slot uint32, index int, id uint32) {
	l := t.grouped[group{index, id}]
	last, at := len(l.slots)-1, t.records[slot].place[index]
	moved := l.slots[last]
	l.slots[at] = moved
	t.records[moved].place[index] = at
	if l.slots = l.slots[:last]; last == 0 {
		delete(t.grouped, group{index, id})
		t.spare = append(t.spare, l)
	}
}

// commonGroups returns the sources of equal groups.
func commonGroups(a, b *[groups]uint32) Sources {
	s := Sources(0)
	for i := range a {
		if a[i] != 0 && a[i] == b[i] {
			s |= Group0 << i
		}
	}
	return s
}

// SetGroups sets the groups that the observer belongs to, see [Traits], from the
// next update on. O(1).
func (v *View) SetGroups(to [4]uint32) {
	if v.groups == to {
		return
	}
	v.groups = to
	v.force, v.relational = true, true
	if v.set != nil {
		v.set.placing = true
	}
}
