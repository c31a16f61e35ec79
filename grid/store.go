package grid

import (
	"vicinity/arena"
	"vicinity/asm"
	"vicinity/internal/invariants"
)

// A store is one buffer of a layer: the columns in cell order that a Publish
// fills, and that snapshots share until another Publish replaces them. Behind the
// n elements in cells come the extra ones: those that left the layer, and copies
// of those that jumped.
type store struct {
	cells asm.Cells
	torus asm.Torus
	n     int
	// behind are the extra elements, if there are any; nil before the first.
	behind *extra
	// perm tells for each element of the store before, and then for each arrival,
	// where it is in this one: -1 if it is gone.
	perm []int32
	// step is the largest coordinate change of an element that did not jump; every
	// element that changed by more is among the extra, unless there were too many
	// of them (then steady is false).
	step   int32
	steady bool
	// box is the extent of the elements. unique says that it fits the torus: then
	// what is in a torus cell is in one cell of the world.
	box    asm.Extent
	unique bool
	// narrow is the largest radius whose candidates are known to differ from the
	// centre by no more than asm.NarrowReach on each axis; -1 if none.
	narrow int32
	// aliased counts the elements that share a torus cell with others of another
	// place in the world.
	aliased int

	// bodies are the bodies of the elements, and of the extra ones; nil in a store of
	// points. wide are the largest of them.
	bodies []Body
	wide   extents

	room, cellRoom int
	shown          int    // in how many snapshots, of the current one and those kept
	pinnedAt       uint64 // the last attempt to publish that found it pinned
	x, y, z        *arena.Buffer[int32]
	oldX, oldY     *arena.Buffer[int32]
	oldZ           *arena.Buffer[int32]
	slot           *arena.Buffer[uint32]
	need, any      *arena.Buffer[uint32]
	start          *arena.Buffer[uint32]
	permBuffer     *arena.Buffer[int32]
	bodyBuffer     *arena.Buffer[Body]
}

// extra is elements as a storage of one cell.
type extra struct {
	cells asm.Cells
	start [2]uint32
}

// reserve makes room for n elements and cells cells. What the store held is lost.
func (s *store) reserve(l *layer, n, cells int) error {
	if n > s.room || s.permBuffer == nil {
		if err := s.reserveElements(l, n+n/4+8); err != nil {
			return err
		}
	}
	if cells > s.cellRoom {
		if err := resize(&s.start, l.memory, cells+1+asm.Slack); err != nil {
			return err
		}
		s.cellRoom = cells
	}
	if invariants.Enabled {
		s.poison()
	}
	return nil
}

func (s *store) reserveElements(l *layer, room int) (err error) {
	s.room = 0
	grow := func(want bool, b **arena.Buffer[int32]) {
		if want && err == nil {
			err = resize(b, l.memory, room+asm.Slack)
		}
	}
	growBits := func(want bool, b **arena.Buffer[uint32]) {
		if want && err == nil {
			err = resize(b, l.memory, room+asm.Slack)
		}
	}
	grow(true, &s.x)
	grow(true, &s.y)
	grow(l.height, &s.z)
	grow(l.previous, &s.oldX)
	grow(l.previous, &s.oldY)
	grow(l.previous && l.height, &s.oldZ)
	grow(true, &s.permBuffer)
	growBits(true, &s.slot)
	growBits(l.masks, &s.need)
	growBits(l.masks, &s.any)
	if l.bodies && err == nil {
		err = resize(&s.bodyBuffer, l.memory, room+asm.Slack)
	}
	if err == nil {
		s.room = room
	}
	return err
}

// resize replaces a buffer by one of n elements.
func resize[T any](b **arena.Buffer[T], m arena.Memory, n int) error {
	fresh, err := arena.NewBuffer[T](m, n)
	if err != nil {
		return err
	}
	if *b != nil {
		(*b).Free()
	}
	*b = fresh
	return nil
}

// columns sets the cells' slices to n elements.
func (s *store) columns(n int) {
	s.cells.X, s.cells.Y, s.cells.Z = part(s.x, n), part(s.y, n), part(s.z, n)
	s.cells.OldX, s.cells.OldY, s.cells.OldZ = part(s.oldX, n), part(s.oldY, n), part(s.oldZ, n)
	s.cells.Slot, s.cells.Need, s.cells.Any = part(s.slot, n), part(s.need, n), part(s.any, n)
	s.bodies = part(s.bodyBuffer, n)
}

// part returns the first n elements of a buffer, with its slack as capacity.
func part[T any](b *arena.Buffer[T], n int) []T {
	if b == nil {
		return nil
	}
	return b.Slice()[:n]
}

// buffer is what buffers of all element types have in common.
type buffer interface {
	Poison()
	Free()
	Bytes() int64
	Memory() arena.Memory
}

// eachBuffer calls visit with every buffer that there is.
func (s *store) eachBuffer(visit func(b buffer)) {
	for _, b := range [...]*arena.Buffer[int32]{s.x, s.y, s.z, s.oldX, s.oldY, s.oldZ, s.permBuffer} {
		if b != nil {
			visit(b)
		}
	}
	for _, b := range [...]*arena.Buffer[uint32]{s.slot, s.need, s.any, s.start} {
		if b != nil {
			visit(b)
		}
	}
	if s.bodyBuffer != nil {
		visit(s.bodyBuffer)
	}
}

// measureBodies finds the largest bodies of those who are in the store. Who left it is
// not met through cells, and may be a giant by now.
func (s *store) measureBodies() {
	s.wide = extents{}
	if s.bodies == nil {
		return
	}
	for _, b := range s.bodies[:s.n] {
		s.wide.add(b)
	}
}

// poison overwrites what a reader who kept the store too long would look at.
func (s *store) poison() { s.eachBuffer(func(b buffer) { b.Poison() }) }

func (s *store) free() {
	s.eachBuffer(func(b buffer) { b.Free() })
	*s = store{}
}
