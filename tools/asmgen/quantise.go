package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The largest product that rounds to a legal coordinate is below these: in
// float64 2^30 - 1/2 itself would be a tie and go up; in float32 2^30 is the first
// value beyond.
const (
	bound64 = 1<<30 - 0.5
	bound32 = 1 << 30
)

func quantise() {
	quantise64AVX2()
	quantise32AVX2()
	quantise64AVX512()
	quantise32AVX512()
}

// quantiseLoop is what all share: pointers, and the number of elements left, a
// positive multiple of 16.
type quantiseLoop struct{ dst, bad, src, n reg.GPVirtual }

func newQuantiseLoop() *quantiseLoop {
	return &quantiseLoop{param("dst"), param("bad"), param("src"), param("n")}
}

// advance emits the step of 16 elements.
func (k *quantiseLoop) advance(size int) {
	ADDQ(Imm(64), k.dst)
	ADDQ(Imm(2), k.bad)
	ADDQ(Imm(uint64(16*size)), k.src)
	SUBQ(Imm(16), k.n)
	JNE(LabelRef("block"))
}

func quantiseText(name, float, tier, needs string) {
	TEXT(name, NOSPLIT, "func(dst *int32, bad *uint64, src *"+float+", n int, scale "+float+")")
	Comment(tier + ": rounds metres to units, one bad bit each. n is a positive multiple of 16. Needs " + needs + ".")
}

func constant64(bits uint64) reg.GPVirtual {
	r := GP64()
	MOVQ(U64(bits), r)
	return r
}

func constant32(bits uint32) reg.GPVirtual {
	r := GP32()
	MOVL(U32(bits), r)
	return r
}

func quantise64AVX512() {
	quantiseText("quantise64AVX512", "float64", "AVX-512", "F, DQ")
	k := newQuantiseLoop()
	VPBROADCASTQ(NewParamAddr("scale", 32), reg.Z16)
	VPBROADCASTQ(constant64(math.Float64bits(bound64)), reg.Z17)
	VPBROADCASTQ(constant64(1<<63-1), reg.Z18)
	Label("block")
	for i := range 2 {
		bad, bits := K(), GP32()
		VMOVUPD(at(k.src, 64*i), reg.Z19)
		VMULPD(reg.Z16, reg.Z19, reg.Z19)
		VCVTPD2DQ(reg.Z19, reg.Y20)
		VPANDQ(reg.Z18, reg.Z19, reg.Z19)
		VCMPPD(U8(0x05), reg.Z17, reg.Z19, bad) // not less, or unordered
		VMOVDQU32(reg.Y20, at(k.dst, 32*i))
		KMOVB(bad, bits)
		MOVB(bits.As8(), at(k.bad, i))
	}
	k.advance(8)
	RET()
}

func quantise32AVX512() {
	quantiseText("quantise32AVX512", "float32", "AVX-512", "F")
	k := newQuantiseLoop()
	VBROADCASTSS(NewParamAddr("scale", 32), reg.Z16)
	VPBROADCASTD(constant32(math.Float32bits(bound32)), reg.Z17)
	VPBROADCASTD(constant32(1<<31-1), reg.Z18)
	Label("block")
	bad, bits := K(), GP32()
	VMOVUPS(at(k.src, 0), reg.Z19)
	VMULPS(reg.Z16, reg.Z19, reg.Z19)
	VCVTPS2DQ(reg.Z19, reg.Z20)
	VPANDD(reg.Z18, reg.Z19, reg.Z19)
	VCMPPS(U8(0x05), reg.Z17, reg.Z19, bad)
	VMOVDQU32(reg.Z20, at(k.dst, 0))
	KMOVW(bad, bits)
	MOVW(bits.As16(), at(k.bad, 0))
	k.advance(4)
	RET()
}

func quantise64AVX2() {
	quantiseText("quantise64AVX2", "float64", "AVX2", "AVX2")
	k := newQuantiseLoop()
	Load(Param("scale"), reg.X0)
	VBROADCASTSD(reg.X0, reg.Y0)
	VMOVQ(constant64(math.Float64bits(bound64)), reg.X1)
	VPBROADCASTQ(reg.X1, reg.Y1)
	VMOVQ(constant64(1<<63-1), reg.X2)
	VPBROADCASTQ(reg.X2, reg.Y2)
	Label("block")
	word := GP32()
	for i := range 4 {
		bits := GP32()
		VMULPD(at(k.src, 32*i), reg.Y0, reg.Y3)
		VCVTPD2DQY(reg.Y3, reg.X4)
		VANDPD(reg.Y2, reg.Y3, reg.Y3)
		VCMPPD(U8(0x05), reg.Y1, reg.Y3, reg.Y3)
		VMOVDQU(reg.X4, at(k.dst, 16*i))
		VMOVMSKPD(reg.Y3, bits)
		if i == 0 {
			MOVL(bits, word)
			continue
		}
		SHLL(U8(4*i), bits)
		ORL(bits, word)
	}
	MOVW(word.As16(), at(k.bad, 0))
	k.advance(8)
	VZEROUPPER()
	RET()
}

func quantise32AVX2() {
	quantiseText("quantise32AVX2", "float32", "AVX2", "AVX2")
	k := newQuantiseLoop()
	Load(Param("scale"), reg.X0)
	VBROADCASTSS(reg.X0, reg.Y0)
	VMOVD(constant32(math.Float32bits(bound32)), reg.X1)
	VPBROADCASTD(reg.X1, reg.Y1)
	VMOVD(constant32(1<<31-1), reg.X2)
	VPBROADCASTD(reg.X2, reg.Y2)
	Label("block")
	for i := range 2 {
		bits := GP32()
		VMULPS(at(k.src, 32*i), reg.Y0, reg.Y3)
		VCVTPS2DQ(reg.Y3, reg.Y4)
		VANDPS(reg.Y2, reg.Y3, reg.Y3)
		VCMPPS(U8(0x05), reg.Y1, reg.Y3, reg.Y3)
		VMOVDQU(reg.Y4, at(k.dst, 32*i))
		VMOVMSKPS(reg.Y3, bits)
		MOVB(bits.As8(), at(k.bad, i))
	}
	k.advance(4)
	VZEROUPPER()
	RET()
}
