package oracle

import (
	"cmp"
	"slices"
)

// Near is an entity and its squared distance in the plane.
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

// Within returns every entity inside the disc, border included, ordered by
// squared distance and then by ID.
func Within(entities []Entity, d Disc) []Near {
	var found []Near
	for i := range entities {
		e := &entities[i]
		dx, dy, dz := e.X-d.X, e.Y-d.Y, e.Z-d.Z
		if dz < 0 {
			dz = -dz
		}
		d2 := dx*dx + dy*dy
		if d2 <= d.Radius*d.Radius && dz <= d.Height && (d.Skip == nil || !d.Skip(e)) {
			found = append(found, Near{e.ID, d2})
		}
	}
	slices.SortFunc(found, func(a, b Near) int {
		return cmp.Or(cmp.Compare(a.Dist2, b.Dist2), cmp.Compare(a.ID, b.ID))
	})
	return found
}

// Nearest returns the first k of Within.
func Nearest(entities []Entity, d Disc, k int) []Near {
	found := Within(entities, d)
	return found[:min(k, len(found))]
}
