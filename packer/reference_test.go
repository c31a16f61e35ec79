package packer

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"vicinity/asm"
	"vicinity/internal/oracle"
)

var soakFlag = flag.Int("soak", 0, "cases that TestSoak packs, on each tier and in two orders")

// checkCase packs one random case and returns in what it differs from the oracle, on
// every kernel tier, in the order drawn and in another.
func (d dice) checkCase(p *Packer, plan *Plan, n int) error {
	before := asm.Tier()
	defer asm.SetTier(before)
	l := d.limits()
	b, err := NewBudget(l)
	if err != nil {
		return err
	}
	c := d.candidates(n, &l)
	p.Stretch = [...]float64{0, 1, 1.5, 4, 1e300}[d(5)]
	plan.WantDeferred = d.one(2)
	for range 2 {
		want := oracle.Pack(offers(c), spending(&l, p.Stretch, c))
		for _, tier := range asm.Levels() {
			if err := errors.Join(asm.SetTier(tier), p.Pack(plan, c, b)); err != nil {
				return err
			}
			if plan.Used > l.Bytes || plan.Lifecycle > l.Reserve {
				return fmt.Errorf("%v: used %d of %d, lifecycle %d of %d", tier, plan.Used, l.Bytes, plan.Lifecycle, l.Reserve)
			}
			if err := compare(plan, c, &want); err != nil {
				return fmt.Errorf("%v: %w\nlimits %+v\nstretch %v\ncandidates %+v", tier, err, l, p.Stretch, *c)
			}
		}
		c, _ = d.shuffled(c)
	}
	return nil
}

func TestPackEqualsReference(t *testing.T) {
	cases := 100_000
	if testing.Short() || raceEnabled {
		cases = 5_000
	}
	packCases(t, 1, cases)
}

// TestSoak is as much more of TestPackEqualsReference as one asks for. Different
// seeds give different cases: go test -run TestSoak -soak 10000000 -seed 7.
func TestSoak(t *testing.T) {
	if *soakFlag == 0 {
		t.Skip("no -soak")
	}
	packCases(t, 1001, *soakFlag)
	t.Logf("%d cases in 2 orders on %v", *soakFlag, asm.Levels())
}

// packCases compares so many cases with the oracle: mostly a few candidates, so that
// each decides something, now and then hundreds.
func packCases(t *testing.T, stream int64, cases int) {
	t.Helper()
	d := newDice(t, stream)
	var p Packer
	var plan Plan
	for i := range cases {
		n := int(d(14))
		if i%40 == 0 {
			n = int(d(400))
		}
		if err := d.checkCase(&p, &plan, n); err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
	}
}

