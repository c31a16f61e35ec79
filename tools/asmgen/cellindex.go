package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const cellIndexSignature = "func(cell *uint32, x, y *int32, xy *int32, slots *uint32, n int, t *byte)"

func cellIndex() {
	cellIndexAVX2()
	cellIndexAVX512()
}

// cellLoop is what both tiers share: the pointers and the number of elements
// left, a multiple of the lanes.
type cellLoop struct {
	cell, x, y, xy, slots, n reg.GPVirtual
}

func newCellLoop() *cellLoop {
	return &cellLoop{param("cell"), param("x"), param("y"), param("xy"), param("slots"), param("n")}
}

func (k *cellLoop) advance(bytes int, lanes uint8) {
	for _, p := range []reg.GPVirtual{k.slots, k.x, k.y, k.cell} {
		ADDQ(Imm(uint64(bytes)), p)
	}
	SUBQ(U8(lanes), k.n)
	JNE(LabelRef("block"))
}

// trash emits the number of cells, the index of what is gone.
func trash(t reg.Register) reg.GPVirtual {
	n, w := GP64(), GP64()
	MOVL(at(t, torusRowMask), n.As32())
	INCL(n.As32())
	MOVL(at(t, torusLogW), w.As32())
	SHLXL(w.As32(), n.As32(), n.As32())
	return n
}

func cellIndexAVX512() {
	TEXT("gatherCellsAVX512", NOSPLIT, cellIndexSignature)
	Comment("AVX-512: reads positions by slot and computes their cells. n is a positive multiple of 16. Needs F, BMI2.")
	t, k := param("t"), newCellLoop()
	for i, offset := range []int{torusShiftX, torusShiftY, torusColMask, torusRowMask, torusLogW} {
		VPBROADCASTD(at(t, offset), []reg.VecPhysical{reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20}[i])
	}
	gone := GP32()
	MOVL(U32(1<<31), gone)
	VPBROADCASTD(gone, reg.Z21)
	VPBROADCASTD(trash(t).As32(), reg.Z22)
	VMOVDQU32(strided("even", 0), reg.Z23)
	VMOVDQU32(strided("odd", 1), reg.Z24)

	Label("block")
	all, isGone := K(), K()
	for i, z := range []reg.VecPhysical{reg.Z26, reg.Z27} {
		VMOVDQU32(at(k.slots, 32*i), reg.Y25)
		KXNORB(all, all, all)
		VPGATHERDQ(Mem{Base: k.xy, Index: reg.Y25, Scale: 8}, all, z)
	}
	VMOVDQA32(reg.Z26, reg.Z28)
	VPERMT2D(reg.Z27, reg.Z23, reg.Z28) // x
	VPERMT2D(reg.Z27, reg.Z24, reg.Z26) // y
	VMOVDQU32(reg.Z28, at(k.x, 0))
	VMOVDQU32(reg.Z26, at(k.y, 0))
	VPCMPEQD(reg.Z21, reg.Z28, isGone)
	VPSRAVD(reg.Z16, reg.Z28, reg.Z28)
	VPSRAVD(reg.Z17, reg.Z26, reg.Z26)
	VPANDD(reg.Z18, reg.Z28, reg.Z28)
	VPANDD(reg.Z19, reg.Z26, reg.Z26)
	VPSLLVD(reg.Z20, reg.Z26, reg.Z26)
	VPORD(reg.Z26, reg.Z28, reg.Z28)
	VMOVDQA32(reg.Z22, isGone, reg.Z28)
	VMOVDQU32(reg.Z28, at(k.cell, 0))
	k.advance(64, 16)
	RET()
}

func cellIndexAVX2() {
	TEXT("gatherCellsAVX2", NOSPLIT, cellIndexSignature)
	Comment("AVX2: reads positions by slot and computes their cells. n is a positive multiple of 8. Needs AVX2, BMI2.")
	t, k := param("t"), newCellLoop()
	for i, offset := range []int{torusShiftX, torusShiftY, torusColMask, torusRowMask, torusLogW} {
		VPBROADCASTD(at(t, offset), []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4}[i])
	}
	gone := GP32()
	MOVL(U32(1<<31), gone)
	VMOVD(gone, reg.X5)
	VPBROADCASTD(reg.X5, reg.Y5)
	VMOVD(trash(t).As32(), reg.X6)
	VPBROADCASTD(reg.X6, reg.Y6)

	Label("block")
	for i, y := range []reg.VecPhysical{reg.Y8, reg.Y9} {
		VMOVDQU(at(k.slots, 16*i), reg.X7)
		VPCMPEQD(reg.Y10, reg.Y10, reg.Y10)
		VPGATHERDQ(reg.Y10, Mem{Base: k.xy, Index: reg.X7, Scale: 8}, y)
	}
	// x0 y0 x1 y1 | x2 y2 x3 y3, x4 ... | ...: even and odd dwords, then the
	// quadwords in order.
	VSHUFPS(U8(0x88), reg.Y9, reg.Y8, reg.Y10)
	VSHUFPS(U8(0xDD), reg.Y9, reg.Y8, reg.Y11)
	VPERMQ(U8(0xD8), reg.Y10, reg.Y10)
	VPERMQ(U8(0xD8), reg.Y11, reg.Y11)
	VMOVDQU(reg.Y10, at(k.x, 0))
	VMOVDQU(reg.Y11, at(k.y, 0))
	VPCMPEQD(reg.Y5, reg.Y10, reg.Y12)
	VPSRAVD(reg.Y0, reg.Y10, reg.Y10)
	VPSRAVD(reg.Y1, reg.Y11, reg.Y11)
	VPAND(reg.Y2, reg.Y10, reg.Y10)
	VPAND(reg.Y3, reg.Y11, reg.Y11)
	VPSLLVD(reg.Y4, reg.Y11, reg.Y11)
	VPOR(reg.Y11, reg.Y10, reg.Y10)
	VPBLENDVB(reg.Y12, reg.Y6, reg.Y10, reg.Y10)
	VMOVDQU(reg.Y10, at(k.cell, 0))
	k.advance(32, 8)
	VZEROUPPER()
	RET()
}

// strided returns the constant vector first, first+2, first+4, ...
func strided(name string, first int) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(uint32(first+2*i)))
	}
	return m
}
