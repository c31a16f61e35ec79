package packer

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dgryski/go-pcgr"

	"vicinity/asm"
)

// walkAll is what a selector must do, in the plainest words: sort everything, walk.
func walkAll(in *ranks, ids []uint64, room uint32, lower func(index, room uint32) uint32) (taken []grant) {
	order := make([]int, len(in.key))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := in.key[a], in.key[b]
		if x>>17 != y>>17 {
			if x>>17 < y>>17 {
				return -1
			}
			return 1
		}
		if ids[x&(1<<17-1)] < ids[y&(1<<17-1)] {
			return -1
		}
		return 1
	})
	for _, i := range order {
		index, cost := uint32(in.key[i]&(1<<17-1)), in.want[i]
		if cost > room {
			if len(in.least) == 0 || in.least[i] > room {
				continue
			}
			cost = lower(index, room)
		}
		taken = append(taken, grant{index, cost})
		room -= cost
	}
	return taken
}

// eachTier runs test with every kernel tier of this machine.
func eachTier(t testing.TB, test func(tier asm.Level)) {
	t.Helper()
	before := asm.Tier()
	defer func() { asm.SetTier(before) }()
	for _, l := range asm.Levels() {
		if err := asm.SetTier(l); err != nil {
			t.Fatal(err)
		}
		test(l)
	}
}

// draws is a generator with the draws that these tests need.
type draws struct{ pcgr.Rand }

func newDraws(seed int64) *draws {
	d := &draws{}
	d.SeedWithState(seed, 1)
	return d
}

func (d *draws) below(n int) int { return int(d.Bound(uint32(n))) }
func (d *draws) u64() uint64     { return uint64(d.Next())<<32 | uint64(d.Next()) }

// A problem is one call of a selector.
type problem struct {
	in   ranks
	ids  []uint64
	room uint32
}

// lower is the level sent instead: anything from the least to the room.
func (p *problem) lower(index, room uint32) uint32 {
	for i, k := range p.in.key {
		if indexOf(k) == index {
			return p.in.least[i] + (room-p.in.least[i])/2
		}
	}
	panic("no such candidate")
}

func (p *problem) clone() *problem {
	return &problem{ranks{slices.Clone(p.in.key), slices.Clone(p.in.want), slices.Clone(p.in.least)}, p.ids, p.room}
}

// shuffled returns p with its elements in another order.
func (p *problem) shuffled(d *draws) *problem {
	q := p.clone()
	for i := len(q.in.key) - 1; i > 0; i-- {
		j := d.below(i + 1)
		q.in.key[i], q.in.key[j] = q.in.key[j], q.in.key[i]
		q.in.want[i], q.in.want[j] = q.in.want[j], q.in.want[i]
		if q.in.least != nil {
			q.in.least[i], q.in.least[j] = q.in.least[j], q.in.least[i]
		}
	}
	return q
}

// check compares the selector with the plain walk, and says what differs.
func (s *selector) check(p *problem) error {
	want := walkAll(&p.in, p.ids, p.room, p.lower)
	q := p.clone()
	s.firstFit(&q.in, q.ids, q.room, p.lower)
	room := p.room
	for i, g := range s.taken {
		if i >= len(want) || g != want[i] {
			return fmt.Errorf("place %d of %d is %+v; want %+v", i, len(s.taken), g, append(slices.Clone(want), grant{})[min(i, len(want))])
		}
		if g.cost > room {
			return fmt.Errorf("place %d costs %d, %d are left", i, g.cost, room)
		}
		room -= g.cost
	}
	if len(want) > len(s.taken) {
		return fmt.Errorf("took %d; want %d", len(s.taken), len(want))
	}
	if s.room != room {
		return fmt.Errorf("%d bytes left; want %d", s.room, room)
	}
	return nil
}

