package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scanAhead is how many rows ahead of those at hand a scan looks for rows that do not
// wait: of these it will need Sent, which is in no cache. The hardware fetches by
// itself what is read in order.
const scanAhead = 192

func scan() {
	lane := GLOBL("lane", RODATA|NOPTR) // the bit of each
	for i := range 8 {
		DATA(4*i, U32(1<<i))
	}
	scanAVX2("scanAVX2", lane, false)
	scanAVX2("scanAgedAVX2", lane, true)
	scanAVX512("scanAVX512", false)
	scanAVX512("scanAgedAVX512", true)
}

// scanLoop is what the scans of both tiers share: row i is next, and its bit is in
// byte j of the words.
type scanLoop struct {
	s                              reg.GPVirtual
	known, waits, offered, starves reg.GPVirtual
	slot, since, sent, hot         reg.GPVirtual
	i, j, end, last                reg.GPVirtual // last is where the last rows begin
	aged                           bool
	lanes                          int
}

func newScanLoop(aged bool, lanes int) *scanLoop {
	s := param("s")
	l := &scanLoop{s: s, aged: aged, lanes: lanes, i: GP64(), j: GP64(), end: GP64()}
	l.known, l.waits, l.offered = column(s, scanKnown), column(s, scanWaits), column(s, scanOffered)
	if aged {
		l.starves = column(s, scanStarves)
	}
	l.slot, l.since, l.hot = column(s, scanSlot), column(s, scanSince), column(s, scanHot)
	l.sent, l.last = column(s, scanSent), GP64()
	MOVQ(at(s, scanKnown+8), l.end)
	SHLQ(U8(3), l.end)
	MOVQ(l.end, l.last)
	SHLQ(U8(3), l.last)
	SUBQ(U8(uint8(lanes)), l.last)
	XORQ(l.i, l.i)
	XORQ(l.j, l.j)
	return l
}

// bits addresses the bits of the rows at hand.
func (l *scanLoop) bits(words reg.Register) Mem { return Mem{Base: words, Index: l.j, Scale: 1} }

// peek emits the fetching of Sent where rows that come do not wait. test emits one
// that clears the zero flag if one of some Since is zero.
func (l *scanLoop) peek(test func(since Mem)) {
	ahead := GP64()
	LEAQ(Mem{Base: l.i, Disp: scanAhead}, ahead)
	CMPQ(ahead, l.last)
	CMOVQGT(l.last, ahead)
	test(elem(l.since, ahead))
	JE(LabelRef("peeked"))
	PREFETCHT0(elem(l.sent, ahead))
	Label("peeked")
}

// next emits the step to the next rows.
func (l *scanLoop) next() {
	ADDQ(U8(uint8(l.lanes)), l.i)
	ADDQ(U8(uint8(l.lanes/8)), l.j)
	CMPQ(l.j, l.end)
	JNE(LabelRef("block"))
}

// by addresses a field of the entity of each slot.
func (l *scanLoop) by(slots reg.Register, field int) Mem {
	return Mem{Base: l.hot, Index: slots, Scale: 8, Disp: field}
}

