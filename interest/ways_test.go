package interest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// setting is one way to keep the views of a play. All of them give one history.
type setting struct {
	name        string
	level       asm.Level
	workers     int
	compareOnly bool
	shuffled    bool // the order of insertion
	previous    bool // keep old positions
	alone       bool // update views one by one
	plain       bool // from candidates, without the grid
	cell        int32
}

// play is a random world: what happens in it depends on the seed alone.
type play struct {
	size, step     int32
	height, still  bool // with heights; with ticks in which nothing moves
	reaches        bool // reaches and centres change, observers despawn
	n, ticks       int
	classes        []Reach
	skip, lost     int  // one update in so many is skipped, one commit lost
	jumps, resyncs bool // some teleport; some resync
}

// actor is an entity of a play.
type actor struct {
	id    uint64
	class int
	at    grid.Point
	h     arena.Handle
	alive bool
}

// run plays p and returns the history of all differences, and the work done.
func (p *play) run(t *testing.T, s setting) (history string, total Stats) {
	t.Helper()
	if err := asm.SetTier(s.level); err != nil {
		t.Fatal(err)
	}
	r, order := newRandom(t, 5), newRandom(t, 6)
	w := &world{t: t}
	var err error
	w.arena, err = arena.New(arena.Config{Deferred: true})
	w.must(err)
	layers := make([]grid.Layer, len(p.classes))
	for i := range layers {
		layers[i] = grid.Layer{CellX: s.cell, Static: i == 2}
	}
	workers := grid.NewWorkers(s.workers)
	defer workers.Close()
	w.grid, err = grid.New(grid.Config{Arena: w.arena, Layers: layers, Height: p.height, Previous: s.previous, Workers: workers})
	w.must(err)
	cfg := Config{Arena: w.arena, Grid: w.grid, Reach: p.classes}
	if s.plain {
		cfg = Config{Arena: w.arena}
	}
	w.set, err = New(cfg)
	w.must(err)
	w.set.compareOnly = s.compareOnly

	actors := make([]*actor, 0, p.n)
	spawn := func(n int) {
		from := len(actors)
		for range n {
			actors = append(actors, &actor{id: uint64(len(actors))*7919%100_003 + 1, class: r.below(len(p.classes)), at: r.point(p.size), alive: true})
		}
		fresh := slices.Clone(actors[from:])
		for i := range fresh {
			if j := order.below(i + 1); s.shuffled {
				fresh[i], fresh[j] = fresh[j], fresh[i]
			}
		}
		for _, a := range fresh {
			a.h = w.spawn(a.id, a.class, a.at)
		}
	}
	spawn(p.n)

	type watcher struct {
		v    *View
		self *actor
		at   grid.Point
	}
	var watchers []*watcher
	for i := range p.n / 3 {
		o := Observer{ID: uint64(i), ExcludeSelf: i%2 == 0, At: r.point(p.size)}
		wt := &watcher{at: o.At}
		if i%5 != 0 {
			wt.self = actors[3*i]
			o.Entity = wt.self.h
		}
		if i%4 == 1 && p.reaches {
			o.Scale = 0.5 + float64(r.below(100))/100
		}
		wt.v = w.add(o)
		watchers = append(watchers, wt)
	}

	var out strings.Builder
	for tick := range p.ticks {
		quiet := p.still && tick%4 == 3
		for i, a := range actors {
			if !a.alive || quiet {
				continue
			}
			k := r.below(100)
			switch to := (grid.Point{
				X: min(max(a.at.X+r.spread(p.step), -p.size), p.size), Y: min(max(a.at.Y+r.spread(p.step), -p.size), p.size),
				Z: min(max(a.at.Z+r.spread(p.step), -p.size), p.size),
			}); {
			case a.class == 2 && tick%5 != 0: // static: it rests
			case k < 70:
				a.at = to
				w.move(a.h, a.at)
			case k == 70 && p.jumps:
				a.at = r.point(p.size)
				w.move(a.h, a.at)
			case k == 71 && tick%3 == 0:
				a.class = r.below(len(p.classes))
				w.must(w.grid.SetLayer(a.h, a.class))
			case k < 74 && (p.reaches || i%3 != 0): // observers are every third
				w.despawn(a.h)
				a.alive = false
			}
		}
		if !quiet {
			spawn(r.below(p.n/12 + 2))
		}
		w.publish()
		for _, wt := range watchers {
			if !p.reaches {
				break
			}
			switch r.below(40) {
			case 0:
				reach := slices.Clone(p.classes)
				for c := range reach {
					reach[c].Enter = int32(r.below(int(p.size) / 3))
					if r.below(8) == 0 {
						reach[c] = Reach{Enter: Unseen}
					}
				}
				w.must(wt.v.SetReach(reach, 0))
			case 1:
				w.must(wt.v.SetReach(nil, 0.5))
			case 2:
				if wt.self == nil {
					wt.at = r.point(p.size)
				} else if a := actors[r.below(len(actors))]; a.alive {
					wt.self = a
				}
				if wt.self == nil {
					w.must(wt.v.SetCentre(0, wt.at))
				} else if wt.self.alive {
					w.must(wt.v.SetCentre(wt.self.h, wt.at))
				}
			}
		}
		if p.skip > 0 && r.below(p.skip) == 0 {
			continue
		}
		switch {
		case s.plain:
			for _, wt := range watchers {
				centre := wt.at
				if wt.self != nil {
					centre = wt.self.at
				}
				var found []Candidate
				for _, a := range actors {
					l := p.classes[a.class]
					if a.alive && inside(centre, a.at, l.Enter+l.Margin) {
						found = append(found, Candidate{Entity: a.h, ID: a.id, Class: uint8(a.class), Inner: inside(centre, a.at, l.Enter)})
					}
				}
				for i := range found { // in any order
					j := order.below(i + 1)
					found[i], found[j] = found[j], found[i]
				}
				w.must(wt.v.UpdateFrom(found))
			}
		case s.alone:
			for i := range watchers {
				w.must(w.set.Update(watchers[len(watchers)-1-i].v))
			}
		default:
			w.must(w.set.UpdateAll(workers))
			st := w.set.Stats()
			total.add(&st)
		}
		for i, wt := range watchers {
			w.must(wt.v.CheckInvariants())
			for _, e := range wt.v.AppendEnters(nil) {
				fmt.Fprintln(&out, tick, i, "+", e.Row, e.ID, e.Reason)
			}
			for _, e := range wt.v.AppendLeaves(nil) {
				fmt.Fprintln(&out, tick, i, "-", e.Row, e.ID, e.Reason)
			}
			fmt.Fprintln(&out, tick, i, "=", wt.v.Len())
			if r.below(100) >= p.lost {
				wt.v.Commit()
			}
			if p.resyncs && r.below(60) == 0 {
				wt.v.Resync()
			}
		}
	}
	w.must(w.grid.Close())
	w.must(w.arena.Close())
	return out.String(), total
}

