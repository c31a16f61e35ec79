package asm

import (
	"fmt"
	"testing"
)

// TestGuardSelect runs the kernels of selection on memory that ends, or begins, at an
// inaccessible page: columns of candidates up to their last element, all else up to
// the end of its slack.
func TestGuardSelect(t *testing.T) {
	eachPen(t, func(t *testing.T, p *pen) {
		r := newRandom(t)
		for n := 1; n <= 100; n++ {
			p.reset()
			what := fmt.Sprintf("length %d", n)
			c := r.columns(n, true, true, true, true)
			c.Priority, c.Dist2, c.Cost = penned(t, p, c.Priority), penned(t, p, c.Dist2), penned(t, p, c.Cost)
			c.Class, c.Waited = penned(t, p, c.Class), penned(t, p, c.Waited)
			keys, costs := penned(t, p, make([]uint64, n+Slack)), penned(t, p, make([]uint32, n+Slack))
			inside(t, "RankKeys, "+what, func() {
				if _, bad := RankKeys(keys[:n], costs[:n], c); bad >= 0 {
					t.Errorf("RankKeys, %s: %d is bad", what, bad)
				}
			})
			plain := *c
			plain.Class, plain.Waited = nil, nil
			inside(t, "RankKeys without ages, "+what, func() { RankKeys(keys[:n], costs[:n], &plain) })

			// All stay, all go, some of either.
			right, rightCosts := penned(t, p, make([]uint64, n+Slack)), penned(t, p, make([]uint32, n+Slack))
			for _, pivot := range []uint64{1<<64 - 1, 0, keys[n/2]} {
				inside(t, "PartitionKeys, "+what, func() { PartitionKeys(keys[:n], costs[:n], right, rightCosts, pivot) })
				RankKeys(keys[:n], costs[:n], c)
				inside(t, "SplitKeys, "+what, func() { SplitKeys(keys[:n], right, pivot) })
				RankKeys(keys[:n], costs[:n], c)
			}
			for _, limit := range []uint32{1<<32 - 1, 0, 60} {
				inside(t, "FittingKeys, "+what, func() { FittingKeys(right, rightCosts, keys[:n], costs[:n], limit) })
			}
			inside(t, "SortKeys, "+what, func() { SortKeys(keys[:n]) })
		}
	})
}
