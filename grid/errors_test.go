package grid

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
)

func TestConfigErrors(t *testing.T) {
	deferred, err := arena.New(arena.Config{Deferred: true})
	if err != nil {
		t.Fatal(err)
	}
	closed, _ := arena.New(arena.Config{Deferred: true})
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	layers := []Layer{{CellX: 64}}
	for name, c := range map[string]struct {
		cfg     Config
		want    error
		culprit string
	}{
		"no arena":             {Config{Layers: layers}, ErrConfig, "Arena"},
		"not deferred":         {Config{Arena: &arena.Arena{}, Layers: layers}, ErrConfig, "Deferred"},
		"arena closed":         {Config{Arena: closed, Layers: layers}, ErrConfig, "Deferred"},
		"no layers":            {Config{Arena: deferred}, ErrConfig, "0 Layers"},
		"too many layers":      {Config{Arena: deferred, Layers: make([]Layer, 33)}, ErrConfig, "33 Layers"},
		"negative readers":     {Config{Arena: deferred, Layers: layers, MaxReaders: -1}, ErrConfig, "-1"},
		"no cell edge":         {Config{Arena: deferred, Layers: []Layer{{CellX: 64}, {}}}, ErrConfig, "layer 1"},
		"CellX no power":       {Config{Arena: deferred, Layers: []Layer{{CellX: 48}}}, ErrConfig, "48"},
		"CellX negative":       {Config{Arena: deferred, Layers: []Layer{{CellX: -64}}}, ErrConfig, "-64"},
		"CellX too large":      {Config{Arena: deferred, Layers: []Layer{{CellX: 1 << 30}}}, ErrConfig, "layer 0"},
		"CellX most negative":  {Config{Arena: deferred, Layers: []Layer{{CellX: math.MinInt32}}}, ErrConfig, "layer 0"},
		"CellY no power":       {Config{Arena: deferred, Layers: []Layer{{CellX: 64, CellY: 3}}}, ErrConfig, "edge 3"},
		"CellY negative":       {Config{Arena: deferred, Layers: []Layer{{CellX: 64, CellY: -1}}}, ErrConfig, "edge -1"},
		"memory of the future": {Config{Arena: deferred, Layers: layers, Memory: 7}, arena.ErrUnknownMemory, "7"},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := New(c.cfg)
			if g != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.culprit) {
				t.Errorf("got %v, %v; want %v that names %q", g, err, c.want, c.culprit)
			}
		})
	}
	if err := deferred.Close(); err != nil {
		t.Errorf("a New that failed keeps the arena: %v", err)
	}
}

func TestConfigBorders(t *testing.T) {
	for _, edge := range []int32{1, 2, 1 << 29} {
		w := newWorld(t, Config{Layers: make32(edge)})
		r := newRandom(t)
		for i := range 64 {
			w.spawn(i%MaxLayers, r.point(MaxCoord))
		}
		all := w.publish()
		checkAll(t, w.grid.Snapshot(), all)
		for range rounds(50) {
			p := r.point(MaxCoord)
			q := Query{X: p.X, Y: p.Y, Radius: int32(r.below(MaxCoord + 1))}
			q.Layers = r.Next()
			checkQuery(t, w.grid.Snapshot(), all, q)
		}
	}
}

// make32 returns the largest number of layers.
func make32(edge int32) []Layer {
	layers := make([]Layer, MaxLayers)
	for i := range layers {
		layers[i] = Layer{CellX: edge}
	}
	return layers
}

