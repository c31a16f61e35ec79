package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maxEffective is the largest priority, infinity the bits of the largest distance.
const (
	maxEffective = 0xFFFF
	infinity     = 0x7F800000
)

// rankLoop is what the key builders of both tiers share: element i is next.
//
// A key's upper half is the inverted priority and the upper bits of the distance,
// its lower half the others and the index; both are made in 32-bit lanes.
type rankLoop struct {
	aged                  bool
	p                     reg.GPVirtual
	keys, costs           reg.GPVirtual
	priority, dist2, cost reg.GPVirtual
	class, waited         reg.GPVirtual
	i, total              reg.GPVirtual
}

func newRankLoop(aged bool) *rankLoop {
	p := param("p")
	k := &rankLoop{
		aged: aged, p: p, keys: column(p, pieceKeys), costs: column(p, pieceCosts),
		priority: column(p, piecePriority), dist2: column(p, pieceDist2), cost: column(p, pieceCost),
		i: GP64(), total: param("total"),
	}
	if aged {
		k.class, k.waited = column(p, pieceClass), column(p, pieceWaited)
	}
	XORQ(k.i, k.i)
	return k
}

// elem addresses element i of a column whose elements have that many bytes.
func (k *rankLoop) elem(base reg.Register, bytes uint8) Mem {
	return Mem{Base: base, Index: k.i, Scale: bytes}
}

// finish emits the update of the totals by the first lanes of the sum, the smallest
// and the largest cost; and both returns.
func (k *rankLoop) finish(sum, least, most reg.VecPhysical, bad reg.GPVirtual, zeroUpper bool) {
	t := GP64()
	VMOVQ(sum.AsX(), t)
	ADDQ(t, at(k.total, costsSum))
	VMOVD(least.AsX(), at(k.total, costsLeast))
	VMOVD(most.AsX(), at(k.total, costsMost))
	if zeroUpper {
		VZEROUPPER()
	}
	none := GP64()
	MOVQ(I32(-1), none)
	Store(none, ReturnIndex(0))
	RET()
	Label("bad")
	if zeroUpper {
		VZEROUPPER()
	}
	TZCNTL(bad.As32(), bad.As32())
	ADDQ(k.i, bad)
	Store(bad, ReturnIndex(0))
	RET()
}