// How a problem's columns are drawn.
var (
	keyKinds = []func(d *draws, i, n int) uint64{ // all but the index
		func(d *draws, i, n int) uint64 { return d.u64() },
		func(d *draws, i, n int) uint64 { return uint64(0xFFFF-d.below(256))<<48 | d.u64()>>16 },
		func(d *draws, i, n int) uint64 { return 0 },              // all equal
		func(d *draws, i, n int) uint64 { return math.MaxUint64 }, // all equal, and last
		func(d *draws, i, n int) uint64 { return uint64(d.below(2)) << 63 },
		func(d *draws, i, n int) uint64 { return uint64(d.below(1+n/40)) << 20 }, // groups of about 40
		func(d *draws, i, n int) uint64 { return uint64(i) << 17 },               // sorted
		func(d *draws, i, n int) uint64 { return uint64(n-i) << 17 },             // reversed
		func(d *draws, i, n int) uint64 { return uint64(min(i, n-i)) << 17 },     // organ pipe
		func(d *draws, i, n int) uint64 { return uint64(i/2*(1-i%2*2)) << 17 },   // outwards
		func(d *draws, i, n int) uint64 { return uint64(max(0, i-n/2)) << 17 },   // half of them equal
	}
	costKinds = []func(d *draws, i, n int) uint32{
		func(d *draws, i, n int) uint32 { return 16 + uint32(d.below(112)) },
		func(d *draws, i, n int) uint32 { return 1 },
		func(d *draws, i, n int) uint32 { return math.MaxUint32 },
		func(d *draws, i, n int) uint32 { return 1 + d.Next()>>1>>d.below(31) },
		func(d *draws, i, n int) uint32 { return [4]uint32{1199, 1200, 1, 2}[d.below(4)] },
		func(d *draws, i, n int) uint32 { // one giant at the front of the column
			if i == 0 {
				return 1 << 31
			}
			return 1
		},
		func(d *draws, i, n int) uint32 { // every second one fits just no longer
			if i%2 == 0 {
				return 1
			}
			return uint32(50*n - i/2 + 1)
		},
	}
	idKinds = []func(d *draws, i, n int) uint64{
		func(d *draws, i, n int) uint64 { return uint64(i)*7919%(1<<17)<<40 + uint64(i) },
		func(d *draws, i, n int) uint64 { return uint64(n - i) },
		func(d *draws, i, n int) uint64 { return d.u64()&^(1<<17-1) | uint64(i) },
		func(d *draws, i, n int) uint64 { return uint64(d.below(3))<<62 | uint64(i^1) }, // close together, and far apart
	}
)

// newProblem draws n candidates of the given kinds, and a room for about that share
// of them.
func newProblem(d *draws, n, key, cost, id int, share float64, least bool) *problem {
	p := &problem{}
	sum := uint64(0)
	for i := range n {
		p.in.key = append(p.in.key, keyKinds[key](d, i, n)&^(1<<17-1)|uint64(i))
		c := costKinds[cost](d, i, n)
		p.in.want = append(p.in.want, c)
		if least {
			p.in.least = append(p.in.least, 1+uint32(uint64(d.Next())*uint64(c)>>32))
		}
		p.ids = append(p.ids, idKinds[id](d, i, n))
		sum += uint64(c)
	}
	p.room = uint32(min(float64(sum)*share, math.MaxUint32))
	if cost == 6 {
		p.room = uint32(50 * n)
	}
	return p
}

var shares = []float64{0, 0.0001, 0.003, 0.05, 0.2, 0.6, 0.97, 1, 2}

// TestSelector compares with the plain walk on all kinds of input, up to 300 of them,
// in any order, on every tier; and with pivots so bad that it has to give up cutting.
func TestSelector(t *testing.T) {
	rounds := 3
	if testing.Short() || raceEnabled {
		rounds = 1
	}
	eachTier(t, func(tier asm.Level) {
		d := newDraws(5)
		var s selector
		count := 0
		for round := range rounds {
			for n := range 301 {
				if n > 40 && (n+round)%9 != 0 {
					continue
				}
				for key := range keyKinds {
					for cost := range costKinds {
						share := shares[d.below(len(shares))]
						p := newProblem(d, n, key, cost, d.below(len(idKinds)), share, d.below(4) == 0)
						if d.below(2) == 0 {
							p = p.shuffled(d)
						}
						s.hurry = 0
						if d.below(4) == 0 {
							s.hurry = 1 + d.below(3*n+1)
						}
						if err := s.check(p); err != nil {
							t.Fatalf("%v: %d candidates, key %d, cost %d, share %v, hurry %d: %v", tier, n, key, cost, share, s.hurry, err)
						}
						count++
					}
				}
			}
		}
		t.Logf("%v: %d cases", tier, count)
	})
}

// TestSelectorMany is TestSelector with as many as there may be.
func TestSelectorMany(t *testing.T) {
	sizes := []int{1000, 1 << 16, 1<<16 + 1, 1 << 17}
	if testing.Short() || raceEnabled {
		sizes = []int{1000, 5000}
	}
	d := newDraws(6)
	var s selector
	for _, n := range sizes {
		for key := range keyKinds {
			cost, id := d.below(len(costKinds)), d.below(len(idKinds))
			share := shares[d.below(len(shares))]
			p := newProblem(d, n, key, cost, id, share, key == 0)
			if n > 5000 {
				p.in.least = nil // lower would be slow
			}
			eachTier(t, func(tier asm.Level) {
				if err := s.check(p); err != nil {
					t.Errorf("%v: %d candidates, key %d, cost %d, id %d, share %v: %v", tier, n, key, cost, id, share, err)
				}
			})
		}
	}
}

