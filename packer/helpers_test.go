package packer

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dgryski/go-pcgr"

	"vicinity/internal/oracle"
)

var seedFlag = flag.Int64("seed", 1, "seed of the random tests")

// dice gives numbers below n, n > 0. Random tests draw from a generator, fuzz
// targets from their input.
type dice func(n uint32) uint32

func newDice(t testing.TB, stream int64) dice {
	t.Logf("-seed=%d", *seedFlag)
	r := pcgr.New(*seedFlag, stream)
	return func(n uint32) uint32 { return r.Bound(n) }
}

// bytesDice reads two bytes a number, and gives 0 when there are no more.
func bytesDice(data []byte) dice {
	return func(n uint32) uint32 {
		if len(data) < 2 {
			data = nil
			return 0
		}
		v := uint32(binary.LittleEndian.Uint16(data))
		data = data[2:]
		return v % n
	}
}

func (d dice) one(of uint32) bool { return d(of) == 0 }

// number is below n, usually small, sometimes huge.
func (d dice) number(n uint32) uint32 {
	switch d(20) {
	case 0:
		return math.MaxUint32
	case 1:
		return math.MaxUint32 - d(3)
	case 2:
		return d(n) << d(20)
	}
	return d(n)
}

// limits draws valid limits with each rule on or off.
func (d dice) limits() Limits {
	l := Limits{Bytes: 1 + d(400)}
	if d.one(30) {
		l.Bytes = math.MaxUint32 - d(2)
	}
	if d(3) > 0 {
		l.Reserve = d(min(l.Bytes, 200) + 1)
	}
	if d.one(20) {
		l.Reserve = l.Bytes
	}
	l.Degrade = d.one(3)
	l.StarvedShare = [...]float64{0, 0, 0.25, 0.5, 1, 0.01}[d(6)]
	starved := l.StarvedShare
	if starved == 0 {
		starved = 1.0 / 3
	}
	shares := d.one(2)
	for range d(5) {
		var k Class
		if d.one(2) {
			k.AgeWeight = d.number(50)
		}
		if d.one(2) {
			k.MaxSilence = d.number(8)
		}
		if shares {
			k.Share = (1 - starved) * float64(d(26)) / 100
		}
		if d.one(3) {
			for i := range k.MinInterval {
				k.MinInterval[i] = d.number(6)
			}
		}
		l.Classes = append(l.Classes, k)
	}
	return l
}

// candidates draws n valid candidates with some of the columns.
func (d dice) candidates(n int, l *Limits) *Candidates {
	c := &Candidates{}
	var (
		prios  = 1 + d(5)
		dists  = 1 + d(5)
		costs  = 1 + d(120)
		waits  = 1 + d(15)
		groups = 1 + d(uint32(n)+1)
		flags  = d(3)
		rare   = [...]uint32{1, 8, 50}[d(3)] // one in so many is special
	)
	column := func(one func()) {
		if d(3) > 0 {
			for range n {
				one()
			}
		}
	}
	for range n {
		c.Cost[0] = append(c.Cost[0], max(1, d.number(costs)))
	}
	c.ID = d.ids(n)
	column(func() { c.Priority = append(c.Priority, uint16(d.number(prios))) })
	column(func() {
		v := float32(d(dists))
		switch d(40) {
		case 0:
			v = float32(math.Inf(1))
		case 1:
			v = float32(math.Copysign(0, -1))
		}
		c.Dist2 = append(c.Dist2, v)
	})
	if d.one(2) {
		column(func() { c.Cost[1] = append(c.Cost[1], d.number(costs)) })
		column(func() { c.Cost[2] = append(c.Cost[2], d.number(costs/2+1)) })
		column(func() { c.Level = append(c.Level, uint8(d(Levels))) })
	}
	column(func() { c.Class = append(c.Class, uint8(d(uint32(max(len(l.Classes), 1))))) })
	if flags > 0 {
		column(func() {
			f := Flags(0)
			if flags == 2 || d.one(rare) {
				f = Flags(d(uint32(allFlags) + 1))
			}
			if f&lifecycle == lifecycle {
				f &^= Spawn
			}
			c.Flags = append(c.Flags, f)
		})
	}
	column(func() { c.Waited = append(c.Waited, d.number(waits)) })
	column(func() { c.Silent = append(c.Silent, d.number(waits)) })
	if d.one(3) {
		column(func() { c.Group = append(c.Group, (d(2*rare)/(2*rare-1))*d(groups)) })
	}
	if d.one(8) && len(c.Group) > 0 {
		for i := range c.Group {
			c.Group[i] |= 1 << 31
		}
	}
	return c
}

// ids draws n different IDs.
func (d dice) ids(n int) []uint64 {
	all := make([]uint64, n)
	step := [...]uint64{1, 1<<32 + 1, 1 << 40}[d(3)]
	for i := range all {
		all[i] = uint64(i) * step
		j := int(d(uint32(i) + 1))
		all[i], all[j] = all[j], all[i]
	}
	return all
}

