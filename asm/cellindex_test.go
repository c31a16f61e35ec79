package asm

import "testing"

// newTorus makes the torus of 2^logW x 2^logH cells of edges 2^shift.
func newTorus(shiftX, shiftY, logW, logH int) *Torus {
	return &Torus{
		ShiftX: uint32(shiftX), ShiftY: uint32(shiftY),
		ColMask: 1<<logW - 1, RowMask: 1<<logH - 1, LogW: uint32(logW),
	}
}

// toruses are of all shapes, from one cell to 2^24.
var toruses = []*Torus{
	newTorus(0, 0, 0, 0), newTorus(30, 30, 0, 0), newTorus(5, 5, 1, 0), newTorus(5, 5, 0, 1),
	newTorus(0, 0, 4, 4), newTorus(3, 9, 7, 2), newTorus(11, 1, 2, 9), newTorus(16, 16, 12, 12),
	newTorus(29, 0, 1, 20), newTorus(0, 30, 22, 1), newTorus(30, 30, 1, 1), newTorus(20, 20, 11, 11),
}

// cellOf is the definition in plain arithmetic: the floor of the coordinate over
// the cell's edge, modulo the number of columns or rows.
func cellOf(x, y int32, t *Torus) uint32 {
	columns, rows := int64(1)<<t.LogW, int64(t.RowMask)+1
	if x == Gone {
		return uint32(columns * rows)
	}
	floor := func(v int32, edge int64) int64 {
		q := int64(v) / edge
		if int64(v)%edge < 0 {
			q--
		}
		return q
	}
	modulo := func(v, n int64) int64 { return (v%n + n) % n }
	col := modulo(floor(x, int64(1)<<t.ShiftX), columns)
	row := modulo(floor(y, int64(1)<<t.ShiftY), rows)
	return uint32(row*columns + col)
}

// checkGather compares GatherCells with cellOf.
func checkGather(t *testing.T, xy [][2]int32, slots []uint32, torus *Torus) {
	t.Helper()
	n := len(slots)
	cell, cells := fenced[uint32](n, canary)
	x, xs := fenced[int32](n, -7)
	y, ys := fenced[int32](n, -7)
	GatherCells(cell, x, y, xy, slots, torus)
	for i, s := range slots {
		p := xy[s]
		if x[i] != p[0] || y[i] != p[1] {
			t.Fatalf("element %d of %d: got (%d, %d); want slot %d's %v", i, n, x[i], y[i], s, p)
		}
		if want := cellOf(p[0], p[1], torus); cell[i] != want {
			t.Fatalf("element %d of %d: %v is in cell %d of %+v; want %d", i, n, p, cell[i], *torus, want)
		}
	}
	untouched(t, "cell", cells, canary)
	untouched(t, "x", xs, -7)
	untouched(t, "y", ys, -7)
}

func TestTorusCell(t *testing.T) {
	ends := []int32{-MaxCoord, -MaxCoord + 1, -65537, -65536, -33, -32, -31, -2, -1, 0, 1, 2, 31, 32, 33, 65535, 65536, MaxCoord - 1, MaxCoord, Gone}
	for _, torus := range toruses {
		if got, want := torus.Cells(), (int(torus.ColMask)+1)*(int(torus.RowMask)+1); got != want {
			t.Fatalf("%+v: got %d cells; want %d", *torus, got, want)
		}
		for _, x := range ends {
			for _, y := range ends[:len(ends)-1] {
				got, want := torus.Cell(x, y), cellOf(x, y, torus)
				if got != want {
					t.Fatalf("(%d, %d) is in cell %d of %+v; want %d", x, y, got, *torus, want)
				}
				if gone := int(got) == torus.Cells(); gone != (x == Gone) || int(got) > torus.Cells() {
					t.Fatalf("(%d, %d) is in cell %d of %d", x, y, got, torus.Cells())
				}
			}
		}
	}
}

