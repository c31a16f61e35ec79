package asm

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// pair makes a query that stands at now and stood at before.
func pair(now, before [3]int32, outer, inner int32, flags Flags) *Pair {
	return &Pair{
		X: now[0], Y: now[1], Z: now[2],
		OldX: before[0], OldY: before[1], OldZ: before[2],
		Outer: MakeLimit(outer), Inner: MakeLimit(inner),
		OuterHeight: uint32(outer / 2), InnerHeight: uint32(inner / 2),
		Flags: flags,
	}
}

var pairFlags = []Flags{0, WithHeight}

// newcomers makes every n-th element, on average, one that was nowhere before.
// The other coordinates of nowhere mean nothing, and can be anything.
func newcomers(c *Cells, r *random, n int) {
	for i := range c.OldX {
		if r.below(n) == 0 {
			c.OldX[i] = Gone
			c.OldY[i] = []int32{c.OldY[i], c.Y[i], Gone}[r.below(3)]
			c.OldZ[i] = []int32{c.OldZ[i], c.Z[i], Gone}[r.below(3)]
		}
	}
}

// place is a position, or nowhere if x is Gone.
type place struct{ x, y, z int32 }

// within is the definition in the plainest words.
func (p place) within(q place, r2 int64, height uint32, flags Flags) bool {
	if p.x == Gone {
		return false
	}
	dx, dy, dz := int64(p.x)-int64(q.x), int64(p.y)-int64(q.y), int64(p.z)-int64(q.z)
	if dz < 0 {
		dz = -dz
	}
	return dx*dx+dy*dy <= r2 && (flags&WithHeight == 0 || dz <= int64(height))
}

// crossed is what AppendCrossings must append, by plain loops over the cells.
func crossed(c *Cells, b Block, p *Pair) (enter, leave []uint32, seen int) {
	centre, oldCentre := place{p.X, p.Y, p.Z}, place{p.OldX, p.OldY, p.OldZ}
	for row := range b.Rows {
		for col := b.Col; col < b.ColEnd; col++ {
			cell := ((b.Row+row)&c.RowMask)<<c.LogW | col
			for i := c.Start[cell]; i < c.Start[cell+1]; i++ {
				seen++
				now, before := place{c.X[i], c.Y[i], c.Z[i]}, place{c.OldX[i], c.OldY[i], c.OldZ[i]}
				if now.within(centre, p.Inner.R2, p.InnerHeight, p.Flags) &&
					!before.within(oldCentre, p.Inner.R2, p.InnerHeight, p.Flags) {
					enter = append(enter, i)
				}
				if before.within(oldCentre, p.Outer.R2, p.OuterHeight, p.Flags) &&
					!now.within(centre, p.Outer.R2, p.OuterHeight, p.Flags) {
					leave = append(leave, i)
				}
			}
		}
	}
	return enter, leave, seen
}

// checkCrossings compares AppendCrossings with crossed, and the kernel of the
// current tier with its definition. It returns how many enter and leave.
func checkCrossings(t *testing.T, c *Cells, b Block, p *Pair) (entered, left int) {
	t.Helper()
	wantEnter, wantLeave, seen := crossed(c, b, p)
	rb := b
	enter, leave := AppendCrossings([]uint32{1}, []uint32{2, 3}, c, &rb, p)
	equal(t, "enter", enter, slices.Concat([]uint32{1}, wantEnter))
	equal(t, "leave", leave, slices.Concat([]uint32{2, 3}, wantLeave))
	want := Block{Row: (b.Row + b.Rows) & c.RowMask, Col: b.Col, ColEnd: b.ColEnd, Seen: b.Seen + uint32(seen)}
	if rb != want {
		t.Fatalf("block is %+v after %+v; want %+v", rb, b, want)
	}
	compareCrossings(t, min(seen, maxCandidates)+Slack, c, b, p)
	return len(wantEnter), len(wantLeave)
}

