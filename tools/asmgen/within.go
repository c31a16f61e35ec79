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

// variant says which optional columns a loop reads, and whether differences of
// coordinates are promised to fit 16 bits.
type variant struct{ height, mask, narrow bool }

// name is part of the labels of the variant's loop.
func (v variant) name() string {
	s := "flat"
	if v.height {
		s = "height"
	}
	if v.mask {
		s += "_mask"
	}
	if v.narrow {
		s += "_narrow"
	}
	return s
}

// variants are those of a form, in the order of asm.Flags' values. What reports
// distances has to compute them in float32 anyway, and ignores narrow.
func (f form) variants() []variant {
	n := 8
	if f.dist {
		n = 4
	}
	var all []variant
	for flags := range n {
		all = append(all, variant{height: flags&flagHeight != 0, mask: flags&flagMask != 0, narrow: flags&flagNarrow != 0})
	}
	return all
}

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

// chooseVariant emits the jump to the loop that the query's flags ask for; the
// first is fallen through to.
func (f form) chooseVariant() {
	d, flags := param("d"), GP32()
	MOVL(at(d, discFlags), flags)
	if f.dist {
		ANDL(U8(flagHeight|flagMask), flags)
	}
	for i, v := range f.variants() {
		if i > 0 {
			CMPL(flags, U8(uint8(i)))
			JE(LabelRef("start_" + v.name()))
		}
	}
}

func doc(tier, what, needs string) {
	Comment(fmt.Sprintf("%s: %s. Needs %s.", tier, what, needs))
	Comment("Reads up to one vector past the end of every column, stores up to one vector past the found.")
}
