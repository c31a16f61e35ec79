package grid

import (
	"fmt"
	"math"

	"vicinity/asm"
)

// Near is one of the nearest entities: its slot, and the squared distance of its body in
// square units, zero inside. It is exact for points and boxes, and rounded down for discs,
// whose distance is irrational; their order is exact all the same.
type Near struct {
	Slot uint32
	// radius is that of a disc while Dist2 is the squared distance of its centre.
	radius int32
	Dist2  int64
}

// AppendNearest appends the k entities nearest to q's centre of those that q asks for, or
// all if there are fewer, ordered by the exact distance of their bodies, then by ID. The
// errors are those of [Snapshot.AppendWithin], and [ErrRange] for a negative k. It
// allocates only if dst lacks room for k. It searches growing discs, the first of about
// the size that holds k, and ranks nobody twice: what a disc held the next leaves out. So
// a large radius costs little where there are many. O(cells touched + entities in them +
// those within the last disc x log k).
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
	full := q.Radius
	for _, r := range q.Radii {
		full = max(full, r)
	}
	h := nearHeap{s: s, near: dst, from: len(dst), k: k}
	for r, inner := s.firstRadius(&q, k, full), int32(-1); ; inner, r = r, h.nextRadius(r, full) {
		s.collectNearest(&h, &q, inner, r)
		if r == full || h.len() == k {
			break
		}
	}
	h.finish()
	return h.near, nil
}

// firstRadius is that of a disc that holds a little more than k, if entities are as
// dense as in the cells around: some cells that hold about as many.
func (s *Snapshot) firstRadius(q *Query, k int, full int32) int32 {
	some := float64(k)
	wanted := float64(1.15*some) + float64(3*math.Sqrt(some)) + 2
	for r := min(s.cellEdge(q.Filter), full); ; r = int32(min(2*int64(r), int64(full))) {
		if n, density := s.density(q, r); n >= k/2+8 {
			return int32(min(max(math.Sqrt(wanted/(math.Pi*density)), 1), float64(full)))
		}
		if r == full {
			return full
		}
	}
}

// cellEdge is the shorter edge of the smallest cells that a filter asks.
func (s *Snapshot) cellEdge(f Filter) int32 {
	shift := uint32(30)
	for i := range s.layers {
		if s.asks(f, i) {
			t := &s.layers[i].store.torus
			shift = min(shift, uint32(t.ShiftX), uint32(t.ShiftY))
		}
	}
	return int32(min(int64(1)<<shift, MaxCoord))
}

// density returns how many entities there are in the cells within r of q's centre, and
// how many that is by square unit.
func (s *Snapshot) density(q *Query, r int32) (n int, density float64) {
	var c cover
	for i := range s.layers {
		within := min(r, q.radius(s.layers[i].layer))
		if within < 0 || !s.asks(q.Filter, i) {
			continue
		}
		v := &s.layers[i]
		c.set(v, square(q.X, q.Y, within).widened(&v.store.wide))
		if cells := c.cells(); cells > 0 {
			t := &v.store.torus
			here := v.cells.Candidates(c.first) + v.cells.Candidates(c.second)
			n += here
			density += math.Ldexp(float64(here)/float64(cells), -int(t.ShiftX)-int(t.ShiftY))
		}
	}
	return n, density
}

// nextRadius is that of the disc after one of radius r that did not hold k.
func (h *nearHeap) nextRadius(r, full int32) int32 {
	grow := 2.0
	if n := h.len(); n > 0 {
		// Where the last few are far from the others, each disc is to hold more of what
		// lies between, or there would be dozens.
		h.tried++
		grow = min(max(math.Sqrt(1.5*float64(h.k)/float64(n)), 1+0.25*float64(h.tried)), 4)
	}
	return int32(min(max(float64(float64(r)*grow), float64(r)+1), float64(full)))
}

// collectNearest offers h all that q asks for beyond inner, and within r.
func (s *Snapshot) collectNearest(h *nearHeap, q *Query, inner, r int32) {
	var d asm.Disc
	var c cover
	s.prepare(&d, q)
	for i := range s.layers {
		v := &s.layers[i]
		most := q.radius(v.layer)
		within, seen := min(r, most), min(inner, most)
		if within < 0 || within == seen || !s.asks(q.Filter, i) {
			continue
		}
		if v.bodied() {
			v.offerBodies(h, &d, seen, within)
			continue
		}
		d.Outer.Set(within)
		d.Inner.Set(max(seen, 0))
		d.InnerHeight = d.OuterHeight
		c.set(v, square(q.X, q.Y, within))
		v.aim(&d, within)
		v.offer(h, c.first, &d, seen >= 0)
		if c.second.Rows > 0 {
			v.offer(h, c.second, &d, seen >= 0)
		}
	}
}

