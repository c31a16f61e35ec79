package asm

import "math"

// sortKeysGeneric sorts without branches that depend on the keys: at this number
// they are most of what an insertion sort costs. Blocks of 8 are sorted by a network,
// and merged from both ends at once, so that several chains of loads run side by
// side. A few more than a power of two are inserted afterwards, each of which costs
// one branch that is not foreseen.
func sortKeysGeneric(keys []uint64) {
	n := len(keys)
	switch {
	case n <= 4:
		insertFrom(keys, 1)
	case n <= 8:
		a := [8]uint64{4: math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64}
		copy(a[:], keys)
		sort8(&a)
		copy(keys, a[:])
	case n <= 13:
		sort8((*[8]uint64)(keys))
		insertFrom(keys, 8)
	case n <= 16:
		a := [16]uint64{13: math.MaxUint64, math.MaxUint64, math.MaxUint64}
		copy(a[:], keys)
		var b [16]uint64
		sort16(&b, &a)
		copy(keys, b[:])
	case n <= 28:
		var b [16]uint64
		sort16(&b, (*[16]uint64)(keys))
		copy(keys, b[:])
		insertFrom(keys, 16)
	default:
		var a, b [32]uint64
		for i := copy(a[:], keys); i < len(a); i++ {
			a[i] = math.MaxUint64
		}
		for i := 0; i < n; i += 8 {
			sort8((*[8]uint64)(a[i:]))
		}
		mergePairs(&b, &a)
		merge16(&a, &b)
		copy(keys, a[:])
	}
}

// insertFrom sorts keys, of which the first n are sorted.
func insertFrom(keys []uint64, n int) {
	for i := n; i < len(keys); i++ {
		k, j := keys[i], i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}

// sort8 is Batcher's odd-even merge sort of 8 keys: 19 exchanges.
func sort8(a *[8]uint64) {
	k0, k1, k2, k3, k4, k5, k6, k7 := a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]
	k0, k1 = min(k0, k1), max(k0, k1)
	k2, k3 = min(k2, k3), max(k2, k3)
	k4, k5 = min(k4, k5), max(k4, k5)
	k6, k7 = min(k6, k7), max(k6, k7)
	k0, k2 = min(k0, k2), max(k0, k2)
	k1, k3 = min(k1, k3), max(k1, k3)
	k4, k6 = min(k4, k6), max(k4, k6)
	k5, k7 = min(k5, k7), max(k5, k7)
	k1, k2 = min(k1, k2), max(k1, k2)
	k5, k6 = min(k5, k6), max(k5, k6)
	k0, k4 = min(k0, k4), max(k0, k4)
	k1, k5 = min(k1, k5), max(k1, k5)
	k2, k6 = min(k2, k6), max(k2, k6)
	k3, k7 = min(k3, k7), max(k3, k7)
	k2, k4 = min(k2, k4), max(k2, k4)
	k3, k5 = min(k3, k5), max(k3, k5)
	k1, k2 = min(k1, k2), max(k1, k2)
	k3, k4 = min(k3, k4), max(k3, k4)
	k5, k6 = min(k5, k6), max(k5, k6)
	a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7] = k0, k1, k2, k3, k4, k5, k6, k7
}

// sort16 sorts src, which it uses up, into dst.
func sort16(dst, src *[16]uint64) {
	sort8((*[8]uint64)(src[:8]))
	sort8((*[8]uint64)(src[8:]))
	low, high := heads{0, 8}, tails{7, 15}
	for k := range 8 {
		dst[k] = low.next(src[low.i&15], src[low.j&15])
		dst[15-k] = high.next(src[high.i&15], src[high.j&15])
	}
}

// mergePairs merges the sorted quarters of src by two, for halves of dst.
func mergePairs(dst, src *[32]uint64) {
	low, high := heads{0, 8}, tails{7, 15}
	low2, high2 := heads{16, 24}, tails{23, 31}
	for k := range 8 {
		dst[k] = low.next(src[low.i&31], src[low.j&31])
		dst[15-k] = high.next(src[high.i&31], src[high.j&31])
		dst[16+k] = low2.next(src[low2.i&31], src[low2.j&31])
		dst[31-k] = high2.next(src[high2.i&31], src[high2.j&31])
	}
}

// merge16 merges the sorted halves of src.
func merge16(dst, src *[32]uint64) {
	low, high := heads{0, 16}, tails{15, 31}
	for k := range 16 {
		dst[k] = low.next(src[low.i&31], src[low.j&31])
		dst[31-k] = high.next(src[high.i&31], src[high.j&31])
	}
}

// heads are where two lists that are merged from the front begin. While fewer are
// taken than either list holds, no end need be looked for.
type heads struct{ i, j int }

// next returns the smaller of the heads, and steps over it.
func (h *heads) next(x, y uint64) uint64 {
	c := 0
	if x <= y {
		c = 1
	}
	h.i += c
	h.j += 1 - c
	return min(x, y)
}

// tails are heads for merging from the back.
type tails struct{ i, j int }

func (t *tails) next(x, y uint64) uint64 {
	c := 0
	if x > y {
		c = 1
	}
	t.i -= c
	t.j -= 1 - c
	return max(x, y)
}
