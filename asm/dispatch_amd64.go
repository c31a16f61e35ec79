//go:build !purego && !race

package asm

import "github.com/klauspost/cpuid/v2"

// levels asks the CPU once for what the kernels need.
func levels() []Level {
	l := []Level{Generic}
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.BMI1, cpuid.BMI2, cpuid.POPCNT) {
		l = append(l, AVX2)
		if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL) {
			l = append(l, AVX512)
		}
	}
	return l
}

func withinSlots(dst []uint32, c *Cells, b *Block, d *Disc) int {
	switch tier {
	case AVX512:
		return withinSlotsAVX512(&dst[0], roomOf(len(dst)), c, b, d)
	case AVX2:
		return withinSlotsAVX2(&dst[0], roomOf(len(dst)), c, b, d)
	}
	return withinSlotsGeneric(dst, c, b, d)
}

func withinHits(dst []Hit, c *Cells, b *Block, d *Disc) int {
	switch tier {
	case AVX512:
		return withinHitsAVX512(&dst[0], roomOf(len(dst)), c, b, d)
	case AVX2:
		return withinHitsAVX2(&dst[0], roomOf(len(dst)), c, b, d)
	}
	return withinHitsGeneric(dst, c, b, d)
}

func withinIndexes(dst []uint32, c *Cells, b *Block, d *Disc) int {
	switch tier {
	case AVX512:
		return withinIndexesAVX512(&dst[0], roomOf(len(dst)), c, b, d)
	case AVX2:
		return withinIndexesAVX2(&dst[0], roomOf(len(dst)), c, b, d)
	}
	return withinIndexesGeneric(dst, c, b, d)
}

func withinRanked(dst []uint32, dist []float32, c *Cells, b *Block, d *Disc) int {
	switch tier {
	case AVX512:
		return withinRankedAVX512(&dst[0], &dist[0], roomOf(len(dst)), c, b, d)
	case AVX2:
		return withinRankedAVX2(&dst[0], &dist[0], roomOf(len(dst)), c, b, d)
	}
	return withinRankedGeneric(dst, dist, c, b, d)
}

func withinCount(c *Cells, b *Block, d *Disc) int {
	switch tier {
	case AVX512:
		return withinCountAVX512(maxCandidates, c, b, d)
	case AVX2:
		return withinCountAVX2(maxCandidates, c, b, d)
	}
	return withinCountGeneric(c, b, d)
}

func crossings(enter, leave []uint32, c *Cells, b *Block, p *Pair) (ne, nl int) {
	switch tier {
	case AVX512:
		return crossingsAVX512(&enter[0], &leave[0], roomOf(len(enter)), c, b, p)
	case AVX2:
		return crossingsAVX2(&enter[0], &leave[0], roomOf(len(enter)), c, b, p)
	}
	return crossingsGeneric(enter, leave, c, b, p)
}

func gatherCells(cell []uint32, x, y []int32, xy [][2]int32, slots []uint32, t *Torus) {
	n := 0
	switch {
	case tier == AVX512 && len(slots) >= 16:
		n = len(slots) &^ 15
		gatherCellsAVX512(&cell[0], &x[0], &y[0], &xy[0], &slots[0], n, t)
	case tier == AVX2 && len(slots) >= 8:
		n = len(slots) &^ 7
		gatherCellsAVX2(&cell[0], &x[0], &y[0], &xy[0], &slots[0], n, t)
	}
	gatherCellsGeneric(cell[n:], x[n:], y[n:], xy, slots[n:], t)
}

func quantise64(dst []int32, bad []uint64, src []float64, scale float64) {
	clear(bad)
	n := len(src) &^ 15
	switch {
	case n == 0 || tier == Generic:
		n = 0
	case tier == AVX512:
		quantise64AVX512(&dst[0], &bad[0], &src[0], n, scale)
	default:
		quantise64AVX2(&dst[0], &bad[0], &src[0], n, scale)
	}
	quantise64Generic(dst, bad, src, scale, n)
}

func quantise32(dst []int32, bad []uint64, src []float32, scale float32) {
	clear(bad)
	n := len(src) &^ 15
	switch {
	case n == 0 || tier == Generic:
		n = 0
	case tier == AVX512:
		quantise32AVX512(&dst[0], &bad[0], &src[0], n, scale)
	default:
		quantise32AVX2(&dst[0], &bad[0], &src[0], n, scale)
	}
	quantise32Generic(dst, bad, src, scale, n)
}

func scatterTwo(p *Placement, first, second []uint32, lo, mid, n int) {
	if tier == Generic {
		scatterTwoGeneric(p, first, second, lo, mid, n)
		return
	}
	scatterTwoAMD64(p, &first[0], &second[0], lo, mid, n)
}

func find(column []uint32, v uint32) int {
	switch tier {
	case AVX512:
		return findAVX512(&column[0], len(column), v)
	case AVX2:
		return findAVX2(&column[0], len(column), v)
	}
	return findGeneric(column, v)
}

func prefetch(p *byte, lines int) { prefetchAMD64(p, lines) }

func far(dst []uint32, x, y, oldX, oldY []int32, limit int32) (n int, step int32) {
	switch tier {
	case AVX512:
		return farAVX512(&dst[0], &x[0], &y[0], &oldX[0], &oldY[0], len(x), limit)
	case AVX2:
		return farAVX2(&dst[0], &x[0], &y[0], &oldX[0], &oldY[0], len(x), limit)
	}
	return farGeneric(dst, x, y, oldX, oldY, limit)
}

// extend returns how many elements it took.
func extend(e *Extent, x, y []int32) int {
	n := 0
	switch {
	case tier == AVX512 && len(x) >= 16:
		n = len(x) &^ 15
		extendAVX512(e, &x[0], &y[0], n)
	case tier == AVX2 && len(x) >= 8:
		n = len(x) &^ 7
		extendAVX2(e, &x[0], &y[0], n)
	}
	return n
}
