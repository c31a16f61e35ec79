package asm

import (
	"slices"
	"testing"
)

// FuzzColumns runs the kernels over plain columns on every level against their
// definitions: how far things moved, the extent, the search for a slot, and the
// counting sort.
func FuzzColumns(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		n, limit, cells := 1+s.u8(), s.radius(), 1+s.u8()%16
		column := func() []int32 {
			c := make([]int32, n, n+Slack)
			for i := range c {
				c[i] = s.coord()
			}
			return c
		}
		x, y, oldX, oldY := column(), column(), column(), column()
		slots, cell := make([]uint32, n, n+Slack), make([]uint32, n)
		for i := range slots {
			v := s.u8()
			slots[i], cell[i] = uint32(v%64), uint32(v%cells)
			if v >= 240 {
				x[i] = Gone
			} else if v >= 220 {
				oldX[i] = Gone
			} else if v >= 180 {
				oldX[i], oldY[i] = x[i], y[i]
			}
		}
		mid := s.u8() % (n + 1)

		wantExtent := Nowhere
		extendGeneric(&wantExtent, x, y)
		there := slices.Clone(x)
		for i, v := range there {
			if v == Gone {
				there[i] = 0 // Far asks only about those that are there
			}
		}
		there = slices.Grow(there, Slack)
		wantFar := make([]uint32, n+Slack)
		wantN, wantStep := farGeneric(wantFar, there, y, oldX, oldY, limit)
		wantPerm := slices.Clone(sortColumns(cell, cells, mid, x, y, slots).Perm)

		everyLevel(t, func(l Level) {
			e := Nowhere
			if e.Add(x, y); e != wantExtent {
				t.Fatalf("%v: extent %+v; want %+v", l, e, wantExtent)
			}
			got := make([]uint32, n+Slack)
			if k, step := Far(got, there, y, oldX, oldY, limit); k != wantN || step != wantStep || !slices.Equal(got[:k], wantFar[:k]) {
				t.Fatalf("%v: far %v, step %d; want %v, %d", l, got[:k], step, wantFar[:wantN], wantStep)
			}
			for v := range uint32(65) {
				if i := Find(slots, v); i != slices.Index(slots, v) {
					t.Fatalf("%v: found %d at %d; want %d", l, v, i, slices.Index(slots, v))
				}
			}
			p := sortColumns(cell, cells, mid, x, y, slots)
			if !slices.Equal(p.Perm, wantPerm) {
				t.Fatalf("%v: places %v; want %v", l, p.Perm, wantPerm)
			}
			for i, to := range p.Perm {
				if p.ToX[to] != x[i] || p.ToY[to] != y[i] || p.ToSlot[to] != slots[i] {
					t.Fatalf("%v: element %d is not at its place %d", l, i, to)
				}
			}
		})
	})
}

// sortColumns sorts by cell in two parts that meet at mid.
func sortColumns(cell []uint32, cells, mid int, x, y []int32, slots []uint32) *Placement {
	n := len(cell)
	p := &Placement{
		Cell: cell, X: x, Y: y, Slot: slots,
		ToX: make([]int32, n), ToY: make([]int32, n), ToSlot: make([]uint32, n), Perm: make([]int32, n),
	}
	first, second := counters(cell, cells, mid)
	p.Two(first, second, 0, mid, n)
	return p
}
