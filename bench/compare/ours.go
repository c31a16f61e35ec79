package main

import (
	"time"

	"vicinity/arena"
	"vicinity/grid"
)

// ours is package grid with the cells that a game would have for its interest radius,
// the same for every k.
type ours struct {
	radius  int32
	arena   *arena.Arena
	grid    *grid.Grid
	handles []arena.Handle
	tick    uint64
	near    []grid.Near
}

func newOurs(radius int32) *ours { return &ours{radius: radius} }

func (o *ours) Name() string       { return "vicinity" }
func (o *ours) Settings() []string { return []string{"cells for the view radius"} }

// Build moves everybody and publishes.
func (o *ours) Build(_ int, p *Places) (time.Duration, error) {
	if o.grid == nil {
		if err := o.insert(p.ByEntity); err != nil {
			return 0, err
		}
	}
	o.tick++
	return timed(func() error {
		for i, h := range o.handles {
			if err := o.grid.Move(h, p.ByEntity[i].X, p.ByEntity[i].Y); err != nil {
				return err
			}
		}
		return o.grid.Publish(o.tick)
	})
}

func (o *ours) insert(points []Point) (err error) {
	if o.arena, err = arena.New(arena.Config{Capacity: len(points), Deferred: true}); err != nil {
		return err
	}
	cellX, cellY := grid.CellFor(o.radius)
	o.grid, err = grid.New(grid.Config{Arena: o.arena, Layers: []grid.Layer{{CellX: cellX, CellY: cellY}}})
	if err != nil {
		return err
	}
	for i, p := range points {
		h, err := o.arena.Alloc()
		if err != nil {
			return err
		}
		if err := o.grid.Insert(h, uint64(i), 0, grid.Point{X: p.X, Y: p.Y}); err != nil {
			return err
		}
		o.handles = append(o.handles, h)
	}
	return nil
}

func (o *ours) Nearest(queries []Point, k int) (a Answer, err error) {
	s := o.grid.Snapshot()
	a.Took, err = timed(func() (err error) {
		q := grid.Query{Radius: grid.MaxCoord}
		for _, p := range queries {
			q.X, q.Y = p.X, p.Y
			if o.near, err = s.AppendNearest(o.near[:0], k, q); err != nil {
				return err
			}
			for i := range o.near {
				a.Sum += uint64(o.near[i].Dist2) * uint64(i+1)
			}
		}
		return nil
	})
	return a, err
}

func (o *ours) Close() error {
	if o.grid == nil {
		return nil
	}
	if err := o.grid.Close(); err != nil {
		return err
	}
	return o.arena.Close()
}
