package bench

// ListManager is the baseline of crosslist: the algorithm that list managers of
// areas of interest are published with. Two doubly linked lists hold everybody in
// order of x and of y. Whoever moves is bubbled to its place on both; then both are
// walked from it as far as the radius, to either side, and everybody met is marked.
// Who has two marks is a neighbour. Old neighbours without two marks are told of a
// leave, new ones of an enter, both ways; a last walk takes the marks off.
//
// The radius is one for all, the range is a closed square, and being neighbours is
// mutual. It is written as one writes it at first: nodes are pointers, neighbours are
// a map, and events are a call.
type ListManager struct {
	radius int32
	first  [2]*ListNode
	// Notify is called for each change: whose neighbours change, who it is, and
	// whether it entered.
	Notify func(of, who *ListNode, entered bool)
}

// ListNode is one entity of a ListManager.
type ListNode struct {
	ID         int
	Neighbours map[*ListNode]struct{}

	at         [2]int32
	prev, next [2]*ListNode
	marks      int
}

// NewListManager returns an empty manager. radius is in units.
func NewListManager(radius int32, notify func(of, who *ListNode, entered bool)) *ListManager {
	return &ListManager{radius: radius, Notify: notify}
}

// Enter adds an entity.
func (m *ListManager) Enter(id int, x, y int32) *ListNode {
	n := &ListNode{ID: id, Neighbours: make(map[*ListNode]struct{}), at: [2]int32{x, y}}
	for axis := range 2 {
		if n.next[axis] = m.first[axis]; n.next[axis] != nil {
			n.next[axis].prev[axis] = n
		}
		m.first[axis] = n
		m.bubble(axis, n)
	}
	m.adjust(n)
	return n
}

// Move moves an entity.
func (m *ListManager) Move(n *ListNode, x, y int32) {
	n.at = [2]int32{x, y}
	for axis := range 2 {
		m.bubble(axis, n)
	}
	m.adjust(n)
}

// bubble brings a node to its place on an axis, one neighbour after the other.
func (m *ListManager) bubble(axis int, n *ListNode) {
	for next := n.next[axis]; next != nil && next.at[axis] < n.at[axis]; next = n.next[axis] {
		m.swap(axis, n, next)
	}
	for prev := n.prev[axis]; prev != nil && prev.at[axis] > n.at[axis]; prev = n.prev[axis] {
		m.swap(axis, prev, n)
	}
}

// swap exchanges a and b, which is behind a.
func (m *ListManager) swap(axis int, a, b *ListNode) {
	before, after := a.prev[axis], b.next[axis]
	if before != nil {
		before.next[axis] = b
	} else {
		m.first[axis] = b
	}
	if after != nil {
		after.prev[axis] = a
	}
	b.prev[axis], b.next[axis] = before, a
	a.prev[axis], a.next[axis] = b, after
}

// adjust brings the neighbours of a node up to date.
func (m *ListManager) adjust(n *ListNode) {
	for axis := range 2 {
		m.near(axis, n, func(other *ListNode) { other.marks++ })
	}
	const known = -2
	for other := range n.Neighbours {
		if other.marks == 2 {
			other.marks = known
			continue
		}
		delete(n.Neighbours, other)
		delete(other.Neighbours, n)
		m.Notify(n, other, false)
		m.Notify(other, n, false)
	}
	m.near(0, n, func(other *ListNode) {
		if other.marks == 2 {
			n.Neighbours[other] = struct{}{}
			other.Neighbours[n] = struct{}{}
			m.Notify(n, other, true)
			m.Notify(other, n, true)
		}
		other.marks = 0
	})
	m.near(1, n, func(other *ListNode) { other.marks = 0 })
}

// near visits everybody within the radius on an axis.
func (m *ListManager) near(axis int, n *ListNode, visit func(other *ListNode)) {
	for other := n.prev[axis]; other != nil && n.at[axis]-other.at[axis] <= m.radius; other = other.prev[axis] {
		visit(other)
	}
	for other := n.next[axis]; other != nil && other.at[axis]-n.at[axis] <= m.radius; other = other.next[axis] {
		visit(other)
	}
}
