package grid

import (
	"math/rand"
	"slices"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
)

func TestSmoke(t *testing.T) {
	for _, par := range []int{1, 2} {
		for _, lvl := range asm.Levels() {
			asm.SetTier(lvl)
			a, _ := arena.New(arena.Config{Deferred: true})
			w := NewWorkers(par)
			g, err := New(Config{Arena: a, Layers: []Layer{{CellX: 64, CellY: 128}, {CellX: 256}}, Workers: w, Previous: true})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewSource(1))
			type ent struct {
				h     arena.Handle
				layer int
				x, y  int32
			}
			var es []ent
			r := func(n int32) int32 { return rng.Int31n(2*n) - n }
			for tick := uint64(1); tick < 40; tick++ {
				for range 800 {
					h, err := a.Alloc()
					if err != nil {
						t.Fatal(err)
					}
					e := ent{h, rng.Intn(2), r(4000), r(4000)}
					if err := g.Insert(h, uint64(h), e.layer, Point{X: e.x, Y: e.y}); err != nil {
						t.Fatal(err)
					}
					es = append(es, e)
				}
				for i := range es {
					if rng.Intn(3) == 0 {
						es[i].x += r(100)
						es[i].y += r(100)
						if err := g.Move(es[i].h, es[i].x, es[i].y); err != nil {
							t.Fatal(err)
						}
					}
					if rng.Intn(50) == 0 {
						es[i].layer ^= 1
						g.SetLayer(es[i].h, es[i].layer)
					}
				}
				es = slices.DeleteFunc(es, func(e ent) bool {
					if rng.Intn(60) == 0 {
						if err := g.Remove(e.h); err != nil {
							t.Fatal(err)
						}
						a.Free(e.h)
						return true
					}
					return false
				})
				if err := g.Publish(tick); err != nil {
					t.Fatal(err)
				}
				s := g.Snapshot()
				if s.Len() != len(es) {
					t.Fatalf("tick %d: %d entities, want %d", tick, s.Len(), len(es))
				}
				for range 30 {
					q := Query{X: r(4000), Y: r(4000), Radius: rng.Int31n(700)}
					q.Layers = uint32(rng.Intn(4))
					hits, err := s.AppendWithin(nil, q)
					if err != nil {
						t.Fatal(err)
					}
					var got, want []arena.Handle
					for _, h := range hits {
						got = append(got, s.Handle(h.Slot))
					}
					for _, e := range es {
						dx, dy := int64(e.x-q.X), int64(e.y-q.Y)
						if dx*dx+dy*dy <= int64(q.Radius)*int64(q.Radius) && (q.Layers == 0 || q.Layers>>e.layer&1 == 1) {
							want = append(want, e.h)
						}
					}
					slices.Sort(got)
					slices.Sort(want)
					if !slices.Equal(got, want) {
						t.Fatalf("tick %d %+v: got %d want %d", tick, q, len(got), len(want))
					}
				}
			}
			t.Log(par, lvl, len(es), g.Stats())
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
