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

// TestCrowdedWorkloads holds W4 and W5 against their closed forms, at first and
// after moving.
func TestCrowdedWorkloads(t *testing.T) {
	town, continent := W4(), W5()
	for _, c := range []struct {
		w         Workload
		want      float64
		moving    float64 // share of the entities
		observers int
	}{
		{town, town.Scene.(*Town).Hits(town.Entities, town.Radius), 1, 5000},
		{continent, continent.ExpectedHits(), 0.3, 10_000},
	} {
		world, err := NewWorld(c.w, grid.Config{})
		if err != nil {
			t.Fatal(err)
		}
		check := func(when string) {
			s, q := world.Grid.Snapshot(), grid.Query{Radius: c.w.RadiusUnits()}
			own, hits, observers := s.Columns(0), 0, 0
			for i, slot := range own.Slot {
				if !world.Observers.Has(slot) {
					continue
				}
				q.X, q.Y = own.X[i], own.Y[i]
				n, err := s.CountWithin(q)
				if err != nil {
					t.Fatal(err)
				}
				hits, observers = hits+n-1, observers+1
			}
			if mean := float64(hits) / float64(observers); math.Abs(mean/c.want-1) > 0.01 || observers != c.observers {
				t.Errorf("%s, %s: %.2f hits of %d observers; the closed form says %.2f", c.w.Name, when, mean, observers, c.want)
			}
		}
		check("at first")
		for range 2 * Turns {
			world.Move()
			if err := world.Publish(); err != nil {
				t.Fatal(err)
			}
		}
		check("after moving")
		moved, a, b := 0, &world.Ticks[0], &world.Ticks[1]
		for i := range a.X {
			if a.X[i] != b.X[i] || a.Y[i] != b.Y[i] {
				moved++
			}
		}
		if share := float64(moved) / float64(c.w.Entities); math.Abs(share-c.moving) > 0.01 {
			t.Errorf("%s: %.3f of the entities move; want %.1f", c.w.Name, share, c.moving)
		}
		if err := world.Close(); err != nil {
			t.Fatal(err)
		}
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
