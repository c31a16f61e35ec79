package asm

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
)

// scene is a scan of some words, of rows in all states.
func (r *random) scene(words int) *Scan {
	n, entities := 64*words, []int{0, 1, 5, 300}[r.below(4)]
	now := uint32(20 + r.below(1<<20))
	stamp := func() uint32 { return now - uint32(r.below(20)) }
	s := &Scan{
		Known: make([]uint64, words), Waits: make([]uint64, words), Offered: make([]uint64, words), Starves: make([]uint64, words),
		Slot: make([]uint32, n), Sent: make([]uint32, n), Since: make([]uint32, n),
		Hot: make([]Hot, entities), XY: make([][2]int32, max(entities-r.below(2), 0)),
		X: r.spread(100), Y: r.spread(100), Now: now,
		Rank: uint32(r.below(6)), Dist: math.Float32bits(float32(r.below(20000))), Until: stamp(),
	}
	fresh := r.below(4) // how many of four rows do not wait yet
	for i := range s.Known {
		s.Known[i] = uint64(r.Next())<<32 | uint64(r.Next())
		switch r.below(4) {
		case 0:
			s.Known[i] = math.MaxUint64
		case 1:
			s.Known[i] &= 0xFF<<r.below(57) | 1<<63
		}
		s.Waits[i], s.Offered[i], s.Starves[i] = 77, 77, 77
	}
	for i := range s.Slot {
		s.Slot[i], s.Sent[i] = uint32(r.below(entities+1)), stamp()
		if r.below(10) == 0 {
			s.Slot[i] = math.MaxUint32
		}
		if r.below(4) >= fresh {
			s.Since[i] = stamp()
		}
	}
	for i := range s.Hot {
		s.Hot[i] = Hot{Changed: stamp() + 2, Rank: uint16(r.below(8)), Class: uint8(r.below(256)), Least: uint8(r.below(256))}
	}
	for i := range s.XY {
		s.XY[i] = [2]int32{r.spread(100), r.spread(100)}
	}
	for i := range s.Weight {
		s.Weight[i], s.Silence[i] = uint32(r.below(3)), uint32(r.below(25))
	}
	if r.below(2) == 0 {
		s.Dist2 = make([]float32, n)
		for i := range s.Dist2 {
			s.Dist2[i] = float32(r.below(20000))
		}
	}
	if r.below(6) == 0 { // extremes
		s.Rank, s.Dist = []uint32{0, math.MaxUint16, math.MaxUint32}[r.below(3)], math.MaxUint32
		for i := range s.Hot {
			s.Hot[i].Rank = []uint16{0, 1, math.MaxUint16}[r.below(3)]
			s.Hot[i].Changed |= 1 << 31
		}
		for i := range s.XY {
			s.XY[i] = [2]int32{MaxCoord, -MaxCoord}
		}
		for i := range s.Weight {
			s.Weight[i], s.Silence[i] = []uint32{0, 1, math.MaxUint16, math.MaxUint32}[r.below(4)], math.MaxUint32
		}
		s.Now, s.Until = math.MaxUint32, math.MaxUint32
	}
	return s
}

// clone copies a scan and what it writes.
func (s *Scan) clone() *Scan {
	c := *s
	for _, words := range []*[]uint64{&c.Waits, &c.Offered, &c.Starves} {
		*words = slices.Clone(*words)
	}
	c.Since = slices.Clone(c.Since)
	return &c
}

// byRule is the rule of a scan, a row at a time in wide integers.
func (s *Scan) byRule(aged bool) *Scan {
	c := s.clone()
	c.Rank, c.Least, c.Oldest = min(s.Rank, topRank), 255, math.MaxUint32
	clear(c.Waits)
	clear(c.Offered)
	if aged {
		clear(c.Starves)
	}
	for row := range s.Slot {
		i, bit, slot := row/64, uint64(1)<<(row%64), int64(s.Slot[row])
		if s.Known[i]&bit == 0 || slot >= int64(len(s.Hot)) || s.Since[row] == 0 && s.Hot[slot].Changed <= s.Sent[row] {
			continue
		}
		e := s.Hot[slot]
		if c.Since[row] == 0 {
			c.Since[row] = s.Now
		}
		c.Waits[i] |= bit
		c.Oldest = min(c.Oldest, c.Since[row])
		d := float32(0)
		if s.Dist2 != nil {
			d = s.Dist2[row]
		} else if slot < int64(len(s.XY)) {
			d = Dist2(s.XY[slot][0]-s.X, s.XY[slot][1]-s.Y)
		}
		rank, due := uint64(e.Rank), false
		if aged {
			waited := s.Now - c.Since[row]
			rank -= min(uint64(waited)*uint64(s.Weight[e.Class%16]), rank)
			if waited >= s.Silence[e.Class%16] {
				c.Starves[i] |= bit
				due = c.Since[row] <= s.Until
			}
		}
		if due || rank<<32|uint64(math.Float32bits(d)) <= uint64(s.Rank)<<32|uint64(s.Dist) {
			c.Offered[i] |= bit
		} else {
			c.Least = min(c.Least, uint32(e.Least))
		}
	}
	return c
}