// TestSelectorAnyOrder: the same candidates in any order give the same selection in
// the same order, on every tier.
func TestSelectorAnyOrder(t *testing.T) {
	d := newDraws(7)
	var s selector
	for _, n := range []int{2, 33, 200, 3000} {
		for key := range keyKinds {
			p := newProblem(d, n, key, d.below(len(costKinds)), d.below(len(idKinds)), shares[d.below(len(shares))], false)
			want := walkAll(&p.in, p.ids, p.room, nil)
			for range 5 {
				// Another order, and so other indexes: order[i] is where candidate i was.
				order := make([]int, n)
				for i := range order {
					order[i] = i
				}
				for i := n - 1; i > 0; i-- {
					j := d.below(i + 1)
					order[i], order[j] = order[j], order[i]
				}
				q := &problem{room: p.room}
				for i, was := range order {
					q.in.key = append(q.in.key, first(p.in.key[was])|uint64(i))
					q.in.want = append(q.in.want, p.in.want[was])
					q.ids = append(q.ids, p.ids[was])
				}
				eachTier(t, func(tier asm.Level) {
					in := q.clone()
					s.firstFit(&in.in, q.ids, q.room, nil)
					got := slices.Clone(s.taken)
					for i := range got {
						got[i].index = uint32(order[got[i].index])
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%v: %d candidates, key %d: another order gives another selection", tier, n, key)
					}
				})
			}
		}
	}
}

// TestSelectorDoesNotAllocate, once it has grown.
func TestSelectorDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	d := newDraws(8)
	for key := range keyKinds {
		p := newProblem(d, 3000, key, 0, 0, 0.3, true)
		lower := func(index, room uint32) uint32 { return 1 }
		in := ranks{slices.Grow(slices.Clone(p.in.key), asm.Slack), slices.Grow(slices.Clone(p.in.want), asm.Slack), p.in.least}
		var s selector
		run := func() {
			copy(in.key, p.in.key)
			copy(in.want, p.in.want)
			s.firstFit(&in, p.ids, p.room, lower)
		}
		if got := testing.AllocsPerRun(3, run); got != 0 {
			t.Errorf("key %d: %v allocations", key, got)
		}
	}
}

// TestSelectorWork: whatever the input, no more keys are cut than a sort would cut,
// and for ordinary input little more than all of them once.
func TestSelectorWork(t *testing.T) {
	const (
		n    = 1 << 14
		most = n * (3*15 + 10)
	)
	d := newDraws(9)
	var s selector
	for key := range keyKinds {
		for cost := range costKinds {
			p := newProblem(d, n, key, cost, d.below(len(idKinds)), 0.05, false)
			bound := s.bound(n)
			s.firstFit(&p.in, p.ids, p.room, nil)
			used := bound - s.work
			if used > most {
				t.Errorf("key %d, cost %d: cut %d keys, more than %d", key, cost, used, most)
			}
			if key == 0 && cost == 0 && used > 5*n/2 {
				t.Errorf("ordinary input: cut %d keys of %d", used, n)
			}
		}
	}
}

// FuzzFirstFit compares the selector with the plain walk on every tier. The bytes
// are a list of candidates: few priorities and distances, so that many tie, costs
// and IDs of all magnitudes.
func FuzzFirstFit(f *testing.F) {
	f.Add([]byte{})
	for n := range 8 {
		d := newDraws(int64(n))
		data := make([]byte, 40<<n)
		for i := range data {
			data[i] = byte(d.Next())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		at := 0
		next := func() uint64 {
			if at == len(data) {
				return 0
			}
			at++
			return uint64(data[at-1])
		}
		p := &problem{}
		degrade, hurry := next()&1 != 0, int(next())*int(next())
		mask := next()<<56 | next()<<48 | next()<<24 | next()<<17
		p.room = uint32(next()<<24|next()<<16|next()<<8|next()) >> (next() % 32)
		for at < len(data) && len(p.ids) < 2000 {
			i := uint64(len(p.ids))
			cost := uint32(1+next()) << (next() % 24)
			p.in.key = append(p.in.key, next()*0x0101010101010101&mask|i)
			p.in.want = append(p.in.want, cost)
			if degrade {
				p.in.least = append(p.in.least, 1+cost>>(next()%32)/2)
			}
			p.ids = append(p.ids, next()<<(next()%48)<<11^i)
		}
		eachTier(t, func(tier asm.Level) {
			for _, h := range []int{0, 1 + hurry} {
				s := selector{hurry: h}
				if err := s.check(p); err != nil {
					t.Fatalf("%v, hurry %d: %v", tier, h, err)
				}
			}
		})
	})
}
