package asm

import "slices"

// SortLimit returns up to how many keys [SortKeys] is the fastest way to sort them on
// the level in use: 64, or 32 on AVX2.
func SortLimit() int {
	if tier == AVX2 {
		return 32
	}
	return 64
}

// selectPiece bounds the keys of one call of a kernel, which cannot be preempted.
const selectPiece = 1 << 16

// PartitionKeys splits keys, and the costs that belong to them, at a pivot: those up
// to and including the pivot stay, moved to the front, and those above go to
// rightKeys and rightCosts. Both parts keep their order. It returns how many stay,
// and the sum of their costs. What stands behind them in keys and costs, up to
// [Slack] elements past their end, is unspecified afterwards. keys and costs are
// equally long, with [Slack] writable elements in their capacity; rightKeys and
// rightCosts have room for as many and [Slack] more, and do not overlap the others.
// No allocation. O(len(keys)).
func PartitionKeys(keys []uint64, costs []uint32, rightKeys []uint64, rightCosts []uint32, pivot uint64) (left int, sum uint64) {
	costs = costs[:len(keys)]
	if len(keys) == 0 {
		return 0, 0
	}
	_, _ = keys[:len(keys)+Slack], costs[:len(keys)+Slack]
	right := 0
	for at := 0; at < len(keys); at += selectPiece {
		k, c := keys[at:min(at+selectPiece, len(keys))], costs[at:min(at+selectPiece, len(keys))]
		n, s := partition(k, c, rightKeys[right:], rightCosts[right:], pivot)
		if at > 0 {
			copy(keys[left:], k[:n])
			copy(costs[left:], c[:n])
		}
		left, right, sum = left+n, right+len(k)-n, sum+s
	}
	return left, sum
}

// partitionGeneric is the definition. It has no branch in the loop: which side a key
// goes to cannot be predicted. Both lists get every element, and one of them counts it.
func partitionGeneric(keys []uint64, costs []uint32, rightKeys []uint64, rightCosts []uint32, pivot uint64) (left int, sum uint64) {
	costs, rightKeys, rightCosts = costs[:len(keys)], rightKeys[:len(keys)], rightCosts[:len(keys)]
	for i, k := range keys {
		cost := costs[i]
		keys[left], costs[left] = k, cost
		rightKeys[i-left], rightCosts[i-left] = k, cost
		stays := 0
		if k <= pivot {
			stays = 1
		}
		left += stays
		sum += uint64(cost) & -uint64(stays)
	}
	return left, sum
}

// SplitKeys is [PartitionKeys] without costs.
func SplitKeys(keys, right []uint64, pivot uint64) (left int) {
	if len(keys) == 0 {
		return 0
	}
	_ = keys[:len(keys)+Slack]
	nr := 0
	for at := 0; at < len(keys); at += selectPiece {
		k := keys[at:min(at+selectPiece, len(keys))]
		n := split(k, right[nr:], pivot)
		if at > 0 {
			copy(keys[left:], k[:n])
		}
		left, nr = left+n, nr+len(k)-n
	}
	return left
}

func splitGeneric(keys, right []uint64, pivot uint64) (left int) {
	right = right[:len(keys)]
	for i, k := range keys {
		keys[left], right[i-left] = k, k
		stays := 0
		if k <= pivot {
			stays = 1
		}
		left += stays
	}
	return left
}

// FittingKeys copies the keys whose cost is at most limit to dstKeys, their costs to
// dstCosts, in order, and returns how many they are and the sum of their costs. keys
// and costs are equally long, with [Slack] readable elements in their capacity; the
// destinations have room for all keys and [Slack] more. They may be keys and costs
// themselves, and do not overlap otherwise. No allocation. O(len(keys)), and faster
// the fewer fit.
func FittingKeys(dstKeys []uint64, dstCosts []uint32, keys []uint64, costs []uint32, limit uint32) (n int, sum uint64) {
	costs = costs[:len(keys)]
	if len(keys) == 0 {
		return 0, 0
	}
	_, _ = keys[:len(keys)+Slack], costs[:len(keys)+Slack]
	_, _ = dstKeys[:len(keys)+Slack], dstCosts[:len(keys)+Slack]
	for at := 0; at < len(keys); at += selectPiece {
		end := min(at+selectPiece, len(keys))
		k, s := fitting(dstKeys[n:], dstCosts[n:], keys[at:end], costs[at:end], limit)
		n, sum = n+k, sum+s
	}
	return n, sum
}

// fittingGeneric has no branch in the loop, like partitionGeneric.
func fittingGeneric(dstKeys []uint64, dstCosts []uint32, keys []uint64, costs []uint32, limit uint32) (n int, sum uint64) {
	keys, dstKeys, dstCosts = keys[:len(costs)], dstKeys[:len(costs)], dstCosts[:len(costs)]
	for i, cost := range costs {
		dstKeys[n], dstCosts[n] = keys[i], cost
		fits := 0
		if cost <= limit {
			fits = 1
		}
		n += fits
		sum += uint64(cost) & -uint64(fits)
	}
	return n, sum
}

// SortKeys sorts keys, all different, in rising order. It is for few of them: above
// [SortLimit] it is slices.Sort. The keys need [Slack] readable elements in their
// capacity. No allocation.
func SortKeys(keys []uint64) {
	switch n := len(keys); {
	case n <= 1:
	case n > SortLimit():
		slices.Sort(keys)
	default:
		_ = keys[:n+Slack]
		sortKeys(keys)
	}
}
