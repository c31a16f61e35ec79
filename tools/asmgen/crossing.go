package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const crossingSignature = "func(enter, leave *uint32, room int, c, b, p *byte) (ne, nl int)"

func crossing() {
	crossingAVX2(compressTable())
	crossingAVX512()
}

// crossingLoop is what the crossing kernels of both tiers share.
type crossingLoop struct {
	rows         *rowLoop
	enter, leave reg.GPVirtual
	columns      [4]reg.GPVirtual // x, y, old x, old y
}

func newCrossingLoop() *crossingLoop {
	k := &crossingLoop{enter: param("enter"), leave: param("leave")}
	c := param("c")
	for i, offset := range []int{cellsX, cellsY, cellsOldX, cellsOldY} {
		k.columns[i] = column(c, offset)
	}
	k.rows = newRowLoop()
	return k
}

// finish emits the update of the block and the return values.
func (k *crossingLoop) finish(zeroUpper bool) {
	k.rows.finish()
	if zeroUpper {
		VZEROUPPER()
	}
	for i, p := range []reg.GPVirtual{k.enter, k.leave} {
		start := GP64()
		Load(ParamIndex(i), start)
		SUBQ(start, p)
		SHRQ(U8(2), p)
		Store(p, ReturnIndex(i))
	}
	RET()
}

// step emits the advance of a list by the number of bits in found, which is lost.
func step(list, found reg.GPVirtual) {
	POPCNTL(found.As32(), found.As32())
	LEAQ(Mem{Base: list, Index: found, Scale: 4}, list)
}

func crossingAVX512() {
	TEXT("crossingsAVX512", NOSPLIT, crossingSignature)
	doc("AVX-512", "finds what may have crossed a limit between two ticks", "F, BW, DQ, VL, BMI2, POPCNT")
	p := param("p")
	centre := []reg.VecPhysical{reg.Z16, reg.Z17, reg.Z18, reg.Z19}
	for i, offset := range []int{pairX, pairY, pairOldX, pairOldY} {
		VPBROADCASTD(at(p, offset), centre[i])
	}
	lanes := GP32()
	MOVL(U32(16), lanes)
	VPBROADCASTD(lanes, zLanes)
	k := newCrossingLoop()
	flags := GP32()
	MOVL(at(p, pairFlags), flags)
	TESTL(U32(flagHeight), flags)
	JNE(LabelRef("row_height"))
	for _, v := range []variant{{}, {height: true}} {
		k.loopAVX512(v, centre)
	}
	k.finish(false)
}

func (k *crossingLoop) loopAVX512(v variant, centre []reg.VecPhysical) {
	row, block, quiet := "row_"+v.name(), "block_"+v.name(), "quiet_"+v.name()
	k.rows.next(row)
	VPBROADCASTD(k.rows.lo.As32(), zIdx)
	VPADDD(sequence("iota", 0, -1), zIdx, zIdx)

	Label(block)
	valid, in, wasIn, out, wasOut := K(), K(), K(), K(), K()
	mask, p := k.rows.valid(16), param("p")
	KMOVW(mask.As32(), valid)
	now, before := zx, zt
	for i, d := range []reg.VecPhysical{zx, zy, zt, zu} {
		VMOVDQU32(elem(k.columns[i], k.rows.lo), d)
		VPSUBD(centre[i], d, d)
		VCVTDQ2PS(d, d)
		VMULPS(d, d, d)
	}
	VADDPS(zy, now, now)
	VADDPS(zu, before, before)
	VCMPPS_BCST(U8(0x12), at(p, pairInner+limitHi), now, valid, in)
	VCMPPS_BCST(U8(0x12), at(p, pairInner+limitLo), before, valid, wasIn)
	VCMPPS_BCST(U8(0x1E), at(p, pairOuter+limitLo), now, valid, out)
	VCMPPS_BCST(U8(0x1E), at(p, pairOuter+limitHi), before, valid, wasOut)
	if v.height {
		k.heightAVX512(p, cellsZ, pairZ, in, out, valid)
		k.heightAVX512(p, cellsOldZ, pairOldZ, wasIn, wasOut, valid)
	}
	KANDNW(in, wasIn, in)
	KANDNW(out, wasOut, out)
	KORTESTW(in, out)
	JE(LabelRef(quiet))
	for i, list := range []reg.GPVirtual{k.enter, k.leave} {
		found, n := []reg.OpmaskVirtual{in, out}[i], GP64()
		KMOVW(found, n.As32())
		VMOVDQA32(zIdx, zx)
		VPCOMPRESSD(zx, found, zx)
		VMOVDQU32(zx, at(list, 0))
		step(list, n)
	}
	Label(quiet)
	VPADDD(zLanes, zIdx, zIdx)
	k.rows.advance(16, block, row)
}

