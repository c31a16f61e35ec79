package grid

import (
	"math/bits"
	"slices"
)

// buckets is into how many parts sort deals what it sorts.
const buckets = 256

// sort orders near in place. Where entities are evenly dense, squared distances are
// evenly spread: so they are dealt into buckets of equal ranges by a count of each and
// cycles of exchanges (McIlroy, Bostic and McIlroy 1993, "Engineering Radix Sort"), and
// what is in one bucket is few.
func (h *nearHeap) sort(near []Near) {
	if len(near) <= buckets/8 {
		h.sortFew(near)
		return
	}
	most := int64(0)
	for i := range near {
		most = max(most, near[i].key())
	}
	shift := max(bits.Len64(uint64(most))-bits.Len64(buckets-1), 0)
	var end, next [buckets]int
	for i := range near {
		end[near[i].key()>>shift]++
	}
	sum := 0
	for b := range end {
		next[b] = sum
		sum += end[b]
		end[b] = sum
	}
	for b := range end {
		for i := next[b]; i < end[b]; i = next[b] {
			to := near[i].key() >> shift
			near[i], near[next[to]] = near[next[to]], near[i]
			next[to]++
		}
	}
	from := 0
	for _, to := range end {
		h.sortFew(near[from:to])
		from = to
	}
}

// key never falls with the distance: its square, rounded down.
func (n *Near) key() int64 {
	if n.radius == 0 {
		return n.Dist2
	}
	return discDist2(n.Dist2, n.radius)
}

// sortFew is for few, and right for many.
func (h *nearHeap) sortFew(near []Near) {
	if len(near) > 24 {
		slices.SortFunc(near, func(a, b Near) int {
			if h.after(&a, &b) {
				return 1
			}
			return -1 // no two are the same
		})
		return
	}
	for i := 1; i < len(near); i++ {
		n, k := near[i], i
		for ; k > 0 && h.after(&near[k-1], &n); k-- {
			near[k] = near[k-1]
		}
		near[k] = n
	}
}
