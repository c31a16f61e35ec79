package asm

import (
	"math"
	"math/bits"
)

// Quantise rounds metres to units: dst[i] becomes src[i]*scale rounded to the
// nearest integer, ties to even. scale is units per metre, a power of two, so
// the product is exact. Element i is bad if the result's absolute value exceeds
// [MaxCoord], or src[i] is NaN or infinite: bit i%64 of bad[i/64] tells, and dst[i]
// is unspecified. All bits of the words used are written. It returns the number
// of bad elements. dst is as long as src, bad has at least (len(src)+63)/64
// words. It reads and writes nothing beyond, and does not allocate. O(len(src)).
func Quantise(dst []int32, bad []uint64, src []float64, scale float64) int {
	dst, bad = dst[:len(src)], bad[:(len(src)+63)/64]
	if len(src) == 0 {
		return 0
	}
	quantise64(dst, bad, src, scale)
	return countBits(bad)
}

// Quantise32 is [Quantise] for float32 metres.
func Quantise32(dst []int32, bad []uint64, src []float32, scale float32) int {
	dst, bad = dst[:len(src)], bad[:(len(src)+63)/64]
	if len(src) == 0 {
		return 0
	}
	quantise32(dst, bad, src, scale)
	return countBits(bad)
}

func countBits(words []uint64) int {
	n := 0
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	return n
}

// quantise64Generic rounds the elements from index from on; bad is clear there.
func quantise64Generic(dst []int32, bad []uint64, src []float64, scale float64, from int) {
	for i := from; i < len(src); i++ {
		v := src[i]
		r := math.RoundToEven(v * scale)
		if !(math.Abs(r) <= MaxCoord) {
			bad[i/64] |= 1 << (i % 64)
			continue
		}
		dst[i] = int32(r)
	}
}

func quantise32Generic(dst []int32, bad []uint64, src []float32, scale float32, from int) {
	for i := from; i < len(src); i++ {
		v := src[i]
		r := math.RoundToEven(float64(v * scale))
		if !(math.Abs(r) <= MaxCoord) {
			bad[i/64] |= 1 << (i % 64)
			continue
		}
		dst[i] = int32(r)
	}
}
