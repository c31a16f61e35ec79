package bench

import (
	"fmt"
	"slices"

	"github.com/dgryski/go-pcgr"

	"vicinity/internal/oracle"
	"vicinity/packer"
)

// PackWork is what a number of connections may be sent in one tick. They differ, and
// are packed one after the other, so that no branch predictor learns one of them. A
// server writes a connection's candidates just before it packs them; so the
// connections of a measurement are few enough for the second level cache.
type PackWork struct {
	Name   string
	Limits packer.Limits
	Conns  []PackConn
}

// PackConn is what one connection may be sent.
type PackConn struct {
	Columns packer.Candidates
	// Rows are the same candidates as structs, for those who sort them. Priority is
	// the effective one.
	Rows []PackRow
}

// PackRow is a candidate of the plain rules: priority, distance, ID. A fifth field
// would make it twice as slow to sort (the compiler keeps structs of up to four in
// registers), which would flatter whoever is compared with it.
type PackRow struct {
	ID       uint64
	Dist2    float32
	Cost     uint32
	Priority uint16
}

// Candidates returns how many there are in all.
func (w *PackWork) Candidates() int { return len(w.Conns) * w.Conns[0].Columns.Len() }

// packDraw draws the columns of one candidate.
type packDraw struct {
	pcgr.Rand
	zipf []uint32 // cumulative weights of the priorities 0, 1, ...
}

func newPackDraw() *packDraw {
	d := &packDraw{}
	d.SeedWithState(Seed, 2)
	sum := uint32(0)
	for k := range uint32(256) {
		sum += 1 << 20 / (k + 1)
		d.zipf = append(d.zipf, sum)
	}
	return d
}

func (d *packDraw) below(n uint32) uint32 { return d.Bound(n) }

// priority draws from 0 to 255, k with a probability like 1/(k+1).
func (d *packDraw) priority() uint16 {
	i, _ := slices.BinarySearch(d.zipf, 1+d.below(d.zipf[255]))
	return uint16(i)
}

// dist2 draws the squared distance to somewhere within a square of 100 m around.
func (d *packDraw) dist2() float32 {
	const side = 100 * UnitsPerMetre
	dx, dy := float32(int32(d.below(side))-side/2), float32(int32(d.below(side))-side/2)
	return float32(dx*dx) + float32(dy*dy)
}

// conn draws a connection with n candidates.
func (d *packDraw) conn(n int, draw func(i int, c *packer.Candidates)) PackConn {
	var c packer.Candidates
	for i := range n {
		// Unique and in no order: an odd multiple, modulo a power of two.
		c.ID = append(c.ID, uint64(i)*0x9E3779B97F4A7C15&(1<<48-1))
		draw(i, &c)
	}
	return PackConn{Columns: c, Rows: packRows(&c)}
}

// packRows returns the candidates as structs. One waited tick is worth one step of
// priority, as in the workloads.
func packRows(c *packer.Candidates) []PackRow {
	rows := make([]PackRow, c.Len())
	for i := range rows {
		rows[i] = PackRow{ID: c.ID[i], Dist2: c.Dist2[i], Cost: c.Cost[0][i], Priority: c.Priority[i]}
		if c.Waited != nil {
			rows[i].Priority += uint16(c.Waited[i])
		}
	}
	return rows
}

// PackTable is the case of the packer's own table: v candidates of 16 to 127 bytes,
// with 256 priorities, and a budget of share per cent of their mean sum. There are
// about 16,384 candidates in all, 4 connections at least.
func PackTable(v int, share uint32) PackWork {
	d := newPackDraw()
	w := PackWork{Name: fmt.Sprintf("%d, %d %%", v, share)}
	sum := uint64(0)
	for range max(4, 1<<14/v) {
		w.Conns = append(w.Conns, d.conn(v, func(_ int, c *packer.Candidates) {
			c.Priority = append(c.Priority, uint16(d.below(256)))
			c.Dist2 = append(c.Dist2, d.dist2())
			c.Cost[0] = append(c.Cost[0], 16+d.below(112))
			sum += uint64(c.Cost[0][len(c.Cost[0])-1])
		}))
	}
	w.Limits.Bytes = uint32(sum / uint64(len(w.Conns)) * uint64(share) / 100)
	return w
}

// P1 is the sparse workload: conns connections with 64 candidates of 24 to 48 bytes
// and a budget of 1,200, priorities by Zipf, and ages. About 33 fit.
func P1(conns int) PackWork {
	d := newPackDraw()
	w := PackWork{Name: "P1", Limits: packer.Limits{Bytes: 1200, Classes: []packer.Class{{AgeWeight: 1}}}}
	for range conns {
		w.Conns = append(w.Conns, d.conn(64, func(_ int, c *packer.Candidates) {
			d.common(c)
			c.Waited = append(c.Waited, d.below(4))
		}))
	}
	return w
}

// P2 is the crowd: conns connections with v candidates each. A tenth of them is of a
// class that owns a fifth of the bytes; the others are starved after 90 ticks.
func P2(conns, v int) PackWork {
	d := newPackDraw()
	w := PackWork{
		Name: fmt.Sprintf("P2, %d", v),
		Limits: packer.Limits{Bytes: 1200, Classes: []packer.Class{
			{AgeWeight: 1, MaxSilence: 90}, {AgeWeight: 1, Share: 0.2},
		}},
	}
	for range conns {
		w.Conns = append(w.Conns, d.conn(v, func(i int, c *packer.Candidates) {
			d.common(c)
			class := uint8(0)
			if i%10 == 0 {
				class = 1
			}
			c.Class = append(c.Class, class)
			// Who is served waits anew, so most wait short.
			c.Waited = append(c.Waited, d.below(1+d.below(95)))
		}))
	}
	return w
}

