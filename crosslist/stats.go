package crosslist

import "unsafe"

// Stats says what a list holds and what it has done since New.
type Stats struct {
	Entities, Triggers int
	// Lingering is how many members are beyond the radius, in the margin: of others
	// nothing is noted.
	Lingering int
	// Nodes is how many nodes the two axes have, Blocks in how many blocks.
	Nodes, Blocks int
	// Walks counts the entities and triggers that moved by walking, Jumps those
	// that found their place anew, new ones included.
	Walks, Jumps uint64
	// Passed counts the nodes that walks passed, and Searched about those that
	// searches looked at for what jumped, and for AppendIn.
	Passed, Searched uint64
	// Directory counts the looks into the directories.
	Directory uint64
	Events    uint64
	// Bytes is the memory of nodes, pairs and columns.
	Bytes int64
}

// Stats returns the state and the counters. O(1), no allocation.
func (l *List) Stats() Stats {
	s := l.stats
	s.Entities, s.Triggers, s.Lingering = l.alive, l.names.Len(), l.lingering.n
	for i := range l.axes {
		a := &l.axes[i]
		s.Nodes += a.nodes
		s.Blocks += len(a.dir)
		s.Passed += a.steps
		s.Directory += a.visits
		s.Bytes += int64(cap(a.words)*8 + 16*cap(a.dir) + 4*(cap(a.bodyHome)+cap(a.anchorHome)))
	}
	columns := unsafe.Sizeof(body{}) + 2*unsafe.Sizeof(point{})
	s.Bytes += int64(cap(l.bodies)) * int64(columns)
	columns = unsafe.Sizeof(zone{}) + unsafe.Sizeof(ring{})
	s.Bytes += int64(cap(l.zones)) * int64(columns)
	s.Bytes += int64(4*cap(l.pool.numbers) + 8*cap(l.lingering.slots))
	return s
}
