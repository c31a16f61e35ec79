package grid

import (
	"math/bits"
	"sync/atomic"

	"vicinity/arena"
	"vicinity/asm"
)

// A layer is the writer's side of one storage, which holds the entities of one size
// class in one of the configuration's layers: which store is current, which are spare,
// and what changes at the next Publish.
type layer struct {
	number                  int // of the storage
	of, class               int // the configuration's layer, and the size class
	bodies                  bool
	shiftX, shiftY          uint32
	previous, height, masks bool
	memory                  arena.Memory

	store  *store
	next   *store // during a Publish, what the layer is sorted into
	stores []*store
	// idle are the stores that neither the current snapshot nor a kept one shows.
	// Readers may still have them pinned.
	idle  []*store
	dirty atomic.Uint32

	// incoming and leaving are known during a Publish: the slots that arrive, and
	// how many elements go to another layer.
	incoming []uint32
	leaving  int
	// jump is the coordinate change from which on an element counts as jumped.
	jump int32
}

func newLayer(cfg *Config, shape Layer, number int) *layer {
	l := &layer{
		number: number, of: number,
		shiftX: uint32(bits.TrailingZeros32(uint32(shape.CellX))),
		shiftY: uint32(bits.TrailingZeros32(uint32(shape.cellY()))),
		height: cfg.Height, masks: cfg.Masks,
		previous: cfg.Previous && !shape.Static,
		memory:   cfg.Memory,
		jump:     max(shape.CellX, shape.cellY()),
	}
	l.store = empty
	return l
}

// empty is the store of layers that never held anything. Nobody writes it.
var empty = &store{
	steady: true, box: asm.Nowhere, unique: true,
	cells: asm.Cells{Start: make([]uint32, 2+asm.Slack)[:2]},
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

// spare returns a store that no snapshot in use has, making one if need be. It is the
// last of the idle ones until takeSpare.
func (l *layer) spare(attempt uint64) *store {
	last := len(l.idle)
	for i, s := range l.idle {
		if s.pinnedAt != attempt {
			last--
			l.idle[i], l.idle[last] = l.idle[last], s
			return s
		}
	}
	s := &store{}
	l.stores, l.idle = append(l.stores, s), append(l.idle, s)
	return s
}

// takeSpare takes what spare returned: nothing can fail any more.
func (l *layer) takeSpare() { l.idle = l.idle[:len(l.idle)-1] }

// free gives all buffers back.
func (l *layer) free() {
	for _, s := range l.stores {
		s.free()
	}
	l.stores, l.idle, l.store, l.incoming = nil, nil, empty, nil
}

// minCells is the number of cells that every layer may have, unless that is more than
// eight an element: a small world's memory, and half of the time to sort it, are its
// cells.
const minCells = 4096

// maxCells is how many cells n elements may have: four an element, to the next power
// of two, or minCells.
func maxCells(n int) int {
	unit := 1 << bits.Len(uint(max(n, 1)-1))
	return max(min(minCells, 8*unit), 4*unit)
}

// fit chooses the torus for n elements that extend over the given box: as many
// columns and rows as the box has, unless that is more than they may have; then the
// longer side is halved until it is not. It keeps the present torus while that has
// what is needed, and less than four times as much.
func (l *layer) fit(now asm.Torus, box asm.Extent, n int) asm.Torus {
	limit := maxCells(n)
	w, h := logCells(box.X0, box.X1, l.shiftX), logCells(box.Y0, box.Y1, l.shiftY)
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

// logCells returns the binary logarithm of the number of cells that cover [from,
// to] wherever it begins, rounded up.
func logCells(from, to int32, shift uint32) uint32 {
	length := max(int64(to)-int64(from), 0)
	return uint32(bits.Len64(uint64(length)>>shift + 1))
}

// boxBefore returns the extent of the layer's elements as they were, and of its
// arrivals: elements do not go far in a tick, so it is what the torus is fitted to.
func (l *layer) boxBefore(xy [][2]int32) asm.Extent {
	e := l.store.box
	for _, slot := range l.incoming {
		x, y := xy[slot][0], xy[slot][1]
		e.Add([]int32{x}, []int32{y})
	}
	return e
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
