package player

import (
	"testing"
	"time"
)

func TestSpread(t *testing.T) {
	series := func(n int) []time.Duration {
		var s []time.Duration
		for i := n; i >= 1; i-- {
			s = append(s, time.Duration(i))
		}
		return s
	}
	for _, c := range []struct {
		times []time.Duration
		want  Spread
	}{
		{nil, Spread{}},
		{series(1), Spread{1, 1, 1, 1}},
		{series(2), Spread{1, 2, 2, 3}},
		{series(3), Spread{2, 3, 3, 6}},
		{series(100), Spread{50, 99, 100, 5050}},
		{series(101), Spread{51, 100, 101, 5151}},
		{series(1000), Spread{500, 990, 1000, 500500}},
	} {
		if got := spreadOf(c.times); got != c.want {
			t.Errorf("%d times: %v, want %v", len(c.times), got, c.want)
		}
	}
}
