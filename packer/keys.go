package packer

import (
	"cmp"
	"math/bits"
	"slices"

	"vicinity/asm"
)

// prefixOf returns what two keys have in common that tie: all but the index. Of keys
// with a prefix, first is below them all and last above them all.
func prefixOf(key uint64) uint64 { return key >> asm.KeyIndexBits }

func indexOf(key uint64) uint32 { return uint32(key & asm.KeyIndexMask) }

func first(key uint64) uint64 { return key &^ asm.KeyIndexMask }

func last(key uint64) uint64 { return key | asm.KeyIndexMask }

// rekey replaces keys that all tie by keys that order them by ID: the distance from
// the smallest ID, and the index. If the IDs are too far apart for the bits that a
// key has beside the index, the lower bits of the distance are left out; some of the
// new keys may then tie again, and final is false. Those that do are close together,
// so the next rekey of them is final. Under final keys only equal IDs tie.
func rekey(keys []uint64, ids []uint64) (final bool) {
	lo, hi := ids[indexOf(keys[0])], uint64(0)
	for _, k := range keys {
		id := ids[indexOf(k)]
		lo, hi = min(lo, id), max(hi, id)
	}
	cut := max(0, bits.Len64(hi-lo)-(64-asm.KeyIndexBits))
	for i, k := range keys {
		index := k & asm.KeyIndexMask
		keys[i] = (ids[index]-lo)>>cut<<asm.KeyIndexBits | index
	}
	return cut == 0
}

// orderTies sorts the keys at the front that tie with the first one by ID, and
// returns how many they are. keys are sorted.
func orderTies(keys []uint64, ids []uint64) (n int) {
	prefix := prefixOf(keys[0])
	for n = 1; n < len(keys) && prefixOf(keys[n]) == prefix; n++ {
		k := keys[n]
		id, j := ids[indexOf(k)], n
		for ; j > 0 && ids[indexOf(keys[j-1])] > id; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
	return n
}

// samples is how many keys choosePivot looks at, at most.
const samples = 32

// choosePivot returns a key that about the given part of the keys, 0 to 1, is up to
// and including. With all keys that tie with a given one, either all or none are. It
// sorts a sample of the keys, for which scratch is memory; there are at least 5 keys.
// What it returns decides how long the selection takes, and nothing else.
func choosePivot(scratch *[samples + asm.Slack]uint64, keys []uint64, part float64) uint64 {
	m := 5
	if len(keys) >= 1024 {
		m = 32
	} else if len(keys) >= 192 {
		m = 16
	}
	sample, step := scratch[:m], uint(len(keys))/uint(m)
	if m == 5 {
		sort5((*[5]uint64)(sample), keys[step/2], keys[step/2+step], keys[step/2+2*step], keys[step/2+3*step], keys[step/2+4*step])
	} else {
		at := step / 2
		for i := range sample {
			sample[i] = keys[at]
			at += step
		}
		asm.SortKeys(sample)
	}
	k := last(sample[min(int(part*float64(m)), m-1)])
	if k == last(sample[m-1]) && k > last(sample[0]) {
		// Perhaps nothing is above it; something surely is below the ties.
		return first(k) - 1
	}
	return k
}

// sort5 stores five keys in order: nine exchanges without a branch.
func sort5(to *[5]uint64, a, b, c, d, e uint64) {
	a, d = min(a, d), max(a, d)
	b, e = min(b, e), max(b, e)
	a, c = min(a, c), max(a, c)
	b, d = min(b, d), max(b, d)
	a, b = min(a, b), max(a, b)
	c, e = min(c, e), max(c, e)
	b, c = min(b, c), max(b, c)
	d, e = min(d, e), max(d, e)
	c, d = min(c, d), max(c, d)
	to[0], to[1], to[2], to[3], to[4] = a, b, c, d, e
}

// sortAll sorts any number of keys by the total order, at O(n log n) whatever they
// are.
func sortAll(keys []uint64, ids []uint64) {
	slices.Sort(keys)
	for i := 0; i < len(keys); {
		end := i + 1
		for end < len(keys) && prefixOf(keys[end]) == prefixOf(keys[i]) {
			end++
		}
		if end-i > 1 {
			slices.SortFunc(keys[i:end], func(x, y uint64) int { return cmp.Compare(ids[indexOf(x)], ids[indexOf(y)]) })
		}
		i = end
	}
}
