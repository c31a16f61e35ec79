package vicinity

import (
	"fmt"

	"vicinity/grid"
)

// Where restricts a query. The zero Where asks for entities of all reach classes; with
// Config.QueryMasks, for those that need no permission.
type Where struct {
	// Reaches has a bit for each reach class to ask, 1<<class; zero asks all. The cells
	// of other classes are not touched.
	Reaches uint32
	// Mask is what the asker may see, in Worlds with Config.QueryMasks: only entities
	// with Need &^ Mask == 0 and (Any == 0 or Any & Mask != 0) are found, by the bits that
	// they had at the tick. All bits find everybody, none those without Need and Any. It
	// must be zero in other Worlds, where permission is not asked.
	Mask uint32
}

// filter converts a Where, and keeps the first error in l.
func (r *Reader) filter(l *lengths, w Where) grid.Filter {
	cfg := &r.world.cfg
	switch {
	case l.err != nil:
	case w.Reaches>>len(cfg.Reach) != 0:
		l.err = fmt.Errorf("%w: reach classes %#b of %d", ErrClass, w.Reaches, len(cfg.Reach))
	case w.Mask != 0 && !cfg.QueryMasks:
		l.err = fmt.Errorf("%w: mask %#x without Config.QueryMasks", ErrUnsupported, w.Mask)
	}
	return grid.Filter{Layers: w.Reaches, Mask: w.Mask}
}

// heights converts a height and how far others may be above or below it.
func (r *Reader) heights(l *lengths, z, height float64) (int32, int32) {
	if !r.world.cfg.Height {
		if l.err == nil && (z != 0 || height != 0) {
			l.err = fmt.Errorf("height %v +- %v: %w", z, height, errNoHeight)
		}
		return 0, 0
	}
	at, within := l.units("z", z), l.extent("height", height)
	if height == 0 {
		within = grid.AnyHeight
	}
	return at, within
}
