//go:build !purego && !race

#include "go_asm.h"
#include "textflag.h"
#include "neon_arm64.h"

// The within kernels: whole rows of a block, filtered by distance, four elements
// a step. All share the row loop's registers (neon_arm64.h) and these:
//
//	R0	dst, where the next found is stored; or the number of found
//	R1	dist, likewise (withinRanked)
//	R5	d *Disc
//	R15	neonCompress
//	R16	sum of the accepted lanes (see WEIGHTS); from bit 8 on: some are undecided
//	R17	scratch
//	R20-R25	columns X, Y, Slot, Z, Need, Any
//	V0, V1	the centre; V12 its height
//	V2, V3	outer limit, Hi and Lo; V4, V5 the inner one
//	V6	indexes of the current elements
//	V10	weights; V11 256, the weight of an undecided lane
//	V13, V14	outer and inner height
//	V15-V17	mask, ^mask, zero
//	V18	lanes that the span fills and that height and permission allow
//	V19	squared distance in float32
//	V21	lanes accepted
//	V22	lanes between Lo and Hi of a limit
//	V23	lanes within the inner disc, V24 within the inner height
//	V20, V25-V31	scratch
//
// Every load of a column is a whole vector at an element of the span: it reads up
// to 12 bytes past the span's end. Every store is a whole vector at the next
// free place: up to 16 bytes past the found (32 in withinHits).

