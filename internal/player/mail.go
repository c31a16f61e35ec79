package player

import (
	"cmp"
	"slices"

	"vicinity"
	"vicinity/internal/replay"
	"vicinity/packer"
)

// mail is what one connection got in a tick. Only its own callback writes it.
type mail struct {
	due        bool
	delivery   replay.Delivery
	selections []replay.Selection
}

// deliver takes a delivery, which may come on any worker; it is always received.
func (w *whole) deliver(id vicinity.ConnID, d *vicinity.Delivery) bool {
	i, ok := slices.BinarySearchFunc(w.present, uint64(id), func(s stay, id uint64) int {
		return cmp.Compare(s.id, id)
	})
	if !ok {
		return false // nobody of that name: the World errs, and the digest will tell
	}
	m := &w.mail[i]
	m.due = true
	m.delivery = replay.Delivery{
		Observer: uint64(id), Bytes: uint32(d.Bytes), Oldest: d.OldestWait,
		Oversize: d.Deferred[packer.WhyOversize],
	}
	for why, n := range d.Deferred {
		// An enter that a leave holds back is no candidate to the oracle.
		if why := packer.Why(why); why != packer.WhyUnchanged && why != packer.WhyAwaitingSpawn {
			m.delivery.Deferred += n
		}
	}
	m.selections = m.selections[:0]
	m.add(d.Enters, replay.Spawn)
	m.add(d.Updates, replay.Update)
	m.add(d.Leaves, replay.Remove)
	slices.SortFunc(m.selections, replay.Selection.Compare)
	return true
}

func (m *mail) add(items []vicinity.Item, what replay.What) {
	for i := range items {
		m.selections = append(m.selections,
			replay.Selection{Observer: m.delivery.Observer, Entity: items[i].ID, What: what})
	}
}

// collect lists what was delivered, and who is in view, by observer.
func (w *whole) collect() {
	w.packed.Reset()
	w.relations = w.relations[:0]
	for i := range w.present {
		id := w.present[i].id
		if m := &w.mail[i]; m.due {
			w.packed.Deliveries = append(w.packed.Deliveries, m.delivery)
			w.packed.Selections = append(w.packed.Selections, m.selections...)
		}
		w.members = w.world.AppendMembers(w.members[:0], vicinity.ConnID(id))
		from := len(w.relations)
		for _, m := range w.members {
			if _, present := w.world.ID(m.Entity); present {
				w.relations = append(w.relations, replay.Relation{Observer: id, Entity: m.ID})
			}
		}
		slices.SortFunc(w.relations[from:], replay.Relation.Compare)
	}
}
