// What the NEON kernels share: the instructions that the Go assembler lacks, and
// the loop over the rows of a block. The field offsets (Cells_X, Disc_Outer, ...)
// come from go_asm.h, which the compiler writes from the structs themselves.

// Instructions by their encoding. Operands are register numbers, in the order of
// the Go assembler: the last one is the destination. Behind each stands what a
// disassembler must print for it; TestNEONWords compares.

#define VFADD4S(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d)) // fadd vd.4s, vn.4s, vm.4s
#define VFMUL4S(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d)) // fmul vd.4s, vn.4s, vm.4s
#define VFMUL2D(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d)) // fmul vd.2d, vn.2d, vm.2d
#define VSCVTF4S(n, d) WORD $(0x4E21D800 | (n)<<5 | (d)) // scvtf vd.4s, vn.4s
#define VFCVTNS4S(n, d) WORD $(0x4E21A800 | (n)<<5 | (d)) // fcvtns vd.4s, vn.4s
#define VFCVTNS2D(n, d) WORD $(0x4E61A800 | (n)<<5 | (d)) // fcvtns vd.2d, vn.2d
#define VABS4S(n, d) WORD $(0x4EA0B800 | (n)<<5 | (d)) // abs vd.4s, vn.4s

// Comparisons: all ones in the lanes of d where n is greater than (or equal to)
// m; FACGT compares absolute values, CMHI and CMHS are unsigned.
#define VFCMGE4S(m, n, d) WORD $(0x6E20E400 | (m)<<16 | (n)<<5 | (d)) // fcmge vd.4s, vn.4s, vm.4s
#define VFCMGT4S(m, n, d) WORD $(0x6EA0E400 | (m)<<16 | (n)<<5 | (d)) // fcmgt vd.4s, vn.4s, vm.4s
#define VFACGT4S(m, n, d) WORD $(0x6EA0EC00 | (m)<<16 | (n)<<5 | (d)) // facgt vd.4s, vn.4s, vm.4s
#define VFACGT2D(m, n, d) WORD $(0x6EE0EC00 | (m)<<16 | (n)<<5 | (d)) // facgt vd.2d, vn.2d, vm.2d
#define VCMGT4S(m, n, d) WORD $(0x4EA03400 | (m)<<16 | (n)<<5 | (d)) // cmgt vd.4s, vn.4s, vm.4s
#define VCMGE2D(m, n, d) WORD $(0x4EE03C00 | (m)<<16 | (n)<<5 | (d)) // cmge vd.2d, vn.2d, vm.2d
#define VCMHI4S(m, n, d) WORD $(0x6EA03400 | (m)<<16 | (n)<<5 | (d)) // cmhi vd.4s, vn.4s, vm.4s
#define VCMHS2D(m, n, d) WORD $(0x6EE03C00 | (m)<<16 | (n)<<5 | (d)) // cmhs vd.2d, vn.2d, vm.2d
#define VCMHS4S(m, n, d) WORD $(0x6EA03C00 | (m)<<16 | (n)<<5 | (d)) // cmhs vd.4s, vn.4s, vm.4s

// Products of int32 lanes in int64: of the lower two lanes, of the upper two;
// the SMLAL forms add to d.
#define VSMULL(m, n, d) WORD $(0x0EA0C000 | (m)<<16 | (n)<<5 | (d)) // smull vd.2d, vn.2s, vm.2s
#define VSMULL2(m, n, d) WORD $(0x4EA0C000 | (m)<<16 | (n)<<5 | (d)) // smull2 vd.2d, vn.4s, vm.4s
#define VSMLAL(m, n, d) WORD $(0x0EA08000 | (m)<<16 | (n)<<5 | (d)) // smlal vd.2d, vn.2s, vm.2s
#define VSMLAL2(m, n, d) WORD $(0x4EA08000 | (m)<<16 | (n)<<5 | (d)) // smlal2 vd.2d, vn.4s, vm.4s

// MUL multiplies int32 lanes, UADALP adds neighbouring uint32 lanes to the uint64
// lanes of d.
#define VMUL4S(m, n, d) WORD $(0x4EA09C00 | (m)<<16 | (n)<<5 | (d)) // mul vd.4s, vn.4s, vm.4s
#define VUADALP(n, d) WORD $(0x6EA06800 | (n)<<5 | (d)) // uadalp vd.2d, vn.4s

// BIC is n &^ m. SSHL shifts n left by m, or arithmetically right by -m.
#define VBIC(m, n, d) WORD $(0x4E601C00 | (m)<<16 | (n)<<5 | (d)) // bic vd.16b, vn.16b, vm.16b
#define VSSHL4S(m, n, d) WORD $(0x4EA04400 | (m)<<16 | (n)<<5 | (d)) // sshl vd.4s, vn.4s, vm.4s

