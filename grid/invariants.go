package grid

import (
	"fmt"

	"vicinity/asm"
)

// CheckInvariants returns the first broken rule that it finds, nil if all hold. It
// is for tests, in the writer's goroutine: O(entities + cells), and it allocates.
func (g *Grid) CheckInvariants() error {
	if g.closed.Load() {
		return nil
	}
	alive := 0
	for _, h := range g.homes.Slice() {
		if h.want != 0 {
			alive++
		}
	}
	if alive != g.alive {
		return fmt.Errorf("grid: %d entities have a home; Len is %d", alive, g.alive)
	}
	s := g.current.Load()
	if s == nil {
		return nil
	}
	stored := make(map[uint32]int)
	for i := range s.layers {
		if err := g.checkLayer(s, i, stored); err != nil {
			return err
		}
	}
	if len(stored) != s.n {
		return fmt.Errorf("grid: %d entities stored; the snapshot has %d", len(stored), s.n)
	}
	return g.checkPast(s)
}

// checkPast checks that the ring holds the snapshots before s, and that what they show
// is counted right.
func (g *Grid) checkPast(s *Snapshot) error {
	shown, oldest := make(map[*store]int), g.past.oldest(s.number)
	for number := oldest; number <= s.number; number++ {
		kept := s
		if number < s.number {
			e := g.past.entry(number)
			if kept = e.snapshot.Load(); kept.number != number || kept.tick != e.tick.Load() || kept.tick >= s.tick {
				return fmt.Errorf("grid: entry %d is snapshot %d of tick %d, and says %d", number, kept.number, kept.tick, e.tick.Load())
			}
		}
		for i := range kept.layers {
			shown[kept.layers[i].store]++
		}
	}
	if n := int(s.number-oldest) + 1 + len(g.idle); n != g.snapshots {
		return fmt.Errorf("grid: %d snapshots are kept or idle, of %d", n, g.snapshots)
	}
	for i, l := range g.layers {
		idle := 0
		for _, b := range l.stores {
			if b.shown != shown[b] {
				return fmt.Errorf("grid: a store of storage %d is shown by %d snapshots; it says %d", i, shown[b], b.shown)
			}
			if b.shown == 0 {
				idle++
			}
		}
		if idle != len(l.idle) {
			return fmt.Errorf("grid: storage %d has %d idle stores, %d listed", i, idle, len(l.idle))
		}
	}
	return nil
}

// checkLayer checks that a layer's cells partition its elements, that each lies in
// its cell, once in the whole grid, and where homes say.
func (g *Grid) checkLayer(s *Snapshot, layer int, stored map[uint32]int) error {
	v := &s.layers[layer]
	c, t := &v.cells, &v.store.torus
	if n := len(c.Start); n > 2 && n != t.Cells()+1 {
		return fmt.Errorf("grid: layer %d has %d offsets for %d cells", layer, n, t.Cells())
	}
	if int(c.Start[len(c.Start)-1]) != v.store.n {
		return fmt.Errorf("grid: layer %d: cells end at %d; want %d", layer, c.Start[len(c.Start)-1], v.store.n)
	}
	for cell := 0; cell+1 < len(c.Start); cell++ {
		if c.Start[cell] > c.Start[cell+1] {
			return fmt.Errorf("grid: layer %d: cell %d ends before it begins", layer, cell)
		}
		for i := c.Start[cell]; i < c.Start[cell+1]; i++ {
			slot := c.Slot[i]
			if c.X[i] == asm.Gone || t.Cell(c.X[i], c.Y[i]) != uint32(cell) {
				return fmt.Errorf("grid: layer %d: slot %d at (%d, %d) is in cell %d", layer, slot, c.X[i], c.Y[i], cell)
			}
			if other, twice := stored[slot]; twice {
				return fmt.Errorf("grid: slot %d is in layers %d and %d", slot, other, layer)
			}
			stored[slot] = layer
			if have := g.homes.Slice()[slot].have; int(have) != layer+1 {
				return fmt.Errorf("grid: slot %d is in layer %d; its home says %d", slot, layer, int(have)-1)
			}
			if v.bodied() && g.layers[layer].class != g.cfg.Layers[v.layer].sizeClass(v.body(i)) {
				return fmt.Errorf("grid: slot %d with body %v is in size class %d", slot, v.body(i), g.layers[layer].class)
			}
		}
	}
	return nil
}
