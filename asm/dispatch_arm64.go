//go:build !purego && !race

package asm

// levels asks nothing: NEON is part of every arm64 CPU that Go runs on.
func levels() []Level { return []Level{Generic, NEON} }

func withinSlots(dst []uint32, c *Cells, b *Block, d *Disc) int {
	if tier == NEON {
		return withinSlotsNEON(&dst[0], roomOf(len(dst)), c, b, d)
	}
	return withinSlotsGeneric(dst, c, b, d)
}

func withinHits(dst []Hit, c *Cells, b *Block, d *Disc) int {
	if tier == NEON {
		return withinHitsNEON(&dst[0], roomOf(len(dst)), c, b, d)
	}
	return withinHitsGeneric(dst, c, b, d)
}

func withinIndexes(dst []uint32, c *Cells, b *Block, d *Disc) int {
	if tier == NEON {
		return withinIndexesNEON(&dst[0], roomOf(len(dst)), c, b, d)
	}
	return withinIndexesGeneric(dst, c, b, d)
}

func withinRanked(dst []uint32, dist []float32, c *Cells, b *Block, d *Disc) int {
	if tier == NEON {
		return withinRankedNEON(&dst[0], &dist[0], roomOf(len(dst)), c, b, d)
	}
	return withinRankedGeneric(dst, dist, c, b, d)
}

func withinCount(c *Cells, b *Block, d *Disc) int {
	if tier == NEON {
		return withinCountNEON(maxCandidates, c, b, d)
	}
	return withinCountGeneric(c, b, d)
}

func crossings(enter, leave []uint32, c *Cells, b *Block, p *Pair) (ne, nl int) {
	if tier == NEON {
		return crossingsNEON(&enter[0], &leave[0], roomOf(len(enter)), c, b, p)
	}
	return crossingsGeneric(enter, leave, c, b, p)
}

func gatherCells(cell []uint32, x, y []int32, xy [][2]int32, slots []uint32, t *Torus) {
	n := 0
	if tier == NEON && len(slots) >= 4 {
		n = len(slots) &^ 3
		gatherCellsNEON(&cell[0], &x[0], &y[0], &xy[0], &slots[0], n, t)
	}
	gatherCellsGeneric(cell[n:], x[n:], y[n:], xy, slots[n:], t)
}

func quantise64(dst []int32, bad []uint64, src []float64, scale float64) {
	clear(bad)
	n := 0
	if tier == NEON && len(src) >= 16 {
		n = len(src) &^ 15
		quantise64NEON(&dst[0], &bad[0], &src[0], n, scale)
	}
	quantise64Generic(dst, bad, src, scale, n)
}

func quantise32(dst []int32, bad []uint64, src []float32, scale float32) {
	clear(bad)
	n := 0
	if tier == NEON && len(src) >= 16 {
		n = len(src) &^ 15
		quantise32NEON(&dst[0], &bad[0], &src[0], n, scale)
	}
	quantise32Generic(dst, bad, src, scale, n)
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
