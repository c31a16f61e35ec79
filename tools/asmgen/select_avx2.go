package main

import (
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// compressRows holds, for every set of 4 lanes, the lanes of 4 bytes that bring the
// set's to the front, where an element has that many of them. The rest of a row is
// 0. With two lanes an element, a row is as long as a vector; with one, half of it.
func compressRows(name string, lanes int) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for set := range 16 {
		k := 0
		for rest := uint(set); rest != 0; rest &= rest - 1 {
			for lane := range lanes {
				DATA(16*lanes*set+4*k, U32(uint32(lanes*bits.TrailingZeros(rest)+lane)))
				k++
			}
		}
		for ; k < 4*lanes; k++ {
			DATA(16*lanes*set+4*k, U32(0))
		}
	}
	return m
}

// signs emits the sign bit in every 64-bit lane: signed comparison of what is XORed
// with it is unsigned comparison of what it was.
func signs(to reg.VecPhysical) {
	VPCMPEQD(to, to, to)
	VPSLLQ(U8(63), to, to)
}

func spread64(v reg.GPVirtual, to reg.VecPhysical) {
	VMOVQ(v, to.AsX())
	VPBROADCASTQ(to.AsX(), to)
}

func partitionAVX2(keyRows Mem) {
	costRows := compressRows("compressCosts", 1)
	positions := GLOBL("positions", RODATA|NOPTR) // 0 to 7, a byte each
	DATA(0, U64(0x0706050403020100))
	for _, withCosts := range []bool{true, false} {
		what := "a pivot, the costs as well"
		if withCosts {
			TEXT("partitionAVX2", NOSPLIT, partitionSignature)
		} else {
			TEXT("splitAVX2", NOSPLIT, splitSignature)
			what = "a pivot"
		}
		Comment("AVX2: splits keys at " + what + ". n is positive. Reads and stores up to one vector past the end. Needs AVX2, BMI2, POPCNT.")
		k := newPartitionLoop(withCosts)
		signs(reg.Y1)
		spread64(param("pivot"), reg.Y0)
		VPXOR(reg.Y1, reg.Y0, reg.Y0)
		VPXOR(reg.Y2, reg.Y2, reg.Y2)
		keyTable, costTable := GP64(), GP64()
		LEAQ(keyRows, keyTable)
		if withCosts {
			LEAQ(costRows, costTable)
		}

		body := func(valid reg.GPVirtual) {
			VMOVDQU(elem8(k.keys, k.i), reg.Y3)
			VPXOR(reg.Y1, reg.Y3, reg.Y4)
			VPCMPGTQ(reg.Y0, reg.Y4, reg.Y4)
			right, left := GP64(), GP64()
			VMOVMSKPD(reg.Y4, right.As32())
			MOVL(right.As32(), left.As32())
			XORL(U8(15), left.As32())
			if valid != nil {
				ANDL(valid.As32(), left.As32())
				ANDL(valid.As32(), right.As32())
			}
			if withCosts {
				VMOVDQU(elem(k.costs, k.i), reg.X5)
				VPMOVZXDQ(reg.X5, reg.Y6)
				VPANDN(reg.Y6, reg.Y4, reg.Y6)
				if valid != nil {
					VPAND(reg.Y15, reg.Y6, reg.Y6)
				}
				VPADDQ(reg.Y6, reg.Y2, reg.Y2)
			}
			count := GP64()
			POPCNTL(left.As32(), count.As32())
			SHLL(U8(4), left.As32())
			SHLL(U8(4), right.As32())
			VMOVDQU(Mem{Base: keyTable, Index: left, Scale: 2}, reg.Y7)
			VMOVDQU(Mem{Base: keyTable, Index: right, Scale: 2}, reg.Y8)
			VPERMD(reg.Y3, reg.Y7, reg.Y7)
			VPERMD(reg.Y3, reg.Y8, reg.Y8)
			if withCosts {
				VMOVDQU(Mem{Base: costTable, Index: left, Scale: 1}, reg.X9)
				VMOVDQU(Mem{Base: costTable, Index: right, Scale: 1}, reg.X10)
				VPERMILPS(reg.X9, reg.X5, reg.X9)
				VPERMILPS(reg.X10, reg.X5, reg.X10)
				VMOVDQU(reg.X9, elem(k.costs, k.left))
				VMOVDQU(reg.X10, elem(k.rightCosts, k.right))
			}
			VMOVDQU(reg.Y7, elem8(k.keys, k.left))
			VMOVDQU(reg.Y8, elem8(k.rightKeys, k.right))
			ADDQ(U8(4), k.i)
			ADDQ(count, k.left)
			MOVQ(k.i, k.right)
			SUBQ(k.left, k.right)
		}
		SUBQ(U8(4), k.n)
		JLT(LabelRef("rest"))
		Label("block")
		body(nil)
		SUBQ(U8(4), k.n)
		JGE(LabelRef("block"))
		Label("rest")
		ADDQ(U8(4), k.n)
		JE(LabelRef("done"))
		// Fewer than 4 are left.
		if withCosts {
			spread64(k.n, reg.Y15)
			VPMOVZXBQ(positions, reg.Y14)
			VPCMPGTQ(reg.Y14, reg.Y15, reg.Y15)
		}
		valid := GP64()
		MOVL(U32(15), valid.As32())
		BZHIL(k.n.As32(), valid.As32(), valid.As32())
		body(valid)
		Label("done")
		Store(k.left, ReturnIndex(0))
		if withCosts {
			sumAVX2(reg.Y2, reg.Y3)
			storeSum(reg.Y2)
		}
		VZEROUPPER()
		RET()
	}
}