// inside is the definition of a limit in the plane.
func inside(a, b grid.Point, limit int32) bool {
	dx, dy := int64(a.X)-int64(b.X), int64(a.Y)-int64(b.Y)
	return dx*dx+dy*dy <= int64(limit)*int64(limit)
}

// difference returns the first line in which two histories differ.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("%q and %q", x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// plays are the random worlds.
var plays = map[string]play{
	"walk": {size: 1000, step: 20, n: 120, ticks: 25, classes: []Reach{{Enter: 150, Margin: 30}, {Enter: 300, Margin: 10}, {Enter: 100}}, lost: 30},
	"walk with rests": {size: 1000, step: 20, still: true, n: 120, ticks: 25, lost: 50, resyncs: true,
		classes: []Reach{{Enter: 150, Margin: 30}, {Enter: Unseen}, {Enter: 100}}},
	"jumps and skips": {size: 1000, step: 60, n: 100, ticks: 25, skip: 5, jumps: true, lost: 40, resyncs: true,
		classes: []Reach{{Enter: 200, Margin: 50}, {Enter: 100, Margin: 100}}},
	"reaches": {size: 600, step: 15, n: 100, ticks: 30, reaches: true, jumps: true, skip: 9, lost: 30, resyncs: true,
		classes: []Reach{{Enter: 120, Margin: 20}, {Enter: 200, Margin: 5}, {Enter: 60, Margin: 60}}},
	"heights": {size: 400, step: 20, height: true, n: 100, ticks: 25, reaches: true, jumps: true, lost: 30,
		classes: []Reach{{Enter: 120, Margin: 20, Height: 60, HeightMargin: 10}, {Enter: 200, Height: grid.AnyHeight}, {Enter: 100, Height: 0, HeightMargin: 200}}},
	"crowd": {size: 60, step: 4, n: 200, ticks: 12, jumps: true, lost: 20,
		classes: []Reach{{Enter: 30, Margin: 4}, {Enter: 60, Margin: 20}}},
}