// shuffled returns the candidates in another order, and where each now is.
func (d dice) shuffled(c *Candidates) (*Candidates, []int) {
	at := make([]int, c.Len())
	for i := range at {
		at[i] = i
		j := int(d(uint32(i) + 1))
		at[i], at[j] = at[j], at[i]
	}
	s := &Candidates{
		ID: permute(c.ID, at), Priority: permute(c.Priority, at), Dist2: permute(c.Dist2, at),
		Class: permute(c.Class, at), Flags: permute(c.Flags, at), Waited: permute(c.Waited, at),
		Silent: permute(c.Silent, at), Level: permute(c.Level, at), Group: permute(c.Group, at),
		Row: permute(c.Row, at),
	}
	for i := range c.Cost {
		s.Cost[i] = permute(c.Cost[i], at)
	}
	return s, at
}

func permute[T any](from []T, at []int) []T {
	if from == nil {
		return nil
	}
	to := make([]T, len(from))
	for i, j := range at {
		to[j] = from[i]
	}
	return to
}

// offers returns the candidates as the oracle knows them.
func offers(c *Candidates) []oracle.Offer {
	all := make([]oracle.Offer, c.Len())
	for i := range all {
		o := &all[i]
		o.ID = c.ID[i]
		o.Silent = math.MaxUint32
		set(&o.Priority, c.Priority, i)
		set(&o.Dist2, c.Dist2, i)
		for l := range c.Cost {
			set(&o.Cost[l], c.Cost[l], i)
		}
		set(&o.Waited, c.Waited, i)
		set(&o.Silent, c.Silent, i)
		set(&o.Group, c.Group, i)
		var class, level uint8
		set(&class, c.Class, i)
		set(&level, c.Level, i)
		o.Class, o.Level = int(class), int(level)
		f := c.flags(uint32(i))
		o.Remove, o.Spawn, o.MustSend = f&Remove != 0, f&Spawn != 0, f&MustSend != 0
		o.Unchanged, o.AwaitingSpawn = f&Unchanged != 0, f&AwaitingSpawn != 0
	}
	return all
}

func set[T any](to *T, column []T, i int) {
	if column != nil {
		*to = column[i]
	}
}

// spending returns the limits as the oracle knows them.
func spending(l *Limits, stretch float64, c *Candidates) oracle.Spending {
	s := oracle.Spending{
		Bytes: l.Bytes, Reserve: l.Reserve, StarvedShare: l.StarvedShare, Stretch: stretch,
		Degrade: l.Degrade, AgesUnknown: c.Waited == nil,
	}
	for _, k := range l.Classes {
		s.Classes = append(s.Classes, oracle.Traffic{
			AgeWeight: k.AgeWeight, MaxSilence: k.MaxSilence, Share: k.Share, MinInterval: k.MinInterval,
		})
	}
	return s
}

// compare returns in what the plan differs from what the oracle packed.
func compare(plan *Plan, c *Candidates, want *oracle.Packed) error {
	if len(plan.Selected) != len(want.Selected) {
		return fmt.Errorf("%d selected; want %d:\n%v\n%v", len(plan.Selected), len(want.Selected), plan.Selected, want.Selected)
	}
	var byReason [Reasons]int
	degraded := 0
	for n, got := range plan.Selected {
		as := oracle.Choice{Index: int(got.Index), Cost: got.Cost, Level: int(got.Level), Reason: got.Reason.String()}
		if as != want.Selected[n] {
			return fmt.Errorf("selected %d is %v; want %v:\n%v\n%v", n, as, want.Selected[n], plan.Selected, want.Selected)
		}
		byReason[got.Reason]++
		if wanted := c.Level; got.Level > 0 && (wanted == nil || got.Level > wanted[got.Index]) {
			degraded++
		}
	}
	var byWhy [Whys]int
	var deferred []Deferred
	for i, why := range want.Why {
		if k := slices.Index(whyNames[:], why); k >= 0 {
			byWhy[k]++
			deferred = append(deferred, Deferred{uint32(i), Why(k)})
		}
	}
	if plan.WantDeferred && !slices.Equal(plan.Deferred, deferred) {
		return fmt.Errorf("deferred %v; want %v", plan.Deferred, deferred)
	}
	if !plan.WantDeferred && len(plan.Deferred) > 0 {
		return fmt.Errorf("deferred %v; not wanted", plan.Deferred)
	}
	got := fmt.Sprint(plan.Used, plan.Lifecycle, plan.MustDeferred, plan.Stretched, plan.OldestWait,
		plan.ByReason, plan.ByWhy, plan.Degraded, plan.Candidates, plan.DeferredCount())
	exp := fmt.Sprint(want.Used, want.Lifecycle, want.MustDeferred, want.Stretched, want.OldestWait,
		byReason, byWhy, degraded, c.Len(), len(deferred))
	if got != exp {
		return fmt.Errorf("used, lifecycle, must deferred, stretched, oldest wait, by reason, by why, degraded, candidates, deferred:\n%s; want\n%s", got, exp)
	}
	return nil
}

func mustBudget(t testing.TB, l Limits) *Budget {
	t.Helper()
	b, err := NewBudget(l)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
