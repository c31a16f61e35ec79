package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowLoop is the part that all kernels over a block of cells share: it walks the
// block's rows and yields each as a span of elements, lo and n.
type rowLoop struct {
	start, width, off, lo, n reg.GPVirtual

	stride, wrap, room, rows, seen Mem
}

// newRowLoop emits the loads from the parameters c, b and room.
func newRowLoop() *rowLoop {
	r := &rowLoop{start: GP64(), width: GP64(), off: GP64(), lo: GP64(), n: GP64()}
	local := AllocLocal(40)
	r.stride, r.wrap, r.room, r.rows, r.seen = local, local.Offset(8), local.Offset(16), local.Offset(24), local.Offset(32)
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
	MOVL(at(b, blockColEnd), r.width.As32())
	SUBQ(t, r.width)

	MOVL(at(b, blockRows), t.As32())
	MOVQ(t, r.rows)
	MOVQ(U32(0), r.seen)
	Load(Param("room"), t)
	MOVQ(t, r.room)
	return r
}

// next emits the label row and what takes the next row into lo and n. It goes to
// done if there is none, or if its candidates exceed the room.
func (r *rowLoop) next(row, done string) {
	p, t := GP64(), GP64()
	Label(row)
	CMPQ(r.rows, U8(0))
	JE(LabelRef(done))
	LEAQ(Mem{Base: r.start, Index: r.off, Scale: 4}, p)
	MOVL(Mem{Base: p}, r.lo.As32())
	MOVL(Mem{Base: p, Index: r.width, Scale: 4}, r.n.As32())
	SUBL(r.lo.As32(), r.n.As32())
	MOVQ(r.seen, t)
	ADDQ(r.n, t)
	CMPQ(t, r.room)
	JGT(LabelRef(done))
	MOVQ(t, r.seen)
	DECQ(r.rows)
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

// finish emits the update of the block: the rows not taken, the candidates seen.
func (r *rowLoop) finish() {
	c, b, w, t := param("c"), param("b"), GP64(), GP64()
	MOVL(at(c, cellsLogW), w.As32())
	SHRXQ(w, r.off, r.off)
	MOVL(r.off.As32(), at(b, blockRow))
	MOVQ(r.rows, t)
	MOVL(t.As32(), at(b, blockRows))
	MOVQ(r.seen, t)
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
