package grid

import "testing"

// TestLend: grids that publish in turn with the same scratch memory are what they are
// with their own, and one's Close leaves it to the other.
func TestLend(t *testing.T) {
	r := newRandom(t)
	var s Scratch
	small := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, Previous: true})
	large := newWorld(t, Config{Layers: []Layer{{CellX: 4}, {CellX: 64}}, Height: true, Masks: true})
	for i := range 600 {
		large.spawn(i%2, r.point(2000))
		if i < 30 {
			small.spawn(0, r.point(300))
		}
	}
	for round := range 10 {
		for _, w := range []*world{small, large} {
			if w.grid.Lend(&s); round%4 == 3 {
				w.grid.Lend(nil)
			}
			w.churn(r, 400, 10)
			all := w.publish()
			checkAll(t, w.grid.Snapshot(), all)
			w.must(w.grid.CheckInvariants())
			checkQuery(t, w.grid.Snapshot(), all, Query{Radius: 200})
			if s.builder.job != (sortJob{}) {
				t.Fatal("the scratch memory refers to a grid")
			}
		}
	}
	small.grid.Lend(&s)
	small.must(small.grid.Close())
	large.grid.Lend(&s)
	large.spawn(0, r.point(10))
	all := large.publish()
	checkAll(t, large.grid.Snapshot(), all)
}