func FuzzPack(f *testing.F) {
	f.Add([]byte{})
	for i := range 8 {
		d := newDice(f, int64(100+i))
		data := make([]byte, 400)
		for k := range data {
			data[k] = byte(d(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := bytesDice(data)
		if err := d.checkCase(new(Packer), new(Plan), int(d(40))); err != nil {
			t.Fatal(err)
		}
	})
}

// As many as there may be, with every rule in force, and with keys that all tie.
func TestManyCandidates(t *testing.T) {
	d := newDice(t, 2)
	l := Limits{Bytes: 60_000, Reserve: 9_000, Degrade: true, Classes: []Class{
		{AgeWeight: 1, MaxSilence: 12},
		{AgeWeight: 3, Share: 0.2, MinInterval: [Levels]uint32{4, 6, 8}},
		{MaxSilence: 9, Share: 0.1},
	}}
	b := mustBudget(t, l)
	var p Packer
	var plan Plan
	for _, n := range []int{1 << 16, MaxCandidates} {
		if n == MaxCandidates && (testing.Short() || raceEnabled) {
			continue
		}
		c := d.candidates(n, &l)
		c.Flags, c.Waited, c.Silent, c.Class, c.Group = nil, nil, nil, nil, nil
		for i := range uint32(n) {
			f := Flags(0)
			if d.one(20) {
				f = [...]Flags{Remove, Spawn, MustSend, Unchanged, AwaitingSpawn}[d(5)]
			}
			c.Flags, c.Waited, c.Silent = append(c.Flags, f), append(c.Waited, d(14)), append(c.Silent, d(14))
			c.Class, c.Group = append(c.Class, uint8(d(3))), append(c.Group, d(2)*d(i+1)/2)
		}
		same := &Candidates{ID: c.ID, Cost: [Levels][]uint32{c.Cost[0]}, Waited: slices.Repeat([]uint32{20}, n)}
		for _, c := range []*Candidates{c, same} {
			want := oracle.Pack(offers(c), spending(&l, 0, c))
			if err := p.Pack(&plan, c, b); err != nil {
				t.Fatal(err)
			}
			if err := compare(&plan, c, &want); err != nil {
				t.Fatalf("%d candidates: %.500s", n, err)
			}
		}
	}
}

// Any input, valid or not: no panic, never over the budget, and an error names one
// that is bad.
func TestPackAnyInput(t *testing.T) {
	d := newDice(t, 3)
	var p Packer
	var plan Plan
	refused := 0
	for range 20_000 {
		l := d.limits()
		c := d.candidates(int(d(30)), &l)
		b := mustBudget(t, l)
		for range d(3) {
			d.spoil(c)
		}
		err := p.Pack(&plan, c, b)
		var bad *CandidateError
		switch {
		case errors.As(err, &bad):
			refused++
			if c.refuse(bad.Index, b.Classes()) == nil || bad.ID != c.ID[bad.Index] {
				t.Fatalf("%v, but %+v is good", err, bad)
			}
			for i := range bad.Index {
				if c.refuse(i, b.Classes()) != nil {
					t.Fatalf("%v, but %d is bad too", err, i)
				}
			}
		case err != nil:
			t.Fatal(err)
		default:
			for i := range c.Len() {
				if err := c.refuse(i, b.Classes()); err != nil {
					t.Fatalf("accepted: %v", err)
				}
			}
			sum := uint64(0)
			for _, s := range plan.Selected {
				sum += uint64(s.Cost)
			}
			if sum != uint64(plan.Used) || plan.Used > l.Bytes {
				t.Fatalf("spent %d, used %d of %d", sum, plan.Used, l.Bytes)
			}
		}
	}
	if refused < 2000 {
		t.Errorf("only %d were refused", refused)
	}
}

// spoil makes one value of c odd, which may be an error.
func (d dice) spoil(c *Candidates) {
	if c.Len() == 0 {
		return
	}
	i := d(uint32(c.Len()))
	switch d(6) {
	case 0:
		c.Cost[0][i] = 0
	case 1:
		if c.Dist2 != nil {
			c.Dist2[i] = math.Float32frombits(d(math.MaxUint32))
		}
	case 2:
		if c.Class != nil {
			c.Class[i] = uint8(d(256))
		}
	case 3:
		if c.Level != nil {
			c.Level[i] = uint8(d(256))
		}
	case 4:
		if c.Flags != nil {
			c.Flags[i] = Flags(d(256))
		}
	case 5:
		if c.Cost[1] != nil {
			c.Cost[1][i] = d.number(100)
		}
	}
}

// The selection does not depend on the order of the candidates, nor on which kernels
// there are (every tier runs this).
func TestPermutationsPackAlike(t *testing.T) {
	d := newDice(t, 4)
	var p Packer
	var plan, again Plan
	for range 2000 {
		l := d.limits()
		c := d.candidates(int(d(100)), &l)
		b := mustBudget(t, l)
		other, at := d.shuffled(c)
		if err := errors.Join(p.Pack(&plan, c, b), p.Pack(&again, other, b)); err != nil {
			t.Fatal(err)
		}
		for i := range plan.Selected {
			plan.Selected[i].Index = uint32(at[plan.Selected[i].Index])
		}
		if !slices.Equal(plan.Selected, again.Selected) || plan.ByWhy != again.ByWhy || plan.OldestWait != again.OldestWait {
			t.Fatalf("%v\n%v", plan.Selected, again.Selected)
		}
	}
}
