package bench

import "math/bits"

// NaiveGrid is the baseline of the rebuild: a plain counting sort into a square
// grid from positions in slot order, in safe Go, as one writes it at first.
type NaiveGrid struct {
	X, Y  []int32
	ID    []uint32
	Start []uint32
	next  []uint32
	shift uint
	w, h  int32
}

// NewNaiveGrid returns a grid for n entities in a square world of the given edge,
// with cells of 1<<shift units.
func NewNaiveGrid(n int, side int32, shift uint) *NaiveGrid {
	w := side>>shift + 1
	return &NaiveGrid{
		X: make([]int32, n), Y: make([]int32, n), ID: make([]uint32, n),
		Start: make([]uint32, w*w+1), next: make([]uint32, w*w+1), shift: shift, w: w, h: w,
	}
}

func (g *NaiveGrid) cell(x, y int32) int32 { return y>>g.shift*g.w + x>>g.shift }

// Build sorts the positions, whose index is the entity's ID.
func (g *NaiveGrid) Build(x, y []int32) {
	clear(g.next)
	for i := range x {
		g.next[g.cell(x[i], y[i])+1]++
	}
	sum := uint32(0)
	for c, n := range g.next {
		sum += n
		g.next[c] = sum
		g.Start[c] = sum
	}
	for i := range x {
		c := g.cell(x[i], y[i])
		p := g.next[c]
		g.next[c] = p + 1
		g.X[p], g.Y[p], g.ID[p] = x[i], y[i], uint32(i)
	}
}

// ShiftFor returns the largest shift whose cell edge is at most edge.
func ShiftFor(edge int32) uint { return uint(bits.Len32(uint32(edge)) - 1) }
