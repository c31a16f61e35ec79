package oracle

import (
	"math/big"
	"testing"
)

// combined returns p + q·√n.
func combined(p, q, n int64) surd { return whole(p).add(whole(q).mul(root(whole(n)))) }

// Convergents of √2 are as near to it as whole numbers get, in turns below and above:
// p² - 2q² is -1, then 1. A float64 loses them after 20.
func TestSignOfConvergents(t *testing.T) {
	p, q := int64(1), int64(1)
	for i := range 40 {
		want := -1 + i%2*2
		if got := combined(p, -q, 2).sign(); got != want {
			t.Fatalf("sign of %d - %d√2: %d; want %d", p, q, got, want)
		}
		if got := combined(-p, q, 2).sign(); got != -want {
			t.Fatalf("sign of %d√2 - %d: %d; want %d", q, p, got, -want)
		}
		p, q = p+2*q, p+q
	}
}

func TestSurd(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want surd
	}{
		{"a root of a square is whole", root(whole(1 << 60)), whole(1 << 30)},
		{"√0", root(whole(0)), whole(0)},
		{"√2·√2", root(whole(2)).mul(root(whole(2))), whole(2)},
		{"(1 + √2)(1 - √2)", combined(1, 1, 2).mul(combined(1, -1, 2)), whole(-1)},
		{"(3 + 2√7)²", combined(3, 2, 7).mul(combined(3, 2, 7)), combined(37, 12, 7)},
		{"1/(1 + √2)", whole(1).quo(combined(1, 1, 2)), combined(-1, 1, 2)},
		{"(5 + √3)/(5 + √3)", combined(5, 1, 3).quo(combined(5, 1, 3)), whole(1)},
		{"6/4", whole(6).quo(whole(4)), whole(3).quo(whole(2))},
		{"a root that goes away", combined(4, 5, 3).sub(combined(1, 5, 3)), whole(3)},
		{"times 0", combined(4, 5, 3).mul(whole(0)), whole(0)},
		{"|1 - √2|", combined(1, -1, 2).abs(), combined(-1, 1, 2)},
		{"|3 - √2|", combined(3, -1, 2).abs(), combined(3, -1, 2)},
		{"excess", combined(3, 1, 2).excess(combined(1, 1, 2)), whole(2)},
		{"no excess", whole(1).excess(root(whole(2))), whole(0)},
	} {
		if c.got.cmp(c.want) != 0 || c.got.sub(c.want).q != nil {
			t.Errorf("%s: %v + %v√%v", c.name, c.got.p, c.got.q, c.got.n)
		}
	}
	if whole(3).cmp(combined(0, 2, 2)) != 1 || root(whole(8)).cmp(whole(3)) != -1 || combined(0, -1, 2).sign() != -1 {
		t.Error("3 is above √8")
	}
}

// Operations leave their operands as they are.
func TestSurdOperandsStay(t *testing.T) {
	a, b := combined(7, 3, 5), combined(2, -1, 5)
	a.add(b)
	a.sub(b)
	a.mul(b)
	a.quo(b)
	a.neg()
	a.abs()
	if a.cmp(combined(7, 3, 5)) != 0 || b.cmp(combined(2, -1, 5)) != 0 {
		t.Errorf("%v, %v", a, b)
	}
}

func TestSurdPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"two roots":       func() { root(whole(2)).add(root(whole(3))) },
		"root of a half":  func() { root(whole(1).quo(whole(2))) },
		"root of a root":  func() { root(root(whole(2))) },
		"root below zero": func() { root(whole(-1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// places returns whole points.
func places(xy ...int64) (o outline) {
	for i := 0; i < len(xy); i += 2 {
		o = append(o, at(xy[i], xy[i+1]))
	}
	return o
}

func (o outline) equal(other outline) bool {
	if len(o) != len(other) {
		return false
	}
	for i := range o {
		if o[i].cmp(other[i]) != 0 {
			return false
		}
	}
	return true
}

func TestHull(t *testing.T) {
	for _, c := range []struct {
		name      string
		from, got outline
	}{
		{"nothing", places(), places()},
		{"a point, four times", places(2, 3, 2, 3, 2, 3, 2, 3), places(2, 3)},
		{"a segment", places(4, 4, 0, 0), places(0, 0, 4, 4)},
		{"in line", places(1, 1, 4, 4, 0, 0, 3, 3, 4, 4), places(0, 0, 4, 4)},
		{"in a vertical line", places(2, 5, 2, 1, 2, 3), places(2, 1, 2, 5)},
		{"a triangle", places(0, 4, 3, 0, 0, 0), places(0, 0, 3, 0, 0, 4)},
		{"a square with points on it and in it", places(0, 0, 2, 0, 4, 0, 4, 4, 0, 4, 2, 2, 0, 2, 4, 4), places(0, 0, 4, 0, 4, 4, 0, 4)},
	} {
		if got := hull(c.from); !got.equal(c.got) {
			t.Errorf("%s: %d corners", c.name, len(got))
		}
	}
}

func TestClip(t *testing.T) {
	square := places(0, 0, 4, 0, 4, 4, 0, 4)
	leftOf := func(x int64) func(point) surd { return func(p point) surd { return whole(x).sub(p.x) } }
	below := func(p point) surd { return p.x.sub(p.y) } // y <= x
	for _, c := range []struct {
		name      string
		got, want outline
	}{
		{"all of it", square.clip(leftOf(4)), square},
		{"half of it", square.clip(leftOf(2)), places(0, 0, 2, 0, 2, 4, 0, 4)},
		{"an edge", square.clip(leftOf(0)), places(0, 0, 0, 4)},
		{"nothing", square.clip(leftOf(-1)), nil},
		{"a triangle", square.clip(below), places(0, 0, 4, 0, 4, 4)},
		{"of a segment", places(0, 4, 4, 0).clip(below), places(2, 2, 4, 0)},
		{"a point on the line", places(3, 3).clip(below), places(3, 3)},
		{"of nothing", outline(nil).clip(below), nil},
	} {
		if !c.got.equal(c.want) {
			t.Errorf("%s: %d corners", c.name, len(c.got))
		}
	}
	// A cut at √2 is exact.
	cut := square.clip(func(p point) surd { return root(whole(2)).sub(p.x) })
	if len(cut) != 4 || cut[1].x.cmp(root(whole(2))) != 0 || cut[1].x.p.Cmp(new(big.Rat)) != 0 {
		t.Errorf("cut at √2: %v", cut)
	}
}

func TestNear2AndFar2(t *testing.T) {
	square, segment := places(0, 0, 4, 0, 4, 4, 0, 4), places(0, 0, 4, 4)
	for _, c := range []struct {
		name        string
		o           outline
		x, y        int64
		near2, far2 int64
	}{
		{"inside", square, 1, 1, 0, 18},
		{"on the border", square, 4, 2, 0, 20},
		{"beside an edge", square, 6, 2, 4, 40},
		{"off a corner", square, 7, 8, 25, 113},
		{"beside a segment", segment, 0, 4, 8, 16},
		{"off a segment's end", segment, 5, 6, 5, 61},
		{"on a segment", segment, 1, 1, 0, 18},
		{"a point", places(1, 1), 4, 5, 25, 25},
	} {
		p := at(c.x, c.y)
		if near, far := c.o.near2(p), c.o.far2(p); near.cmp(whole(c.near2)) != 0 || far.cmp(whole(c.far2)) != 0 {
			t.Errorf("%s: %v, %v; want %d, %d", c.name, near.p, far.p, c.near2, c.far2)
		}
	}
	// The distance from a slanting line is no whole number: (5·0 - 1·3)² / 10.
	if d := fromSegment2(at(1, 2), at(0, 0), at(3, 1)); d.cmp(whole(5).quo(whole(2))) != 0 {
		t.Errorf("%v; want 5/2", d.p)
	}
}
