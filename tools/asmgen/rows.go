package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowLoop is the part that all kernels over a block of cells share: it walks the
// block's rows and yields each as a span of elements, lo and n.
//
// How many vectors a row has cannot be predicted, so there is about one
// mispredicted branch a row. A loop without branches from row to row (the next
// span loaded ahead, conditional moves to switch) was tried and was 10 % slower.
type rowLoop struct {
	start reg.GPVirtual // offset table from the block's first column on
	off   reg.GPVirtual // the next row's place in the table
	lo, n reg.GPVirtual // rest of the row at hand

	// In memory: number of columns; from row to row in the table; what the last
	// row's place is reduced by; candidates that may still be tested; rows left.
	width, stride, wrap, room, rows Mem
}

// newRowLoop emits the loads from the parameters c, b and room.
func newRowLoop() *rowLoop {
	r := &rowLoop{start: GP64(), off: GP64(), lo: GP64(), n: GP64()}
	local := AllocLocal(40)
	r.width, r.stride, r.wrap, r.room, r.rows = local, local.Offset(8), local.Offset(16), local.Offset(24), local.Offset(32)
	c, b, t, w := param("c"), param("b"), GP64(), GP64()

	MOVL(at(c, cellsLogW), w.As32())
	MOVL(at(b, blockRow), r.off.As32())
	SHLXQ(w, r.off, r.off)
	MOVL(U32(1), t.As32())
	SHLXQ(w, t, t)
	MOVQ(t, r.stride)
	MOVL(at(c, cellsRowMask), t.As32())
	INCQ(t)
	SHLXQ(w, t, t)
	DECQ(t)
	MOVQ(t, r.wrap)

	MOVL(at(b, blockCol), t.As32())
	MOVQ(at(c, cellsStart), r.start)
	LEAQ(Mem{Base: r.start, Index: t, Scale: 4}, r.start)
	MOVL(at(b, blockColEnd), w.As32())
	SUBQ(t, w)
	MOVQ(w, r.width)

	MOVL(at(b, blockRows), t.As32())
	MOVQ(t, r.rows)
	Load(Param("room"), t)
	MOVQ(t, r.room)
	return r
}

// next emits the label row and what takes the next row into lo and n. It leaves
// the loop if there is none, or if its candidates exceed the room.
func (r *rowLoop) next(row string) {
	end := GP64()
	Label(row)
	SUBQ(U8(1), r.rows)
	JCS(LabelRef("end"))
	MOVQ(r.width, end)
	ADDQ(r.off, end)
	MOVL(elem(r.start, r.off), r.lo.As32())
	MOVL(elem(r.start, end), r.n.As32())
	SUBL(r.lo.As32(), r.n.As32())
	SUBQ(r.n, r.room)
	JLT(LabelRef("full"))
	ADDQ(r.stride, r.off)
	ANDQ(r.wrap, r.off)
	TESTQ(r.n, r.n)
	JE(LabelRef(row))
}

// advance emits the step to the next vector of the span, or to the next row.
func (r *rowLoop) advance(lanes int, block, row string) {
	ADDQ(U8(uint8(lanes)), r.lo)
	SUBQ(U8(uint8(lanes)), r.n)
	JGT(LabelRef(block))
	JMP(LabelRef(row))
}

// valid emits the bit mask of the lanes that the span still fills.
func (r *rowLoop) valid(lanes int) reg.GPVirtual {
	count, mask := GP64(), GP64()
	MOVL(U32(uint32(lanes)), count.As32())
	CMPQ(r.n, count)
	CMOVQLT(r.n, count)
	MOVL(U32(1<<lanes-1), mask.As32())
	BZHIL(count.As32(), mask.As32(), mask.As32())
	return mask
}

// finish emits the labels that the loop leaves to, and the update of the block:
// the rows not taken, the candidates seen.
func (r *rowLoop) finish() {
	Label("full")
	ADDQ(r.n, r.room)
	Label("end")
	c, b, w, t := param("c"), param("b"), GP64(), GP64()
	MOVL(at(c, cellsLogW), w.As32())
	SHRXQ(w, r.off, r.off)
	MOVL(r.off.As32(), at(b, blockRow))
	MOVQ(r.rows, t)
	INCQ(t) // the last one asked for was not taken
	MOVL(t.As32(), at(b, blockRows))
	Load(Param("room"), t)
	SUBQ(r.room, t)
	ADDL(t.As32(), at(b, blockSeen))
}

func param(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

func at(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

// elem addresses element index of a column of 4-byte elements.
func elem(base, index reg.Register) Mem { return Mem{Base: base, Index: index, Scale: 4} }

// column emits the load of a column's first-element pointer.
func column(c reg.Register, offset int) reg.GPVirtual {
	p := GP64()
	MOVQ(at(c, offset), p)
	return p
}
