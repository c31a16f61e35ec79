package packer

import (
	"errors"
	"slices"
	"testing"
)

func TestCommit(t *testing.T) {
	c := byOrder(10, 20, 30)
	lastSent := []uint32{1, 1, 1, 1}
	p := pack(t, c, Limits{Bytes: 40})
	// Dropped: another plan of the same candidates is the same, and nothing is written.
	again := pack(t, c, Limits{Bytes: 40})
	if !slices.Equal(p.Selected, again.Selected) || !slices.Equal(lastSent, []uint32{1, 1, 1, 1}) {
		t.Errorf("a dropped plan left a trace: %v, %v, %v", p.Selected, again.Selected, lastSent)
	}
	p.Commit(c, lastSent, 9)
	if !slices.Equal(lastSent, []uint32{9, 9, 1, 1}) {
		t.Errorf("last sent %v", lastSent)
	}
	c.Row = []uint32{3, 0, 2}
	p.Commit(c, lastSent, 12)
	if !slices.Equal(lastSent, []uint32{12, 9, 1, 12}) {
		t.Errorf("last sent %v", lastSent)
	}
	// Commit after the packer moved on to others.
	var packer Packer
	first, second := &Plan{}, &Plan{}
	b := mustBudget(t, Limits{Bytes: 40})
	if err := errors.Join(packer.Pack(first, c, b), packer.Pack(second, byOrder(40), b)); err != nil {
		t.Fatal(err)
	}
	first.Commit(c, lastSent, 13)
	if !slices.Equal(lastSent, []uint32{13, 9, 1, 13}) {
		t.Errorf("last sent %v", lastSent)
	}
}

func TestSortDeferred(t *testing.T) {
	d := newDice(t, 7)
	var p Packer
	plan := Plan{WantDeferred: true}
	for range 500 {
		l := d.limits()
		c := d.candidates(int(d(60)), &l)
		b := mustBudget(t, l)
		var want []uint64
		for range 3 {
			if err := p.Pack(&plan, c, b); err != nil {
				t.Fatal(err)
			}
			plan.SortDeferred(c)
			var got []uint64
			for i, x := range plan.Deferred {
				got = append(got, c.ID[x.Index])
				if i == 0 {
					continue
				}
				y := plan.Deferred[i-1]
				kx, ky := c.flags(x.Index).kind(), c.flags(y.Index).kind()
				if ky > kx || ky == kx && compareKeys(c.key(y.Index, b), c.key(x.Index, b), c.ID) > 0 {
					t.Fatalf("deferred %d and %d are out of order", i-1, i)
				}
			}
			if want != nil && !slices.Equal(got, want) {
				t.Fatalf("deferred %v; want %v", got, want)
			}
			want = got
			c, _ = d.shuffled(c)
		}
	}
}

func TestNames(t *testing.T) {
	if ReasonStarved.String() != "starved" || WhyTooSoon.String() != "too soon" ||
		Reason(9).String() != "Reason(9)" || Why(9).String() != "Why(9)" {
		t.Error("names")
	}
}
