package grid

import (
	"unsafe"

	"vicinity/asm"
)

// countTwo counts the cells of two parts of the input at once: a counter's load
// need not wait for the store of the element before.
func countTwo(first, second, a, b []uint32) {
	n := min(len(a), len(b))
	for i, c := range a[:n] {
		first[c]++
		second[b[i]]++
	}
	for _, c := range a[n:] {
		first[c]++
	}
	for _, c := range b[n:] {
		second[c]++
	}
}

// A scatterer moves input elements to their places. It uses pointers: the
// compiler cannot know that what a counter holds is in range, and six checks an
// element cost a third of the sort. The counts of countTwo over the same cells
// guarantee it.
type scatterer struct {
	x, y                   unsafe.Pointer // input
	slot, cell             unsafe.Pointer
	wasX, wasY             unsafe.Pointer // the input store's positions
	toX, toY, toSlot, perm unsafe.Pointer // output
	oldX, oldY             unsafe.Pointer // nil if not kept
}

func (b *builder) scatterer() scatterer {
	j := &b.job
	s := scatterer{
		x: ptr(b.x.Slice()), y: ptr(b.y.Slice()), cell: ptr(b.cell.Slice()),
		slot: ptr(j.from.cells.Slot),
		wasX: ptr(j.from.cells.X), wasY: ptr(j.from.cells.Y),
		toX: ptr(j.to.cells.X), toY: ptr(j.to.cells.Y),
		toSlot: ptr(j.to.cells.Slot), perm: ptr(j.to.perm),
	}
	if j.layer.previous {
		s.oldX, s.oldY = ptr(j.to.cells.OldX), ptr(j.to.cells.OldY)
	}
	return s
}

func ptr[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// at addresses element i of a column of 4-byte elements.
func at(column unsafe.Pointer, i int) *uint32 { return (*uint32)(unsafe.Add(column, 4*i)) }

// two moves the elements of [lo, mid) and [mid, hi), alternating.
func (s *scatterer) two(first, second []uint32, lo, mid, hi int) {
	if s.oldX != nil {
		s.twoWithOld(first, second, lo, mid, hi)
		return
	}
	f, g := ptr(first), ptr(second)
	n := min(mid-lo, hi-mid)
	for i := range n {
		s.one(f, lo+i)
		s.one(g, mid+i)
	}
	for i := lo + n; i < mid; i++ {
		s.one(f, i)
	}
	for i := mid + n; i < hi; i++ {
		s.one(g, i)
	}
}

// one moves input element i to where its cell's counter says.
func (s *scatterer) one(counters unsafe.Pointer, i int) {
	counter := at(counters, int(*at(s.cell, i)))
	p := int(*counter)
	*counter = uint32(p) + 1
	*at(s.toX, p) = *at(s.x, i)
	*at(s.toY, p) = *at(s.y, i)
	*at(s.toSlot, p) = *at(s.slot, i)
	*at(s.perm, i) = uint32(p)
}

func (s *scatterer) twoWithOld(first, second []uint32, lo, mid, hi int) {
	f, g := ptr(first), ptr(second)
	n := min(mid-lo, hi-mid)
	for i := range n {
		s.oneWithOld(f, lo+i)
		s.oneWithOld(g, mid+i)
	}
	for i := lo + n; i < mid; i++ {
		s.oneWithOld(f, i)
	}
	for i := mid + n; i < hi; i++ {
		s.oneWithOld(g, i)
	}
}

func (s *scatterer) oneWithOld(counters unsafe.Pointer, i int) {
	s.one(counters, i)
	p := int(*at(s.perm, i))
	*at(s.oldX, p) = *at(s.wasX, i)
	*at(s.oldY, p) = *at(s.wasY, i)
}

// arrivals moves the arrivals, which are input elements from n on. They come from
// nowhere.
func (s *scatterer) arrivals(counters, slots []uint32, n int) {
	for k, slot := range slots {
		i := n + k
		counter := &counters[*at(s.cell, i)]
		p := int(*counter)
		*counter++
		*at(s.toX, p) = *at(s.x, i)
		*at(s.toY, p) = *at(s.y, i)
		*at(s.toSlot, p) = slot
		*at(s.perm, i) = uint32(p)
		if s.oldX != nil {
			*at(s.oldX, p) = asm.Gone & 0xFFFFFFFF
			*at(s.oldY, p) = 0
		}
	}
}

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
