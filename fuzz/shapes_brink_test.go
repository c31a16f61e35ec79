package fuzz

import (
	"math"

	"vicinity/grid"
)

// vector is a place or a direction. Whole numbers up to 2^32 are exact in it, and so,
// when rounded, is what is computed of them in some steps.
type vector struct{ x, y float64 }

func (v vector) plus(w vector, times float64) vector { return vector{v.x + w.x*times, v.y + w.y*times} }
func (v vector) left() vector                        { return vector{-v.y, v.x} }

// unit returns v with length 1; (1, 0) if v is nothing.
func (v vector) unit() vector {
	n := math.Hypot(v.x, v.y)
	if n == 0 {
		return vector{1, 0}
	}
	return vector{v.x / n, v.y / n}
}

// someUnit draws a direction of length 1 along a triple whose hypotenuse divides r.
func someUnit(s *script, r int32) vector {
	t := triples[s.below(len(triples))]
	if r%t[2] != 0 {
		t = triples[s.below(2)]
	}
	v := vector{float64(t[0]) / float64(t[2]), float64(t[1]) / float64(t[2])}
	signs := s.below(4)
	if signs&1 != 0 {
		v.x = -v.x
	}
	if signs&2 != 0 {
		v.y = -v.y
	}
	return v
}

// brink draws a point on the border of a question's shape, and the direction away from
// the shape there.
func (q *question) brink(s *script) (p, away vector) {
	c, end, a, b := vector{float64(q.x), float64(q.y)}, vector{float64(q.x1), float64(q.y1)}, float64(q.a), float64(q.b)
	dir := vector{float64(q.dirX), float64(q.dirY)}.unit()
	sign := func() float64 { return float64(s.below(2)*2 - 1) }
	part := func() float64 { return float64(s.below(11)-5) / 5 } // lengths are often multiples of 5
	switch q.form {
	case formRect:
		return q.rectBrink(s)
	case formRing:
		if s.below(2) == 0 {
			u := someUnit(s, q.a)
			return c.plus(u, a), vector{-u.x, -u.y}
		}
		u := someUnit(s, q.b)
		return c.plus(u, b), u
	case formCone:
		return q.coneBrink(s, c, dir)
	case formTilted:
		i, j := sign(), sign()
		switch s.below(3) {
		case 0:
			return c.plus(dir, i*a).plus(dir.left(), j*b), vector{}.plus(dir, i*.6).plus(dir.left(), j*.8)
		case 1:
			return c.plus(dir, i*a).plus(dir.left(), part()*b), vector{}.plus(dir, i)
		}
		return c.plus(dir, part()*a).plus(dir.left(), j*b), vector{}.plus(dir.left(), j)
	case formCapsule:
		along := vector{end.x - c.x, end.y - c.y}
		n := vector{}.plus(along.unit().left(), sign())
		switch s.below(4) {
		case 0:
			u := someUnit(s, q.a)
			return end.plus(u, a), u
		case 1:
			return end.plus(along.unit(), a), along.unit()
		}
		return c.plus(along, math.Abs(part())).plus(n, a), n
	}
	r := q.a
	if q.radii != nil {
		r = q.radii[s.below(len(q.radii))]
	}
	u := someUnit(s, r)
	return c.plus(u, float64(r)), u
}

func (q *question) rectBrink(s *script) (p, away vector) {
	r := q.rect()
	p, away = vector{float64(r.X0), float64(r.Y0)}, someUnit(s, 0)
	away = vector{-math.Abs(away.x), -math.Abs(away.y)}
	if s.below(2) == 0 {
		p.x, away.x = float64(r.X1), -away.x
	}
	if s.below(2) == 0 {
		p.y, away.y = float64(r.Y1), -away.y
	}
	if away.x == 0 && s.below(2) == 0 {
		p.x = math.Floor((float64(r.X0) + float64(r.X1)) / 2)
	}
	return p, away
}

// coneBrink is on an edge, at its end, at the apex, or on the arc.
func (q *question) coneBrink(s *script, apex, dir vector) (p, away vector) {
	c := q.cone()
	right, left := c.Edges()
	if right == [2]int32{} { // all round, without a direction
		u := someUnit(s, q.a)
		return apex.plus(u, float64(q.a)), u
	}
	edge, side := right, -1.0
	if s.below(2) == 0 {
		edge, side = left, 1
	}
	v := vector{float64(edge[0]), float64(edge[1])}
	out := vector{}.plus(v.unit().left(), side)
	switch s.below(6) {
	case 0:
		return apex, someUnit(s, 0)
	case 1:
		return apex.plus(v.unit(), float64(q.a)), v.unit()
	case 2: // from between ahead and aside
		return apex.plus(v.unit(), float64(q.a)), vector{}.plus(v.unit(), .6).plus(out, .8)
	case 3: // on the edge exactly: where it comes through a whole place
		k := float64(divisor(edge[0], edge[1]))
		step := vector{v.x / k, v.y / k}
		n := math.Floor(float64(q.a) / math.Hypot(step.x, step.y))
		return apex.plus(step, math.Floor(n*float64(1+s.below(4))/4)), out
	case 4:
		return apex.plus(dir, float64(q.a)), dir
	}
	return apex.plus(v.unit(), float64(q.a)*float64(1+s.below(4))/4), out
}

// divisor returns the greatest common divisor of two numbers; 1 of zeros.
func divisor(a, b int32) int32 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a, 1)
}

// beside returns where a body has to be so that it touches p from the side of away.
func beside(s *script, p, away vector, b grid.Body) vector {
	if b.Radius > 0 {
		return p.plus(away, float64(b.Radius))
	}
	shift := func(away float64, half int32) float64 {
		switch {
		case away > 1e-9:
			return float64(half)
		case away < -1e-9:
			return -float64(half)
		}
		return float64(half) * float64(s.below(5)-2) / 2
	}
	return vector{p.x + shift(away.x, b.HalfX), p.y + shift(away.y, b.HalfY)}
}

// touch draws where a body has to be so that it touches q's shape.
func (q *question) touch(s *script, b grid.Body) vector {
	p, away := q.brink(s)
	return beside(s, p, away, b)
}

func (w *window) holds(p vector) bool {
	x, y := w.clip(p.x, p.y)
	return float64(x) == math.Round(p.x) && float64(y) == math.Round(p.y)
}

// put draws where a resident is: half of the time touching one of the questions' shapes,
// exactly or one unit off.
func (w *window) put(s *script, r *resident, questions []question, others []resident) {
	choice := s.below(8)
	r.at.X, r.at.Y = w.place(s)
	r.at.Z = s.spread(8)
	switch {
	case choice < 5 && len(questions) > 0:
		q := &questions[s.below(len(questions))]
		p := q.touch(s, r.body)
		for !w.holds(p) && s.below(4) > 0 {
			p = q.touch(s, r.body)
		}
		switch s.below(6) {
		case 0:
			p.x += float64(s.below(2)*2 - 1)
		case 1:
			p.y += float64(s.below(2)*2 - 1)
		}
		r.at.X, r.at.Y = w.clip(p.x, p.y)
		r.at.Z = int32(min(max(int64(q.z)+int64(s.below(3)-1)*int64(q.height), -grid.MaxCoord), grid.MaxCoord))
	case choice == 5 && len(others) > 0:
		r.at = others[s.below(len(others))].at
	}
}
