package interest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"vicinity/arena"
	"vicinity/grid"
)

func TestConfigErrors(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 10}, Reach{Enter: 20})
	tall := newWorld(t, true, Reach{Enter: 10, Height: 5})
	two := func(r Reach) []Reach { return []Reach{{Enter: 1}, r} }
	for name, c := range map[string]struct {
		cfg     Config
		want    error
		culprit string
	}{
		"no arena":          {Config{Grid: w.grid, Reach: two(Reach{})}, ErrConfig, "Arena"},
		"too few reaches":   {Config{Arena: w.arena, Grid: w.grid, Reach: two(Reach{})[:1]}, ErrConfig, "1 reaches"},
		"no reaches":        {Config{Arena: w.arena, Grid: w.grid}, ErrConfig, "0 reaches"},
		"too many reaches":  {Config{Arena: w.arena, Grid: w.grid, Reach: make([]Reach, 3)}, ErrConfig, "3 reaches"},
		"enter -2":          {Config{Arena: w.arena, Grid: w.grid, Reach: two(Reach{Enter: -2})}, ErrReach, "class 1"},
		"enter too large":   {Config{Arena: w.arena, Grid: w.grid, Reach: two(Reach{Enter: grid.MaxCoord + 1})}, ErrReach, "class 1"},
		"margin negative":   {Config{Arena: w.arena, Grid: w.grid, Reach: two(Reach{Enter: 5, Margin: -1})}, ErrReach, "margin -1"},
		"sum too large":     {Config{Arena: w.arena, Grid: w.grid, Reach: two(Reach{Enter: grid.MaxCoord, Margin: 1})}, ErrReach, "class 1"},
		"sum wraps":         {Config{Arena: w.arena, Grid: w.grid, Reach: two(Reach{Enter: grid.MaxCoord, Margin: math.MaxInt32})}, ErrReach, "class 1"},
		"height in a plane": {Config{Arena: w.arena, Grid: w.grid, Reach: two(Reach{Enter: 5, Height: 1})}, ErrReach, "height 1"},
		"margin in a plane": {Config{Arena: w.arena, Grid: w.grid, Reach: two(Reach{Enter: 5, HeightMargin: 1})}, ErrReach, "margin 1"},
		"height negative":   {Config{Arena: tall.arena, Grid: tall.grid, Reach: []Reach{{Height: -1}}}, ErrReach, "height -1"},
		"height margin":     {Config{Arena: tall.arena, Grid: tall.grid, Reach: []Reach{{HeightMargin: -3}}}, ErrReach, "margin -3"},
	} {
		s, err := New(c.cfg)
		if s != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.culprit) {
			t.Errorf("%s: %v, %v; want %v that names %q", name, s, err, c.want, c.culprit)
		}
	}
	// The largest there is.
	for _, r := range []Reach{{Enter: grid.MaxCoord}, {Margin: grid.MaxCoord}, {Enter: Unseen}} {
		if _, err := New(Config{Arena: w.arena, Grid: w.grid, Reach: two(r)}); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if _, err := New(Config{Arena: tall.arena, Grid: tall.grid, Reach: []Reach{{Height: math.MaxInt32, HeightMargin: math.MaxInt32}}}); err != nil {
		t.Errorf("the largest height: %v", err)
	}
}

// badReaches are reaches and scales that a view of two classes refuses.
var badReaches = []struct {
	reach   []Reach
	scale   float64
	culprit string
}{
	{[]Reach{{Enter: 1}}, 0, "1 reaches"},
	{[]Reach{}, 0, "0 reaches"},
	{make([]Reach, 3), 0, "3 reaches"},
	{[]Reach{{}, {Enter: -7}}, 0, "class 1"},
	{[]Reach{{Margin: -1}, {}}, 0, "class 0"},
	{[]Reach{{}, {Enter: 1, Height: 1}}, 0, "class 1"},
	{nil, math.NaN(), "NaN"},
	{nil, math.Inf(1), "Inf"},
	{nil, math.Inf(-1), "Inf"},
	{nil, -1, "-1"},
	{nil, 1e300, "class 0"},
	{[]Reach{{Enter: 1 << 29}, {}}, 2.001, "class 0"},
	{[]Reach{{}, {Enter: 1 << 28, Margin: 1 << 28}}, 2, "class 1"},
}

