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
	for w := range t.used {
		if t.used[w] != t.member[w]|t.delivered[w] {
			return fmt.Errorf("interest: word %d: used rows %#x, members %#x, delivered %#x", w, t.used[w], t.member[w], t.delivered[w])
		}
		n += bits.OnesCount64(t.used[w])
	}
	if n != t.n {
		return fmt.Errorf("interest: %d rows in use, counted %d", n, t.n)
	}
	listed := make(map[int]bool)
	for _, entry := range t.table {
		if entry == 0 {
			continue
		}
		r := int(entry - 1)
		if listed[r] || !t.has(t.used, r) {
			return fmt.Errorf("interest: row %d is in the table twice, or not in use", r)
		}
		listed[r] = true
		if t.find(t.row[r].slot) != r {
			return fmt.Errorf("interest: row %d of slot %d is not found", r, t.row[r].slot)
		}
	}
	for r := range t.row {
		if len(t.used) > 0 && t.has(t.member, r) && !listed[r] {
			return fmt.Errorf("interest: member row %d is not in the table", r)
		}
	}
	return nil
}