// checkScan compares a scan on the tier at hand with the rule.
func checkScan(t *testing.T, what string, s *Scan) {
	t.Helper()
	for _, aged := range []bool{false, true} {
		got, want := s.clone(), s.byRule(aged)
		if aged {
			ScanAged(got)
		} else {
			ScanRows(got)
		}
		if reflect.DeepEqual(got, want) {
			continue
		}
		for i, name := range []string{"waits", "offered", "starves"} {
			a, b := [][]uint64{got.Waits, got.Offered, got.Starves}[i], [][]uint64{want.Waits, want.Offered, want.Starves}[i]
			if !slices.Equal(a, b) {
				t.Errorf("%s, aged %v: %s %x; want %x", what, aged, name, a, b)
			}
		}
		t.Fatalf("%s, aged %v: since %v, least %d, oldest %d; want %v, %d, %d", what, aged,
			got.Since, got.Least, got.Oldest, want.Since, want.Least, want.Oldest)
	}
}

// TestScan compares scans of all kinds with the rule, and what they write, on every
// tier.
func TestScan(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for round := range 2000 {
			checkScan(t, fmt.Sprint("round ", round), r.scene(r.below(6)))
		}
	})
}

func TestScanAllocatesNothing(t *testing.T) {
	s := newRandom(t).scene(3)
	if n := testing.AllocsPerRun(10, func() { ScanRows(s); ScanAged(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestGuardScan runs the scans on memory that ends, or begins, at an inaccessible
// page.
func TestGuardScan(t *testing.T) {
	eachPen(t, func(t *testing.T, p *pen) {
		r := newRandom(t)
		for round := range 200 {
			p.reset()
			s := r.scene(1 + r.below(3))
			for _, words := range []*[]uint64{&s.Known, &s.Waits, &s.Offered, &s.Starves} {
				*words = penned(t, p, *words)
			}
			for _, column := range []*[]uint32{&s.Slot, &s.Sent, &s.Since} {
				*column = penned(t, p, *column)
			}
			if s.Dist2 != nil {
				s.Dist2 = penned(t, p, s.Dist2)
			}
			s.Hot, s.XY = penned(t, p, s.Hot), penned(t, p, s.XY)
			s = pennedOne(t, p, *s)
			inside(t, fmt.Sprint("ScanRows, round ", round), func() { ScanRows(s) })
			inside(t, fmt.Sprint("ScanAged, round ", round), func() { ScanAged(s) })
		}
	})
}

// FuzzScan runs the scans on every level against the rule.
func FuzzScan(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &source{data}
		r := newRandom(t)
		r.SeedWithState(int64(in.u64()), int64(in.u64()))
		s := r.scene(1 + in.u8()%4)
		s.Rank, s.Dist, s.Until = in.u32()>>(in.u8()%32), in.u32(), in.u32()
		for i := range s.Weight {
			s.Weight[i], s.Silence[i] = in.u32()>>(in.u8()%32), in.u32()>>(in.u8()%32)
		}
		for i := range s.Hot {
			s.Hot[i] = Hot{Changed: in.u32(), Rank: uint16(in.u32()), Class: uint8(in.u8()), Least: uint8(in.u8())}
		}
		for i := range s.Since {
			s.Since[i], s.Sent[i] = in.u32()>>(in.u8()%40), in.u32()
		}
		everyLevel(t, func(l Level) { checkScan(t, l.String(), s) })
	})
}

func BenchmarkScan(b *testing.B) {
	before := Tier()
	defer SetTier(before)
	const n = 5120
	s := newRandom(b).scene(n / 64)
	s.Dist2, s.Hot, s.XY = nil, make([]Hot, 2*n), make([][2]int32, 2*n)
	s.Now, s.Rank, s.Dist = 1000, 10, math.Float32bits(1000)
	for i := range s.Known {
		s.Known[i] = math.MaxUint64
	}
	for i := range s.Slot {
		s.Slot[i], s.Since[i] = uint32(2*i), 1+uint32(i%999)
	}
	for i := range s.Hot {
		s.Hot[i] = Hot{Changed: 5000, Rank: uint16(i * 7919 % 256), Least: 9}
	}
	for _, kind := range []struct {
		name string
		run  func(s *Scan)
		tied bool
	}{{"rows", ScanRows, false}, {"aged", ScanAged, false}, {"tied", ScanRows, true}} {
		if kind.tied { // the distance of each decides
			for i := range s.Hot {
				s.Hot[i].Rank = 10
			}
		}
		for _, l := range Levels() {
			SetTier(l)
			b.Run(fmt.Sprintf("%s/asm=%v", kind.name, l), func(b *testing.B) {
				for b.Loop() {
					kind.run(s)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}
