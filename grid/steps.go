package grid

import "vicinity/asm"

// maxJumps is how many jumped elements a store of n keeps copies of.
func maxJumps(n int) int { return 64 + n/32 }

// measure finds how far elements moved and appends copies of those that jumped.
// total is the number of elements and gone ones.
func (s *store) measure(total int, jump int32) {
	room := total + maxJumps(total)
	s.columns(room)
	c := &s.cells
	end := total
	for i := range s.n {
		if c.OldX[i] == asm.Gone {
			continue
		}
		step := max(distance(c.X[i], c.OldX[i]), distance(c.Y[i], c.OldY[i]))
		if step <= jump {
			s.step = max(s.step, step)
			continue
		}
		if end == room {
			s.steady = false
			break
		}
		c.X[end], c.Y[end], c.OldX[end], c.OldY[end] = c.X[i], c.Y[i], c.OldX[i], c.OldY[i]
		c.Slot[end] = c.Slot[i]
		if c.Z != nil {
			c.Z[end], c.OldZ[end] = c.Z[i], c.OldZ[i]
		}
		end++
	}
	s.columns(end)
}

// distance returns |a - b| of two coordinates, which fits in int32.
func distance(a, b int32) int32 {
	if a < b {
		return b - a
	}
	return a - b
}