// compareCrossings runs the kernel of the current tier and its definition on the
// same input with room for n elements (slack included). It returns what is left
// of the block.
func compareCrossings(t *testing.T, n int, c *Cells, b Block, p *Pair) Block {
	t.Helper()
	enter, enterBacking := fenced[uint32](n, canary)
	leave, leaveBacking := fenced[uint32](n, canary)
	wantEnter, wantLeave := make([]uint32, n), make([]uint32, n)
	gotBlock, wantBlock := b, b
	ne, nl := crossings(enter, leave, c, &gotBlock, p)
	we, wl := crossingsGeneric(wantEnter, wantLeave, c, &wantBlock, p)
	if ne != we || nl != wl || gotBlock != wantBlock {
		t.Fatalf("room %d: kernel found %d, %d, left %+v; want %d, %d, %+v", n, ne, nl, gotBlock, we, wl, wantBlock)
	}
	equal(t, "kernel's enter", enter[:ne], wantEnter[:we])
	equal(t, "kernel's leave", leave[:nl], wantLeave[:wl])
	untouched(t, "kernel's enter", enterBacking, canary)
	untouched(t, "kernel's leave", leaveBacking, canary)
	return gotBlock
}

func TestCrossingsEveryLength(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		entered, left := 0, 0
		for n := range 301 {
			c := layout(1, 0, func() int { return n }, func() (x, y, z int32) {
				return r.spread(50), r.spread(50), r.spread(30)
			})
			newcomers(c, r, 6)
			for _, flags := range pairFlags {
				e, l := checkCrossings(t, c, whole(c), pair([3]int32{3, -4, 5}, [3]int32{-2, 1, 0}, 40, 30, flags))
				entered, left = entered+e, left+l
			}
		}
		if entered < 5000 || left < 5000 {
			t.Errorf("only %d enter and %d leave: the generator is too weak", entered, left)
		}
	})
}

func TestCrossingsEveryMisalignment(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		c := layout(1, 6, func() int { return r.below(3) }, func() (x, y, z int32) {
			return r.spread(9), r.spread(9), r.spread(5)
		})
		newcomers(c, r, 6)
		for col := range uint32(64) {
			for end := col; end <= 64; end++ {
				b := Block{Rows: 1, Col: col, ColEnd: end}
				checkCrossings(t, c, b, pair([3]int32{}, [3]int32{1, 1, 1}, 7, 5, pairFlags[end%2]))
			}
		}
	})
}

// TestCrossingsRandomBlocks takes blocks of random cells, most of which wrap
// around in their rows, at every scale.
func TestCrossingsRandomBlocks(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		wrapped := 0
		for range 400 {
			logW, logH := r.below(6), r.below(6)
			scale := int32(1) << (2 + r.below(28))
			c := layout(1<<logH, logW, func() int { return r.below(1 + r.below(40)) }, func() (x, y, z int32) {
				return r.spread(scale), r.spread(scale), r.spread(scale)
			})
			newcomers(c, r, 9)
			col := uint32(r.below(1 << logW))
			b := Block{
				Row: uint32(r.below(1 << logH)), Rows: uint32(r.below(1<<logH + 1)),
				Col: col, ColEnd: col + uint32(r.below(1<<logW-int(col)+1)),
			}
			if b.Row+b.Rows > c.RowMask+1 {
				wrapped++
			}
			outer := int32(r.below(int(min(int64(scale)*2, MaxCoord))))
			inner := int32(r.below(int(outer) + 1))
			at := func() [3]int32 { return [3]int32{r.spread(scale), r.spread(scale), r.spread(scale)} }
			checkCrossings(t, c, b, pair(at(), at(), outer, inner, pairFlags[r.below(2)]))
		}
		if wrapped < 100 {
			t.Errorf("only %d blocks wrap around", wrapped)
		}
	})
}

