//go:build !purego && !race

#include "go_asm.h"
#include "textflag.h"
#include "neon_arm64.h"

// neonPairs is neonCompress for two lanes of 8 bytes.
DATA ·neonPairs+0x00(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonPairs+0x08(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonPairs+0x10(SB)/8, $0x0706050403020100 // 0
DATA ·neonPairs+0x18(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonPairs+0x20(SB)/8, $0x0F0E0D0C0B0A0908 // 1
DATA ·neonPairs+0x28(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA ·neonPairs+0x30(SB)/8, $0x0706050403020100 // 0 1
DATA ·neonPairs+0x38(SB)/8, $0x0F0E0D0C0B0A0908
GLOBL ·neonPairs(SB), RODATA|NOPTR, $0x40

// STORE_KEYS appends those of the four keys in V0 and V1 to list that are in a set
// of lanes; set is 16 times its bits. It advances list, and loses R10 and R11.
#define STORE_KEYS(set, list) \
	AND	$0x30, set, R10 \
	LDRQ(10, 16, 20) \
	VTBL	V20.B16, [V0.B16], V20.B16 \
	FMOVQ	F20, (list) \
	LSR	$2, R10, R11 \
	AND	$8, R11, R11 \
	LSR	$1, R10, R10 \
	SUB	R11, R10, R10 \
	ADD	R10, list, list \
	LSR	$2, set, R10 \
	AND	$0x30, R10, R10 \
	LDRQ(10, 16, 20) \
	VTBL	V20.B16, [V1.B16], V20.B16 \
	FMOVQ	F20, (list) \
	LSR	$2, R10, R11 \
	AND	$8, R11, R11 \
	LSR	$1, R10, R10 \
	SUB	R11, R10, R10 \
	ADD	R10, list, list

// STORE_COSTS appends those of the four costs in V2 to list that are in the set; it
// does not advance list.
#define STORE_COSTS(set, list) \
	LDRQ(set, 15, 20) \
	VTBL	V20.B16, [V2.B16], V20.B16 \
	FMOVQ	F20, (list)

// COMPARE_KEYS loads the next four keys and finds which of them stay: the lanes in
// V3, their sum of weights in R9, and both sets in R7 and R8. Registers as in
// partitionNEON.
#define COMPARE_KEYS \
	VLD1.P	32(R0), [V0.D2, V1.D2] \
	VCMHS2D(0, 31, 3) \
	VCMHS2D(1, 31, 4) \
	VUZP1	V4.S4, V3.S4, V3.S4 \
	VAND	V30.B16, V3.B16, V4.B16 \
	VADDV	V4.S4, V4 \
	VMOV	V4.S[0], R9 \
	SUM_OFFSET(R9, R7) \
	EOR	$0xF0, R7, R8

// func partitionNEON(keys *uint64, costs *uint32, rightKeys *uint64, rightCosts *uint32, n int, pivot uint64) (left int, sum uint64)
//
// It splits keys at a pivot, four a step; n is a positive multiple of 4. Registers:
//
//	R0, R1	keys and costs: the next four
//	R2, R3	left keys and costs: where the next are stored; R4, R5 right ones
//	R6	elements left
//	R7	16 times the set of lanes that stay; R8 of those that go right
//	R9-R11	scratch
//	R15, R16	neonCompress, neonPairs
//	V0-V2	four keys, their costs
//	V3	lanes that stay
//	V28	sums of the costs that stay
//	V30	weights; V31 the pivot
//
// It stores up to 16 bytes past the end on the right.
TEXT ·partitionNEON(SB), NOSPLIT, $0-64
	MOVD	keys+0(FP), R0
	MOVD	costs+8(FP), R1
	MOVD	R0, R2
	MOVD	R1, R3
	MOVD	rightKeys+16(FP), R4
	MOVD	rightCosts+24(FP), R5
	MOVD	n+32(FP), R6
	MOVD	pivot+40(FP), R7
	MOVD	$·neonCompress(SB), R15
	VEOR	V28.B16, V28.B16, V28.B16
	VDUP	R7, V31.D2
	MOVD	$·neonPairs(SB), R16
	WEIGHTS(V30)

block:
	COMPARE_KEYS
	VLD1.P	16(R1), [V2.S4]
	VAND	V2.B16, V3.B16, V3.B16
	VUADALP(3, 28)
	STORE_COSTS(7, R3)
	STORE_COSTS(8, R5)
	SUM_COUNT(2, R9, R9)
	ADD	R9, R3, R3
	ADD	$16, R5, R5
	SUB	R9, R5, R5
	STORE_KEYS(R7, R2)
	STORE_KEYS(R8, R4)
	SUBS	$4, R6, R6
	BGT	block
	MOVD	keys+0(FP), R9
	SUB	R9, R2, R2
	LSR	$3, R2, R2
	MOVD	R2, left+48(FP)
	VMOV	V28.D[0], R9
	VMOV	V28.D[1], R10
	ADD	R9, R10, R10
	MOVD	R10, sum+56(FP)
	RET

// func splitNEON(keys, right *uint64, n int, pivot uint64) (left int)
//
// It is partitionNEON without costs.
TEXT ·splitNEON(SB), NOSPLIT, $0-40
	MOVD	keys+0(FP), R0
	MOVD	R0, R2
	MOVD	right+8(FP), R4
	MOVD	n+16(FP), R6
	MOVD	pivot+24(FP), R7
	VDUP	R7, V31.D2
	MOVD	$·neonPairs(SB), R16
	WEIGHTS(V30)

block:
	COMPARE_KEYS
	STORE_KEYS(R7, R2)
	STORE_KEYS(R8, R4)
	SUBS	$4, R6, R6
	BGT	block
	MOVD	keys+0(FP), R9
	SUB	R9, R2, R2
	LSR	$3, R2, R2
	MOVD	R2, left+32(FP)
	RET

// func fittingNEON(dstKeys *uint64, dstCosts *uint32, keys *uint64, costs *uint32, n int, limit uint32) (found int, sum uint64)
//
// It copies the keys and costs whose cost is at most limit, four a step; n is a
// positive multiple of 4. Registers as in partitionNEON, but:
//
//	R2, R3	destination
//	R4	keys; R1 costs
//	V31	the limit
//
// It stores up to 16 bytes past the found.
TEXT ·fittingNEON(SB), NOSPLIT, $0-64
	MOVD	dstKeys+0(FP), R2
	MOVD	dstCosts+8(FP), R3
	MOVD	keys+16(FP), R4
	MOVD	costs+24(FP), R1
	MOVD	n+32(FP), R6
	MOVWU	limit+40(FP), R7
	VDUP	R7, V31.S4
	MOVD	$·neonCompress(SB), R15
	MOVD	$·neonPairs(SB), R16
	WEIGHTS(V30)
	VEOR	V28.B16, V28.B16, V28.B16

block:
	VLD1.P	16(R1), [V2.S4]
	VCMHS4S(2, 31, 3)
	VAND	V30.B16, V3.B16, V4.B16
	VADDV	V4.S4, V4
	VMOV	V4.S[0], R9
	CBZ	R9, none
	// All keys are read before any is stored: the destination may be the source.
	VLD1	(R4), [V0.D2, V1.D2]
	VAND	V2.B16, V3.B16, V3.B16
	VUADALP(3, 28)
	SUM_OFFSET(R9, R7)
	STORE_COSTS(7, R3)
	SUM_COUNT(2, R9, R9)
	ADD	R9, R3, R3
	STORE_KEYS(R7, R2)

none:
	ADD	$32, R4, R4
	SUBS	$4, R6, R6
	BGT	block
	MOVD	dstKeys+0(FP), R9
	SUB	R9, R2, R2
	LSR	$3, R2, R2
	MOVD	R2, found+48(FP)
	VMOV	V28.D[0], R9
	VMOV	V28.D[1], R10
	ADD	R9, R10, R10
	MOVD	R10, sum+56(FP)
	RET
