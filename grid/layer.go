package grid

import (
	"math/bits"
	"sync/atomic"

	"vicinity/arena"
	"vicinity/asm"
)

// A layer is the writer's side of one storage: which store is current, which are
// spare, and what changes at the next Publish.
type layer struct {
	number                  int
	shiftX, shiftY          uint32
	previous, height, masks bool
	memory                  arena.Memory

	store  *store
	next   *store // during a Publish, what the layer is sorted into
	stores []*store
	dirty  atomic.Uint32
	box    extent // of the positions to be sorted, or of a sample

	// incoming and leaving are known during a Publish: the slots that arrive, and
	// how many elements go to another layer.
	incoming []uint32
	leaving  int
	// jump is the coordinate change from which on an element counts as jumped.
	jump int32
}

func newLayer(cfg *Config, number int) *layer {
	shape := cfg.Layers[number]
	l := &layer{
		number: number,
		shiftX: uint32(bits.TrailingZeros32(uint32(shape.CellX))),
		shiftY: uint32(bits.TrailingZeros32(uint32(shape.cellY()))),
		height: cfg.Height, masks: cfg.Masks,
		previous: cfg.Previous && !shape.Static,
		memory:   cfg.Memory,
		jump:     max(shape.CellX, shape.cellY()),
	}
	l.store = &store{steady: true}
	l.store.cells.Start = make([]uint32, 2+asm.Slack)[:2]
	l.stores = []*store{l.store}
	return l
}

// touch notes that the layer has to be sorted again. The load keeps concurrent
// moves off each other's cache line.
func (l *layer) touch() {
	if l.dirty.Load() == 0 {
		l.dirty.Store(1)
	}
}

// changed reports whether the next Publish has to sort the layer.
func (l *layer) changed() bool {
	return l.dirty.Load() != 0 || len(l.incoming) > 0 || l.leaving > 0
}

// spare returns a store that no snapshot in use has, making one if need be.
func (l *layer) spare(publish uint64) *store {
	for _, s := range l.stores {
		if s != l.store && s.usedBy != publish {
			return s
		}
	}
	s := &store{}
	l.stores = append(l.stores, s)
	return s
}

// free gives all buffers back.
func (l *layer) free() {
	for _, s := range l.stores {
		s.free()
	}
	l.stores, l.store, l.incoming = nil, &store{}, nil
}

// minCells is the number of cells that every layer may have.
const minCells = 4096

// fit chooses the torus for n elements that extend over the given box: as many
// columns and rows as the box has, unless that is more than four cells an
// element; then the longer side is halved until it is not. It keeps the present
// torus while that has what is needed, and less than four times as much.
func (l *layer) fit(now asm.Torus, box extent, n int) asm.Torus {
	limit := max(minCells, 4<<bits.Len(uint(max(n, 1)-1)))
	w, h := l.logCells(box.width(), l.shiftX), l.logCells(box.height(), l.shiftY)
	for w+h > uint32(bits.Len(uint(limit))-1) {
		if w >= h {
			w--
		} else {
			h--
		}
	}
	nowW, nowH := now.LogW, uint32(bits.Len32(now.RowMask))
	if w <= nowW && h <= nowH && nowW+nowH < w+h+2 {
		return now
	}
	return asm.Torus{
		ShiftX: l.shiftX, ShiftY: l.shiftY,
		ColMask: 1<<w - 1, RowMask: 1<<h - 1, LogW: w,
	}
}

// logCells returns the binary logarithm of the number of cells that cover a
// length wherever it begins, rounded up.
func (l *layer) logCells(length int64, shift uint32) uint32 {
	return uint32(bits.Len64(uint64(length)>>shift + 1))
}

// extent is a bounding box of positions.
type extent struct{ x0, y0, x1, y1 int32 }

var nowhere = extent{x0: MaxCoord, y0: MaxCoord, x1: -MaxCoord, y1: -MaxCoord}

func (e *extent) add(xy [2]int32) {
	if xy[0] == asm.Gone {
		return
	}
	e.x0, e.x1 = min(e.x0, xy[0]), max(e.x1, xy[0])
	e.y0, e.y1 = min(e.y0, xy[1]), max(e.y1, xy[1])
}

func (e *extent) width() int64  { return max(int64(e.x1)-int64(e.x0), 0) }
func (e *extent) height() int64 { return max(int64(e.y1)-int64(e.y0), 0) }

// sampleStride is how many elements there are to one that is looked at for the
// extent of a large layer. A missed outlier costs candidates, not results.
const sampleStride = 16

// extentOf returns the extent of the layer's elements and arrivals: of all if
// there are few, else of a sample. Elements count where they were last tick: they
// do not go far, and those columns are read in order.
func (l *layer) extentOf(xy [][2]int32) extent {
	e, stride, c := nowhere, 1, &l.store.cells
	if l.store.n > minCells {
		stride = sampleStride
	}
	for i := 0; i < l.store.n; i += stride {
		e.add([2]int32{c.X[i], c.Y[i]})
	}
	for _, slot := range l.incoming {
		e.add(xy[slot])
	}
	return e
}

// fits reports whether two positions within the box never share a torus cell
// unless they share a cell.
func (e extent) fits(t *asm.Torus) bool {
	if e.x1 < e.x0 {
		return true
	}
	cols := int64(e.x1>>t.ShiftX) - int64(e.x0>>t.ShiftX) + 1
	rows := int64(e.y1>>t.ShiftY) - int64(e.y0>>t.ShiftY) + 1
	return cols <= int64(t.ColMask)+1 && rows <= int64(t.RowMask)+1
}

// countAliased counts the elements whose cell of the world is not that of the
// first element in their cell of the torus.
func (s *store) countAliased() int {
	n := 0
	for cell := range s.torus.Cells() {
		lo, hi := s.cells.Start[cell], s.cells.Start[cell+1]
		for i := lo + 1; i < hi; i++ {
			if s.cells.X[i]>>s.torus.ShiftX != s.cells.X[lo]>>s.torus.ShiftX ||
				s.cells.Y[i]>>s.torus.ShiftY != s.cells.Y[lo]>>s.torus.ShiftY {
				n++
			}
		}
	}
	return n
}
