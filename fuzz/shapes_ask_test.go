package fuzz

import (
	"cmp"
	"fmt"
	"slices"

	"vicinity/grid"
	"vicinity/internal/oracle"
)

// A form is a kind of query.
type form uint8

const (
	formWithin form = iota
	formRect
	formNearest
	formRing
	formCone
	formTilted
	formCapsule
	forms // their number
)

var formNames = [forms]string{"within", "rect", "nearest", "ring", "cone", "tilted", "capsule"}

// question is a query of any form, before it is seen in some frame.
type question struct {
	form
	x, y       int32 // centre, apex, first end or first corner
	x1, y1     int32 // second end or corner
	dirX, dirY int32
	// a and b are the lengths: the radius; inner and outer; range; half length and
	// half width.
	a, b      int32
	angle     uint32
	k         int
	radii     []int32 // of within and nearest, by layer; else a
	z, height int32
	grid.Filter
}

func (q *question) String() string { return fmt.Sprintf("%s %+v", formNames[q.form], *q) }

// cone returns q as a cone.
func (q *question) cone() grid.Cone {
	return grid.Cone{X: q.x, Y: q.y, DirX: q.dirX, DirY: q.dirY, HalfAngle: q.angle, Range: q.a, Z: q.z, Height: q.height}
}

// query returns q as a disc.
func (q *question) query() grid.Query {
	d := grid.Query{X: q.x, Y: q.y, Radius: q.a, Radii: q.radii, Z: q.z, Height: q.height, Filter: q.Filter}
	if q.radii != nil {
		d.Radius = 0
	}
	return d
}

// rect returns q as a rectangle.
func (q *question) rect() grid.Rect {
	return grid.Rect{X0: min(q.x, q.x1), Y0: min(q.y, q.y1), X1: max(q.x, q.x1), Y1: max(q.y, q.y1)}
}

// ask returns what a snapshot answers: by ID, or nearest first. Only nearest has
// distances.
func (q *question) ask(s *grid.Snapshot) ([]oracle.Near, error) {
	var slots []uint32
	var err error
	switch q.form {
	case formWithin:
		slots, err = q.askWithin(s)
	case formRect:
		if slots, err = s.AppendIn(nil, q.rect(), q.Filter); err == nil {
			err = agrees("CountIn", len(slots))(s.CountIn(q.rect(), q.Filter))
		}
	case formNearest:
		near, err := s.AppendNearest(nil, q.k, q.query())
		var found []oracle.Near
		for _, n := range near {
			found = append(found, oracle.Near{ID: s.ID(n.Slot), Dist2: n.Dist2})
		}
		return found, err
	case formRing:
		slots, err = s.AppendRing(nil, grid.Ring{X: q.x, Y: q.y, Inner: q.a, Outer: q.b, Z: q.z, Height: q.height}, q.Filter)
	case formCone:
		slots, err = s.AppendCone(nil, q.cone(), q.Filter)
	case formTilted:
		slots, err = s.AppendTilted(nil, grid.Tilted{
			X: q.x, Y: q.y, DirX: q.dirX, DirY: q.dirY, HalfLength: q.a, HalfWidth: q.b, Z: q.z, Height: q.height,
		}, q.Filter)
	case formCapsule:
		slots, err = s.AppendCapsule(nil, grid.Capsule{X0: q.x, Y0: q.y, X1: q.x1, Y1: q.y1, Radius: q.a, Z: q.z, Height: q.height}, q.Filter)
	}
	var found []oracle.Near
	for _, slot := range slots {
		found = append(found, oracle.Near{ID: s.ID(slot)})
	}
	slices.SortFunc(found, func(a, b oracle.Near) int { return cmp.Compare(a.ID, b.ID) })
	return found, err
}

// askWithin asks in all three ways.
func (q *question) askWithin(s *grid.Snapshot) ([]uint32, error) {
	slots, err := s.AppendSlots(nil, q.query())
	if err != nil {
		return nil, err
	}
	if err := agrees("CountWithin", len(slots))(s.CountWithin(q.query())); err != nil {
		return nil, err
	}
	hits, err := s.AppendWithin(nil, q.query())
	if err := agrees("AppendWithin", len(slots))(len(hits), err); err != nil {
		return nil, err
	}
	for i, h := range hits {
		if h.Slot != slots[i] {
			return nil, fmt.Errorf("AppendWithin and AppendSlots differ: %v, %v", hits, slots)
		}
	}
	return slots, nil
}

