package asm

import "unsafe"

// Measure writes the squared distance between (x, y) and the position of each slot
// to dist2, as it is reported; 0 for slots that xy does not have. dist2 must be as
// long as slots. It reads and writes nothing beyond. No allocation.
func Measure(dist2 []float32, slots []uint32, xy [][2]int32, x, y int32) {
	measure(dist2[:len(slots)], slots, xy, x, y)
}

func measureGeneric(dist2 []float32, slots []uint32, xy [][2]int32, x, y int32) {
	for i, slot := range slots {
		if uint64(slot) >= uint64(len(xy)) {
			dist2[i] = 0
			continue
		}
		dist2[i] = Dist2(xy[slot][0]-x, xy[slot][1]-y)
	}
}

// Dist2 returns the squared distance as it is reported: see the package
// documentation.
func Dist2(dx, dy int32) float32 { return dist2(dx, dy) }

// Grades are the limits between three grades, 0 to 2, of rising distance: who had
// grade i or a lower one keeps it within Worse[i], others get it within Better[i].
type Grades struct{ Better, Worse [2]Limit }

// Grade brings grades up to date with squared distances as Measure gives them. A
// grade above 2 means none before. Where a distance is too near a limit for its
// rounded value to tell, it leaves the grade as it is and sets bit i%64 of word i/64
// of undecided; all other bits are cleared. dist2 must be as long as grade, and
// undecided have a bit for each. No allocation.
func Grade[T ~uint8](grade []T, undecided []uint64, dist2 []float32, g *Grades) {
	if len(grade) == 0 {
		return
	}
	words := undecided[:(len(grade)+63)/64]
	clear(words)
	gradeAll(unsafe.Slice((*uint8)(unsafe.Pointer(&grade[0])), len(grade)), words, dist2[:len(grade)], g)
}

// gradeGeneric grades the elements from a given one on.
func gradeGeneric(grade []uint8, undecided []uint64, dist2 []float32, g *Grades, from int) {
	for i := from; i < len(grade); i++ {
		to, ok := g.of(grade[i], dist2[i])
		if grade[i] = to; !ok {
			undecided[i/64] |= 1 << (i % 64)
		}
	}
}

// of returns the grade at a distance of who had another, and whether it is sure.
func (g *Grades) of(had uint8, d float32) (to uint8, sure bool) {
	for i := range uint8(2) {
		l := &g.Better[i]
		if had <= i {
			l = &g.Worse[i]
		}
		if d <= l.Lo {
			return i, true
		}
		if d <= l.Hi {
			return had, false
		}
	}
	return 2, true
}
