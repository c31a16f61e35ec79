package interest

import (
	"vicinity/asm"
	"vicinity/grid"
)

// Sight returns what the distances of a view's members are measured from, with
// Config.MeasureLate: positions by slot, and where the observer stands. The distance
// of a member is asm.Dist2 of the differences. ok is false if Columns().Dist2 has the
// distances: the view has levels, looks from several places, or somebody in the grid
// has or had a body. It holds from the
// view's update until the grid, the set or the view changes. O(1).
func (v *View) Sight() (xy [][2]int32, at grid.Point, ok bool) {
	if !v.late() {
		return nil, grid.Point{}, false
	}
	return v.set.places.xy, v.at, true
}

// late reports whether the view's distances are not kept.
func (v *View) late() bool {
	return v.placed && v.measured && v.levels == nil && !v.bodied && v.set != nil && v.set.cfg.MeasureLate
}

// measure brings the distances and levels of a measured view up to date, after an
// update from the grid. Free rows get some, too.
func (v *View) measure(sc *scratch) {
	t := &v.rows
	v.bodied = v.set.places.bodies != nil
	if v.late() {
		if v.graded || len(sc.strangers) > 0 {
			clear(t.level)
			v.graded = false
		}
		return
	}
	xy := v.set.places.xy
	asm.Measure(t.dist2, t.slot, xy, sc.points[0].X, sc.points[0].Y)
	for _, p := range sc.points[1:] {
		for r, slot := range t.slot {
			if uint64(slot) < uint64(len(xy)) {
				t.dist2[r] = min(t.dist2[r], asm.Dist2(xy[slot][0]-p.X, xy[slot][1]-p.Y))
			}
		}
	}
	sc.graded = sc.graded[:0]
	if v.bodied {
		v.measureBodies(sc)
	}
	if v.levels == nil {
		clear(t.level)
		return
	}
	v.graded = true
	sc.undecided = cleared(sc.undecided, len(t.words))
	asm.Grade(t.level, sc.undecided, t.dist2, &v.levels.limits)
	for i, word := range sc.undecided {
		for word &= t.words[i].member; word != 0; word &= word - 1 {
			r := 64*i + lowest(word)
			dx, dy := sc.nearest(v.set.places.of(t.slot[r]), grid.Body{})
			t.level[r] = levelAt(v.levels, t.level[r], grid.Body{}, dx, dy)
		}
	}
	for _, g := range sc.graded {
		t.level[g.row] = g.level
	}
}

// graded is a row whose level is known exactly.
type graded struct {
	row   int32
	level Level
}

// measureBodies sets the distances of members with bodies, and tells their levels: the
// kernel knows how far off distances of points may be, not those from discs.
func (v *View) measureBodies(sc *scratch) {
	t, bodies := &v.rows, v.set.places.bodies
	for i := range t.words {
		for word := t.words[i].member; word != 0; word &= word - 1 {
			r := 64*i + lowest(word)
			if b := bodies[t.slot[r]]; b != (grid.Body{}) {
				dx, dy := sc.nearest(v.set.places.of(t.slot[r]), b)
				t.dist2[r] = b.Dist2(dx, dy)
				if v.levels != nil {
					sc.graded = append(sc.graded, graded{int32(r), levelAt(v.levels, t.level[r], b, dx, dy)})
				}
			}
		}
	}
}

// measureGiven is measure after an update from candidates.
func (v *View) measureGiven(sc *scratch) {
	t := &v.rows
	v.graded = true
	for i := range t.words {
		for word := t.words[i].member; word != 0; word &= word - 1 {
			r := 64*i + lowest(word)
			c := &sc.candidates[sc.origins[r]]
			t.dist2[r] = c.Body.Dist2(c.DX, c.DY)
			if v.levels == nil {
				t.level[r] = High
				continue
			}
			t.level[r] = levelAt(v.levels, t.level[r], c.Body, c.DX, c.DY)
		}
	}
}

// note keeps the number of a row's candidate.
func (sc *scratch) note(r int, candidate int32) {
	if r >= len(sc.origins) {
		sc.origins = append(sc.origins, make([]int32, r+1+r/2-len(sc.origins))...)
	}
	sc.origins[r] = candidate
}
