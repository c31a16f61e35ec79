package crosslist

import (
	"math/bits"
	"slices"
)

// blockLen is how many nodes a block holds. A node that moves within its block
// costs one copy of what it passes; one that leaves it, two half blocks.
const blockLen = 64

// An axis is the list of all nodes in order. It is unrolled: nodes lie in blocks,
// in order and side by side, so that passing one costs a comparison and no jump
// through memory; blocks are linked by index, and a coarse directory of them finds
// a place without a walk. Nothing in it is a pointer.
type axis struct {
	// By block: blockLen words each, how many of them are in use (others are unused),
	// and neighbours. Freed blocks are linked by next.
	words []word
	count []int32
	next  []uint32
	prev  []uint32
	free  uint32

	dir   []uint32 // blocks in order; none is empty
	nodes int

	// The block that a node is in, by slot, and by anchor number (see homeOf).
	bodyHome   []uint32
	anchorHome []uint32

	farFrom int64 // a walk over more units than that is far

	steps  uint64 // nodes passed by walks
	visits uint64 // directory entries looked at
}

// none ends the lists of blocks.
const none = ^uint32(0)

func (a *axis) init() {
	a.free = none
	a.measure()
}

// homeOf returns where the block of a node is kept.
func (a *axis) homeOf(w word) *uint32 {
	if w.isBody() {
		return &a.bodyHome[w.number()]
	}
	return &a.anchorHome[w.number()<<1|w.kind()>>1]
}

// block returns the nodes of a block.
func (a *axis) block(b uint32) []word {
	base := int(b) * blockLen
	return a.words[base : base+int(a.count[b])]
}

// full returns all words of a block.
func (a *axis) full(b uint32) *[blockLen]word {
	return (*[blockLen]word)(a.words[int(b)*blockLen:])
}

// lowerBound returns the index of the first word of a block that is not below w.
// It counts the lines of the cache whose last word is below w, and then the words in
// the next one. Nothing waits for anything else but once, and no branch depends on
// data: where a node lies in its block cannot be foreseen, and a wrong guess costs
// more than all the comparisons.
func lowerBound(nodes *[blockLen]word, w word) int {
	line := below(nodes[7], w) + below(nodes[15], w) + below(nodes[23], w) + below(nodes[31], w) +
		below(nodes[39], w) + below(nodes[47], w) + below(nodes[55], w)
	n := (*[8]word)(nodes[line&7*8:])
	return line*8 + below(n[0], w) + below(n[1], w) + below(n[2], w) + below(n[3], w) +
		below(n[4], w) + below(n[5], w) + below(n[6], w) + below(n[7], w)
}

// below returns 1 if v < w, else 0.
func below(v, w word) int {
	_, borrow := bits.Sub64(uint64(v), uint64(w), 0)
	return int(borrow)
}

// insert puts a node in its place, found through the directory. O(log nodes) and
// half a block; a full block is split.
func (a *axis) insert(w word) {
	a.nodes++
	a.reserve()
	if len(a.dir) == 0 {
		b := a.newBlock()
		a.next[b], a.prev[b] = none, none
		a.dir = append(a.dir, b)
		a.put(b, 0, w)
		return
	}
	b := a.dir[max(a.find(w)-1, 0)]
	a.put(b, lowerBound(a.full(b), w), w)
	a.measure()
}

// remove takes a node out. O(half a block); blocks that become small are merged.
func (a *axis) remove(w word) {
	b := *a.homeOf(w)
	a.cut(b, lowerBound(a.full(b), w))
	a.nodes--
	a.tidy(b)
	a.measure()
}

// put inserts a node at index i of a block.
func (a *axis) put(b uint32, i int, w word) {
	n := int(a.count[b])
	if n == blockLen {
		right := a.split(b)
		if left := int(a.count[b]); i > left {
			b, i = right, i-left
		}
		n = int(a.count[b])
	}
	base := int(b) * blockLen
	nodes := a.words[base : base+n+1]
	copy(nodes[i+1:], nodes[i:n])
	nodes[i] = w
	a.count[b]++
	*a.homeOf(w) = b
}

