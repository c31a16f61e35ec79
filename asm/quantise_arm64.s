//go:build !purego && !race

#include "textflag.h"
#include "neon_arm64.h"

// Both kernels take a positive multiple of 16 elements and read and store nothing
// past it. Registers:
//
//	R0-R2	dst, bad, src
//	R3	elements left
//	R17	scratch
//	V16	scale
//	V17	the bound: products below it in absolute value round to legal coordinates
//	V20-V23	bits 0 to 3, 4 to 7, 8 to 11, 12 to 15, one in each lane
//	V26	bits of the bad elements
//
// FCVTNS rounds to nearest, ties to even. FACGT is false for NaN.

#define BITS \
	VMOVQ	$0x0000000200000001, $0x0000000800000004, V20 \
	VSHL	$4, V20.S4, V21.S4 \
	VSHL	$8, V20.S4, V22.S4 \
	VSHL	$12, V20.S4, V23.S4

// STORE_BAD stores the bits of V26, disjoint in its lanes.
#define STORE_BAD \
	VADDV	V26.S4, V26 \
	VMOV	V26.S[0], R17 \
	MOVH.P	R17, 2(R1)

// QUANTISE32 rounds the four elements in register number d, whose bits are in
// register number bit.
#define QUANTISE32(d, bit) \
	VFMUL4S(16, d, d) \
	VFACGT4S(d, 17, 24) \
	VFCVTNS4S(d, d) \
	VBIC(24, bit, 24) \
	VORR	V24.B16, V26.B16, V26.B16

// QUANTISE64 rounds the four elements in register numbers a and b, into a. The
// integers are int64; whatever is in range has all its bits in the lower half.
#define QUANTISE64(a, va, b, vb, bit) \
	VFMUL2D(16, a, a) \
	VFMUL2D(16, b, b) \
	VFACGT2D(a, 17, 24) \
	VFACGT2D(b, 17, 25) \
	VFCVTNS2D(a, a) \
	VFCVTNS2D(b, b) \
	VUZP1	vb.S4, va.S4, va.S4 \
	VUZP1	V25.S4, V24.S4, V24.S4 \
	VBIC(24, bit, 24) \
	VORR	V24.B16, V26.B16, V26.B16

// func quantise64NEON(dst *int32, bad *uint64, src *float64, n int, scale float64)
TEXT ·quantise64NEON(SB), NOSPLIT, $0-40
	MOVD	dst+0(FP), R0
	MOVD	bad+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	FMOVD	scale+32(FP), F16
	VDUP	V16.D[0], V16.D2
	FMOVD	$1073741823.5, F17 // 2^30 - 1/2, a tie, would round up
	VDUP	V17.D[0], V17.D2
	BITS

block:
	VLD1.P	64(R2), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P	64(R2), [V4.D2, V5.D2, V6.D2, V7.D2]
	VEOR	V26.B16, V26.B16, V26.B16
	QUANTISE64(0, V0, 1, V1, 20)
	QUANTISE64(2, V2, 3, V3, 21)
	QUANTISE64(4, V4, 5, V5, 22)
	QUANTISE64(6, V6, 7, V7, 23)
	FMOVQ.P	F0, 16(R0)
	FMOVQ.P	F2, 16(R0)
	FMOVQ.P	F4, 16(R0)
	FMOVQ.P	F6, 16(R0)
	STORE_BAD
	SUBS	$16, R3, R3
	BGT	block
	RET

// func quantise32NEON(dst *int32, bad *uint64, src *float32, n int, scale float32)
TEXT ·quantise32NEON(SB), NOSPLIT, $0-36
	MOVD	dst+0(FP), R0
	MOVD	bad+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	FMOVS	scale+32(FP), F16
	VDUP	V16.S[0], V16.S4
	FMOVS	$1073741824.0, F17 // 2^30, the first float32 beyond
	VDUP	V17.S[0], V17.S4
	BITS

block:
	VLD1.P	64(R2), [V0.S4, V1.S4, V2.S4, V3.S4]
	VEOR	V26.B16, V26.B16, V26.B16
	QUANTISE32(0, 20)
	QUANTISE32(1, 21)
	QUANTISE32(2, 22)
	QUANTISE32(3, 23)
	VST1.P	[V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	STORE_BAD
	SUBS	$16, R3, R3
	BGT	block
	RET