// TestHistoryDependsOnNothingElse: the history is the same to the last row and
// reason whatever the way, the kernels, the workers, the order of insertion, the
// cells, or who updates.
func TestHistoryDependsOnNothingElse(t *testing.T) {
	before := asm.Tier()
	defer asm.SetTier(before)
	settings := []setting{{name: "as usual", previous: true, workers: 1}}
	for _, l := range asm.Levels()[1:] {
		settings = append(settings, setting{name: l.String(), level: l, previous: true, workers: 1})
	}
	best := asm.Levels()[len(asm.Levels())-1]
	settings = append(settings,
		setting{name: "general way only", level: best, previous: true, compareOnly: true},
		setting{name: "general way, portable", previous: true, compareOnly: true, workers: 2},
		setting{name: "no old positions", level: best},
		setting{name: "two workers", level: best, previous: true, workers: 2},
		setting{name: "three workers, shuffled", previous: true, workers: 3, shuffled: true},
		setting{name: "shuffled", level: best, previous: true, shuffled: true},
		setting{name: "one by one", level: best, previous: true, alone: true},
		setting{name: "small cells", level: best, previous: true, cell: 4},
		setting{name: "one cell", previous: true, cell: 1 << 20},
	)
	for name, p := range plays {
		t.Run(name, func(t *testing.T) {
			want, ways := "", Stats{}
			for i, s := range settings {
				if s.cell == 0 {
					s.cell = 64
				}
				if raceEnabled && i > 0 && s.workers < 2 {
					continue // it is slow then
				}
				got, total := p.run(t, s)
				if i == 0 {
					want, ways = got, total
				}
				if got != want {
					t.Errorf("%s: another history: %s", s.name, difference(got, want))
				}
				if s.compareOnly && (total.OnePass != 0 || total.General != total.Updated) {
					t.Errorf("%s: %+v", s.name, total)
				}
			}
			if ways.OnePass == 0 || ways.General == 0 || ways.OnePass+ways.General != ways.Updated {
				t.Errorf("%+v: both ways are to be seen", ways)
			}
			if !strings.Contains(want, "+") || !strings.Contains(want, "-") || !strings.Contains(want, "despawn") {
				t.Error("nothing happens")
			}
			t.Logf("%d lines, %+v", strings.Count(want, "\n"), ways)
		})
	}
}

// TestUpdateFromPlainCandidates: another index, here a loop, gives the same history
// as the grid.
func TestUpdateFromPlainCandidates(t *testing.T) {
	before := asm.Tier()
	defer asm.SetTier(before)
	for name, p := range plays {
		if p.height || p.reaches {
			continue // the reach is the caller's affair there
		}
		for i := range p.classes {
			if p.classes[i].Enter == Unseen {
				p.classes = []Reach{{Enter: 170, Margin: 40}, {Enter: 20}, {Enter: 100}}
			}
		}
		t.Run(name, func(t *testing.T) {
			want, _ := p.run(t, setting{previous: true, cell: 64})
			got, _ := p.run(t, setting{previous: true, cell: 64, plain: true})
			if got != want {
				t.Errorf("another history: %s", difference(got, want))
			}
			got, _ = p.run(t, setting{previous: true, cell: 64, plain: true, shuffled: true})
			if got != want {
				t.Errorf("shuffled: another history: %s", difference(got, want))
			}
		})
	}
}

// TestUpdateFromBesideTheGrid: a view may be fed from both in turn.
func TestUpdateFromBesideTheGrid(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100, Margin: 20})
	me := w.spawn(1, 0, grid.Point{})
	a, b := w.spawn(2, 0, grid.Point{X: 50}), w.spawn(3, 0, grid.Point{X: 110})
	v := w.add(Observer{Entity: me, ExcludeSelf: true})
	w.step()
	w.expect(v, "grid", "+2 range, ")
	w.must(v.UpdateFrom([]Candidate{{Entity: me, ID: 1, Inner: true}, {Entity: b, ID: 3, Inner: true}}))
	w.expect(v, "candidates", "+3 range, -2 range, ")
	w.move(a, grid.Point{X: 101})
	w.step()
	w.expect(v, "grid", "")
	w.must(v.UpdateFrom([]Candidate{{Entity: a, ID: 2}, {Entity: b, ID: 3}}))
	w.expect(v, "candidates in the margin", "")
	w.must(v.UpdateFrom(nil))
	w.expect(v, "no candidates", "-3 range, ")
	w.step()
	w.expect(v, "grid", "") // both are strangers in the margin
}

