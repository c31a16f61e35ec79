package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const farSignature = "func(dst *uint32, x, y, oldX, oldY *int32, n int, limit int32) (found int, step int32)"

func far() {
	farAVX2(compressTable())
	farAVX512()
}

// farLoop is what both tiers share: it goes through n elements from i on.
type farLoop struct {
	dst     reg.GPVirtual
	columns [4]reg.GPVirtual // x, old x, y, old y
	n, i    reg.GPVirtual
	limit   reg.GPVirtual
}

func newFarLoop() *farLoop {
	k := &farLoop{dst: param("dst"), n: param("n"), i: GP64(), limit: GP32()}
	for i, name := range []string{"x", "oldX", "y", "oldY"} {
		k.columns[i] = param(name)
	}
	Load(Param("limit"), k.limit)
	XORQ(k.i, k.i)
	return k
}

// lanesLeft emits the bit mask of the lanes of a vector that n elements have.
func lanesLeft(n reg.GPVirtual, lanes int) reg.GPVirtual {
	count, mask := GP64(), GP64()
	MOVL(U32(uint32(lanes)), count.As32())
	CMPQ(n, count)
	CMOVQLT(n, count)
	MOVL(U32(1<<lanes-1), mask.As32())
	BZHIL(count.As32(), mask.As32(), mask.As32())
	return mask
}

func (k *farLoop) advance(lanes uint8) {
	ADDQ(U8(lanes), k.i)
	SUBQ(U8(lanes), k.n)
	JGT(LabelRef("block"))
}

func (k *farLoop) finish(step reg.GPVirtual) {
	start := param("dst")
	SUBQ(start, k.dst)
	SHRQ(U8(2), k.dst)
	Store(k.dst, ReturnIndex(0))
	Store(step.As32(), ReturnIndex(1))
	RET()
}

func farAVX512() {
	TEXT("farAVX512", NOSPLIT, farSignature)
	Comment("AVX-512: splits elements by how far they moved. n is positive. Reads and stores up to one vector past the end. Needs F, BMI2, POPCNT.")
	k := newFarLoop()
	VPBROADCASTD(k.limit, reg.Z16)
	MOVL(U32(1<<31), k.limit)
	VPBROADCASTD(k.limit, reg.Z17)
	VMOVDQU32(sequence("iota", 0, -1), reg.Z24)
	VPXORD(reg.Z18, reg.Z18, reg.Z18)
	Label("block")
	known, isFar, near := K(), K(), K()
	mask := lanesLeft(k.n, 16)
	KMOVW(mask.As32(), known)
	VMOVDQU32(elem(k.columns[1], k.i), reg.Z20)
	VPCMPD(U8(4), reg.Z17, reg.Z20, known, known)
	VMOVDQU32(elem(k.columns[0], k.i), reg.Z19)
	VPSUBD(reg.Z20, reg.Z19, reg.Z19)
	VPABSD(reg.Z19, reg.Z19)
	VMOVDQU32(elem(k.columns[2], k.i), reg.Z20)
	VPSUBD(elem(k.columns[3], k.i), reg.Z20, reg.Z20)
	VPABSD(reg.Z20, reg.Z20)
	VPMAXUD(reg.Z20, reg.Z19, reg.Z19)
	VPCMPUD(U8(6), reg.Z16, reg.Z19, known, isFar)
	KANDNW(known, isFar, near)
	VPMAXUD(reg.Z19, reg.Z18, near, reg.Z18)
	KORTESTW(isFar, isFar)
	JE(LabelRef("near"))
	bits := GP64()
	KMOVW(isFar, bits.As32())
	VPBROADCASTD(k.i.As32(), reg.Z20)
	VPADDD(reg.Z24, reg.Z20, reg.Z20)
	VPCOMPRESSD(reg.Z20, isFar, reg.Z20)
	VMOVDQU32(reg.Z20, at(k.dst, 0))
	step(k.dst, bits)
	Label("near")
	k.advance(16)
	// The largest lane of Z18, by halves.
	VEXTRACTI64X4(U8(1), reg.Z18, reg.Y19)
	VPMAXUD(reg.Y19, reg.Y18, reg.Y18)
	VEXTRACTI32X4(U8(1), reg.Y18, reg.X19)
	VPMAXUD(reg.X19, reg.X18, reg.X18)
	VPSHUFD(U8(0x4E), reg.X18, reg.X19)
	VPMAXUD(reg.X19, reg.X18, reg.X18)
	VPSHUFD(U8(0xB1), reg.X18, reg.X19)
	VPMAXUD(reg.X19, reg.X18, reg.X18)
	result := GP64()
	VMOVD(reg.X18, result.As32())
	k.finish(result)
}