// agrees returns a check that a call returned a number and no error.
func agrees(what string, want int) func(int, error) error {
	return func(got int, err error) error {
		if err == nil && got != want {
			err = fmt.Errorf("%s has %d; want %d", what, got, want)
		}
		return err
	}
}

// resident is what the model knows of an entity.
type resident struct {
	id        uint64
	layer     int
	at        grid.Point
	body      grid.Body
	need, any uint32
}

func (r *resident) entity() oracle.Entity {
	return oracle.Entity{
		ID: r.id, X: int64(r.at.X), Y: int64(r.at.Y), Z: int64(r.at.Z),
		Body: oracle.Body{Radius: int64(r.body.Radius), HalfX: int64(r.body.HalfX), HalfY: int64(r.body.HalfY)},
	}
}

// admits reports whether filter and heights let a resident pass.
func (q *question) admits(r *resident) bool {
	if q.Layers != 0 && q.Layers>>r.layer&1 == 0 || r.need&^q.Mask != 0 || r.any != 0 && r.any&q.Mask == 0 {
		return false
	}
	dz := int64(r.at.Z) - int64(q.z)
	return q.form == formRect || q.height == grid.AnyHeight || max(dz, -dz) <= int64(q.height)
}

// everywhere is a radius that is longer than any distance, and whose square fits.
const everywhere = 3037000499

// right returns the right answer, as ask does.
func (q *question) right(all []resident) []oracle.Near {
	var found []oracle.Near
	var in []oracle.Entity // of those within
	for i := range all {
		r := &all[i]
		if !q.admits(r) {
			continue
		}
		e := r.entity()
		if q.form == formWithin || q.form == formNearest {
			if limit := q.limit(r.layer); limit >= 0 && e.Reaches(int64(q.x), int64(q.y), limit) {
				in = append(in, e)
			}
			continue
		}
		if q.has(&e) {
			found = append(found, oracle.Near{ID: r.id})
		}
	}
	switch q.form {
	case formWithin:
		for _, e := range in {
			found = append(found, oracle.Near{ID: e.ID})
		}
	case formNearest:
		return oracle.Nearest(in, oracle.Disc{X: int64(q.x), Y: int64(q.y), Radius: everywhere, Height: everywhere}, q.k)
	}
	slices.SortFunc(found, func(a, b oracle.Near) int { return cmp.Compare(a.ID, b.ID) })
	return found
}

// limit returns the radius of a layer, -1 for none.
func (q *question) limit(layer int) int64 {
	if q.radii != nil {
		return int64(q.radii[layer])
	}
	return int64(q.a)
}

// has reports whether an entity is in the shape of q.
func (q *question) has(e *oracle.Entity) bool {
	x, y, x1, y1, dx, dy := int64(q.x), int64(q.y), int64(q.x1), int64(q.y1), int64(q.dirX), int64(q.dirY)
	a, b := int64(q.a), int64(q.b)
	switch q.form {
	case formRect:
		return oracle.InRect(e, oracle.Rect{X0: min(x, x1), Y0: min(y, y1), X1: max(x, x1), Y1: max(y, y1)})
	case formRing:
		return oracle.InRing(e, oracle.Ring{X: x, Y: y, Inner: a, Outer: b})
	case formCone:
		c := q.cone()
		right, left := c.Edges()
		return oracle.InCone(e, oracle.Cone{
			X: x, Y: y, Range: a, Right: wide(right), Left: wide(left),
			Whole: q.angle == grid.HalfTurn, Reflex: q.angle > grid.QuarterTurn,
		})
	case formTilted:
		return oracle.InTilted(e, oracle.Tilted{X: x, Y: y, DirX: dx, DirY: dy, HalfLength: a, HalfWidth: b})
	}
	return oracle.InCapsule(e, oracle.Capsule{X0: x, Y0: y, X1: x1, Y1: y1, Radius: a})
}

func wide(v [2]int32) [2]int64 { return [2]int64{int64(v[0]), int64(v[1])} }
