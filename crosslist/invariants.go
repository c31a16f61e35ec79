package crosslist

import (
	"fmt"
	"slices"

	"vicinity/arena"
)

// selfCheck panics if a rule is broken, under the tag invariants. Large lists are
// left to the caller: it compares every trigger with every entity.
func (l *List) selfCheck() {
	if l.alive > 200 || l.alive*l.names.Len() > 1<<12 {
		return
	}
	if err := l.CheckInvariants(); err != nil {
		panic("broken invariant: " + err.Error())
	}
}

// CheckInvariants returns the first broken rule that it finds, nil if all hold: the
// nodes are those of the entities and triggers, in order and where they are said to
// be; the pairs are those that a comparison of all with all finds, and whoever is
// within a radius is a member, whoever is beyond the margin is none. While a batch
// is open it checks nothing. It is for tests: O(entities * triggers), and it
// allocates.
func (l *List) CheckInvariants() error {
	if l.open {
		return nil
	}
	for i := range l.axes {
		if err := l.checkAxis(i); err != nil {
			return fmt.Errorf("crosslist: axis %d: %w", i, err)
		}
	}
	if err := l.checkPairs(); err != nil {
		return err
	}
	return l.checkClasses()
}

// checkAxis compares an axis with the nodes that there should be.
func (l *List) checkAxis(i int) error {
	a := &l.axes[i]
	want := l.wantWords(i)
	var got []word
	before := none
	for at, b := range a.dir {
		if a.prev[b] != before || before != none && a.next[before] != b {
			return fmt.Errorf("block %d at %d of the directory is not linked to %d", b, at, before)
		}
		if before != none && a.count[before]+a.count[b] <= sparse {
			return fmt.Errorf("blocks %d and %d are sparse", before, b)
		}
		if a.count[b] == 0 {
			return fmt.Errorf("block %d is empty", b)
		}
		for _, w := range a.full(b)[a.count[b]:] {
			if w != unused {
				return fmt.Errorf("block %d has %#x behind its nodes", b, uint64(w))
			}
		}
		for _, w := range a.block(b) {
			got = append(got, w)
			if home := *a.homeOf(w); home != b {
				return fmt.Errorf("node %#x is in block %d; its home says %d", uint64(w), b, home)
			}
		}
		before = b
	}
	if before != none && a.next[before] != none {
		return fmt.Errorf("block %d is the last and has a next", before)
	}
	if !slices.IsSorted(got) {
		return fmt.Errorf("nodes are not in order")
	}
	if !slices.Equal(got, want) || a.nodes != len(want) {
		return fmt.Errorf("%d nodes, said to be %d; want %d", len(got), a.nodes, len(want))
	}
	return nil
}

// wantWords returns the nodes that an axis should have, sorted.
func (l *List) wantWords(i int) (want []word) {
	on := func(p point) int32 { return [2]int32{p.x, p.y}[i] }
	for slot := range l.bodies {
		if l.bodies[slot].present {
			want = append(want, bodyWord(on(l.places[slot]), uint32(slot)))
		}
	}
	for t := range l.zones {
		if l.zones[t].name == 0 {
			continue
		}
		r, c := &l.rings[t], on(l.rings[t].at)
		want = append(want,
			makeWord(c-r.outer, kindLow, anchors(uint32(t), false)),
			makeWord(c+r.outer, kindHigh, anchors(uint32(t), false)))
		if r.hasInner(r.shape) {
			want = append(want,
				makeWord(c-r.inner, kindLow, anchors(uint32(t), true)),
				makeWord(c+r.inner, kindHigh, anchors(uint32(t), true)))
		}
	}
	slices.Sort(want)
	return want
}

// checkPairs compares candidates and lingering members with all pairs that there
// are.
func (l *List) checkPairs() error {
	margins, alive := 0, 0
	for slot := range l.bodies {
		b, p := &l.bodies[slot], l.places[slot]
		if !b.present {
			if p != nowhere || l.before[slot] != nowhere || l.bodies[slot].watchers != [shapes]span{} {
				return fmt.Errorf("crosslist: empty slot %d has an entity", slot)
			}
			continue
		}
		alive++
		if b.touched || b.jumps || b.gone || !b.linked || p != l.before[slot] {
			return fmt.Errorf("crosslist: %v is not at rest", b.handle)
		}
		for t := range l.zones {
			if !l.rings[t].holds(p) || l.zones[t].owner == uint32(slot)+1 {
				continue
			}
			if !slices.Contains(l.pool.of(&l.zones[t].members), uint32(slot)) ||
				!slices.Contains(l.pool.of(&l.bodies[slot].watchers[l.rings[t].shape]), uint32(t)) {
				return fmt.Errorf("crosslist: %v and %v are no candidates", l.zones[t].name, b.handle)
			}
			if l.lingering.has(pairKey(uint32(t), uint32(slot))) {
				if l.rings[t].depth(l.rings[t].shape, p) != margin {
					return fmt.Errorf("crosslist: %v lingers in %v", b.handle, l.zones[t].name)
				}
				margins++
			}
		}
	}
	if margins != l.lingering.n || alive != l.alive {
		return fmt.Errorf("crosslist: %d lingering, %d entities; want %d, %d", l.lingering.n, l.alive, margins, alive)
	}
	for _, m := range l.marks {
		if m != 0 {
			return fmt.Errorf("crosslist: marks were left")
		}
	}
	return nil
}

// checkClasses checks that every trigger is in the class of its size, at rest, and
// in its owner's list.
func (l *List) checkClasses() error {
	listed := 0
	for c := range l.classes {
		n := 0
		for t := l.classes[c].first; t != 0; t = l.zones[t-1].peer[1] {
			z, r, was := &l.zones[t-1], &l.rings[t-1], &l.zones[t-1].former
			if z.name == 0 || int(z.size) != c || r.outer>>c != 0 || c > 0 && r.outer>>(c-1) == 0 {
				return fmt.Errorf("crosslist: %v with %+v is in class %d", z.name, *r, c)
			}
			if r.touched || r.jumps || !z.linked || *was != r.extent {
				return fmt.Errorf("crosslist: %v is not at rest", z.name)
			}
			n++
		}
		if n != l.classes[c].n {
			return fmt.Errorf("crosslist: class %d has %d triggers, said to be %d", c, n, l.classes[c].n)
		}
		listed += n
	}
	if listed != l.names.Len() {
		return fmt.Errorf("crosslist: %d triggers in classes; want %d", listed, l.names.Len())
	}
	for slot := range l.bodies {
		for t := l.bodies[slot].triggers; t != 0; t = l.zones[t-1].next {
			if z := &l.zones[t-1]; z.owner != uint32(slot)+1 || l.rings[t-1].at != l.places[slot] || !l.names.Alive(arena.Handle(z.name)) {
				return fmt.Errorf("crosslist: %v is not with its owner", z.name)
			}
		}
	}
	return nil
}