// TestCrossingsBorder moves elements between places next to, and exactly on, the
// circles of R and R+h: now and before, around an observer that moves as well.
func TestCrossingsBorder(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		entered, left, exact := 0, 0, 0
		for shift := 12; shift < 30; shift++ {
			for try := range 30 {
				inner := int32(1) << shift
				if try > 0 {
					inner += int32(r.below(1 << shift))
				}
				outer := min(inner+[]int32{0, 1, inner / 10}[r.below(3)], MaxCoord)
				if shift == 29 && r.below(4) == 0 {
					inner, outer = MaxCoord-int32(r.below(2)), MaxCoord
				}
				now, before := borderCentre(r, outer), borderCentre(r, outer)
				offsets := append(borderOffsets(r, inner, 60), borderOffsets(r, outer, 60)...)
				k := 0
				c := layout(1, 0, func() int { return 150 }, func() (x, y, z int32) {
					o, centre := offsets[r.below(len(offsets))], [][2]int32{now, before}[k%2]
					if k++; r.below(9) == 0 { // the middle
						o = [2]int32{}
					}
					if d2 := exact2(o[0], o[1]); d2 == int64(inner)*int64(inner) || d2 == int64(outer)*int64(outer) {
						exact++
					}
					return centre[0] + o[0], centre[1] + o[1], r.spread(2)
				})
				newcomers(c, r, 9)
				p := pair([3]int32{now[0], now[1], 0}, [3]int32{before[0], before[1], 0}, outer, inner, pairFlags[try%2])
				p.OuterHeight, p.InnerHeight = 1, 1
				e, l := checkCrossings(t, c, whole(c), p)
				entered, left = entered+e, left+l
			}
		}
		if entered < 5000 || left < 5000 || exact < 2000 {
			t.Errorf("only %d enter, %d leave, %d are exactly on a circle: the generator is too weak", entered, left, exact)
		}
	})
}

// TestCrossingsHeightBorder has heights at, and one off, both limits, and at the
// ends of the range, above and below, inside and outside of the disc.
func TestCrossingsHeightBorder(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, limits := range heightLimits {
			for _, z := range []int32{0, 7, -MaxCoord, MaxCoord} {
				heights := borderHeights(z, limits)
				k, n := 0, len(heights)
				c := layout(1, 0, func() int { return 4 * n * n }, func() (x, y, h int32) {
					i := k / 2
					if k++; k%2 == 1 {
						return int32(i/n/n%2) * 1000, 0, heights[i%n]
					}
					return int32(i/n/n/2) * 1000, 0, heights[i/n%n]
				})
				p := pair([3]int32{0, 0, z}, [3]int32{0, 0, z}, 2, 1, WithHeight)
				p.OuterHeight, p.InnerHeight = limits[0], limits[1]
				checkCrossings(t, c, whole(c), p)
			}
		}
	})
}

// TestCrossingsExtremeRounding sets both limits right beside pairs whose float32
// distance errs by nearly the whole of the proved bound, now and before.
func TestCrossingsExtremeRounding(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for range 20000 {
			dx, dy := extreme(r), extreme(r)
			d2 := exact2(dx, dy)
			if math.Abs(float64(dist2(dx, dy))/float64(d2)-1)*(1<<24) < 2.2 {
				continue
			}
			places := [][2]int32{{dx, dy}, {0, 0}, {MaxCoord, MaxCoord}, {Gone, 0}}
			k := 0
			c := layout(1, 0, func() int { return 16 }, func() (x, y, z int32) {
				i := k / 2
				if k++; k%2 == 1 {
					return places[i%3][0], places[i%3][1], 0
				}
				return places[i/3%4][0], places[i/3%4][1], 0
			})
			root := int32(math.Sqrt(float64(d2)))
			for radius := root - 1; radius <= min(root+2, MaxCoord); radius++ {
				checkCrossings(t, c, whole(c), pair([3]int32{}, [3]int32{}, radius, radius, 0))
			}
		}
	})
}

// TestCrossingsRangeEnds has every pair of places at the ends of the range, and
// nowhere, around observers that went from end to end.
func TestCrossingsRangeEnds(t *testing.T) {
	ends := []int32{-MaxCoord, -MaxCoord + 1, -1, 0, 1, MaxCoord - 1, MaxCoord}
	eachLevel(t, func(t *testing.T) {
		k := 0
		c := layout(1, 0, func() int { return 49 * 50 }, func() (x, y, z int32) {
			element, i := k/2, k/2%49
			if k++; k%2 == 0 {
				i = element / 49
			}
			if i == 49 {
				return Gone, 0, 0
			}
			return ends[i%7], ends[i/7], ends[(i+i/7)%7]
		})
		for i, x := range ends {
			for j, y := range ends {
				for n, radius := range []int32{0, 1, 2, MaxCoord - 1, MaxCoord} {
					now, before := [3]int32{x, y, x}, [3]int32{ends[(j+n)%7], ends[(i+1)%7], y}
					checkCrossings(t, c, whole(c), pair(now, before, radius, radius/2, pairFlags[(i+n)%2]))
				}
			}
		}
	})
}