// cut takes the node at index i out of a block.
func (a *axis) cut(b uint32, i int) {
	nodes := a.block(b)
	copy(nodes[i:], nodes[i+1:])
	a.shorten(b)
}

// shorten takes the last node off a block. The first of an empty block stays: it is
// found by that in the directory until it is merged.
func (a *axis) shorten(b uint32) {
	a.count[b]--
	if n := a.count[b]; n > 0 {
		a.words[int(b)*blockLen+int(n)] = unused
	}
}

// move changes a node's word, walks it to its place and appends the nodes that it
// passed: the bodies among them, or the anchors. before != after.
func (a *axis) move(before, after word, passed []word, bodies bool) []word {
	if before < after {
		return a.moveUp(before, after, passed, bodies)
	}
	return a.moveDown(before, after, passed, bodies)
}

func (a *axis) moveUp(before, after word, passed []word, bodies bool) []word {
	flip := flipOf(bodies)
	b := *a.homeOf(before)
	nodes := a.full(b)
	i := lowerBound(nodes, before)
	n := len(passed)
	passed = slices.Grow(passed, blockLen)
	room := (*[blockLen]word)(passed[n : n+blockLen])
	k, j := 0, i+1
	for ; j < blockLen && nodes[j] < after; j++ {
		w := nodes[j]
		nodes[j-1] = w
		room[k&(blockLen-1)] = w
		k += pick(w, flip)
	}
	passed = passed[:n+k]
	a.steps += uint64(j - i - 1)
	next := a.next[b]
	if j < int(a.count[b]) || next == none || a.words[int(next)*blockLen] > after {
		nodes[j-1] = after
		return passed
	}
	a.shorten(b) // all behind it have moved up by one
	for {
		j = lowerBound(a.full(next), after)
		passed = a.collect(passed, a.block(next)[:j], flip)
		if j < int(a.count[next]) || a.next[next] == none || a.words[int(a.next[next])*blockLen] > after {
			break
		}
		next = a.next[next]
	}
	a.put(next, j, after)
	a.tidy(b)
	return passed
}

func (a *axis) moveDown(before, after word, passed []word, bodies bool) []word {
	flip := flipOf(bodies)
	b := *a.homeOf(before)
	nodes := a.full(b)
	i := lowerBound(nodes, before)
	n := len(passed)
	passed = slices.Grow(passed, blockLen)
	room := (*[blockLen]word)(passed[n : n+blockLen])
	k, j := 0, i
	for ; j > 0 && nodes[j-1] > after; j-- {
		w := nodes[j-1]
		nodes[j] = w
		room[k&(blockLen-1)] = w
		k += pick(w, flip)
	}
	passed = passed[:n+k]
	a.steps += uint64(i - j)
	prev := a.prev[b]
	if j > 0 || prev == none || a.lastOf(prev) < after {
		nodes[j] = after
		return passed
	}
	a.cut(b, 0) // all before it have moved down by one
	for {
		j = lowerBound(a.full(prev), after)
		passed = a.collect(passed, a.block(prev)[j:], flip)
		if j > 0 || a.prev[prev] == none || a.lastOf(a.prev[prev]) < after {
			break
		}
		prev = a.prev[prev]
	}
	a.put(prev, j, after)
	a.tidy(b)
	return passed
}

// pick returns 1 for the nodes that are wanted and 0 for others: bodies if flip is
// 0, anchors if it is 1. Which of the two a node is cannot be foreseen, so every
// one is stored, and the next in its place if it was not wanted.
func pick(w, flip word) int { return int(w>>numberBits&1 ^ flip) }

func flipOf(bodies bool) word {
	if bodies {
		return 0
	}
	return 1
}

// lastOf returns the last node of a block.
func (a *axis) lastOf(b uint32) word { return a.words[int(b)*blockLen+int(a.count[b])-1] }

// collect appends those of nodes that are wanted.
func (a *axis) collect(dst, nodes []word, flip word) []word {
	a.steps += uint64(len(nodes))
	n := len(dst)
	dst = slices.Grow(dst, len(nodes))
	room := dst[n : n+len(nodes)]
	k := 0
	for _, w := range nodes {
		room[k] = w
		k += pick(w, flip)
	}
	return dst[:n+k]
}
