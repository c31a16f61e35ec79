package asm

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// maxSortKeys is the largest SortLimit there is.
const maxSortKeys = 64

// items are keys with their costs, as selection sees them: slack behind both is full
// of keys and costs that would be taken by every kernel that takes them for data.
type items struct {
	keys  []uint64
	costs []uint32
}

func newItems(n int, key func(i int) uint64, cost func(i int) uint32) items {
	v := items{keys: make([]uint64, n+Slack), costs: make([]uint32, n+Slack)}
	for i := range v.costs {
		v.costs[i] = 1
	}
	for i := range n {
		v.keys[i], v.costs[i] = key(i), cost(i)
	}
	return items{v.keys[:n], v.costs[:n]}
}

func (v items) clone() items {
	n := len(v.keys)
	return items{slices.Clone(v.keys[:n+Slack])[:n], slices.Clone(v.costs[:n+Slack])[:n]}
}

// choose returns the items that a test holds, in order, and the sum of their costs.
func (v items) choose(holds func(key uint64, cost uint32) bool) (out items, sum uint64) {
	for i, k := range v.keys {
		if holds(k, v.costs[i]) {
			out.keys, out.costs = append(out.keys, k), append(out.costs, v.costs[i])
			sum += uint64(v.costs[i])
		}
	}
	return out, sum
}

// fencedItems is room for n items and the slack, with fences around it.
func fencedItems(t *testing.T, n int) (v items, check func()) {
	keys, k := fenced[uint64](n+Slack, canary)
	costs, c := fenced[uint32](n+Slack, canary)
	return items{keys, costs}, func() {
		t.Helper()
		untouched(t, "keys", k, canary)
		untouched(t, "costs", c, canary)
	}
}

// u64 returns any 64 bits.
func (r *random) u64() uint64 { return uint64(r.Next())<<32 | uint64(r.Next()) }

// spreads of keys and costs that a kernel may get wrong: any bits; few values, so
// that many equal the pivot; only the lower bits differ; both signs of int64.
func (r *random) key(kind int) uint64 {
	switch kind {
	case 0:
		return r.u64()
	case 1:
		return uint64(r.below(3)) << 40
	case 2:
		return 1<<63 | uint64(r.below(100))
	}
	return [...]uint64{0, 1, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64 - 1, math.MaxUint64}[r.below(7)]
}

func (r *random) cost(kind int) uint32 {
	switch kind {
	case 0:
		return r.Next()
	case 1:
		return 1 + uint32(r.below(100))
	}
	return [...]uint32{0, 1, 1<<31 - 1, 1 << 31, 1<<31 + 1, math.MaxUint32 - 1, math.MaxUint32}[r.below(7)]
}

func TestPartitionKeys(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := range 301 {
			for kind := range 4 {
				v := newItems(n, func(int) uint64 { return r.key(kind) }, func(int) uint32 { return r.cost(n % 3) })
				pivots := []uint64{0, math.MaxUint64, 1 << 63, r.key(kind)}
				if n > 0 {
					pivots = append(pivots, slices.Max(v.keys), slices.Min(v.keys), v.keys[r.below(n)], slices.Min(v.keys)-1)
				}
				for _, pivot := range pivots {
					checkPartition(t, v, pivot)
				}
			}
		}
	})
}

