package crosslist

// Each trigger keeps the entities, and each entity the triggers, that may be its
// pairs: all that are, and others that were. A pair that begins is added on both
// sides; one that ends stays where it is, and may be added again. That is one write
// on each side and never a search. Lists are cleaned when they are full, or asked
// for: that costs a look at each candidate, and each was added before.

// join makes candidates of a trigger and an entity.
func (l *List) join(t, slot uint32) {
	m := &l.zones[t].members
	if m.isFull() {
		l.cleanMembers(t)
		l.pool.fit(m)
	}
	l.pool.push(m, slot)
	shape := l.rings[t].shape
	w := &l.bodies[slot].watchers[shape]
	if w.isFull() {
		l.cleanWatchers(slot, shape)
		l.pool.fit(w)
	}
	l.pool.push(w, t)
}

// cleanMembers keeps the pairs among the candidates of a trigger, each once.
func (l *List) cleanMembers(t uint32) {
	s, r, owner := &l.zones[t].members, l.rings[t], l.zones[t].owner
	list, k := l.pool.of(s), 0
	for _, slot := range list {
		if r.holds(l.places[slot]) && owner != slot+1 && l.marks.add(slot) {
			list[k] = slot
			k++
		}
	}
	s.n = uint32(k)
	l.marks.remove(list[:k])
}

// cleanWatchers keeps the pairs among the candidates of an entity, each once.
func (l *List) cleanWatchers(slot uint32, shape Shape) {
	s, p := &l.bodies[slot].watchers[shape], l.places[slot]
	list, k := l.pool.of(s), 0
	for _, t := range list {
		// The trigger may be another than the one that was added.
		r := &l.rings[t]
		if r.holds(p) && r.shape == shape && l.zones[t].owner != slot+1 && l.marks.add(t) {
			list[k] = t
			k++
		}
	}
	s.n = uint32(k)
	l.marks.remove(list[:k])
}

// marks is a set of small numbers, as bits. It is empty between uses.
type marks []uint64

// add adds a number, and reports whether it was not there.
func (m marks) add(n uint32) bool {
	bit := uint64(1) << (n % 64)
	old := m[n/64]
	m[n/64] = old | bit
	return old&bit == 0
}

// remove takes numbers out.
func (m marks) remove(numbers []uint32) {
	for _, n := range numbers {
		m[n/64] = 0
	}
}

// fit makes room for numbers below n.
func (m *marks) fit(n int) {
	if more := (n+63)/64 - len(*m); more > 0 {
		*m = append(*m, make(marks, more)...)
	}
}