func farAVX2(compress Mem) {
	TEXT("farAVX2", NOSPLIT, farSignature)
	Comment("AVX2: splits elements by how far they moved. n is positive. Reads and stores up to one vector past the end. Needs AVX2, BMI2, POPCNT.")
	k := newFarLoop()
	VMOVD(k.limit, reg.X0)
	VPBROADCASTD(reg.X0, reg.Y0)
	MOVL(U32(1<<31), k.limit)
	VMOVD(k.limit, reg.X1)
	VPBROADCASTD(reg.X1, reg.Y1)
	VPXOR(reg.Y2, reg.Y2, reg.Y2)
	VMOVDQU(sequence("iota", 0, -1), reg.Y8)
	Label("block")
	mask := lanesLeft(k.n, 8)
	VMOVDQU(elem(k.columns[1], k.i), reg.Y4)
	VPCMPEQD(reg.Y1, reg.Y4, reg.Y5) // came from nowhere
	VMOVDQU(elem(k.columns[0], k.i), reg.Y3)
	VPSUBD(reg.Y4, reg.Y3, reg.Y3)
	VPABSD(reg.Y3, reg.Y3)
	VMOVDQU(elem(k.columns[2], k.i), reg.Y4)
	VPSUBD(elem(k.columns[3], k.i), reg.Y4, reg.Y4)
	VPABSD(reg.Y4, reg.Y4)
	VPMAXUD(reg.Y4, reg.Y3, reg.Y3)
	VPANDN(reg.Y3, reg.Y5, reg.Y3) // 0 if from nowhere: neither far nor a step
	VPMINUD(reg.Y0, reg.Y3, reg.Y4)
	VPCMPEQD(reg.Y4, reg.Y3, reg.Y4) // at most the limit
	bits := GP64()
	VMOVMSKPS(reg.Y4, bits.As32())
	NOTL(bits.As32())
	ANDL(mask.As32(), bits.As32())
	// Steps of lanes past the end must not count: keep those of the first lanes.
	VMOVD(k.n.As32(), reg.X6)
	VPBROADCASTD(reg.X6, reg.Y6)
	VPCMPGTD(reg.Y8, reg.Y6, reg.Y6)
	VPAND(reg.Y6, reg.Y4, reg.Y4)
	VPAND(reg.Y3, reg.Y4, reg.Y3)
	VPMAXUD(reg.Y3, reg.Y2, reg.Y2)
	TESTL(bits.As32(), bits.As32())
	JE(LabelRef("near"))
	table := GP64()
	LEAQ(compress, table)
	VMOVD(k.i.As32(), reg.X6)
	VPBROADCASTD(reg.X6, reg.Y6)
	VPADDD(reg.Y8, reg.Y6, reg.Y6)
	VPMOVZXBD(Mem{Base: table, Index: bits, Scale: 8}, reg.Y7)
	VPERMD(reg.Y6, reg.Y7, reg.Y6)
	VMOVDQU(reg.Y6, at(k.dst, 0))
	step(k.dst, bits)
	Label("near")
	k.advance(8)
	VEXTRACTI128(U8(1), reg.Y2, reg.X3)
	VPMAXUD(reg.X3, reg.X2, reg.X2)
	VPSHUFD(U8(0x4E), reg.X2, reg.X3)
	VPMAXUD(reg.X3, reg.X2, reg.X2)
	VPSHUFD(U8(0xB1), reg.X2, reg.X3)
	VPMAXUD(reg.X3, reg.X2, reg.X2)
	result := GP64()
	VMOVD(reg.X2, result.As32())
	VZEROUPPER()
	k.finish(result)
}
