package oracle

import "slices"

// Near is an entity and the squared distance of its body in the plane, 0 inside. It
// is exact for points and boxes, and rounded down for discs.
type Near struct {
	ID    uint64
	Dist2 int64
}

// Disc is a place to search: a disc in the plane, and everything within Height
// of Z. An entity for which Skip returns true is passed over; nil skips nobody.
type Disc struct {
	X, Y, Z        int64
	Radius, Height int64
	Skip           func(*Entity) bool
}

// Within returns every entity whose body reaches into the disc, border included,
// ordered by exact distance and then by ID.
func Within(entities []Entity, d Disc) []Near {
	var found []far
	for i := range entities {
		e := &entities[i]
		dx, dy, dz := e.X-d.X, e.Y-d.Y, e.Z-d.Z
		if dz < 0 {
			dz = -dz
		}
		if dz > d.Height || d.Skip != nil && d.Skip(e) {
			continue
		}
		if e.Body != (Body{}) {
			if e.Reaches(d.X, d.Y, d.Radius) {
				found = append(found, far{e.ID, e.from(d.X, d.Y)})
			}
			continue
		}
		if d2 := dx*dx + dy*dy; d2 <= d.Radius*d.Radius {
			found = append(found, far{e.ID, distance{d2, 0}})
		}
	}
	slices.SortFunc(found, compareFar)
	var near []Near
	for _, f := range found {
		near = append(near, Near{f.id, f.squared()})
	}
	return near
}

// Nearest returns the first k of Within.
func Nearest(entities []Entity, d Disc, k int) []Near {
	found := Within(entities, d)
	return found[:min(k, len(found))]
}
