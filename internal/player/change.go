package player

import "vicinity/internal/replay"

// change compares the relations of a tick with those of the tick before, where
// neither the views' differences nor the deliveries are per tick.
type change struct{ before []replay.Relation }

// count fills in how many relations begin, stay and end; now is sorted.
func (h *change) count(c *Counts, now []replay.Relation) {
	c.Enter, c.Keep, c.Leave = 0, 0, 0
	old := h.before
	for _, r := range now {
		for len(old) > 0 && old[0].Compare(r) < 0 {
			c.Leave++
			old = old[1:]
		}
		if len(old) > 0 && old[0] == r {
			c.Keep++
			old = old[1:]
			continue
		}
		c.Enter++
	}
	c.Leave += len(old)
	h.before = append(h.before[:0], now...)
}
