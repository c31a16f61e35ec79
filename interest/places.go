package interest

import (
	"vicinity/arena"
	"vicinity/grid"
)

// places is where everybody is in the snapshot at hand, by slot.
type places struct {
	xy     [][2]int32
	z      []int32     // empty without heights
	bodies []grid.Body // nil if all are points

	ownXY     [][2]int32
	ownZ      []int32
	ownBodies []grid.Body
	copied    uint64 // tick of the snapshot that was copied
	isCopy    bool
}

// locate makes s.places those of a snapshot. The grid's pending positions are the
// same until something moves: then they are copied from the snapshot, once.
func (s *Set) locate(now *grid.Snapshot) {
	p := &s.places
	if s.cfg.Grid.Settled() {
		p.xy, p.z = s.cfg.Grid.Positions()
		p.bodies = s.cfg.Grid.Bodies()
		return
	}
	slots := s.cfg.Arena.Slots()
	if len(p.ownXY) < slots {
		n := slots + slots/4 + 8
		p.ownXY, p.isCopy = make([][2]int32, n), false
		if s.heights {
			p.ownZ = make([]int32, n)
		}
	}
	if s.cfg.Grid.HasBodies() && len(p.ownBodies) < len(p.ownXY) {
		p.ownBodies, p.isCopy = make([]grid.Body, len(p.ownXY)), false
	}
	if !p.isCopy || p.copied != now.Tick() {
		now.CopyPositions(p.ownXY, p.ownZ)
		if p.ownBodies != nil {
			now.CopyBodies(p.ownBodies)
		}
		p.copied, p.isCopy = now.Tick(), true
	}
	p.xy, p.z, p.bodies = p.ownXY, p.ownZ, p.ownBodies
}

// of returns where the entity of a slot is.
func (p *places) of(slot uint32) grid.Point {
	at := grid.Point{X: p.xy[slot][0], Y: p.xy[slot][1]}
	if p.z != nil {
		at.Z = p.z[slot]
	}
	return at
}

// body returns the body of the entity of a slot.
func (p *places) body(slot uint32) grid.Body {
	if p.bodies == nil {
		return grid.Body{}
	}
	return p.bodies[slot]
}

// holds reports whether the current snapshot has an entity; without a grid, whether
// it is alive.
func (s *Set) holds(h arena.Handle) bool {
	if s.cfg.Grid == nil {
		return s.cfg.Arena.Alive(h)
	}
	return s.cfg.Grid.Holds(h)
}

// class returns the reach class of an entity that the current snapshot has.
func (s *Set) class(h arena.Handle) uint8 {
	layer, _ := s.cfg.Grid.Home(h)
	return uint8(layer)
}
