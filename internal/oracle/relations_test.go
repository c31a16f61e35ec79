package oracle

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
)

var seed = flag.Uint64("seed", 1, "seed of the random walks")

// one returns an observer at the origin with one reach.
func one(r Reach) []Observer { return []Observer{{ID: 1, Reach: []Reach{r}}} }

func TestHysteresis(t *testing.T) {
	var r Relations
	type step struct {
		x    int64
		what string
	}
	for i, s := range []step{
		{11, "stranger"},
		{10, "enter"},
		{11, "keep"},
		{12, "keep"},
		{13, "leave"},
		{12, "stranger"},
		{9, "enter"},
		{-12, "keep"},
		{-13, "leave"},
		{-10, "enter"},
	} {
		d := r.Update(one(Reach{Enter: 10, Margin: 2}), []Entity{{ID: 7, X: s.x}})
		got := "stranger"
		switch {
		case len(d.Enter) == 1:
			got = "enter"
		case len(d.Keep) == 1:
			got = "keep"
		case len(d.Leave) == 1:
			got = "leave"
		}
		if got != s.what || len(d.Enter)+len(d.Keep)+len(d.Leave) > 1 {
			t.Errorf("step %d, at %d: %+v, want %s", i, s.x, d, s.what)
		}
		if within := s.x <= 10 && s.x >= -10; (d.Within == 1) != within {
			t.Errorf("step %d, at %d: within %d", i, s.x, d.Within)
		}
	}
}

func TestSees(t *testing.T) {
	const far = 1<<30 - 1
	giant := []Reach{{Enter: 100}, {Enter: 300, Margin: 50}, {Enter: -1, Margin: 1000}}
	flat := []Reach{{Enter: 10, Margin: 2, Height: 3, HeightMargin: 1}}
	for _, c := range []struct {
		name          string
		o             Observer
		e             Entity
		enters, stays bool
	}{
		{"circle, not square", Observer{Reach: giant}, Entity{X: 100, Y: 1}, false, false},
		{"border", Observer{Reach: giant}, Entity{X: 60, Y: -80}, true, true},
		{"class 1 further", Observer{Reach: giant}, Entity{X: 300, Class: 1}, true, true},
		{"class 1 margin", Observer{Reach: giant}, Entity{X: 350, Class: 1}, false, true},
		{"class 2 is not seen", Observer{Reach: giant}, Entity{Class: 2}, false, false},
		{"class beyond the reaches", Observer{Reach: giant}, Entity{Class: 3}, false, false},
		{"floor above", Observer{Reach: flat}, Entity{Z: 3}, true, true},
		{"floor below, margin", Observer{Reach: flat}, Entity{Z: -4}, false, true},
		{"too high", Observer{Reach: flat}, Entity{Z: 5}, false, false},
		{"near in height, far in the plane", Observer{Reach: flat}, Entity{X: 13}, false, false},
		{"margin in the plane, near in height", Observer{Reach: flat}, Entity{X: 12, Z: 4}, false, true},
		{"self by default", Observer{Self: 5, Reach: flat}, Entity{ID: 5}, true, true},
		{"self excluded", Observer{Self: 5, ExcludeSelf: true, Reach: flat}, Entity{ID: 5}, false, false},
		{"others when self is excluded", Observer{Self: 5, ExcludeSelf: true, Reach: flat}, Entity{ID: 6}, true, true},
		{"radius 0", Observer{Reach: []Reach{{}}}, Entity{}, true, true},
		{"radius 0, one off", Observer{Reach: []Reach{{}}}, Entity{Y: 1}, false, false},
		{"opposite ends", Observer{X: -far, Y: -far, Reach: []Reach{{Enter: far}}}, Entity{X: far, Y: far}, false, false},
		{"farthest radius", Observer{X: -far, Reach: []Reach{{Enter: far}}}, Entity{}, true, true},
	} {
		if enters, stays := c.o.sees(&c.e); enters != c.enters || stays != c.stays {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, enters, stays, c.enters, c.stays)
		}
	}
}

