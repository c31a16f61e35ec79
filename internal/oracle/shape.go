package oracle

// The shapes are closed, and an entity is in one if its body and the shape have a
// point in common. They are flat: heights are the caller's affair.
//
// Bodies are cut, swept and measured as outlines with exact corners. Only a disc
// needs something else, because its border is round: there a radius is compared with
// a distance.

// Rect is an axis-aligned rectangle.
type Rect struct{ X0, Y0, X1, Y1 int64 }

// InRect reports whether the entity's body reaches into r.
func InRect(e *Entity, r Rect) bool {
	if e.Body.Radius > 0 {
		o := hull([]point{at(r.X0, r.Y0), at(r.X1, r.Y0), at(r.X1, r.Y1), at(r.X0, r.Y1)})
		rho := whole(e.Body.Radius)
		return o.near2(at(e.X, e.Y)).cmp(rho.mul(rho)) <= 0
	}
	return e.X+e.Body.HalfX >= r.X0 && e.X-e.Body.HalfX <= r.X1 &&
		e.Y+e.Body.HalfY >= r.Y0 && e.Y-e.Body.HalfY <= r.Y1
}

// Ring is everything from Inner to Outer away from (X, Y).
type Ring struct{ X, Y, Inner, Outer int64 }

// InRing reports whether the entity's body reaches into r. A body is connected, so
// its distances from the centre are all those from the least to the greatest.
func InRing(e *Entity, r Ring) bool {
	centre, inner, outer := at(r.X, r.Y), whole(r.Inner), whole(r.Outer)
	o := e.core()
	if e.Body.Radius > 0 {
		rho, away := whole(e.Body.Radius), root(o.near2(centre))
		return away.sub(rho).cmp(outer) <= 0 && away.add(rho).cmp(inner) >= 0
	}
	return o.near2(centre).cmp(outer.mul(outer)) <= 0 && o.far2(centre).cmp(inner.mul(inner)) >= 0
}

// Cone is everything up to Range away from the apex (X, Y) in the directions from
// Right anticlockwise to Left, both included; the apex always. The edges are vectors
// of any length. They may be the same: then it is a segment, or if Reflex
// everything around. They may be opposite: half a disc. Reflex says that the turn
// from Right to Left is half a turn or more. Whole is the disc; then there are no
// edges.
type Cone struct {
	X, Y          int64
	Right, Left   [2]int64
	Reflex, Whole bool
	Range         int64
}

// InCone reports whether the entity's body reaches into c.
func InCone(e *Entity, c Cone) bool {
	moved := Entity{X: e.X - c.X, Y: e.Y - c.Y, Body: e.Body}
	if e.Body.Radius > 0 {
		return c.meetsDisc(moved.X, moved.Y, e.Body.Radius)
	}
	limit := whole(c.Range)
	for _, part := range c.cut(moved.core()) {
		if len(part) > 0 && part.near2(at(0, 0)).cmp(limit.mul(limit)) <= 0 {
			return true
		}
	}
	return false
}

// cut returns the parts of o that lie between c's edges without an end: one, or the
// two that make up a reflex wedge. The apex is the origin.
func (c *Cone) cut(o outline) []outline {
	if c.Whole {
		return []outline{o}
	}
	r, l := at(c.Right[0], c.Right[1]), at(c.Left[0], c.Left[1])
	leftOfRight := func(p point) surd { return r.cross(p) }
	rightOfLeft := func(p point) surd { return p.cross(l) }
	if c.Reflex {
		return []outline{o.clip(leftOfRight), o.clip(rightOfLeft)}
	}
	o = o.clip(leftOfRight).clip(rightOfLeft)
	if r.cross(l).sign() == 0 && r.dot(l).sign() > 0 {
		o = o.clip(func(p point) surd { return r.dot(p) }) // a ray, not its line
	}
	return []outline{o}
}

// meetsDisc reports whether the disc around (x, y) reaches into c, whose apex is the
// origin. Of the disc's points in the wedge let q be the nearest to the apex. It is
// the apex; or it is inside the wedge, and then it is the disc's nearest of all,
// which lies towards the middle; or on an edge, where that enters the disc.
func (c *Cone) meetsDisc(x, y, radius int64) bool {
	centre, rho, limit := at(x, y), whole(radius), whole(c.Range)
	away2 := centre.dot(centre)
	if away2.cmp(rho.mul(rho)) <= 0 {
		return true
	}
	for _, part := range c.cut(outline{centre}) {
		if len(part) > 0 && root(away2).sub(rho).cmp(limit) <= 0 {
			return true
		}
	}
	return !c.Whole && (entersInTime(c.Right, centre, rho, limit) || entersInTime(c.Left, centre, rho, limit))
}

// entersInTime reports whether the ray from the origin along edge enters the disc
// around centre within limit of the origin, which is outside. In multiples of the
// edge's length n it enters at along - √(rho²n² - across²).
func entersInTime(edge [2]int64, centre point, rho, limit surd) bool {
	v := at(edge[0], edge[1])
	n2, along, across := v.dot(v), v.dot(centre), v.cross(centre)
	half2 := rho.mul(rho).mul(n2).sub(across.mul(across))
	if half2.sign() < 0 || along.sign() < 0 {
		return false // it misses the disc, or the disc is behind
	}
	rest := along.excess(limit.mul(root(n2)))
	return rest.mul(rest).cmp(half2) <= 0
}

// Tilted is a rectangle around (X, Y), HalfLength to either side along the direction
// and HalfWidth across it. The direction is a vector of any length.
type Tilted struct{ X, Y, DirX, DirY, HalfLength, HalfWidth int64 }

// InTilted reports whether the entity's body reaches into t. Everything is turned so
// that the rectangle is straight, and by this grows by the length n of the direction.
func InTilted(e *Entity, t Tilted) bool {
	dir, centre := at(t.DirX, t.DirY), at(t.X, t.Y)
	n2 := dir.dot(dir)
	length, width := whole(t.HalfLength).mul(root(n2)), whole(t.HalfWidth).mul(root(n2))
	var turned outline
	for _, p := range e.core() {
		p = p.minus(centre)
		turned = append(turned, point{dir.dot(p), dir.cross(p)})
	}
	if e.Body.Radius > 0 {
		rho, p := whole(e.Body.Radius), turned[0]
		dx, dy := p.x.abs().excess(length), p.y.abs().excess(width)
		return dx.mul(dx).add(dy.mul(dy)).cmp(rho.mul(rho).mul(n2)) <= 0
	}
	rest := turned.
		clip(func(p point) surd { return length.sub(p.x) }).
		clip(func(p point) surd { return length.add(p.x) }).
		clip(func(p point) surd { return width.sub(p.y) }).
		clip(func(p point) surd { return width.add(p.y) })
	return len(rest) > 0
}

// Capsule is everything up to Radius away from the segment between two ends.
type Capsule struct{ X0, Y0, X1, Y1, Radius int64 }

// InCapsule reports whether the entity's body reaches into c: whether the disc around
// the first end meets the body, if that is swept by as much as leads from the second
// end to the first.
func InCapsule(e *Entity, c Capsule) bool {
	first, second := at(c.X0, c.Y0), at(c.X1, c.Y1)
	var swept []point
	for _, p := range e.core() {
		swept = append(swept, p, p.minus(second.minus(first)))
	}
	limit := whole(c.Radius + e.Body.Radius)
	return hull(swept).near2(first).cmp(limit.mul(limit)) <= 0
}
