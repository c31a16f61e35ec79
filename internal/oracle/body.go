package oracle

import (
	"cmp"
	"math/big"
)

// Body is the extent of an entity around its position: a disc of Radius, an
// axis-aligned box of edges 2·HalfX and 2·HalfY, or (zero) the position alone. It is
// closed. A disc has no half edges.
type Body struct{ Radius, HalfX, HalfY int64 }

// core returns the entity's body without its radius: the corners of a box, the
// position otherwise.
func (e *Entity) core() outline {
	var corners []point
	for _, x := range []int64{e.X - e.Body.HalfX, e.X + e.Body.HalfX} {
		for _, y := range []int64{e.Y - e.Body.HalfY, e.Y + e.Body.HalfY} {
			corners = append(corners, at(x, y))
		}
	}
	return hull(corners)
}

// Reaches reports whether the entity's body comes within r of (x, y), border
// included.
func (e *Entity) Reaches(x, y, r int64) bool {
	limit := whole(r + e.Body.Radius)
	return e.core().near2(at(x, y)).cmp(limit.mul(limit)) <= 0
}

// distance is how far away a body is: √core2 - radius, or nothing if that is
// negative. It is irrational in general.
type distance struct{ core2, radius int64 }

// from returns the distance of the entity's body from (x, y).
func (e *Entity) from(x, y int64) distance {
	core2 := e.core().near2(at(x, y)) // of a box or a point in whole numbers: whole
	return distance{core2.p.Num().Int64(), e.Body.Radius}
}

// inside reports whether the distance is zero.
func (d distance) inside() bool {
	r := whole(d.radius)
	return whole(d.core2).cmp(r.mul(r)) <= 0
}

// compare orders distances, exactly.
func (d distance) compare(other distance) int {
	if d.radius == 0 && other.radius == 0 {
		return cmp.Compare(d.core2, other.core2)
	}
	if d.inside() || other.inside() {
		switch {
		case !other.inside():
			return -1
		case !d.inside():
			return 1
		}
		return 0
	}
	// √a - r against √b - s. With k = r - s that is √a against √b + k, which is positive
	// because √b is above s; and squared, a - b - k² against 2k·√b.
	k := d.radius - other.radius
	a, b := whole(d.core2), whole(other.core2)
	return a.sub(b).sub(whole(k).mul(whole(k))).cmp(whole(2 * k).mul(root(b)))
}

// squared returns the square of the distance, rounded down:
// (√a - r)² = a + r² - √(4·r²·a), and what is taken off is rounded up.
func (d distance) squared() int64 {
	if d.radius == 0 {
		return d.core2
	}
	if d.inside() {
		return 0
	}
	a, r := big.NewInt(d.core2), big.NewInt(d.radius)
	r2 := new(big.Int).Mul(r, r)
	off := new(big.Int).Mul(r2, a)
	off.Lsh(off, 2)
	down := new(big.Int).Sqrt(off)
	if new(big.Int).Mul(down, down).Cmp(off) < 0 {
		down.Add(down, big.NewInt(1))
	}
	return a.Add(a, r2).Sub(a, down).Int64()
}

// far is somebody found, before the distance is rounded.
type far struct {
	id uint64
	distance
}

// compareFar orders by distance, then by ID.
func compareFar(a, b far) int {
	return cmp.Or(a.compare(b.distance), cmp.Compare(a.id, b.id))
}
