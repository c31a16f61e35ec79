package grid

import "math/bits"

// Exact products that do not fit an int64. The shapes say why theirs fit what they
// use.

// u128 is hi*2^64 + lo.
type u128 struct{ hi, lo uint64 }

// product returns a * b.
func product(a, b uint64) u128 {
	hi, lo := bits.Mul64(a, b)
	return u128{hi, lo}
}

// square64 returns v * v.
func square64(v int64) u128 { return product(magnitude(v), magnitude(v)) }

// magnitude returns |v|.
func magnitude(v int64) uint64 { return uint64(max(v, -v)) }

// add returns a + b, which must be below 2^128.
func (a u128) add(b u128) u128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return u128{hi, lo}
}

// atMost reports whether a <= b.
func (a u128) atMost(b u128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo <= b.lo }

// times returns a * b.
func (a u128) times(b uint64) u192 {
	low, high := product(a.lo, b), product(a.hi, b)
	mid, carry := bits.Add64(low.hi, high.lo, 0)
	return u192{high.hi + carry, mid, low.lo}
}

// squared returns a * a for a below 2^96.
func (a u128) squared() u192 {
	low, high := a.times(a.lo), a.times(a.hi) // high counts 2^64 times, and fits 128 bits
	mid, carry := bits.Add64(low.mid, high.lo, 0)
	hi, _ := bits.Add64(low.hi, high.mid, carry)
	return u192{hi, mid, low.lo}
}

// u192 is hi*2^128 + mid*2^64 + lo.
type u192 struct{ hi, mid, lo uint64 }

// atMost reports whether a <= b.
func (a u192) atMost(b u192) bool {
	if a.hi != b.hi {
		return a.hi < b.hi
	}
	return u128{a.mid, a.lo}.atMost(u128{b.mid, b.lo})
}

// i128 is a sum of products with a sign, in two's complement.
type i128 struct {
	hi int64
	lo uint64
}

// signed returns a * b.
func signed(a, b int64) i128 {
	p := product(magnitude(a), magnitude(b))
	out := i128{int64(p.hi), p.lo}
	if (a < 0) != (b < 0) {
		return out.neg()
	}
	return out
}

// plus returns a + b, whose magnitude must be below 2^127.
func (a i128) plus(b i128) i128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return i128{a.hi + b.hi + int64(carry), lo}
}

// neg returns -a.
func (a i128) neg() i128 {
	lo, borrow := bits.Sub64(0, a.lo, 0)
	return i128{-a.hi - int64(borrow), lo}
}

// sign returns -1, 0 or 1.
func (a i128) sign() int {
	switch {
	case a.hi < 0:
		return -1
	case a.hi == 0 && a.lo == 0:
		return 0
	}
	return 1
}

// abs returns |a|.
func (a i128) abs() u128 {
	if a.hi < 0 {
		a = a.neg()
	}
	return u128{uint64(a.hi), a.lo}
}
