package crosslist

import (
	"math"
	"slices"
	"testing"
)

// Words order like (coordinate, kind, number), at the extremes too.
func TestWordOrder(t *testing.T) {
	var words []word
	for _, c := range []int32{math.MinInt32, -MaxCoord, -1, 0, 1, MaxCoord, math.MaxInt32} {
		for kind := range uint32(3) {
			for _, n := range []uint32{0, 1, numberMask} {
				w := makeWord(c, kind, n)
				words = append(words, w)
				if w.coord() != c || w.kind() != kind || w.number() != n || w.isBody() != (kind == kindBody) {
					t.Errorf("(%d, %d, %d) became (%d, %d, %d)", c, kind, n, w.coord(), w.kind(), w.number())
				}
				if w < firstAt(c) || w >= lastAt(c) {
					t.Errorf("(%d, %d, %d) is not between the bounds of %d", c, kind, n, c)
				}
			}
		}
	}
	if !slices.IsSorted(words) {
		t.Error("words are not in order")
	}
}

func TestLowerBound(t *testing.T) {
	var nodes [blockLen]word
	wipe(nodes[:])
	for n := range blockLen + 1 {
		for w := range word(2*n + 3) {
			want, _ := slices.BinarySearch(nodes[:n], w)
			if got := lowerBound(&nodes, w); got != want {
				t.Errorf("%d nodes: place of %d is %d; want %d", n, w, got, want)
			}
		}
		if n < blockLen {
			nodes[n] = word(2*n + 1)
		}
	}
}

// checkNodes compares an axis of bodies with coordinates by slot.
func checkNodes(t *testing.T, a *axis, at map[uint32]int32) {
	t.Helper()
	var want, got []word
	for slot, c := range at {
		want = append(want, bodyWord(c, slot))
	}
	slices.Sort(want)
	for _, b := range a.dir {
		got = append(got, a.block(b)...)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("nodes %x; want %x", got, want)
	}
	for b := range a.count {
		for _, w := range a.full(uint32(b))[a.count[b]:] {
			if w != unused {
				t.Fatalf("block %d has %x behind its nodes", b, w)
			}
		}
	}
	for i := 1; i < len(a.dir); i++ {
		if a.count[a.dir[i-1]]+a.count[a.dir[i]] <= sparse {
			t.Fatalf("blocks %d and %d are sparse", i-1, i)
		}
	}
}

// An axis keeps its order through inserts, removals and moves of any length, and
// tells what was passed.
func TestAxis(t *testing.T) {
	r := newRandom(t, 2)
	const slots = 600
	a := axis{bodyHome: make([]uint32, slots)}
	a.init()
	at := map[uint32]int32{}
	var passed []word
	for step := range 20_000 {
		slot := uint32(r.below(slots))
		c, there := at[slot]
		switch {
		case !there && step%8000 < 6000:
			at[slot] = r.spread(300)
			a.insert(bodyWord(at[slot], slot))
		case there && (step%8000 >= 6000 || r.below(20) == 0):
			a.remove(bodyWord(c, slot))
			delete(at, slot)
		case there:
			to := c + r.spread(40)
			if to == c {
				continue
			}
			before, after := bodyWord(c, slot), bodyWord(to, slot)
			passed = a.move(before, after, passed[:0], true)
			want := 0
			for other, c := range at {
				if w := bodyWord(c, other); w > min(before, after) && w < max(before, after) {
					want++
					if !slices.Contains(passed, w) {
						t.Fatalf("step %d: %x was not passed", step, w)
					}
				}
			}
			if len(passed) != want {
				t.Fatalf("step %d: %d passed; want %d", step, len(passed), want)
			}
			at[slot] = to
		}
		if step%50 == 0 {
			checkNodes(t, &a, at)
		}
	}
	for slot, c := range at {
		a.remove(bodyWord(c, slot))
		delete(at, slot)
	}
	checkNodes(t, &a, at)
	if a.nodes != 0 || len(a.dir) != 0 {
		t.Errorf("%d nodes, %d blocks", a.nodes, len(a.dir))
	}
}

// Finding a place does not cost what the axis holds: the directory is searched by
// halves, and blocks are split seldom.
func TestInsertIsNotLinear(t *testing.T) {
	a := axis{}
	a.init()
	r := newRandom(t, 3)
	const small, large = 1000, 100_000
	a.bodyHome = make([]uint32, large+1)
	var perInsert [2]float64
	n := uint32(0)
	for i, size := range []uint32{small, large} {
		for ; n < size-200; n++ {
			a.insert(bodyWord(r.spread(1<<29), n))
		}
		before := a.visits
		for ; n < size; n++ {
			a.insert(bodyWord(r.spread(1<<29), n))
		}
		perInsert[i] = float64(a.visits-before) / 200
	}
	t.Logf("looks into the directory at an insert: %.1f of %d nodes, %.1f of %d", perInsert[0], small, perInsert[1], large)
	if perInsert[1] > perInsert[0]+10 {
		t.Errorf("%v looks at an insert", perInsert)
	}
	if a.steps != 0 {
		t.Errorf("%d nodes were walked past", a.steps)
	}
}
