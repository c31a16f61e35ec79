package replay

import (
	"errors"
	"slices"
	"testing"
)

func TestTransform(t *testing.T) {
	for _, c := range []struct {
		name string
		f    Transform
		x, y int32
	}{
		{"none", Transform{}, 10, 3},
		{"swap", Transform{SwapAxes: true}, 3, 10},
		{"mirror x", Transform{MirrorX: true}, -10, 3},
		{"mirror y", Transform{MirrorY: true}, 10, -3},
		{"shift", Transform{ShiftX: -20, ShiftY: 5}, -10, 8},
		{"swap, then mirror, then shift", Transform{true, true, false, 100, 1000}, 97, 1010},
	} {
		var tick Tick
		tick.Append(1, 10, 3, 7, 8)
		c.f.Apply(&tick)
		if tick.X[0] != c.x || tick.Y[0] != c.y || tick.ID[0] != 1 || tick.Kind[0] != 7 || tick.Team[0] != 8 {
			t.Errorf("%s: %+v, want (%d, %d)", c.name, tick, c.x, c.y)
		}
		b, err := c.f.Bounds(Bounds{10, 3, 10, 3})
		if want := (Bounds{c.x, c.y, c.x, c.y}); err != nil || b != want {
			t.Errorf("%s: bounds %+v, %v; want %+v", c.name, b, err, want)
		}
	}
}

func TestTransformBounds(t *testing.T) {
	b, err := Transform{SwapAxes: true, MirrorX: true}.Bounds(Bounds{1, 2, 3, 4})
	if want := (Bounds{-4, 1, -2, 3}); err != nil || b != want {
		t.Errorf("got %+v, %v; want %+v", b, err, want)
	}
	edge := Bounds{-MaxCoord, -5, 0, MaxCoord}
	if _, err := (Transform{MirrorX: true, MirrorY: true}).Bounds(edge); err != nil {
		t.Errorf("mirroring the largest coordinates: %v", err)
	}
	for _, f := range []Transform{
		{ShiftX: -1},
		{ShiftY: 1},
		{SwapAxes: true, ShiftX: 1},
		{MirrorX: true, ShiftX: 1},
		{ShiftX: -1 << 31},
		{ShiftY: 1<<31 - 1},
	} {
		if _, err := f.Bounds(edge); !errors.Is(err, ErrRange) {
			t.Errorf("%+v: %v, want ErrRange", f, err)
		}
	}
}

func TestTiling(t *testing.T) {
	g, err := NewTiling(2, 3, Bounds{-5, 0, 5, 20}, 9, 7)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Tiling{2, 3, 18, 28, 10}); g != want {
		t.Errorf("%+v, want %+v", g, want)
	}
	var src, dst Tick
	src.Number = 4
	src.Append(0, -5, 0, 1, 2)
	src.Append(9, 5, 20, 3, 4)
	g.Expand(&dst, &src)
	if dst.Number != 4 || !slices.Equal(dst.ID, []uint64{0, 9, 10, 19, 20, 29, 30, 39, 40, 49, 50, 59}) {
		t.Errorf("tick %d, ids %v", dst.Number, dst.ID)
	}
	if !slices.Equal(dst.X, []int32{-5, 5, 13, 23, -5, 5, 13, 23, -5, 5, 13, 23}) ||
		!slices.Equal(dst.Y, []int32{0, 20, 0, 20, 28, 48, 28, 48, 56, 76, 56, 76}) {
		t.Errorf("x %v, y %v", dst.X, dst.Y)
	}
	// The nearest of two copies are further apart than the reach.
	if gap := dst.X[2] - dst.X[1]; gap != 8 {
		t.Errorf("copies are %d apart, want 8", gap)
	}
}

func TestTilingOne(t *testing.T) {
	wide := Bounds{-MaxCoord, -MaxCoord, MaxCoord, MaxCoord}
	g, err := NewTiling(1, 1, wide, MaxID, MaxCoord)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []Tiling{g, {}} {
		var src, dst Tick
		src.Append(MaxID, MaxCoord, -MaxCoord, 0, -1)
		g.Expand(&dst, &src)
		if g.Copies() != 1 || dst.Len() != 1 || dst.ID[0] != MaxID || dst.X[0] != MaxCoord || dst.Y[0] != -MaxCoord {
			t.Errorf("%+v: %+v", g, dst)
		}
	}
}

func TestTilingLimits(t *testing.T) {
	b := Bounds{0, 0, 99, 99}
	for _, c := range []struct {
		columns, rows int
		b             Bounds
		maxID         uint64
		reach         int32
		ok            bool
	}{
		{1, 1, b, 0, 0, true},
		{0, 1, b, 0, 0, false},
		{1, -1, b, 0, 0, false},
		{maxTiles, maxTiles, b, 0, 0, true},
		{maxTiles + 1, 1, b, 0, 0, false},
		{1 << 30, 1 << 30, b, 0, 0, false},
		{2, 1, Bounds{0, 0, MaxCoord / 2, 0}, 0, 0, true},
		{2, 1, Bounds{0, 0, MaxCoord / 2, 0}, 0, 1, false},
		{2, 1, Bounds{-MaxCoord, 0, -MaxCoord, 0}, 0, MaxCoord, true},
		{1, 2, Bounds{-MaxCoord, -MaxCoord, MaxCoord, MaxCoord}, 0, 0, false},
		{2, 1, b, MaxID/2 + 1, 0, false},
		{2, 1, b, MaxID / 2, 0, true},
	} {
		g, err := NewTiling(c.columns, c.rows, c.b, c.maxID, c.reach)
		if ok := err == nil; ok != c.ok || !ok && !errors.Is(err, ErrRange) {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if err != nil {
			continue
		}
		var src, dst Tick
		src.Append(c.maxID, c.b.MaxX, c.b.MaxY, 0, 0)
		if g.Copies() < 100 {
			g.Expand(&dst, &src)
			last := dst.Len() - 1
			if dst.X[last] > MaxCoord || dst.X[last] < c.b.MaxX || dst.ID[last] > MaxID {
				t.Errorf("%+v: last copy is at %d, id %d", c, dst.X[last], dst.ID[last])
			}
		}
	}
}
