package asm

import (
	"slices"
	"testing"
	"unsafe"
)

// TestWithinNarrowEnds: differences at the very ends of what Narrow admits, where
// 16-bit arithmetic is full, and radii beside them.
func TestWithinNarrowEnds(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		ends := []int32{-NarrowReach, -NarrowReach + 1, -1, 0, 1, NarrowReach - 1, NarrowReach}
		for _, at := range []int32{0, 1 << 20, -MaxCoord + NarrowReach} {
			k := 0
			c := layout(1, 0, func() int { return len(ends) * len(ends) }, func() (x, y, z int32) {
				i := k / 2 % (len(ends) * len(ends))
				k++
				return at + ends[i%7], at + ends[i/7], 0
			})
			for _, radius := range []int32{0, 1, NarrowReach - 1, NarrowReach} {
				d := disc(at, at, 0, radius, radius/2, Narrow)
				checkForms(t, c, whole(c), d)
			}
		}
	})
}

func TestFind(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for n := range 301 {
			backing := make([]uint32, n+1+Slack)
			for i := range backing {
				backing[i] = 7 // what is looked for stands in the slack
			}
			column := backing[1 : 1+n : 1+n+Slack]
			for i := range column {
				column[i] = uint32(i) + 1<<31
			}
			if n == 0 {
				column = column[:0]
			}
			for i := range column {
				if got := Find(column, uint32(i)+1<<31); got != i {
					t.Fatalf("length %d: found element %d at %d", n, i, got)
				}
			}
			if got := Find(column, 7); got != -1 {
				t.Fatalf("length %d: found at %d what is only behind", n, got)
			}
			if n > 1 {
				column[n-1] = column[0]
				if got := Find(column, column[0]); got != 0 {
					t.Fatalf("length %d: found the second of two, at %d", n, got)
				}
			}
		}
	})
}

func TestFar(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := range 301 {
			for _, limit := range []int32{0, 1, 40, MaxCoord} {
				var cols [4][]int32
				for c := range cols {
					cols[c] = make([]int32, n, n+Slack)
					for i := range cols[c][:n+Slack] {
						cols[c][:n+Slack][i] = r.spread(50)
					}
				}
				x, y, oldX, oldY := cols[0], cols[1], cols[2], cols[3]
				for i := range n {
					switch r.below(8) {
					case 0:
						oldX[i] = Gone
					case 1:
						x[i], oldX[i] = MaxCoord, -MaxCoord
					case 2, 3, 4, 5:
						oldX[i], oldY[i] = x[i], y[i]
					}
				}
				for i := n; i < n+Slack; i++ { // a far one, and a long step, that do not count
					x[:n+Slack][i], oldX[:n+Slack][i] = limit/2, -(limit+1)/2
				}
				wantFar, wantStep := farByHand(x, y, oldX, oldY, limit)
				dst := make([]uint32, n+2*Slack)
				for i := range dst {
					dst[i] = 0xDEAD
				}
				got, step := Far(dst[:n+Slack], x, y, oldX, oldY, limit)
				if !slices.Equal(dst[:got], wantFar) || step != wantStep {
					t.Fatalf("length %d, limit %d: got %v, step %d; want %v, %d", n, limit, dst[:got], step, wantFar, wantStep)
				}
				if i := slices.IndexFunc(dst[n+Slack:], func(v uint32) bool { return v != 0xDEAD }); i >= 0 {
					t.Fatalf("length %d: wrote %d elements behind the slack", n, i+1)
				}
			}
		}
	})
}

func farByHand(x, y, oldX, oldY []int32, limit int32) (far []uint32, step int32) {
	for i := range x {
		if oldX[i] == Gone {
			continue
		}
		dx, dy := int64(x[i])-int64(oldX[i]), int64(y[i])-int64(oldY[i])
		if move := max(dx, -dx, dy, -dy); move > int64(limit) {
			far = append(far, uint32(i))
		} else {
			step = max(step, int32(move))
		}
	}
	return far, step
}

