package crosslist

// An extent is where a trigger is and how far it reaches.
type extent struct {
	at           point
	inner, outer int32 // Radius, Radius + Margin; outer is -1 if there is no trigger
}

// A ring is what decides about a trigger's pairs.
type ring struct {
	extent
	shape   Shape
	touched bool // in List.changed
	jumps   bool // finds its place anew
}

// depth says how deep within a ring a point lies.
type depth uint8

const (
	apart  depth = iota // beyond the outer box
	corner              // in the box, beyond a disc's radius + margin
	margin              // beyond the radius: who is a member stays one
	inside              // within the radius: a member
)

// within reports whether v is within r of c. r = -1 holds nothing.
func within(v, c, r int32) bool {
	d := int64(v) - int64(c)
	return d <= int64(r) && -d <= int64(r)
}

// holds reports whether the outer box holds a point.
func (r *extent) holds(p point) bool {
	return within(p.x, r.at.x, r.outer) && within(p.y, r.at.y, r.outer)
}

// depth returns how deep a point lies within a ring of a shape. It has no branches:
// what passes may enter as well as leave.
func (r *extent) depth(shape Shape, p point) depth {
	dx, dy := int64(p.x)-int64(r.at.x), int64(p.y)-int64(r.at.y)
	far := max(dx, -dx, dy, -dy)
	held := atMost(far, int64(r.outer))
	if shape == Box {
		return depth(held * (2 + atMost(far, int64(r.inner))))
	}
	d := dx*dx + dy*dy
	return depth(held * (1 + atMost(d, square64(r.outer)) + atMost(d, square64(r.inner))))
}

// turns reports whether of two squares of distances one is within the inner or the
// outer radius, given by their squares, and one is not.
func turns(d, e, inner, outer int64) bool {
	return ((d-inner-1)^(e-inner-1))|((d-outer-1)^(e-outer-1)) < 0
}

func square64(v int32) int64 { return int64(v) * int64(v) }

// atMost returns 1 if v <= limit, else 0. The difference must not overflow: squares
// of distances are below 2^63, as coordinates differ by less than 2^31.
func atMost(v, limit int64) int64 { return int64(uint64(v-limit-1) >> 63) }
