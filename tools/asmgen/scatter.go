package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func scatter() {
	TEXT("scatterTwoAMD64", NOSPLIT, "func(p *byte, first, second *uint32, lo, mid, n int)")
	Comment("amd64: moves n elements from lo on and n from mid on to where their cells' counters say.")
	Comment("n is positive. Scalar: the work is loads and stores that depend on each other.")
	p := param("p")
	in := map[int]reg.GPVirtual{}
	for _, offset := range []int{placeCell, placeX, placeY, placeSlot, placeToX, placeToY, placeToSlot, placePerm} {
		in[offset] = column(p, offset)
	}
	first, second := param("first"), param("second")
	i, j := param("lo"), param("mid")
	end := AllocLocal(8)
	n := GP64()
	Load(Param("n"), n)
	ADDQ(i, n)
	MOVQ(n, end)
	to, v := GP64(), GP64()

	Label("loop")
	for _, half := range []struct{ counters, at reg.GPVirtual }{{first, i}, {second, j}} {
		MOVL(elem(in[placeCell], half.at), v.As32())
		MOVL(elem(half.counters, v), to.As32())
		INCL(elem(half.counters, v))
		MOVL(elem(in[placeX], half.at), v.As32())
		MOVL(v.As32(), elem(in[placeToX], to))
		MOVL(elem(in[placeY], half.at), v.As32())
		MOVL(v.As32(), elem(in[placeToY], to))
		MOVL(elem(in[placeSlot], half.at), v.As32())
		MOVL(v.As32(), elem(in[placeToSlot], to))
		MOVL(to.As32(), elem(in[placePerm], half.at))
		INCQ(half.at)
	}
	CMPQ(i, end)
	JNE(LabelRef("loop"))
	RET()
}
