package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Only Z16 to Z31 are used: they leave no dirty upper halves, so there is no
// VZEROUPPER to pay.
var (
	zcx, zcy   = reg.Z16, reg.Z17
	zHi, zLo   = reg.Z18, reg.Z19 // outer limit
	zLow       = reg.Z19          // the low half of every lane
	zIHi, zILo = reg.Z20, reg.Z21 // inner limit
	zIdx, zBit = reg.Z22, reg.Z23 // running index; inner bit
	zLanes     = reg.Z24          // 16 in every lane
	zEven      = reg.Z22          // interleaving permutations (hits need no index)
	zOdd       = reg.Z23
	zMay       = reg.Z25 // observer's mask and its complement
	zMayNot    = reg.Z26
	zx, zy     = reg.Z27, reg.Z28
	zt, zu     = reg.Z29, reg.Z30
	zv         = reg.Z31
)

// avx512 is one within kernel under construction.
type avx512 struct {
	*output
	rows    *rowLoop
	x, y, s reg.GPVirtual
	// outer and inner are the accepted lanes; valid and height what restricts them.
	outer, inner, valid, low reg.OpmaskVirtual
}

func withinAVX512(f form) {
	TEXT("within"+f.name+"AVX512", NOSPLIT, f.signature)
	doc("AVX-512", "filters whole rows of a block by distance", "F, BW, DQ, VL, BMI2, POPCNT")
	k := &avx512{output: newOutput(f), outer: K(), inner: K(), valid: K(), low: K()}
	k.prologue()
	f.chooseVariant()
	for _, v := range f.variants() {
		k.loop(v)
	}
	k.rows.finish()
	k.output.finish()
	RET()
}

func (k *avx512) prologue() {
	c, d := param("c"), param("d")
	VPBROADCASTD(at(d, discX), zcx)
	VPBROADCASTD(at(d, discY), zcy)
	VBROADCASTSS(at(d, discOuter+limitHi), zHi)
	VBROADCASTSS(at(d, discOuter+limitLo), zLo)
	if k.form.inner {
		VBROADCASTSS(at(d, discInner+limitHi), zIHi)
		VBROADCASTSS(at(d, discInner+limitLo), zILo)
		bit := GP32()
		MOVL(U32(1<<31), bit)
		VPBROADCASTD(bit, zBit)
		lanes := GP32()
		MOVL(U32(16), lanes)
		VPBROADCASTD(lanes, zLanes)
	}
	if k.slot && k.form.dist {
		VMOVDQU32(sequence("interleave_low", 0, 16), zEven)
		VMOVDQU32(sequence("interleave_high", 8, 24), zOdd)
	}
	k.x, k.y = column(c, cellsX), column(c, cellsY)
	if k.slot {
		k.s = column(c, cellsSlot)
	}
	k.rows = newRowLoop()
}

// loop emits the loop of one variant, and behind it the exact decision.
func (k *avx512) loop(v variant) {
	row, block, found, band := "row_"+v.name(), "block_"+v.name(), "found_"+v.name(), "band_"+v.name()
	Label("start_" + v.name())
	k.constants(v)
	k.rows.next(row)
	if k.index {
		VPBROADCASTD(k.rows.lo.As32(), zIdx)
		VPADDD(sequence("iota", 0, -1), zIdx, zIdx)
	}

	Label(block)
	valid := k.rows.valid(16)
	KMOVW(valid.As32(), k.valid)
	k.restrict(v)
	if v.narrow {
		k.narrow()
		k.emit()
		k.rows.advance(16, block, row)
		return
	}
	k.distance()
	undecided, t := K(), K()
	VCMPPS(U8(0x12), zHi, zx, k.valid, k.outer)
	VCMPPS(U8(0x1E), zLo, zx, k.outer, undecided)
	if k.form.inner {
		VCMPPS(U8(0x12), zIHi, zx, k.low, k.inner)
		KANDW(k.outer, k.inner, k.inner)
		VCMPPS(U8(0x1E), zILo, zx, k.inner, t)
		KORTESTW(t, undecided)
	} else {
		KORTESTW(undecided, undecided)
	}
	JNE(LabelRef(band))

	Label(found)
	k.emit()
	k.rows.advance(16, block, row)

	Label(band)
	k.decide()
	JMP(LabelRef(found))
}

// constants emits the broadcasts that only this variant needs.
func (k *avx512) constants(v variant) {
	d := param("d")
	if v.mask {
		mask := GP32()
		MOVL(at(d, discMask), mask)
		VPBROADCASTD(mask, zMay)
		NOTL(mask)
		VPBROADCASTD(mask, zMayNot)
	}
	if v.narrow {
		low := GP32()
		MOVL(U32(1<<16-1), low)
		VPBROADCASTD(low, zLow)
		VPBROADCASTD(at(d, discOuter+limitR2), zHi)
		if k.form.inner {
			VPBROADCASTD(at(d, discInner+limitR2), zIHi)
		}
	}
}

// narrow emits the whole decision for differences of 16 bits: dx and dy side by
// side in a lane, and one instruction for the sum of their squares, in integers.
func (k *avx512) narrow() {
	VMOVDQU32(elem(k.x, k.rows.lo), zx)
	VMOVDQU32(elem(k.y, k.rows.lo), zy)
	VPSUBD(zcx, zx, zx)
	VPSUBD(zcy, zy, zy)
	VPSLLD(U8(16), zy, zy)
	VPTERNLOGD(U8(0xE2), zy, zLow, zx) // the low half of zx, the high of zy
	VPMADDWD(zx, zx, zx)
	VPCMPD(U8(2), zHi, zx, k.valid, k.outer)
	if k.form.inner {
		VPCMPD(U8(2), zIHi, zx, k.low, k.inner)
		KANDW(k.outer, k.inner, k.inner)
	}
}