func TestExtentAdd(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := range 301 {
			x, y := make([]int32, n), make([]int32, n)
			for i := range x {
				x[i], y[i] = r.spread(MaxCoord), r.spread(1000)
				if r.below(4) == 0 {
					x[i], y[i] = Gone, r.spread(MaxCoord)
				}
			}
			for _, e := range []Extent{Nowhere, {X0: -5, Y0: -5, X1: 5, Y1: 2000}} {
				want := e
				for i := range x {
					if x[i] != Gone {
						want = Extent{min(want.X0, x[i]), min(want.Y0, y[i]), max(want.X1, x[i]), max(want.Y1, y[i])}
					}
				}
				e.Add(x, y)
				if e != want {
					t.Fatalf("length %d: got %+v; want %+v", n, e, want)
				}
			}
		}
	})
}

func TestExtentFits(t *testing.T) {
	torus := &Torus{ShiftX: 2, ShiftY: 3, ColMask: 3, RowMask: 1, LogW: 2}
	for _, c := range []struct {
		e    Extent
		want bool
	}{
		{Nowhere, true},
		{Extent{0, 0, 15, 15}, true},
		{Extent{0, 0, 16, 15}, false},
		{Extent{0, 0, 15, 16}, false},
		{Extent{-1, -1, 11, 7}, true},
		{Extent{-1, 0, 12, 0}, false}, // 14 units, in five columns
		{Extent{-MaxCoord, 0, MaxCoord, 0}, false},
	} {
		if got := c.e.Fits(torus); got != c.want {
			t.Errorf("%+v: got %v; want %v", c.e, got, c.want)
		}
	}
}

// TestPlacement sorts by cell with every split into two parts, and compares with a
// stable sort.
func TestPlacement(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := range 60 {
			cells := 1 + r.below(9)
			p := Placement{
				Cell: make([]uint32, n), X: make([]int32, n), Y: make([]int32, n), Slot: make([]uint32, n),
				ToX: make([]int32, n), ToY: make([]int32, n), ToSlot: make([]uint32, n), Perm: make([]int32, n),
			}
			order := make([]int, n)
			for i := range order {
				order[i] = i
				p.Cell[i], p.X[i], p.Y[i], p.Slot[i] = uint32(r.below(cells)), int32(i), int32(-i), uint32(1000+i)
			}
			slices.SortStableFunc(order, func(a, b int) int { return int(p.Cell[a]) - int(p.Cell[b]) })
			for mid := range n + 1 {
				first, second := counters(p.Cell, cells, mid)
				p.Two(first, second, 0, mid, n)
				for to, i := range order {
					if p.ToX[to] != int32(i) || p.ToY[to] != int32(-i) || p.ToSlot[to] != uint32(1000+i) || p.Perm[i] != int32(to) {
						t.Fatalf("%d elements, middle %d: place %d has (%d, %d, %d), element %d went to %d",
							n, mid, to, p.ToX[to], p.ToY[to], p.ToSlot[to], i, p.Perm[i])
					}
				}
			}
		}
	})
}

// counters returns the first place of each cell's elements below mid, and from mid
// on.
func counters(cell []uint32, cells, mid int) (first, second []uint32) {
	first, second = make([]uint32, cells), make([]uint32, cells)
	sum := uint32(0)
	for c := range cells {
		first[c] = sum
		for _, v := range cell[:mid] {
			if int(v) == c {
				sum++
			}
		}
		second[c] = sum
		for _, v := range cell[mid:] {
			if int(v) == c {
				sum++
			}
		}
	}
	return first, second
}

func TestPrefetchNeverFaults(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		v := 1
		for _, p := range []unsafe.Pointer{unsafe.Pointer(&v), nil} {
			Prefetch(p, 1)
			Prefetch(p, 4096)
		}
		if v != 1 {
			t.Error("something changed")
		}
	})
}
