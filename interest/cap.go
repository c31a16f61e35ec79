package interest

import (
	"fmt"

	"vicinity/grid"
)

// Cap bounds the number of members of a view. The zero value is no cap.
//
// When more would be members, these always stay: the observer's own entity, those
// with the source Pinned, those within NearRadius, those with [Traits].Protected, and
// those with a source in Protected. If they alone exceed the cap, they all stay, and
// [Stats].OverCap tells by how many. Of the others a spatially even subset stays: see
// the package documentation.
type Cap struct {
	// MaxMembers is the largest number of members; 0 means no cap.
	MaxMembers int
	// NearRadius is the closed radius in units, around any viewpoint, within which
	// nobody is culled; 0 means none, grid.MaxCoord is the largest. Heights do not count.
	NearRadius int32
	// MaxSwap bounds how many members are replaced by others in one update because
	// the even subset shifted; 0 means no bound. Who leaves by itself is not counted.
	MaxSwap int
	// Protected are sources whose members are never culled. With Spatial nobody near
	// is.
	Protected Sources
}

// SetCap replaces the cap, from the next update on. The errors are [ErrCap] (a field
// is out of range) and [ErrView]; then nothing has changed. O(1).
func (v *View) SetCap(c Cap) error {
	if v.set == nil {
		return ErrView
	}
	if c.MaxMembers < 0 || c.NearRadius < 0 || c.NearRadius > grid.MaxCoord || c.MaxSwap < 0 || c.Protected&^(relations|Spatial) != 0 {
		return fmt.Errorf("%w: %d: %+v", ErrCap, v.observer.ID, c)
	}
	v.force = v.force || v.observer.Cap != c
	v.observer.Cap, v.maxMembers = c, c.MaxMembers
	v.set.placing = v.set.placing || c.MaxMembers > 0
	return nil
}
