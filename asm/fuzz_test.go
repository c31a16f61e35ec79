package asm

import (
	"encoding/binary"
	"math"
	"testing"
)

// source turns the bytes of a fuzz input into draws. Dry, it yields zeros.
type source struct{ data []byte }

func (s *source) u8() int {
	if len(s.data) == 0 {
		return 0
	}
	v := s.data[0]
	s.data = s.data[1:]
	return int(v)
}

func (s *source) u32() uint32 {
	var b [4]byte
	s.data = s.data[copy(b[:], s.data):]
	return binary.LittleEndian.Uint32(b[:])
}

func (s *source) u64() uint64 { return uint64(s.u32()) | uint64(s.u32())<<32 }

// clip brings a coordinate into range.
func clip(v int64) int32 { return int32(max(-MaxCoord, min(MaxCoord, v))) }

// coord yields a coordinate of any magnitude: mostly small inputs, all bits used.
func (s *source) coord() int32 {
	shift := s.u8() % 31
	return clip(int64(int32(s.u32())) >> (1 + shift))
}

// radius yields a radius of any magnitude.
func (s *source) radius() int32 {
	v := s.coord()
	return max(v, -v)
}

// near yields a place of one of the kinds that matter around centre: anywhere,
// at it, next to the circle of radius, or where float32 errs most.
func (s *source) near(centre place, radius int32) place {
	z := clip(int64(centre.z) + int64(s.u8()) - 128)
	at := func(dx, dy int64) place { return place{clip(int64(centre.x) + dx), clip(int64(centre.y) + dy), z} }
	switch s.u8() % 5 {
	case 0:
		return place{s.coord(), s.coord(), s.coord()}
	case 1:
		return at(int64(s.u8())-128, int64(s.u8())-128)
	case 2: // on an axis
		off := int64(s.u8()%5) - 2
		return []place{at(int64(radius)+off, 0), at(0, off-int64(radius)), at(int64(radius), off), at(off, int64(radius))}[s.u8()%4]
	case 3: // on the circle, rounded
		dx := int64(s.u32()) % (int64(radius) + 1)
		dy := int64(math.Sqrt(float64(int64(radius)*int64(radius)-dx*dx))) + int64(s.u8()%3) - 1
		return at(dx, -dy)
	}
	// a tie just above a power of two
	shift := 1 + s.u8()%6
	v := int64(1)<<(23+shift) + int64(1)<<(shift-1)
	return at(v, v+int64(s.u8()%7)-3)
}

// cells yields up to 16 cells of up to 39 elements, and a block of them.
func (s *source) cells(centre, oldCentre place, radius int32) (*Cells, Block) {
	logW, rows := s.u8()%3, 1<<(s.u8()%3)
	// zeros mean all of the cells
	b := Block{Row: uint32(s.u8() % rows), Rows: uint32(rows - s.u8()%(rows+1)), Col: uint32(s.u8() % (1 << logW))}
	b.ColEnd = 1<<logW - uint32(s.u8()%(1<<logW-int(b.Col)+1))
	old := false
	c := layout(rows, logW, func() int { return s.u8() % 40 }, func() (x, y, z int32) {
		around := centre
		if old {
			around = oldCentre
		}
		old = !old
		p := s.near(around, radius)
		return p.x, p.y, p.z
	})
	for i := range c.Need {
		v := s.u8()
		c.Need[i], c.Any[i] = uint32(v&3), uint32(v>>4&7)
		if v&0xC == 0xC {
			c.OldX[i] = Gone
		}
	}
	return c, b
}

// addSeeds adds inputs of several sizes, drawn from a fixed seed, and the empty one.
func addSeeds(f *testing.F) {
	r := &random{}
	r.SeedWithState(7, 1)
	f.Add([]byte{})
	for _, n := range []int{8, 40, 200, 200, 1000, 1000, 4000, 4000} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Next())
		}
		f.Add(b)
	}
}

func FuzzWithin(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		centre := place{s.coord(), s.coord(), s.coord()}
		outer, inner := s.radius(), s.radius()
		if inner > outer {
			outer, inner = inner, outer
		}
		d := &Disc{
			X: centre.x, Y: centre.y, Z: centre.z,
			Outer: MakeLimit(outer), Inner: MakeLimit(inner),
			OuterHeight: uint32(s.u8()), InnerHeight: uint32(s.u8()),
			Mask: uint32(s.u8()), Flags: Flags(s.u8() % 4),
		}
		around := []int32{outer, inner}[s.u8()%2]
		c, b := s.cells(centre, centre, around)
		everyLevel(t, func(Level) {
			checkWithin(t, c, b, d)
			partly := *d
			if isNarrow(c, b, d) {
				partly.Flags |= Narrow
			}
			for _, form := range forms {
				compareForm(t, form, c.Candidates(b)/2+Slack, c, b, &partly)
			}
		})
	})
}

func FuzzCrossings(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		now := place{s.coord(), s.coord(), s.coord()}
		before := s.near(now, 100)
		outer, inner := s.radius(), s.radius()
		if inner > outer {
			outer, inner = inner, outer
		}
		p := pair([3]int32{now.x, now.y, now.z}, [3]int32{before.x, before.y, before.z}, outer, inner, Flags(s.u8()%2))
		p.OuterHeight, p.InnerHeight = uint32(s.u8()), uint32(s.u8())
		around := []int32{outer, inner}[s.u8()%2]
		c, b := s.cells(now, before, around)
		everyLevel(t, func(Level) {
			checkCrossings(t, c, b, p)
			compareCrossings(t, c.Candidates(b)/2+Slack, c, b, p)
		})
	})
}

func FuzzGatherCells(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		logW := s.u8() % 16
		torus := newTorus(s.u8()%31, s.u8()%31, logW, s.u8()%16)
		xy := make([][2]int32, 1+s.u8()%64)
		for i := range xy {
			xy[i] = [2]int32{s.coord(), s.coord()}
			if s.u8()%8 == 7 {
				xy[i][0] = Gone
			}
		}
		slots := make([]uint32, s.u8())
		for i := range slots {
			slots[i] = uint32(s.u8() % len(xy))
		}
		everyLevel(t, func(Level) { checkGather(t, xy, slots, torus) })
	})
}

func FuzzQuantise(f *testing.F) {
	addSeeds(f)
	for _, v := range []float64{0.5, 1.5, 1<<30 - 0.5, 1<<30 - 1.5, 1 << 30, math.Inf(1), math.NaN(), math.SmallestNonzeroFloat64} {
		f.Add(binary.LittleEndian.AppendUint64([]byte{0, 1, 20}, math.Float64bits(v)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		exponent := s.u8()%24 - 4
		var src []float64
		var src32 []float32
		for len(s.data) > 0 && len(src) < 300 {
			// bits of any kind, or a number near a tie; some repeated, so that
			// short inputs fill vectors
			var v float64
			kind, times := s.u8(), 1+s.u8()%20
			if kind%2 == 0 {
				v = math.Float64frombits(s.u64())
			} else {
				v = math.Ldexp(float64(int32(s.u32()))/2, s.u8()%8-4-exponent)
			}
			for range times {
				src, src32 = append(src, v), append(src32, float32(v))
			}
			if kind%16 == 0 {
				src32[len(src32)-1] = math.Float32frombits(s.u32())
			}
		}
		everyLevel(t, func(Level) {
			checkQuantise(t, src, exponent)
			checkQuantise32(t, src32, exponent)
		})
	})
}
