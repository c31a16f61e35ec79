package vicinity

import (
	"errors"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"vicinity/grid"
	"vicinity/interest"
	"vicinity/packer"
)

// TestConfigErrors: New refuses what cannot be, and says which field.
func TestConfigErrors(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  Config
		says string
	}{
		"unit":      {Config{Unit: 0.3}, "0.3"},
		"reach":     {Config{Reach: make([]Reach, 17)}, "17"},
		"no reach":  {Config{Reach: []Reach{}}, "0 reach"},
		"nan":       {Config{Reach: []Reach{{Enter: math.NaN()}}}, "enter"},
		"far":       {Config{Reach: []Reach{{Enter: 10}, {Enter: 4e6, Margin: 1e6}}}, "class 1"},
		"margin":    {Config{Reach: []Reach{{Enter: 10, Margin: -1}}}, "margin"},
		"height":    {Config{Reach: []Reach{{Enter: 10, Height: 3}}}, "height"},
		"share":     {Config{Classes: []packer.Class{{Share: 0.9}}}, "Share"},
		"starved":   {Config{StarvedShare: -1}, "StarvedShare"},
		"entities":  {Config{MaxEntities: -1}, "MaxEntities"},
		"readers":   {Config{MaxReaders: -1}, "MaxReaders"},
		"history":   {Config{History: -1}, "History is -1"},
		"histories": {Config{History: grid.MaxHistory + 1}, "History is 65537"},
		"levels":    {Config{Levels: Levels{Near: 10, Mid: 5}}, ""},
		"levels +∞": {Config{Levels: Levels{Near: 10, Mid: math.Inf(1)}}, "mid"},
	} {
		w, err := New(c.cfg)
		if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.says) || w != nil {
			t.Errorf("%s: %v; want ErrConfig with %q", name, err, c.says)
		}
	}
}

// call is a call that must be refused.
type call struct {
	name string
	do   func(w *World) error
	want error
}

