package interest

import (
	"fmt"
	"testing"

	"vicinity/arena"
	"vicinity/grid"
)

// TestUpdateFromWithoutGrid: all rules hold for a set that has no grid, with what the
// candidates say.
func TestUpdateFromWithoutGrid(t *testing.T) {
	a, err := arena.New(arena.Config{})
	w := &world{t: t, arena: a}
	w.must(err)
	allow := true
	w.set, err = New(Config{Arena: a, Levels: Levels{Near: 20, Mid: 60}, Predicate: func(uint64, arena.Handle) bool { return allow }})
	w.must(err)
	var h [6]arena.Handle
	for i := range h {
		h[i], err = a.Alloc()
		w.must(err)
	}
	v := w.add(Observer{ID: 1, Entity: h[0], ExcludeSelf: true, Measured: true, Groups: [4]uint32{7}})
	w.must(w.set.SetTraits(h[2], Traits{Groups: [4]uint32{7}}))
	w.must(w.set.SetTraits(h[3], Traits{Need: 1}))
	w.must(w.set.SetTraits(h[4], Traits{Ask: true}))
	w.must(v.Relate(h[5], Pinned))
	all := []Candidate{
		{Entity: h[0], ID: 100, Inner: true},
		{Entity: h[1], ID: 101, Inner: true, DX: 30, DY: 40},
		{Entity: h[2], ID: 102, Far: true, DX: 3000},
		{Entity: h[3], ID: 103, Inner: true},
		{Entity: h[4], ID: 104, Inner: true, DY: -10},
		{Entity: h[5], ID: 105, Far: true, DX: -700},
	}
	update := func(when, want string) {
		t.Helper()
		w.must(v.UpdateFrom(all))
		w.expect(v, when, want)
		w.must(w.set.CheckInvariants())
	}
	update("first", "+101 range, +102 group, +104 range, +105 quest, ")
	c := v.Columns()
	for row, want := range []struct {
		dist2 float32
		level Level
	}{{2500, Medium}, {9_000_000, Low}, {100, High}, {490_000, Low}} {
		if c.Dist2[row] != want.dist2 || c.Level[row] != want.level {
			t.Errorf("row %d: distance %v, level %v; want %+v", row, c.Dist2[row], c.Level[row], want)
		}
	}
	allow = false
	update("not asked", "")
	w.must(w.set.Invalidate(h[4]))
	update("asked", "-104 permission, ")
	allow = true
	w.must(w.set.Invalidate(h[4]))
	w.must(w.set.SetTraits(h[3], Traits{Any: 2}))
	v.SetMask(3)
	update("permitted", "+103 permission, +104 permission, ")
	w.must(w.set.SetTraits(h[2], Traits{}))
	v.Unrelate(h[5], Pinned)
	update("not related", "-102 group, -105 quest, ")
	all[1].Inner, all[1].Far = false, true
	update("far", "-101 range, ")
	w.must(v.SetCap(Cap{MaxMembers: 1, NearRadius: 10}))
	all[1].Inner, all[1].Far = true, false
	update("a cap", "")
	if v.Len() != 2 { // 103 and 104 are within the near radius
		t.Errorf("%d members", v.Len())
	}
	w.must(v.Relate(h[5], Quest))
	a.Free(h[5])
	all = all[:5]
	a.Free(h[4])
	all = all[:4]
	w.must(v.SetCap(Cap{}))
	update("the dead", "+101 range, -104 despawn, ")
	if len(v.relations) != 0 {
		t.Errorf("%d relations to the dead", len(v.relations))
	}
	if got := w.set.AppendObserversOf(nil, h[3]); len(got) != 1 || got[0] != v {
		t.Errorf("%d observers", len(got))
	}
	w.must(a.Close())
}

// TestManyChangesAtOnce: when so much changes that it is not listed, everybody
// compares sets, and nothing is missed.
func TestManyChangesAtOnce(t *testing.T) {
	w, r := near100(t), newRandom(t, 61)
	me := w.spawn(1, 0, grid.Point{})
	all := w.crowd(r, 400, 90)
	v := w.add(Observer{Entity: me, ExcludeSelf: true})
	for _, n := range []int{400, 64, 65, 66, 67, 300, 1} {
		for _, need := range []uint32{1, 0} {
			w.step()
			v.Commit()
			for _, h := range all[:n] {
				w.must(w.set.SetTraits(h, Traits{Need: need}))
			}
			w.step()
			enters, leaves := len(v.AppendEnters(nil)), len(v.AppendLeaves(nil))
			if enters != int(1-need)*n || leaves != int(need)*n {
				t.Errorf("%d of 400 change: %d enters, %d leaves", n, enters, leaves)
			}
			if onePass := w.set.Stats().OnePass; onePass != bit(n <= 65) {
				t.Errorf("%d of 400 change: %d views in one pass", n, onePass)
			}
		}
	}
}

// TestLevelsAreExact: where the rounded distance does not tell, the exact one does.
func TestLevelsAreExact(t *testing.T) {
	const near, mid = 1 << 28, 1 << 29
	w := newWorld(t, false, Reach{Enter: grid.MaxCoord})
	v := w.add(Observer{Measured: true, Levels: &Levels{Near: near, Mid: mid, Margin: 10}})
	two := w.add(Observer{Measured: true, Levels: &Levels{Near: near, Mid: mid, Margin: 10}, More: []Viewpoint{{At: grid.Point{X: -grid.MaxCoord}}}})
	other := w.spawn(2, 0, grid.Point{})
	for _, s := range []struct {
		at   int32
		want Level
	}{
		{0, High}, {near + 10, High}, {near + 11, Medium}, {near + 1, Medium}, {near, High}, {near + 11, Medium},
		{mid + 10, Medium}, {mid + 11, Low}, {mid + 1, Low}, {mid, Medium}, {mid + 11, Low}, {near, High},
	} {
		w.move(other, grid.Point{X: s.at})
		w.step()
		for i, v := range []*View{v, two} {
			if got := v.Columns().Level[0]; got != s.want {
				t.Errorf("view %d at %d: %v; want %v", i, s.at, got, s.want)
			}
		}
	}
}

// TestEvenScores: the scores of a seed are spread like random ones, for IDs in a
// row too.
func TestEvenScores(t *testing.T) {
	w := near100(t)
	for _, step := range []uint64{1, 2, 1000, 1 << 32} {
		v := w.add(Observer{ID: step})
		const n, bins = 6400, 64
		var count [bins]int
		for i := range uint64(n) {
			count[v.score(i*step)>>26]++
		}
		chi := 0.0
		for _, c := range count {
			chi += float64(c-n/bins) * float64(c-n/bins) / (n / bins)
		}
		// 63 degrees of freedom: beyond these once in a million.
		if chi > 130 || chi < 22 {
			t.Errorf("IDs by %d: chi squared %.0f", step, chi)
		}
	}
	if a, b := fmt.Sprint(w.add(Observer{ID: 1}).score(5)), fmt.Sprint(w.add(Observer{ID: 2}).score(5)); a == b {
		t.Error("two observers have the same scores")
	}
}