func TestReachErrorsChangeNothing(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100, Margin: 10}, Reach{Enter: 50})
	h := w.spawn(1, 0, grid.Point{X: 95})
	w.spawn(2, 1, grid.Point{X: 50})
	v := w.add(Observer{ID: 77})
	w.step()
	w.expect(v, "at first", "+1 range, +2 range, ")
	for _, b := range badReaches {
		name := fmt.Sprint(b.reach, b.scale)
		if err := v.SetReach(b.reach, b.scale); !errors.Is(err, ErrReach) || !strings.Contains(err.Error(), b.culprit) {
			t.Errorf("SetReach(%s): %v; want %v that names %q", name, err, ErrReach, b.culprit)
		}
		if b.scale == 0 && b.reach == nil {
			continue
		}
		if added, err := w.set.Add(Observer{Reach: b.reach, Scale: b.scale}); added != nil || !errors.Is(err, ErrReach) {
			t.Errorf("Add(%s): %v, %v; want %v", name, added, err, ErrReach)
		}
		w.step()
		w.expect(v, name, "")
	}
	if w.set.Len() != 1 || v.Observer().Reach != nil || v.Observer().Scale != 0 {
		t.Errorf("%d views, observer %+v", w.set.Len(), v.Observer())
	}
	w.move(h, grid.Point{X: 110}) // the old reach holds, margin and all
	w.step()
	w.expect(v, "kept", "")
}

func TestObserverErrors(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100})
	dead := w.spawn(1, 0, grid.Point{})
	w.publish()
	w.despawn(dead)
	alive := w.spawn(2, 0, grid.Point{X: 5})
	w.step()
	v := w.add(Observer{ID: 9, Entity: alive, ExcludeSelf: true})
	w.step()
	for name, c := range map[string]struct {
		entity  arena.Handle
		at      grid.Point
		culprit string
	}{
		"dead":      {dead, grid.Point{}, dead.String()},
		"never":     {arena.MakeHandle(500, 1), grid.Point{}, "500#1"},
		"x":         {0, grid.Point{X: grid.MaxCoord + 1}, fmt.Sprint(grid.MaxCoord + 1)},
		"y":         {0, grid.Point{Y: -grid.MaxCoord - 1}, fmt.Sprint(-grid.MaxCoord - 1)},
		"z":         {0, grid.Point{Z: math.MinInt32}, fmt.Sprint(math.MinInt32)},
		"x, entity": {alive, grid.Point{X: math.MaxInt32}, fmt.Sprint(math.MaxInt32)},
	} {
		added, err := w.set.Add(Observer{ID: 12345, Entity: c.entity, At: c.at})
		if added != nil || !errors.Is(err, ErrObserver) || !strings.Contains(err.Error(), c.culprit) || !strings.Contains(err.Error(), "12345") {
			t.Errorf("Add %s: %v, %v; want %v that names 12345 and %q", name, added, err, ErrObserver, c.culprit)
		}
		if err := v.SetCentre(c.entity, c.at); !errors.Is(err, ErrObserver) || !strings.Contains(err.Error(), c.culprit) {
			t.Errorf("SetCentre %s: %v; want %v that names %q", name, err, ErrObserver, c.culprit)
		}
	}
	if o := v.Observer(); o.Entity != alive || o.At != (grid.Point{}) || w.set.Len() != 1 {
		t.Errorf("it changed: %+v, %d views", o, w.set.Len())
	}
	w.spawn(3, 0, grid.Point{X: 7})
	w.step()
	w.expect(v, "it still follows", "+3 range, ")
	for _, p := range []grid.Point{{X: grid.MaxCoord, Y: -grid.MaxCoord, Z: grid.MaxCoord}, {X: -grid.MaxCoord, Y: grid.MaxCoord}} {
		corner := w.add(Observer{At: p, Reach: []Reach{{Enter: grid.MaxCoord}}})
		w.step()
		w.expect(corner, "at the end of the world", "")
	}
}

