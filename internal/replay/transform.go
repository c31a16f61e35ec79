package replay

import "fmt"

// Transform moves every position of a trace: first the axes are swapped, then
// mirrored at zero, then shifted, in units. Distances stay as they are, so every
// result does too. The zero value changes nothing.
type Transform struct {
	SwapAxes         bool
	MirrorX, MirrorY bool
	ShiftX, ShiftY   int32
}

// point transforms one position in int64, where it cannot overflow.
func (f Transform) point(x, y int64) (int64, int64) {
	if f.SwapAxes {
		x, y = y, x
	}
	if f.MirrorX {
		x = -x
	}
	if f.MirrorY {
		y = -y
	}
	return x + int64(f.ShiftX), y + int64(f.ShiftY)
}

// Bounds returns where the rectangle goes. ErrRange if a part of it would lie
// beyond MaxCoord; then Apply must not be used on a trace with these bounds.
func (f Transform) Bounds(b Bounds) (Bounds, error) {
	x0, y0 := f.point(int64(b.MinX), int64(b.MinY))
	x1, y1 := f.point(int64(b.MaxX), int64(b.MaxY))
	x0, x1 = min(x0, x1), max(x0, x1)
	y0, y1 = min(y0, y1), max(y0, y1)
	if min(x0, y0) < -MaxCoord || max(x1, y1) > MaxCoord {
		return Bounds{}, fmt.Errorf("transformed positions span (%d, %d) to (%d, %d): %w: |coordinate| is at most %d",
			x0, y0, x1, y1, ErrRange, MaxCoord)
	}
	return Bounds{int32(x0), int32(y0), int32(x1), int32(y1)}, nil
}

// Apply transforms the positions in place. They lie in bounds that Bounds
// accepted.
func (f Transform) Apply(t *Tick) {
	if f == (Transform{}) {
		return
	}
	for i := range t.ID {
		x, y := f.point(int64(t.X[i]), int64(t.Y[i]))
		t.X[i], t.Y[i] = int32(x), int32(y)
	}
}
