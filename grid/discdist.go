package grid

import (
	"cmp"
	"math"
	"math/bits"
)

// compare orders by exact distance: the root of Dist2, less the radius. Who is inside a
// disc has neither.
func (a Near) compare(b Near) int {
	if a.radius == b.radius {
		return cmp.Compare(a.Dist2, b.Dist2)
	}
	if a.radius < b.radius {
		return -b.compare(a)
	}
	// With k, the difference of the radii, it is √a against √b + k; squared, a - b - k^2
	// against 2k * √b; squared again, if the left is not negative. It is below 2^63, k
	// below 2^30.
	k := int64(a.radius) - int64(b.radius)
	left := a.Dist2 - b.Dist2
	if left < k*k {
		return -1
	}
	left -= k * k
	l, r := square64(left), product(uint64(4*k*k), uint64(b.Dist2))
	switch {
	case l == r:
		return 0
	case l.atMost(r):
		return -1
	}
	return 1
}

// discDist2 returns the squared distance of a point from a disc, rounded down, given the
// squared distance of the disc's centre, which is beyond its radius: d2 + r^2 - 2r * √d2,
// where what is taken off is rounded up.
func discDist2(d2 int64, radius int32) int64 {
	r2 := uint64(radius) * uint64(radius)
	off := product(uint64(d2), 4*r2) // below 2^125
	root := sqrt128(off)
	if product(root, root) != off {
		root++
	}
	return int64(uint64(d2) + r2 - root)
}

// sqrt128 returns the root, rounded down, of a number below 2^126. Newton's step takes
// float64's error of 2^-52 of a root below 2^63, some thousands, to less than one.
func sqrt128(v u128) uint64 {
	x := uint64(math.Sqrt(float64(float64(v.hi)*(1<<64)) + float64(v.lo)))
	if x == 0 {
		return 0
	}
	quotient, _ := bits.Div64(v.hi, v.lo, x)
	x = x/2 + quotient/2 + x&quotient&1
	for !product(x, x).atMost(v) {
		x--
	}
	for product(x+1, x+1).atMost(v) {
		x++
	}
	return x
}