func rankAVX512() {
	first, second := interleave("interleaveFirst", 0), interleave("interleaveSecond", 8)
	for _, aged := range []bool{false, true} {
		if aged {
			TEXT("rankAgedAVX512", NOSPLIT, "func(p *byte, total *byte) (bad int)")
		} else {
			TEXT("rankAVX512", NOSPLIT, "func(p *byte, total *byte) (bad int)")
		}
		Comment("AVX-512: makes keys of columns, and checks them. Reads nothing past the end, stores up to one vector. Needs F, BW, DQ, VL, BMI1, BMI2.")
		k := newRankLoop(aged)
		n := GP64()
		MOVQ(at(k.p, pieceKeys+8), n)
		spread(maxEffective, reg.Z16)
		spread(infinity, reg.Z17)
		VPBROADCASTD(at(k.p, pieceBase), reg.Z18)
		VPADDD(sequence("iota", 0, -1), reg.Z18, reg.Z18)
		VPXORD(reg.Z20, reg.Z20, reg.Z20) // 0, as an integer and as a float
		VPXORD(reg.Z21, reg.Z21, reg.Z21) // the sum
		VPBROADCASTD(at(k.total, costsLeast), reg.Z22)
		VPBROADCASTD(at(k.total, costsMost), reg.Z19)
		VMOVDQU32(first, reg.Z23)
		VMOVDQU32(second, reg.Z24)
		if aged {
			weight := column(k.p, pieceWeight)
			VMOVDQU32(at(weight, 0), reg.Z29)
			VPBROADCASTD(at(k.p, pieceClassCount), reg.Z30)
		}
		Label("block")
		valid, noCost, noDist, noClass := K(), K(), K(), K()
		KMOVW(lanesLeft(n, 16).As32(), valid)
		VMOVDQU32_Z(k.elem(k.cost, 4), valid, reg.Z25)
		VPTESTNMD(reg.Z25, reg.Z25, valid, noCost)
		VMOVUPS_Z(k.elem(k.dist2, 4), valid, reg.Z26)
		VADDPS(reg.Z20, reg.Z26, reg.Z26) // minus zero becomes zero
		VPCMPUD(U8(6), reg.Z17, reg.Z26, valid, noDist)
		KORW(noCost, noDist, noDist)
		VPMOVZXWD_Z(k.elem(k.priority, 2), valid, reg.Z27)
		if aged {
			VPMOVZXBD_Z(k.elem(k.class, 1), valid, reg.Z28)
			VPCMPUD(U8(5), reg.Z30, reg.Z28, valid, noClass)
			KORW(noClass, noDist, noDist)
			VPERMD(reg.Z29, reg.Z28, reg.Z28)
			VMOVDQU32_Z(k.elem(k.waited, 4), valid, reg.Z31)
			VPMINUD(reg.Z16, reg.Z31, reg.Z31)
			VPMULLD(reg.Z31, reg.Z28, reg.Z28)
			VPADDD(reg.Z28, reg.Z27, reg.Z27)
			VPMINUD(reg.Z16, reg.Z27, reg.Z27)
		}
		bad := GP64()
		KMOVW(noDist, bad.As32())
		TESTL(bad.As32(), bad.As32())
		JNE(LabelRef("bad"))
		VPXORD(reg.Z16, reg.Z27, reg.Z27)
		VPSLLD(U8(16), reg.Z27, reg.Z27)
		VPSRLD(U8(15), reg.Z26, reg.Z28)
		VPORD(reg.Z28, reg.Z27, reg.Z27)
		VPSLLD(U8(17), reg.Z26, reg.Z26)
		VPORD(reg.Z18, reg.Z26, reg.Z26)
		VMOVDQA32(reg.Z26, reg.Z28)
		VPERMT2D(reg.Z27, reg.Z23, reg.Z26)
		VPERMT2D(reg.Z27, reg.Z24, reg.Z28)
		VMOVDQU64(reg.Z26, k.elem(k.keys, 8))
		VMOVDQU64(reg.Z28, Mem{Base: k.keys, Index: k.i, Scale: 8, Disp: 64})
		VMOVDQU32(reg.Z25, k.elem(k.costs, 4))
		VPMINUD(reg.Z25, reg.Z22, valid, reg.Z22)
		VPMAXUD(reg.Z25, reg.Z19, reg.Z19)
		VPMOVZXDQ(reg.Y25, reg.Z26)
		VPADDQ(reg.Z26, reg.Z21, reg.Z21)
		VEXTRACTI64X4(U8(1), reg.Z25, reg.Y25)
		VPMOVZXDQ(reg.Y25, reg.Z25)
		VPADDQ(reg.Z25, reg.Z21, reg.Z21)
		VPADDD(lanes("sixteen", 16), reg.Z18, reg.Z18)
		ADDQ(U8(16), k.i)
		SUBQ(U8(16), n)
		JGT(LabelRef("block"))

		sumAVX512(reg.Z21, reg.Z25)
		reduceAVX512(reg.Z22, reg.Z25, VPMINUD)
		reduceAVX512(reg.Z19, reg.Z25, VPMAXUD)
		k.finish(reg.X21, reg.X22, reg.X19, bad, false)
	}
}

// interleave returns the lanes that make 8 keys of lower halves (lanes 0 to 15) and
// upper ones (16 to 31), from the given one on.
func interleave(name string, from int) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U32(uint32(from+i)))
		DATA(8*i+4, U32(uint32(16+from+i)))
	}
	return m
}

// lanes returns a number in 16 lanes.
func lanes(name string, v uint32) Mem {
	if m, ok := sequences[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(v))
	}
	sequences[name] = m
	return m
}

// spread emits the load of a number into all lanes.
func spread(v uint32, to reg.VecPhysical) {
	r := GP32()
	MOVL(U32(v), r)
	VPBROADCASTD(r, to)
}

// spreadY is spread for AVX2.
func spreadY(v uint32, to reg.VecPhysical) {
	r := GP32()
	MOVL(U32(v), r)
	VMOVD(r, to.AsX())
	VPBROADCASTD(to.AsX(), to)
}

