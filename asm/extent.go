package asm

import "math"

// Extent is a bounding box: X0 <= x <= X1 and Y0 <= y <= Y1, nothing if X1 < X0.
type Extent struct{ X0, Y0, X1, Y1 int32 }

// Nowhere is the empty extent.
var Nowhere = Extent{X0: math.MaxInt32, Y0: math.MaxInt32, X1: math.MinInt32, Y1: math.MinInt32}

// Add extends e by every position whose x is not [Gone]. y is as long as x. No
// allocation, no slack. O(len(x)).
func (e *Extent) Add(x, y []int32) {
	y = y[:len(x)]
	if n := extend(e, x, y); n < len(x) {
		extendGeneric(e, x[n:], y[n:])
	}
}

// extendGeneric is the definition.
func extendGeneric(e *Extent, x, y []int32) {
	for i, v := range x {
		if v == Gone {
			continue
		}
		e.X0, e.X1 = min(e.X0, v), max(e.X1, v)
		e.Y0, e.Y1 = min(e.Y0, y[i]), max(e.Y1, y[i])
	}
}

// Fits reports whether no two positions within e share a torus cell unless they
// share a cell.
func (e *Extent) Fits(t *Torus) bool {
	if e.X1 < e.X0 {
		return true
	}
	cols := int64(e.X1>>t.ShiftX) - int64(e.X0>>t.ShiftX) + 1
	rows := int64(e.Y1>>t.ShiftY) - int64(e.Y0>>t.ShiftY) + 1
	return cols <= int64(t.ColMask)+1 && rows <= int64(t.RowMask)+1
}
