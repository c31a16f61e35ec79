package oracle

import "math/big"

// surd is the number p + q·√n, exact: p and q are rational, n is whole and no
// square. q is nil if it is zero, and n then means nothing. Numbers with different
// roots do not mix.
type surd struct {
	p, q *big.Rat
	n    *big.Int
}

// whole returns v.
func whole(v int64) surd { return surd{p: new(big.Rat).SetInt64(v)} }

// root returns √n, n >= 0.
func root(n surd) surd {
	if n.q != nil || !n.p.IsInt() || n.p.Sign() < 0 {
		panic("oracle: root of something else than a whole number")
	}
	i := n.p.Num()
	if r := new(big.Int).Sqrt(i); new(big.Int).Mul(r, r).Cmp(i) == 0 {
		return surd{p: new(big.Rat).SetInt(r)}
	}
	return surd{p: new(big.Rat), q: big.NewRat(1, 1), n: i}
}

// q returns q, n of a and b: they may have one root only.
func (a surd) roots(b surd) (aq, bq *big.Rat, n *big.Int) {
	aq, bq, n = a.q, b.q, a.n
	switch {
	case aq == nil:
		aq, n = new(big.Rat), b.n
	case bq == nil:
		bq = new(big.Rat)
	case a.n.Cmp(b.n) != 0:
		panic("oracle: two different roots")
	}
	return aq, bq, n
}

// reduced returns p + q·√n in its one form.
func reduced(p, q *big.Rat, n *big.Int) surd {
	if q.Sign() == 0 {
		return surd{p: p}
	}
	return surd{p: p, q: q, n: n}
}

func (a surd) add(b surd) surd {
	p := new(big.Rat).Add(a.p, b.p)
	if a.q == nil && b.q == nil {
		return surd{p: p}
	}
	aq, bq, n := a.roots(b)
	return reduced(p, new(big.Rat).Add(aq, bq), n)
}

func (a surd) neg() surd {
	a.p = new(big.Rat).Neg(a.p)
	if a.q != nil {
		a.q = new(big.Rat).Neg(a.q)
	}
	return a
}

func (a surd) sub(b surd) surd { return a.add(b.neg()) }

func (a surd) mul(b surd) surd {
	p := new(big.Rat).Mul(a.p, b.p)
	if a.q == nil && b.q == nil {
		return surd{p: p}
	}
	aq, bq, n := a.roots(b)
	both := new(big.Rat).Mul(aq, bq)
	p.Add(p, both.Mul(both, new(big.Rat).SetInt(n)))
	q := new(big.Rat).Mul(a.p, bq)
	return reduced(p, q.Add(q, new(big.Rat).Mul(aq, b.p)), n)
}

// quo returns a / b, b not zero: both times p - q·√n of b, which makes b
// rational, and not zero because n is no square.
func (a surd) quo(b surd) surd {
	if b.q != nil {
		conjugate := surd{p: b.p, q: new(big.Rat).Neg(b.q), n: b.n}
		a, b = a.mul(conjugate), b.mul(conjugate)
	}
	return a.mul(surd{p: new(big.Rat).Inv(b.p)})
}

// sign returns -1, 0 or 1.
func (a surd) sign() int {
	if a.q == nil {
		return a.p.Sign()
	}
	p, q := a.p.Sign(), a.q.Sign()
	if p == 0 || p == q {
		return q
	}
	// They pull in different directions: the one with the larger square wins.
	p2 := new(big.Rat).Mul(a.p, a.p)
	q2 := new(big.Rat).Mul(a.q, a.q)
	if p2.Cmp(q2.Mul(q2, new(big.Rat).SetInt(a.n))) > 0 {
		return p
	}
	return q
}

func (a surd) cmp(b surd) int { return a.sub(b).sign() }

// abs returns |a|.
func (a surd) abs() surd {
	if a.sign() < 0 {
		return a.neg()
	}
	return a
}

// excess returns max(a-b, 0).
func (a surd) excess(b surd) surd {
	if d := a.sub(b); d.sign() > 0 {
		return d
	}
	return whole(0)
}
