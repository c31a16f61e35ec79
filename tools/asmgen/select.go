package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	partitionSignature = "func(keys *uint64, costs *uint32, rightKeys *uint64, rightCosts *uint32, n int, pivot uint64) (left int, sum uint64)"
	splitSignature     = "func(keys, right *uint64, n int, pivot uint64) (left int)"
	fittingSignature   = "func(dstKeys *uint64, dstCosts *uint32, keys *uint64, costs *uint32, n int, limit uint32) (found int, sum uint64)"
	sortKeysSignature  = "func(keys *uint64, n int)"
)

func selection() {
	rankAVX2()
	rankAVX512()
	keyRows := compressRows("compressKeys", 2)
	partitionAVX2(keyRows)
	partitionAVX512()
	fittingAVX2(keyRows, compressTable())
	fittingAVX512()
	sortKeysAVX2()
	sortKeysAVX512()
}

// elem8 addresses element index of a column of 8-byte elements.
func elem8(base, index reg.Register) Mem { return Mem{Base: base, Index: index, Scale: 8} }

// partitionLoop is what the partitions of both tiers share: element i is next, left
// elements stayed and the others went right.
type partitionLoop struct {
	keys, costs           reg.GPVirtual
	rightKeys, rightCosts reg.GPVirtual
	n, i, left, right     reg.GPVirtual
	withCosts             bool
}

func newPartitionLoop(withCosts bool) *partitionLoop {
	k := &partitionLoop{keys: param("keys"), i: GP64(), left: GP64(), right: GP64(), withCosts: withCosts}
	if withCosts {
		k.costs, k.rightKeys, k.rightCosts = param("costs"), param("rightKeys"), param("rightCosts")
	} else {
		k.rightKeys = param("right")
	}
	k.n = param("n")
	XORQ(k.i, k.i)
	XORQ(k.left, k.left)
	XORQ(k.right, k.right)
	return k
}

func partitionAVX512() {
	for _, withCosts := range []bool{true, false} {
		what := "a pivot, the costs as well"
		if withCosts {
			TEXT("partitionAVX512", NOSPLIT, partitionSignature)
		} else {
			TEXT("splitAVX512", NOSPLIT, splitSignature)
			what = "a pivot"
		}
		Comment("AVX-512: splits keys at " + what + ". n is positive. Reads and stores up to one vector past the end. Needs F, DQ, VL, BMI2, POPCNT.")
		k := newPartitionLoop(withCosts)
		VPBROADCASTQ(param("pivot"), reg.Z16)
		VPXORD(reg.Z17, reg.Z17, reg.Z17)

		body := func(valid func(le, gt reg.OpmaskVirtual)) {
			le, gt := K(), K()
			VMOVDQU64(elem8(k.keys, k.i), reg.Z18)
			VPCMPUQ(U8(2), reg.Z16, reg.Z18, le)
			KNOTB(le, gt)
			if valid != nil {
				valid(le, gt)
			}
			stays := GP64()
			KMOVB(le, stays.As32())
			POPCNTL(stays.As32(), stays.As32())
			VPCOMPRESSQ_Z(reg.Z18, le, reg.Z19)
			VPCOMPRESSQ_Z(reg.Z18, gt, reg.Z20)
			if withCosts {
				VMOVDQU32(elem(k.costs, k.i), reg.Y21)
				VPCOMPRESSD_Z(reg.Y21, le, reg.Y22)
				VPCOMPRESSD_Z(reg.Y21, gt, reg.Y23)
				VPMOVZXDQ(reg.Y22, reg.Z24)
				VPADDQ(reg.Z24, reg.Z17, reg.Z17)
				VMOVDQU32(reg.Y22, elem(k.costs, k.left))
				VMOVDQU32(reg.Y23, elem(k.rightCosts, k.right))
			}
			VMOVDQU64(reg.Z19, elem8(k.keys, k.left))
			VMOVDQU64(reg.Z20, elem8(k.rightKeys, k.right))
			ADDQ(U8(8), k.i)
			ADDQ(stays, k.left)
			MOVQ(k.i, k.right)
			SUBQ(k.left, k.right)
		}
		SUBQ(U8(8), k.n)
		JLT(LabelRef("rest"))
		Label("block")
		body(nil)
		SUBQ(U8(8), k.n)
		JGE(LabelRef("block"))
		Label("rest")
		ADDQ(U8(8), k.n)
		JE(LabelRef("done"))
		// Fewer than 8 are left.
		mask := GP32()
		MOVL(U32(0xFF), mask)
		BZHIL(k.n.As32(), mask, mask)
		body(func(le, gt reg.OpmaskVirtual) {
			valid := K()
			KMOVB(mask, valid)
			KANDB(valid, le, le)
			KANDB(valid, gt, gt)
		})
		Label("done")
		Store(k.left, ReturnIndex(0))
		if withCosts {
			sumAVX512(reg.Z17, reg.Z18)
			storeSum(reg.Z17)
		}
		RET()
	}
}

