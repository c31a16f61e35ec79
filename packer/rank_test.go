package packer

import (
	"slices"
	"testing"
)

// Those that left leave no gap, however many they are, and those that left and came
// back, or left twice, neither.
func TestDropGone(t *testing.T) {
	d := newDice(t, 41)
	for range 3000 {
		n := int(d(500))
		var p Packer
		p.keys, p.costs = grow(p.keys, n), grow(p.costs, n)
		for i := range n {
			p.keys[i], p.costs[i] = uint64(i), 1+d(9)
			p.total.Sum += uint64(p.costs[i])
		}
		for range d(uint32(n)/[...]uint32{1, 40}[d(2)] + 1) {
			i := d(uint32(n))
			p.leave(i)
			if d.one(3) {
				p.costs[i] = 1 + d(9)
				p.total.Sum += uint64(p.costs[i])
			}
		}
		var keys []uint64
		var costs []uint32
		sum := uint64(0)
		for i, cost := range p.costs {
			if cost != 0 {
				keys, costs = append(keys, uint64(i)), append(costs, cost)
				sum += uint64(cost)
			}
		}
		got := p.dropGone()
		if !slices.Equal(p.keys[:got], keys) || !slices.Equal(p.costs[:got], costs) || p.total.Sum != sum {
			t.Fatalf("%d of %d are left, %d bytes; want %d, %d bytes", got, n, p.total.Sum, len(keys), sum)
		}
	}
}

// SortDeferred makes the key of one candidate as the kernels make those of all.
func TestKeyIsThatOfRank(t *testing.T) {
	d := newDice(t, 42)
	for range 500 {
		l := d.limits()
		c := d.candidates(int(d(40)), &l)
		b := mustBudget(t, l)
		p := Packer{c: c, b: b}
		if bad := p.rank(); bad != c.Len() {
			t.Fatalf("candidate %d is refused", bad)
		}
		for i, want := range p.keys {
			if got := c.key(uint32(i), b); got != want {
				t.Fatalf("key %d is %#x; want %#x", i, got, want)
			}
		}
	}
}
