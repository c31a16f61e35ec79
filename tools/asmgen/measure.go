package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func measure() {
	const signature = "func(dist2 *float32, slots *uint32, n int, xy *int32, count uint32, x, y int32)"
	measureAVX2(signature)
	measureAVX512(signature)
	const grade = "func(grade *uint8, undecided *byte, dist2 *float32, n int, limits *byte)"
	gradeAVX2(grade)
	gradeAVX512(grade)
}

// scalar loads a 32-bit parameter.
func scalar(name string) reg.GPVirtual {
	r := GP32()
	Load(Param(name), r)
	return r
}

func measureAVX512(signature string) {
	TEXT("measureAVX512", NOSPLIT, signature)
	Comment("AVX-512: squared distances of positions by slot. n is a positive multiple of 16, count is not 0. Needs F.")
	dst, slots, n, xy := param("dist2"), param("slots"), param("n"), param("xy")
	VPBROADCASTD(scalar("count"), reg.Z16)
	VPBROADCASTD(scalar("x"), reg.Z17)
	VPBROADCASTD(scalar("y"), reg.Z18)
	VMOVDQU32(strided("even", 0), reg.Z19)
	VMOVDQU32(strided("odd", 1), reg.Z20)
	Label("block")
	known, low, high := K(), K(), K()
	VMOVDQU32(at(slots, 0), reg.Z21)
	VPCMPUD(U8(1), reg.Z16, reg.Z21, known)
	VEXTRACTI64X4(U8(1), reg.Z21, reg.Y22)
	KMOVW(known, low)
	KSHIFTRW(U8(8), known, high)
	VPXORD(reg.Z23, reg.Z23, reg.Z23)
	VPXORD(reg.Z24, reg.Z24, reg.Z24)
	VPGATHERDQ(Mem{Base: xy, Index: reg.Y21, Scale: 8}, low, reg.Z23)
	VPGATHERDQ(Mem{Base: xy, Index: reg.Y22, Scale: 8}, high, reg.Z24)
	VMOVDQA32(reg.Z23, reg.Z25)
	VPERMT2D(reg.Z24, reg.Z19, reg.Z25) // x
	VPERMT2D(reg.Z24, reg.Z20, reg.Z23) // y
	VPSUBD(reg.Z17, reg.Z25, reg.Z25)
	VPSUBD(reg.Z18, reg.Z23, reg.Z23)
	VCVTDQ2PS(reg.Z25, reg.Z25)
	VCVTDQ2PS(reg.Z23, reg.Z23)
	VMULPS(reg.Z25, reg.Z25, reg.Z25)
	VMULPS(reg.Z23, reg.Z23, reg.Z23)
	VADDPS_Z(reg.Z23, reg.Z25, known, reg.Z25)
	VMOVUPS(reg.Z25, at(dst, 0))
	ADDQ(U8(64), slots)
	ADDQ(U8(64), dst)
	SUBQ(U8(16), n)
	JNE(LabelRef("block"))
	RET()
}

