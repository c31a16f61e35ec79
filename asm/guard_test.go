package asm

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"vicinity/internal/guard"
)

// pen hands out memory between inaccessible pages, each slice from pages of its
// own, with one end of it right at a border. The pages are used again after reset.
type pen struct {
	atEnd bool
	pages []*guard.Memory
	used  int
}

// eachPen runs test once a level and a border.
func eachPen(t *testing.T, test func(t *testing.T, p *pen)) {
	eachLevel(t, func(t *testing.T) {
		for _, atEnd := range []bool{true, false} {
			t.Run(map[bool]string{true: "end", false: "start"}[atEnd], func(t *testing.T) {
				p := &pen{atEnd: atEnd}
				defer p.free(t)
				test(t, p)
			})
		}
	})
}

func (p *pen) free(t *testing.T) {
	for _, m := range p.pages {
		if err := m.Free(); err != nil {
			t.Error(err)
		}
	}
}

func (p *pen) reset() { p.used = 0 }

// penned returns a copy of src in the pen. Nothing lies beyond its border.
func penned[T any](t *testing.T, p *pen, src []T) []T {
	t.Helper()
	if p.used == len(p.pages) {
		m, err := guard.New(1 << 12)
		if err != nil {
			t.Fatal(err)
		}
		p.pages = append(p.pages, m)
	}
	m := p.pages[p.used]
	p.used++
	dst := guard.AtStart[T](m, len(src))
	if p.atEnd {
		dst = guard.AtEnd[T](m, len(src))
	}
	copy(dst, src)
	return dst
}

// pennedCells returns c with every column in the pen, its slack up to the border.
func pennedCells(t *testing.T, p *pen, c *Cells) *Cells {
	g := *c
	for _, col := range []*[]int32{&g.X, &g.Y, &g.Z, &g.OldX, &g.OldY, &g.OldZ} {
		n := len(*col)
		*col = penned(t, p, (*col)[:n+Slack])[:n]
	}
	for _, col := range []*[]uint32{&g.Slot, &g.Need, &g.Any} {
		n := len(*col)
		*col = penned(t, p, (*col)[:n+Slack])[:n]
	}
	g.Start = penned(t, p, c.Start)
	return &g
}

// pennedOne returns a copy of v in the pen.
func pennedOne[T any](t *testing.T, p *pen, v T) *T { return &penned(t, p, []T{v})[0] }

