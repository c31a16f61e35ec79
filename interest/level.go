package interest

import (
	"fmt"

	"vicinity/asm"
	"vicinity/grid"
)

// Level is how much detail a member is worth, by its distance.
type Level uint8

// The levels.
const (
	High Level = iota
	Medium
	Low

	unjudged // a new member's
)

// String returns the level's name.
func (l Level) String() string {
	if l > Low {
		return "unknown"
	}
	return [...]string{"high", "medium", "low"}[l]
}

// Levels are the distances between the levels, in units, closed. A member's level
// improves at Near or Mid, and worsens beyond Near + Margin or Mid + Margin. Who
// becomes a member is judged by Near and Mid. The zero value makes everything High.
type Levels struct {
	Near, Mid, Margin int32
}

// SetLevels replaces the level distances of the view, from the next update on; nil
// means the set's. The errors are [ErrLevels] (a distance is negative, Mid is less
// than Near, or Mid + Margin exceeds grid.MaxCoord) and [ErrView]; then nothing has
// changed. It allocates.
func (v *View) SetLevels(l *Levels) error {
	if v.set == nil {
		return ErrView
	}
	if l == nil {
		v.levels, v.observer.Levels = v.set.levels, nil
		return nil
	}
	limits, err := l.prepare()
	if err != nil {
		return err
	}
	kept := *l
	v.levels, v.observer.Levels = limits, &kept
	return nil
}

// grades are the limits of levels: the radii, and as the kernel compares with them.
type grades struct {
	better, worse [2]int32
	limits        asm.Grades
}

// prepare returns l as updates use it, nil if everything is High.
func (l Levels) prepare() (*grades, error) {
	if l == (Levels{}) {
		return nil, nil
	}
	if l.Near < 0 || l.Mid < l.Near || l.Margin < 0 || int64(l.Mid)+int64(l.Margin) > grid.MaxCoord {
		return nil, fmt.Errorf("%w: near %d, mid %d, margin %d", ErrLevels, l.Near, l.Mid, l.Margin)
	}
	out := &grades{better: [2]int32{l.Near, l.Mid}, worse: [2]int32{l.Near + l.Margin, l.Mid + l.Margin}}
	for i := range out.better {
		out.limits.Better[i], out.limits.Worse[i] = asm.MakeLimit(out.better[i]), asm.MakeLimit(out.worse[i])
	}
	return out, nil
}

// levelAt returns the level of a body at an offset, who had another before.
func levelAt(l *grades, had Level, b grid.Body, dx, dy int32) Level {
	for i := High; i < Low; i++ {
		limit := l.better[i]
		if had <= i {
			limit = l.worse[i]
		}
		if b.Within(dx, dy, limit) {
			return i
		}
	}
	return Low
}
