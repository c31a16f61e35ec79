package asm

import "math"

// A key orders candidates: the higher priority first, then the smaller squared
// distance. From the top bit down it holds the inverted priority (16 bits), the bits
// of the distance (31, which order like the distance, as it is not negative), and
// the candidate's index (17), so that all keys differ.
const (
	KeyIndexBits = 17
	KeyIndexMask = 1<<KeyIndexBits - 1
	keyPriority  = 48 // where the priority begins
)

// infinity is the bits of the largest distance, and minusZero those of the only
// distance with a sign that is valid.
const (
	infinity  = 0x7F800000
	minusZero = 1 << 31
)

// maxEffective is the largest priority. A weight or a wait above it makes as much
// of a difference as itself: below it, their product fits 32 bits, and the product
// and a priority still do.
const maxEffective = math.MaxUint16

// Classes is how many classes [RankColumns] can tell apart.
const Classes = 16

// Costs is the sum, the smallest and the largest of some costs.
type Costs struct {
	Sum   uint64
	Least uint32 // math.MaxUint32 if there are none
	Most  uint32 // 0 if there are none
}

// RankColumns is what [RankKeys] makes keys of: columns with one element a
// candidate. All but Cost may be nil, which stands for a column of zeros.
type RankColumns struct {
	Priority []uint16
	Dist2    []float32 // not negative, and a number
	Cost     []uint32  // not 0
	Class    []uint8   // below ClassCount
	Waited   []uint32  // what is multiplied by the class's weight
	// Weight is what each unit waited adds to the priority, by class; the sum ends at
	// 65,535. Classes from ClassCount on are not valid.
	Weight     [Classes]uint32
	ClassCount int
}

// zeros stands in for absent columns.
var zeros struct {
	priority [selectPiece]uint16
	dist2    [selectPiece]float32
	class    [selectPiece]uint8
	waited   [selectPiece]uint32
}

// RankKeys makes the key of every candidate, copies its cost to costs, and returns
// the sum, the smallest and the largest of the costs. bad is the index of the first
// candidate with a cost of 0, a distance that is negative or no number, or, if there
// are classes or waits, a class that is not valid; it is -1 if there is none. With a
// bad one keys, costs and the sums are unspecified. A distance of minus zero is zero.
//
// keys, costs and all columns are equally long, at most 2^17; keys and costs need
// [Slack] writable elements in their capacity, the columns need no slack. RankKeys
// panics if that is not so, or if there are more than [Classes] classes. No
// allocation. O(len(keys)).
func RankKeys(keys []uint64, costs []uint32, c *RankColumns) (total Costs, bad int) {
	n := len(keys)
	total.Least = math.MaxUint32
	if n == 0 {
		return total, -1
	}
	_, _ = keys[:n+Slack], costs[:n+Slack]
	if n > KeyIndexMask+1 || len(c.Cost) != n || uint(c.ClassCount) > Classes {
		panic("asm: RankKeys: too many candidates or classes, or columns of different lengths")
	}
	var weight [Classes]uint32
	aged := c.Class != nil || c.Waited != nil
	if aged {
		for i, w := range &c.Weight {
			weight[i] = min(w, maxEffective)
		}
	}
	for at := 0; at < n; at += selectPiece {
		end := min(at+selectPiece, n)
		p := rankPiece{
			Keys: keys[at:end], Costs: costs[at:end], Base: uint32(at),
			Priority: part(c.Priority, zeros.priority[:], at, end),
			Dist2:    part(c.Dist2, zeros.dist2[:], at, end),
			Cost:     c.Cost[at:end],
		}
		if aged {
			p.Class = part(c.Class, zeros.class[:], at, end)
			p.Waited = part(c.Waited, zeros.waited[:], at, end)
			p.Weight, p.ClassCount = &weight, uint32(c.ClassCount)
			bad = rankAged(&p, &total)
		} else {
			bad = rank(&p, &total)
		}
		if bad >= 0 {
			return Costs{}, at + bad
		}
	}
	return total, -1
}

// rankPiece is what a kernel takes in one call: columns of the same length, not 0
// and at most selectPiece. The assembly knows the offsets of its fields.
type rankPiece struct {
	Keys       []uint64
	Costs      []uint32
	Priority   []uint16
	Dist2      []float32
	Cost       []uint32
	Class      []uint8
	Waited     []uint32
	Weight     *[Classes]uint32 // at most maxEffective each
	ClassCount uint32
	Base       uint32 // index of the first
}

// part returns the elements [at, end) of a column, or as many zeros for none.
func part[T any](column, zeros []T, at, end int) []T {
	if column == nil {
		return zeros[:end-at]
	}
	return column[:len(column):len(column)][at:end]
}

// makeKey returns the key, and whether the distance is valid.
func makeKey(priority uint32, dist2 float32, index uint32) (key uint64, ok bool) {
	d := math.Float32bits(dist2)
	if d == minusZero {
		d = 0
	}
	return uint64(maxEffective-priority)<<keyPriority | uint64(d)<<KeyIndexBits | uint64(index), d <= infinity
}

// rankGeneric is the definition for candidates that neither age nor have classes,
// from one of them on.
func rankGeneric(p *rankPiece, total *Costs, from int) (bad int) {
	cost := p.Cost[from:]
	n := len(cost)
	keys, costs := p.Keys[from:][:n], p.Costs[from:][:n]
	priority, dist2 := p.Priority[from:][:n], p.Dist2[from:][:n]
	base := p.Base + uint32(from)
	sum, least, most := total.Sum, total.Least, total.Most
	for i, c := range cost {
		key, ok := makeKey(uint32(priority[i]), dist2[i], base+uint32(i))
		if !ok || c == 0 {
			return from + i
		}
		keys[i], costs[i] = key, c
		sum, least, most = sum+uint64(c), min(least, c), max(most, c)
	}
	total.Sum, total.Least, total.Most = sum, least, most
	return -1
}

// rankAgedGeneric is the definition for all.
func rankAgedGeneric(p *rankPiece, total *Costs, from int) (bad int) {
	cost := p.Cost[from:]
	n := len(cost)
	keys, costs := p.Keys[from:][:n], p.Costs[from:][:n]
	priority, dist2 := p.Priority[from:][:n], p.Dist2[from:][:n]
	class, waited := p.Class[from:][:n], p.Waited[from:][:n]
	base := p.Base + uint32(from)
	sum, least, most := total.Sum, total.Least, total.Most
	for i, c := range cost {
		k := class[i]
		age := p.Weight[k%Classes] * min(waited[i], maxEffective)
		key, ok := makeKey(min(uint32(priority[i])+age, maxEffective), dist2[i], base+uint32(i))
		if !ok || c == 0 || uint32(k) >= p.ClassCount {
			return from + i
		}
		keys[i], costs[i] = key, c
		sum, least, most = sum+uint64(c), min(least, c), max(most, c)
	}
	total.Sum, total.Least, total.Most = sum, least, most
	return -1
}