func TestCellFor(t *testing.T) {
	for radius := int32(-5); radius >= -5 && radius <= MaxCoord; radius += 1 + radius/7*int32(min(1, max(0, radius))) {
		x, y := CellFor(radius)
		a, _ := arena.New(arena.Config{Deferred: true})
		g, err := New(Config{Arena: a, Layers: []Layer{{CellX: x, CellY: y}}})
		if err != nil {
			t.Fatalf("CellFor(%d) = %d, %d, which New refuses: %v", radius, x, y, err)
		}
		if x > y || y > max(radius, 1) || y < radius/4 || x < radius/16 {
			t.Errorf("CellFor(%d) = %d, %d", radius, x, y)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// outsiders are coordinates out of range: the nearest, and those whose sums wrap.
var outsiders = []int32{MaxCoord + 1, -MaxCoord - 1, math.MaxInt32, math.MinInt32, math.MinInt32 + MaxCoord}

// state is all that can be seen of a grid from outside, in words.
func (w *world) state() string { return fmt.Sprintf("%+v\n", w.grid.Stats()) + w.positions() }

// positions is the pending state.
func (w *world) positions() string {
	out := fmt.Sprintln(w.grid.Len())
	for _, e := range w.all {
		p, ok := w.grid.Position(e.h)
		out += fmt.Sprintln(e.h, p, ok, w.grid.Holds(e.h))
	}
	return out
}

// call is one call that must fail.
type call struct {
	name string
	do   func(w *world) error
	want error
	// culprit is part of the message, %v is entity 0's handle.
	culprit string
}

// badCalls are calls of the writer's methods that must fail in a world whose
// entity 0 is published, and whose entity 1 was removed since.
func badCalls(full bool) []call {
	stale := arena.MakeHandle(0, 3)
	far := arena.MakeHandle(1<<20, 1)
	calls := []call{
		{"Insert zero", func(w *world) error { return w.grid.Insert(0, 1, 0, Point{}) }, ErrHandle, "none"},
		{"Insert stale", func(w *world) error { return w.grid.Insert(stale, 1, 0, Point{}) }, ErrHandle, "0#3"},
		{"Insert far", func(w *world) error { return w.grid.Insert(far, 1, 0, Point{}) }, ErrHandle, far.String()},
		{"Insert again", func(w *world) error { return w.grid.Insert(w.all[0].h, w.all[0].id, 0, Point{}) }, ErrExists, "%v"},
		{"Insert removed", func(w *world) error { return w.grid.Insert(w.all[1].h, w.all[1].id, 0, Point{}) }, ErrExists, "1#1"},
		{"Insert layer -1", func(w *world) error { return w.insertFresh(-1, Point{}) }, ErrLayer, "-1"},
		{"Insert layer 2", func(w *world) error { return w.insertFresh(2, Point{}) }, ErrLayer, "2 of"},
		{"SetLayer -1", func(w *world) error { return w.grid.SetLayer(w.all[0].h, -1) }, ErrLayer, "%v"},
		{"SetLayer 2", func(w *world) error { return w.grid.SetLayer(w.all[0].h, 2) }, ErrLayer, "%v"},
		{"Publish again", func(w *world) error { return w.grid.Publish(w.tick) }, ErrTick, fmt.Sprint(1)},
		{"Publish older", func(w *world) error { return w.grid.Publish(0) }, ErrTick, "0 after 1"},
	}
	for _, h := range []struct {
		name string
		of   func(w *world) arena.Handle
	}{
		{"zero", func(*world) arena.Handle { return 0 }},
		{"stale", func(*world) arena.Handle { return stale }},
		{"far", func(*world) arena.Handle { return far }},
		{"2^31", func(*world) arena.Handle { return arena.MakeHandle(1<<31, 1) }}, // an int of 32 bits is negative there
		{"last", func(*world) arena.Handle { return arena.MakeHandle(math.MaxUint32, math.MaxUint32) }},
		{"removed", func(w *world) arena.Handle { return w.all[1].h }},
	} {
		add := func(name string, do func(g *Grid, h arena.Handle) error) {
			calls = append(calls, call{name + " " + h.name, func(w *world) error {
				err := do(w.grid, h.of(w))
				if err != nil && !strings.Contains(err.Error(), h.of(w).String()) {
					return fmt.Errorf("%v is not named: %v", h.of(w), err)
				}
				return err
			}, ErrHandle, ""})
		}
		add("Move", func(g *Grid, h arena.Handle) error { return g.Move(h, 1, 1) })
		add("Remove", (*Grid).Remove)
		add("SetLayer", func(g *Grid, h arena.Handle) error { return g.SetLayer(h, 1) })
		if full {
			add("MoveZ", func(g *Grid, h arena.Handle) error { return g.MoveZ(h, Point{}) })
			add("SetMasks", func(g *Grid, h arena.Handle) error { return g.SetMasks(h, 1, 1) })
		}
	}
	for _, v := range outsiders {
		for _, p := range []Point{{X: v}, {Y: v}} {
			name := fmt.Sprintf("(%d, %d)", p.X, p.Y)
			calls = append(calls,
				call{"Insert at " + name, func(w *world) error { return w.insertFresh(0, p) }, ErrRange, fmt.Sprint(v)},
				call{"Move to " + name, func(w *world) error { return w.grid.Move(w.all[0].h, p.X, p.Y) }, ErrRange, "%v"},
				call{"Move to " + name + " too", func(w *world) error { return w.grid.Move(w.all[0].h, p.X, p.Y) }, ErrRange, fmt.Sprint(v)},
			)
		}
		for _, p := range []Point{{X: v}, {Y: v}, {Z: v}} {
			if full {
				calls = append(calls,
					call{fmt.Sprint("Insert at ", p), func(w *world) error { return w.insertFresh(0, p) }, ErrRange, fmt.Sprint(v)},
					call{fmt.Sprint("MoveZ to ", p), func(w *world) error { return w.grid.MoveZ(w.all[0].h, p) }, ErrRange, "%v"},
				)
			}
		}
	}
	if !full {
		calls = append(calls,
			call{"MoveZ", func(w *world) error { return w.grid.MoveZ(w.all[0].h, Point{}) }, ErrUnsupported, "Height"},
			call{"SetMasks", func(w *world) error { return w.grid.SetMasks(w.all[0].h, 0, 0) }, ErrUnsupported, "Masks"},
		)
	}
	return calls
}

// insertFresh tries to insert a handle that is alive and nowhere.
func (w *world) insertFresh(layer int, p Point) error {
	h, err := w.arena.Alloc()
	w.must(err)
	defer w.arena.Free(h)
	err = w.grid.Insert(h, 5, layer, p)
	if err != nil && !strings.Contains(err.Error(), h.String()) {
		return fmt.Errorf("%v is not named: %v", h, err)
	}
	return err
}

func TestWriterErrorsChangeNothing(t *testing.T) {
	for _, full := range []bool{false, true} {
		t.Run(fmt.Sprintf("full=%v", full), func(t *testing.T) {
			for _, c := range badCalls(full) {
				t.Run(c.name, func(t *testing.T) {
					w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 64}}, Height: full, Masks: full})
					for i := range 8 {
						w.spawn(i%2, Point{X: int32(10 * i), Y: -int32(i)})
					}
					w.publish()
					w.must(w.grid.Remove(w.all[1].h))
					before := w.state()
					err := c.do(w)
					culprit := strings.ReplaceAll(c.culprit, "%v", w.all[0].h.String())
					if !errors.Is(err, c.want) || !strings.Contains(err.Error(), culprit) {
						t.Errorf("got %v; want %v that names %q", err, c.want, culprit)
					}
					if after := w.state(); after != before {
						t.Errorf("it changed:\n%s\nwas\n%s", after, before)
					}
					w.arena.Free(w.all[1].h)
					w.all = append(w.all[:1], w.all[2:]...)
					// And nothing comes out later: one layer changed, the other is shared.
					sorts := w.grid.Stats().Sorted
					all := w.publish()
					checkAll(t, w.grid.Snapshot(), all)
					if got := w.grid.Stats().Sorted - sorts; got != 1 {
						t.Errorf("%d layers sorted for one that changed", got)
					}
				})
			}
		})
	}
}

