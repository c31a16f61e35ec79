//go:build !purego && !race

#include "go_asm.h"
#include "textflag.h"
#include "neon_arm64.h"

// The key builders take a positive multiple of 4 candidates. They return the first
// of the four candidates in which they found a bad one, or n. Registers:
//
//	R0	p *rankPiece
//	R1	n
//	R2	total *Costs
//	R3, R4	keys, costs: where the next are stored
//	R5-R7	priorities, distances, costs; R11, R12 classes and waits
//	R8	candidates done
//	R9	scratch
//	V0	indexes; V1 4 in every lane
//	V2	the largest priority; V3 the largest distance
//	V4	zero
//	V5	sums of the costs; V6 the smallest, V7 the largest
//	V16	costs
//	V17	bad lanes
//	V18	bits of the distances, later the lower halves of keys
//	V20	priorities, later the upper halves of keys
//	V19, V21-V23	scratch
//	V24-V27	weights
//	V28, V29	what turns a class into the bytes of its weight: 4 in every byte; 0, 1, 2, 3
//	V30	number of classes

#define RANK_BEGIN \
	MOVD	rankPiece_Keys(R0), R3 \
	MOVD	rankPiece_Costs(R0), R4 \
	MOVD	rankPiece_Priority(R0), R5 \
	MOVD	rankPiece_Dist2(R0), R6 \
	MOVD	rankPiece_Cost(R0), R7 \
	MOVWU	rankPiece_Base(R0), R9 \
	VDUP	R9, V0.S4 \
	VMOVQ	$0x0000000100000000, $0x0000000300000002, V1 \
	VADD	V1.S4, V0.S4, V0.S4 \
	MOVD	$4, R9 \
	VDUP	R9, V1.S4 \
	MOVD	$const_maxEffective, R9 \
	VDUP	R9, V2.S4 \
	MOVD	$const_infinity, R9 \
	VDUP	R9, V3.S4 \
	VEOR	V4.B16, V4.B16, V4.B16 \
	VEOR	V5.B16, V5.B16, V5.B16 \
	MOVWU	Costs_Least(R2), R9 \
	VDUP	R9, V6.S4 \
	MOVWU	Costs_Most(R2), R9 \
	VDUP	R9, V7.S4 \
	MOVD	$0, R8

// RANK_LOAD loads costs, distances and priorities. Minus zero becomes zero.
#define RANK_LOAD \
	VLD1.P	16(R7), [V16.S4] \
	VCMEQ	V4.S4, V16.S4, V17.S4 \
	VLD1.P	16(R6), [V18.S4] \
	VFADD4S(4, 18, 18) \
	VCMHI4S(3, 18, 19) \
	VORR	V19.B16, V17.B16, V17.B16 \
	VLD1.P	8(R5), [V20.H4] \
	VUXTL	V20.H4, V20.S4

// RANK_AGE adds to the priorities what the classes' weights make of the waits.
#define RANK_AGE \
	FMOVS	(R11), F21 \
	ADD	$4, R11, R11 \
	VUXTL	V21.B8, V21.H8 \
	VUXTL	V21.H4, V21.S4 \
	VCMHS4S(30, 21, 22) \
	VORR	V22.B16, V17.B16, V17.B16 \
	VMUL4S(28, 21, 21) \
	VADD	V29.S4, V21.S4, V21.S4 \
	VTBL	V21.B16, [V24.B16, V25.B16, V26.B16, V27.B16], V21.B16 \
	VLD1.P	16(R12), [V22.S4] \
	VUMIN	V2.S4, V22.S4, V22.S4 \
	VMUL4S(22, 21, 21) \
	VADD	V21.S4, V20.S4, V20.S4 \
	VUMIN	V2.S4, V20.S4, V20.S4

// RANK_STORE stores four keys and costs, or goes to done if a lane is bad.
#define RANK_STORE(done) \
	VADDV	V17.S4, V17 \
	VMOV	V17.S[0], R9 \
	CBNZ	R9, done \
	VEOR	V2.B16, V20.B16, V20.B16 \
	VSHL	$16, V20.S4, V20.S4 \
	VUSHR	$15, V18.S4, V19.S4 \
	VORR	V19.B16, V20.B16, V20.B16 \
	VSHL	$17, V18.S4, V18.S4 \
	VORR	V0.B16, V18.B16, V18.B16 \
	VZIP1	V20.S4, V18.S4, V22.S4 \
	VZIP2	V20.S4, V18.S4, V23.S4 \
	VST1.P	[V22.S4, V23.S4], 32(R3) \
	VST1.P	[V16.S4], 16(R4) \
	VUADALP(16, 5) \
	VUMIN	V16.S4, V6.S4, V6.S4 \
	VUMAX	V16.S4, V7.S4, V7.S4 \
	VADD	V1.S4, V0.S4, V0.S4 \
	ADD	$4, R8, R8

// RANK_END brings the totals up to date.
#define RANK_END \
	VMOV	V5.D[0], R9 \
	VMOV	V5.D[1], R10 \
	ADD	R9, R10, R10 \
	MOVD	Costs_Sum(R2), R9 \
	ADD	R9, R10, R10 \
	MOVD	R10, Costs_Sum(R2) \
	VEXT	$8, V6.B16, V6.B16, V19.B16 \
	VUMIN	V19.S4, V6.S4, V6.S4 \
	VEXT	$4, V6.B16, V6.B16, V19.B16 \
	VUMIN	V19.S4, V6.S4, V6.S4 \
	VMOV	V6.S[0], R9 \
	MOVW	R9, Costs_Least(R2) \
	VEXT	$8, V7.B16, V7.B16, V19.B16 \
	VUMAX	V19.S4, V7.S4, V7.S4 \
	VEXT	$4, V7.B16, V7.B16, V19.B16 \
	VUMAX	V19.S4, V7.S4, V7.S4 \
	VMOV	V7.S[0], R9 \
	MOVW	R9, Costs_Most(R2)

// func rankNEON(p *rankPiece, n int, total *Costs) (done int)
TEXT ·rankNEON(SB), NOSPLIT, $0-32
	MOVD	p+0(FP), R0
	MOVD	n+8(FP), R1
	MOVD	total+16(FP), R2
	RANK_BEGIN

block:
	RANK_LOAD
	RANK_STORE(end)
	CMP	R1, R8
	BLT	block

end:
	RANK_END
	MOVD	R8, done+24(FP)
	RET

// func rankAgedNEON(p *rankPiece, n int, total *Costs) (done int)
TEXT ·rankAgedNEON(SB), NOSPLIT, $0-32
	MOVD	p+0(FP), R0
	MOVD	n+8(FP), R1
	MOVD	total+16(FP), R2
	RANK_BEGIN
	MOVD	rankPiece_Class(R0), R11
	MOVD	rankPiece_Waited(R0), R12
	MOVD	rankPiece_Weight(R0), R9
	VLD1	(R9), [V24.B16, V25.B16, V26.B16, V27.B16]
	VMOVQ	$0x0404040404040404, $0x0404040404040404, V28
	VMOVQ	$0x0302010003020100, $0x0302010003020100, V29
	MOVWU	rankPiece_ClassCount(R0), R9
	VDUP	R9, V30.S4

block:
	RANK_LOAD
	RANK_AGE
	RANK_STORE(end)
	CMP	R1, R8
	BLT	block

end:
	RANK_END
	MOVD	R8, done+24(FP)
	RET