func fittingAVX2(keyRows, costRows Mem) {
	TEXT("fittingAVX2", NOSPLIT, fittingSignature)
	Comment("AVX2: copies the keys and costs whose cost is at most limit. n is positive. Reads and stores up to one vector of costs past the end. Needs AVX2, BMI2, POPCNT.")
	dstKeys, dstCosts, keys, costs, n := param("dstKeys"), param("dstCosts"), param("keys"), param("costs"), param("n")
	found, i := GP64(), GP64()
	VMOVD(scalar("limit"), reg.X0)
	VPBROADCASTD(reg.X0, reg.Y0)
	VPXOR(reg.Y1, reg.Y1, reg.Y1)
	VPXOR(reg.Y2, reg.Y2, reg.Y2) // the sum
	VMOVDQU(sequence("iota", 0, -1), reg.Y3)
	XORQ(found, found)
	XORQ(i, i)
	Label("block")
	VMOVDQU(elem(costs, i), reg.Y4)
	VPMINUD(reg.Y0, reg.Y4, reg.Y5)
	VPCMPEQD(reg.Y4, reg.Y5, reg.Y5) // at most the limit
	VMOVD(n.As32(), reg.X6)
	VPBROADCASTD(reg.X6, reg.Y6)
	VPCMPGTD(reg.Y3, reg.Y6, reg.Y6) // and not past the end
	VPAND(reg.Y6, reg.Y5, reg.Y5)
	bits := GP64()
	VMOVMSKPS(reg.Y5, bits.As32())
	TESTL(bits.As32(), bits.As32())
	JE(LabelRef("none"))
	VPAND(reg.Y5, reg.Y4, reg.Y6)
	VPUNPCKLDQ(reg.Y1, reg.Y6, reg.Y7)
	VPUNPCKHDQ(reg.Y1, reg.Y6, reg.Y8)
	VPADDQ(reg.Y7, reg.Y2, reg.Y2)
	VPADDQ(reg.Y8, reg.Y2, reg.Y2)
	table, low, high := GP64(), GP64(), GP64()
	LEAQ(costRows, table)
	VPMOVZXBD(Mem{Base: table, Index: bits, Scale: 8}, reg.Y7)
	VPERMD(reg.Y4, reg.Y7, reg.Y4)
	// All keys are read before any is stored: the destination may be the source.
	LEAQ(keyRows, table)
	MOVL(bits.As32(), low.As32())
	ANDL(U8(15), low.As32())
	MOVL(bits.As32(), high.As32())
	SHRL(U8(4), high.As32())
	POPCNTL(bits.As32(), bits.As32())
	VMOVDQU(elem8(keys, i), reg.Y7)
	VMOVDQU(Mem{Base: keys, Index: i, Scale: 8, Disp: 32}, reg.Y8)
	SHLL(U8(5), high.As32())
	VMOVDQU(Mem{Base: table, Index: high, Scale: 1}, reg.Y9)
	VPERMD(reg.Y8, reg.Y9, reg.Y8)
	POPCNTL(low.As32(), high.As32())
	SHLL(U8(5), low.As32())
	VMOVDQU(Mem{Base: table, Index: low, Scale: 1}, reg.Y9)
	VPERMD(reg.Y7, reg.Y9, reg.Y7)
	ADDQ(found, high)
	VMOVDQU(reg.Y4, elem(dstCosts, found))
	VMOVDQU(reg.Y7, elem8(dstKeys, found))
	VMOVDQU(reg.Y8, elem8(dstKeys, high))
	ADDQ(bits, found)
	Label("none")
	ADDQ(U8(8), i)
	SUBQ(U8(8), n)
	JGT(LabelRef("block"))
	Store(found, ReturnIndex(0))
	sumAVX2(reg.Y2, reg.Y4)
	storeSum(reg.Y2)
	VZEROUPPER()
	RET()
}