func TestQueryErrors(t *testing.T) {
	for _, full := range []bool{false, true} {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}, {CellX: 64}}, Height: full, Masks: full})
		for i := range 40 {
			w.spawn(i%2, Point{X: int32(i)})
		}
		w.publish()
		s := w.grid.Snapshot()
		type bad struct {
			q       Query
			want    error
			culprit string
		}
		all := []bad{
			{Query{Radius: -1}, ErrRange, "radius -1"},
			{Query{Radius: MaxCoord + 1}, ErrRange, "radius"},
			{Query{Radius: math.MinInt32}, ErrRange, "radius"},
			{Query{Filter: Filter{Layers: 4}}, ErrLayer, "100"},
			{Query{Filter: Filter{Layers: 1 << 31}}, ErrLayer, "of 2"},
			{Query{Filter: Filter{Layers: 7}}, ErrLayer, "111"},
		}
		for _, v := range outsiders {
			all = append(all, bad{Query{X: v, Radius: 5}, ErrRange, fmt.Sprint(v)}, bad{Query{Y: v, Radius: 5}, ErrRange, fmt.Sprint(v)})
			if full {
				all = append(all, bad{Query{Z: v}, ErrRange, fmt.Sprint(v)})
			}
		}
		if full {
			all = append(all, bad{Query{Height: -1}, ErrRange, "-1"}, bad{Query{Height: MaxCoord + 1}, ErrRange, "height"})
		} else {
			all = append(all, bad{Query{Z: 1}, ErrUnsupported, "Height"}, bad{Query{Height: 1}, ErrUnsupported, "Height"},
				bad{Query{Filter: Filter{Mask: 1}}, ErrUnsupported, "Masks"})
		}
		for _, b := range all {
			hits, err1 := s.AppendWithin(make([]Hit, 3, 100), b.q)
			slots, err2 := s.AppendSlots(make([]uint32, 3, 100), b.q)
			count, err3 := s.CountWithin(b.q)
			near, err4 := s.AppendNearest(make([]Near, 3, 100), 4, b.q)
			err5 := NewSweep(nil).Within(s, &SlotSet{}, b.q, func(*Observation) { t.Error("visited") })
			if len(hits) != 3 || len(slots) != 3 || count != 0 || len(near) != 3 {
				t.Errorf("%+v: results %d, %d, %d, %d; want 3, 3, 0, 3", b.q, len(hits), len(slots), count, len(near))
			}
			for i, err := range []error{err1, err2, err3, err4, err5} {
				if i == 4 && (outside(b.q.X) || outside(b.q.Y) || outside(b.q.Z)) {
					if err != nil {
						t.Errorf("Within with centre %+v: %v; it is to be ignored", b.q, err)
					}
					continue
				}
				if i == 4 && !full && b.q.Z != 0 {
					continue // so is the height
				}
				if !errors.Is(err, b.want) || !strings.Contains(err.Error(), b.culprit) {
					t.Errorf("%+v: call %d: %v; want %v that names %q", b.q, i, err, b.want, b.culprit)
				}
			}
		}
		if near, err := s.AppendNearest(make([]Near, 2), -1, Query{Radius: 9}); len(near) != 2 || !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), "-1") {
			t.Errorf("AppendNearest(-1): %d, %v; want 2, %v", len(near), err, ErrRange)
		}
	}
}

