package packer

import (
	"cmp"
	"slices"

	"vicinity/internal/invariants"
)

// checkUnique panics if two removes, two spawns or two updates have the same ID, in
// a build with the tag invariants.
func (p *Packer) checkUnique() {
	if !invariants.Enabled {
		return
	}
	c := p.c
	p.list = grow(p.list, c.Len())
	order := p.list
	for i := range order {
		order[i] = uint32(i)
	}
	compare := func(i, j uint32) int {
		return cmp.Or(cmp.Compare(c.flags(i).kind(), c.flags(j).kind()), cmp.Compare(c.ID[i], c.ID[j]))
	}
	slices.SortFunc(order, compare)
	for k := 1; k < len(order); k++ {
		if compare(order[k-1], order[k]) == 0 {
			invariants.Check(false, "packer: entity %d is there twice", c.ID[order[k]])
		}
	}
}
