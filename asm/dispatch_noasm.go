//go:build purego || race || !(amd64 || arm64)

package asm

func levels() []Level { return []Level{Generic} }

func withinSlots(dst []uint32, c *Cells, b *Block, d *Disc) int {
	return withinSlotsGeneric(dst, c, b, d)
}

func withinHits(dst []Hit, c *Cells, b *Block, d *Disc) int {
	return withinHitsGeneric(dst, c, b, d)
}

func withinIndexes(dst []uint32, c *Cells, b *Block, d *Disc) int {
	return withinIndexesGeneric(dst, c, b, d)
}

func withinRanked(dst []uint32, dist []float32, c *Cells, b *Block, d *Disc) int {
	return withinRankedGeneric(dst, dist, c, b, d)
}

func withinCount(c *Cells, b *Block, d *Disc) int { return withinCountGeneric(c, b, d) }

func crossings(enter, leave []uint32, c *Cells, b *Block, p *Pair) (ne, nl int) {
	return crossingsGeneric(enter, leave, c, b, p)
}

func gatherCells(cell []uint32, x, y []int32, xy [][2]int32, slots []uint32, t *Torus) {
	gatherCellsGeneric(cell, x, y, xy, slots, t)
}

func quantise64(dst []int32, bad []uint64, src []float64, scale float64) {
	clear(bad)
	quantise64Generic(dst, bad, src, scale, 0)
}

func quantise32(dst []int32, bad []uint64, src []float32, scale float32) {
	clear(bad)
	quantise32Generic(dst, bad, src, scale, 0)
}

func scatterTwo(p *Placement, first, second []uint32, lo, mid, n int) {
	scatterTwoGeneric(p, first, second, lo, mid, n)
}

func find(column []uint32, v uint32) int { return findGeneric(column, v) }

func prefetch(*byte, int) {}

func far(dst []uint32, x, y, oldX, oldY []int32, limit int32) (n int, step int32) {
	return farGeneric(dst, x, y, oldX, oldY, limit)
}

func extend(*Extent, []int32, []int32) int { return 0 }