func TestRectErrors(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	for i := range 40 {
		w.spawn(0, Point{X: int32(i)})
	}
	w.publish()
	s := w.grid.Snapshot()
	check := func(r Rect, f Filter, want error) {
		t.Helper()
		got, err1 := s.AppendIn(make([]uint32, 2), r, f)
		n, err2 := s.CountIn(r, f)
		if len(got) != 2 || n != 0 || !errors.Is(err1, want) || !errors.Is(err2, want) {
			t.Errorf("%+v %+v: %d, %v; %d, %v; want 2, 0, %v", r, f, len(got), err1, n, err2, want)
		}
	}
	for _, v := range outsiders {
		check(Rect{X0: v, X1: v}, Filter{}, ErrRange)
		check(Rect{Y0: v, Y1: v}, Filter{}, ErrRange)
		check(Rect{X0: min(v, 0), X1: max(v, 0)}, Filter{}, ErrRange)
		check(Rect{Y0: min(v, 0), Y1: max(v, 0)}, Filter{}, ErrRange)
	}
	check(Rect{X0: 1, X1: 0}, Filter{}, ErrRange)
	check(Rect{Y0: 1, Y1: 0}, Filter{}, ErrRange)
	check(Rect{}, Filter{Layers: 2}, ErrLayer)
	check(Rect{}, Filter{Mask: 2}, ErrUnsupported)
	checkRect(t, s, w.all, Rect{-MaxCoord, -MaxCoord, MaxCoord, MaxCoord}, Filter{})
}

