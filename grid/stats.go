package grid

import "vicinity/arena"

// counters are what the writer counts.
type counters struct {
	publishes, sorted, shared, sortedElements uint64
	oldestPinned                              uint64
}

// Stats is what a grid knows about itself.
type Stats struct {
	// Entities is the number of entities in the grid, published or not.
	Entities int
	// Publishes counts the snapshots; Sorted the layers sorted for them, Shared
	// those that had not changed and were taken over. SortedElements counts the
	// entities of the sorted layers.
	Publishes, Sorted, Shared, SortedElements uint64
	// Cells is the number of torus cells of all layers.
	Cells int
	// Aliased is how many entities lie, in the torus, in a cell whose first entity
	// is of another cell of the world. They are candidates of queries there, never
	// results. It is zero while the extents of the layers fit their tori.
	Aliased int
	// Buffers is the number of stores of all layers: usually two a layer, more
	// while readers hold old snapshots, and one more for each kept tick in which the
	// layer changed.
	Buffers int
	// Snapshots is the number of snapshots in existence.
	Snapshots int
	// Kept is how many snapshots before the current one can be pinned, OldestTick the
	// oldest tick that can.
	Kept       int
	OldestTick uint64
	// Pinned is the number of readers with a snapshot, OldestPinned the tick of the
	// oldest one pinned at the last Publish, or that of the current one if none was.
	Pinned       int
	OldestPinned uint64
	// MappedBytes and HeapBytes are held by buffers; columns by slot are counted by
	// the arena.
	MappedBytes, HeapBytes int64
}

// Stats returns the present figures. For the writer's goroutine. O(buffers), no
// allocation. It is all zero after Close.
func (g *Grid) Stats() Stats {
	if g.closed.Load() {
		return Stats{}
	}
	st := Stats{
		Entities:  g.alive,
		Publishes: g.counted.publishes, Sorted: g.counted.sorted, Shared: g.counted.shared,
		SortedElements: g.counted.sortedElements,
		Snapshots:      g.snapshots, OldestPinned: g.counted.oldestPinned,
	}
	for _, l := range g.layers {
		st.Buffers += len(l.stores)
		st.Cells += l.store.torus.Cells()
		st.Aliased += l.store.aliased
		for _, s := range l.stores {
			s.eachBuffer(st.add)
		}
	}
	if now := g.current.Load(); now != nil {
		st.Kept = int(now.number - g.past.oldest(now.number))
		st.OldestTick, _ = g.past.oldestTick(now)
	}
	g.eachPinned(func(*Snapshot) { st.Pinned++ })
	return st
}

func (st *Stats) add(b buffer) {
	if b.Memory() == arena.Mapped {
		st.MappedBytes += b.Bytes()
	} else {
		st.HeapBytes += b.Bytes()
	}
}
