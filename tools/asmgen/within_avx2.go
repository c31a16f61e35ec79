package main

import (
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var (
	ycx, ycy   = reg.Y0, reg.Y1
	yHi, yLo   = reg.Y2, reg.Y3 // outer limit
	yIHi, yILo = reg.Y4, reg.Y5 // inner limit
	yIdx       = reg.Y6         // running index
	yLanes     = reg.Y7         // 8 in every lane
	yLow       = reg.Y8         // lanes within the inner height
	yInner     = reg.Y9         // lanes within the inner disc
	yx, yy     = reg.Y10, reg.Y11
	yt, yu     = reg.Y12, reg.Y13
	yv, yw     = reg.Y14, reg.Y15
)

// compressTable emits the table that turns a mask of 8 lanes into the permutation
// that moves its lanes to the front: 256 rows of 8 bytes.
func compressTable() Mem {
	m := GLOBL("compress", RODATA|NOPTR)
	for mask := range 256 {
		var row uint64
		for k, rest := 0, uint(mask); rest != 0; k, rest = k+1, rest&(rest-1) {
			row |= uint64(bits.TrailingZeros(rest)) << (8 * k)
		}
		DATA(8*mask, U64(row))
	}
	return m
}

// avx2 is one within kernel under construction.
type avx2 struct {
	*output
	rows    *rowLoop
	table   Mem
	x, y, s reg.GPVirtual
	valid   Mem           // bit mask of the lanes allowed
	outer   reg.GPVirtual // bit mask of the lanes accepted
}

func withinAVX2(f form, compress Mem) {
	TEXT("within"+f.name+"AVX2", NOSPLIT, f.signature)
	doc("AVX2", "filters whole rows of a block by distance", "AVX2, BMI2, POPCNT")
	k := &avx2{output: newOutput(f), table: compress, valid: AllocLocal(8)}
	k.prologue()
	f.chooseVariant()
	for _, v := range f.variants() {
		k.loop(v)
	}
	k.rows.finish()
	VZEROUPPER()
	k.output.finish()
	RET()
}

func (k *avx2) prologue() {
	c, d := param("c"), param("d")
	VPBROADCASTD(at(d, discX), ycx)
	VPBROADCASTD(at(d, discY), ycy)
	VBROADCASTSS(at(d, discOuter+limitHi), yHi)
	VBROADCASTSS(at(d, discOuter+limitLo), yLo)
	if k.form.inner {
		VBROADCASTSS(at(d, discInner+limitHi), yIHi)
		VBROADCASTSS(at(d, discInner+limitLo), yILo)
		lanes := GP32()
		MOVL(U32(8), lanes)
		VMOVD(lanes, reg.X7)
		VPBROADCASTD(reg.X7, yLanes)
	}
	k.x, k.y = column(c, cellsX), column(c, cellsY)
	if k.slot {
		k.s = column(c, cellsSlot)
	}
	k.rows = newRowLoop()
}

// loop emits the loop of one variant, and behind it the exact decision.
func (k *avx2) loop(v variant) {
	row, block, found, band := "row_"+v.name(), "block_"+v.name(), "found_"+v.name(), "band_"+v.name()
	Label("start_" + v.name())
	if v.narrow {
		d := param("d")
		VPBROADCASTD(at(d, discOuter+limitR2), yHi)
		if k.form.inner {
			VPBROADCASTD(at(d, discInner+limitR2), yIHi)
		}
	}
	k.rows.next(row)
	if k.index {
		VMOVD(k.rows.lo.As32(), reg.X6)
		VPBROADCASTD(reg.X6, yIdx)
		VPADDD(sequence("iota", 0, -1), yIdx, yIdx)
	}

	Label(block)
	MOVL(k.rows.valid(8).As32(), k.valid)
	k.restrict(v)
	k.outer = GP64()
	if v.narrow {
		k.narrow(v)
		k.emit()
		k.rows.advance(8, block, row)
		return
	}
	k.distance()
	sure := GP32()
	VCMPPS(U8(0x12), yHi, yx, yt)
	VMOVMSKPS(yt, k.outer.As32())
	VCMPPS(U8(0x12), yLo, yx, yt)
	VMOVMSKPS(yt, sure)
	XORL(k.outer.As32(), sure)
	if k.form.inner {
		VCMPPS(U8(0x12), yIHi, yx, yInner)
		VCMPPS(U8(0x12), yILo, yx, yt)
		VXORPS(yInner, yt, yt)
		innerBand := GP32()
		VMOVMSKPS(yt, innerBand)
		ORL(innerBand, sure)
		if v.height {
			VPAND(yLow, yInner, yInner)
		}
	}
	ANDL(k.valid, k.outer.As32())
	TESTL(sure, k.valid)
	JNE(LabelRef(band))

	Label(found)
	k.emit()
	k.rows.advance(8, block, row)

	Label(band)
	k.decide(v)
	JMP(LabelRef(found))
}

// narrow emits the whole decision for differences of 16 bits: dx and dy side by
// side in a lane, and one instruction for the sum of their squares, in integers.
func (k *avx2) narrow(v variant) {
	VMOVDQU(elem(k.x, k.rows.lo), yx)
	VMOVDQU(elem(k.y, k.rows.lo), yy)
	VPSUBD(ycx, yx, yx)
	VPSUBD(ycy, yy, yy)
	VPSLLD(U8(16), yy, yy)
	VPBLENDW(U8(0xAA), yy, yx, yx)
	VPMADDWD(yx, yx, yx)
	VPCMPGTD(yHi, yx, yt) // beyond
	VMOVMSKPS(yt, k.outer.As32())
	NOTL(k.outer.As32())
	ANDL(k.valid, k.outer.As32())
	if k.form.inner {
		VPCMPGTD(yIHi, yx, yt)
		VPCMPEQD(yInner, yInner, yInner)
		VPXOR(yt, yInner, yInner)
		if v.height {
			VPAND(yLow, yInner, yInner)
		}
	}
}

// restrict emits what does not depend on the distance: valid loses the lanes that
// height and permission exclude, yLow gets those within the inner height.
func (k *avx2) restrict(v variant) {
	c, d, bitsOf := GP64(), GP64(), GP32()
	if v.mask {
		Load(Param("c"), c)
		Load(Param("d"), d)
		VPBROADCASTD(at(d, discMask), yv)
		VPXOR(yw, yw, yw)
		VMOVDQU(elem(column(c, cellsNeed), k.rows.lo), yt)
		VPANDN(yt, yv, yt) // need &^ mask
		VPCMPEQD(yw, yt, yt)
		VMOVDQU(elem(column(c, cellsAny), k.rows.lo), yu)
		VPAND(yu, yv, yv) // any & mask
		VPCMPEQD(yw, yv, yv)
		VPCMPEQD(yw, yu, yu)
		VPANDN(yv, yu, yv) // any != 0 and any & mask == 0
		VPANDN(yt, yv, yt)
		VMOVMSKPS(yt, bitsOf)
		ANDL(bitsOf, k.valid)
	}
	if v.height {
		Load(Param("c"), c)
		Load(Param("d"), d)
		VPBROADCASTD(at(d, discZ), yt)
		VMOVDQU(elem(column(c, cellsZ), k.rows.lo), yu)
		VPSUBD(yt, yu, yt)
		VPABSD(yt, yt)
		if k.form.inner {
			VPBROADCASTD(at(d, discInnerHeight), yu)
			VPMINUD(yu, yt, yLow)
			VPCMPEQD(yLow, yt, yLow)
		}
		VPBROADCASTD(at(d, discOuterHeight), yu)
		VPMINUD(yu, yt, yu)
		VPCMPEQD(yu, yt, yt)
		VMOVMSKPS(yt, bitsOf)
		ANDL(bitsOf, k.valid)
	}
}

// distance emits the float32 squared distance, into yx.
func (k *avx2) distance() {
	VMOVDQU(elem(k.x, k.rows.lo), yx)
	VMOVDQU(elem(k.y, k.rows.lo), yy)
	VPSUBD(ycx, yx, yx)
	VPSUBD(ycy, yy, yy)
	VCVTDQ2PS(yx, yx)
	VCVTDQ2PS(yy, yy)
	VMULPS(yx, yx, yx)
	VMULPS(yy, yy, yy)
	VADDPS(yy, yx, yx)
}

// emit stores the accepted lanes and advances the output.
func (k *avx2) emit() {
	if k.slot || k.index {
		table := GP64()
		LEAQ(k.table, table)
		VPMOVZXBD(Mem{Base: table, Index: k.outer, Scale: 8}, yw)
	}
	switch {
	case k.slot && k.form.dist:
		VPERMD(elem(k.s, k.rows.lo), yw, yt)
		VPERMD(yx, yw, yx)
		VPUNPCKLDQ(yx, yt, yu) // hits 0 1 . . 4 5 . .
		VPUNPCKHDQ(yx, yt, yv) // hits 2 3 . . 6 7 . .
		VPERM2I128(U8(0x20), yv, yu, yt)
		VPERM2I128(U8(0x31), yv, yu, yu)
		VMOVDQU(yt, at(k.dst, 0))
		VMOVDQU(yu, at(k.dst, 32))
	case k.slot:
		VPERMD(elem(k.s, k.rows.lo), yw, yt)
		VMOVDQU(yt, at(k.dst, 0))
	case k.index:
		VPSLLD(U8(31), yInner, yInner)
		VPOR(yInner, yIdx, yt)
		VPERMD(yt, yw, yt)
		VMOVDQU(yt, at(k.dst, 0))
		if k.form.dist {
			VPERMD(yx, yw, yx)
			VMOVDQU(yx, at(k.dist, 0))
		}
		VPADDD(yLanes, yIdx, yIdx)
	}
	k.step(k.outer)
}

// decide emits the int64 decision of a block with a lane in the band. The
// distance in yx stays.
func (k *avx2) decide(v variant) {
	d := param("d")
	VMOVDQU(elem(k.x, k.rows.lo), yt)
	VMOVDQU(elem(k.y, k.rows.lo), yu)
	VPSUBD(ycx, yt, yt)
	VPSUBD(ycy, yu, yu)
	VPMULDQ(yt, yt, yy)
	VPMULDQ(yu, yu, yv)
	VPADDQ(yv, yy, yy) // even lanes
	VPSRLQ(U8(32), yt, yt)
	VPSRLQ(U8(32), yu, yu)
	VPMULDQ(yt, yt, yt)
	VPMULDQ(yu, yu, yu)
	VPADDQ(yu, yt, yt) // odd lanes
	k.beyond(d, discOuter, yu)
	VMOVMSKPS(yu, k.outer.As32())
	NOTL(k.outer.As32())
	ANDL(k.valid, k.outer.As32())
	if k.form.inner {
		k.beyond(d, discInner, yu)
		VPCMPEQD(yInner, yInner, yInner)
		VPXOR(yu, yInner, yInner)
		if v.height {
			VPAND(yLow, yInner, yInner)
		}
	}
}

// beyond emits out = lanes whose squared distance exceeds limit, exactly.
func (k *avx2) beyond(d reg.Register, limit int, out reg.VecPhysical) {
	VPBROADCASTQ(at(d, limit+limitR2), yv)
	VPCMPGTQ(yv, yy, out)
	VPCMPGTQ(yv, yt, yw)
	VPBLENDD(U8(0xAA), yw, out, out)
}
