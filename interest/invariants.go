package interest

import (
	"fmt"
	"math/bits"
)

// CheckInvariants returns the first broken rule that it finds, nil if all hold. It
// is for tests: O(rows), and it allocates.
func (v *View) CheckInvariants() error {
	t := &v.rows
	n := 0
	for i, w := range t.words {
		if w.used != w.member|w.delivered {
			return fmt.Errorf("interest: word %d: used rows %#x, members %#x, delivered %#x", i, w.used, w.member, w.delivered)
		}
		n += bits.OnesCount64(w.used)
	}
	if n != t.n {
		return fmt.Errorf("interest: %d rows in use, counted %d", n, t.n)
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
	}
	return nil
}
