package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// Row is one measurement: all peers, the first of them ours.
type Row struct {
	Name    string   `json:"name"`
	Per     string   `json:"per"` // what the times are of
	Timings []Timing `json:"timings"`
}

// Timing is that of one peer in nanoseconds: the median, the least and the most of the
// repetitions.
type Timing struct {
	Peer    string  `json:"peer"`
	Setting string  `json:"setting"`
	Median  float64 `json:"median_ns"`
	Least   float64 `json:"least_ns"`
	Most    float64 `json:"most_ns"`
}

// Ratio is how many times as long as ours timing i is.
func (r *Row) Ratio(i int) float64 { return r.Timings[i].Median / r.Timings[0].Median }

// entry is a peer in one measurement.
type entry struct {
	Peer
	setting int
	times   []time.Duration
}

// pick chooses the setting of which cost is least.
func (e *entry) pick(cost func(setting int) (time.Duration, error)) error {
	best := time.Duration(math.MaxInt64)
	for i := range e.Settings() {
		c, err := cost(i)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", e.Name(), e.Settings()[i], err)
		}
		if c < best {
			best, e.setting = c, i
		}
	}
	return nil
}

// timing sums up the times, each of n things.
func (e *entry) timing(n int) Timing {
	slices.Sort(e.times)
	per := func(t time.Duration) float64 { return float64(t.Nanoseconds()) / float64(n) }
	return Timing{
		Peer: e.Name(), Setting: e.Settings()[e.setting],
		Median: per(e.times[len(e.times)/2]), Least: per(e.times[0]), Most: per(e.times[len(e.times)-1]),
	}
}

// same returns an error unless all have answered like the first.
func same(entries []*entry, answers []Answer) error {
	for i := range answers {
		if answers[i].Sum != answers[0].Sum {
			return fmt.Errorf("%s, %s, answers otherwise (sum %#x) than %s (%#x)", entries[i].Name(),
				entries[i].Settings()[entries[i].setting], answers[i].Sum, entries[0].Name(), answers[0].Sum)
		}
	}
	return nil
}

// enter makes entries of peers.
func enter(peers []Peer) (entries []*entry) {
	for _, p := range peers {
		entries = append(entries, &entry{Peer: p})
	}
	return entries
}

// row makes a row of what was measured of n things.
func row(name, per string, entries []*entry, n int) Row {
	r := Row{Name: name, Per: per}
	for _, e := range entries {
		r.Timings = append(r.Timings, e.timing(n))
	}
	return r
}

// tuning is one in how many queries are asked to choose a setting.
const tuning = 8

// measureNearest has peers take turns at the queries of a case, reps times after a
// first one, in the settings in which each is fastest at it. It is an error if one
// answers otherwise than the first.
func measureNearest(peers []Peer, s *Scene, c nearestCase, reps int) (Row, error) {
	entries := enter(peers)
	queries, few := s.queries(c.order, c.queries), s.queries(c.order, max(c.queries/tuning, 1))
	for _, e := range entries {
		err := e.pick(func(setting int) (time.Duration, error) {
			if _, err := e.Build(setting, &s.Ticks[0]); err != nil {
				return 0, err
			}
			if _, err := e.Nearest(few, c.k); err != nil { // warms up
				return 0, err
			}
			a, err := e.Nearest(few, c.k)
			return a.Took, err
		})
		if err != nil {
			return Row{}, err
		}
		if _, err := e.Build(e.setting, &s.Ticks[0]); err != nil {
			return Row{}, err
		}
	}
	for rep := range reps + 1 {
		answers := make([]Answer, len(entries))
		for i, e := range entries {
			var err error
			if answers[i], err = e.Nearest(queries, c.k); err != nil {
				return Row{}, fmt.Errorf("%s: %w", e.Name(), err)
			}
			if rep > 0 {
				e.times = append(e.times, answers[i].Took)
			}
		}
		if err := same(entries, answers); err != nil {
			return Row{}, fmt.Errorf("%s: %w", c.name(s), err)
		}
	}
	return row(c.name(s), "query", entries, len(queries)), nil
}

// measureRebuild has peers take turns at what they must do when everybody has moved,
// in the settings in which each is fastest at it: ours moves all and publishes.
func measureRebuild(peers []Peer, s *Scene, reps int) (Row, error) {
	name, entries := s.Name+"/rebuild", enter(peers)
	for _, e := range entries {
		err := e.pick(func(setting int) (took time.Duration, err error) {
			for t := range 3 { // the last one counts: the first may have nothing to go on
				if took, err = e.Build(setting, &s.Ticks[t]); err != nil {
					return 0, err
				}
			}
			return took, nil
		})
		if err != nil {
			return Row{}, err
		}
	}
	few := s.queries(AtRandom, 100)
	for rep := range reps + 1 {
		answers := make([]Answer, len(entries))
		for i, e := range entries {
			runtime.GC() // nobody pays for what others left
			took, err := e.Build(e.setting, &s.Ticks[rep%len(s.Ticks)])
			if err != nil {
				return Row{}, fmt.Errorf("%s: %w", e.Name(), err)
			}
			if rep > 0 {
				e.times = append(e.times, took)
			}
			if answers[i], err = e.Nearest(few, 16); err != nil {
				return Row{}, fmt.Errorf("%s: %w", e.Name(), err)
			}
		}
		if err := same(entries, answers); err != nil {
			return Row{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return row(name, "entity", entries, s.Entities), nil
}
