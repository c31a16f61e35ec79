package main

import (
	"fmt"
	"time"

	"github.com/tidwall/rtree"
)

// tidwall is github.com/tidwall/rtree. It has no bulk load: a tree is built by inserts,
// or kept up by replacing every point.
type tidwall struct {
	tree    boxTree
	setting int // with which tree was built
}

// boxTree is a tree of either number type.
type boxTree interface {
	insert(points []Point)
	replace(points []Point)
	nearest(p Point, k int) []found
}

type found struct {
	entity uint32
	dist2  float64
}

// rtreeSettings are float32 and float64 trees, built from either order or kept.
var rtreeSettings = []struct {
	name          string
	narrow        bool
	byPlace, keep bool
}{
	{name: "float32, inserted by place", narrow: true, byPlace: true},
	{name: "float32, inserted by entity", narrow: true},
	{name: "float32, replaced", narrow: true, keep: true},
	{name: "float64, inserted by place", byPlace: true},
	{name: "float64, inserted by entity"},
	{name: "float64, replaced", keep: true},
}

func (t *tidwall) Name() string { return "tidwall/rtree" }

func (t *tidwall) Settings() (names []string) {
	for _, s := range rtreeSettings {
		names = append(names, s.name)
	}
	return names
}

func (t *tidwall) Build(setting int, p *Places) (time.Duration, error) {
	s := rtreeSettings[setting]
	points := p.ByEntity
	if s.byPlace {
		points = p.ByPlace
	}
	for _, p := range points {
		if max(p.X, -p.X, p.Y, -p.Y) >= exactBelow {
			return 0, fmt.Errorf("position %v: float32 is not exact from %d on", p, exactBelow)
		}
	}
	if s.keep && t.tree != nil && t.setting == setting {
		return timed(func() error {
			t.tree.replace(points)
			return nil
		})
	}
	t.tree, t.setting = &boxes[float64]{}, setting
	if s.narrow {
		t.tree = &boxes[float32]{}
	}
	return timed(func() error {
		t.tree.insert(points)
		return nil
	})
}

func (t *tidwall) Nearest(queries []Point, k int) (a Answer, err error) {
	a.Took, err = timed(func() error {
		for _, q := range queries {
			for i, f := range t.tree.nearest(q, k) {
				a.Sum += uint64(f.dist2) * uint64(i+1)
			}
		}
		return nil
	})
	return a, err
}

func (t *tidwall) Close() error { return nil }

// boxes is a tree of boxes without extent. Its zero value is empty.
type boxes[N float32 | float64] struct {
	tree  rtree.RTreeGN[N, uint32]
	kept  []Point // what is in the tree
	found []found
}

func (b *boxes[N]) insert(points []Point) {
	for i, p := range points {
		at := [2]N{N(p.X), N(p.Y)}
		b.tree.Insert(at, at, uint32(i))
	}
	b.kept = points
}

func (b *boxes[N]) replace(points []Point) {
	for i, p := range points {
		from, to := [2]N{N(b.kept[i].X), N(b.kept[i].Y)}, [2]N{N(p.X), N(p.Y)}
		b.tree.Replace(from, from, uint32(i), to, to, uint32(i))
	}
	b.kept = points
}

// nearest returns the k nearest to p, valid until the next call.
func (b *boxes[N]) nearest(p Point, k int) []found {
	b.found = b.found[:0]
	x, y := float64(p.X), float64(p.Y)
	b.tree.Nearby(
		func(lo, hi [2]N, _ uint32, _ bool) float64 {
			dx := max(float64(lo[0])-x, x-float64(hi[0]), 0)
			dy := max(float64(lo[1])-y, y-float64(hi[1]), 0)
			return float64(dx*dx) + float64(dy*dy)
		},
		func(_, _ [2]N, entity uint32, dist2 float64) bool {
			b.found = append(b.found, found{entity, dist2})
			return len(b.found) < k
		})
	return b.found
}