func measureAVX2(signature string) {
	TEXT("measureAVX2", NOSPLIT, signature)
	Comment("AVX2: squared distances of positions by slot. n is a positive multiple of 8, count is not 0. Needs AVX2.")
	dst, slots, n, xy := param("dist2"), param("slots"), param("n"), param("xy")
	last := scalar("count")
	DECL(last)
	for i, r := range []reg.GPVirtual{last, scalar("x"), scalar("y")} {
		x := []reg.VecPhysical{reg.X0, reg.X1, reg.X2}[i]
		VMOVD(r, x)
		VPBROADCASTD(x, []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2}[i])
	}
	Label("block")
	VMOVDQU(at(slots, 0), reg.Y3)
	VPMINUD(reg.Y0, reg.Y3, reg.Y4)
	VPCMPEQD(reg.Y3, reg.Y4, reg.Y4) // slot <= last
	VEXTRACTI128(U8(1), reg.Y3, reg.X5)
	VEXTRACTI128(U8(1), reg.Y4, reg.X6)
	VPMOVSXDQ(reg.X4, reg.Y7)
	VPMOVSXDQ(reg.X6, reg.Y8)
	VPXOR(reg.Y9, reg.Y9, reg.Y9)
	VPXOR(reg.Y10, reg.Y10, reg.Y10)
	VPGATHERDQ(reg.Y7, Mem{Base: xy, Index: reg.X3, Scale: 8}, reg.Y9)
	VPGATHERDQ(reg.Y8, Mem{Base: xy, Index: reg.X5, Scale: 8}, reg.Y10)
	VSHUFPS(U8(0x88), reg.Y10, reg.Y9, reg.Y11)
	VSHUFPS(U8(0xDD), reg.Y10, reg.Y9, reg.Y12)
	VPERMQ(U8(0xD8), reg.Y11, reg.Y11) // x
	VPERMQ(U8(0xD8), reg.Y12, reg.Y12) // y
	VPSUBD(reg.Y1, reg.Y11, reg.Y11)
	VPSUBD(reg.Y2, reg.Y12, reg.Y12)
	VCVTDQ2PS(reg.Y11, reg.Y11)
	VCVTDQ2PS(reg.Y12, reg.Y12)
	VMULPS(reg.Y11, reg.Y11, reg.Y11)
	VMULPS(reg.Y12, reg.Y12, reg.Y12)
	VADDPS(reg.Y12, reg.Y11, reg.Y11)
	VANDPS(reg.Y4, reg.Y11, reg.Y11)
	VMOVUPS(reg.Y11, at(dst, 0))
	ADDQ(U8(32), slots)
	ADDQ(U8(32), dst)
	SUBQ(U8(8), n)
	JNE(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// gradeBounds are where the bounds are in Grades: within which one is surely of
// grade 0 or lower, and 1, and beyond which surely not; for others, and for those
// who had the grade.
var gradeBounds = []int{
	gradesBetter, gradesBetter + limitHi, gradesBetter + limitSize, gradesBetter + limitSize + limitHi,
	gradesWorse, gradesWorse + limitHi, gradesWorse + limitSize, gradesWorse + limitSize + limitHi,
}

const limitSize = 16

func gradeAVX512(signature string) {
	TEXT("gradeAVX512", NOSPLIT, signature)
	Comment("AVX-512: grades of distances, with hysteresis; a bit for each that is undecided. n is a positive multiple of 16. Needs F.")
	grade, undecided, dist, n, g := param("grade"), param("undecided"), param("dist2"), param("n"), param("limits")
	bounds := []reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7}
	for i, z := range bounds {
		VBROADCASTSS(at(g, gradeBounds[i]), z)
	}
	spread(1, reg.Z8)
	VPADDD(reg.Z8, reg.Z8, reg.Z9) // 2
	Label("block")
	had0, had1 := K(), K()
	VPMOVZXBD(at(grade, 0), reg.Z10)
	VMOVUPS(at(dist, 0), reg.Z11)
	VPCMPUD(U8(1), reg.Z8, reg.Z10, had0) // < 1
	VPCMPUD(U8(2), reg.Z8, reg.Z10, had1) // <= 1
	for i := range 4 {
		k := had0
		if i >= 2 {
			k = had1
		}
		VBLENDMPS(bounds[4+i], bounds[i], k, []reg.VecPhysical{reg.Z12, reg.Z13, reg.Z14, reg.Z15}[i])
	}
	in0, out0, in1, out1, open := K(), K(), K(), K(), K()
	VCMPPS(U8(2), reg.Z12, reg.Z11, in0)   // <= Lo
	VCMPPS(U8(14), reg.Z13, reg.Z11, out0) // > Hi
	VCMPPS(U8(2), reg.Z14, reg.Z11, in1)
	VCMPPS(U8(14), reg.Z15, reg.Z11, out1)
	// Decided: within 0; or beyond it, and within or beyond 1.
	KORW(in1, out1, open)
	KANDW(out0, open, open)
	KORW(in0, open, open)
	KNOTW(open, open)
	bits := GP32()
	KMOVW(open, bits)
	MOVW(bits.As16(), at(undecided, 0))
	// 2, less 1 where within 1, 0 where within 0.
	VMOVDQA32(reg.Z9, reg.Z16)
	VMOVDQA32(reg.Z8, in1, reg.Z16)
	VPXORD(reg.Z17, reg.Z17, reg.Z17)
	VMOVDQA32(reg.Z17, in0, reg.Z16)
	VMOVDQA32(reg.Z10, open, reg.Z16)
	VPMOVDB(reg.Z16, at(grade, 0))
	ADDQ(U8(16), grade)
	ADDQ(U8(2), undecided)
	ADDQ(U8(64), dist)
	SUBQ(U8(16), n)
	JNE(LabelRef("block"))
	RET()
}

