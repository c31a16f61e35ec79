package crosslist

import (
	"fmt"
	"slices"

	"vicinity/arena"
)

// selfCheck panics if a rule is broken, under the tag invariants. Large lists are
// left to the caller: it compares every trigger with every entity.
func (l *List) selfCheck() {
	if l.alive*l.names.Len() > 1<<12 {
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
		if hasInner(l.former[t].shape, r) {
			want = append(want,
				makeWord(c-r.inner, kindLow, anchors(uint32(t), true)),
				makeWord(c+r.inner, kindHigh, anchors(uint32(t), true)))
		}
	}
	slices.Sort(want)
	return want
}

// checkPairs compares the pairs with all that there could be.
func (l *List) checkPairs() error {
	pairs, alive := 0, 0
	for slot := range l.bodies {
		b, p := &l.bodies[slot], l.places[slot]
		if !b.present {
			continue
		}
		alive++
		if b.touched || b.jumps || b.gone || !b.linked || p != l.before[slot] {
			return fmt.Errorf("crosslist: %v is not at rest", b.handle)
		}
		watched := 0
		for t := range l.zones {
			if l.zones[t].name == 0 || !l.rings[t].holds(p) || l.zones[t].owner == uint32(slot)+1 {
				continue
			}
			watched++
			if err := l.checkPair(uint32(t), uint32(slot)); err != nil {
				return err
			}
		}
		if n := int(b.watchers[Disc].n + b.watchers[Box].n); n != watched {
			return fmt.Errorf("crosslist: %v is in %d boxes; want %d", b.handle, n, watched)
		}
		pairs += watched
	}
	members := 0
	for t := range l.zones {
		members += int(l.zones[t].members.n)
	}
	if pairs != l.held || pairs != members || alive != l.alive {
		return fmt.Errorf("crosslist: %d pairs, %d in triggers, %d entities; want %d, %d", l.held, members, l.alive, pairs, alive)
	}
	return nil
}

// checkPair checks a pair whose outer box holds.
func (l *List) checkPair(t, slot uint32) error {
	name := func() string { return fmt.Sprintf("%v and %v", l.zones[t].name, l.bodies[slot].handle) }
	members, watchers := &l.zones[t].members, l.watchers(t, slot)
	m, there := l.pairs.find(members, slot)
	w, here := l.pairs.find(watchers, t)
	if !there || !here {
		return fmt.Errorf("crosslist: %s are no pair", name())
	}
	e := l.pairs.of(members)[m]
	if e.in() != l.pairs.of(watchers)[w].in() {
		return fmt.Errorf("crosslist: %s have entries that differ", name())
	}
	r, p, shape := &l.rings[t], l.places[slot], l.former[t].shape
	if e.in() && !r.admits(shape, p, true) || !e.in() && r.admits(shape, p, false) {
		return fmt.Errorf("crosslist: %s: a member: %v", name(), e.in())
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
			z, r, was := &l.zones[t-1], &l.rings[t-1], &l.former[t-1]
			if z.name == 0 || int(z.size) != c || r.outer>>c != 0 || c > 0 && r.outer>>(c-1) == 0 {
				return fmt.Errorf("crosslist: %v with %+v is in class %d", z.name, *r, c)
			}
			if z.touched || was.jumps || !z.linked || was.ring != *r {
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