// neonCompress turns a set of lanes into the bytes that VTBL needs to move them to
// the front. Row i, 16 bytes, is for the lanes that are set in i; 0xFF gives zero.
DATA ·neonCompress+0x00(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0x08(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0x10(SB)/8, $0xFFFFFFFF03020100 // 0
DATA ·neonCompress+0x18(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0x20(SB)/8, $0xFFFFFFFF07060504 // 1
DATA ·neonCompress+0x28(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0x30(SB)/8, $0x0706050403020100 // 0 1
DATA ·neonCompress+0x38(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0x40(SB)/8, $0xFFFFFFFF0B0A0908 // 2
DATA ·neonCompress+0x48(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0x50(SB)/8, $0x0B0A090803020100 // 0 2
DATA ·neonCompress+0x58(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0x60(SB)/8, $0x0B0A090807060504 // 1 2
DATA ·neonCompress+0x68(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0x70(SB)/8, $0x0706050403020100 // 0 1 2
DATA ·neonCompress+0x78(SB)/8, $0xFFFFFFFF0B0A0908
DATA ·neonCompress+0x80(SB)/8, $0xFFFFFFFF0F0E0D0C // 3
DATA ·neonCompress+0x88(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0x90(SB)/8, $0x0F0E0D0C03020100 // 0 3
DATA ·neonCompress+0x98(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0xA0(SB)/8, $0x0F0E0D0C07060504 // 1 3
DATA ·neonCompress+0xA8(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0xB0(SB)/8, $0x0706050403020100 // 0 1 3
DATA ·neonCompress+0xB8(SB)/8, $0xFFFFFFFF0F0E0D0C
DATA ·neonCompress+0xC0(SB)/8, $0x0F0E0D0C0B0A0908 // 2 3
DATA ·neonCompress+0xC8(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonCompress+0xD0(SB)/8, $0x0B0A090803020100 // 0 2 3
DATA ·neonCompress+0xD8(SB)/8, $0xFFFFFFFF0F0E0D0C
DATA ·neonCompress+0xE0(SB)/8, $0x0B0A090807060504 // 1 2 3
DATA ·neonCompress+0xE8(SB)/8, $0xFFFFFFFF0F0E0D0C
DATA ·neonCompress+0xF0(SB)/8, $0x0706050403020100 // 0 1 2 3
DATA ·neonCompress+0xF8(SB)/8, $0x0F0E0D0C0B0A0908
GLOBL ·neonCompress(SB), RODATA|NOPTR, $256

// OUTER_BEGIN prepares what all forms need, INNER_BEGIN what the inner disc needs.
#define OUTER_BEGIN \
	MOVD	$·neonCompress(SB), R15 \
	MOVD	Cells_X(R3), R20 \
	MOVD	Cells_Y(R3), R21 \
	SPREAD(R5, Disc_X, F0, V0) \
	SPREAD(R5, Disc_Y, F1, V1) \
	SPREAD(R5, Disc_Outer+Limit_Hi, F2, V2) \
	SPREAD(R5, Disc_Outer+Limit_Lo, F3, V3) \
	WEIGHTS(V10) \
	VMOVQ	$0x0000010000000100, $0x0000010000000100, V11 \
	ROWS_BEGIN

#define INNER_BEGIN \
	SPREAD(R5, Disc_Inner+Limit_Hi, F4, V4) \
	SPREAD(R5, Disc_Inner+Limit_Lo, F5, V5)

// CHOOSE goes to the loop that the query's flags ask for; it falls through to the
// one that reads no optional column.
#define CHOOSE(height, mask, both) \
	MOVWU	Disc_Flags(R5), R17 \
	AND	$(const_WithHeight|const_WithMask), R17, R17 \
	CMP	$const_WithHeight, R17 \
	BEQ	height \
	CMP	$const_WithMask, R17 \
	BEQ	mask \
	BHI	both

#define HEIGHT_BEGIN \
	MOVD	Cells_Z(R3), R23 \
	SPREAD(R5, Disc_Z, F12, V12) \
	SPREAD(R5, Disc_OuterHeight, F13, V13) \
	SPREAD(R5, Disc_InnerHeight, F14, V14)

#define MASK_BEGIN \
	MOVD	Cells_Need(R3), R24 \
	MOVD	Cells_Any(R3), R25 \
	SPREAD(R5, Disc_Mask, F15, V15) \
	VEOR	V17.B16, V17.B16, V17.B16 \
	VCMEQ	V17.S4, V17.S4, V16.S4 \
	VEOR	V15.B16, V16.B16, V16.B16

// HEIGHT takes from V18 the lanes beyond the outer height, HEIGHTS also sets V24.
#define HEIGHT \
	LDRQ(13, 23, 25) \
	VSUB	V12.S4, V25.S4, V25.S4 \
	VABS4S(25, 25) \
	VCMHS4S(25, 13, 26) \
	VAND	V26.B16, V18.B16, V18.B16

#define HEIGHTS \
	HEIGHT \
	VCMHS4S(25, 14, 24)

// MASK takes from V18 the lanes whose need or any the mask does not satisfy.
#define MASK \
	LDRQ(13, 24, 25) \
	LDRQ(13, 25, 26) \
	VCMTST	V16.S4, V25.S4, V25.S4 \ // need &^ mask != 0
	VCMTST	V15.S4, V26.S4, V27.S4 \ // any & mask != 0
	VCMEQ	V17.S4, V26.S4, V26.S4 \ // any == 0
	VORR	V27.B16, V26.B16, V26.B16 \
	VAND	V26.B16, V18.B16, V18.B16 \
	VBIC(25, 18, 18)

// What is read of an element besides its position.
#define FLAT ROWS_VALID
#define WITH_HEIGHT ROWS_VALID; HEIGHT
#define WITH_HEIGHTS ROWS_VALID; HEIGHTS
#define WITH_MASK ROWS_VALID; MASK
#define WITH_HEIGHT_MASK ROWS_VALID; HEIGHT; MASK
#define WITH_HEIGHTS_MASK ROWS_VALID; HEIGHTS; MASK

// DIFFERENCES sets x and y (in V and by number) to the int32 differences.
#define DIFFERENCES(x, vx, y, vy) \
	LDRQ(13, 20, x) \
	LDRQ(13, 21, y) \
	VSUB	V0.S4, vx.S4, vx.S4 \
	VSUB	V1.S4, vy.S4, vy.S4

// DISTANCE sets V19; no fused step, so that the bits are the same everywhere.
#define DISTANCE \
	DIFFERENCES(19, V19, 20, V20) \
	VSCVTF4S(19, 19) \
	VSCVTF4S(20, 20) \
	VFMUL4S(19, 19, 19) \
	VFMUL4S(20, 20, 20) \
	VFADD4S(20, 19, 19)

// OUTER sets V21 to the lanes up to Hi and V22 to those of them above Lo; INNER
// does the same with V23 for the inner limit, and adds to V22.
#define OUTER \
	VFCMGE4S(19, 2, 21) \
	VFCMGE4S(19, 3, 22) \
	VEOR	V21.B16, V22.B16, V22.B16

#define INNER \
	VFCMGE4S(19, 4, 23) \
	VFCMGE4S(19, 5, 25) \
	VEOR	V23.B16, V25.B16, V25.B16 \
	VORR	V25.B16, V22.B16, V22.B16

// SUM sets R16, and goes to band if a lane that counts is undecided.
#define SUM(band) \
	VAND	V18.B16, V21.B16, V21.B16 \
	VAND	V18.B16, V22.B16, V22.B16 \
	VAND	V10.B16, V21.B16, V25.B16 \
	VAND	V11.B16, V22.B16, V22.B16 \
	VORR	V22.B16, V25.B16, V25.B16 \
	VADDV	V25.S4, V25 \
	VMOV	V25.S[0], R16 \
	CMP	$0xFF, R16 \
	BHI	band

// SQUARES sets V27 (lanes 0 and 1) and V28 (2 and 3) to the squared distance in
// int64. EXACT sets the lanes of out in which it is at most the R2 of limit.
#define SQUARES \
	DIFFERENCES(25, V25, 26, V26) \
	VSMULL(25, 25, 27) \
	VSMULL2(25, 25, 28) \
	VSMLAL(26, 26, 27) \
	VSMLAL2(26, 26, 28)

#define EXACT(limit, out) \
	MOVD	(limit+Limit_R2)(R5), R17 \
	VDUP	R17, V29.D2 \
	VCMGE2D(27, 29, 30) \
	VCMGE2D(28, 29, 31) \
	VUZP1	V31.S4, V30.S4, out.S4

// SUM_DECIDED sets R16 once V21 is exact.
#define SUM_DECIDED \
	VAND	V18.B16, V21.B16, V21.B16 \
	VAND	V10.B16, V21.B16, V25.B16 \
	VADDV	V25.S4, V25 \
	VMOV	V25.S[0], R16

// OUTER_LOOP is the loop of the forms that know one disc; INNER_LOOP also tells
// the inner one apart. restrict is what sets V18, emit what stores the found.
#define OUTER_LOOP(row, block, found, band, restrict, emit) \
row: \
	ROWS_NEXT(row, done) \
block: \
	restrict \
	DISTANCE \
	OUTER \
	SUM(band) \
found: \
	emit \
	ROWS_ADVANCE(block, row) \
band: \
	SQUARES \
	EXACT(Disc_Outer, V21) \
	SUM_DECIDED \
	B	found

#define INNER_LOOP(row, block, found, band, restrict, emit) \
row: \
	ROWS_NEXT(row, done) \
	ROWS_INDEXES \
block: \
	restrict \
	DISTANCE \
	OUTER \
	INNER \
	SUM(band) \
found: \
	emit \
	VADD	V9.S4, V6.S4, V6.S4 \
	ROWS_ADVANCE(block, row) \
band: \
	SQUARES \
	EXACT(Disc_Outer, V21) \
	EXACT(Disc_Inner, V23) \
	SUM_DECIDED \
	B	found

// PERMUTATION sets V28 to the row of neonCompress for the accepted lanes.
#define PERMUTATION \
	SUM_OFFSET(R16, R17) \
	LDRQ(17, 15, 28)

// func withinSlotsNEON(dst *uint32, room int, c *Cells, b *Block, d *Disc) int
TEXT ·withinSlotsNEON(SB), NOSPLIT, $0-48
	MOVD	dst+0(FP), R0
	MOVD	room+8(FP), R2
	MOVD	c+16(FP), R3
	MOVD	b+24(FP), R4
	MOVD	d+32(FP), R5
	MOVD	Cells_Slot(R3), R22
	OUTER_BEGIN
	CHOOSE(height, mask, both)

#define EMIT_SLOTS \
	PERMUTATION \
	LDRQ(13, 22, 25) \
	VTBL	V28.B16, [V25.B16], V25.B16 \
	FMOVQ	F25, (R0) \
	SUM_COUNT(2, R16, R17) \
	ADD	R17, R0, R0

	OUTER_LOOP(flat_row, flat_block, flat_found, flat_band, FLAT, EMIT_SLOTS)
height:
	HEIGHT_BEGIN
	OUTER_LOOP(height_row, height_block, height_found, height_band, WITH_HEIGHT, EMIT_SLOTS)
mask:
	MASK_BEGIN
	OUTER_LOOP(mask_row, mask_block, mask_found, mask_band, WITH_MASK, EMIT_SLOTS)
both:
	HEIGHT_BEGIN
	MASK_BEGIN
	OUTER_LOOP(both_row, both_block, both_found, both_band, WITH_HEIGHT_MASK, EMIT_SLOTS)

done:
	ROWS_END
	MOVD	dst+0(FP), R17
	SUB	R17, R0, R0
	LSR	$2, R0, R0
	MOVD	R0, ret+40(FP)
	RET

// func withinHitsNEON(dst *Hit, room int, c *Cells, b *Block, d *Disc) int
TEXT ·withinHitsNEON(SB), NOSPLIT, $0-48
	MOVD	dst+0(FP), R0
	MOVD	room+8(FP), R2
	MOVD	c+16(FP), R3
	MOVD	b+24(FP), R4
	MOVD	d+32(FP), R5
	MOVD	Cells_Slot(R3), R22
	OUTER_BEGIN
	CHOOSE(height, mask, both)

#define EMIT_HITS \
	PERMUTATION \
	LDRQ(13, 22, 25) \
	VTBL	V28.B16, [V25.B16], V25.B16 \
	VTBL	V28.B16, [V19.B16], V19.B16 \
	VZIP1	V19.S4, V25.S4, V26.S4 \
	VZIP2	V19.S4, V25.S4, V27.S4 \
	FMOVQ	F26, (R0) \
	FMOVQ	F27, 16(R0) \
	SUM_COUNT(3, R16, R17) \
	ADD	R17, R0, R0

	OUTER_LOOP(flat_row, flat_block, flat_found, flat_band, FLAT, EMIT_HITS)
height:
	HEIGHT_BEGIN
	OUTER_LOOP(height_row, height_block, height_found, height_band, WITH_HEIGHT, EMIT_HITS)
mask:
	MASK_BEGIN
	OUTER_LOOP(mask_row, mask_block, mask_found, mask_band, WITH_MASK, EMIT_HITS)
both:
	HEIGHT_BEGIN
	MASK_BEGIN
	OUTER_LOOP(both_row, both_block, both_found, both_band, WITH_HEIGHT_MASK, EMIT_HITS)

done:
	ROWS_END
	MOVD	dst+0(FP), R17
	SUB	R17, R0, R0
	LSR	$3, R0, R0
	MOVD	R0, ret+40(FP)
	RET

// The bit asm.Inner of an index: set in the lanes within both discs (heights).
#define INNER_BIT \
	VSHL	$31, V23.S4, V23.S4 \
	VORR	V6.B16, V23.B16, V25.B16

#define INNER_BIT_HEIGHT \
	VAND	V24.B16, V23.B16, V23.B16 \
	INNER_BIT

// func withinIndexesNEON(dst *uint32, room int, c *Cells, b *Block, d *Disc) int
TEXT ·withinIndexesNEON(SB), NOSPLIT, $0-48
	MOVD	dst+0(FP), R0
	MOVD	room+8(FP), R2
	MOVD	c+16(FP), R3
	MOVD	b+24(FP), R4
	MOVD	d+32(FP), R5
	OUTER_BEGIN
	INNER_BEGIN
	CHOOSE(height, mask, both)

#define STORE_INDEXES \
	PERMUTATION \
	VTBL	V28.B16, [V25.B16], V25.B16 \
	FMOVQ	F25, (R0) \
	SUM_COUNT(2, R16, R17) \
	ADD	R17, R0, R0
#define EMIT_INDEXES INNER_BIT; STORE_INDEXES
#define EMIT_INDEXES_HEIGHT INNER_BIT_HEIGHT; STORE_INDEXES

	INNER_LOOP(flat_row, flat_block, flat_found, flat_band, FLAT, EMIT_INDEXES)
height:
	HEIGHT_BEGIN
	INNER_LOOP(height_row, height_block, height_found, height_band, WITH_HEIGHTS, EMIT_INDEXES_HEIGHT)
mask:
	MASK_BEGIN
	INNER_LOOP(mask_row, mask_block, mask_found, mask_band, WITH_MASK, EMIT_INDEXES)
both:
	HEIGHT_BEGIN
	MASK_BEGIN
	INNER_LOOP(both_row, both_block, both_found, both_band, WITH_HEIGHTS_MASK, EMIT_INDEXES_HEIGHT)

done:
	ROWS_END
	MOVD	dst+0(FP), R17
	SUB	R17, R0, R0
	LSR	$2, R0, R0
	MOVD	R0, ret+40(FP)
	RET

// func withinRankedNEON(dst *uint32, dist *float32, room int, c *Cells, b *Block, d *Disc) int
TEXT ·withinRankedNEON(SB), NOSPLIT, $0-56
	MOVD	dst+0(FP), R0
	MOVD	dist+8(FP), R1
	MOVD	room+16(FP), R2
	MOVD	c+24(FP), R3
	MOVD	b+32(FP), R4
	MOVD	d+40(FP), R5
	OUTER_BEGIN
	INNER_BEGIN
	CHOOSE(height, mask, both)

#define STORE_RANKED \
	STORE_INDEXES \
	VTBL	V28.B16, [V19.B16], V19.B16 \
	FMOVQ	F19, (R1) \
	ADD	R17, R1, R1
#define EMIT_RANKED INNER_BIT; STORE_RANKED
#define EMIT_RANKED_HEIGHT INNER_BIT_HEIGHT; STORE_RANKED

	INNER_LOOP(flat_row, flat_block, flat_found, flat_band, FLAT, EMIT_RANKED)
height:
	HEIGHT_BEGIN
	INNER_LOOP(height_row, height_block, height_found, height_band, WITH_HEIGHTS, EMIT_RANKED_HEIGHT)
mask:
	MASK_BEGIN
	INNER_LOOP(mask_row, mask_block, mask_found, mask_band, WITH_MASK, EMIT_RANKED)
both:
	HEIGHT_BEGIN
	MASK_BEGIN
	INNER_LOOP(both_row, both_block, both_found, both_band, WITH_HEIGHTS_MASK, EMIT_RANKED_HEIGHT)

done:
	ROWS_END
	MOVD	dst+0(FP), R17
	SUB	R17, R0, R0
	LSR	$2, R0, R0
	MOVD	R0, ret+48(FP)
	RET

// func withinCountNEON(room int, c *Cells, b *Block, d *Disc) int
//
// It stores nothing but the block.
TEXT ·withinCountNEON(SB), NOSPLIT, $0-40
	MOVD	room+0(FP), R2
	MOVD	c+8(FP), R3
	MOVD	b+16(FP), R4
	MOVD	d+24(FP), R5
	MOVD	$0, R0
	OUTER_BEGIN
	CHOOSE(height, mask, both)

#define EMIT_COUNT \
	SUM_COUNT(0, R16, R17) \
	ADD	R17, R0, R0

	OUTER_LOOP(flat_row, flat_block, flat_found, flat_band, FLAT, EMIT_COUNT)
height:
	HEIGHT_BEGIN
	OUTER_LOOP(height_row, height_block, height_found, height_band, WITH_HEIGHT, EMIT_COUNT)
mask:
	MASK_BEGIN
	OUTER_LOOP(mask_row, mask_block, mask_found, mask_band, WITH_MASK, EMIT_COUNT)
both:
	HEIGHT_BEGIN
	MASK_BEGIN
	OUTER_LOOP(both_row, both_block, both_found, both_band, WITH_HEIGHT_MASK, EMIT_COUNT)

done:
	ROWS_END
	MOVD	R0, ret+32(FP)
	RET