// sumAVX512 emits the sum of v's 64-bit lanes, in the first lane. It loses other.
func sumAVX512(v, other reg.VecPhysical) {
	VEXTRACTI64X4(U8(1), v, other.AsY())
	VPADDQ(other.AsY(), v.AsY(), v.AsY())
	VEXTRACTI64X2(U8(1), v.AsY(), other.AsX())
	sumPairs(v.AsX(), other.AsX())
}

// sumAVX2 is sumAVX512 for AVX2.
func sumAVX2(v, other reg.VecPhysical) {
	VEXTRACTI128(U8(1), v, other.AsX())
	sumPairs(v.AsX(), other.AsX())
}

// sumPairs emits the sum of the two lanes of v and the two of other.
func sumPairs(v, other reg.Register) {
	VPADDQ(other, v, v)
	VPSHUFD(U8(0x4E), v, other)
	VPADDQ(other, v, v)
}

// storeSum stores the first 64-bit lane as the second result.
func storeSum(v reg.VecPhysical) {
	sum := GP64()
	VMOVQ(v.AsX(), sum)
	Store(sum, ReturnIndex(1))
}

func fittingAVX512() {
	TEXT("fittingAVX512", NOSPLIT, fittingSignature)
	Comment("AVX-512: copies the keys and costs whose cost is at most limit. n is positive. Reads and stores up to one vector of costs past the end. Needs F, BW, DQ, VL, BMI2, POPCNT.")
	dstKeys, dstCosts, keys, costs, n := param("dstKeys"), param("dstCosts"), param("keys"), param("costs"), param("n")
	found, i := GP64(), GP64()
	VPBROADCASTD(scalar("limit"), reg.Z16)
	VPXORD(reg.Z17, reg.Z17, reg.Z17)
	XORQ(found, found)
	XORQ(i, i)
	Label("block")
	fits, valid := K(), K()
	KMOVW(lanesLeft(n, 16).As32(), valid)
	VMOVDQU32(elem(costs, i), reg.Z18)
	VPCMPUD(U8(2), reg.Z16, reg.Z18, valid, fits)
	KORTESTW(fits, fits)
	JE(LabelRef("none"))
	VPCOMPRESSD_Z(reg.Z18, fits, reg.Z19)
	for _, half := range []reg.VecPhysical{reg.Z19, reg.Z20} {
		VPMOVZXDQ(half.AsY(), reg.Z21)
		VPADDQ(reg.Z21, reg.Z17, reg.Z17)
		if half == reg.Z19 {
			VEXTRACTI64X4(U8(1), reg.Z19, reg.Y20)
		}
	}
	// All keys are read before any is stored: the destination may be the source.
	bits, low := GP64(), GP64()
	KMOVW(fits, bits.As32())
	VMOVDQU64(elem8(keys, i), reg.Z21)
	VMOVDQU64(Mem{Base: keys, Index: i, Scale: 8, Disp: 64}, reg.Z22)
	VPCOMPRESSQ_Z(reg.Z21, fits, reg.Z21)
	KSHIFTRW(U8(8), fits, fits)
	VPCOMPRESSQ_Z(reg.Z22, fits, reg.Z22)
	VMOVDQU32(reg.Z19, elem(dstCosts, found))
	MOVBLZX(bits.As8(), low.As32())
	POPCNTL(low.As32(), low.As32())
	POPCNTL(bits.As32(), bits.As32())
	ADDQ(found, low)
	VMOVDQU64(reg.Z21, elem8(dstKeys, found))
	VMOVDQU64(reg.Z22, elem8(dstKeys, low))
	ADDQ(bits, found)
	Label("none")
	ADDQ(U8(16), i)
	SUBQ(U8(16), n)
	JGT(LabelRef("block"))
	Store(found, ReturnIndex(0))
	sumAVX512(reg.Z17, reg.Z18)
	storeSum(reg.Z17)
	RET()
}