// P3 is the adversary: equal priorities, equal distances, so that all of the order is
// by ID, and sizes that just fit or just do not.
func P3(conns int) PackWork {
	d := newPackDraw()
	w := PackWork{Name: "P3", Limits: packer.Limits{Bytes: 1200}}
	for range conns {
		w.Conns = append(w.Conns, d.conn(1000, func(_ int, c *packer.Candidates) {
			c.Priority = append(c.Priority, 7)
			c.Dist2 = append(c.Dist2, 42)
			c.Cost[0] = append(c.Cost[0], [...]uint32{1199, 1200, 1, 2}[d.below(4)])
		}))
	}
	return w
}

func (d *packDraw) common(c *packer.Candidates) {
	c.Priority = append(c.Priority, d.priority())
	c.Dist2 = append(c.Dist2, d.dist2())
	c.Cost[0] = append(c.Cost[0], 24+d.below(25))
}

// SortPack is the baseline: sort everything, walk, take what fits. It keeps the plain
// rules only.
type SortPack struct {
	rows  []PackRow
	Taken []uint64 // IDs of what was taken, in order
}

// Pack packs rows, which it leaves alone, within bytes.
func (s *SortPack) Pack(rows []PackRow, bytes uint32) {
	s.rows, s.Taken = append(s.rows[:0], rows...), s.Taken[:0]
	slices.SortFunc(s.rows, comparePackRows)
	for i := range s.rows {
		if cost := s.rows[i].Cost; cost <= bytes {
			bytes -= cost
			s.Taken = append(s.Taken, s.rows[i].ID)
		}
	}
}

func comparePackRows(a, b PackRow) int {
	if a.Priority != b.Priority {
		return int(b.Priority) - int(a.Priority)
	}
	if a.Dist2 != b.Dist2 {
		if a.Dist2 < b.Dist2 {
			return -1
		}
		return 1
	}
	if a.ID < b.ID {
		return -1
	}
	return 1
}

// Packing is a PackWork with what both sides need to pack it.
type Packing struct {
	PackWork
	budget *packer.Budget
	packer packer.Packer
	plan   packer.Plan
	sort   SortPack
	found  int // keeps the compiler from leaving anything out
}

// NewPacking prepares a work, and returns an error if the packer and the reference
// disagree on any connection: on the plain rules the baseline, which also is what a
// budget without shares and silences asks for, else the oracle, on some.
func NewPacking(w PackWork) (*Packing, error) {
	b, err := packer.NewBudget(w.Limits)
	if err != nil {
		return nil, err
	}
	p := &Packing{PackWork: w, budget: b}
	plain := true
	for _, k := range w.Limits.Classes {
		plain = plain && k.Share == 0 && k.MaxSilence == 0
	}
	for i := range w.Conns {
		if !plain && i%(1+len(w.Conns)/10) != 0 {
			continue
		}
		c := &w.Conns[i]
		if err := p.packer.Pack(&p.plan, &c.Columns, b); err != nil {
			return nil, err
		}
		var want []uint64
		if plain {
			p.sort.Pack(c.Rows, w.Limits.Bytes)
			want = p.sort.Taken
		} else {
			want = p.oracle(c)
		}
		if !slices.EqualFunc(p.plan.Selected, want, func(s packer.Selected, id uint64) bool { return c.Columns.ID[s.Index] == id }) {
			return nil, fmt.Errorf("bench: %s: connection %d is packed otherwise than the reference says", w.Name, i)
		}
	}
	return p, nil
}

// oracle returns what the plainest implementation of all rules selects.
func (p *Packing) oracle(c *PackConn) (taken []uint64) {
	offers := make([]oracle.Offer, len(c.Rows))
	for i := range offers {
		o := &offers[i]
		o.ID, o.Priority, o.Dist2, o.Cost[0] = c.Columns.ID[i], c.Columns.Priority[i], c.Columns.Dist2[i], c.Columns.Cost[0][i]
		if c.Columns.Class != nil {
			o.Class = int(c.Columns.Class[i])
		}
		if c.Columns.Waited != nil {
			o.Waited = c.Columns.Waited[i]
		}
	}
	s := oracle.Spending{Bytes: p.Limits.Bytes, AgesUnknown: c.Columns.Waited == nil}
	for _, k := range p.Limits.Classes {
		s.Classes = append(s.Classes, oracle.Traffic{AgeWeight: k.AgeWeight, MaxSilence: k.MaxSilence, Share: k.Share})
	}
	for _, choice := range oracle.Pack(offers, s).Selected {
		taken = append(taken, c.Columns.ID[choice.Index])
	}
	return taken
}

// Pack packs every connection with the packer.
func (p *Packing) Pack() {
	for i := range p.Conns {
		if err := p.packer.Pack(&p.plan, &p.Conns[i].Columns, p.budget); err != nil {
			panic(err) // NewPacking tried it
		}
		p.found += len(p.plan.Selected)
	}
}

// Sort packs every connection with the baseline.
func (p *Packing) Sort() {
	for i := range p.Conns {
		p.sort.Pack(p.Conns[i].Rows, p.Limits.Bytes)
		p.found += len(p.sort.Taken)
	}
}
