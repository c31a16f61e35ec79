//go:build !purego && !race

#include "go_asm.h"
#include "textflag.h"
#include "neon_arm64.h"

// SHIFT_RIGHT spreads the negative of the shift at disp, at most 31, over v: VSSHL4S
// shifts right by negative amounts, of which it reads eight bits.
#define SHIFT_RIGHT(disp, v) \
	MOVWU	disp(R6), R17 \
	CMP	$31, R17 \
	CSEL	HI, R19, R17, R17 \
	NEG	R17, R17 \
	VDUP	R17, v.S4

// func gatherCellsNEON(cell *uint32, x, y *int32, xy *[2]int32, slots *uint32, n int, t *Torus)
//
// It reads positions by slot and computes their cells. n is a positive multiple
// of 4; nothing is read or stored past it.
//
//	R0-R2	cell, x, y
//	R3, R4	xy, slots
//	R5	elements left
//	R6	t *Torus
//	R7-R10	slots of the current elements
//	R17, R19	scratch
//	V16, V17	-ShiftX, -ShiftY
//	V18, V19	ColMask, RowMask
//	V20	LogW
//	V21	Gone
//	V22	number of cells: the index of what is gone
TEXT ·gatherCellsNEON(SB), NOSPLIT, $0-56
	MOVD	cell+0(FP), R0
	MOVD	x+8(FP), R1
	MOVD	y+16(FP), R2
	MOVD	xy+24(FP), R3
	MOVD	slots+32(FP), R4
	MOVD	n+40(FP), R5
	MOVD	t+48(FP), R6
	MOVD	$31, R19
	SHIFT_RIGHT(Torus_ShiftX, V16)
	SHIFT_RIGHT(Torus_ShiftY, V17)
	SPREAD(R6, Torus_ColMask, F18, V18)
	SPREAD(R6, Torus_RowMask, F19, V19)
	SPREAD(R6, Torus_LogW, F20, V20)
	MOVD	$const_Gone, R17
	VDUP	R17, V21.S4
	MOVWU	Torus_RowMask(R6), R17
	ADDW	$1, R17, R17
	MOVWU	Torus_LogW(R6), R19
	LSL	R19, R17, R17
	VDUP	R17, V22.S4

block:
	LDPW	(R4), (R7, R8)
	LDPW	8(R4), (R9, R10)
	ADD	$16, R4, R4
	FMOVD	(R3)(R7<<3), F0
	FMOVD	(R3)(R8<<3), F1
	FMOVD	(R3)(R9<<3), F2
	FMOVD	(R3)(R10<<3), F3
	VZIP1	V1.S4, V0.S4, V0.S4
	VZIP1	V3.S4, V2.S4, V2.S4
	VZIP1	V2.D2, V0.D2, V4.D2
	VZIP2	V2.D2, V0.D2, V5.D2
	FMOVQ.P	F4, 16(R1)
	FMOVQ.P	F5, 16(R2)
	VCMEQ	V21.S4, V4.S4, V6.S4
	VSSHL4S(16, 4, 4)
	VSSHL4S(17, 5, 5)
	VAND	V18.B16, V4.B16, V4.B16
	VAND	V19.B16, V5.B16, V5.B16
	VSSHL4S(20, 5, 5)
	VORR	V5.B16, V4.B16, V4.B16
	VBIT	V6.B16, V22.B16, V4.B16
	FMOVQ.P	F4, 16(R0)
	SUBS	$4, R5, R5
	BGT	block
	RET
