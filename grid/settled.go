package grid

import "vicinity/arena"

// What follows is for package interest and the like, on the writer's goroutine and
// those that it waits for: it speaks of the current snapshot by slot.

// Settled reports whether nothing was changed since the last Publish: then
// [Grid.Positions] are the current snapshot's. O(layers).
func (g *Grid) Settled() bool {
	if len(g.arrivals)+len(g.removed) > 0 {
		return false
	}
	for _, l := range g.layers {
		if l.dirty.Load() != 0 {
			return false
		}
	}
	return true
}

// Positions returns the pending positions by slot, with the heights where there are
// any; unspecified where nobody is. They must not be written, and are valid until
// the arena grows.
func (g *Grid) Positions() (xy [][2]int32, z []int32) {
	if g.z != nil {
		z = g.z.Slice()
	}
	return g.xy.Slice(), z
}

// CopyPositions writes the current snapshot's positions by slot into xy and, with
// heights, z, which must have an element for every slot. Other slots' elements stay.
// O(entities).
func (s *Snapshot) CopyPositions(xy [][2]int32, z []int32) {
	for i := range s.layers {
		c := s.Columns(i)
		for k, slot := range c.Slot {
			xy[slot] = [2]int32{c.X[k], c.Y[k]}
			if c.Z != nil {
				z[slot] = c.Z[k]
			}
		}
	}
}

// Bodies returns the pending bodies by slot, nil if nobody ever had one; unspecified
// where nobody is. As with [Grid.Positions].
func (g *Grid) Bodies() []Body {
	if g.bodies == nil {
		return nil
	}
	return g.bodies.Slice()
}

// CopyBodies writes the current snapshot's bodies by slot into bodies, as
// [Snapshot.CopyPositions] does positions.
func (s *Snapshot) CopyBodies(bodies []Body) {
	for i := range s.layers {
		c := s.Columns(i)
		for k, slot := range c.Slot {
			if bodies[slot] = (Body{}); c.Bodies != nil {
				bodies[slot] = c.Bodies[k]
			}
		}
	}
}

// Home returns the layer in which the current snapshot has an entity. ok is false
// if it does not hold h.
func (g *Grid) Home(h arena.Handle) (layer int, ok bool) {
	if !g.Holds(h) {
		return 0, false
	}
	return g.layers[g.homes.Slice()[h.Slot()].have-1].of, true
}

// HasSlot reports whether the current snapshot has somebody in a slot.
func (g *Grid) HasSlot(slot uint32) bool {
	homes := g.homes.Slice()
	return uint64(slot) < uint64(len(homes)) && homes[slot].have != 0
}

// Generation returns the generation of the last entity that was inserted in a slot,
// 0 if none ever was.
func (g *Grid) Generation(slot uint32) uint32 {
	if gens := g.gens.Slice(); uint64(slot) < uint64(len(gens)) {
		return gens[slot]
	}
	return 0
}

// ID returns the ID of an entity that the current snapshot holds.
func (g *Grid) ID(h arena.Handle) uint64 { return g.ids.Slice()[h.Slot()] }

// Arrived returns the slots that the current snapshot has and the one before had
// not. They must not be written, and are valid until the next Publish.
func (g *Grid) Arrived() []uint32 { return g.arrived }