func checkPartition(t *testing.T, v items, pivot uint64) {
	t.Helper()
	n := len(v.keys)
	what := fmt.Sprintf("%d keys, pivot %#x", n, pivot)
	wantLeft, wantSum := v.choose(func(k uint64, _ uint32) bool { return k <= pivot })
	wantRight, _ := v.choose(func(k uint64, _ uint32) bool { return k > pivot })

	left, check := fencedItems(t, n)
	copy(left.keys, v.keys[:n+Slack])
	copy(left.costs, v.costs[:n+Slack])
	right, checkRight := fencedItems(t, n)
	nl, sum := PartitionKeys(left.keys[:n], left.costs[:n], right.keys, right.costs, pivot)
	if nl != len(wantLeft.keys) || sum != wantSum {
		t.Fatalf("%s: %d left with a sum of %d; want %d, %d", what, nl, sum, len(wantLeft.keys), wantSum)
	}
	equal(t, what+": left keys", left.keys[:nl], wantLeft.keys)
	equal(t, what+": left costs", left.costs[:nl], wantLeft.costs)
	equal(t, what+": right keys", right.keys[:n-nl], wantRight.keys)
	equal(t, what+": right costs", right.costs[:n-nl], wantRight.costs)
	check()
	checkRight()

	left, check = fencedItems(t, n)
	copy(left.keys, v.keys[:n+Slack])
	right, checkRight = fencedItems(t, n)
	if nl := SplitKeys(left.keys[:n], right.keys, pivot); nl != len(wantLeft.keys) {
		t.Fatalf("%s, without costs: %d left; want %d", what, nl, len(wantLeft.keys))
	}
	equal(t, what+", without costs: left keys", left.keys[:nl], wantLeft.keys)
	equal(t, what+", without costs: right keys", right.keys[:n-nl], wantRight.keys)
	check()
	checkRight()
}

func TestFittingKeys(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := range 301 {
			for kind := range 3 {
				v := newItems(n, func(int) uint64 { return r.key(0) }, func(int) uint32 { return r.cost(kind) })
				for _, limit := range []uint32{0, 1, 2, 50, 1 << 31, math.MaxUint32, r.cost(kind)} {
					checkFitting(t, v, limit)
				}
			}
		}
	})
}

func checkFitting(t *testing.T, v items, limit uint32) {
	t.Helper()
	n := len(v.keys)
	what := fmt.Sprintf("%d costs, limit %d", n, limit)
	want, wantSum := v.choose(func(_ uint64, c uint32) bool { return c <= limit })
	for _, inPlace := range []bool{false, true} {
		dst, check := fencedItems(t, n)
		src := v
		if inPlace {
			copy(dst.keys, v.keys[:n+Slack])
			copy(dst.costs, v.costs[:n+Slack])
			src = items{dst.keys[:n], dst.costs[:n]}
		}
		got, sum := FittingKeys(dst.keys, dst.costs, src.keys, src.costs, limit)
		if got != len(want.keys) || sum != wantSum {
			t.Fatalf("%s, in place %v: %d with a sum of %d; want %d, %d", what, inPlace, got, sum, len(want.keys), wantSum)
		}
		equal(t, what+": keys", dst.keys[:got], want.keys)
		equal(t, what+": costs", dst.costs[:got], want.costs)
		check()
	}
}

// TestSelectPieces: more keys than one call of a kernel takes.
func TestSelectPieces(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for _, n := range []int{selectPiece - 1, selectPiece, selectPiece + 1, 2*selectPiece + 5} {
			v := newItems(n, func(int) uint64 { return r.key(0) }, func(int) uint32 { return r.cost(1) })
			checkPartition(t, v, 1<<62)
			checkFitting(t, v, 30)
		}
	})
}

func TestSortKeys(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := range 2*maxSortKeys + 1 {
			for kind := range 8 {
				keys, backing := fenced[uint64](n+Slack, canary)
				for i := range keys {
					keys[i] = uint64(i) // in the slack: smaller than all
				}
				for i := range keys[:n] {
					switch kind {
					case 0: // sorted
						keys[i] = 1<<63 - uint64(n/2) + uint64(i)
					case 1: // reversed
						keys[i] = math.MaxUint64 - uint64(i)
					default:
						keys[i] = r.u64()>>8<<8 | uint64(i)
					}
				}
				behind := slices.Clone(keys[n:])
				want := slices.Clone(keys[:n])
				slices.Sort(want)
				SortKeys(keys[:n])
				equal(t, fmt.Sprintf("%d keys, kind %d", n, kind), keys[:n], want)
				equal(t, fmt.Sprintf("%d keys: behind them", n), keys[n:], behind)
				untouched(t, "keys", backing, canary)
			}
		}
	})
}
