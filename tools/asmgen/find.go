package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func find() {
	const signature = "func(column *uint32, n int, v uint32) int"
	TEXT("findAVX2", NOSPLIT, signature)
	Comment("AVX2: index of the first element that equals v, or -1. n is positive. Reads up to 32 bytes past the end. Needs AVX2, BMI1.")
	column, n, i, bits := param("column"), param("n"), GP64(), GP32()
	v := GP32()
	Load(Param("v"), v)
	VMOVD(v, reg.X0)
	VPBROADCASTD(reg.X0, reg.Y0)
	XORQ(i, i)
	Label("block")
	VPCMPEQD(elem(column, i), reg.Y0, reg.Y1)
	VMOVMSKPS(reg.Y1, bits)
	TESTL(bits, bits)
	JNE(LabelRef("found"))
	ADDQ(U8(8), i)
	CMPQ(i, n)
	JLT(LabelRef("block"))
	findResult(bits, i, n, true)

	TEXT("findAVX512", NOSPLIT, signature)
	Comment("AVX-512: index of the first element that equals v, or -1. n is positive. Reads up to 64 bytes past the end. Needs F, BMI1.")
	column, n, i, bits = param("column"), param("n"), GP64(), GP32()
	v = GP32()
	Load(Param("v"), v)
	VPBROADCASTD(v, reg.Z16)
	XORQ(i, i)
	Label("block")
	k := K()
	VPCMPEQD(elem(column, i), reg.Z16, k)
	KMOVW(k, bits)
	TESTL(bits, bits)
	JNE(LabelRef("found"))
	ADDQ(U8(16), i)
	CMPQ(i, n)
	JLT(LabelRef("block"))
	findResult(bits, i, n, false)
}

// findResult emits what follows the loop: not found, and found in the vector at i,
// which may be past the end.
func findResult(bits, i, n reg.GPVirtual, zeroUpper bool) {
	miss := GP64()
	Label("missed")
	MOVQ(I32(-1), miss)
	Store(miss, ReturnIndex(0))
	if zeroUpper {
		VZEROUPPER()
	}
	RET()
	Label("found")
	TZCNTL(bits, bits)
	ADDQ(bits.As64(), i)
	CMPQ(i, n)
	JGE(LabelRef("missed"))
	Store(i, ReturnIndex(0))
	if zeroUpper {
		VZEROUPPER()
	}
	RET()
}

func prefetch() {
	TEXT("prefetchAMD64", NOSPLIT, "func(p *byte, lines int)")
	Comment("amd64: asks for the cache lines from p on, lines of them, a positive number.")
	p, n := param("p"), param("lines")
	Label("line")
	PREFETCHT0(at(p, 0))
	ADDQ(U8(64), p)
	DECQ(n)
	JNE(LabelRef("line"))
	RET()
}
