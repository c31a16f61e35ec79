package arena

import "fmt"

// Stats is what an arena knows about itself. It is all zero after Close.
type Stats struct {
	// Alive, Waiting and Retired count slots: in use; freed, but not yet reusable
	// (Deferred only); out of generations for ever.
	Alive, Waiting, Retired int
	// MappedBytes and HeapBytes are held by the arena and its columns in either
	// memory. Go's own metrics see only the second.
	MappedBytes, HeapBytes int64
	// Fallback says that Mapped was asked for somewhere and Heap was given.
	Fallback bool
}

// Stats returns the present figures. O(columns), no allocation.
func (a *Arena) Stats() Stats {
	s := Stats{Alive: a.alive, Waiting: a.limbo.n, Retired: a.retired}
	for _, c := range a.columns {
		mapped, heap, fallback := c.held()
		s.MappedBytes += mapped
		s.HeapBytes += heap
		s.Fallback = s.Fallback || fallback
	}
	return s
}

// CheckInvariants returns the first broken rule it finds, nil if all hold. It is
// for tests: O(slots + columns), and it allocates.
func (a *Arena) CheckInvariants() error {
	if a.slots > a.room || a.room > a.capacity {
		return fmt.Errorf("arena: %d slots, room %d, capacity %d", a.slots, a.room, a.capacity)
	}
	for i, c := range a.columns {
		if c.roomFor() < a.room {
			return fmt.Errorf("arena: column %d has room for %d of %d", i, c.roomFor(), a.room)
		}
	}
	if err := a.checkGenerations(); err != nil {
		return err
	}
	return a.checkLists()
}

// checkGenerations counts slots by generation.
func (a *Arena) checkGenerations() error {
	alive, retired := 0, 0
	for slot, g := range a.generations.data {
		switch {
		case slot >= a.slots && g != 0:
			return fmt.Errorf("arena: slot %d of %d has generation %d", slot, a.slots, g)
		case g > a.last:
			return fmt.Errorf("arena: slot %d has generation %d of %d", slot, g, a.last)
		case slot >= a.slots:
		case g == 0:
			retired++
		case g&1 == 1:
			alive++
		}
	}
	if alive != a.alive || retired != a.retired {
		return fmt.Errorf("arena: counts %d alive, %d retired; found %d, %d", a.alive, a.retired, alive, retired)
	}
	return nil
}

// checkLists walks both lists: every slot that is neither alive nor retired is
// in exactly one of them, once.
func (a *Arena) checkLists() error {
	if got := a.alive + a.retired + a.free.n + a.limbo.n; got != a.slots {
		return fmt.Errorf("arena: %d alive + %d retired + %d reusable + %d waiting; want %d",
			a.alive, a.retired, a.free.n, a.limbo.n, a.slots)
	}
	seen := make([]bool, a.slots)
	walk := func(list string, slot uint32, n int) (last uint32, err error) {
		for range n {
			if uint64(slot) >= uint64(a.slots) || seen[slot] {
				return 0, fmt.Errorf("arena: %s: slot %d is out of range or listed twice", list, slot)
			}
			if g := a.generations.data[slot]; g&1 == 1 || g == 0 {
				return 0, fmt.Errorf("arena: %s: slot %d has generation %d", list, slot, g)
			}
			seen[slot] = true
			last, slot = slot, a.links.data[slot]
		}
		return last, nil
	}
	if _, err := walk("reusable", a.free.top, a.free.n); err != nil {
		return err
	}
	// The limbo list piece by piece, each ending where its batch says.
	slot, waiting, number := a.limbo.head, a.limbo.open, uint64(0)
	for _, b := range a.limbo.batches {
		last, err := walk("batch", slot, b.n)
		if err != nil {
			return err
		}
		if last != b.last || b.n <= 0 || b.number <= number || b.number > a.limbo.sealed {
			return fmt.Errorf("arena: batch %+v ends at slot %d, after batch %d", b, last, number)
		}
		slot, number = a.links.data[last], b.number
		waiting += b.n
	}
	if waiting != a.limbo.n {
		return fmt.Errorf("arena: %d slots wait; batches hold %d", a.limbo.n, waiting)
	}
	if last, err := walk("open batch", slot, a.limbo.open); err != nil {
		return err
	} else if a.limbo.open > 0 && last != a.limbo.tail {
		return fmt.Errorf("arena: limbo ends at slot %d; tail is %d", last, a.limbo.tail)
	}
	return nil
}