// restrict emits the masks that do not depend on the distance: valid loses what
// height and permission exclude, low is valid within the inner height.
func (k *avx512) restrict(v variant) {
	c, d := GP64(), GP64()
	if v.mask {
		Load(Param("c"), c)
		may := K()
		VMOVDQU32(elem(column(c, cellsNeed), k.rows.lo), zt)
		VPTESTNMD(zMayNot, zt, k.valid, k.valid)
		VMOVDQU32(elem(column(c, cellsAny), k.rows.lo), zt)
		VPTESTMD(zMay, zt, may)
		none := K()
		VPTESTNMD(zt, zt, none)
		KORW(may, none, may)
		KANDW(may, k.valid, k.valid)
	}
	if v.height {
		Load(Param("c"), c)
		Load(Param("d"), d)
		VMOVDQU32(elem(column(c, cellsZ), k.rows.lo), zt)
		VPSUBD_BCST(at(d, discZ), zt, zt)
		VPABSD(zt, zt)
		VPCMPUD_BCST(U8(2), at(d, discOuterHeight), zt, k.valid, k.valid)
		if k.form.inner {
			VPCMPUD_BCST(U8(2), at(d, discInnerHeight), zt, k.valid, k.low)
		}
	} else if k.form.inner {
		KMOVW(k.valid, k.low)
	}
}

// distance emits the float32 squared distance, into zx.
func (k *avx512) distance() {
	VMOVDQU32(elem(k.x, k.rows.lo), zx)
	VMOVDQU32(elem(k.y, k.rows.lo), zy)
	VPSUBD(zcx, zx, zx)
	VPSUBD(zcy, zy, zy)
	VCVTDQ2PS(zx, zx)
	VCVTDQ2PS(zy, zy)
	VMULPS(zx, zx, zx)
	VMULPS(zy, zy, zy)
	VADDPS(zy, zx, zx)
}

// emit stores the accepted lanes and advances the output.
func (k *avx512) emit() {
	n := GP64()
	KMOVW(k.outer, n.As32())
	switch {
	case k.slot && k.form.dist:
		VMOVDQU32(elem(k.s, k.rows.lo), zt)
		VPCOMPRESSD(zt, k.outer, zt)
		VPCOMPRESSD(zx, k.outer, zx)
		VMOVDQA32(zt, zu)
		VPERMT2D(zx, zEven, zu)
		VPERMT2D(zx, zOdd, zt)
		VMOVDQU32(zu, at(k.dst, 0))
		VMOVDQU32(zt, at(k.dst, 64))
	case k.slot:
		VMOVDQU32(elem(k.s, k.rows.lo), zt)
		VPCOMPRESSD(zt, k.outer, zt)
		VMOVDQU32(zt, at(k.dst, 0))
	case k.index:
		VMOVDQA32(zIdx, zt)
		VPORD(zBit, zt, k.inner, zt)
		VPCOMPRESSD(zt, k.outer, zt)
		VMOVDQU32(zt, at(k.dst, 0))
		if k.form.dist {
			VPCOMPRESSD(zx, k.outer, zx)
			VMOVDQU32(zx, at(k.dist, 0))
		}
		VPADDD(zLanes, zIdx, zIdx)
	}
	k.step(n)
}

// decide emits the int64 decision of a block with a lane in the band. The
// distance in zx stays.
func (k *avx512) decide() {
	d := param("d")
	VMOVDQU32(elem(k.x, k.rows.lo), zt)
	VMOVDQU32(elem(k.y, k.rows.lo), zu)
	VPSUBD(zcx, zt, zt)
	VPSUBD(zcy, zu, zu)
	VPMULDQ(zt, zt, zy)
	VPMULDQ(zu, zu, zv)
	VPADDQ(zv, zy, zy) // even lanes
	VPSRLQ(U8(32), zt, zt)
	VPSRLQ(U8(32), zu, zu)
	VPMULDQ(zt, zt, zt)
	VPMULDQ(zu, zu, zu)
	VPADDQ(zu, zt, zt) // odd lanes
	k.exactly(d, discOuter, k.valid, k.outer)
	if k.form.inner {
		k.exactly(d, discInner, k.low, k.inner)
		KANDW(k.outer, k.inner, k.inner)
	}
}

// exactly emits out = lanes of within whose squared distance is at most limit.
func (k *avx512) exactly(d reg.Register, limit int, within, out reg.OpmaskVirtual) {
	ke, ko := K(), K()
	even, odd, bits := GP32(), GP32(), GP32()
	VPCMPQ_BCST(U8(2), at(d, limit+limitR2), zy, ke)
	VPCMPQ_BCST(U8(2), at(d, limit+limitR2), zt, ko)
	KMOVB(ke, even)
	KMOVB(ko, odd)
	MOVL(U32(0x5555), bits)
	PDEPL(bits, even, even)
	MOVL(U32(0xAAAA), bits)
	PDEPL(bits, odd, odd)
	ORL(odd, even)
	KMOVW(even, out)
	KANDW(within, out, out)
}

var sequences = map[string]Mem{}

// sequence returns a constant vector of 16 dwords: first, second, first+1,
// second+1, ...; or first, first+1, ... if second is negative.
func sequence(name string, first, second int) Mem {
	if m, ok := sequences[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 16 {
		v := first + i
		if second >= 0 {
			v = first + i/2
			if i%2 == 1 {
				v = second + i/2
			}
		}
		DATA(4*i, U32(uint32(v)))
	}
	sequences[name] = m
	return m
}
