package crosslist

import (
	"fmt"
	"math"
	"testing"

	"vicinity/arena"
)

// walkers are entities, each with a trigger of 25 m, uniform in a square, 0.05 in a
// square metre; a unit is 1/256 m.
type walkers struct {
	list    *List
	r       *random
	handles []arena.Handle
	at      []point
	side    int32
	events  []Event
}

func newWalkers(b testing.TB, n int, shape Shape, margin int32) *walkers {
	b.Helper()
	w := &walkers{
		r: seeded(int64(*seedFlag), 1), side: int32(math.Sqrt(float64(n)/0.05) * 256),
		handles: make([]arena.Handle, n), at: make([]point, n),
	}
	a := &arena.Arena{}
	var err error
	if w.list, err = New(Config{Arena: a}); err != nil {
		b.Fatal(err)
	}
	for i := range w.handles {
		if w.handles[i], err = a.Alloc(); err != nil {
			b.Fatal(err)
		}
		w.at[i] = point{int32(w.r.below(int(w.side))), int32(w.r.below(int(w.side)))}
		if w.events, err = w.list.AppendInsert(w.events[:0], w.handles[i], uint64(i), w.at[i].x, w.at[i].y); err != nil {
			b.Fatal(err)
		}
		s := Spec{ID: uint64(i), Owner: w.handles[i], Radius: 25 * 256, Margin: margin, Shape: shape}
		if w.events, _, err = w.list.AppendAddTrigger(w.events[:0], s); err != nil {
			b.Fatal(err)
		}
	}
	return w
}

// step moves an entity by up to half a metre on each axis.
func (w *walkers) step(i int) {
	p := &w.at[i]
	p.x = min(max(p.x+w.r.spread(128), 0), w.side-1)
	p.y = min(max(p.y+w.r.spread(128), 0), w.side-1)
	var err error
	if w.events, err = w.list.AppendMove(w.events[:0], w.handles[i], p.x, p.y); err != nil {
		panic(err)
	}
}

// BenchmarkMove moves every entity in turn, with events at once.
func BenchmarkMove(b *testing.B) {
	for _, n := range []int{1000, 5000, 20_000} {
		for _, shape := range []Shape{Box, Disc} {
			for _, margin := range []int32{0, 640} {
				b.Run(fmt.Sprintf("n=%d/%v/margin=%d", n, shape, margin), func(b *testing.B) {
					w := newWalkers(b, n, shape, margin)
					before := w.list.Stats()
					b.ReportAllocs()
					moves := 0
					for b.Loop() {
						w.step(moves % n)
						moves++
					}
					s := w.list.Stats()
					b.ReportMetric(float64(s.Passed-before.Passed)/float64(moves), "nodes/op")
					b.ReportMetric(float64(s.Events-before.Events)/float64(moves), "events/op")
				})
			}
		}
	}
}