// LDRQ loads a vector from general register n plus byte offset in m.
#define LDRQ(m, n, d) WORD $(0x3CE06800 | (m)<<16 | (n)<<5 | (d)) // ldr qd, [xn, xm]

// SPREAD loads 4 bytes at offset disp from p into every lane of v; f is v's name
// as a scalar.
#define SPREAD(p, disp, f, v) \
	FMOVS	(disp)(p), f \
	VDUP	v.S[0], v.S4

// The row loop. A kernel over a block of cells loads room, c and b, and keeps:
//
//	R2	room, the candidates that the call may test
//	R3	c *Cells
//	R4	b *Block
//	R6	address of Start[b.Col]
//	R7	4 * (b.ColEnd - b.Col)
//	R8	offset of the row in Start; R9 from row to row, R10 its wrap-around mask
//	R11	rows left
//	R12	candidates seen
//	R13	offset of the current vector in a column, in bytes
//	R14	elements of the span that are left
//	R26	scratch
//	V7	elements left, in every lane; V8 0, 1, 2, 3; V9 4 in every lane

#define ROWS_BEGIN \
	MOVWU	Cells_LogW(R3), R26 \
	MOVWU	Block_Row(R4), R8 \
	LSL	R26, R8, R8 \
	MOVD	$1, R9 \
	LSL	R26, R9, R9 \
	MOVWU	Cells_RowMask(R3), R10 \
	ADD	$1, R10, R10 \
	LSL	R26, R10, R10 \
	SUB	$1, R10, R10 \
	MOVD	Cells_Start(R3), R6 \
	MOVWU	Block_Col(R4), R26 \
	ADD	R26<<2, R6, R6 \
	MOVWU	Block_ColEnd(R4), R7 \
	SUB	R26, R7, R7 \
	LSL	$2, R7, R7 \
	MOVWU	Block_Rows(R4), R11 \
	MOVD	$0, R12 \
	VMOVQ	$0x0000000100000000, $0x0000000300000002, V8 \
	VMOVQ	$0x0000000400000004, $0x0000000400000004, V9

// ROWS_NEXT takes the next row that is not empty. It goes to done if there is
// none, or if the row's candidates exceed the room. row is the label before it.
#define ROWS_NEXT(row, done) \
	CBZ	R11, done \
	ADD	R8<<2, R6, R26 \
	MOVWU	(R26), R13 \
	ADD	R7, R26, R26 \
	MOVWU	(R26), R14 \
	SUB	R13, R14, R14 \
	ADD	R14, R12, R26 \
	CMP	R2, R26 \
	BGT	done \
	MOVD	R26, R12 \
	SUB	$1, R11, R11 \
	ADD	R9, R8, R8 \
	AND	R10, R8, R8 \
	CBZ	R14, row \
	VDUP	R14, V7.S4 \
	LSL	$2, R13, R13

// ROWS_VALID sets the lanes of V18 that the span still fills.
#define ROWS_VALID VCMGT4S(8, 7, 18)

// ROWS_ADVANCE goes on to the next vector of the span, or to the next row.
#define ROWS_ADVANCE(block, row) \
	ADD	$16, R13, R13 \
	VSUB	V9.S4, V7.S4, V7.S4 \
	SUBS	$4, R14, R14 \
	BGT	block \
	B	row

// ROWS_INDEXES sets V6 to the indexes of the first vector of a span. It follows
// ROWS_NEXT; the kernel adds V9 to V6 with each vector.
#define ROWS_INDEXES \
	LSR	$2, R13, R26 \
	VDUP	R26, V6.S4 \
	VADD	V8.S4, V6.S4, V6.S4

// ROWS_END stores what the block is now: the rows not taken, the candidates seen.
#define ROWS_END \
	MOVWU	Cells_LogW(R3), R26 \
	LSR	R26, R8, R8 \
	MOVW	R8, Block_Row(R4) \
	MOVW	R11, Block_Rows(R4) \
	MOVWU	Block_Seen(R4), R26 \
	ADD	R12, R26, R26 \
	MOVW	R26, Block_Seen(R4)

// A set of lanes becomes one number by ANDing with weights and adding up: bits 0
// to 2 are how many they are, bits 4 to 7 which ones, and so 16 times their row
// of neonCompress. SUM_OFFSET and SUM_COUNT take it apart.
#define WEIGHTS(v) VMOVQ $0x0000002100000011, $0x0000008100000041, v

#define SUM_OFFSET(sum, offset) AND $0xF0, sum, offset

// SUM_COUNT multiplies the count by 1<<shift.
#define SUM_COUNT(shift, sum, count) UBFIZ $shift, sum, $3, count
