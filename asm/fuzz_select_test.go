package asm

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// FuzzSelect runs the kernels of selection on every level against plain loops: keys
// made of columns of any values, then cut at pivots, filtered and sorted.
func FuzzSelect(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		n, columns := 1+s.u8(), s.u8()
		c := &RankColumns{ClassCount: s.u8() % (Classes + 1)}
		for i := range c.Weight {
			c.Weight[i] = s.u32() >> (s.u8() % 33)
		}
		dist2 := float32(1)
		for i := range n {
			c.Cost = append(c.Cost, s.u32()>>(s.u8()%32))
			if kind := s.u8(); kind > 8 && c.Cost[i] == 0 { // mostly valid
				c.Cost[i] = 1 + uint32(kind)
			}
			if columns&1 != 0 {
				c.Priority = append(c.Priority, uint16(s.u32()))
			}
			if columns&2 != 0 {
				switch kind := s.u8(); {
				case kind < 4:
					dist2 = math.Float32frombits(s.u32())
				case kind < 128: // else as before: they tie
					dist2 = math.Float32frombits(s.u32() % (infinity + 1))
				}
				c.Dist2 = append(c.Dist2, dist2)
			}
			if columns&4 != 0 {
				class := s.u8()
				if class < 252 && c.ClassCount > 0 {
					class %= c.ClassCount
				}
				c.Class = append(c.Class, uint8(class))
			}
			if columns&8 != 0 {
				c.Waited = append(c.Waited, s.u32()>>(s.u8()%33))
			}
		}
		keys, _, bad := rankByHand(c)
		if bad >= 0 {
			everyLevel(t, func(l Level) { checkRank(t, c, fmt.Sprint(l)) })
			return
		}
		v := newItems(n, func(i int) uint64 { return keys[i] }, func(i int) uint32 { return c.Cost[i] })
		pivots := []uint64{keys[s.u8()%n], keys[s.u8()%n] | KeyIndexMask, uint64(s.u32()) << 32}
		limits := []uint32{c.Cost[s.u8()%n], s.u32() >> (s.u8() % 32)}
		few := slices.Clone(keys[:min(n, maxSortKeys)])
		slices.Sort(few)
		everyLevel(t, func(l Level) {
			checkRank(t, c, fmt.Sprint(l))
			for _, pivot := range pivots {
				checkPartition(t, v, pivot)
			}
			for _, limit := range limits {
				checkFitting(t, v, limit)
			}
			got := v.clone().keys[:len(few)]
			SortKeys(got)
			equal(t, fmt.Sprintf("%v: sorted", l), got, few)
		})
	})
}
