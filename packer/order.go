package packer

import (
	"cmp"
	"math"

	"vicinity/asm"
)

// compareKeys is the total order of what asm.RankKeys makes: effective priority
// descending, squared distance ascending, and, where the keys tie, ID ascending.
func compareKeys(x, y uint64, ids []uint64) int {
	return cmp.Or(
		cmp.Compare(prefixOf(x), prefixOf(y)),
		cmp.Compare(ids[indexOf(x)], ids[indexOf(y)]),
	)
}

// age returns the effective priority of who waited so long. The key has 16 bits
// for it, so it saturates where the priority itself ends.
func age(priority uint16, weight, waited uint32) uint16 {
	// Below 2^16 + (2^32 - 1)^2, so no overflow.
	return uint16(min(uint64(priority)+uint64(weight)*uint64(waited), math.MaxUint16))
}

// dist2Bits returns the bits of a squared distance, which order as it does: -0 is
// 0, and there is no sign.
func dist2Bits(d float32) uint32 { return math.Float32bits(d) &^ (1 << 31) }

// key returns the key of candidate i, as asm.RankKeys makes it.
func (c *Candidates) key(i uint32, b *Budget) uint64 {
	var priority uint16
	var dist2 uint32
	if c.Priority != nil {
		priority = c.Priority[i]
	}
	if c.Dist2 != nil {
		dist2 = dist2Bits(c.Dist2[i])
	}
	priority = age(priority, b.classes[c.class(i)].ageWeight, c.waited(i))
	return uint64(^priority)<<48 | uint64(dist2)<<asm.KeyIndexBits | uint64(i)
}

func (c *Candidates) class(i uint32) uint8 {
	if c.Class == nil {
		return 0
	}
	return c.Class[i]
}

func (c *Candidates) flags(i uint32) Flags {
	if c.Flags == nil {
		return 0
	}
	return c.Flags[i]
}

func (c *Candidates) waited(i uint32) uint32 {
	if c.Waited == nil {
		return 0
	}
	return c.Waited[i]
}

// kind is what a candidate is, in the order of spend.
type kind uint8

const (
	remove kind = iota
	spawn
	update
)

func (f Flags) kind() kind {
	switch {
	case f&lifecycle == 0:
		return update
	case f&Remove != 0:
		return remove
	}
	return spawn
}
