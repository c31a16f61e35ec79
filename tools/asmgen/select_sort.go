package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// How many keys the sorting kernels take, as asm.SortLimit says.
const (
	rankSortKeys    = 32 // AVX2
	networkSortKeys = 64 // AVX-512
)

// network is a bitonic sort of vectors of 8 keys under construction. Vectors that
// nobody needs any more are free.
type network struct {
	free              []reg.VecPhysical
	reverse           reg.VecPhysical   // lanes 7 to 0
	far, middle, near reg.OpmaskVirtual // lanes that take the larger of two that are 4, 2, 1 lanes apart
}

func (w *network) take() reg.VecPhysical {
	v := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	return v
}

func (w *network) give(v ...reg.VecPhysical) { w.free = append(w.free, v...) }

// lanes exchanges each lane of v with a partner in the same vector, which partner
// emits into its argument. The larger of two goes to the lane in the mask.
func (w *network) lanes(v reg.VecPhysical, larger reg.OpmaskVirtual, partner func(to reg.VecPhysical)) reg.VecPhysical {
	p, t := w.take(), w.take()
	partner(p)
	VPMINUQ(p, v, t)
	VPMAXUQ(p, v, larger, t)
	w.give(p, v)
	return t
}

func (w *network) swapFar(v reg.VecPhysical) reg.VecPhysical {
	return w.lanes(v, w.far, func(to reg.VecPhysical) { VSHUFI64X2(U8(0x4E), v, v, to) })
}

func (w *network) swapMiddle(v reg.VecPhysical) reg.VecPhysical {
	return w.lanes(v, w.middle, func(to reg.VecPhysical) { VPERMQ(U8(0x4E), v, to) })
}

func (w *network) swapNear(v reg.VecPhysical) reg.VecPhysical {
	return w.lanes(v, w.near, func(to reg.VecPhysical) { VPSHUFD(U8(0x4E), v, to) })
}

// exchange orders a and b lane by lane.
func (w *network) exchange(a, b reg.VecPhysical) (smaller, larger reg.VecPhysical) {
	t := w.take()
	VPMINUQ(b, a, t)
	VPMAXUQ(b, a, b)
	w.give(a)
	return t, b
}

// sortLanes sorts a vector by itself.
func (w *network) sortLanes(v reg.VecPhysical) reg.VecPhysical {
	v = w.swapNear(v)
	v = w.lanes(v, w.middle, func(to reg.VecPhysical) { VPERMQ(U8(0x1B), v, to) })
	v = w.swapNear(v)
	v = w.lanes(v, w.far, func(to reg.VecPhysical) { VPERMQ(v, w.reverse, to) })
	v = w.swapMiddle(v)
	return w.swapNear(v)
}

// sortRuns sorts the 8 lanes of each of 8 vectors as columns, by the network that
// sorts 8, and turns columns into vectors: in some order, all of them sorted.
func (w *network) sortRuns(v []reg.VecPhysical) []reg.VecPhysical {
	for _, x := range [][2]int{
		{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {1, 2}, {5, 6},
		{0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6},
	} {
		v[x[0]], v[x[1]] = w.exchange(v[x[0]], v[x[1]])
	}
	// Pairs of lanes, then of pairs, then of halves.
	pairs := func(a, b int, low, high func(a, b, to reg.VecPhysical)) {
		t := w.take()
		low(v[a], v[b], t)
		high(v[a], v[b], v[b])
		w.give(v[a])
		v[a] = t
	}
	unpackLow := func(a, b, to reg.VecPhysical) { VPUNPCKLQDQ(b, a, to) }
	unpackHigh := func(a, b, to reg.VecPhysical) { VPUNPCKHQDQ(b, a, to) }
	even := func(a, b, to reg.VecPhysical) { VSHUFI64X2(U8(0x88), b, a, to) }
	odd := func(a, b, to reg.VecPhysical) { VSHUFI64X2(U8(0xDD), b, a, to) }
	for _, a := range []int{0, 2, 4, 6} {
		pairs(a, a+1, unpackLow, unpackHigh)
	}
	for _, a := range []int{0, 1, 4, 5} {
		pairs(a, a+2, even, odd)
	}
	for a := range 4 {
		pairs(a, a+4, even, odd)
	}
	return v
}

// merge merges two sorted lists of vectors.
func (w *network) merge(a, b []reg.VecPhysical) []reg.VecPhysical {
	n := len(a)
	low, high := make([]reg.VecPhysical, n), make([]reg.VecPhysical, n)
	for i := range a {
		t := w.take()
		VPERMQ(b[n-1-i], w.reverse, t)
		w.give(b[n-1-i])
		low[i], high[i] = w.exchange(a[i], t)
	}
	return append(w.clean(low), w.clean(high)...)
}

// clean sorts a bitonic list of vectors.
func (w *network) clean(v []reg.VecPhysical) []reg.VecPhysical {
	for d := len(v) / 2; d > 0; d /= 2 {
		for i := range v {
			if i&d == 0 {
				v[i], v[i+d] = w.exchange(v[i], v[i+d])
			}
		}
	}
	for i := range v {
		v[i] = w.swapNear(w.swapMiddle(w.swapFar(v[i])))
	}
	return v
}

// sort sorts all vectors as one.
func (w *network) sort(v []reg.VecPhysical) []reg.VecPhysical {
	if len(v) == 8 {
		v = w.sortRuns(v)
	} else {
		for i := range v {
			v[i] = w.sortLanes(v[i])
		}
	}
	for run := 1; run < len(v); run *= 2 {
		var merged []reg.VecPhysical
		for at := 0; at < len(v); at += 2 * run {
			merged = append(merged, w.merge(v[at:at+run], v[at+run:at+2*run])...)
		}
		v = merged
	}
	return v
}

func sortKeysAVX512() {
	TEXT("sortKeysAVX512", NOSPLIT, sortKeysSignature)
	Comment(fmt.Sprintf("AVX-512: sorts n keys, 1 to %d of them, by a bitonic network. Needs F, DQ, BMI2.", networkSortKeys))
	keys, n, t := param("keys"), param("n"), GP64()
	w := &network{far: K(), middle: K(), near: K(), reverse: reg.Z31}
	for _, m := range []struct {
		k    reg.OpmaskVirtual
		bits uint32
	}{{w.near, 0xAA}, {w.middle, 0xCC}, {w.far, 0xF0}} {
		MOVL(U32(m.bits), t.As32())
		KMOVB(t.As32(), m.k)
	}
	reverse := GLOBL("reverse", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(uint64(7-i)))
	}
	VMOVDQU64(reverse, w.reverse)
	// The bits of the keys; the lanes behind them are filled up with the largest.
	bits := GP64()
	MOVQ(I32(-1), bits)
	BZHIQ(n, bits, bits)
	for _, vectors := range []int{1, 2, 4} {
		CMPQ(n, U8(uint8(8*vectors)))
		JLE(LabelRef(fmt.Sprintf("vectors%d", vectors)))
	}
	for _, vectors := range []int{8, 4, 2, 1} {
		Label(fmt.Sprintf("vectors%d", vectors))
		w.free = nil
		for i := 30; i >= 16; i-- {
			w.free = append(w.free, zmm(i))
		}
		there := K()
		masked := func(use func(i int)) {
			MOVQ(bits, t)
			for i := range vectors {
				KMOVB(t.As32(), there)
				use(i)
				if i < vectors-1 {
					SHRQ(U8(8), t)
				}
			}
		}
		v := make([]reg.VecPhysical, vectors)
		masked(func(i int) {
			v[i] = w.take()
			VPTERNLOGD(U8(0xFF), v[i], v[i], v[i])
			VMOVDQU64(at(keys, 64*i), there, v[i])
		})
		v = w.sort(v)
		masked(func(i int) { VMOVDQU64(v[i], there, at(keys, 64*i)) })
		RET()
	}
}

