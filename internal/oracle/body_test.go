package oracle

import (
	"math/big"
	"slices"
	"testing"

	"github.com/dgryski/go-pcgr"
)

const far30 = 1<<30 - 1 // the end of the range

func newRandom(t *testing.T) *pcgr.Rand {
	t.Helper()
	t.Logf("seed %d", *seed)
	var r pcgr.Rand
	r.SeedWithState(int64(*seed), 1)
	return &r
}

// spread returns a number from -n to n.
func spread(r *pcgr.Rand, n int64) int64 { return int64(r.Bound(uint32(2*n+1))) - n }

// someBody returns a point, a disc, a box or a line of up to n.
func someBody(r *pcgr.Rand, n int64) Body {
	length := func() int64 { return int64(r.Bound(uint32(n + 1))) }
	switch r.Bound(5) {
	case 0:
		return Body{}
	case 1:
		return Body{HalfX: length()}
	case 2:
		return Body{HalfX: length(), HalfY: length()}
	}
	return Body{Radius: length()}
}

func TestReaches(t *testing.T) {
	for _, c := range []struct {
		name string
		e    Entity
		x, y int64
		r    int64 // the least that reaches
	}{
		{"point", Entity{X: 3, Y: 4}, 0, 0, 5},
		{"point on itself", Entity{X: 3, Y: 4}, 3, 4, 0},
		{"disc", Entity{X: 6, Y: 8, Body: Body{Radius: 3}}, 0, 0, 7},
		{"disc, from its border", Entity{X: 6, Y: 8, Body: Body{Radius: 10}}, 0, 0, 0},
		{"disc, not whole", Entity{X: 5, Y: 5, Body: Body{Radius: 3}}, 0, 0, 5}, // √50 - 3 is 4.07
		{"box, off a corner", Entity{X: 10, Y: -10, Body: Body{HalfX: 7, HalfY: 6}}, 0, 0, 5},
		{"box, beside an edge", Entity{X: 10, Y: 1, Body: Body{HalfX: 7, HalfY: 6}}, 0, 0, 3},
		{"box, inside", Entity{X: 2, Y: 1, Body: Body{HalfX: 7, HalfY: 6}}, 0, 0, 0},
		{"wall", Entity{X: 10, Body: Body{HalfY: 100}}, 0, 60, 10},
		{"wall, from it", Entity{X: 10, Body: Body{HalfY: 100}}, 10, -100, 0},
		{"wall, off its end", Entity{X: 3, Body: Body{HalfY: 100}}, 0, 104, 5},
		{"from end to end", Entity{X: far30, Body: Body{Radius: 1}}, -far30, 0, 2*far30 - 1},
	} {
		if !c.e.Reaches(c.x, c.y, c.r) {
			t.Errorf("%s: not within %d", c.name, c.r)
		}
		if c.r > 0 && c.e.Reaches(c.x, c.y, c.r-1) {
			t.Errorf("%s: within %d", c.name, c.r-1)
		}
	}
}

// float returns √core2 - radius to 300 bits, or 0.
func (d distance) float() *big.Float {
	f := new(big.Float).SetPrec(300).SetInt64(d.core2)
	if f.Sqrt(f).Sub(f, new(big.Float).SetInt64(d.radius)).Sign() < 0 {
		f.SetInt64(0)
	}
	return f
}

// Distances are ordered as their numbers are, and squares are rounded down.
func TestDistances(t *testing.T) {
	all := []distance{
		{0, 0}, {0, 7}, {49, 7}, {48, 7}, {50, 7}, {9, 0}, {10, 0}, {25, 2}, {64, 5}, {100, 7}, {101, 7},
		{2, 1}, {200, 1}, {8 * far30 * far30, far30}, {8*far30*far30 - 1, far30}, {4 * far30 * far30, 0}, {9, 1}, {16, 2},
	}
	r := newRandom(t)
	for range 60 {
		all = append(all, distance{int64(r.Bound(400)), int64(r.Bound(20))}, distance{int64(r.Next()) << 31, int64(r.Next() >> 2)})
	}
	for _, a := range all {
		fa := a.float()
		for _, b := range all {
			if got, want := a.compare(b), fa.Cmp(b.float()); got != want {
				t.Errorf("%v compared with %v: %d; want %d", a, b, got, want)
			}
		}
		want, _ := new(big.Float).Mul(fa, fa).Int64()
		if root := new(big.Int).Sqrt(big.NewInt(a.core2)).Int64(); root*root == a.core2 {
			want = max(root-a.radius, 0) * max(root-a.radius, 0)
		} else if a.radius == 0 {
			want = a.core2
		}
		if got := a.squared(); got != want {
			t.Errorf("%v squared: %d; want %d", a, got, want)
		}
		if a.inside() != (fa.Sign() == 0) {
			t.Errorf("%v inside: %v", a, a.inside())
		}
	}
}

// Bodies are as far as their borders. Equal distances go by ID, also of what is inside.
func TestNearestBodies(t *testing.T) {
	entities := []Entity{
		{ID: 1, X: 10, Body: Body{Radius: 4}},                // 6
		{ID: 2, X: -6},                                       // 6
		{ID: 3, Y: 16, Body: Body{HalfX: 30, HalfY: 10}},     // 6
		{ID: 4, X: 8, Y: 8, Body: Body{Radius: 5}},           // √128 - 5: 6.31, squared 39.8
		{ID: 5, X: 100, Y: 100, Body: Body{Radius: 142}},     // around
		{ID: 6, X: 3, Y: 3, Body: Body{HalfX: 3, HalfY: 40}}, // on its border
		{ID: 7, X: 1, Y: 2, Z: 3},                            // too high
		{ID: 8, X: 8, Y: -9, Body: Body{HalfX: 1, HalfY: 1}}, // √113
		{ID: 9, X: 11, Body: Body{Radius: 1}},                // 10
	}
	all := []Near{{5, 0}, {6, 0}, {1, 36}, {2, 36}, {3, 36}, {4, 39}, {9, 100}, {8, 113}}
	for _, c := range []struct {
		radius int64
		k      int
		want   []Near
	}{{20, 20, all}, {20, 4, all[:4]}, {10, 20, all[:7]}, {9, 20, all[:6]}, {6, 20, all[:5]}, {5, 20, all[:2]}, {0, 1, all[:1]}} {
		if got := Nearest(entities, Disc{Radius: c.radius, Height: 2}, c.k); !slices.Equal(got, c.want) {
			t.Errorf("%d within %d: %v; want %v", c.k, c.radius, got, c.want)
		}
	}
}
