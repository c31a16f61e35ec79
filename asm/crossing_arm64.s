//go:build !purego && !race

#include "go_asm.h"
#include "textflag.h"
#include "neon_arm64.h"

// DIFFERENCE2 sets v (number d) to the float32 square of its column (general
// register number col) less the centre.
#define DIFFERENCE2(col, centre, d, v) \
	LDRQ(13, col, d) \
	VSUB	centre.S4, v.S4, v.S4 \
	VSCVTF4S(d, d) \
	VFMUL4S(d, d, d)

// CROSSINGS sets V23 and V24 to the lanes surely or perhaps within the inner disc
// now, and surely before; V25 and V26 to those surely or perhaps outside of the
// outer disc now, and surely before.
#define CROSSINGS \
	DIFFERENCE2(20, V0, 19, V19) \
	DIFFERENCE2(21, V1, 20, V20) \
	DIFFERENCE2(22, V2, 21, V21) \
	DIFFERENCE2(23, V3, 22, V22) \
	VFADD4S(20, 19, 19) \
	VFADD4S(22, 21, 21) \
	VFCMGE4S(19, 4, 23) \
	VFCMGE4S(21, 5, 24) \
	VFCMGT4S(12, 19, 25) \
	VFCMGT4S(13, 21, 26)

// CYLINDER takes from in what is beyond the inner height, and adds to out what is
// beyond the outer one, by the column in general register number col.
#define CYLINDER(col, centre, in, out) \
	LDRQ(13, col, 27) \
	VSUB	centre.S4, V27.S4, V27.S4 \
	VABS4S(27, 27) \
	VCMHS4S(27, 14, 28) \
	VAND	V28.B16, in.B16, in.B16 \
	VCMHI4S(15, 27, 28) \
	VORR	V28.B16, out.B16, out.B16

// CROSSED sets R16 to the sum of the lanes that cross, the leaving ones from bit 8
// on, and goes to quiet if there are none.
#define CROSSED(quiet) \
	ROWS_VALID \
	VBIC(24, 23, 23) \
	VBIC(26, 25, 25) \
	VAND	V10.B16, V23.B16, V23.B16 \
	VAND	V11.B16, V25.B16, V25.B16 \
	VORR	V25.B16, V23.B16, V23.B16 \
	VAND	V18.B16, V23.B16, V23.B16 \
	VADDV	V23.S4, V23 \
	VMOV	V23.S[0], R16 \
	CBZ	R16, quiet

// STORE appends the indexes of the lanes in R16's low byte to list.
#define STORE(list) \
	SUM_OFFSET(R16, R17) \
	LDRQ(17, 15, 28) \
	VTBL	V28.B16, [V6.B16], V27.B16 \
	FMOVQ	F27, (list) \
	SUM_COUNT(2, R16, R17) \
	ADD	R17, list, list

#define STORE_BOTH \
	STORE(R0) \
	LSR	$8, R16, R16 \
	STORE(R1)

// func crossingsNEON(enter, leave *uint32, room int, c *Cells, b *Block, p *Pair) (ne, nl int)
//
// It finds what may have crossed a limit between two ticks, four elements a step.
// Besides the row loop's registers (neon_arm64.h):
//
//	R0, R1	enter, leave: where the next found are stored
//	R5	p *Pair
//	R15	neonCompress
//	R16	sum of the crossing lanes (see CROSSED)
//	R17	scratch
//	R20-R25	columns X, Y, OldX, OldY, Z, OldZ
//	V0-V3	the centre now, and before; V16, V17 its heights
//	V4, V5	inner limit, Hi and Lo
//	V6	indexes of the current elements
//	V10, V11	weights of the entering and of the leaving lanes
//	V12, V13	outer limit, Lo and Hi
//	V14, V15	inner and outer height
//	V18-V28	scratch
//
// It reads up to 12 bytes past the end of a span in every column, and stores up
// to 16 bytes past the found in both lists.
TEXT ·crossingsNEON(SB), NOSPLIT, $0-64
	MOVD	enter+0(FP), R0
	MOVD	leave+8(FP), R1
	MOVD	room+16(FP), R2
	MOVD	c+24(FP), R3
	MOVD	b+32(FP), R4
	MOVD	p+40(FP), R5
	MOVD	$·neonCompress(SB), R15
	MOVD	Cells_X(R3), R20
	MOVD	Cells_Y(R3), R21
	MOVD	Cells_OldX(R3), R22
	MOVD	Cells_OldY(R3), R23
	SPREAD(R5, Pair_X, F0, V0)
	SPREAD(R5, Pair_Y, F1, V1)
	SPREAD(R5, Pair_OldX, F2, V2)
	SPREAD(R5, Pair_OldY, F3, V3)
	SPREAD(R5, Pair_Inner+Limit_Hi, F4, V4)
	SPREAD(R5, Pair_Inner+Limit_Lo, F5, V5)
	SPREAD(R5, Pair_Outer+Limit_Lo, F12, V12)
	SPREAD(R5, Pair_Outer+Limit_Hi, F13, V13)
	WEIGHTS(V10)
	VSHL	$8, V10.S4, V11.S4
	ROWS_BEGIN
	MOVWU	Pair_Flags(R5), R17
	AND	$const_WithHeight, R17, R17
	CBNZ	R17, height

flat_row:
	ROWS_NEXT(flat_row, done)
	ROWS_INDEXES

flat_block:
	CROSSINGS
	CROSSED(flat_quiet)
	STORE_BOTH

flat_quiet:
	VADD	V9.S4, V6.S4, V6.S4
	ROWS_ADVANCE(flat_block, flat_row)

height:
	MOVD	Cells_Z(R3), R24
	MOVD	Cells_OldZ(R3), R25
	SPREAD(R5, Pair_InnerHeight, F14, V14)
	SPREAD(R5, Pair_OuterHeight, F15, V15)
	SPREAD(R5, Pair_Z, F16, V16)
	SPREAD(R5, Pair_OldZ, F17, V17)

height_row:
	ROWS_NEXT(height_row, done)
	ROWS_INDEXES

height_block:
	CROSSINGS
	CYLINDER(24, V16, V23, V25)
	CYLINDER(25, V17, V24, V26)
	CROSSED(height_quiet)
	STORE_BOTH

height_quiet:
	VADD	V9.S4, V6.S4, V6.S4
	ROWS_ADVANCE(height_block, height_row)

done:
	ROWS_END
	MOVD	enter+0(FP), R17
	SUB	R17, R0, R0
	LSR	$2, R0, R0
	MOVD	R0, ne+48(FP)
	MOVD	leave+8(FP), R17
	SUB	R17, R1, R1
	LSR	$2, R1, R1
	MOVD	R1, nl+56(FP)
	RET