func scanAVX512(name string, aged bool) {
	TEXT(name, NOSPLIT, "func(s *byte)")
	Comment("AVX-512: rows with a change that was not sent, and those of them within limits. There are rows, entities, and distances or positions. Needs F, VL.")
	l := newScanLoop(aged, 16)
	s := l.s
	since, slots, hot, rank, waited, class, t := reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6
	count, now, limit, until := reg.Z16, reg.Z17, reg.Z18, reg.Z19
	low, oldest, least, weight, silence := reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24
	VPBROADCASTD(at(s, scanHot+8), count)
	VPBROADCASTD(at(s, scanNow), now)
	VPBROADCASTD(at(s, scanRank), limit)
	VPTERNLOGD(U8(255), oldest, oldest, oldest)
	VMOVDQA32(oldest, least)
	VPSRLD(U8(16), oldest, low) // 65,535
	if aged {
		VPBROADCASTD(at(s, scanUntil), until)
		VMOVDQU32(at(s, scanWeight), weight)
		VPMINUD(low, weight, weight)
		VMOVDQU32(at(s, scanSilence), silence)
	}

	Label("block")
	l.peek(func(since Mem) {
		soon := K()
		VMOVDQU32(since, t)
		VPTESTNMD(t, t, soon)
		KORTESTW(soon, soon)
	})
	waits, fresh, gather, inside, tie, starves, due := K(), K(), K(), K(), K(), K(), K()
	KMOVW(l.bits(l.known), waits)
	VMOVDQU32(elem(l.slot, l.i), slots)
	VMOVDQU32(elem(l.since, l.i), since)
	VPCMPUD(U8(1), count, slots, waits, waits)
	VPTESTNMD(since, since, waits, fresh)
	KORTESTW(fresh, fresh)
	JNE(LabelRef("fresh"))

	Label("waiting")
	KORTESTW(waits, waits)
	JE(LabelRef("none"))
	KMOVW(waits, gather)
	VPXORD(hot, hot, hot)
	VPGATHERDD(l.by(slots, hotRank), gather, hot)
	VPMINUD(since, oldest, waits, oldest)
	VPANDD(low, hot, rank)
	if aged {
		VPSUBD(since, now, waited)
		VPSRLD(U8(16), hot, class)
		VPERMD(silence, class, t)
		VPCMPUD(U8(5), t, waited, waits, starves) // waited >= silence
		VPCMPUD(U8(2), until, since, starves, due)
		VPERMD(weight, class, t)
		VPMINUD(low, waited, waited)
		VPMULLD(t, waited, waited)
		VPMINUD(rank, waited, waited)
		VPSUBD(waited, rank, rank)
	}
	VPCMPUD(U8(1), limit, rank, waits, inside)
	VPCMPUD(U8(0), limit, rank, waits, tie)
	KORTESTW(tie, tie)
	JNE(LabelRef("tie"))

	Label("judged")
	if aged {
		KORW(due, inside, inside)
	}
	passed := K()
	KANDNW(waits, inside, passed)
	VPMINUD(hot, least, passed, least)

	Label("store")
	KMOVW(waits, l.bits(l.waits))
	KMOVW(inside, l.bits(l.offered))
	if aged {
		KMOVW(starves, l.bits(l.starves))
	}
	l.next()

	reduceAVX512(oldest, reg.Z0, VPMINUD)
	reduceAVX512(least, reg.Z0, VPMINUD)
	scanFinish(s, oldest, least)
	VZEROUPPER()
	RET()

	Label("none")
	KXORW(inside, inside, inside)
	if aged {
		KXORW(starves, starves, starves)
	}
	JMP(LabelRef("store"))

	Label("fresh")
	Comment("Some wait since now, if they changed since they were sent.")
	changed := K()
	KMOVW(fresh, gather)
	VPXORD(reg.Z8, reg.Z8, reg.Z8)
	VPGATHERDD(l.by(slots, hotChanged), gather, reg.Z8)
	VMOVDQU32(elem(l.sent, l.i), reg.Z9)
	VPCMPUD(U8(6), reg.Z9, reg.Z8, fresh, changed) // changed > sent
	VMOVDQU32(now, changed, elem(l.since, l.i))
	VMOVDQA32(now, changed, since)
	KANDNW(waits, fresh, waits)
	KORW(changed, waits, waits)
	JMP(LabelRef("waiting"))

	Label("tie")
	Comment("The rank of the limit: the distance decides.")
	dist := column(s, scanDist2)
	TESTQ(dist, dist)
	JE(LabelRef("measure"))
	VMOVUPS(elem(dist, l.i), reg.Z10)
	JMP(LabelRef("compare"))
	Label("measure")
	there := K()
	xy := column(s, scanXY)
	VPBROADCASTD(at(s, scanXY+8), reg.Z10)
	VPCMPUD(U8(1), reg.Z10, slots, tie, there)
	for i, z := range []reg.VecPhysical{reg.Z10, reg.Z11} {
		KMOVW(there, gather)
		VPXORD(z, z, z)
		VPGATHERDD(Mem{Base: xy, Index: slots, Scale: 8, Disp: 4 * i}, gather, z)
		VPBROADCASTD(at(s, scanX+4*i), reg.Z12)
		VPSUBD(reg.Z12, z, z)
		VCVTDQ2PS(z, z)
		VMULPS(z, z, z)
	}
	VADDPS_Z(reg.Z11, reg.Z10, there, reg.Z10)
	Label("compare")
	VPBROADCASTD(at(s, scanDist), reg.Z11)
	VPCMPUD(U8(2), reg.Z11, reg.Z10, tie, tie)
	KORW(tie, inside, inside)
	JMP(LabelRef("judged"))
}

