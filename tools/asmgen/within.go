package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// form is what a within kernel emits.
type form struct {
	name        string
	signature   string
	inner       bool // tells the inner disc apart
	index, slot bool // emits indexes; emits slots
	dist        bool // emits squared distances, interleaved with slots
	outShift    uint8
}

var forms = []form{
	{name: "Slots", slot: true, outShift: 2, signature: "func(dst *uint32, room int, c, b, d *byte) int"},
	{name: "Hits", slot: true, dist: true, outShift: 3, signature: "func(dst *uint32, room int, c, b, d *byte) int"},
	{name: "Indexes", index: true, inner: true, outShift: 2, signature: "func(dst *uint32, room int, c, b, d *byte) int"},
	{name: "Ranked", index: true, inner: true, dist: true, outShift: 2, signature: "func(dst *uint32, dist *float32, room int, c, b, d *byte) int"},
	{name: "Count", signature: "func(room int, c, b, d *byte) int"},
}

// variant says which optional columns a loop reads.
type variant struct{ height, mask bool }

func (v variant) label() string {
	s := "flat"
	if v.height {
		s = "height"
	}
	if v.mask {
		s += "_mask"
	}
	return s
}

// variants are in the order of asm.Flags' values.
var variants = []variant{{}, {height: true}, {mask: true}, {height: true, mask: true}}

func within() {
	compress := compressTable()
	for _, f := range forms {
		withinAVX2(f, compress)
	}
	for _, f := range forms {
		withinAVX512(f)
	}
}

// output is where a within kernel writes: pointers, or a count.
type output struct {
	form
	dst, dist, count reg.GPVirtual
}

func newOutput(f form) *output {
	o := &output{form: f}
	if f.index || f.slot {
		o.dst = param("dst")
	} else {
		o.count = GP64()
		XORQ(o.count, o.count)
	}
	if f.dist && f.index {
		o.dist = param("dist")
	}
	return o
}

// step emits the advance by the number of bits in accepted, which is lost.
func (o *output) step(accepted reg.GPVirtual) {
	POPCNTL(accepted.As32(), accepted.As32())
	if o.count != nil {
		ADDQ(accepted, o.count)
		return
	}
	LEAQ(Mem{Base: o.dst, Index: accepted, Scale: 1 << o.outShift}, o.dst)
	if o.dist != nil {
		LEAQ(Mem{Base: o.dist, Index: accepted, Scale: 4}, o.dist)
	}
}

// finish emits the return value.
func (o *output) finish() {
	n := o.count
	if n == nil {
		n = o.dst
		start := param("dst")
		SUBQ(start, n)
		SHRQ(U8(o.outShift), n)
	}
	Store(n, ReturnIndex(0))
}

// chooseVariant emits the jump to the loop that the query's flags ask for, and
// falls through to the first.
func chooseVariant(d reg.Register) {
	f := GP32()
	MOVL(at(d, discFlags), f)
	for i, v := range variants[1:] {
		CMPL(f, U8(uint8(i+1)))
		JE(LabelRef("row_" + v.label()))
	}
}

func doc(tier, what, needs string) {
	Comment(fmt.Sprintf("%s: %s. Needs %s.", tier, what, needs))
	Comment("Reads up to one vector past the end of every column, stores up to one vector past the found.")
}
