// Command figures measures what the design promises, side by side in one run, and
// prints it as a table: each line a figure, with the machine's own memcpy beside.
//
//	go run ./bench/figures            all, about a minute
//	go run ./bench/figures -only query
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/bench"
	"vicinity/grid"
	"vicinity/interest"
)

var reps = flag.Int("reps", 11, "repetitions; medians are printed")

func main() {
	only := flag.String("only", "", "measure only figures whose name contains this")
	flag.Parse()
	fmt.Printf("%s, %s/%s, %d CPUs, kernels %v of %v, %d repetitions, medians\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), asm.Tier(), asm.Levels(), *reps)
	for _, f := range []struct {
		name    string
		measure func()
	}{
		{"memcpy", memcpy},
		{"query", query},
		{"tiers", tiers},
		{"rebuild", rebuild},
		{"tick", tick},
		{"enterleave", enterLeave},
		{"cores", cores},
		{"pack", pack},
	} {
		if strings.Contains(f.name, *only) {
			fmt.Printf("## %s\n\n", f.name)
			f.measure()
			fmt.Println()
		}
	}
	fmt.Printf("(%d found in all)\n", found)
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// line prints one figure: a median, what it is per thing, and its spread.
func line(name string, times []time.Duration, per int, unit string) {
	q := func(p int) float64 { return float64(times[len(times)*p/100].Nanoseconds()) / float64(per) }
	fmt.Printf("%-44s %9.2f %-12s (p10 %.2f, p90 %.2f)\n", name, q(50), unit, q(10), q(90))
}

func ratio(name string, slow, fast []time.Duration) {
	fmt.Printf("%-44s %9.2f x\n", name, float64(bench.Median(slow))/float64(bench.Median(fast)))
}

func memcpy() {
	for _, mib := range []int{1, 16, 256} {
		src, dst := make([]byte, mib<<20), make([]byte, mib<<20)
		rounds := max(64/mib, 1)
		t := bench.Paired(*reps, true, []bench.Variant{{Run: func() {
			for range rounds {
				copy(dst, src)
			}
		}}})[0]
		fmt.Printf("%-44s %9.1f GB/s\n", fmt.Sprintf("memcpy %d MiB", mib), float64(rounds*len(src))/float64(bench.Median(t).Nanoseconds()))
	}
}

// asker asks one form of query around every second entity in storage order.
func asker(s *grid.Snapshot, radius int32, ask func(q grid.Query) int) func() {
	c := s.Columns(0)
	return func() {
		q := grid.Query{Radius: radius}
		for i := 0; i < s.Len(); i += 2 {
			q.X, q.Y = c.X[i], c.Y[i]
			found += ask(q)
		}
	}
}

// found counts what all queries found, so that none can be left out by the
// compiler; it is printed at the end.
var found int

func query() {
	for _, w := range []bench.Workload{bench.W0a(), bench.W0b()} {
		world := must(bench.NewWorld(w, grid.Config{}))
		s := world.Grid.Snapshot()
		slots, hits := make([]uint32, 0, 1<<16), make([]grid.Hit, 0, 1<<16)
		r := w.RadiusUnits()
		t := bench.Paired(*reps, true, []bench.Variant{
			{Run: asker(s, r, func(q grid.Query) int { f, _ := s.AppendSlots(slots, q); return len(f) })},
			{Run: asker(s, r, func(q grid.Query) int { f, _ := s.AppendWithin(hits, q); return len(f) })},
			{Run: asker(s, r, func(q grid.Query) int { n, _ := s.CountWithin(q); return n })},
		})
		n := (s.Len() + 1) / 2
		line(w.Name+" ids only", t[0], n, "ns/query")
		line(w.Name+" with Dist2", t[1], n, "ns/query")
		line(w.Name+" count", t[2], n, "ns/query")
		check(world.Close())
	}
}

func tiers() {
	world := must(bench.NewWorld(bench.W0a(), grid.Config{}))
	s := world.Grid.Snapshot()
	slots := make([]uint32, 0, 1<<16)
	var variants []bench.Variant
	levels := asm.Levels()
	for _, l := range levels {
		variants = append(variants, bench.Variant{
			Prepare: func() { check(asm.SetTier(l)) },
			Run: asker(s, world.RadiusUnits(), func(q grid.Query) int {
				f, _ := s.AppendSlots(slots, q)
				return len(f)
			}),
		})
	}
	t := bench.Paired(*reps, true, variants)
	for i, l := range levels {
		line("W0a ids only, "+l.String(), t[i], (s.Len()+1)/2, "ns/query")
	}
	for i := 1; i < len(levels); i++ {
		ratio(fmt.Sprintf("%v / %v", levels[i-1], levels[i]), t[i-1], t[i])
	}
	check(world.Close())
}

func rebuild() {
	for _, n := range []int{10_000, 50_000, 1_000_000} {
		w := bench.Uniform(n)
		world := must(bench.NewWorld(w, grid.Config{Memory: arena.Mapped}))
		paired := must(bench.NewWorld(w, grid.Config{Memory: arena.Mapped, Previous: true}))
		naive := bench.NewNaiveGrid(n, int32(w.Side*bench.UnitsPerMetre), bench.ShiftFor(w.RadiusUnits()/2))
		turn := 0
		src, dst := make([]byte, 12*n), make([]byte, 12*n)
		t := bench.Paired(*reps, true, []bench.Variant{
			{Prepare: world.Move, Run: func() { check(world.Publish()) }},
			{Prepare: paired.Move, Run: func() { check(paired.Publish()) }},
			{Prepare: func() { turn++ }, Run: func() {
				p := &world.Ticks[turn%bench.Turns]
				naive.Build(p.X, p.Y)
			}},
			{Run: func() { copy(dst, src) }},
		})
		line(fmt.Sprintf("publish %d", n), t[0], n, "ns/entity")
		line(fmt.Sprintf("publish %d with previous positions", n), t[1], n, "ns/entity")
		line(fmt.Sprintf("naive counting sort, slot order, %d", n), t[2], n, "ns/entity")
		line(fmt.Sprintf("memcpy of 12 bytes each, %d", n), t[3], n, "ns/entity")
		ratio("naive / publish", t[2], t[0])
		ratio("publish / memcpy", t[0], t[3])
		check(world.Close())
		check(paired.Close())
	}
}

func tick() {
	for _, w := range []bench.Workload{bench.W0a(), bench.W0b()} {
		world := must(bench.NewWorld(w, grid.Config{}))
		sweep := grid.NewSweep(nil)
		q := grid.Query{Radius: w.RadiusUnits()}
		visit := func(o *grid.Observation) { found += len(o.Found) }
		t := bench.Paired(*reps, true, []bench.Variant{
			{Run: world.Move},
			{Prepare: world.Move, Run: func() {
				check(world.Publish())
				check(sweep.Within(world.Grid.Snapshot(), world.Observers, q, visit))
			}},
		})
		line(w.Name+" moves", t[0], 1000, "us")
		line(w.Name+" publish + sweep of half", t[1], 1000, "us")
		check(world.Close())
	}
}

// views adds a view for every observer of a world.
func views(world *bench.World) *interest.Set {
	set := must(interest.New(interest.Config{
		Arena: world.Arena, Grid: world.Grid,
		Reach: []interest.Reach{{Enter: world.RadiusUnits(), Margin: world.MarginUnits()}},
	}))
	for i, h := range world.Handles {
		if world.Observes(i) {
			must(set.Add(interest.Observer{ID: uint64(i), Entity: h}))
		}
	}
	return set
}

func enterLeave() {
	for _, n := range []int{5000, 20_000, 50_000} {
		w := bench.Uniform(n)
		w.Observers = n
		var variants []bench.Variant
		var worlds []*bench.World
		for _, previous := range []bool{true, false} {
			world := must(bench.NewWorld(w, grid.Config{Previous: previous}))
			worlds = append(worlds, world)
			set := views(world)
			variants = append(variants, bench.Variant{Prepare: world.Move, Run: func() {
				check(world.Publish())
				check(set.UpdateEach(nil, func(_ int, v *interest.View) { v.Commit() }))
			}})
		}
		t := bench.Paired(*reps, true, variants)
		line(fmt.Sprintf("publish + update, one pass, %d", n), t[0], n, "ns/entity")
		line(fmt.Sprintf("publish + update, comparing sets, %d", n), t[1], n, "ns/entity")
		for _, world := range worlds {
			check(world.Close())
		}
	}
}

func cores() {
	two := grid.NewWorkers(2)
	defer two.Close()
	for _, n := range []int{50_000, 1_000_000} {
		w := bench.Uniform(n)
		one := must(bench.NewWorld(w, grid.Config{Memory: arena.Mapped}))
		both := must(bench.NewWorld(w, grid.Config{Memory: arena.Mapped, Workers: two}))
		q := grid.Query{Radius: w.RadiusUnits()}
		sweepOne, sweepBoth := grid.NewSweep(nil), grid.NewSweep(two)
		var counts [2][16]int
		visit := func(o *grid.Observation) { counts[o.Worker][0] += len(o.Found) }
		t := bench.Paired(*reps, false, []bench.Variant{
			{Prepare: one.Move, Run: func() { check(one.Publish()) }},
			{Prepare: both.Move, Run: func() { check(both.Publish()) }},
			{Run: func() { check(sweepOne.Within(one.Grid.Snapshot(), one.Observers, q, visit)) }},
			{Run: func() { check(sweepBoth.Within(both.Grid.Snapshot(), both.Observers, q, visit)) }},
		})
		ratio(fmt.Sprintf("publish %d, one worker / two", n), t[0], t[1])
		ratio(fmt.Sprintf("sweep %d, one worker / two", n), t[2], t[3])
		check(one.Close())
		check(both.Close())
	}
}