// inside runs call and fails if it touched what lies outside of the pen.
func inside(t *testing.T, what string, call func()) {
	t.Helper()
	if err := guard.Fault(call); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// shapes say which of the cells of guardedCells have elements.
var shapes = []string{"xxxxxxxx", "x.......", "....x..x", ".......x", "xx......", "..xx...."}

// guardedCells has n elements in four rows of two cells, some of them empty: an
// empty row at the end begins where the columns end.
func guardedCells(r *random, n int, shape string) *Cells {
	full := strings.Count(shape, "x")
	k := 0
	c := layout(4, 1, func() int {
		cell := shape[0]
		if shape = shape[1:]; cell == '.' {
			return 0
		}
		k++
		return (n + k - 1) / full
	}, func() (x, y, z int32) {
		return r.spread(20), r.spread(20), r.spread(20)
	})
	permissions(c, r)
	newcomers(c, r, 9)
	return c
}

// TestGuardWithin runs every form and variant between inaccessible pages. The
// destination has room for the candidates and slack, to the element.
func TestGuardWithin(t *testing.T) {
	eachPen(t, func(t *testing.T, p *pen) {
		r := newRandom(t)
		for n := range 101 {
			plain := guardedCells(r, n, shapes[n%len(shapes)])
			for flags := range Flags(8) { // all that there are
				for radius, inner := range map[int32]int32{14: 9, 60: 60} { // some; all, so that the destination is full
					p.reset()
					c := pennedCells(t, p, plain)
					d := pennedOne(t, p, *disc(1, 2, 3, radius, inner, flags))
					b := pennedOne(t, p, whole(c))
					room := n + Slack
					got := output{penned(t, p, make([]uint32, room)), penned(t, p, make([]float32, room)), penned(t, p, make([]Hit, room))}
					want := output{make([]uint32, room), make([]float32, room), make([]Hit, room)}
					for _, f := range forms {
						what, found := fmt.Sprintf("%s, flags %d, %d elements", f.name, flags, n), 0
						*b = whole(c)
						inside(t, what, func() { found = f.run(&got, c, b, d) })
						wb := whole(c)
						if w := f.generic(&want, plain, &wb, d); found != w || *b != wb {
							t.Fatalf("%s: got %d, %+v; want %d, %+v", what, found, *b, w, wb)
						}
					}
				}
			}
		}
	})
}

// TestGuardWithinBand is TestGuardWithin on the way of the exact decision, at the
// ends of the range.
func TestGuardWithinBand(t *testing.T) {
	eachPen(t, func(t *testing.T, p *pen) {
		r := newRandom(t)
		const radius = MaxCoord - 1000
		offsets := borderOffsets(r, radius, 200)
		for n := 1; n <= 100; n++ {
			plain := layout(1, 0, func() int { return n }, func() (x, y, z int32) {
				o := offsets[r.below(len(offsets))]
				return o[0], o[1], 0
			})
			p.reset()
			c := pennedCells(t, p, plain)
			d := pennedOne(t, p, *disc(0, 0, 0, radius, radius-1, allFlags[n%4]))
			b := pennedOne(t, p, whole(c))
			room := n + Slack
			got := output{penned(t, p, make([]uint32, room)), penned(t, p, make([]float32, room)), penned(t, p, make([]Hit, room))}
			for _, f := range forms {
				*b = whole(c)
				inside(t, fmt.Sprintf("%s, %d elements", f.name, n), func() { f.run(&got, c, b, d) })
			}
		}
	})
}

func TestGuardCrossings(t *testing.T) {
	eachPen(t, func(t *testing.T, p *pen) {
		r := newRandom(t)
		for n := range 101 {
			plain := guardedCells(r, n, shapes[n%len(shapes)])
			for _, flags := range pairFlags {
				// all enter, all leave, some of either
				for _, query := range []*Pair{
					pair([3]int32{}, [3]int32{1000}, 60, 60, flags),
					pair([3]int32{1000}, [3]int32{}, 60, 60, flags),
					pair([3]int32{1, 2, 3}, [3]int32{4, 1, 3}, 14, 12, flags),
				} {
					p.reset()
					c := pennedCells(t, p, plain)
					q, b := pennedOne(t, p, *query), pennedOne(t, p, whole(c))
					room := n + Slack
					enter, leave := penned(t, p, make([]uint32, room)), penned(t, p, make([]uint32, room))
					what, ne, nl := fmt.Sprintf("flags %d, %d elements", flags, n), 0, 0
					inside(t, what, func() { ne, nl = crossings(enter, leave, c, b, q) })
					wb := whole(c)
					we, wl := crossingsGeneric(make([]uint32, room), make([]uint32, room), plain, &wb, query)
					if ne != we || nl != wl || *b != wb {
						t.Fatalf("%s: got %d, %d, %+v; want %d, %d, %+v", what, ne, nl, *b, we, wl, wb)
					}
				}
			}
		}
	})
}

// TestGuardGatherCells: neither the sources nor the destinations have slack.
func TestGuardGatherCells(t *testing.T) {
	eachPen(t, func(t *testing.T, p *pen) {
		r := newRandom(t)
		for n := 1; n <= 100; n++ {
			p.reset()
			positions := make([][2]int32, n)
			numbers := make([]uint32, n)
			for i := range positions {
				positions[i] = [2]int32{r.spread(MaxCoord), r.spread(MaxCoord)}
				numbers[i] = uint32(r.below(n))
			}
			numbers[r.below(n)], numbers[r.below(n)] = 0, uint32(n-1)
			xy, slots := penned(t, p, positions), penned(t, p, numbers)
			torus := pennedOne(t, p, *toruses[n%len(toruses)])
			cell, x, y := penned(t, p, make([]uint32, n)), penned(t, p, make([]int32, n)), penned(t, p, make([]int32, n))
			inside(t, fmt.Sprintf("%d elements", n), func() { GatherCells(cell, x, y, xy, slots, torus) })
			for i, s := range slots {
				if x[i] != xy[s][0] || y[i] != xy[s][1] || cell[i] != cellOf(x[i], y[i], torus) {
					t.Fatalf("element %d of %d: got (%d, %d) in cell %d", i, n, x[i], y[i], cell[i])
				}
			}
		}
	})
}

// TestGuardQuantise: neither the sources nor the destinations have slack.
func TestGuardQuantise(t *testing.T) {
	eachPen(t, func(t *testing.T, p *pen) {
		for n := 1; n <= 100; n++ {
			metres, metres32 := make([]float64, n), make([]float32, n)
			for i := range metres {
				metres[i], metres32[i] = float64(i)/3, float32(i)/3
			}
			metres[n-1], metres32[n/2] = math.Inf(1), float32(math.NaN())
			p.reset()
			src, src32 := penned(t, p, metres), penned(t, p, metres32)
			dst, bad := penned(t, p, make([]int32, n)), penned(t, p, make([]uint64, (n+63)/64))
			for what, call := range map[string]func() int{
				"float64": func() int { return Quantise(dst, bad, src, 256) },
				"float32": func() int { return Quantise32(dst, bad, src32, 256) },
			} {
				count := 0
				inside(t, fmt.Sprintf("%s, %d elements", what, n), func() { count = call() })
				if count != 1 {
					t.Fatalf("%s, %d elements: %d are bad; want 1", what, n, count)
				}
			}
		}
	})
}
