package asm

// Placement is one counting sort's columns: input elements with their cells, and
// where they go. Element i goes to place p = counter[Cell[i]]++.
type Placement struct {
	Cell     []uint32
	X, Y     []int32
	Slot     []uint32
	ToX, ToY []int32
	ToSlot   []uint32
	Perm     []int32 // Perm[i] = p
}

// Two moves the input elements of [lo, mid) by the counters first, and those of
// [mid, hi) by second, alternating: neighbours in sorted input share a counter, and
// each would wait for the one before. The order within a cell is that of the input.
// The counters must come from counting the same cells, so that every place is
// within the output; this is not checked. No allocation. O(hi - lo).
func (p *Placement) Two(first, second []uint32, lo, mid, hi int) {
	_, _, _, _ = p.Cell[:hi], p.X[:hi], p.Y[:hi], p.Slot[:hi]
	_ = p.Perm[:hi]
	n := min(mid-lo, hi-mid)
	if n > 0 {
		scatterTwo(p, first, second, lo, mid, n)
	}
	for i := lo + n; i < mid; i++ {
		p.one(first, i)
	}
	for i := mid + n; i < hi; i++ {
		p.one(second, i)
	}
}

// one moves element i.
func (p *Placement) one(counters []uint32, i int) {
	c := p.Cell[i]
	to := counters[c]
	counters[c] = to + 1
	p.ToX[to], p.ToY[to], p.ToSlot[to] = p.X[i], p.Y[i], p.Slot[i]
	p.Perm[i] = int32(to)
}

func scatterTwoGeneric(p *Placement, first, second []uint32, lo, mid, n int) {
	cells, xs, ys, slots, perm := p.Cell[lo:lo+n], p.X[lo:lo+n], p.Y[lo:lo+n], p.Slot[lo:lo+n], p.Perm[lo:lo+n]
	cells2, xs2, ys2, slots2, perm2 := p.Cell[mid:mid+n], p.X[mid:mid+n], p.Y[mid:mid+n], p.Slot[mid:mid+n], p.Perm[mid:mid+n]
	toX := p.ToX
	toY, toSlot := p.ToY[:len(toX)], p.ToSlot[:len(toX)]
	for i := range cells {
		c := &first[cells[i]]
		to := *c
		*c = to + 1
		toX[to], toY[to], toSlot[to] = xs[i], ys[i], slots[i]
		perm[i] = int32(to)
		c = &second[cells2[i]]
		to = *c
		*c = to + 1
		toX[to], toY[to], toSlot[to] = xs2[i], ys2[i], slots2[i]
		perm2[i] = int32(to)
	}
}
