package player

import (
	"slices"
	"time"
)

// Spread is how the times of all ticks are spread. P50 and P99 are the smallest
// times that at least that share of the ticks did not exceed.
type Spread struct{ P50, P99, Max, Sum time.Duration }

// spreadOf sorts its argument.
func spreadOf(times []time.Duration) Spread {
	if len(times) == 0 {
		return Spread{}
	}
	slices.Sort(times)
	rank := func(percent int) time.Duration {
		return times[max(0, (len(times)*percent+99)/100-1)]
	}
	s := Spread{P50: rank(50), P99: rank(99), Max: times[len(times)-1]}
	for _, t := range times {
		s.Sum += t
	}
	return s
}
