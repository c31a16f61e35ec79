package bench

import (
	"fmt"
	"math"
	"testing"

	"vicinity/arena"
	"vicinity/grid"
	"vicinity/interest"
)

// crowdedViews is a workload with a view for each observer.
type crowdedViews struct {
	*World
	set  *interest.Set
	pool *grid.Workers
}

func newViews(tb testing.TB, w Workload, workers int, change func(i int, o *interest.Observer)) *crowdedViews {
	tb.Helper()
	world, err := NewWorld(w, grid.Config{Previous: true, Memory: arena.Mapped})
	if err != nil {
		tb.Fatal(err)
	}
	v := &crowdedViews{World: world, pool: grid.NewWorkers(workers)}
	tb.Cleanup(func() {
		v.pool.Close()
		if err := world.Close(); err != nil {
			tb.Fatal(err)
		}
	})
	v.set, err = interest.New(interest.Config{
		Arena: world.Arena, Grid: world.Grid,
		Reach:  []interest.Reach{{Enter: w.RadiusUnits(), Margin: w.MarginUnits()}},
		Levels: interest.Levels{Near: w.RadiusUnits() / 4, Mid: w.RadiusUnits() / 2, Margin: w.RadiusUnits() / 50},
	})
	if err != nil {
		tb.Fatal(err)
	}
	for i, h := range world.Handles {
		if !w.Observes(i) {
			continue
		}
		o := interest.Observer{ID: uint64(i), Entity: h, ExcludeSelf: true}
		if change != nil {
			change(i, &o)
		}
		if _, err := v.set.Add(o); err != nil {
			tb.Fatal(err)
		}
	}
	return v
}

// move moves everybody, and publishes.
func (v *crowdedViews) move(tb testing.TB) {
	v.Move()
	if err := v.Publish(); err != nil {
		tb.Fatal(err)
	}
}

// update updates and commits all views.
func (v *crowdedViews) update(tb testing.TB) {
	if err := v.set.UpdateEach(v.pool, func(_ int, view *interest.View) { view.Commit() }); err != nil {
		tb.Fatal(err)
	}
}

// TestCrowdedWorkloads holds W4 and W5 against their closed forms.
func TestCrowdedWorkloads(t *testing.T) {
	for _, c := range []struct {
		w    Workload
		want func(w *Workload) float64
	}{
		{W4(), func(w *Workload) float64 { return w.Scene.(*Town).Hits(w.Entities, w.Radius) }},
		{W5(), (*Workload).ExpectedHits},
	} {
		if testing.Short() && c.w.Name == "W4" {
			continue // 25 million pairs
		}
		w := c.w
		w.Margin = 0 // so that members are hits
		v := newViews(t, w, 1, nil)
		check := func(when string) {
			v.update(t)
			st := v.set.Stats()
			mean, want := float64(st.Members)/float64(st.Updated), c.want(&w)
			if math.Abs(mean/want-1) > 0.01 || st.Updated != w.Observers {
				t.Errorf("%s, %s: %.2f hits of %d observers; the closed form says %.2f", w.Name, when, mean, st.Updated, want)
			}
		}
		check("at first")
		moved := 0
		for range 3 {
			v.move(t)
			check("after moving")
		}
		a, b := &v.Ticks[0], &v.Ticks[1]
		for i := range a.X {
			if a.X[i] != b.X[i] || a.Y[i] != b.Y[i] {
				moved++
			}
		}
		t.Logf("%s: %.0f %% of the entities move", w.Name, 100*float64(moved)/float64(w.Entities))
	}
}

// BenchmarkViews brings all views of W4 and W5 up to date after a tick: plain;
// measured, that is with distances and levels by row; with a party of five and
// masks; with every second tick; with a cap.
func BenchmarkViews(b *testing.B) {
	forms := []struct {
		name   string
		change func(i int, o *interest.Observer)
		traits func(i int) interest.Traits
	}{
		{name: "plain"},
		{name: "measured", change: func(_ int, o *interest.Observer) { o.Measured = true }},
		{name: "relations",
			change: func(i int, o *interest.Observer) { o.Groups[0], o.Mask = 1+uint32(i/50), 1 },
			traits: func(i int) (t interest.Traits) {
				if i%10 == 0 {
					t.Groups[0] = 1 + uint32(i/50)
				}
				t.Need = uint32(i % 2)
				return t
			}},
		{name: "every=2", change: func(_ int, o *interest.Observer) { o.SendEvery = 2 }},
		{name: "cap=100", change: func(_ int, o *interest.Observer) { o.Cap.MaxMembers = 100 }},
	}
	for _, w := range []Workload{W4(), W5()} {
		for _, f := range forms {
			b.Run(fmt.Sprintf("%s/%s", w.Name, f.name), func(b *testing.B) {
				v := newViews(b, w, 1, f.change)
				for i, h := range v.Handles {
					if f.traits != nil {
						if err := v.set.SetTraits(h, f.traits(i)); err != nil {
							b.Fatal(err)
						}
					}
				}
				for range 4 {
					v.move(b)
					v.update(b)
				}
				b.ReportAllocs()
				updated, members, onePass := 0, 0, 0
				for b.Loop() {
					b.StopTimer()
					v.move(b)
					b.StartTimer()
					v.update(b)
					st := v.set.Stats()
					updated, members, onePass = updated+st.Updated, members+st.Members, onePass+st.OnePass
				}
				ns := float64(b.Elapsed().Nanoseconds())
				b.ReportMetric(ns/float64(updated), "ns/observer")
				b.ReportMetric(ns/float64(members), "ns/pair")
				b.ReportMetric(float64(onePass)/float64(updated), "onepass")
			})
		}
	}
}