// Neighbours across zero are neighbours: the shift rounds down, not to zero.
func TestTorusCellIsFloor(t *testing.T) {
	torus := newTorus(4, 4, 3, 3)
	for _, c := range []struct {
		x, y int32
		want uint32
	}{
		{0, 0, 0}, {15, 15, 0}, {16, 0, 1}, {0, 16, 8}, {-1, 0, 7}, {-16, 0, 7}, {-17, 0, 6},
		{0, -1, 56}, {0, -16, 56}, {0, -17, 48}, {-1, -1, 63}, {128, 128, 0}, {-128, -128, 0}, {Gone, 5, 64}, {Gone, Gone, 64},
	} {
		if got := torus.Cell(c.x, c.y); got != c.want {
			t.Errorf("(%d, %d) is in cell %d; want %d", c.x, c.y, got, c.want)
		}
	}
}

func TestGatherCellsEveryLength(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := range 301 {
			xy := make([][2]int32, 1+r.below(2*n+1))
			for i := range xy {
				scale := int32(1) << r.below(30)
				xy[i] = [2]int32{r.spread(scale), r.spread(scale)}
				if r.below(8) == 0 {
					xy[i][0] = Gone
				}
			}
			slots := make([]uint32, n)
			for i := range slots {
				slots[i] = uint32(r.below(len(xy)))
			}
			checkGather(t, xy, slots, toruses[n%len(toruses)])
		}
	})
}

// TestGatherCellsEveryShape takes every shift and many sizes of torus, with
// positions on both sides of every border of a cell, and at the range's ends.
func TestGatherCellsEveryShape(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for shift := 0; shift <= 30; shift++ {
			for log := 0; log <= 20; log += 1 + r.below(3) {
				torus := newTorus(shift, 30-shift, log, r.below(1+min(20, 28-log)))
				var xy [][2]int32
				for range 50 {
					xy = append(xy, [2]int32{nearEdge(r, shift), nearEdge(r, 30-shift)})
				}
				xy = append(xy, [2]int32{MaxCoord, -MaxCoord}, [2]int32{-MaxCoord, MaxCoord}, [2]int32{Gone, 3}, [2]int32{})
				slots := make([]uint32, len(xy))
				for i := range slots {
					slots[i] = uint32(len(xy) - 1 - i)
				}
				checkGather(t, xy, slots, torus)
			}
		}
	})
}

// nearEdge returns a coordinate at most one off a multiple of 2^shift.
func nearEdge(r *random, shift int) int32 {
	v := int64(r.spread(MaxCoord))>>shift<<shift + int64(r.below(3)) - 1
	return int32(max(-MaxCoord, min(MaxCoord, v)))
}

// TestGatherCellsShort: destinations that are too short are refused before
// anything is written.
func TestGatherCellsShort(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range []int{1, 7, 8, 16, 33} {
			xy, slots := [][2]int32{{1, 2}}, make([]uint32, n)
			for short := range 3 {
				cell, x, y := make([]uint32, n), make([]int32, n), make([]int32, n)
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("length %d, destination %d too short: no panic", n, short)
						}
					}()
					switch short {
					case 0:
						GatherCells(cell[:n-1:n-1], x, y, xy, slots, toruses[0])
					case 1:
						GatherCells(cell, x[:n-1:n-1], y, xy, slots, toruses[0])
					case 2:
						GatherCells(cell, x, y[:n-1:n-1], xy, slots, toruses[0])
					}
				}()
				for i := range n {
					if cell[i] != 0 || x[i] != 0 || y[i] != 0 {
						t.Fatalf("length %d, destination %d too short: element %d was written", n, short, i)
					}
				}
			}
		}
		GatherCells(nil, nil, nil, nil, nil, toruses[0])
	})
}

func TestGatherCellsAllocatesNothing(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		cell, x, y := make([]uint32, 100), make([]int32, 100), make([]int32, 100)
		xy, slots := make([][2]int32, 100), make([]uint32, 100)
		if allocs := testing.AllocsPerRun(100, func() { GatherCells(cell, x, y, xy, slots, toruses[7]) }); allocs != 0 {
			t.Errorf("got %v allocations; want none", allocs)
		}
	})
}
