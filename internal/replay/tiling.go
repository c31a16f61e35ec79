package replay

import (
	"fmt"
	"math"
)

// Tiling repeats a trace in Columns × Rows copies, so far apart that no entity
// of one can see one of another: the same motion, for size. Copy c, counted row
// by row, is shifted by whole strides and its ids are id + c·Span. See NewTiling.
type Tiling struct {
	Columns, Rows    int
	StrideX, StrideY int32
	Span             uint64 // ids of the source are below it
}

// maxTiles bounds each side, so that the number of copies is an int everywhere.
const maxTiles = 1 << 15

// NewTiling returns the tiling of a trace that lies in b and whose largest id is
// maxID, for a largest distance reach (R + h, in units) at which two entities
// can be related. ErrRange if ids or coordinates would leave their range.
func NewTiling(columns, rows int, b Bounds, maxID uint64, reach int32) (Tiling, error) {
	if columns < 1 || rows < 1 || columns > maxTiles || rows > maxTiles {
		return Tiling{}, fmt.Errorf("%dx%d copies: %w: want 1x1 to %dx%d",
			columns, rows, ErrRange, maxTiles, maxTiles)
	}
	strideX := int64(b.MaxX) - int64(b.MinX) + int64(reach) + 1
	strideY := int64(b.MaxY) - int64(b.MinY) + int64(reach) + 1
	// In float64 nothing overflows, and below the limits it is exact.
	farX := float64(b.MaxX) + float64(columns-1)*float64(strideX)
	farY := float64(b.MaxY) + float64(rows-1)*float64(strideY)
	lastID := float64(maxID+1)*float64(columns)*float64(rows) - 1
	if farX > MaxCoord || farY > MaxCoord {
		return Tiling{}, fmt.Errorf("%dx%d copies reach to (%.0f, %.0f): %w: a coordinate is at most %d",
			columns, rows, farX, farY, ErrRange, MaxCoord)
	}
	if lastID > MaxID {
		return Tiling{}, fmt.Errorf("%dx%d copies need ids up to %.0f: %w: an id is at most %d",
			columns, rows, lastID, ErrRange, uint64(MaxID))
	}
	// One column may stay where it is however wide the trace is.
	return Tiling{
		Columns: columns, Rows: rows,
		StrideX: int32(min(strideX, math.MaxInt32)), StrideY: int32(min(strideY, math.MaxInt32)),
		Span: maxID + 1,
	}, nil
}

// Copies returns how many copies there are; the zero Tiling has one.
func (g Tiling) Copies() int { return max(1, g.Columns) * max(1, g.Rows) }

// Expand sets dst to all copies of src. The two are different.
func (g Tiling) Expand(dst, src *Tick) {
	dst.Reset(src.Number)
	for c := range g.Copies() {
		dx := int32(c%max(1, g.Columns)) * g.StrideX
		dy := int32(c/max(1, g.Columns)) * g.StrideY
		for i, id := range src.ID {
			dst.Append(id+uint64(c)*g.Span, src.X[i]+dx, src.Y[i]+dy, src.Kind[i], src.Team[i])
		}
	}
}
