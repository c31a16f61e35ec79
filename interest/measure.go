package interest

import "vicinity/asm"

// measure brings the distances and levels of a measured view up to date, after an
// update from the grid.
func (v *View) measure(sc *scratch) {
	t := &v.rows
	xy, p := v.set.places.xy, sc.points[0]
	for r, slot := range t.slot {
		if uint64(slot) < uint64(len(xy)) {
			t.dist2[r] = asm.Dist2(xy[slot][0]-p.X, xy[slot][1]-p.Y)
		}
	}
	for _, p := range sc.points[1:] {
		for r, slot := range t.slot {
			if uint64(slot) < uint64(len(xy)) {
				t.dist2[r] = min(t.dist2[r], asm.Dist2(xy[slot][0]-p.X, xy[slot][1]-p.Y))
			}
		}
	}
	if v.levels == nil {
		clear(t.level)
		return
	}
	for r, slot := range t.slot {
		if uint64(slot) < uint64(len(xy)) {
			dx, dy := sc.nearest(v.set.places.of(slot))
			t.level[r] = v.levels.of(t.level[r], int64(dx)*int64(dx)+int64(dy)*int64(dy))
		}
	}
}

// measureGiven is measure after an update from candidates.
func (v *View) measureGiven(sc *scratch) {
	t := &v.rows
	for i := range t.words {
		for word := t.words[i].member; word != 0; word &= word - 1 {
			r := 64*i + lowest(word)
			dx, dy := sc.offsets[r][0], sc.offsets[r][1]
			t.dist2[r] = asm.Dist2(dx, dy)
			if v.levels == nil {
				t.level[r] = High
				continue
			}
			t.level[r] = v.levels.of(t.level[r], int64(dx)*int64(dx)+int64(dy)*int64(dy))
		}
	}
}

// note keeps the offset of a row's entity, for updates from candidates.
func (sc *scratch) note(r int, dx, dy int32) {
	if r >= len(sc.offsets) {
		sc.offsets = append(sc.offsets, make([][2]int32, r+1+r/2-len(sc.offsets))...)
	}
	sc.offsets[r] = [2]int32{dx, dy}
}
