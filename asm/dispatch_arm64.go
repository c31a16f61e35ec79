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

func rank(p *rankPiece, total *Costs) (bad int) {
	done := 0
	if n := len(p.Keys) &^ 3; tier == NEON && n > 0 {
		done = rankNEON(p, n, total)
	}
	return rankGeneric(p, total, done)
}

func rankAged(p *rankPiece, total *Costs) (bad int) {
	done := 0
	if n := len(p.Keys) &^ 3; tier == NEON && n > 0 {
		done = rankAgedNEON(p, n, total)
	}
	return rankAgedGeneric(p, total, done)
}

func partition(keys []uint64, costs []uint32, rightKeys []uint64, rightCosts []uint32, pivot uint64) (left int, sum uint64) {
	n := len(keys) &^ 3
	if tier != NEON || n == 0 {
		return partitionGeneric(keys, costs, rightKeys, rightCosts, pivot)
	}
	left, sum = partitionNEON(&keys[0], &costs[0], &rightKeys[0], &rightCosts[0], n, pivot)
	k, s := partitionGeneric(keys[n:], costs[n:], rightKeys[n-left:], rightCosts[n-left:], pivot)
	copy(keys[left:], keys[n:n+k])
	copy(costs[left:], costs[n:n+k])
	return left + k, sum + s
}

func split(keys, right []uint64, pivot uint64) (left int) {
	n := len(keys) &^ 3
	if tier != NEON || n == 0 {
		return splitGeneric(keys, right, pivot)
	}
	left = splitNEON(&keys[0], &right[0], n, pivot)
	k := splitGeneric(keys[n:], right[n-left:], pivot)
	copy(keys[left:], keys[n:n+k])
	return left + k
}

func fitting(dstKeys []uint64, dstCosts []uint32, keys []uint64, costs []uint32, limit uint32) (n int, sum uint64) {
	done := len(keys) &^ 3
	if tier == NEON && done > 0 {
		n, sum = fittingNEON(&dstKeys[0], &dstCosts[0], &keys[0], &costs[0], done, limit)
	} else {
		done = 0
	}
	k, s := fittingGeneric(dstKeys[n:], dstCosts[n:], keys[done:], costs[done:], limit)
	return n + k, sum + s
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
