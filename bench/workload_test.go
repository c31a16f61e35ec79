package bench

import (
	"math"
	"slices"
	"testing"

	"vicinity/grid"
)

// TestExpectedHits holds uniform workloads against the closed form: a generator
// that is not uniform, or a wrong radius, shows.
func TestExpectedHits(t *testing.T) {
	for _, w := range []Workload{W0a(), Uniform(10_000)} {
		world, err := NewWorld(w, grid.Config{})
		if err != nil {
			t.Fatal(err)
		}
		check := func(when string) {
			s := world.Grid.Snapshot()
			c := s.Columns(0)
			hits := 0
			for i := range c.X {
				n, err := s.CountWithin(grid.Query{X: c.X[i], Y: c.Y[i], Radius: w.RadiusUnits()})
				if err != nil {
					t.Fatal(err)
				}
				hits += n - 1 // not itself
			}
			mean, want := float64(hits)/float64(s.Len()), w.ExpectedHits()
			if math.Abs(mean/want-1) > 0.01 {
				t.Errorf("%s, %s: %.2f hits; the closed form says %.2f", w.Name, when, mean, want)
			}
		}
		check("at first")
		for range 2 * Turns {
			world.Move()
			if err := world.Publish(); err != nil {
				t.Fatal(err)
			}
		}
		check("after walking")
		if got := world.Observers.Len(); got != w.Observers {
			t.Errorf("%s: %d observers; want %d", w.Name, got, w.Observers)
		}
		if err := world.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSpots: the clusters of W0b hold what they should, and draws do not change.
func TestSpots(t *testing.T) {
	w := W0b()
	m, again := NewMotion(w), NewMotion(w)
	if !slices.Equal(m.X, again.X) || !slices.Equal(m.Y, again.Y) {
		t.Error("two draws of the same workload differ")
	}
	next := 0
	for _, s := range w.Spots {
		for range s.Count {
			n := s.Entities / s.Count
			if got := spread(m.X[next : next+n]); got > 1.2*s.Sigma {
				t.Errorf("a cluster of %d has a deviation of %.1f m; want about %.0f", n, got, s.Sigma)
			}
			next += n
		}
	}
	if next != 20_000 {
		t.Errorf("%d entities in clusters; want 20,000", next)
	}
}

// spread returns the standard deviation in metres.
func spread(v []int32) float64 {
	var sum, squares float64
	for _, x := range v {
		f := float64(x) / UnitsPerMetre
		sum, squares = sum+f, squares+float64(f*f)
	}
	n := float64(len(v))
	return math.Sqrt(squares/n - float64(sum/n*sum/n))
}

// TestNaiveGrid: the baseline sorts what it is given.
func TestNaiveGrid(t *testing.T) {
	w := Uniform(5000)
	m := NewMotion(w)
	g := NewNaiveGrid(w.Entities, int32(w.Side*UnitsPerMetre), ShiftFor(w.RadiusUnits()/2))
	for range 2 {
		m.Walk()
		g.Build(m.X, m.Y)
		seen := make([]bool, w.Entities)
		for i, id := range g.ID {
			if seen[id] || g.X[i] != m.X[id] || g.Y[i] != m.Y[id] {
				t.Fatalf("place %d has entity %d at (%d, %d)", i, id, g.X[i], g.Y[i])
			}
			seen[id] = true
			if i > 0 && g.cell(g.X[i-1], g.Y[i-1]) > g.cell(g.X[i], g.Y[i]) {
				t.Fatalf("place %d is in a lower cell than the one before", i)
			}
		}
	}
}

// TestPairedTakesTurns: every variant runs as often as said, after its preparation.
func TestPairedTakesTurns(t *testing.T) {
	var order []int
	times := Paired(3, false, []Variant{
		{Prepare: func() { order = append(order, 0) }, Run: func() { order = append(order, 1) }},
		{Run: func() { order = append(order, 2) }},
	})
	if want := []int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}; !slices.Equal(order, want) {
		t.Errorf("order is %v; want %v", order, want)
	}
	if len(times) != 2 || len(times[0]) != 3 || !slices.IsSorted(times[0]) {
		t.Errorf("times are %v; want 3 a variant, sorted", times)
	}
}