func rankAVX2() {
	for _, aged := range []bool{false, true} {
		if aged {
			TEXT("rankAgedAVX2", NOSPLIT, "func(p *byte, n int, total *byte) (bad int)")
		} else {
			TEXT("rankAVX2", NOSPLIT, "func(p *byte, n int, total *byte) (bad int)")
		}
		Comment("AVX2: makes keys of columns, and checks them. n is a positive multiple of 8. Needs AVX2, BMI1.")
		k := newRankLoop(aged)
		n := param("n")
		spreadY(maxEffective, reg.Y0)
		spreadY(infinity, reg.Y1)
		VPBROADCASTD(at(k.p, pieceBase), reg.Y2)
		VPADDD(sequence("iota", 0, -1), reg.Y2, reg.Y2)
		VPXOR(reg.Y4, reg.Y4, reg.Y4) // 0, as an integer and as a float
		VPXOR(reg.Y5, reg.Y5, reg.Y5) // the sum
		VPBROADCASTD(at(k.total, costsLeast), reg.Y6)
		VPBROADCASTD(at(k.total, costsMost), reg.Y3)
		if aged {
			weight := column(k.p, pieceWeight)
			VMOVDQU(at(weight, 0), reg.Y7)
			VMOVDQU(at(weight, 32), reg.Y8)
			VPBROADCASTD(at(k.p, pieceClassCount), reg.Y9)
		}
		Label("block")
		VMOVDQU(k.elem(k.cost, 4), reg.Y10)
		VPCMPEQD(reg.Y4, reg.Y10, reg.Y11) // bad lanes have their sign bit set
		VADDPS(k.elem(k.dist2, 4), reg.Y4, reg.Y12)
		VPCMPGTD(reg.Y1, reg.Y12, reg.Y13)
		VPOR(reg.Y13, reg.Y11, reg.Y11)
		VPOR(reg.Y12, reg.Y11, reg.Y11)
		if aged {
			VPMOVZXBD(k.elem(k.class, 1), reg.Y13)
			VPCMPGTD(reg.Y13, reg.Y9, reg.Y14) // a valid class
			VPCMPEQD(reg.Y4, reg.Y14, reg.Y14)
			VPOR(reg.Y14, reg.Y11, reg.Y11)
			VPERMD(reg.Y7, reg.Y13, reg.Y14)
			VPERMD(reg.Y8, reg.Y13, reg.Y15)
			VPSLLD(U8(28), reg.Y13, reg.Y13)
			VBLENDVPS(reg.Y13, reg.Y15, reg.Y14, reg.Y14)
			VPMINUD(k.elem(k.waited, 4), reg.Y0, reg.Y15)
			VPMULLD(reg.Y15, reg.Y14, reg.Y14)
			VPMOVZXWD(k.elem(k.priority, 2), reg.Y13)
			VPADDD(reg.Y14, reg.Y13, reg.Y13)
			VPMINUD(reg.Y0, reg.Y13, reg.Y13)
		} else {
			VPMOVZXWD(k.elem(k.priority, 2), reg.Y13)
		}
		bad := GP64()
		VMOVMSKPS(reg.Y11, bad.As32())
		TESTL(bad.As32(), bad.As32())
		JNE(LabelRef("bad"))
		VPXOR(reg.Y0, reg.Y13, reg.Y13)
		VPSLLD(U8(16), reg.Y13, reg.Y13)
		VPSRLD(U8(15), reg.Y12, reg.Y14)
		VPOR(reg.Y14, reg.Y13, reg.Y13)
		VPSLLD(U8(17), reg.Y12, reg.Y12)
		VPOR(reg.Y2, reg.Y12, reg.Y12)
		VPUNPCKLDQ(reg.Y13, reg.Y12, reg.Y14)
		VPUNPCKHDQ(reg.Y13, reg.Y12, reg.Y15)
		VPERM2I128(U8(0x20), reg.Y15, reg.Y14, reg.Y12)
		VPERM2I128(U8(0x31), reg.Y15, reg.Y14, reg.Y13)
		VMOVDQU(reg.Y12, k.elem(k.keys, 8))
		VMOVDQU(reg.Y13, Mem{Base: k.keys, Index: k.i, Scale: 8, Disp: 32})
		VMOVDQU(reg.Y10, k.elem(k.costs, 4))
		VPMINUD(reg.Y10, reg.Y6, reg.Y6)
		VPMAXUD(reg.Y10, reg.Y3, reg.Y3)
		VPUNPCKLDQ(reg.Y4, reg.Y10, reg.Y14)
		VPUNPCKHDQ(reg.Y4, reg.Y10, reg.Y15)
		VPADDQ(reg.Y14, reg.Y5, reg.Y5)
		VPADDQ(reg.Y15, reg.Y5, reg.Y5)
		VPADDD(lanes("eight", 8), reg.Y2, reg.Y2)
		ADDQ(U8(8), k.i)
		CMPQ(k.i, n)
		JLT(LabelRef("block"))

		sumAVX2(reg.Y5, reg.Y10)
		reduceAVX2(reg.Y6, reg.Y10, VPMINUD)
		reduceAVX2(reg.Y3, reg.Y10, VPMAXUD)
		k.finish(reg.X5, reg.X6, reg.X3, bad, true)
	}
}
