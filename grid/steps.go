package grid

import "vicinity/asm"

// maxJumps is how many jumped elements a store of n keeps copies of: all of few.
func maxJumps(n int) int { return min(n, 64) + n/32 }

// measure finds how far elements moved and appends copies of those that jumped.
// total is the number of elements and gone ones; far is scratch memory for indexes.
func (s *store) measure(total int, jump int32, far []uint32) {
	room := total + maxJumps(total)
	s.columns(room)
	c, n := &s.cells, s.n
	jumps, step := asm.Far(far, c.X[:n], c.Y[:n], c.OldX[:n], c.OldY[:n], jump)
	s.step, s.steady = step, jumps <= room-total
	if !s.steady {
		jumps = 0
	}
	s.columns(total + jumps)
	c = &s.cells
	for k, i := range far[:jumps] {
		end := total + k
		c.X[end], c.Y[end], c.OldX[end], c.OldY[end] = c.X[i], c.Y[i], c.OldX[i], c.OldY[i]
		c.Slot[end] = c.Slot[i]
		if c.Z != nil {
			c.Z[end], c.OldZ[end] = c.Z[i], c.OldZ[i]
		}
		if s.bodies != nil {
			s.bodies[end] = s.bodies[i]
		}
	}
}

// distance returns |a - b| of two coordinates, which fits in int32.
func distance(a, b int32) int32 {
	if a < b {
		return b - a
	}
	return a - b
}
