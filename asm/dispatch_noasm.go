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

func rank(p *rankPiece, total *Costs) (bad int) { return rankGeneric(p, total, 0) }

func rankAged(p *rankPiece, total *Costs) (bad int) { return rankAgedGeneric(p, total, 0) }

func partition(keys []uint64, costs []uint32, rightKeys []uint64, rightCosts []uint32, pivot uint64) (left int, sum uint64) {
	return partitionGeneric(keys, costs, rightKeys, rightCosts, pivot)
}

func split(keys, right []uint64, pivot uint64) (left int) { return splitGeneric(keys, right, pivot) }

func fitting(dstKeys []uint64, dstCosts []uint32, keys []uint64, costs []uint32, limit uint32) (n int, sum uint64) {
	return fittingGeneric(dstKeys, dstCosts, keys, costs, limit)
}

func sortKeys(keys []uint64) { sortKeysGeneric(keys) }

func measure(dist2 []float32, slots []uint32, xy [][2]int32, x, y int32) {
	measureGeneric(dist2, slots, xy, x, y)
}

func gradeAll(grade []uint8, undecided []uint64, dist2 []float32, g *Grades) {
	gradeGeneric(grade, undecided, dist2, g, 0)
}

func scan(s *Scan) { scanGeneric(s) }

func scanAged(s *Scan) { scanAgedGeneric(s) }