func TestAbsenceEnds(t *testing.T) {
	var r Relations
	reach := []Reach{{Enter: 10}}
	a := Observer{ID: 1, Reach: reach}
	b := Observer{ID: 2, Reach: reach}
	e, f := Entity{ID: 8}, Entity{ID: 9}
	all := []Pair{{1, 8}, {1, 9}, {2, 8}, {2, 9}}
	if d := r.Update([]Observer{b, a}, []Entity{f, e}); !slices.Equal(d.Enter, all) {
		t.Errorf("first tick: %+v", d)
	}
	d := r.Update([]Observer{a, b}, []Entity{f})
	if !slices.Equal(d.Leave, []Pair{{1, 8}, {2, 8}}) || !slices.Equal(d.Keep, []Pair{{1, 9}, {2, 9}}) {
		t.Errorf("entity gone: %+v", d)
	}
	d = r.Update([]Observer{b}, []Entity{e, f})
	if !slices.Equal(d.Leave, []Pair{{1, 9}}) || !slices.Equal(d.Enter, []Pair{{2, 8}}) || !slices.Equal(d.Keep, []Pair{{2, 9}}) {
		t.Errorf("observer gone: %+v", d)
	}
	if r.Len() != 2 || !slices.Equal(r.Pairs(), []Pair{{2, 8}, {2, 9}}) || !slices.Equal(r.Members(2), []uint64{8, 9}) {
		t.Errorf("left: %v", r.Pairs())
	}
	if d := r.Update(nil, nil); len(d.Leave) != 2 || r.Len() != 0 {
		t.Errorf("nobody: %+v", d)
	}
}

func TestReachChangeActsAtOnce(t *testing.T) {
	var r Relations
	e := []Entity{{ID: 1, X: 20}}
	for i, s := range []struct {
		enter, margin       int64
		enters, keeps, left int
	}{{5, 0, 0, 0, 0}, {50, 0, 1, 0, 0}, {5, 20, 0, 1, 0}, {5, 0, 0, 0, 1}, {5, 20, 0, 0, 0}} {
		d := r.Update(one(Reach{Enter: s.enter, Margin: s.margin}), e)
		if len(d.Enter) != s.enters || len(d.Keep) != s.keeps || len(d.Leave) != s.left {
			t.Errorf("step %d: %+v, want %+v", i, d, s)
		}
	}
}

// TestRandomWalk holds the sorted lists against a map of pairs.
func TestRandomWalk(t *testing.T) {
	t.Logf("seed %d", *seed)
	rng := rand.New(rand.NewPCG(*seed, 0))
	around := func(n int64) int64 { return rng.Int64N(2*n+1) - n }
	reach := []Reach{{Enter: 12, Margin: 4, Height: 2, HeightMargin: 1}, {Enter: 25}, {Enter: -1}}
	var r Relations
	held := map[Pair]bool{}
	for tick := range 200 {
		var observers []Observer
		var entities []Entity
		for id := range uint64(20) {
			if rng.IntN(4) > 0 {
				entities = append(entities, Entity{ID: id, X: around(30), Y: around(30), Z: around(3), Class: int(id % 4)})
			}
			if rng.IntN(4) > 0 {
				observers = append(observers, Observer{ID: id, X: around(30), Y: around(30), Z: around(3), Reach: reach, Self: id, ExcludeSelf: id%2 == 0})
			}
		}
		rng.Shuffle(len(entities), func(i, j int) { entities[i], entities[j] = entities[j], entities[i] })
		rng.Shuffle(len(observers), func(i, j int) { observers[i], observers[j] = observers[j], observers[i] })
		now := map[Pair]bool{}
		within := 0
		for _, o := range observers {
			for _, e := range entities {
				p := Pair{o.ID, e.ID}
				enters, stays := o.sees(&e)
				if enters || stays && held[p] {
					now[p] = true
				}
				if enters {
					within++
				}
			}
		}
		d := r.Update(observers, entities)
		check := func(what string, pairs []Pair, before, after bool) {
			n := 0
			for _, set := range []map[Pair]bool{now, held} {
				for p := range set {
					if held[p] == before && now[p] == after && (now[p] || !after) {
						if _, found := slices.BinarySearchFunc(pairs, p, comparePairs); !found {
							t.Fatalf("tick %d: %s lacks %v", tick, what, p)
						}
					}
				}
			}
			for _, p := range pairs {
				if held[p] == before && now[p] == after {
					n++
				}
			}
			if n != len(pairs) {
				t.Fatalf("tick %d: %s has %d pairs, %d are right", tick, what, len(pairs), n)
			}
		}
		check("enter", d.Enter, false, true)
		check("keep", d.Keep, true, true)
		check("leave", d.Leave, true, false)
		if d.Within != within || r.Len() != len(now) {
			t.Fatalf("tick %d: within %d, %d hold; want %d, %d", tick, d.Within, r.Len(), within, len(now))
		}
		held = now
	}
}

func comparePairs(a, b Pair) int {
	switch {
	case a == b:
		return 0
	case a.Observer < b.Observer, a.Observer == b.Observer && a.Entity < b.Entity:
		return -1
	}
	return 1
}
