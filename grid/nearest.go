package grid

import (
	"fmt"

	"vicinity/asm"
)

// Near is one of the nearest entities: its slot, and its exact squared distance
// in square units.
type Near struct {
	Slot  uint32
	Dist2 int64
}

// AppendNearest appends the k entities nearest to q's centre of those that q asks
// for, or all if there are fewer, ordered by exact squared distance, then by ID.
// The errors are those of [Snapshot.AppendWithin], and [ErrRange] for a negative
// k. It allocates only if dst lacks room for k. It searches growing discs, so that
// a large radius costs little where there are many. O(cells touched + entities
// in them + those within the last disc x log k).
func (s *Snapshot) AppendNearest(dst []Near, k int, q Query) ([]Near, error) {
	if err := s.check(&q); err != nil {
		return dst, err
	}
	if k < 0 {
		return dst, fmt.Errorf("%w: %d nearest", ErrRange, k)
	}
	if k == 0 {
		return dst, nil
	}
	h := nearHeap{s: s, k: k, from: len(dst)}
	full := q.Radius
	for _, r := range q.Radii {
		full = max(full, r)
	}
	for r := min(s.firstRadius(q.Filter), full); ; r = int32(min(2*int64(r), int64(full))) {
		h.near = dst
		s.collectNearest(&h, &q, r)
		if r == full || len(h.near)-len(dst) == k {
			break
		}
	}
	h.sort()
	return h.near, nil
}

// firstRadius is the radius of the first disc to search: the largest cell's edge.
func (s *Snapshot) firstRadius(f Filter) int32 {
	r := int32(1)
	for i := range s.layers {
		if s.asks(f, i) {
			t := &s.layers[i].store.torus
			r = max(r, 1<<t.ShiftX, 1<<t.ShiftY)
		}
	}
	return r
}

// collectNearest offers all that q asks for within radius to h.
func (s *Snapshot) collectNearest(h *nearHeap, q *Query, radius int32) {
	var d asm.Disc
	var c cover
	s.prepare(&d, q)
	for i := range s.layers {
		r := min(radius, q.radius(i))
		if r < 0 || !s.asks(q.Filter, i) {
			continue
		}
		v := &s.layers[i]
		d.Outer.Set(r)
		c.set(v, square(q.X, q.Y, r))
		v.aim(&d, r)
		v.offer(h, c.first, &d)
		v.offer(h, c.second, &d)
	}
}

// offer offers what b holds within d to h. Indexes pass through a buffer on the
// stack; a row that does not fit it is searched here.
func (v *view) offer(h *nearHeap, b asm.Block, d *asm.Disc) {
	var buffer [512]uint32
	for b.Rows > 0 {
		for _, i := range buffer[:asm.TakeIndexes(buffer[:], &v.cells, &b, d)] {
			i &^= asm.Inner
			h.offer(Near{Slot: v.cells.Slot[i], Dist2: v.exact2(i, d)})
		}
		if b.Rows == 0 {
			break
		}
		row := b
		row.Rows = 1
		if v.cells.Candidates(row) > len(buffer)-asm.Slack {
			v.offerRow(h, row, d)
			b.Row, b.Rows = (b.Row+1)&v.cells.RowMask, b.Rows-1
		}
	}
}

// offerRow offers the elements of one row, by plain arithmetic.
func (v *view) offerRow(h *nearHeap, row asm.Block, d *asm.Disc) {
	c := &v.cells
	v.eachSpan(row, func(lo, hi int) {
		for i := uint32(lo); i < uint32(hi); i++ {
			d2 := v.exact2(i, d)
			if d2 > d.Outer.R2 {
				continue
			}
			if d.Flags&asm.WithHeight != 0 && uint32(distance(c.Z[i], d.Z)) > d.OuterHeight {
				continue
			}
			if d.Flags&asm.WithMask != 0 && !permitted(c.Need[i], c.Any[i], d.Mask) {
				continue
			}
			h.offer(Near{Slot: c.Slot[i], Dist2: d2})
		}
	})
}

// exact2 returns the exact squared distance of element i.
func (v *view) exact2(i uint32, d *asm.Disc) int64 {
	dx, dy := int64(v.cells.X[i]-d.X), int64(v.cells.Y[i]-d.Y)
	return dx*dx + dy*dy
}

// nearHeap keeps the k nearest of those offered: a heap with the farthest on top,
// in near[from:].
type nearHeap struct {
	s    *Snapshot
	near []Near
	from int
	k    int
}

// after reports whether a comes after b in the order of results.
func (h *nearHeap) after(a, b Near) bool {
	if a.Dist2 != b.Dist2 {
		return a.Dist2 > b.Dist2
	}
	return h.s.ids[a.Slot] > h.s.ids[b.Slot]
}

func (h *nearHeap) offer(e Near) {
	if len(h.near)-h.from < h.k {
		h.near = append(h.near, e)
		h.up(len(h.near) - h.from - 1)
		return
	}
	if top := &h.near[h.from]; h.after(*top, e) {
		*top = e
		h.down(0, h.k)
	}
}

func (h *nearHeap) up(i int) {
	heap := h.near[h.from:]
	for i > 0 {
		parent := (i - 1) / 2
		if !h.after(heap[i], heap[parent]) {
			return
		}
		heap[i], heap[parent] = heap[parent], heap[i]
		i = parent
	}
}

// down restores the heap of the first n elements below i.
func (h *nearHeap) down(i, n int) {
	heap := h.near[h.from:]
	for {
		child := 2*i + 1
		if child >= n {
			return
		}
		if child+1 < n && h.after(heap[child+1], heap[child]) {
			child++
		}
		if !h.after(heap[child], heap[i]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// sort orders the heap, nearest first.
func (h *nearHeap) sort() {
	heap := h.near[h.from:]
	for n := len(heap) - 1; n > 0; n-- {
		heap[0], heap[n] = heap[n], heap[0]
		h.down(0, n)
	}
}