func TestUpdateErrors(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100})
	v := w.add(Observer{})
	if err := w.set.UpdateAll(nil); !errors.Is(err, ErrUnpublished) {
		t.Errorf("UpdateAll: %v; want %v", err, ErrUnpublished)
	}
	if err := w.set.UpdateEach(nil, func(int, *View) { t.Error("visited") }); !errors.Is(err, ErrUnpublished) {
		t.Errorf("UpdateEach: %v; want %v", err, ErrUnpublished)
	}
	if err := w.set.Update(v); !errors.Is(err, ErrUnpublished) {
		t.Errorf("Update: %v; want %v", err, ErrUnpublished)
	}
	plain, err := New(Config{Arena: w.arena})
	w.must(err)
	pv, err := plain.Add(Observer{})
	w.must(err)
	if err := plain.UpdateAll(nil); !errors.Is(err, ErrUnpublished) {
		t.Errorf("UpdateAll without a grid: %v; want %v", err, ErrUnpublished)
	}
	w.spawn(1, 0, grid.Point{})
	w.step()
	for name, bad := range map[string]*View{"nil": nil, "another set's": pv} {
		if err := w.set.Update(bad); !errors.Is(err, ErrView) {
			t.Errorf("Update of %s: %v; want %v", name, err, ErrView)
		}
		if err := w.set.Remove(bad); !errors.Is(err, ErrView) {
			t.Errorf("Remove of %s: %v; want %v", name, err, ErrView)
		}
	}
	w.expect(v, "nothing happened", "+1 range, ")
	w.must(w.set.Remove(v))
	for name, err := range map[string]error{"Update": w.set.Update(v), "Remove": w.set.Remove(v), "UpdateFrom": v.UpdateFrom(nil)} {
		if !errors.Is(err, ErrView) {
			t.Errorf("%s of a removed view: %v; want %v", name, err, ErrView)
		}
	}
	w.must(w.set.UpdateAll(nil))
	if st := w.set.Stats(); st != (Stats{}) {
		t.Errorf("%+v without views", st)
	}
}

func TestCandidateErrorsChangeNothing(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100})
	set, err := New(Config{Arena: w.arena})
	w.must(err)
	v, err := set.Add(Observer{})
	w.must(err)
	a, b := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{})
	dead := w.spawn(3, 0, grid.Point{})
	w.despawn(dead)
	w.must(v.UpdateFrom([]Candidate{{Entity: a, ID: 1, Inner: true}}))
	before := pending(v)
	for name, c := range map[string]struct {
		list    []Candidate
		culprit string
	}{
		"zero":       {[]Candidate{{Entity: b, ID: 2, Inner: true}, {ID: 44}}, "44"},
		"dead":       {[]Candidate{{Entity: b, ID: 2, Inner: true}, {Entity: dead, ID: 3}}, dead.String()},
		"repeated":   {[]Candidate{{Entity: b, ID: 2, Inner: true}, {Entity: a, ID: 1}, {Entity: b, ID: 2}}, "slot 1"},
		"stale twin": {[]Candidate{{Entity: b, ID: 2, Inner: true}, {Entity: arena.MakeHandle(b.Slot(), b.Generation()+2), ID: 2}}, "1#3"},
	} {
		if err := v.UpdateFrom(c.list); !errors.Is(err, ErrCandidate) || !strings.Contains(err.Error(), c.culprit) {
			t.Errorf("%s: %v; want %v that names %q", name, err, ErrCandidate, c.culprit)
		}
		if got := pending(v); got != before || v.Len() != 1 {
			t.Errorf("%s: it changed to %q, %d members", name, got, v.Len())
		}
	}
}

// TestSetOfViews: adding and removing in any order, several on one entity.
func TestSetOfViews(t *testing.T) {
	r := newRandom(t, 1)
	w := newWorld(t, false, Reach{Enter: 100})
	var handles []arena.Handle
	for i := range 10 {
		handles = append(handles, w.spawn(uint64(i), 0, grid.Point{X: int32(1000 * i)}))
	}
	var views []*View
	for range 300 {
		if len(views) == 0 || r.below(3) > 0 {
			views = append(views, w.add(Observer{ID: uint64(len(views)), Entity: handles[r.below(10)]}))
		} else {
			i := r.below(len(views))
			w.must(w.set.Remove(views[i]))
			views = append(views[:i], views[i+1:]...)
		}
		if r.below(4) == 0 {
			if len(views) == 0 {
				continue
			}
			w.must(views[r.below(len(views))].SetCentre(handles[r.below(10)], grid.Point{}))
		}
		w.step()
		if w.set.Len() != len(views) || len(w.set.Views()) != len(views) || w.set.Stats().Updated != len(views) {
			t.Fatalf("%d views, %d listed, %d updated; want %d", w.set.Len(), len(w.set.Views()), w.set.Stats().Updated, len(views))
		}
		for _, v := range views {
			if got := members(v); len(got) != 1 || handles[got[0]] != v.Observer().Entity {
				t.Fatalf("view on %v has members %v", v.Observer().Entity, got)
			}
		}
	}
}