func zmm(i int) reg.VecPhysical {
	return []reg.VecPhysical{
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	}[i-16]
}

// sortKeysAVX2 finds each key's rank by counting the smaller ones, 16 keys at a time
// against all: no branch depends on the data. There is no minimum of 64-bit lanes
// before AVX-512, which a sorting network would need.
func sortKeysAVX2() {
	TEXT("sortKeysAVX2", NOSPLIT, sortKeysSignature)
	Comment("AVX2: sorts n different keys, 2 to 32 of them. Reads up to the next multiple of 16. Needs AVX2.")
	local := AllocLocal(16 * rankSortKeys)
	ranks := local.Offset(8 * rankSortKeys)
	keys, n, j, group := param("keys"), param("n"), GP64(), GP64()
	signs(reg.Y9)
	XORQ(group, group)
	Label("group")
	for v := range 4 {
		VMOVDQU(Mem{Base: keys, Index: group, Scale: 8, Disp: 32 * v}, reg.Y10)
		VMOVDQU(reg.Y10, Mem{Base: local.Base, Index: group, Scale: 8, Disp: local.Disp + 32*v})
		VPXOR(reg.Y9, reg.Y10, vectorsAVX2[v])
		VPXOR(ranksAVX2[v], ranksAVX2[v], ranksAVX2[v])
	}
	XORQ(j, j)
	Label("key")
	VPBROADCASTQ(elem8(keys, j), reg.Y8)
	VPXOR(reg.Y9, reg.Y8, reg.Y8)
	for v, t := range []reg.VecPhysical{reg.Y10, reg.Y11, reg.Y12, reg.Y13} {
		VPCMPGTQ(reg.Y8, vectorsAVX2[v], t)
		VPSUBQ(t, ranksAVX2[v], ranksAVX2[v])
	}
	INCQ(j)
	CMPQ(j, n)
	JLT(LabelRef("key"))
	for v := range 4 {
		VMOVDQU(ranksAVX2[v], Mem{Base: local.Base, Index: group, Scale: 8, Disp: ranks.Disp + 32*v})
	}
	ADDQ(U8(16), group)
	CMPQ(group, n)
	JLT(LabelRef("group"))
	VZEROUPPER()
	rank, key := GP64(), GP64()
	Label("place")
	DECQ(n)
	MOVQ(Mem{Base: local.Base, Index: n, Scale: 8, Disp: ranks.Disp}, rank)
	MOVQ(Mem{Base: local.Base, Index: n, Scale: 8, Disp: local.Disp}, key)
	MOVQ(key, elem8(keys, rank))
	TESTQ(n, n)
	JNE(LabelRef("place"))
	RET()
}

var (
	vectorsAVX2 = []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3}
	ranksAVX2   = []reg.VecPhysical{reg.Y4, reg.Y5, reg.Y6, reg.Y7}
)
