package fuzz

import (
	"math"

	"vicinity/grid"
)

// triples are right triangles in whole numbers: along them, what should touch does.
var triples = [...][3]int32{{1, 0, 1}, {0, 1, 1}, {3, 4, 5}, {4, 3, 5}, {5, 12, 13}, {15, 8, 17}, {20, 21, 29}}

// multiples are what the triples need, also two after each other, in long and short.
var multiples = [...]int32{5 * 5 * 13 * 17 * 29, 5 * 5 * 13, 5 * 13, 5}

// window is where a world is: within size of (x, y) on both axes. In an exact one most
// lengths are multiples of what the triples need.
type window struct {
	x, y, size int32
	exact      bool
}

// someWindow draws a window, small or large, in the middle or at the end of the range.
func someWindow(s *script) window {
	w := window{size: [...]int32{1, 4, 15, 70, 1000, 1 << 20, grid.MaxCoord / 3, grid.MaxCoord}[s.below(8)], exact: s.below(2) == 0}
	room := grid.MaxCoord - w.size
	place := func() int32 { return [...]int32{0, room, -room, s.spread(room)}[s.below(4)] }
	w.x, w.y = place(), place()
	return w
}

// clip returns the place in the window that is nearest to (x, y).
func (w *window) clip(x, y float64) (int32, int32) {
	cut := func(v float64, centre int32) int32 {
		return int32(min(max(math.Round(v), float64(centre-w.size)), float64(centre+w.size)))
	}
	return cut(x, w.x), cut(y, w.y)
}

// place draws a place: in the middle, in a corner, anywhere.
func (w *window) place(s *script) (int32, int32) {
	at := func(centre int32) int32 {
		switch s.below(6) {
		case 0:
			return centre
		case 1:
			return centre + w.size*int32(s.below(2)*2-1)
		}
		return centre + s.spread(w.size)
	}
	return at(w.x), at(w.y)
}

// length draws a length: none, one, all there is, and otherwise one that suits the
// window and is often a multiple of what the triples need.
func (w *window) length(s *script) int32 {
	most := min(2*int64(w.size), grid.MaxCoord)
	v := int32(s.next() % uint64(most+1))
	choice := s.below(10)
	switch {
	case choice == 0:
		return 0
	case choice == 1:
		return min(1, int32(most))
	case choice == 2:
		return grid.MaxCoord
	case choice == 3:
		return int32(most)
	case choice < 6 || w.exact:
		v /= int32(s.below(4)) + 1
		for _, h := range multiples {
			if v >= h {
				return v - v%h
			}
		}
	case choice == 6:
		return v - v%triples[s.below(len(triples))][2]
	}
	return v / (int32(s.below(4)) + 1)
}

// someDirection draws a vector that is not zero: along a triple, as long or short as can
// be, or any.
func someDirection(s *script) (x, y int32) {
	switch s.below(5) {
	case 0:
		x, y = s.spread(3), s.spread(3)
	case 1:
		x, y = s.spread(grid.MaxCoord), s.spread(grid.MaxCoord)
	case 2:
		x, y = grid.MaxCoord, [...]int32{0, 1, grid.MaxCoord - 1, grid.MaxCoord}[s.below(4)]
	default:
		t := triples[s.below(len(triples))]
		k := [...]int32{1, 2, 1000, grid.MaxCoord / t[2]}[s.below(4)]
		x, y = k*t[0], k*t[1]
	}
	if x == 0 && y == 0 {
		x = 1
	}
	signs := s.below(8)
	if signs&1 != 0 {
		x = -x
	}
	if signs&2 != 0 {
		y = -y
	}
	if signs&4 != 0 {
		x, y = y, x
	}
	return x, y
}

