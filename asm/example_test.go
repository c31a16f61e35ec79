package asm_test

import (
	"fmt"

	"vicinity/asm"
)

// column returns n elements with the slack behind them that the kernels need.
func column[T any](n int) []T { return make([]T, n, n+asm.Slack) }

// Four entities, by slot, are sorted into the cells of a torus of 2 x 2 squares
// of 16 units, and those within 5 units of (1, 1) are found with one call.
func Example() {
	positions := [][2]int32{{4, 5}, {20, 3}, {-3, -2}, {1, 7}}
	slots := []uint32{0, 1, 2, 3}
	torus := asm.Torus{ShiftX: 4, ShiftY: 4, ColMask: 1, RowMask: 1, LogW: 1}

	// The cell of every entity, and its position beside it.
	n := len(slots)
	cell, x, y := column[uint32](n), column[int32](n), column[int32](n)
	asm.GatherCells(cell, x, y, positions, slots, &torus)

	// A counting sort brings the columns into cell order.
	cells := asm.Cells{
		X: column[int32](n), Y: column[int32](n), Slot: column[uint32](n),
		Start: make([]uint32, torus.Cells()+1),
		LogW:  torus.LogW, RowMask: torus.RowMask,
	}
	for _, k := range cell {
		cells.Start[k+1]++
	}
	for k := range torus.Cells() {
		cells.Start[k+1] += cells.Start[k]
	}
	next := append([]uint32(nil), cells.Start...)
	for i, k := range cell {
		to := next[k]
		next[k]++
		cells.X[to], cells.Y[to], cells.Slot[to] = x[i], y[i], slots[i]
	}

	// The square around the disc covers all rows and columns. With room for the
	// candidates and slack the call does not allocate.
	block := asm.Block{Rows: 2, ColEnd: 2}
	disc := asm.Disc{X: 1, Y: 1, Outer: asm.MakeLimit(5)}
	hits := make([]asm.Hit, 0, cells.Candidates(block)+asm.Slack)
	hits = asm.AppendHits(hits, &cells, &block, &disc)
	for _, h := range hits {
		fmt.Printf("slot %d, squared distance %v\n", h.Slot, h.Dist2)
	}
	fmt.Println("candidates:", block.Seen)
	// Output:
	// slot 0, squared distance 25
	// slot 2, squared distance 25
	// candidates: 4
}

// Three candidates are ranked, and cut at the last one's key: it and whoever comes
// before it may be sent if the sum of their costs fits, without being sorted.
func ExampleRankKeys() {
	columns := asm.RankColumns{
		Priority: []uint16{5, 9, 5},
		Dist2:    []float32{100, 400, 25},
		Cost:     []uint32{30, 50, 20},
	}
	const n = 3
	keys, costs := column[uint64](n), column[uint32](n)
	total, bad := asm.RankKeys(keys, costs, &columns)
	fmt.Println("bad:", bad, "sum:", total.Sum, "least:", total.Least)

	// Room for all of them, and slack, on the right side too.
	right, rightCosts := make([]uint64, n+asm.Slack), make([]uint32, n+asm.Slack)
	left, sum := asm.PartitionKeys(keys, costs, right, rightCosts, keys[2])
	asm.SortKeys(keys[:left])
	for _, k := range keys[:left] {
		fmt.Println("candidate", k&asm.KeyIndexMask)
	}
	fmt.Println("sum:", sum)
	// Output:
	// bad: -1 sum: 100 least: 20
	// candidate 1
	// candidate 2
	// sum: 70
}
