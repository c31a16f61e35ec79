package asm

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// exactUnits is the definition without floating point: v * 2^exponent rounded to
// the nearest integer, ties to even. ok is false for what is no coordinate. A
// float32 widens to the v of the same value.
func exactUnits(v float64, exponent int) (units int64, ok bool) {
	bits := math.Float64bits(v)
	e := int(bits >> 52 & 0x7FF)
	if e == 0x7FF {
		return 0, false
	}
	m := int64(bits & (1<<52 - 1))
	if e == 0 {
		e = 1
	} else {
		m |= 1 << 52
	}
	// |v| = m * 2^(e - 1075)
	shift := e - 1075 + exponent
	switch {
	case m == 0 || shift < -60:
		units = 0
	case shift > 10:
		return 0, false
	case shift >= 0:
		units = m << shift
	default:
		units = m >> -shift
		rest, half := m&(1<<-shift-1), int64(1)<<(-shift-1)
		if rest > half || rest == half && units&1 == 1 {
			units++
		}
	}
	if v < 0 {
		units = -units
	}
	return units, -MaxCoord <= units && units <= MaxCoord
}

// TestExactUnits holds the oracle against math/big.
func TestExactUnits(t *testing.T) {
	r := newRandom(t)
	for range 20000 {
		v := math.Float64frombits(uint64(r.Next())<<32 | uint64(r.Next()))
		if r.below(4) > 0 {
			v = math.Ldexp(float64(r.spread(MaxCoord))/2, r.below(40)-35)
		}
		exponent := r.below(24) - 4
		if math.IsNaN(v) {
			continue
		}
		b := new(big.Float).SetPrec(2000).SetFloat64(v)
		b.SetMantExp(b, exponent)
		// the nearest integer below b + 1/2, one less if b + 1/2 is an odd integer
		b.Add(b, big.NewFloat(0.5))
		want, accuracy := b.Int(nil)
		if b.Sign() < 0 && accuracy != big.Exact {
			want.Sub(want, big.NewInt(1))
		}
		if accuracy == big.Exact && want.Bit(0) == 1 {
			want.Sub(want, big.NewInt(1))
		}
		inside := want.CmpAbs(big.NewInt(MaxCoord)) <= 0
		got, ok := exactUnits(v, exponent)
		if ok != inside || ok && got != want.Int64() {
			t.Fatalf("%b * 2^%d: got %d, %v; want %d, %v", v, exponent, got, ok, want, inside)
		}
	}
}

// checkQuantise compares Quantise with exactUnits at scale 2^exponent.
func checkQuantise(t *testing.T, src []float64, exponent int) (bad int) {
	t.Helper()
	return checkUnits(t, src, exponent, func(dst []int32, bad []uint64) int {
		return Quantise(dst, bad, src, math.Ldexp(1, exponent))
	})
}

// checkQuantise32 is checkQuantise for Quantise32.
func checkQuantise32(t *testing.T, src []float32, exponent int) (bad int) {
	t.Helper()
	return checkUnits(t, src, exponent, func(dst []int32, bad []uint64) int {
		return Quantise32(dst, bad, src, float32(math.Ldexp(1, exponent)))
	})
}

func checkUnits[T float32 | float64](t *testing.T, src []T, exponent int, call func(dst []int32, bad []uint64) int) int {
	t.Helper()
	n := len(src)
	dst, dsts := fenced[int32](n, -7)
	bad, bads := fenced[uint64]((n+63)/64, canary)
	count, want := call(dst, bad), 0
	words := make([]uint64, len(bad))
	for i, v := range src {
		units, ok := exactUnits(float64(v), exponent)
		if !ok {
			want++
			words[i/64] |= 1 << (i % 64)
			continue
		}
		if int64(dst[i]) != units {
			t.Fatalf("element %d of %d: %b * 2^%d is %d; want %d", i, n, v, exponent, dst[i], units)
		}
	}
	for i := range bad {
		if bad[i] != words[i] {
			k := 64*i + lowest(bad[i]^words[i])
			what := "past the end"
			if k < n {
				what = fmt.Sprintf("%b * 2^%d", src[k], exponent)
			}
			t.Fatalf("word %d of bad is %#x; want %#x: element %d of %d, %s", i, bad[i], words[i], k, n, what)
		}
	}
	if count != want {
		t.Fatalf("%d are bad; want %d", count, want)
	}
	untouched(t, "dst", dsts, -7)
	untouched(t, "bad", bads, canary)
	return count
}

func lowest(word uint64) int {
	n := 0
	for ; word&1 == 0; word >>= 1 {
		n++
	}
	return n
}

// scales are powers of two around the common 2^8.
var scales = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, -1, -3, -10}