// TestUpdateEach: the visit sees every view once, updated, and may commit it.
func TestUpdateEach(t *testing.T) {
	r := newRandom(t, 3)
	for n := range 4 {
		w := newWorld(t, false, Reach{Enter: 100, Margin: 20})
		workers := grid.NewWorkers(n)
		defer workers.Close()
		var handles []arena.Handle
		for i := range 1500 {
			h := w.spawn(uint64(i), 0, r.point(2000))
			handles = append(handles, h)
			w.add(Observer{Entity: h})
			if i%10 == 0 {
				w.add(Observer{Entity: h, ExcludeSelf: true})
				w.add(Observer{At: r.point(2000)})
			}
		}
		for round := range 5 {
			for _, h := range handles {
				if p, ok := w.grid.Position(h); ok {
					w.move(h, grid.Point{X: p.X + r.spread(9), Y: p.Y + r.spread(9)})
				}
			}
			if round == 2 {
				w.despawn(handles[7]) // its view is visited, too
				handles = slices.Delete(handles, 7, 8)
			}
			w.publish()
			var mu sync.Mutex
			seen := map[*View]int{}
			news := 0
			w.must(w.set.UpdateEach(workers, func(worker int, v *View) {
				if worker < 0 || worker >= max(n, 1) {
					t.Errorf("worker %d of %d", worker, n)
				}
				k := len(v.AppendEnters(nil)) + len(v.AppendLeaves(nil))
				v.Commit()
				mu.Lock()
				defer mu.Unlock()
				seen[v]++
				news += k
			}))
			st := w.set.Stats()
			if len(seen) != w.set.Len() || st.Updated != w.set.Len() || news != st.Enters+st.Leaves {
				t.Fatalf("%d views visited, %d events; want %d; %+v", len(seen), news, w.set.Len(), st)
			}
			for v, times := range seen {
				if times != 1 || pending(v) != "" {
					t.Fatalf("a view was visited %d times, %q is pending", times, pending(v))
				}
			}
		}
	}
}

// TestUpdateEachPanics: a panic of the visit comes out, and the next update makes
// good what was not updated.
func TestUpdateEachPanics(t *testing.T) {
	r := newRandom(t, 4)
	for n := 1; n <= 3; n++ {
		w := newWorld(t, false, Reach{Enter: 100}) // no margin: no memory of ticks
		other, err := New(Config{Arena: w.arena, Grid: w.grid, Reach: []Reach{{Enter: 100}}})
		w.must(err)
		workers := grid.NewWorkers(n)
		defer workers.Close()
		var handles []arena.Handle
		var pairs [][2]*View
		for i := range 1200 {
			h := w.spawn(uint64(i), 0, r.point(1000))
			handles = append(handles, h)
			if i%3 == 0 {
				o, err := other.Add(Observer{Entity: h})
				w.must(err)
				pairs = append(pairs, [2]*View{w.add(Observer{Entity: h}), o})
			}
		}
		for round := range 6 {
			for _, h := range handles {
				p, _ := w.grid.Position(h)
				w.move(h, grid.Point{X: p.X + r.spread(30), Y: p.Y + r.spread(30)})
			}
			w.publish()
			w.must(other.UpdateAll(nil))
			if round%2 == 1 {
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%d workers: no panic came out", n)
						}
					}()
					_ = w.set.UpdateEach(workers, func(_ int, v *View) {
						if v == pairs[200][0] {
							panic("visit")
						}
					})
				}()
				continue
			}
			w.must(w.set.UpdateAll(workers))
			for i, p := range pairs {
				if a, b := fmt.Sprint(members(p[0])), fmt.Sprint(members(p[1])); a != b {
					t.Fatalf("%d workers, round %d, view %d: members %s; want %s", n, round, i, a, b)
				}
				w.must(p[0].CheckInvariants())
			}
		}
	}
}
