package bench

import (
	"fmt"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
	"vicinity/interest"
)

// eachLevel runs a benchmark on every kernel level of this machine.
func eachLevel(b *testing.B, run func(b *testing.B)) {
	before := asm.Tier()
	defer asm.SetTier(before)
	for _, l := range asm.Levels() {
		b.Run("asm="+l.String(), func(b *testing.B) {
			asm.SetTier(l)
			run(b)
		})
	}
}

func newWorld(b *testing.B, w Workload, cfg grid.Config) *World {
	b.Helper()
	world, err := NewWorld(w, cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := world.Close(); err != nil {
			b.Fatal(err)
		}
	})
	return world
}

// BenchmarkPublish rebuilds the grid with every entity moved; the moves are not
// timed.
func BenchmarkPublish(b *testing.B) {
	for _, n := range []int{10_000, 50_000, 1_000_000} {
		for _, previous := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/previous=%v", n, previous), func(b *testing.B) {
				world := newWorld(b, Uniform(n), grid.Config{Previous: previous, Memory: arena.Mapped})
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					world.Move()
					b.StartTimer()
					if err := world.Publish(); err != nil {
						b.Fatal(err)
					}
				}
				perEntity(b, n)
			})
		}
	}
}

// BenchmarkNaiveSort is what BenchmarkPublish is held against: a plain counting
// sort from slot order, of the same ticks.
func BenchmarkNaiveSort(b *testing.B) {
	for _, n := range []int{10_000, 50_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			w := Uniform(n)
			world := newWorld(b, w, grid.Config{})
			naive := NewNaiveGrid(n, int32(w.Side*UnitsPerMetre), ShiftFor(w.RadiusUnits()/2))
			turn := 0
			for b.Loop() {
				p := &world.Ticks[turn%Turns]
				naive.Build(p.X, p.Y)
				turn++
			}
			perEntity(b, n)
		})
	}
}

// BenchmarkCopy copies as many bytes as a publish of x, y and slot moves.
func BenchmarkCopy(b *testing.B) {
	for _, n := range []int{10_000, 50_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			src, dst := make([]byte, 12*n), make([]byte, 12*n)
			for b.Loop() {
				copy(dst, src)
			}
			perEntity(b, n)
		})
	}
}

// BenchmarkMove sets every entity's pending position.
func BenchmarkMove(b *testing.B) {
	world := newWorld(b, W0a(), grid.Config{})
	for b.Loop() {
		world.Move()
	}
	perEntity(b, world.Entities)
}

func perEntity(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
}

// BenchmarkQuery asks once around every observer, in storage order.
func BenchmarkQuery(b *testing.B) {
	for _, w := range []Workload{W0a(), W0b()} {
		world := newWorld(b, w, grid.Config{})
		s := world.Grid.Snapshot()
		c := s.Columns(0)
		q := grid.Query{Radius: w.RadiusUnits()}
		dst := make([]grid.Hit, 0, 1<<16)
		slots := make([]uint32, 0, 1<<16)
		forms := []struct {
			name string
			ask  func(q grid.Query) int
		}{
			{"slots", func(q grid.Query) int { f, _ := s.AppendSlots(slots, q); return len(f) }},
			{"hits", func(q grid.Query) int { f, _ := s.AppendWithin(dst, q); return len(f) }},
			{"count", func(q grid.Query) int { n, _ := s.CountWithin(q); return n }},
		}
		for _, f := range forms {
			b.Run(w.Name+"/"+f.name, func(b *testing.B) {
				eachLevel(b, func(b *testing.B) {
					hits, queries := 0, 0
					for b.Loop() {
						for i := 0; i < s.Len(); i += 2 {
							q.X, q.Y = c.X[i], c.Y[i]
							hits += f.ask(q)
							queries++
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(queries), "ns/query")
					b.ReportMetric(float64(hits)/float64(queries), "hits/query")
				})
			})
		}
	}
}

// BenchmarkSweep asks around every observer through Sweep.
func BenchmarkSweep(b *testing.B) {
	for _, w := range []Workload{W0a(), W0b(), Uniform(1_000_000)} {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%s/workers=%d", w.Name, workers), func(b *testing.B) {
				world := newWorld(b, w, grid.Config{Memory: arena.Mapped})
				pool := grid.NewWorkers(workers)
				defer pool.Close()
				sweep := grid.NewSweep(pool)
				q := grid.Query{Radius: w.RadiusUnits()}
				var hits [2]struct {
					n int
					_ [120]byte
				}
				b.ReportAllocs()
				for b.Loop() {
					if err := sweep.Within(world.Grid.Snapshot(), world.Observers, q, func(o *grid.Observation) {
						hits[o.Worker].n += len(o.Found)
					}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(world.Observers.Len()), "ns/query")
			})
		}
	}
}

// BenchmarkInterest brings all views up to date after all entities moved; moves
// and publish are not timed in it, and are all that is timed in "with publish".
func BenchmarkInterest(b *testing.B) {
	for _, n := range []int{5000, 50_000} {
		for _, previous := range []bool{false, true} {
			for workers := 1; workers <= 2; workers++ {
				b.Run(fmt.Sprintf("n=%d/previous=%v/workers=%d", n, previous, workers), func(b *testing.B) {
					w := Uniform(n)
					w.Observers = n
					world := newWorld(b, w, grid.Config{Previous: previous})
					pool := grid.NewWorkers(workers)
					defer pool.Close()
					set, err := interest.New(interest.Config{
						Arena: world.Arena, Grid: world.Grid,
						Reach: []interest.Reach{{Enter: w.RadiusUnits(), Margin: w.MarginUnits()}},
					})
					if err != nil {
						b.Fatal(err)
					}
					for i, h := range world.Handles {
						if world.Observes(i) {
							if _, err := set.Add(interest.Observer{ID: uint64(i), Entity: h}); err != nil {
								b.Fatal(err)
							}
						}
					}
					views := set.Views()
					tick := func() {
						if err := set.UpdateAll(pool); err != nil {
							b.Fatal(err)
						}
						for _, v := range views {
							v.Commit()
						}
					}
					tick()
					b.ReportAllocs()
					for b.Loop() {
						b.StopTimer()
						world.Move()
						if err := world.Publish(); err != nil {
							b.Fatal(err)
						}
						b.StartTimer()
						tick()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(set.Len()), "ns/observer")
					st := set.Stats()
					b.ReportMetric(float64(st.OnePass)/float64(st.Updated), "onepass")
					b.ReportMetric(float64(st.Candidates)/float64(st.Updated), "candidates/observer")
				})
			}
		}
	}
}
