package asm

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// rankByHand is the definition in the plainest words.
func rankByHand(c *RankColumns) (keys []uint64, total Costs, bad int) {
	total.Least = math.MaxUint32
	for i, cost := range c.Cost {
		priority, dist, class, waited := 0, float32(0), 0, uint32(0)
		if c.Priority != nil {
			priority = int(c.Priority[i])
		}
		if c.Dist2 != nil {
			dist = c.Dist2[i]
		}
		if c.Class != nil {
			class = int(c.Class[i])
		}
		if c.Waited != nil {
			waited = c.Waited[i]
		}
		if cost == 0 || !(dist >= 0) || (c.Class != nil || c.Waited != nil) && class >= c.ClassCount {
			return nil, Costs{}, i
		}
		if class < Classes {
			age := new(big.Int).Mul(big.NewInt(int64(c.Weight[class])), big.NewInt(int64(waited)))
			age.Add(age, big.NewInt(int64(priority)))
			priority = math.MaxUint16
			if age.Cmp(big.NewInt(math.MaxUint16)) < 0 {
				priority = int(age.Int64())
			}
		}
		key := uint64(math.MaxUint16-priority)<<48 + uint64(i)
		if dist > 0 { // not for minus zero
			key += uint64(math.Float32bits(dist)) << 17
		}
		keys = append(keys, key)
		total.Sum += uint64(cost)
		total.Least = min(total.Least, cost)
		total.Most = max(total.Most, cost)
	}
	return keys, total, -1
}

func checkRank(t *testing.T, c *RankColumns, what string) {
	t.Helper()
	n := len(c.Cost)
	want, wantTotal, wantBad := rankByHand(c)
	got, check := fencedItems(t, n)
	total, bad := RankKeys(got.keys[:n], got.costs[:n], c)
	if bad != wantBad {
		t.Fatalf("%s: bad is %d; want %d", what, bad, wantBad)
	}
	check()
	if bad >= 0 {
		return
	}
	if total != wantTotal {
		t.Fatalf("%s: total %+v; want %+v", what, total, wantTotal)
	}
	equal(t, what+": keys", got.keys[:n], want)
	equal(t, what+": costs", got.costs[:n], c.Cost)
}

var (
	oddDist2 = []float32{0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, 1, 1.5, math.MaxFloat32, float32(math.Inf(1))}
	badDist2 = []float32{-math.SmallestNonzeroFloat32, -1, float32(math.Inf(-1)), float32(math.NaN()),
		math.Float32frombits(0x7F800001), math.Float32frombits(0xFF800001), math.Float32frombits(0xFFFFFFFF)}
	oddWaits = []uint32{0, 1, 2, 255, math.MaxUint16 - 1, math.MaxUint16, math.MaxUint16 + 1, 1<<31 - 1, 1 << 31, math.MaxUint32}
)

// columns draws n valid candidates with the optional columns that are asked for.
func (r *random) columns(n int, priority, dist2, class, waited bool) *RankColumns {
	c := &RankColumns{Cost: make([]uint32, n), ClassCount: 1 + r.below(Classes)}
	for i := range c.Weight {
		c.Weight[i] = oddWaits[r.below(len(oddWaits))]
	}
	for i := range c.Cost {
		c.Cost[i] = max(1, r.cost(r.below(3)))
		if priority {
			c.Priority = append(c.Priority, uint16(r.Next()))
		}
		if dist2 {
			c.Dist2 = append(c.Dist2, append(oddDist2, float32(r.Next()))[r.below(len(oddDist2)+1)])
		}
		if class {
			c.Class = append(c.Class, uint8(r.below(c.ClassCount)))
		}
		if waited {
			c.Waited = append(c.Waited, append(oddWaits, uint32(r.below(100)))[r.below(len(oddWaits)+1)])
		}
	}
	return c
}

func TestRankKeys(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := range 301 {
			for kind := range 16 {
				c := r.columns(n, kind&1 != 0, kind&2 != 0, kind&4 != 0, kind&8 != 0)
				checkRank(t, c, fmt.Sprintf("%d candidates, columns %04b", n, kind))
			}
		}
	})
}

// TestRankKeysBad puts one or two bad candidates of each kind into each place.
func TestRankKeysBad(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := 1; n <= 70; n++ {
			for at := range n {
				for kind := range 2 + len(badDist2) {
					c := r.columns(n, true, true, kind == 1 || at%2 == 0, at%3 == 0)
					spoil := func(i, kind int) {
						switch kind {
						case 0:
							c.Cost[i] = 0
						case 1:
							if c.Class != nil {
								c.Class[i] = []uint8{uint8(c.ClassCount), 16, 128, 255}[i%4]
								c.ClassCount = min(c.ClassCount, int(c.Class[i]))
							}
						default:
							c.Dist2[i] = badDist2[kind-2]
						}
					}
					spoil(at, kind)
					if r.below(3) == 0 {
						spoil(r.below(n), 0)
					}
					checkRank(t, c, fmt.Sprintf("%d candidates, bad %d of kind %d", n, at, kind))
				}
			}
		}
	})
}

func TestRankKeysPieces(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for _, n := range []int{selectPiece - 1, selectPiece, selectPiece + 1, KeyIndexMask + 1} {
			for kind := range 2 {
				c := r.columns(n, kind == 0, kind == 0, kind == 1, kind == 0)
				checkRank(t, c, fmt.Sprintf("%d candidates, kind %d", n, kind))
				if n > selectPiece {
					c.Cost[n-1] = 0
					checkRank(t, c, fmt.Sprintf("%d candidates, kind %d, last one bad", n, kind))
				}
			}
		}
	})
}

// TestRankKeysMisuse: what would be read or written out of bounds panics instead.
func TestRankKeysMisuse(t *testing.T) {
	const n = 20
	room := func(n int) ([]uint64, []uint32) { return make([]uint64, n+Slack)[:n], make([]uint32, n+Slack)[:n] }
	for what, spoil := range map[string]func(c *RankColumns, keys *[]uint64, costs *[]uint32){
		"short costs":      func(c *RankColumns, _ *[]uint64, _ *[]uint32) { c.Cost = c.Cost[:n-1] },
		"short priorities": func(c *RankColumns, _ *[]uint64, _ *[]uint32) { c.Priority = c.Priority[:n-1] },
		"short waits":      func(c *RankColumns, _ *[]uint64, _ *[]uint32) { c.Waited = c.Waited[:n-1] },
		"no slack":         func(_ *RankColumns, keys *[]uint64, _ *[]uint32) { *keys = (*keys)[:n:n] },
		"short room":       func(_ *RankColumns, _ *[]uint64, costs *[]uint32) { *costs = (*costs)[: n-1 : n-1] },
		"too many classes": func(c *RankColumns, _ *[]uint64, _ *[]uint32) { c.ClassCount = Classes + 1 },
		"negative classes": func(c *RankColumns, _ *[]uint64, _ *[]uint32) { c.ClassCount = -1 },
		"too many": func(c *RankColumns, keys *[]uint64, costs *[]uint32) {
			*c = RankColumns{Cost: make([]uint32, KeyIndexMask+2)}
			*keys, *costs = room(KeyIndexMask + 2)
		},
	} {
		c := newRandom(t).columns(n, true, true, true, true)
		keys, costs := room(n)
		spoil(c, &keys, &costs)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			RankKeys(keys, costs, c)
		}()
	}
}