func TestAfterClose(t *testing.T) {
	for _, full := range []bool{false, true} {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, Height: full, Masks: full, Previous: full})
		for i := range 10 {
			w.spawn(0, Point{X: int32(i)})
		}
		g := w.grid
		reader, err := g.NewReader()
		w.must(err)
		w.publish()
		if err := w.arena.Close(); !errors.Is(err, arena.ErrBusy) {
			t.Errorf("Close of the arena: %v; want %v", err, arena.ErrBusy)
		}
		w.must(g.Close())
		w.must(g.Close())
		h := w.all[0].h
		fresh, err := w.arena.Alloc()
		w.must(err)
		_, errPin := reader.Pin()
		_, errReader := g.NewReader()
		results := map[string]error{
			"Insert": g.Insert(fresh, 1, 0, Point{}), "Move": g.Move(h, 0, 0), "Remove": g.Remove(h),
			"SetLayer": g.SetLayer(h, 0), "Publish": g.Publish(99), "Pin": errPin, "NewReader": errReader,
			"Insert of nothing": g.Insert(0, 1, 9, Point{X: math.MinInt32}),
		}
		if full {
			results["MoveZ"], results["SetMasks"] = g.MoveZ(h, Point{}), g.SetMasks(h, 0, 0)
		}
		for name, err := range results {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%s: %v; want %v", name, err, ErrClosed)
			}
		}
		if p, ok := g.Position(h); ok || g.Holds(h) || g.Snapshot() != nil || g.Stats() != (Stats{}) || g.CheckInvariants() != nil {
			t.Errorf("a closed grid still knows %v, %v, %v, %v", p, g.Holds(h), g.Snapshot(), g.Stats())
		}
		reader.Unpin()
		reader.Close()
		reader.Close()
		w.must(w.arena.Close()) // released
	}
}

func TestCloseFreesMappedMemory(t *testing.T) {
	before := arena.MappedBytes()
	a, err := arena.New(arena.Config{Deferred: true, Memory: arena.Mapped, Capacity: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(Config{Arena: a, Layers: []Layer{{CellX: 16}, {CellX: 8}}, Height: true, Masks: true, Previous: true, Memory: arena.Mapped})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		h, _ := a.Alloc()
		if err := g.Insert(h, uint64(i), i%2, Point{X: int32(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for tick := range uint64(3) {
		for slot := range uint32(5000) {
			if err := g.Move(arena.MakeHandle(slot, 1), int32(slot), int32(tick)); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Publish(tick); err != nil {
			t.Fatal(err)
		}
	}
	st := g.Stats()
	if !a.Stats().Fallback && (st.MappedBytes == 0 || st.HeapBytes != 0) {
		t.Errorf("%+v; want mapped bytes only", st)
	}
	if a.Stats().Fallback && (st.MappedBytes != 0 || st.HeapBytes == 0) {
		t.Errorf("%+v; want heap bytes only", st)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got := arena.MappedBytes(); got != before {
		t.Errorf("%d bytes are still mapped", got-before)
	}
}

func TestBadOverrideIsNoticed(t *testing.T) {
	if asm.EnvError() != nil {
		t.Skip("VICINITY_ASM is misspelt; every other test tells")
	}
	a, _ := arena.New(arena.Config{Deferred: true})
	if _, err := New(Config{Arena: a, Layers: []Layer{{CellX: 1}}}); err != nil {
		t.Error(err)
	}
}

// TestClosedComesFirst: after Close the answer is ErrClosed, also from what this
// grid never supported.
func TestClosedComesFirst(t *testing.T) {
	a, err := arena.New(arena.Config{Deferred: true})
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(Config{Arena: a, Layers: []Layer{{CellX: 8}}})
	if err != nil {
		t.Fatal(err)
	}
	h, err := a.Alloc()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Insert(h, 1, 0, Point{X: 1, Y: 2, Z: math.MinInt32}); err != nil {
		t.Errorf("a grid without heights refuses a Z, which it ignores: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if err := g.MoveZ(h, Point{}); !errors.Is(err, ErrClosed) {
		t.Errorf("MoveZ: got %v; want ErrClosed", err)
	}
	if err := g.SetMasks(h, 1, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("SetMasks: got %v; want ErrClosed", err)
	}
}