func gradeAVX2(signature string) {
	TEXT("gradeAVX2", NOSPLIT, signature)
	Comment("AVX2: grades of distances, with hysteresis; a bit for each that is undecided. n is a positive multiple of 8. Needs AVX2.")
	grade, undecided, dist, n, g := param("grade"), param("undecided"), param("dist2"), param("n"), param("limits")
	spreadY(1, reg.Y14)
	VPADDD(reg.Y14, reg.Y14, reg.Y15) // 2
	Label("block")
	VPMOVZXBD(at(grade, 0), reg.Y0)
	VMOVUPS(at(dist, 0), reg.Y1)
	VPXOR(reg.Y2, reg.Y2, reg.Y2)
	VPCMPEQD(reg.Y0, reg.Y2, reg.Y2)  // had 0
	VPCMPGTD(reg.Y0, reg.Y15, reg.Y3) // had at most 1
	for i, y := range []reg.VecPhysical{reg.Y4, reg.Y5, reg.Y6, reg.Y7} {
		had := reg.Y2
		if i >= 2 {
			had = reg.Y3
		}
		VBROADCASTSS(at(g, gradeBounds[i]), reg.Y8)
		VBROADCASTSS(at(g, gradeBounds[4+i]), reg.Y9)
		VBLENDVPS(had, reg.Y9, reg.Y8, y)
	}
	VCMPPS(U8(2), reg.Y4, reg.Y1, reg.Y4)  // within 0
	VCMPPS(U8(14), reg.Y5, reg.Y1, reg.Y5) // beyond
	VCMPPS(U8(2), reg.Y6, reg.Y1, reg.Y6)  // within 1
	VCMPPS(U8(14), reg.Y7, reg.Y1, reg.Y7) // beyond
	// Decided: within 0; or beyond it, and within or beyond 1.
	VPOR(reg.Y6, reg.Y7, reg.Y8)
	VPAND(reg.Y5, reg.Y8, reg.Y8)
	VPOR(reg.Y4, reg.Y8, reg.Y8)
	bits := GP32()
	VMOVMSKPS(reg.Y8, bits)
	NOTL(bits)
	MOVB(bits.As8(), at(undecided, 0))
	VPADDD(reg.Y6, reg.Y15, reg.Y9) // 2, less 1 where within 1
	VPANDN(reg.Y9, reg.Y4, reg.Y9)  // 0 where within 0
	VPBLENDVB(reg.Y8, reg.Y9, reg.Y0, reg.Y9)
	VEXTRACTI128(U8(1), reg.Y9, reg.X10)
	VPACKUSDW(reg.X10, reg.X9, reg.X9)
	VPACKUSWB(reg.X9, reg.X9, reg.X9)
	VMOVQ(reg.X9, at(grade, 0))
	ADDQ(U8(8), grade)
	INCQ(undecided)
	ADDQ(U8(32), dist)
	SUBQ(U8(8), n)
	JNE(LabelRef("block"))
	VZEROUPPER()
	RET()
}
