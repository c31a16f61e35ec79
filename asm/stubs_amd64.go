//go:build !purego && !race

package asm

// Declarations of the generated kernels (see tools/asmgen). They take whole rows
// of b while the candidates fit room, and return how many elements they found.

//go:noescape
func withinSlotsAVX2(dst *uint32, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinSlotsAVX512(dst *uint32, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinHitsAVX2(dst *Hit, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinHitsAVX512(dst *Hit, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinIndexesAVX2(dst *uint32, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinIndexesAVX512(dst *uint32, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinRankedAVX2(dst *uint32, dist *float32, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinRankedAVX512(dst *uint32, dist *float32, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinCountAVX2(room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinCountAVX512(room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func crossingsAVX2(enter, leave *uint32, room int, c *Cells, b *Block, p *Pair) (ne, nl int)

//go:noescape
func crossingsAVX512(enter, leave *uint32, room int, c *Cells, b *Block, p *Pair) (ne, nl int)

// The column kernels take a positive multiple of 16 elements (gatherCellsAVX2: of 8).

//go:noescape
func gatherCellsAVX2(cell *uint32, x, y *int32, xy *[2]int32, slots *uint32, n int, t *Torus)

//go:noescape
func gatherCellsAVX512(cell *uint32, x, y *int32, xy *[2]int32, slots *uint32, n int, t *Torus)

//go:noescape
func quantise64AVX2(dst *int32, bad *uint64, src *float64, n int, scale float64)

//go:noescape
func quantise64AVX512(dst *int32, bad *uint64, src *float64, n int, scale float64)

//go:noescape
func quantise32AVX2(dst *int32, bad *uint64, src *float32, n int, scale float32)

//go:noescape
func quantise32AVX512(dst *int32, bad *uint64, src *float32, n int, scale float32)

//go:noescape
func scatterTwoAMD64(p *Placement, first, second *uint32, lo, mid, n int)

//go:noescape
func findAVX2(column *uint32, n int, v uint32) int

//go:noescape
func findAVX512(column *uint32, n int, v uint32) int

//go:noescape
func farAVX2(dst *uint32, x, y, oldX, oldY *int32, n int, limit int32) (found int, step int32)

//go:noescape
func farAVX512(dst *uint32, x, y, oldX, oldY *int32, n int, limit int32) (found int, step int32)

//go:noescape
func extendAVX2(e *Extent, x, y *int32, n int)

//go:noescape
func extendAVX512(e *Extent, x, y *int32, n int)

//go:noescape
func prefetchAMD64(p *byte, lines int)

// The kernels for selection take at least one element. rankAVX2 and rankAgedAVX2 take
// a positive multiple of 8.

//go:noescape
func rankAVX2(p *rankPiece, n int, total *Costs) (bad int)

//go:noescape
func rankAVX512(p *rankPiece, total *Costs) (bad int)

//go:noescape
func rankAgedAVX2(p *rankPiece, n int, total *Costs) (bad int)

//go:noescape
func rankAgedAVX512(p *rankPiece, total *Costs) (bad int)

//go:noescape
func partitionAVX2(keys *uint64, costs *uint32, rightKeys *uint64, rightCosts *uint32, n int, pivot uint64) (left int, sum uint64)

//go:noescape
func partitionAVX512(keys *uint64, costs *uint32, rightKeys *uint64, rightCosts *uint32, n int, pivot uint64) (left int, sum uint64)

//go:noescape
func splitAVX2(keys, right *uint64, n int, pivot uint64) (left int)

//go:noescape
func splitAVX512(keys, right *uint64, n int, pivot uint64) (left int)

//go:noescape
func fittingAVX2(dstKeys *uint64, dstCosts *uint32, keys *uint64, costs *uint32, n int, limit uint32) (found int, sum uint64)

//go:noescape
func fittingAVX512(dstKeys *uint64, dstCosts *uint32, keys *uint64, costs *uint32, n int, limit uint32) (found int, sum uint64)

//go:noescape
func sortKeysAVX2(keys *uint64, n int)

//go:noescape
func sortKeysAVX512(keys *uint64, n int)

// The kernels for measuring take at least one element: a multiple of 16 on AVX-512,
// of 8 on AVX2.

//go:noescape
func measureAVX2(dist2 *float32, slots *uint32, n int, xy *int32, count uint32, x, y int32)

//go:noescape
func measureAVX512(dist2 *float32, slots *uint32, n int, xy *int32, count uint32, x, y int32)

//go:noescape
func gradeAVX2(grade *uint8, undecided *byte, dist2 *float32, n int, limits *Grades)

//go:noescape
func gradeAVX512(grade *uint8, undecided *byte, dist2 *float32, n int, limits *Grades)

// The kernels for scans take at least one word of rows.

//go:noescape
func scanAVX2(s *Scan)

//go:noescape
func scanAgedAVX2(s *Scan)

//go:noescape
func scanAVX512(s *Scan)

//go:noescape
func scanAgedAVX512(s *Scan)