// refusals are calls with bad input, for a World with entity 1 (handle h) and
// connection 1, where stale names nobody.
func refusals(h, stale Handle) []call {
	nan, inf := math.NaN(), math.Inf(1)
	spawn := func(change func(e *Entity)) func(w *World) error {
		return func(w *World) error {
			e := Entity{ID: 2, Cost: cost(1)}
			change(&e)
			_, err := w.Spawn(e)
			return err
		}
	}
	connect := func(change func(c *Connection)) func(w *World) error {
		return func(w *World) error {
			c := Connection{ID: 2, Budget: 100}
			change(&c)
			return w.Connect(c)
		}
	}
	return []call{
		{"spawn taken", spawn(func(e *Entity) { e.ID = 1 }), ErrExists},
		{"spawn nan", spawn(func(e *Entity) { e.Y = nan }), ErrNotFinite},
		{"spawn far", spawn(func(e *Entity) { e.X = 1e9 }), ErrRange},
		{"spawn high", spawn(func(e *Entity) { e.Z = 1 }), ErrUnsupported},
		{"spawn free", spawn(func(e *Entity) { e.Cost[0] = 0 }), ErrCost},
		{"spawn class", spawn(func(e *Entity) { e.Class = 1 }), ErrClass},
		{"spawn reach", spawn(func(e *Entity) { e.Reach = 1 }), ErrClass},
		{"spawn ask", spawn(func(e *Entity) { e.Ask = true }), ErrUnsupported},
		{"spawn disc nan", spawn(func(e *Entity) { e.Body.Radius = nan }), ErrBody},
		{"spawn disc inf", spawn(func(e *Entity) { e.Body.Radius = -inf }), ErrNotFinite},
		{"spawn disc negative", spawn(func(e *Entity) { e.Body.Radius = -1e-9 }), ErrRange},
		{"spawn box wide", spawn(func(e *Entity) { e.Body.HalfX = 5e6 }), ErrBody},
		{"spawn box negative", spawn(func(e *Entity) { e.Body.HalfY = -1 }), ErrBody},
		{"spawn disc and box", spawn(func(e *Entity) { e.Body = Body{Radius: 1, HalfY: 1} }), ErrBody},
		{"body nan", func(w *World) error { return w.SetBody(h, Body{HalfX: nan}) }, ErrNotFinite},
		{"body inf", func(w *World) error { return w.SetBody(h, Body{HalfY: inf}) }, ErrBody},
		{"body negative", func(w *World) error { return w.SetBody(h, Body{Radius: -1}) }, ErrBody},
		{"body wide", func(w *World) error { return w.SetBody(h, Body{Radius: 5e6}) }, ErrRange},
		{"body both", func(w *World) error { return w.SetBody(h, Body{Radius: 1, HalfX: 1}) }, ErrBody},
		{"body stale", func(w *World) error { return w.SetBody(stale, Body{Radius: 1}) }, ErrEntity},
		{"body zero", func(w *World) error { return w.SetBody(0, Body{}) }, ErrEntity},
		{"despawn", func(w *World) error { return w.Despawn(stale) }, ErrEntity},
		{"despawn zero", func(w *World) error { return w.Despawn(0) }, ErrEntity},
		{"move nan", func(w *World) error { return w.Move(h, nan, 0) }, ErrNotFinite},
		{"move inf", func(w *World) error { return w.Move(h, 0, -inf) }, ErrNotFinite},
		{"move far", func(w *World) error { return w.Move(h, 0, -1e10) }, ErrRange},
		{"move stale", func(w *World) error { return w.Move(stale, 0, 0) }, ErrEntity},
		{"move units", func(w *World) error { return w.MoveUnits(h, 1<<30, 0) }, ErrRange},
		{"move units stale", func(w *World) error { return w.MoveUnits(stale, 0, 0) }, ErrEntity},
		{"move z", func(w *World) error { return w.MoveZ(h, 0, 0, 1) }, ErrUnsupported},
		{"move z flat", func(w *World) error { return w.MoveZ(h, 1, 1, 0) }, ErrUnsupported},
		{"move z nan", func(w *World) error { return w.MoveZ(h, nan, 1, 0) }, ErrUnsupported},
		{"move units z", func(w *World) error { return w.MoveUnitsZ(h, grid.Point{Z: 1}) }, ErrUnsupported},
		{"teleport", func(w *World) error { return w.Teleport(h, nan, 0) }, ErrNotFinite},
		{"teleport stale", func(w *World) error { return w.Teleport(stale, 0, 0) }, ErrEntity},
		{"must send zero", func(w *World) error { return w.SetMustSend(0, true) }, ErrEntity},
		{"ask stale", func(w *World) error { return w.SetAsk(stale, true) }, ErrEntity},
		{"reach class stale", func(w *World) error { return w.SetReachClass(stale, 0) }, ErrEntity},
		{"class stale", func(w *World) error { return w.SetClass(stale, 0) }, ErrEntity},
		{"touch", func(w *World) error { return w.Touch(stale) }, ErrEntity},
		{"cost", func(w *World) error { return w.SetCost(h, cost(0), 3) }, ErrCost},
		{"cost stale", func(w *World) error { return w.SetCost(stale, cost(1), 3) }, ErrEntity},
		{"priority", func(w *World) error { return w.SetPriority(stale, 1) }, ErrEntity},
		{"class", func(w *World) error { return w.SetClass(h, 1) }, ErrClass},
		{"reach class", func(w *World) error { return w.SetReachClass(h, 1) }, ErrClass},
		{"must send", func(w *World) error { return w.SetMustSend(stale, true) }, ErrEntity},
		{"bundle", func(w *World) error { return w.SetBundle(stale, 1) }, ErrEntity},
		{"masks", func(w *World) error { return w.SetMasks(stale, 1, 1) }, ErrEntity},
		{"groups", func(w *World) error { return w.SetGroups(stale, [4]uint32{1}) }, ErrEntity},
		{"ask", func(w *World) error { return w.SetAsk(h, true) }, ErrUnsupported},
		{"protected", func(w *World) error { return w.SetProtected(stale, true) }, ErrEntity},
		{"invalidate", func(w *World) error { return w.Invalidate(stale) }, ErrEntity},

		{"connect taken", connect(func(c *Connection) { c.ID = 1 }), ErrExists},
		{"connect stale", connect(func(c *Connection) { c.Entity = stale }), ErrEntity},
		{"connect nan", connect(func(c *Connection) { c.X = nan }), ErrNotFinite},
		{"connect far", connect(func(c *Connection) { c.Y = 1e9 }), ErrRange},
		{"connect high", connect(func(c *Connection) { c.Z = 1 }), ErrUnsupported},
		{"connect more high", connect(func(c *Connection) { c.More = []Viewpoint{{Z: 1}} }), ErrUnsupported},
		{"observe taken", func(w *World) error { return w.Observe(Connection{ID: 1}) }, ErrExists},
		{"connect more", connect(func(c *Connection) { c.More = []Viewpoint{{Entity: stale}} }), ErrEntity},
		{"connect reach", connect(func(c *Connection) { c.Reach = make([]Reach, 2) }), ErrObserver},
		{"connect scale", connect(func(c *Connection) { c.Scale = nan }), ErrObserver},
		{"connect cap", connect(func(c *Connection) { c.Cap.Members = -1 }), ErrObserver},
		{"connect near", connect(func(c *Connection) { c.Cap.Near = nan }), ErrObserver},
		{"connect rate", connect(func(c *Connection) { c.SendEvery = -1 }), ErrObserver},
		{"connect levels", connect(func(c *Connection) { c.Levels = &Levels{Near: 2, Mid: 1} }), ErrObserver},
		{"connect reserve", connect(func(c *Connection) { c.Reserve = 101 }), ErrBudget},
		{"connect leave", connect(func(c *Connection) { c.Reserve = 7 }), ErrBudget},
		{"connect reserve alone", connect(func(c *Connection) { c.Budget, c.Reserve = 0, 9 }), ErrBudget},
		{"observe budget", func(w *World) error { return w.Observe(Connection{ID: 2, Budget: 9}) }, ErrBudget},
		{"disconnect", func(w *World) error { return w.Disconnect(9) }, ErrConn},
		{"budget", func(w *World) error { return w.SetBudget(1, 100, 200) }, ErrBudget},
		{"budget nobody", func(w *World) error { return w.SetBudget(9, 100, 0) }, ErrConn},
		{"viewpoints", func(w *World) error { return w.SetViewpoints(1, Viewpoint{Entity: stale}) }, ErrEntity},
		{"viewpoints more", func(w *World) error { return w.SetViewpoints(1, at(0, 0), on(stale)) }, ErrEntity},
		{"viewpoints nan", func(w *World) error { return w.SetViewpoints(1, at(nan, 0)) }, ErrNotFinite},
		{"viewpoints high", func(w *World) error { return w.SetViewpoints(1, Viewpoint{Z: 1}) }, ErrUnsupported},
		{"viewpoints nobody", func(w *World) error { return w.SetViewpoints(9, at(0, 0)) }, ErrConn},
		{"cap nobody", func(w *World) error { return w.SetCap(9, Cap{}) }, ErrConn},
		{"rate nobody", func(w *World) error { return w.SetRate(9, 1) }, ErrConn},
		{"relate nobody", func(w *World) error { return w.Relate(9, h, interest.Quest) }, ErrConn},
		{"importance nobody", func(w *World) error { return w.SetImportance(9, h, 1, false) }, ErrConn},
		{"reach", func(w *World) error { return w.SetReach(1, []Reach{{Enter: nan}}, 1) }, ErrObserver},
		{"reach nobody", func(w *World) error { return w.SetReach(9, nil, 1) }, ErrConn},
		{"mask", func(w *World) error { return w.SetMask(9, 1) }, ErrConn},
		{"conn groups", func(w *World) error { return w.SetConnGroups(9, [4]uint32{}) }, ErrConn},
		{"cap", func(w *World) error { return w.SetCap(1, Cap{Members: 3, Near: -1}) }, ErrObserver},
		{"levels", func(w *World) error { return w.SetLevels(1, &Levels{Near: -1}) }, ErrObserver},
		{"levels nan", func(w *World) error { return w.SetLevels(1, &Levels{Near: nan}) }, ErrObserver},
		{"levels nobody", func(w *World) error { return w.SetLevels(9, nil) }, ErrConn},
		{"stretch", func(w *World) error { return w.SetStretch(0.5) }, ErrBudget},
		{"stretch nan", func(w *World) error { return w.SetStretch(nan) }, ErrBudget},
		{"stretch inf", func(w *World) error { return w.SetStretch(inf) }, ErrBudget},
		{"jump", func(w *World) error { return w.MarkJump(stale) }, ErrEntity},
		{"rate", func(w *World) error { return w.SetRate(1, 1<<20) }, ErrObserver},
		{"pause", func(w *World) error { return w.Pause(9, true) }, ErrConn},
		{"resync", func(w *World) error { return w.Resync(9) }, ErrConn},
		{"relate", func(w *World) error { return w.Relate(1, stale, interest.Quest) }, ErrEntity},
		{"relate spatial", func(w *World) error { return w.Relate(1, h, interest.Spatial) }, ErrObserver},
		{"unrelate", func(w *World) error { return w.Unrelate(9, h, interest.Quest) }, ErrConn},
		{"invalidate conn", func(w *World) error { return w.InvalidateConn(9) }, ErrConn},
		{"importance", func(w *World) error { return w.SetImportance(1, stale, 1, false) }, ErrEntity},
		{"trace", func(w *World) error { return w.Trace(9, true) }, ErrConn},
		{"tick", func(w *World) error { return w.TickAt(1, nil) }, ErrTick},
		{"tick 0", func(w *World) error { return w.TickAt(0, nil) }, ErrTick},
	}
}

