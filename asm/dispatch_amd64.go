//go:build !purego && !race

package asm

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

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

func rank(p *rankPiece, total *Costs) (bad int) {
	n := 0
	switch tier {
	case AVX512:
		return rankAVX512(p, total)
	case AVX2:
		if n = len(p.Keys) &^ 7; n > 0 {
			if bad = rankAVX2(p, n, total); bad >= 0 {
				return bad
			}
		}
	}
	return rankGeneric(p, total, n)
}

func rankAged(p *rankPiece, total *Costs) (bad int) {
	n := 0
	switch tier {
	case AVX512:
		return rankAgedAVX512(p, total)
	case AVX2:
		if n = len(p.Keys) &^ 7; n > 0 {
			if bad = rankAgedAVX2(p, n, total); bad >= 0 {
				return bad
			}
		}
	}
	return rankAgedGeneric(p, total, n)
}

func partition(keys []uint64, costs []uint32, rightKeys []uint64, rightCosts []uint32, pivot uint64) (left int, sum uint64) {
	switch tier {
	case AVX512:
		return partitionAVX512(&keys[0], &costs[0], &rightKeys[0], &rightCosts[0], len(keys), pivot)
	case AVX2:
		return partitionAVX2(&keys[0], &costs[0], &rightKeys[0], &rightCosts[0], len(keys), pivot)
	}
	return partitionGeneric(keys, costs, rightKeys, rightCosts, pivot)
}

func split(keys, right []uint64, pivot uint64) (left int) {
	switch tier {
	case AVX512:
		return splitAVX512(&keys[0], &right[0], len(keys), pivot)
	case AVX2:
		return splitAVX2(&keys[0], &right[0], len(keys), pivot)
	}
	return splitGeneric(keys, right, pivot)
}

func fitting(dstKeys []uint64, dstCosts []uint32, keys []uint64, costs []uint32, limit uint32) (n int, sum uint64) {
	switch tier {
	case AVX512:
		return fittingAVX512(&dstKeys[0], &dstCosts[0], &keys[0], &costs[0], len(keys), limit)
	case AVX2:
		return fittingAVX2(&dstKeys[0], &dstCosts[0], &keys[0], &costs[0], len(keys), limit)
	}
	return fittingGeneric(dstKeys, dstCosts, keys, costs, limit)
}

func sortKeys(keys []uint64) {
	switch tier {
	case AVX512:
		sortKeysAVX512(&keys[0], len(keys))
	case AVX2:
		sortKeysAVX2(&keys[0], len(keys))
	default:
		sortKeysGeneric(keys)
	}
}

func measure(dist2 []float32, slots []uint32, xy [][2]int32, x, y int32) {
	n := 0
	switch {
	case len(xy) == 0:
	case tier == AVX512 && len(slots) >= 16:
		n = len(slots) &^ 15
		measureAVX512(&dist2[0], &slots[0], n, &xy[0][0], uint32(len(xy)), x, y)
	case tier == AVX2 && len(slots) >= 8:
		n = len(slots) &^ 7
		measureAVX2(&dist2[0], &slots[0], n, &xy[0][0], uint32(len(xy)), x, y)
	}
	measureGeneric(dist2[n:], slots[n:], xy, x, y)
}

func gradeAll(grade []uint8, undecided []uint64, dist2 []float32, g *Grades) {
	n := 0
	switch {
	case tier == AVX512 && len(grade) >= 16:
		n = len(grade) &^ 15
		gradeAVX512(&grade[0], (*byte)(unsafe.Pointer(&undecided[0])), &dist2[0], n, g)
	case tier == AVX2 && len(grade) >= 8:
		n = len(grade) &^ 7
		gradeAVX2(&grade[0], (*byte)(unsafe.Pointer(&undecided[0])), &dist2[0], n, g)
	}
	gradeGeneric(grade, undecided, dist2, g, n)
}

// bare reports whether there is an empty column that the kernels cannot address.
func (s *Scan) bare() bool { return len(s.Hot) == 0 || s.Dist2 == nil && len(s.XY) == 0 }

func scan(s *Scan) {
	switch {
	case tier == Generic || s.bare():
		scanGeneric(s)
	case tier == AVX512:
		scanAVX512(s)
	default:
		scanAVX2(s)
	}
}

func scanAged(s *Scan) {
	switch {
	case tier == Generic || s.bare():
		scanAgedGeneric(s)
	case tier == AVX512:
		scanAgedAVX512(s)
	default:
		scanAgedAVX2(s)
	}
}