// scanFinish emits the store of the smallest of each, which are in the first lanes.
// Least is the top byte of what was gathered.
func scanFinish(s reg.Register, oldest, least reg.VecPhysical) {
	VMOVD(oldest.AsX(), at(s, scanOldest))
	VPSRLD(U8(24), least.AsX(), least.AsX())
	VMOVD(least.AsX(), at(s, scanLeast))
}

func scanAVX2(name string, lane Mem, aged bool) {
	TEXT(name, NOSPLIT, "func(s *byte)")
	Comment("AVX2: rows with a change that was not sent, and those of them within limits. There are rows, entities, and distances or positions. Needs AVX2.")
	l := newScanLoop(aged, 8)
	s := l.s
	since, slots, waits, hot, rank := reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4
	inside, tie, starves, due := reg.Y5, reg.Y6, reg.Y7, reg.Y8
	t0, t1 := reg.Y9, reg.Y10
	lanes, limit, oldest, least, last := reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15
	VMOVDQU(lane, lanes)
	VPBROADCASTD(at(s, scanRank), limit)
	VPCMPEQD(oldest, oldest, oldest)
	VMOVDQA(oldest, least)
	VPBROADCASTD(at(s, scanHot+8), last)
	VPADDD(oldest, last, last) // less 1

	Label("block")
	l.peek(func(since Mem) {
		VPXOR(t0, t0, t0)
		VPCMPEQD(since, t0, t0)
		VPTEST(t0, t0)
	})
	word := GP32()
	MOVBLZX(l.bits(l.known), word)
	VMOVD(word, waits.AsX())
	VPBROADCASTD(waits.AsX(), waits)
	VPAND(lanes, waits, waits)
	VPCMPEQD(lanes, waits, waits)
	VMOVDQU(elem(l.slot, l.i), slots)
	VMOVDQU(elem(l.since, l.i), since)
	VPMINUD(last, slots, t0)
	VPCMPEQD(slots, t0, t0)
	VPAND(t0, waits, waits)
	VPXOR(t0, t0, t0)
	VPCMPEQD(t0, since, t0)
	VPAND(waits, t0, t0)
	VPTEST(t0, t0)
	JNE(LabelRef("fresh"))

	Label("waiting")
	VPTEST(waits, waits)
	JE(LabelRef("none"))
	VMOVDQA(waits, t0)
	VPXOR(hot, hot, hot)
	VPGATHERDD(t0, l.by(slots, hotRank), hot)
	VPCMPEQD(t1, t1, t1)
	VPXOR(t1, waits, t1) // not waits
	VPOR(since, t1, t1)
	VPMINUD(t1, oldest, oldest)
	VPXOR(t0, t0, t0)
	VPBLENDW(U8(0xAA), t0, hot, rank)
	if aged {
		class, waited := t0, t1
		VPBROADCASTD(at(s, scanNow), waited)
		VPSUBD(since, waited, waited)
		VPSRLD(U8(16), hot, class)
		scanByClass(s, scanSilence, class, starves, inside, tie)
		VPMAXUD(starves, waited, starves)
		VPCMPEQD(starves, waited, starves) // waited >= silence
		VPAND(waits, starves, starves)
		VPBROADCASTD(at(s, scanUntil), due)
		VPMINUD(due, since, due)
		VPCMPEQD(due, since, due) // since <= until
		VPAND(starves, due, due)
		scanByClass(s, scanWeight, class, inside, tie, rank)
		VPCMPEQD(tie, tie, tie)
		VPSRLD(U8(16), tie, tie) // 65,535
		VPMINUD(tie, inside, inside)
		VPMINUD(tie, waited, waited)
		VPMULLD(inside, waited, waited)
		VPXOR(tie, tie, tie)
		VPBLENDW(U8(0xAA), tie, hot, rank)
		VPMINUD(rank, waited, waited)
		VPSUBD(waited, rank, rank)
	}
	VPCMPGTD(rank, limit, inside)
	VPAND(waits, inside, inside)
	VPCMPEQD(limit, rank, tie)
	VPAND(waits, tie, tie)
	VPTEST(tie, tie)
	JNE(LabelRef("tie"))

	Label("judged")
	if aged {
		VPOR(due, inside, inside)
	}
	VPANDN(waits, inside, t0) // passed over
	VPCMPEQD(t1, t1, t1)
	VPXOR(t1, t0, t0)
	VPOR(hot, t0, t0)
	VPMINUD(t0, least, least)

	Label("store")
	store := func(mask reg.VecPhysical, words reg.Register) {
		b := GP32()
		VMOVMSKPS(mask, b)
		MOVB(b.As8(), l.bits(words))
	}
	store(waits, l.waits)
	store(inside, l.offered)
	if aged {
		store(starves, l.starves)
	}
	l.next()

	reduceAVX2(oldest, reg.Y0, VPMINUD)
	reduceAVX2(least, reg.Y0, VPMINUD)
	scanFinish(s, oldest, least)
	VZEROUPPER()
	RET()

	Label("none")
	VPXOR(inside, inside, inside)
	if aged {
		VPXOR(starves, starves, starves)
	}
	JMP(LabelRef("store"))

	Label("fresh")
	Comment("Some wait since now, if they changed since they were sent.")
	VMOVDQA(t0, t1)
	VPXOR(hot, hot, hot)
	VPGATHERDD(t1, l.by(slots, hotChanged), hot)
	VPMAXUD(elem(l.sent, l.i), hot, t1)
	VPCMPEQD(hot, t1, rank) // changed >= sent
	VPCMPEQD(elem(l.sent, l.i), t1, t1)
	VPANDN(rank, t1, rank)
	VPANDN(waits, t0, waits) // not fresh
	VPAND(t0, rank, rank)    // fresh, and changed > sent
	VPOR(rank, waits, waits)
	VPBROADCASTD(at(s, scanNow), t1)
	VPMASKMOVD(t1, rank, elem(l.since, l.i))
	VPBLENDVB(rank, t1, since, since)
	JMP(LabelRef("waiting"))

	Label("tie")
	Comment("The rank of the limit: the distance decides.")
	dist := column(s, scanDist2)
	TESTQ(dist, dist)
	JE(LabelRef("measure"))
	VMOVUPS(elem(dist, l.i), t0)
	JMP(LabelRef("compare"))
	Label("measure")
	xy := column(s, scanXY)
	VPBROADCASTD(at(s, scanXY+8), t0)
	VPCMPEQD(t1, t1, t1)
	VPADDD(t1, t0, t0)
	VPMINUD(t0, slots, t0)
	VPCMPEQD(slots, t0, rank)
	VPAND(tie, rank, rank) // in XY
	for i, y := range []reg.VecPhysical{t0, since} {
		VMOVDQA(rank, t1)
		VPXOR(y, y, y)
		VPGATHERDD(t1, Mem{Base: xy, Index: slots, Scale: 8, Disp: 4 * i}, y)
		VPBROADCASTD(at(s, scanX+4*i), t1)
		VPSUBD(t1, y, y)
		VCVTDQ2PS(y, y)
		VMULPS(y, y, y)
	}
	VADDPS(since, t0, t0)
	VANDPS(rank, t0, t0)
	Label("compare")
	VPBROADCASTD(at(s, scanDist), t1)
	VPMINUD(t0, t1, t1)
	VPCMPEQD(t0, t1, t1)
	VPAND(tie, t1, t1)
	VPOR(t1, inside, inside)
	JMP(LabelRef("judged"))
}

// scanByClass emits the look-up of 16 values by the low four bits of each class.
func scanByClass(s reg.Register, table int, class, to, t0, t1 reg.VecPhysical) {
	VPERMD(at(s, table), class, to)
	VPERMD(at(s, table+32), class, t0)
	VPSLLD(U8(28), class, t1) // the fourth bit is the sign
	VBLENDVPS(t1, t0, to, to)
}