// heightAVX512 emits: in loses what is not within the inner height, out gains
// what is not within the outer one.
func (k *crossingLoop) heightAVX512(p reg.Register, z, centre int, in, out, valid reg.OpmaskVirtual) {
	c, far := param("c"), K()
	VMOVDQU32(elem(column(c, z), k.rows.lo), zv)
	VPSUBD_BCST(at(p, centre), zv, zv)
	VPABSD(zv, zv)
	VPCMPUD_BCST(U8(2), at(p, pairInnerHeight), zv, in, in)
	VPCMPUD_BCST(U8(6), at(p, pairOuterHeight), zv, valid, far)
	KORW(far, out, out)
}

func crossingAVX2(compress Mem) {
	TEXT("crossingsAVX2", NOSPLIT, crossingSignature)
	doc("AVX2", "finds what may have crossed a limit between two ticks", "AVX2, BMI2, POPCNT")
	p := param("p")
	centre := []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3}
	for i, offset := range []int{pairX, pairY, pairOldX, pairOldY} {
		VPBROADCASTD(at(p, offset), centre[i])
	}
	limit := []reg.VecPhysical{reg.Y4, reg.Y5, reg.Y8, reg.Y9}
	for i, offset := range []int{pairInner + limitHi, pairInner + limitLo, pairOuter + limitLo, pairOuter + limitHi} {
		VBROADCASTSS(at(p, offset), limit[i])
	}
	lanes := GP32()
	MOVL(U32(8), lanes)
	VMOVD(lanes, reg.X7)
	VPBROADCASTD(reg.X7, yLanes)
	k := newCrossingLoop()
	flags := GP32()
	MOVL(at(p, pairFlags), flags)
	TESTL(U32(flagHeight), flags)
	JNE(LabelRef("row_height"))
	for _, v := range []variant{{}, {height: true}} {
		k.loopAVX2(v, centre, limit, compress)
	}
	k.finish(true)
}

func (k *crossingLoop) loopAVX2(v variant, centre, limit []reg.VecPhysical, compress Mem) {
	row, block, quiet := "row_"+v.name(), "block_"+v.name(), "quiet_"+v.name()
	k.rows.next(row)
	VMOVD(k.rows.lo.As32(), reg.X6)
	VPBROADCASTD(reg.X6, yIdx)
	VPADDD(sequence("iota", 0, -1), yIdx, yIdx)

	Label(block)
	valid := k.rows.valid(8)
	now, before := yx, yt
	for i, d := range []reg.VecPhysical{yx, yy, yt, yu} {
		VMOVDQU(elem(k.columns[i], k.rows.lo), d)
		VPSUBD(centre[i], d, d)
		VCVTDQ2PS(d, d)
		VMULPS(d, d, d)
	}
	VADDPS(yy, now, now)
	VADDPS(yu, before, before)
	in, wasIn, out, wasOut := yy, yu, yv, yw
	VCMPPS(U8(0x12), limit[0], now, in)
	VCMPPS(U8(0x12), limit[1], before, wasIn)
	VCMPPS(U8(0x1E), limit[2], now, out)
	VCMPPS(U8(0x1E), limit[3], before, wasOut)
	if v.height {
		k.heightAVX2(cellsZ, pairZ, in, out)
		k.heightAVX2(cellsOldZ, pairOldZ, wasIn, wasOut)
	}
	VPANDN(in, wasIn, in)
	VPANDN(out, wasOut, out)
	entered, left, any := GP64(), GP64(), GP32()
	VMOVMSKPS(in, entered.As32())
	VMOVMSKPS(out, left.As32())
	ANDL(valid.As32(), entered.As32())
	ANDL(valid.As32(), left.As32())
	MOVL(entered.As32(), any)
	ORL(left.As32(), any)
	JE(LabelRef(quiet))
	table := GP64()
	LEAQ(compress, table)
	for i, list := range []reg.GPVirtual{k.enter, k.leave} {
		found := []reg.GPVirtual{entered, left}[i]
		VPMOVZXBD(Mem{Base: table, Index: found, Scale: 8}, yx)
		VPERMD(yIdx, yx, yx)
		VMOVDQU(yx, at(list, 0))
		step(list, found)
	}
	Label(quiet)
	VPADDD(yLanes, yIdx, yIdx)
	k.rows.advance(8, block, row)
}

// heightAVX2 is heightAVX512 on vectors. It uses Y10 and Y12, which are free once
// the distances are compared.
func (k *crossingLoop) heightAVX2(z, centre int, in, out reg.VecPhysical) {
	c, p := param("c"), param("p")
	VPBROADCASTD(at(p, centre), yt)
	VMOVDQU(elem(column(c, z), k.rows.lo), yx)
	VPSUBD(yt, yx, yx)
	VPABSD(yx, yx)
	VPBROADCASTD(at(p, pairInnerHeight), yt)
	VPMINUD(yt, yx, yt)
	VPCMPEQD(yt, yx, yt)
	VPAND(yt, in, in)
	VPBROADCASTD(at(p, pairOuterHeight), yt)
	VPMAXUD(yt, yx, yx)
	VPCMPEQD(yt, yx, yx) // max(|dz|, limit) == limit: within
	VPCMPEQD(yt, yt, yt)
	VPXOR(yt, yx, yx)
	VPOR(yx, out, out)
}