// offerBodies offers those whose bodies are within r, but not within seen.
func (v *view) offerBodies(h *nearHeap, d *asm.Disc, seen, r int32) {
	if v.apart(d.X, d.Y, r) {
		return
	}
	v.eachBodied(d, r, func(i uint32) {
		if seen >= 0 && v.reaches(i, d.X, d.Y, seen) {
			return
		}
		b := v.body(i)
		n := Near{Slot: v.cells.Slot[i], radius: b.Radius, Dist2: b.EdgeDist2(v.cells.X[i]-d.X, v.cells.Y[i]-d.Y)}
		if n.Dist2 <= int64(b.Radius)*int64(b.Radius) {
			n.radius, n.Dist2 = 0, 0 // inside
		}
		h.offer(n)
	})
}

// offer offers what b holds within d's outer disc; if seen, not what is within its
// inner one. Indexes pass through a buffer on the stack; a row that does not fit it is
// searched here.
func (v *view) offer(h *nearHeap, b asm.Block, d *asm.Disc, seen bool) {
	var buffer [256]uint32
	for b.Rows > 0 {
		for _, found := range buffer[:asm.TakeIndexes(buffer[:], &v.cells, &b, d)] {
			if i := found &^ asm.Inner; !seen || found == i {
				h.offer(Near{Slot: v.cells.Slot[i], Dist2: v.exact2(i, d)})
			}
		}
		if b.Rows == 0 {
			break
		}
		row := b
		row.Rows = 1
		if v.cells.Candidates(row) > len(buffer)-asm.Slack {
			v.offerRow(h, row, d, seen)
			b.Row, b.Rows = (b.Row+1)&v.cells.RowMask, b.Rows-1
		}
	}
}

// offerRow offers the elements of one row, by plain arithmetic.
func (v *view) offerRow(h *nearHeap, row asm.Block, d *asm.Disc, seen bool) {
	v.eachSpan(row, func(lo, hi int) {
		for i := uint32(lo); i < uint32(hi); i++ {
			d2 := v.exact2(i, d)
			if d2 <= d.Outer.R2 && !(seen && d2 <= d.Inner.R2) && v.admits(i, d) {
				h.offer(Near{Slot: v.cells.Slot[i], Dist2: d2})
			}
		}
	})
}

// exact2 returns the exact squared distance of element i's position.
func (v *view) exact2(i uint32, d *asm.Disc) int64 {
	dx, dy := int64(v.cells.X[i]-d.X), int64(v.cells.Y[i]-d.Y)
	return dx*dx + dy*dy
}

// nearHeap keeps the k nearest of those offered, in near[from:]: a few in order; more as
// they come until there are k, then as a heap with the farthest on top.
type nearHeap struct {
	s     *Snapshot
	near  []Near
	from  int
	k     int
	tried int // discs that held some, but too few
}

func (h *nearHeap) len() int { return len(h.near) - h.from }

// after reports whether a comes after b: by distance, then by ID.
func (h *nearHeap) after(a, b *Near) bool {
	if a.radius|b.radius == 0 && a.Dist2 != b.Dist2 {
		return a.Dist2 > b.Dist2
	}
	return h.closeAfter(a, b)
}

// closeAfter is the rare part of after: discs, and who is equally far.
func (h *nearHeap) closeAfter(a, b *Near) bool {
	if c := a.compare(*b); c != 0 {
		return c > 0
	}
	return h.s.ids[a.Slot] > h.s.ids[b.Slot]
}

// fewNear are kept in order: so many are moved faster than a heap is restored.
const fewNear = 32

func (h *nearHeap) offer(e Near) {
	if h.k <= fewNear {
		h.insert(e)
		return
	}
	if h.len() < h.k {
		h.near = append(h.near, e)
		if h.len() == h.k {
			for i := h.k/2 - 1; i >= 0; i-- {
				h.down(i)
			}
		}
		return
	}
	if h.after(&h.near[h.from], &e) {
		h.near[h.from] = e
		h.down(0)
	}
}

// insert puts e in its place among the few, unless it is farther than k of them.
func (h *nearHeap) insert(e Near) {
	if h.len() < h.k {
		h.near = append(h.near, e)
	} else if !h.after(&h.near[h.from+h.k-1], &e) {
		return
	}
	few := h.near[h.from:]
	i := len(few) - 1
	for ; i > 0 && h.after(&few[i-1], &e); i-- {
		few[i] = few[i-1]
	}
	few[i] = e
}

// down restores the heap below i.
func (h *nearHeap) down(i int) {
	heap := h.near[h.from:]
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && h.after(&heap[child+1], &heap[child]) {
			child++
		}
		if !h.after(&heap[child], &heap[i]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// finish orders what there is, nearest first, and makes distances of the centres of
// discs those of the discs.
func (h *nearHeap) finish() {
	near := h.near[h.from:]
	if h.k > fewNear {
		h.sort(near)
	}
	for i := range near {
		if n := &near[i]; n.radius != 0 {
			n.Dist2, n.radius = discDist2(n.Dist2, n.radius), 0
		}
	}
}
