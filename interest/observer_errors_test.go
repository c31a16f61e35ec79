package interest

import (
	"errors"
	"strings"
	"testing"

	"vicinity/arena"
	"vicinity/grid"
)

// TestErrorsOfObservers: bad input is named, and changes nothing.
func TestErrorsOfObservers(t *testing.T) {
	w := near100(t)
	dead := w.spawn(1, 0, grid.Point{})
	w.despawn(dead)
	alive := w.spawn(2, 0, grid.Point{})
	v := w.add(Observer{ID: 31, Entity: alive, SendEvery: 2, Cap: Cap{MaxMembers: 3}, Levels: &Levels{Near: 1, Mid: 2}})
	removed := w.add(Observer{ID: 32})
	w.must(w.set.Remove(removed))
	far := grid.Point{X: grid.MaxCoord + 1}
	before := v.Observer()
	add := func(o Observer) error { o.ID = 31; _, err := w.set.Add(o); return err }
	for name, c := range map[string]struct {
		got, want error
		culprit   string
	}{
		"rate":                {v.SetRate(-1), ErrRate, "31"},
		"rate, too large":     {v.SetRate(MaxSendEvery + 1), ErrRate, "841"},
		"cap":                 {v.SetCap(Cap{MaxMembers: -1}), ErrCap, "31"},
		"near radius":         {v.SetCap(Cap{MaxMembers: 1, NearRadius: grid.MaxCoord + 1}), ErrCap, "31"},
		"swaps":               {v.SetCap(Cap{MaxMembers: 1, MaxSwap: -1}), ErrCap, "31"},
		"protected":           {v.SetCap(Cap{MaxMembers: 1, Protected: 1 << 12}), ErrCap, "31"},
		"levels":              {v.SetLevels(&Levels{Near: 2, Mid: 1}), ErrLevels, "near 2"},
		"levels, margin":      {v.SetLevels(&Levels{Mid: grid.MaxCoord, Margin: 1}), ErrLevels, "margin 1"},
		"viewpoint":           {v.SetViewpoints(alive, grid.Point{}, Viewpoint{Entity: dead}), ErrObserver, "31"},
		"viewpoint, far":      {v.SetViewpoints(0, grid.Point{}, Viewpoint{At: far}), ErrObserver, "31"},
		"relation, dead":      {v.Relate(dead, Quest), ErrEntity, dead.String()},
		"relation, none":      {v.Relate(alive, 0), ErrSource, alive.String()},
		"relation, spatial":   {v.Relate(alive, Spatial), ErrSource, alive.String()},
		"relation, unknown":   {v.Relate(alive, 1<<15), ErrSource, alive.String()},
		"traits":              {w.set.SetTraits(dead, Traits{Need: 1}), ErrEntity, dead.String()},
		"traits, zero handle": {w.set.SetTraits(0, Traits{Need: 1}), ErrEntity, arena.Handle(0).String()},
		"invalidate":          {w.set.Invalidate(dead), ErrEntity, dead.String()},
		"add, rate":           {add(Observer{SendEvery: 1000}), ErrRate, "31"},
		"add, cap":            {add(Observer{Cap: Cap{MaxSwap: -1}}), ErrCap, "31"},
		"add, levels":         {add(Observer{Levels: &Levels{Near: -1}}), ErrLevels, "-1"},
		"add, more":           {add(Observer{More: []Viewpoint{{Entity: dead}}}), ErrObserver, "31"},
		"removed, rate":       {removed.SetRate(1), ErrView, ""},
		"removed, cap":        {removed.SetCap(Cap{}), ErrView, ""},
		"removed, levels":     {removed.SetLevels(nil), ErrView, ""},
		"removed, viewpoints": {removed.SetViewpoints(0, grid.Point{}), ErrView, ""},
		"removed, relation":   {removed.Relate(alive, Quest), ErrView, ""},
	} {
		if !errors.Is(c.got, c.want) || !strings.Contains(c.got.Error(), c.culprit) {
			t.Errorf("%s: %v; want %v that names %q", name, c.got, c.want, c.culprit)
		}
	}
	removed.SetPaused(true)
	removed.SetMask(1)
	removed.SetGroups([4]uint32{1})
	removed.Invalidate()
	removed.Unrelate(alive, Quest)
	after := v.Observer()
	if after.SendEvery != before.SendEvery || after.Cap != before.Cap || *after.Levels != *before.Levels || len(after.More) != 0 || after.Entity != before.Entity {
		t.Errorf("%+v; want %+v", after, before)
	}
	if got, ok := w.set.Traits(dead); ok || got != (Traits{}) || w.set.Len() != 1 || len(v.relations) != 0 {
		t.Errorf("traits %+v, %d views, %d relations", got, w.set.Len(), len(v.relations))
	}
	_, err := New(Config{Arena: w.arena, Grid: w.grid, Reach: []Reach{{}}, Levels: Levels{Near: -1}})
	if !errors.Is(err, ErrLevels) {
		t.Errorf("New: %v", err)
	}
}

// TestReasonNames: every reason and level has words.
func TestReasonNames(t *testing.T) {
	for r := ReasonNone; r <= ReasonCulled; r++ {
		if r.String() == "unknown" || r.String() == "" {
			t.Errorf("reason %d has no name", r)
		}
	}
	if (ReasonCulled+1).String() != "unknown" || Low.String() != "low" || Level(9).String() != "unknown" {
		t.Error("names are wrong")
	}
}
