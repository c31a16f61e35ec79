package grid

import (
	"math/big"
	"testing"
)

func bigOf(words ...uint64) *big.Int {
	out := new(big.Int)
	for _, w := range words {
		out.Lsh(out, 64).Or(out, new(big.Int).SetUint64(w))
	}
	return out
}

// word is a random one, often with few bits or nearly all.
func (r *random) word() uint64 {
	v := uint64(r.Next())<<32 | uint64(r.Next())
	switch r.below(4) {
	case 0:
		return v >> r.below(64)
	case 1:
		return ^(v >> r.below(64))
	}
	return v
}

func TestWideProducts(t *testing.T) {
	r := newRandom(t)
	same := func(what string, got, want *big.Int) {
		t.Helper()
		if got.Cmp(want) != 0 {
			t.Fatalf("%s: %v; want %v", what, got, want)
		}
	}
	for range 50_000 {
		a, b, c, d := r.word(), r.word(), r.word(), r.word()
		p, q := product(a, b), product(c, d)
		same("product", bigOf(p.hi, p.lo), new(big.Int).Mul(bigOf(a), bigOf(b)))
		if p.atMost(q) != (bigOf(p.hi, p.lo).Cmp(bigOf(q.hi, q.lo)) <= 0) || !p.atMost(p) {
			t.Fatalf("%v at most %v: %v", p, q, p.atMost(q))
		}
		p.hi >>= 1
		q.hi >>= 1
		sum := p.add(q)
		same("add", bigOf(sum.hi, sum.lo), new(big.Int).Add(bigOf(p.hi, p.lo), bigOf(q.hi, q.lo)))
		u := p.times(c)
		same("times", bigOf(u.hi, u.mid, u.lo), new(big.Int).Mul(bigOf(p.hi, p.lo), bigOf(c)))
		v := q.times(a)
		if u.atMost(v) != (bigOf(u.hi, u.mid, u.lo).Cmp(bigOf(v.hi, v.mid, v.lo)) <= 0) || !u.atMost(u) {
			t.Fatalf("%v at most %v: %v", u, v, u.atMost(v))
		}
		p.hi &= 1<<32 - 1
		w := p.squared()
		same("squared", bigOf(w.hi, w.mid, w.lo), new(big.Int).Mul(bigOf(p.hi, p.lo), bigOf(p.hi, p.lo)))
	}
}

func TestSignedProducts(t *testing.T) {
	r := newRandom(t)
	for range 50_000 {
		a, b, c, d := int64(r.word())/2, int64(r.word()), int64(r.word())/2, int64(r.word())
		if b == -1<<63 || d == -1<<63 {
			continue
		}
		got := signed(a, b).plus(signed(c, d))
		want := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		want.Add(want, new(big.Int).Mul(big.NewInt(c), big.NewInt(d)))
		abs := got.abs()
		if got.sign() != want.Sign() || bigOf(abs.hi, abs.lo).Cmp(new(big.Int).Abs(want)) != 0 {
			t.Fatalf("%d*%d + %d*%d: %+v; want %v", a, b, c, d, got, want)
		}
	}
}
