package asm

import (
	"fmt"
	"testing"
)

// TestGuardColumns runs the kernels that go over plain columns on memory that ends,
// or begins, at an inaccessible page: those with slack up to the end of their slack,
// the others up to their last element.
func TestGuardColumns(t *testing.T) {
	eachPen(t, func(t *testing.T, p *pen) {
		r := newRandom(t)
		column := func(n, slack int) []int32 {
			c := make([]int32, n+slack)
			for i := range c {
				c[i] = r.spread(1000)
			}
			return penned(t, p, c)[:n]
		}
		for n := 1; n <= 100; n++ {
			p.reset()
			what := fmt.Sprintf("length %d", n)
			x, y, oldX, oldY := column(n, Slack), column(n, Slack), column(n, Slack), column(n, Slack)
			dst := penned(t, p, make([]uint32, n+Slack))
			inside(t, "Far, "+what, func() { Far(dst, x, y, oldX, oldY, 900) })

			slots := make([]uint32, n+Slack)
			slots[n-1] = 7
			slots = penned(t, p, slots)[:n]
			inside(t, "Find, "+what, func() {
				if Find(slots, 7) != n-1 || Find(slots, 9) != -1 {
					t.Errorf("Find, %s: found it elsewhere", what)
				}
			})

			slots = penned(t, p, make([]uint32, n))
			dist2, grade := penned(t, p, make([]float32, n)), penned(t, p, make([]uint8, n))
			xy := penned(t, p, [][2]int32{{3, 4}})
			inside(t, "Measure, "+what, func() { Measure(dist2, slots, xy, 0, 0) })
			open := penned(t, p, make([]uint64, (n+63)/64))
			inside(t, "Grade, "+what, func() { Grade(grade, open, dist2, &Grades{}) })

			ex, ey := column(n, 0), column(n, 0)
			e := pennedOne(t, p, Nowhere)
			inside(t, "Extent, "+what, func() { e.Add(ex, ey) })

			place := Placement{
				Cell: penned(t, p, make([]uint32, n)), X: column(n, 0), Y: column(n, 0), Slot: penned(t, p, make([]uint32, n)),
				ToX: column(n, 0), ToY: column(n, 0), ToSlot: penned(t, p, make([]uint32, n)), Perm: column(n, 0),
			}
			mid := n / 2
			first, second := counters(place.Cell, 1, mid)
			first, second = penned(t, p, first), penned(t, p, second)
			inside(t, "Placement, "+what, func() { place.Two(first, second, 0, mid, n) })
		}
	})
}
