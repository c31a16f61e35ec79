package crosslist

import "slices"

// sparse is how many nodes two neighbouring blocks must have together, or they are
// merged. So there are at most 2 * nodes / (sparse + 1) + 1 blocks. It lies far
// enough below blockLen that a block that was just merged is not split again soon.
const sparse = blockLen / 2

// find returns the directory position of the first block whose first node is not
// below w. O(log blocks).
func (a *axis) find(w word) int {
	lo, hi := 0, len(a.dir)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		a.visits++
		if a.words[int(a.dir[mid])*blockLen] < w {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// A cursor is a place between two nodes: before the one at index i of the block at
// position at of the directory.
type cursor struct{ at, i int }

// seek returns the place of the first node that is not below w.
func (a *axis) seek(w word) cursor {
	at := max(a.find(w)-1, 0)
	if len(a.dir) == 0 {
		return cursor{}
	}
	return cursor{at, lowerBound(a.full(a.dir[at]), w)}
}

// between returns the places of the first and behind the last node with a
// coordinate of lo to hi, and about how many nodes that are.
func (a *axis) between(lo, hi int32) (from, to cursor, nodes int) {
	from, to = a.seek(firstAt(lo)), a.seek(lastAt(hi))
	if to.at == from.at {
		return from, to, to.i - from.i
	}
	return from, to, (to.at-from.at)*blockLen*3/4 + to.i - from.i
}

// measure sets farFrom: a walk over more units than that is expected to pass so
// many nodes that finding the place anew is cheaper. It is a guess from the mean
// density, and only the cost depends on it.
func (a *axis) measure() {
	const blocks = 12
	n := len(a.dir)
	if n <= blocks {
		a.farFrom = 1 << 62
		return
	}
	extent := int64(a.lastOf(a.dir[n-1]).coord()) - int64(a.words[int(a.dir[0])*blockLen].coord())
	a.farFrom = blocks * (extent + 1) / int64(n)
}

// split moves the upper half of a full block into a new one, and returns that.
func (a *axis) split(b uint32) uint32 {
	right := a.newBlock()
	after := a.next[b]
	a.next[b], a.prev[right], a.next[right] = right, b, after
	if after != none {
		a.prev[after] = right
	}
	at := a.find(a.words[int(b)*blockLen])
	a.dir = slices.Insert(a.dir, at+1, right)
	const half = blockLen / 2
	upper := a.block(b)[half:]
	a.settle(right, upper)
	wipe(upper)
	a.count[b] = half
	a.measure()
	return right
}

// settle appends nodes to a block.
func (a *axis) settle(b uint32, nodes []word) {
	copy(a.words[int(b)*blockLen+int(a.count[b]):], nodes)
	a.count[b] += int32(len(nodes))
	for _, w := range nodes {
		*a.homeOf(w) = b
	}
}

// tidy merges a block that lost a node with a neighbour, if they are sparse.
func (a *axis) tidy(b uint32) {
	next, prev := a.next[b], a.prev[b]
	most := int32(sparse)
	if a.count[b] == 0 {
		most = blockLen
	}
	switch {
	case next != none && a.count[b]+a.count[next] <= most:
		a.merge(b, next)
	case prev != none && a.count[prev]+a.count[b] <= most:
		a.merge(prev, b)
	case a.count[b] == 0: // the only one
		a.dir = a.dir[:0]
		a.release(b)
	}
}

// merge appends block right to its neighbour left.
func (a *axis) merge(left, right uint32) {
	// An empty block has no first node to be found by; its neighbour has.
	var at int
	if a.count[right] > 0 {
		at = a.find(a.words[int(right)*blockLen])
	} else {
		at = a.find(a.words[int(left)*blockLen]) + 1
	}
	a.dir = slices.Delete(a.dir, at, at+1)
	a.settle(left, a.block(right))
	after := a.next[right]
	a.next[left] = after
	if after != none {
		a.prev[after] = left
	}
	a.release(right)
}

func (a *axis) newBlock() uint32 {
	if b := a.free; b != none {
		a.free = a.next[b]
		return b
	}
	b := uint32(len(a.count))
	a.words = append(a.words, make([]word, blockLen)...)
	wipe(a.full(b)[:])
	a.count = append(a.count, 0)
	a.next = append(a.next, none)
	a.prev = append(a.prev, none)
	return b
}

func (a *axis) release(b uint32) {
	wipe(a.full(b)[:])
	a.count[b] = 0
	a.next[b] = a.free
	a.free = b
}

func wipe(words []word) {
	for i := range words {
		words[i] = unused
	}
}

// reserve makes room for as many blocks as the nodes can ever take, so that moves
// do not allocate.
func (a *axis) reserve() {
	// One more: a node is put into its new block before its old one is merged.
	most := 2*a.nodes/(sparse+1) + 3
	if most <= cap(a.dir) {
		return
	}
	most += most / 2
	a.words = slices.Grow(a.words, most*blockLen-len(a.words))
	a.count = slices.Grow(a.count, most-len(a.count))
	a.next = slices.Grow(a.next, most-len(a.next))
	a.prev = slices.Grow(a.prev, most-len(a.prev))
	a.dir = slices.Grow(a.dir, most-len(a.dir))
}
