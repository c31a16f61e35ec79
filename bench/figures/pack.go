package main

import (
	"fmt"

	"vicinity/asm"
	"vicinity/bench"
)

// pack measures the packer against sorting everything, for the table in the design of
// the packer and its workloads: on the best tier, and in portable Go. One repetition
// is short, so there are ten times as many.
func pack() {
	best := asm.Tier()
	tier := func(l asm.Level) func() { return func() { check(asm.SetTier(l)) } }
	measure := func(w bench.PackWork) {
		p := must(bench.NewPacking(w)) // fails if anything is packed otherwise
		t := bench.Paired(10**reps, true, []bench.Variant{
			{Run: p.Sort},
			{Prepare: tier(best), Run: p.Pack},
			{Prepare: tier(asm.Generic), Run: p.Pack},
		})
		check(asm.SetTier(best))
		q := func(i int) float64 {
			return float64(bench.Median(t[i]).Nanoseconds()) / float64(p.Candidates())
		}
		fmt.Printf("%-20s sort %7.2f   pack %6.2f (%5.1f x)   portable %6.2f (%4.1f x)   ns/candidate\n",
			w.Name, q(0), q(1), q(0)/q(1), q(2), q(0)/q(2))
	}
	for _, v := range []int{64, 256, 1024, 4096, 16384} {
		for _, share := range []uint32{5, 20, 60} {
			measure(bench.PackTable(v, share))
		}
	}
	measure(bench.P1(256))
	measure(bench.P2(16, 1000))
	measure(bench.P2(4, 5000))
	measure(bench.P3(16))
}
