//go:build !purego && !race

package asm

// Declarations of the kernels in *_arm64.s. Those over a block take whole rows of
// b while the candidates fit room, and return how many elements they found.

//go:noescape
func withinSlotsNEON(dst *uint32, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinHitsNEON(dst *Hit, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinIndexesNEON(dst *uint32, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinRankedNEON(dst *uint32, dist *float32, room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func withinCountNEON(room int, c *Cells, b *Block, d *Disc) int

//go:noescape
func crossingsNEON(enter, leave *uint32, room int, c *Cells, b *Block, p *Pair) (ne, nl int)

// The column kernels take a positive multiple of 16 elements (gatherCellsNEON: of 4).

//go:noescape
func gatherCellsNEON(cell *uint32, x, y *int32, xy *[2]int32, slots *uint32, n int, t *Torus)

//go:noescape
func quantise64NEON(dst *int32, bad *uint64, src *float64, n int, scale float64)

//go:noescape
func quantise32NEON(dst *int32, bad *uint64, src *float32, n int, scale float32)

// The kernels for selection take a positive multiple of 4 elements.

//go:noescape
func rankNEON(p *rankPiece, n int, total *Costs) (done int)

//go:noescape
func rankAgedNEON(p *rankPiece, n int, total *Costs) (done int)

//go:noescape
func partitionNEON(keys *uint64, costs *uint32, rightKeys *uint64, rightCosts *uint32, n int, pivot uint64) (left int, sum uint64)

//go:noescape
func splitNEON(keys, right *uint64, n int, pivot uint64) (left int)

//go:noescape
func fittingNEON(dstKeys *uint64, dstCosts *uint32, keys *uint64, costs *uint32, n int, limit uint32) (found int, sum uint64)
