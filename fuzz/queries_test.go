package fuzz

import (
	"encoding/binary"
	"slices"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// numbers reads int32 from the fuzzer's bytes, zeros behind their end.
type numbers struct{ bytes []byte }

func (n *numbers) next() int32 {
	var word [4]byte
	n.bytes = n.bytes[copy(word[:], n.bytes):]
	return int32(binary.LittleEndian.Uint32(word[:]))
}

// coordinate returns a number within the range of coordinates.
func (n *numbers) coordinate() int32 { return n.next() % (grid.MaxCoord + 1) }

// size returns a number from 0 to MaxCoord.
func (n *numbers) size() int32 { return max(n.coordinate(), 0) }

// point is an entity of the model.
type point struct {
	p         grid.Point
	need, any uint32
	slot      uint32
}

// FuzzQueries compares every query of worlds of a few entities, anywhere, with a
// plain loop, on every kernel level.
func FuzzQueries(f *testing.F) {
	border := func(v ...int32) []byte {
		var b []byte
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		}
		return b
	}
	f.Add(border(0, 0, 5, 3, 4, 5))
	f.Add(border(7, 7, grid.MaxCoord, grid.MaxCoord, -grid.MaxCoord, -grid.MaxCoord, 1, 1, 1, 1))
	f.Add(border(20, 3, 4096, 0, 0, 0, 0, 0, 4096, 0, 4097, 0, 2896, 2896, 2897, 2896))
	f.Add(border(29, 29, 1<<29, 3, -1<<29, 1<<28, 12, 1<<29, 0, 1<<29-1, 1, -1<<29, -1))
	f.Fuzz(func(t *testing.T, b []byte) {
		before := asm.Tier()
		defer asm.SetTier(before)
		n := &numbers{bytes: b}
		a, err := arena.New(arena.Config{Deferred: true})
		if err != nil {
			t.Fatal(err)
		}
		layer := grid.Layer{CellX: 1 << (uint32(n.next()) % 30), CellY: 1 << (uint32(n.next()) % 30)}
		g, err := grid.New(grid.Config{Arena: a, Layers: []grid.Layer{layer}, Height: true, Masks: true})
		if err != nil {
			t.Fatal(err)
		}
		q := grid.Query{Radius: n.size(), X: n.coordinate(), Y: n.coordinate(), Z: n.coordinate(), Height: n.size(), Filter: grid.Filter{Mask: uint32(n.next())}}
		var all []point
		for len(n.bytes) > 0 && len(all) < 500 {
			e := point{p: grid.Point{X: n.coordinate(), Y: n.coordinate()}}
			if len(all)%2 == 1 {
				e.p.Z, e.need, e.any = n.coordinate(), uint32(n.next()), uint32(n.next())
			}
			h, err := a.Alloc()
			if err != nil {
				t.Fatal(err)
			}
			e.slot = h.Slot()
			if err := g.Insert(h, uint64(len(all)), 0, e.p); err != nil {
				t.Fatal(err)
			}
			if err := g.SetMasks(h, e.need, e.any); err != nil {
				t.Fatal(err)
			}
			all = append(all, e)
		}
		if err := g.Publish(1); err != nil {
			t.Fatal(err)
		}
		if err := g.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
		for _, level := range asm.Levels() {
			if err := asm.SetTier(level); err != nil {
				t.Fatal(err)
			}
			checkQueries(t, g.Snapshot(), all, q)
			for i := range min(len(all), 10) { // from where somebody is, to the border
				q := q
				q.X, q.Y, q.Z = all[i].p.X, all[i].p.Y, all[i].p.Z
				checkQueries(t, g.Snapshot(), all, q)
				q.Height, q.Radius = grid.AnyHeight, 0
				checkQueries(t, g.Snapshot(), all, q)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// checkQueries compares one query with a plain loop.
func checkQueries(t *testing.T, s *grid.Snapshot, all []point, q grid.Query) {
	var want, inRect []uint32
	r := grid.Rect{
		X0: max(q.X-q.Radius, -grid.MaxCoord), Y0: max(q.Y-q.Radius, -grid.MaxCoord),
		X1: min(q.X+q.Radius, grid.MaxCoord), Y1: min(q.Y+q.Radius, grid.MaxCoord),
	}
	for _, e := range all {
		if e.need&^q.Mask != 0 || e.any != 0 && e.any&q.Mask == 0 {
			continue
		}
		dx, dy, dz := int64(e.p.X)-int64(q.X), int64(e.p.Y)-int64(q.Y), int64(e.p.Z)-int64(q.Z)
		if dx*dx+dy*dy <= int64(q.Radius)*int64(q.Radius) && (q.Height == grid.AnyHeight || max(dz, -dz) <= int64(q.Height)) {
			want = append(want, e.slot)
		}
		if r.X0 <= e.p.X && e.p.X <= r.X1 && r.Y0 <= e.p.Y && e.p.Y <= r.Y1 {
			inRect = append(inRect, e.slot)
		}
	}
	slots, err := s.AppendSlots(nil, q)
	if slices.Sort(slots); err != nil || !slices.Equal(slots, want) {
		t.Fatalf("%v: AppendSlots(%+v): %v, %v; want %v", asm.Tier(), q, slots, err, want)
	}
	hits, err := s.AppendWithin(nil, q)
	if err != nil || len(hits) != len(want) {
		t.Fatalf("%v: AppendWithin(%+v): %v, %v; want %v", asm.Tier(), q, hits, err, want)
	}
	if n, err := s.CountWithin(q); err != nil || n != len(want) {
		t.Fatalf("%v: CountWithin(%+v): %d, %v; want %d", asm.Tier(), q, n, err, len(want))
	}
	near, err := s.AppendNearest(nil, len(want)+1, q)
	if err != nil || len(near) != len(want) {
		t.Fatalf("%v: AppendNearest(%+v): %v, %v; want %v", asm.Tier(), q, near, err, want)
	}
	for i := 1; i < len(near); i++ {
		if a, b := near[i-1], near[i]; a.Dist2 > b.Dist2 || a.Dist2 == b.Dist2 && s.ID(a.Slot) >= s.ID(b.Slot) {
			t.Fatalf("%v: AppendNearest(%+v): %v before %v", asm.Tier(), q, a, b)
		}
	}
	found, err := s.AppendIn(nil, r, q.Filter)
	if slices.Sort(found); err != nil || !slices.Equal(found, inRect) {
		t.Fatalf("%v: AppendIn(%+v): %v, %v; want %v", asm.Tier(), r, found, err, inRect)
	}
}
