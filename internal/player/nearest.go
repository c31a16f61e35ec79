package player

import (
	"vicinity/arena"
	"vicinity/grid"
)

// spot is where an entity is.
type spot struct {
	id     uint64
	handle arena.Handle
	at     grid.Point
}

// query is the question who is within a radius of it.
func (s *spot) query(radius int32) grid.Query {
	return grid.Query{X: s.at.X, Y: s.at.Y, Radius: radius}
}

// nearest calls each for every spot with the IDs of the k nearest others within
// radius. It asks for one more than k, since the observer is in its own list, or
// behind k others on the same spot.
func nearest(now *grid.Snapshot, spots []spot, radius int32, k int, each func(observer uint64, list []uint64)) error {
	var near []grid.Near
	var list []uint64
	for i := range spots {
		s := &spots[i]
		var err error
		if near, err = now.AppendNearest(near[:0], k+1, s.query(radius)); err != nil {
			return err
		}
		list = list[:0]
		for _, n := range near {
			if n.Slot != s.handle.Slot() {
				list = append(list, now.ID(n.Slot))
			}
		}
		each(s.id, list[:min(k, len(list))])
	}
	return nil
}
