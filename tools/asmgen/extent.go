package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func extent() {
	const signature = "func(e *byte, x, y *int32, n int)"
	TEXT("extendAVX2", NOSPLIT, signature)
	Comment("AVX2: extends a bounding box. n is a positive multiple of 8. Needs AVX2.")
	e, x, y, n, gone := param("e"), param("x"), param("y"), param("n"), GP32()
	MOVL(U32(1<<31), gone)
	VMOVD(gone, reg.X0)
	VPBROADCASTD(reg.X0, reg.Y0)
	low, high := []reg.VecPhysical{reg.Y1, reg.Y2}, []reg.VecPhysical{reg.Y3, reg.Y4}
	for i := range 2 {
		VPBROADCASTD(at(e, extentX0+4*i), low[i])
		VPBROADCASTD(at(e, extentX1+4*i), high[i])
	}
	Label("block")
	VMOVDQU(at(x, 0), reg.Y5)
	VMOVDQU(at(y, 0), reg.Y6)
	VPCMPEQD(reg.Y0, reg.Y5, reg.Y7)
	for i, v := range []reg.VecPhysical{reg.Y5, reg.Y6} {
		// Where it is gone, the box's own corner stands in.
		VPBLENDVB(reg.Y7, low[i], v, reg.Y8)
		VPMINSD(reg.Y8, low[i], low[i])
		VPBLENDVB(reg.Y7, high[i], v, reg.Y8)
		VPMAXSD(reg.Y8, high[i], high[i])
	}
	ADDQ(U8(32), x)
	ADDQ(U8(32), y)
	SUBQ(U8(8), n)
	JNE(LabelRef("block"))
	for i := range 2 {
		for _, side := range []struct {
			v      reg.VecPhysical
			offset int
			pick   func(ops ...Op)
		}{{low[i], extentX0 + 4*i, VPMINSD}, {high[i], extentX1 + 4*i, VPMAXSD}} {
			reduceAVX2(side.v, reg.Y8, side.pick)
			VMOVD(side.v.AsX(), at(e, side.offset))
		}
	}
	VZEROUPPER()
	RET()

	TEXT("extendAVX512", NOSPLIT, signature)
	Comment("AVX-512: extends a bounding box. n is a positive multiple of 16. Needs F, VL.")
	e, x, y, n, gone = param("e"), param("x"), param("y"), param("n"), GP32()
	MOVL(U32(1<<31), gone)
	VPBROADCASTD(gone, reg.Z16)
	low, high = []reg.VecPhysical{reg.Z17, reg.Z18}, []reg.VecPhysical{reg.Z19, reg.Z20}
	for i := range 2 {
		VPBROADCASTD(at(e, extentX0+4*i), low[i])
		VPBROADCASTD(at(e, extentX1+4*i), high[i])
	}
	Label("block")
	there := K()
	VMOVDQU32(at(x, 0), reg.Z21)
	VMOVDQU32(at(y, 0), reg.Z22)
	VPCMPD(U8(4), reg.Z16, reg.Z21, there)
	for i, v := range []reg.VecPhysical{reg.Z21, reg.Z22} {
		VPMINSD(v, low[i], there, low[i])
		VPMAXSD(v, high[i], there, high[i])
	}
	ADDQ(U8(64), x)
	ADDQ(U8(64), y)
	SUBQ(U8(16), n)
	JNE(LabelRef("block"))
	for i := range 2 {
		for _, side := range []struct {
			v      reg.VecPhysical
			offset int
			pick   func(ops ...Op)
		}{{low[i], extentX0 + 4*i, VPMINSD}, {high[i], extentX1 + 4*i, VPMAXSD}} {
			reduceAVX512(side.v, reg.Z23, side.pick)
			VMOVD(side.v.AsX(), at(e, side.offset))
		}
	}
	RET()
}

// reduceAVX512 emits v = the pick of v's 32-bit lanes, in the first lane. It loses
// other.
func reduceAVX512(v, other reg.VecPhysical, pick func(ops ...Op)) {
	VEXTRACTI64X4(U8(1), v, other.AsY())
	pick(other.AsY(), v.AsY(), v.AsY())
	VEXTRACTI32X4(U8(1), v.AsY(), other.AsX())
	halve(v.AsX(), other.AsX(), pick)
}

// reduceAVX2 is reduceAVX512 for AVX2.
func reduceAVX2(v, other reg.VecPhysical, pick func(ops ...Op)) {
	VEXTRACTI128(U8(1), v, other.AsX())
	halve(v.AsX(), other.AsX(), pick)
}

// halve emits v = the pick of v's and other's lanes, in the first lane.
func halve(v, other reg.Register, pick func(ops ...Op)) {
	pick(other, v, v)
	VPSHUFD(U8(0x4E), v, other)
	pick(other, v, v)
	VPSHUFD(U8(0xB1), v, other)
	pick(other, v, v)
}
