package grid

import (
	"vicinity/arena"
	"vicinity/asm"
)

// A Snapshot is the positions of one tick in cell order, with the cells. It never
// changes. It is valid while it is pinned through a [Reader] or, for the writer,
// until the next Publish.
type Snapshot struct {
	grid     *Grid
	tick     uint64
	previous uint64 // tick of the snapshot before, if follows
	follows  bool
	number   uint64
	batch    uint64 // freed slots sealed with it
	layers   []view
	n        int
	// relayered says that an entity changed its storage or its body since the snapshot
	// before.
	relayered bool
	pinnedAt  uint64 // the last attempt to publish that found it pinned
	gens      []uint32
	ids       []uint64
}

// view is a layer as one snapshot shows it.
type view struct {
	store *store
	layer int // of the configuration
	// cells are the store's, with old positions that fit this snapshot.
	cells   asm.Cells
	rebuilt bool
	// steady says that old positions are known, and that all which moved by more
	// than step are among the extra elements behind the cells.
	steady bool
	step   int32
	extra  int
}

// Tick returns the tick that the snapshot was published with.
func (s *Snapshot) Tick() uint64 { return s.tick }

// Previous returns the tick of the snapshot before. ok is false for the first.
func (s *Snapshot) Previous() (tick uint64, ok bool) { return s.previous, s.follows }

// Len returns the number of entities.
func (s *Snapshot) Len() int { return s.n }

// Layers returns the number of layers.
func (s *Snapshot) Layers() int { return len(s.grid.cfg.Layers) }

// LayerLen returns the number of entities in a layer.
func (s *Snapshot) LayerLen(layer int) int {
	n := 0
	for i := range s.layers {
		if s.layers[i].layer == layer {
			n += s.layers[i].store.n
		}
	}
	return n
}

// Storages returns the number of storages. Each holds the entities of one layer that
// are of about the same size, in an order of its own. Those of points come first:
// storage i < Layers() has the points of layer i.
func (s *Snapshot) Storages() int { return len(s.layers) }

// LayerOf returns the layer that a storage belongs to.
func (s *Snapshot) LayerOf(storage int) int { return s.layers[storage].layer }

// Handle returns the handle of a slot that a query of this snapshot returned.
func (s *Snapshot) Handle(slot uint32) arena.Handle {
	return arena.MakeHandle(slot, s.gens[slot])
}

// ID returns the ID of a slot that a query of this snapshot returned.
func (s *Snapshot) ID(slot uint32) uint64 { return s.ids[slot] }

// Columns are what is in a storage, in its order. They must not be written.
type Columns struct {
	X, Y, Z []int32
	Slot    []uint32
	Bodies  []Body // nil in a storage of points
}

// Columns returns the columns of a storage: index i of [Snapshot.AppendIndexes] is
// element i. Z is empty without Config.Height.
func (s *Snapshot) Columns(storage int) Columns {
	v := &s.layers[storage]
	c := Columns{X: v.cells.X[:v.store.n], Y: v.cells.Y[:v.store.n], Slot: v.cells.Slot[:v.store.n]}
	if v.cells.Z != nil {
		c.Z = v.cells.Z[:v.store.n]
	}
	if v.bodied() {
		c.Bodies = v.store.bodies[:v.store.n]
	}
	return c
}

// Perm tells where the elements of the snapshot before are now: element i of the
// storage then is element Perm[i] now, -1 if it has left. More elements follow for
// those that arrived. rebuilt is false if the storage did not change: then everything
// is where it was, and perm is of no use.
func (s *Snapshot) Perm(storage int) (perm []int32, rebuilt bool) {
	v := &s.layers[storage]
	return v.store.perm, v.rebuilt
}

// cover is the cells that a closed rectangle touches, as one block, or two where
// its columns wrap around the torus; second.Rows is zero if there is one. No cell
// is in it twice.
type cover struct{ first, second asm.Block }

// set makes c the cover of r. It fills c in place: blocks passed by value are
// copied in wider pieces than they were written in, and the CPU stalls on that.
//
// Where the elements' extent fits the torus, the rectangle is cut to it: cells
// beyond hold nothing but what lies elsewhere.
func (c *cover) set(v *view, r Rect) {
	t := &v.store.torus
	c.first.Rows, c.first.Seen, c.second.Rows, c.second.Seen = 0, 0, 0, 0
	if box := &v.store.box; v.store.unique {
		r.X0, r.X1 = max(r.X0, box.X0), min(r.X1, box.X1)
		r.Y0, r.Y1 = max(r.Y0, box.Y0), min(r.Y1, box.Y1)
		if r.X0 > r.X1 || r.Y0 > r.Y1 {
			return
		}
	}
	w, h := int64(t.ColMask)+1, int64(t.RowMask)+1
	x0, y0 := r.X0>>t.ShiftX, r.Y0>>t.ShiftY
	cols := int64(r.X1>>t.ShiftX) - int64(x0) + 1
	rows := uint32(min(int64(r.Y1>>t.ShiftY)-int64(y0)+1, h))
	row, col := uint32(y0)&t.RowMask, uint32(x0)&t.ColMask
	if cols >= w {
		col, cols = 0, w
	}
	end := col + uint32(cols)
	c.first.Row, c.first.Rows, c.first.Col = row, rows, col
	c.first.ColEnd = min(end, uint32(w))
	if end > uint32(w) {
		c.second.Row, c.second.Rows, c.second.Col, c.second.ColEnd = row, rows, 0, end-uint32(w)
	}
}

// cells returns the number of cells in the cover.
func (c *cover) cells() int {
	return int(c.first.Rows)*int(c.first.ColEnd-c.first.Col) + int(c.second.Rows)*int(c.second.ColEnd-c.second.Col)
}

// aim sets whether d's candidates in a cover of radius are known to be near.
func (v *view) aim(d *asm.Disc, radius int32) {
	d.Flags &^= asm.Narrow
	if radius <= v.store.narrow {
		d.Flags |= asm.Narrow
	}
}

// Rect is a closed rectangle in units: X0 <= x <= X1, Y0 <= y <= Y1.
type Rect struct{ X0, Y0, X1, Y1 int32 }

// square returns the square around a disc. |x| and r are below 2^30, so nothing
// overflows.
func square(x, y, r int32) Rect { return Rect{X0: x - r, Y0: y - r, X1: x + r, Y1: y + r} }