// hard returns metres that are hard to round at scale 2^exponent: at, and one
// step off, integers, ties and the borders; tiny, huge and no numbers at all.
func hard(exponent int, step func(v float64, up bool) float64) (metres []float64) {
	var units []float64
	for _, v := range []float64{0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 254.5, 255.5, 1<<22 - 0.5, 1<<22 + 0.5, 1<<23 - 0.5, 1 << 24, 1<<24 + 1,
		1<<29 + 0.5, 1<<30 - 65, 1<<30 - 64, 1<<30 - 2.5, 1<<30 - 2, 1<<30 - 1.5, 1<<30 - 1, 1<<30 - 0.75, 1<<30 - 0.5, 1<<30 - 0.25, 1 << 30, 1<<30 + 0.5, 1<<30 + 1,
		1<<31 - 1, 1<<31 - 0.5, 1 << 31, 1<<31 + 1, 1 << 32, 1<<32 + 5, 1 << 62, 1 << 63, 1 << 64, 1e30} {
		units = append(units, v, -v)
	}
	for _, u := range units {
		v := math.Ldexp(u, -exponent)
		metres = append(metres, v, step(v, true), step(v, false))
	}
	return append(metres, math.NaN(), math.Float64frombits(0xFFF0000000000001), math.Inf(1), math.Inf(-1), math.Copysign(0, -1),
		math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1e-308, 3e-310,
		math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 1e-38, 1e-40)
}

func step64(v float64, up bool) float64 {
	return math.Nextafter(v, math.Inf(map[bool]int{true: 1, false: -1}[up]))
}

func step32(v float64, up bool) float64 {
	return float64(math.Nextafter32(float32(v), float32(math.Inf(map[bool]int{true: 1, false: -1}[up]))))
}

// TestQuantiseHard puts every hard value at every place in a vector.
func TestQuantiseHard(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, exponent := range scales {
			values := hard(exponent, step64)
			small := hard(exponent, step32)
			for shift := range 16 {
				src := make([]float64, shift, shift+len(values))
				checkQuantise(t, append(src, values...), exponent)
				src32 := make([]float32, shift, shift+len(small))
				for _, v := range small {
					src32 = append(src32, float32(v))
				}
				checkQuantise32(t, src32, exponent)
			}
		}
	})
}

func TestQuantiseEveryLength(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := range 301 {
			exponent := scales[r.below(len(scales))]
			odd := hard(exponent, step64)
			src, src32, bad := make([]float64, n), make([]float32, n), 0
			for i := range src {
				src[i] = math.Ldexp(float64(r.spread(MaxCoord))+float64(r.below(5))/4, -exponent-r.below(30))
				if r.below(5) == 0 {
					src[i] = odd[r.below(len(odd))]
				}
				src32[i] = float32(src[i])
			}
			bad += checkQuantise(t, src, exponent)
			bad += checkQuantise32(t, src32, exponent)
			if n > 100 && bad == 0 {
				t.Errorf("length %d: none is bad: the generator is too weak", n)
			}
		}
	})
}

// TestQuantiseBadBits: one bad element at every place of every length sets one
// bit, and all others of the words used are cleared.
func TestQuantiseBadBits(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range []int{1, 15, 16, 17, 63, 64, 65, 79, 80, 127, 128, 129} {
			for i := range n {
				src, src32 := make([]float64, n), make([]float32, n)
				src[i], src32[i] = math.NaN(), float32(math.Inf(-1))
				if checkQuantise(t, src, 8) != 1 || checkQuantise32(t, src32, 8) != 1 {
					t.Fatalf("element %d of %d: not one is bad", i, n)
				}
			}
		}
	})
}

// TestQuantiseLongerDestinations: what dst and bad have beyond src stays.
func TestQuantiseLongerDestinations(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for n := range 70 {
			dst, bad := make([]int32, n+20), []uint64{canary, canary, canary, canary}
			for i := range dst {
				dst[i] = -7
			}
			Quantise(dst, bad, make([]float64, n), 256)
			Quantise32(dst, bad, make([]float32, n), 256)
			for i, v := range dst {
				if i < n && v != 0 || i >= n && v != -7 {
					t.Fatalf("length %d: dst[%d] is %d", n, i, v)
				}
			}
			for i, w := range bad {
				if used := i < (n+63)/64; used && w != 0 || !used && w != canary {
					t.Fatalf("length %d: bad[%d] is %#x", n, i, w)
				}
			}
		}
	})
}

func TestQuantiseAllocatesNothing(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		dst, bad := make([]int32, 100), make([]uint64, 2)
		src, src32 := make([]float64, 100), make([]float32, 100)
		allocs := testing.AllocsPerRun(100, func() {
			Quantise(dst, bad, src, 256)
			Quantise32(dst, bad, src32, 256)
		})
		if allocs != 0 {
			t.Errorf("got %v allocations; want none", allocs)
		}
	})
}