func someAngle(s *script) uint32 {
	switch s.below(8) {
	case 0:
		return 0
	case 1:
		return grid.QuarterTurn
	case 2:
		return [...]uint32{grid.HalfTurn, grid.HalfTurn - 1, grid.HalfTurn - 9}[s.below(3)]
	case 3:
		return grid.QuarterTurn - 2 + uint32(s.below(5))
	case 4:
		return 1 + uint32(s.below(6))
	case 5:
		return grid.QuarterTurn/2 + uint32(s.below(3)) - 1
	case 6:
		return uint32(s.next() % (grid.QuarterTurn / 8))
	}
	return uint32(s.next() % grid.HalfTurn)
}

// someBody draws none, a disc, a box or a wall.
func (w *window) someBody(s *script) grid.Body {
	switch s.below(8) {
	case 0, 1, 2:
		return grid.Body{Radius: w.length(s)}
	case 3, 4:
		return grid.Body{HalfX: w.length(s), HalfY: w.length(s)}
	case 5:
		return grid.Body{HalfY: w.length(s)}
	}
	return grid.Body{}
}

// someFilter draws a filter for a number of layers, mostly one that all pass.
func someFilter(s *script, layers int) grid.Filter {
	f := grid.Filter{Mask: 15}
	if s.below(4) == 0 {
		f.Mask = uint32(s.below(16))
	}
	if s.below(4) == 0 {
		f.Layers = uint32(s.below(1 << layers))
	}
	return f
}

// someQuestion draws a query.
func (w *window) someQuestion(s *script, layers int) question {
	q := question{form: form(s.below(int(forms))), Filter: someFilter(s, layers), angle: someAngle(s), k: s.below(9) * (1 + s.below(3))}
	q.x, q.y = w.place(s)
	q.x1, q.y1 = w.place(s)
	q.dirX, q.dirY = someDirection(s)
	q.a, q.b = w.length(s), w.length(s)
	switch q.height = grid.AnyHeight; s.below(4) {
	case 0:
		q.z, q.height = s.spread(8), int32(s.below(6))
	case 1:
		q.z, q.height = s.spread(grid.MaxCoord), grid.MaxCoord-1
	}
	switch q.form {
	case formRing:
		q.a, q.b = min(q.a, q.b), max(q.a, q.b)
	case formCone:
		if s.below(2) == 0 {
			straighten(s, &q)
		}
		if q.angle == grid.HalfTurn && s.below(2) == 0 {
			q.dirX, q.dirY = 0, 0
		}
	case formCapsule:
		w.aim(s, &q)
	case formWithin, formNearest:
		if s.below(4) == 0 {
			for range layers {
				q.radii = append(q.radii, w.length(s)-int32(s.below(2)))
			}
			for i, r := range q.radii {
				q.radii[i] = max(r, -1)
			}
		}
	}
	return q
}

// straighten turns a cone so that both of its edges are axes or diagonals: they come
// through many whole places.
func straighten(s *script, q *question) {
	const eighth = grid.QuarterTurn / 2
	q.angle = eighth * uint32(s.below(5))
	to := [...][2]int32{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}[s.below(8)]
	k := [...]int32{1, 7, grid.MaxCoord}[s.below(3)]
	q.dirX, q.dirY = k*to[0], k*to[1]
}

// aim moves the second end of a capsule, mostly onto the first or to where a triple
// leads from there.
func (w *window) aim(s *script, q *question) {
	switch t, k := triples[s.below(len(triples))], w.length(s); s.below(4) {
	case 0:
		q.x1, q.y1 = q.x, q.y
	case 1, 2:
		signX, signY := int64(s.below(2)*2-1), int64(s.below(2)*2-1)
		x, y := int64(q.x)+signX*int64(t[0])*int64(k/t[2]), int64(q.y)+signY*int64(t[1])*int64(k/t[2])
		if dx, dy := x-int64(w.x), y-int64(w.y); max(dx, -dx, dy, -dy) <= int64(w.size) {
			q.x1, q.y1 = int32(x), int32(y)
		}
	}
}
