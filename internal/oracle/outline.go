package oracle

import "slices"

// point is a place in the plane, or a vector.
type point struct{ x, y surd }

func at(x, y int64) point { return point{whole(x), whole(y)} }

func (a point) minus(b point) point { return point{a.x.sub(b.x), a.y.sub(b.y)} }

func (a point) dot(b point) surd { return a.x.mul(b.x).add(a.y.mul(b.y)) }

// cross is positive if b is to the left of a.
func (a point) cross(b point) surd { return a.x.mul(b.y).sub(a.y.mul(b.x)) }

// cmp orders points from left to right, then upwards.
func (a point) cmp(b point) int {
	if c := a.x.cmp(b.x); c != 0 {
		return c
	}
	return a.y.cmp(b.y)
}

// outline is a closed convex figure: its corners anticlockwise, no three of them in
// line. One corner is a point, two are a segment, none is nothing.
type outline []point

// hull returns the smallest convex figure around some points. It goes along the
// points from left to right below, then back above, and turns left everywhere.
func hull(points []point) outline {
	points = slices.Clone(points)
	slices.SortFunc(points, point.cmp)
	points = slices.CompactFunc(points, func(a, b point) bool { return a.cmp(b) == 0 })
	if len(points) < 3 {
		return points
	}
	var o outline
	for range 2 {
		first := len(o)
		for _, p := range points {
			for n := len(o); n >= first+2 && o[n-1].minus(o[n-2]).cross(p.minus(o[n-1])).sign() <= 0; n = len(o) {
				o = o[:n-1]
			}
			o = append(o, p)
		}
		o = o[:len(o)-1] // the next half begins with it
		slices.Reverse(points)
	}
	return o
}

// each calls visit with every edge. Of a point that is one from it to itself.
func (o outline) each(visit func(a, b point)) {
	for i := range o {
		visit(o[i], o[(i+1)%len(o)])
	}
}

// holds reports whether p is inside, border included; of a point or a segment, which
// have no inside, it is always false.
func (o outline) holds(p point) bool {
	inside := len(o) > 2
	o.each(func(a, b point) {
		inside = inside && b.minus(a).cross(p.minus(a)).sign() >= 0
	})
	return inside
}

// near2 returns the squared distance of p from the nearest point of o, which is not
// nothing.
func (o outline) near2(p point) surd {
	if o.holds(p) {
		return whole(0)
	}
	best := fromSegment2(p, o[0], o[0])
	o.each(func(a, b point) {
		if d := fromSegment2(p, a, b); d.cmp(best) < 0 {
			best = d
		}
	})
	return best
}

// far2 returns the squared distance of p from the farthest point of o: a corner.
func (o outline) far2(p point) surd {
	best := whole(0)
	for _, c := range o {
		if d := c.minus(p).dot(c.minus(p)); d.cmp(best) > 0 {
			best = d
		}
	}
	return best
}

// fromSegment2 returns the squared distance of p from the closed segment ab.
func fromSegment2(p, a, b point) surd {
	ab, ap, bp := b.minus(a), p.minus(a), p.minus(b)
	switch {
	case ap.dot(ab).sign() <= 0: // p is behind a, or a is b
		return ap.dot(ap)
	case bp.dot(ab).sign() >= 0:
		return bp.dot(bp)
	}
	c := ab.cross(ap)
	return c.mul(c).quo(ab.dot(ab))
}

// clip returns the part of o where side is not negative. side is linear.
func (o outline) clip(side func(point) surd) outline {
	var kept []point
	o.each(func(a, b point) {
		s, t := side(a), side(b)
		if s.sign() >= 0 {
			kept = append(kept, a)
		}
		if s.sign()*t.sign() < 0 { // the edge passes through the line
			part, ab := s.quo(s.sub(t)), b.minus(a)
			kept = append(kept, point{a.x.add(ab.x.mul(part)), a.y.add(ab.y.mul(part))})
		}
	})
	return hull(kept)
}
