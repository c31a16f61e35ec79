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

// prepare returns l as updates use it, nil if everything is High.
func (l Levels) prepare() (*asm.Grades, error) {
	if l == (Levels{}) {
		return nil, nil
	}
	if l.Near < 0 || l.Mid < l.Near || l.Margin < 0 || int64(l.Mid)+int64(l.Margin) > grid.MaxCoord {
		return nil, fmt.Errorf("%w: near %d, mid %d, margin %d", ErrLevels, l.Near, l.Mid, l.Margin)
	}
	out := &asm.Grades{}
	for i, d := range [2]int32{l.Near, l.Mid} {
		out.Better[i], out.Worse[i] = asm.MakeLimit(d), asm.MakeLimit(d+l.Margin)
	}
	return out, nil
}

// levelAt returns the level at an exact squared distance of who had another.
func levelAt(l *asm.Grades, had Level, d2 int64) Level {
	for i := High; i < Low; i++ {
		limit := &l.Better[i]
		if had <= i {
			limit = &l.Worse[i]
		}
		if d2 <= limit.R2 {
			return i
		}
	}
	return Low
}
