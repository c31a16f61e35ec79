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
	case n < 32:
		var a [32]uint64
		for i := copy(a[:], keys); i < len(a); i++ {
			a[i] = math.MaxUint64
		}
		sort32(&a)
		copy(keys, a[:])
	case n == 32:
		sort32((*[32]uint64)(keys))
	case n < 64:
		sortKeysGeneric(keys[:32])
		sortKeysGeneric(keys[32:])
		var a, b [64]uint64
		for i := copy(a[:], keys); i < len(a); i++ {
			a[i] = math.MaxUint64
		}
		merge32(&b, &a)
		copy(keys, b[:])
	default:
		sort32((*[32]uint64)(keys))
		sort32((*[32]uint64)(keys[32:]))
		var b [64]uint64
		merge32(&b, (*[64]uint64)(keys))
		copy(keys, b[:])
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
	i, j := 0, 0
	for k := range 8 {
		x, y := src[i&15], src[(8+k-i)&15]
		i += notAbove(x, y)
		dst[k] = min(x, y)
		x, y = src[(7-j)&15], src[(15-k+j)&15]
		j += above(x, y)
		dst[15-k] = max(x, y)
	}
}

func sort32(a *[32]uint64) {
	for i := 0; i < len(a); i += 8 {
		sort8((*[8]uint64)(a[i:]))
	}
	var b [32]uint64
	mergePairs(&b, a)
	merge16(a, &b)
}

// mergePairs merges the sorted quarters of src by two, for halves of dst.
func mergePairs(dst, src *[32]uint64) {
	i, j, i2, j2 := 0, 0, 0, 0
	for k := range 8 {
		x, y := src[i&31], src[(8+k-i)&31]
		i += notAbove(x, y)
		dst[k] = min(x, y)
		x, y = src[(7-j)&31], src[(15-k+j)&31]
		j += above(x, y)
		dst[15-k] = max(x, y)
		x, y = src[(16+i2)&31], src[(24+k-i2)&31]
		i2 += notAbove(x, y)
		dst[16+k] = min(x, y)
		x, y = src[(23-j2)&31], src[(31-k+j2)&31]
		j2 += above(x, y)
		dst[31-k] = max(x, y)
	}
}

// merge16 merges the sorted halves of src. Of the first k taken from the front, i
// came from the first half; of those from the back, j did. While k is at most half of
// all, neither half can run out.
func merge16(dst, src *[32]uint64) {
	i, j := 0, 0
	for k := range 16 {
		x, y := src[i&31], src[(16+k-i)&31]
		i += notAbove(x, y)
		dst[k] = min(x, y)
		x, y = src[(15-j)&31], src[(31-k+j)&31]
		j += above(x, y)
		dst[31-k] = max(x, y)
	}
}

// merge32 is merge16 for halves of 32.
func merge32(dst, src *[64]uint64) {
	i, j := 0, 0
	for k := range 32 {
		x, y := src[i&63], src[(32+k-i)&63]
		i += notAbove(x, y)
		dst[k] = min(x, y)
		x, y = src[(31-j)&63], src[(63-k+j)&63]
		j += above(x, y)
		dst[63-k] = max(x, y)
	}
}

// above returns 1 if x > y, else 0; notAbove the opposite. Neither is a branch.
func above(x, y uint64) (n int) {
	if x > y {
		n = 1
	}
	return n
}

func notAbove(x, y uint64) (n int) {
	if x <= y {
		n = 1
	}
	return n
}
