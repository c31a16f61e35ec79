package bench

import (
	"fmt"
	"math"
	"testing"

	"github.com/dgryski/go-pcgr"

	"vicinity"
	"vicinity/grid"
	"vicinity/packer"
)

// scene is a World to be ticked, and how its entities move.
type scene struct {
	name     string
	entities int
	side     float64 // of the square, metres
	crowd    int     // of the entities, in a disc in the middle
	disc     float64 // its radius
	reach    float64
	conns    int // the first ones
	every    int // every n-th entity moves
	step     float64
	budget   uint32
}

// W4 is the town: five thousand in one spot, all of whom see each other, and five
// thousand around.
func sceneW4() scene {
	return scene{name: "W4", entities: 10_000, side: 1000, crowd: 5000, disc: 40, reach: 80, conns: 5000, every: 1, step: 0.15, budget: 1200}
}

// W5 is the continent: ten thousand players among ninety thousand others, of whom
// three in ten move.
func sceneW5() scene {
	return scene{name: "W5", entities: 100_000, side: 10_000, reach: 100, conns: 10_000, every: 3, step: 0.3, budget: 1200}
}

// W6 over ten: a tenth of the million.
func sceneW6() scene {
	return scene{name: "W6-tenth", entities: 100_000, side: 32_000 / math.Sqrt(10), reach: 100, conns: 10_000, every: 1, step: 3, budget: 1200}
}

// stage is a scene in a World.
type stageSet struct {
	scene
	w       *vicinity.World
	handles []vicinity.Handle
	x, y    []float32
	dx, dy  []float32
	turn    int
}

func (s scene) build(tb testing.TB, cfg vicinity.Config) *stageSet {
	cfg.Reach = []vicinity.Reach{{Enter: s.reach, Margin: s.reach / 10}}
	w, err := vicinity.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	st := &stageSet{scene: s, w: w}
	var rng pcgr.Rand
	rng.SeedWithState(Seed, 2)
	unit := func() float64 { return float64(rng.Next()) / (1 << 32) }
	for i := range s.entities {
		x, y := unit()*s.side, unit()*s.side
		if i < s.crowd {
			r, a := s.disc*math.Sqrt(unit()), 2*math.Pi*unit()
			x, y = s.side/2+float64(r*math.Cos(a)), s.side/2+float64(r*math.Sin(a))
		}
		h, err := w.Spawn(vicinity.Entity{
			ID: uint64(i), X: x, Y: y, Cost: [packer.Levels]uint32{24 + rng.Bound(25)}, Priority: uint16(rng.Bound(256)),
		})
		if err != nil {
			tb.Fatal(err)
		}
		st.handles = append(st.handles, h)
		st.x, st.y = append(st.x, float32(x)), append(st.y, float32(y))
		st.dx, st.dy = append(st.dx, float32((unit()-0.5)*s.step)), append(st.dy, float32((unit()-0.5)*s.step))
		if i < s.conns {
			err := w.Connect(vicinity.Connection{
				ID: vicinity.ConnID(i), Viewpoint: vicinity.Viewpoint{Entity: h}, ExcludeSelf: true, Budget: s.budget,
			})
			if err != nil {
				tb.Fatal(err)
			}
		}
	}
	return st
}

// move moves everybody who moves, to and fro.
func (s *stageSet) move() {
	sign := float32(1)
	if s.turn++; s.turn%16 >= 8 {
		sign = -1
	}
	for i := 0; i < len(s.x); i += s.every {
		s.x[i] += float32(s.dx[i] * sign)
		s.y[i] += float32(s.dy[i] * sign)
	}
	vicinity.MoveAll(s.w, nil, s.handles, s.x, s.y)
}

// warm lets all enters through: without a budget, which is set again afterwards.
func (s *stageSet) warm(tb testing.TB) {
	set := func(budget uint32) {
		for i := range s.conns {
			if err := s.w.SetBudget(vicinity.ConnID(i), budget, 0); err != nil {
				tb.Fatal(err)
			}
		}
	}
	set(0)
	s.tick(tb)
	set(s.budget)
	for range 4 {
		s.move()
		s.tick(tb)
	}
}

func (s *stageSet) tick(tb testing.TB) {
	if err := s.w.Tick(func(vicinity.ConnID, *vicinity.Delivery) bool { return true }); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkWorldTick is one whole tick: publish, update, pack and deliver, moves not
// included.
func BenchmarkWorldTick(b *testing.B) {
	for _, s := range []scene{sceneW4(), sceneW5(), sceneW6()} {
		for _, v := range []struct {
			name    string
			workers int
			any     bool
		}{{"ordered", 0, false}, {"any", 0, true}, {"workers=2", 2, true}} {
			b.Run(fmt.Sprintf("%s/%s", s.name, v.name), func(b *testing.B) {
				cfg := vicinity.Config{AnyOrder: v.any}
				if v.workers > 0 {
					cfg.Workers = grid.NewWorkers(v.workers)
					defer cfg.Workers.Close()
				}
				st := s.build(b, cfg)
				defer st.w.Close()
				st.warm(b)
				b.ResetTimer()
				var sum vicinity.Stats
				for b.Loop() {
					b.StopTimer()
					st.move()
					b.StartTimer()
					st.tick(b)
					f := st.w.Stats()
					sum.Publish += f.Publish
					sum.Update += f.Update
					sum.Pack += f.Pack
				}
				f := st.w.Stats()
				per := func(d int64) float64 { return float64(d) / float64(b.N) }
				b.ReportMetric(per(b.Elapsed().Nanoseconds())/float64(max(f.Members, 1)), "ns/pair")
				b.ReportMetric(per(b.Elapsed().Nanoseconds())/float64(s.conns), "ns/conn")
				b.ReportMetric(per(sum.Publish.Nanoseconds())/1e6, "publish-ms")
				b.ReportMetric(per(sum.Update.Nanoseconds())/1e6, "update-ms")
				b.ReportMetric(per(sum.Pack.Nanoseconds())/1e6, "pack-ms")
			})
		}
	}
}

// BenchmarkTickOrder measures in turns what the order of ConnID costs: CPU time of a
// Tick in it, and in any order.
func BenchmarkTickOrder(b *testing.B) {
	for _, s := range []scene{sceneW4(), sceneW5()} {
		b.Run(s.name, func(b *testing.B) {
			var variants []Variant
			for _, anyOrder := range []bool{false, true} {
				st := s.build(b, vicinity.Config{AnyOrder: anyOrder})
				defer st.w.Close()
				st.warm(b)
				variants = append(variants, Variant{Prepare: st.move, Run: func() { st.tick(b) }})
			}
			for b.Loop() {
				times := Paired(9, true, variants)
				ordered, any := times[0][4], times[1][4]
				b.ReportMetric(float64(ordered)/float64(any), "ordered/any")
				b.ReportMetric(float64(any.Nanoseconds())/1e6, "any-cpu-ms")
			}
		})
	}
}
