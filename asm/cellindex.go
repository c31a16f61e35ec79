package asm

// Torus maps positions to cells: the column of a point is (x >> ShiftX) modulo
// the number of columns, its row likewise. Both numbers are powers of two, so
// the map is exact for negative coordinates too, and the world has no edge.
type Torus struct {
	ShiftX, ShiftY   uint32
	ColMask, RowMask uint32 // number of columns, of rows, - 1
	LogW             uint32 // log2 of the number of columns
}

// Cells returns the number of cells; its value as a cell index is the trash cell
// of those that are gone.
func (t *Torus) Cells() int { return int(t.RowMask+1) << t.LogW }

// Cell returns the cell of a position, or [Torus.Cells] for [Gone].
func (t *Torus) Cell(x, y int32) uint32 {
	if x == Gone {
		return uint32(t.Cells())
	}
	col := uint32(x>>t.ShiftX) & t.ColMask
	row := uint32(y>>t.ShiftY) & t.RowMask
	return row<<t.LogW | col
}

// GatherCells reads the position of every slot from xy, writes it to x and y, and
// its cell to cell. All destinations are at least as long as slots; every slot must
// be below len(xy). It needs no slack and does not allocate. O(len(slots)).
func GatherCells(cell []uint32, x, y []int32, xy [][2]int32, slots []uint32, t *Torus) {
	n := len(slots)
	if n == 0 {
		return
	}
	_, _, _ = cell[:n], x[:n], y[:n]
	gatherCells(cell, x, y, xy, slots, t)
}

func gatherCellsGeneric(cell []uint32, x, y []int32, xy [][2]int32, slots []uint32, t *Torus) {
	cell, x, y = cell[:len(slots)], x[:len(slots)], y[:len(slots)]
	for i, s := range slots {
		p := xy[s]
		x[i], y[i] = p[0], p[1]
		cell[i] = t.Cell(p[0], p[1])
	}
}