// TestCrossingsGrow: results do not depend on how much room either list has, and
// what stands before and behind stays.
func TestCrossingsGrow(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		c := layout(8, 3, func() int { return r.below(9) }, func() (x, y, z int32) { return r.spread(20), r.spread(20), 0 })
		newcomers(c, r, 6)
		p := pair([3]int32{}, [3]int32{3, 3, 0}, 15, 12, 0)
		wantEnter, wantLeave, _ := crossed(c, whole(c), p)
		n := c.Candidates(whole(c))
		for room := range n + 2*Slack {
			for _, other := range []int{0, Slack - 1, Slack, 3 * Slack, room, n + Slack} {
				enter, enterBacking := fenced[uint32](room, canary)
				leave, leaveBacking := fenced[uint32](other, canary)
				b := whole(c)
				gotEnter, gotLeave := AppendCrossings(enter[:0], leave[:0], c, &b, p)
				equal(t, fmt.Sprintf("room %d, %d: enter", room, other), gotEnter, wantEnter)
				equal(t, fmt.Sprintf("room %d, %d: leave", room, other), gotLeave, wantLeave)
				untouched(t, "enter", enterBacking, canary)
				untouched(t, "leave", leaveBacking, canary)
			}
		}
	})
}

// TestCrossingsKernelStops calls the kernel itself with too little room: it stops
// before the same row as its definition, and going on from there ends it.
func TestCrossingsKernelStops(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		c := layout(8, 3, func() int { return r.below(9) }, func() (x, y, z int32) {
			return r.spread(20), r.spread(20), r.spread(20)
		})
		newcomers(c, r, 6)
		for _, block := range []Block{whole(c), {Row: 5, Rows: 8, ColEnd: 8, Seen: 77}, {Row: 7, Rows: 3, Col: 2, ColEnd: 7}, {Row: 3}} {
			for room := 0; room <= c.Candidates(block)+2; room++ {
				b, p := block, pair([3]int32{1, -2, 3}, [3]int32{4, 0, 2}, 18, 12, pairFlags[room%2])
				for rows := b.Rows + 1; b.Rows < rows; {
					rows = b.Rows
					b = compareCrossings(t, room+Slack, c, b, p)
				}
			}
		}
	})
}

// TestCrossingsLongRows: a row that exceeds one call's bound is taken in parts,
// and many shorter rows in several calls.
func TestCrossingsLongRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for _, rows := range [][]int{
			{3, maxCandidates, 0, 5},
			{3, maxCandidates + 1, 0, 5},
			{2*maxCandidates + 5, 1, 0, 5},
			{maxCandidates/2 + 1, maxCandidates / 2, maxCandidates / 2, maxCandidates/2 + 1},
		} {
			k := 0
			c := layout(4, 0, func() int { k++; return rows[k-1] }, func() (x, y, z int32) {
				return r.spread(2000), r.spread(2000), 0
			})
			b := whole(c)
			b.Row = 3
			checkCrossings(t, c, b, pair([3]int32{}, [3]int32{100, 0, 0}, 900, 700, 0))
		}
	})
}

func TestAppendCrossingsAllocatesNothing(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		c := layout(8, 3, func() int { return r.below(9) }, func() (x, y, z int32) { return r.spread(20), r.spread(20), 0 })
		p := pair([3]int32{}, [3]int32{3, 3, 0}, 15, 12, 0)
		n := c.Candidates(whole(c)) + Slack
		enter, leave := make([]uint32, 0, n), make([]uint32, 0, n)
		allocs := testing.AllocsPerRun(100, func() {
			b := whole(c)
			AppendCrossings(enter, leave, c, &b, p)
		})
		if allocs != 0 {
			t.Errorf("got %v allocations; want none", allocs)
		}
	})
}