// culprit is how an error names an entity or a connection.
var culprit = regexp.MustCompile(`entity \d|handle \S|connection:? \d`)

// state is what can be seen of a World between Ticks.
func state(w *World, h Handle) any {
	x, y, z, ok := w.Position(h)
	b, _ := w.Body(h)
	s := w.Stats()
	s.Rejects, s.HeapBytes = Rejects{}, 0
	return []any{x, y, z, ok, b, s, w.records.Slice()[h.Slot()], w.Connections(), w.hot.Slice()[h.Slot()], len(w.budgets), w.ranked}
}

// TestErrors: bad input is refused with the right error, counted, and changes
// nothing.
func TestErrors(t *testing.T) {
	w := newWorld(t, Config{})
	h := spawn(t, w, 1, 5, 6)
	ok(t, w.SetBody(h, Body{HalfX: 2}))
	stale := spawn(t, w, 3, 0, 0)
	ok(t, w.Connect(Connection{ID: 1, Budget: 100}))
	ok(t, w.Despawn(stale))
	tick(t, w)
	before := state(w, h)
	for _, c := range refusals(h, stale) {
		rejects := w.Stats().Rejects
		err := c.do(w)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v; want %v", c.name, err, c.want)
		}
		if after := state(w, h); !reflect.DeepEqual(after, before) {
			t.Fatalf("%s: changed %v into %v", c.name, before, after)
		}
		after := w.Stats().Rejects
		if counted := after.Total() - rejects.Total(); counted != 1 {
			t.Errorf("%s: counted %d times", c.name, counted)
		}
		if !culprit.MatchString(err.Error()) && !strings.HasPrefix(c.name, "stretch") && c.want != ErrTick {
			t.Errorf("%s: %v: names nobody", c.name, err)
		}
	}
	expect(t, tick(t, w)[1], nil, nil, nil)
}

// TestFull: the entity that does not fit is refused, and fits when another has gone
// and a tick has passed.
func TestFull(t *testing.T) {
	w := newWorld(t, Config{MaxEntities: 2})
	a := spawn(t, w, 1, 0, 0)
	spawn(t, w, 2, 0, 0)
	_, err := w.Spawn(Entity{ID: 3, Cost: cost(1)})
	if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "3") {
		t.Errorf("a third: %v", err)
	}
	if s := w.Stats(); s.Headroom != 0 || s.Rejects.Full != 1 {
		t.Errorf("headroom %d, rejects %+v", s.Headroom, s.Rejects)
	}
	ok(t, w.Despawn(a))
	for range 3 {
		tick(t, w)
	}
	spawn(t, w, 3, 0, 0)
}

// TestClosed: after Close everything is an error or nothing, never a fault.
func TestClosed(t *testing.T) {
	w := newWorld(t, Config{})
	h := spawn(t, w, 1, 0, 0)
	ok(t, w.Connect(Connection{ID: 1, Budget: 100}))
	tick(t, w)
	r, err := w.NewReader()
	ok(t, err)
	ok(t, r.Pin())
	if err := w.Close(); !errors.Is(err, ErrBusy) {
		t.Errorf("Close under a pin: %v; want ErrBusy", err)
	}
	tick(t, w)
	if s := w.Stats(); s.Readers != 1 || s.OldestPinned != 1 {
		t.Errorf("%d readers, the oldest at %d; want 1 at 1", s.Readers, s.OldestPinned)
	}
	r.Unpin()
	ok(t, w.Close())
	ok(t, w.Close())
	for _, c := range refusals(h, h) {
		if err := c.do(w); !errors.Is(err, ErrClosed) {
			t.Errorf("%s of a closed World: %v; want ErrClosed", c.name, err)
		}
	}
	if got := MoveAll(w, nil, []Handle{h}, []float64{1}, []float64{1}); len(got) != 1 || !errors.Is(got[0].Err, ErrClosed) {
		t.Errorf("MoveAll of a closed World: %v", got)
	}
	if _, ok := w.Handle(1); ok {
		t.Error("a closed World knows an ID")
	}
	if _, ok := w.ID(h); ok {
		t.Error("a closed World knows a handle")
	}
	if _, _, _, ok := w.Position(h); ok {
		t.Error("a closed World knows a position")
	}
	if got := w.AppendObserversOf(nil, h); got != nil || w.Len() != 0 || w.Connections() != 0 {
		t.Errorf("a closed World has observers %v, %d entities, %d connections", got, w.Len(), w.Connections())
	}
	if b, ok := w.Body(h); ok || b != (Body{}) {
		t.Error("a closed World knows a body")
	}
	if got := w.AppendMembers(nil, 1); got != nil {
		t.Errorf("a closed World has members %v", got)
	}
	if s := w.Stats(); s != (Stats{}) {
		t.Errorf("a closed World has figures: %+v", s)
	}
	if got := w.Explain(1, 1); !strings.Contains(got, "closed") {
		t.Errorf("a closed World explains: %s", got)
	}
	if _, err := w.NewReader(); !errors.Is(err, ErrClosed) || !errors.Is(err, grid.ErrClosed) {
		t.Errorf("a reader of a closed World: %v", err)
	}
}
