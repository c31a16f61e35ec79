package interest

import (
	"fmt"
	"testing"

	"vicinity/grid"
)

// TestWall: a wall of 200 x 2 m is seen from beside it, wherever along it one stands,
// and not from 100 m in front of it; it is one member, though it lies in many cells.
func TestWall(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		const metre = 256
		w := newWorld(t, false, Reach{Enter: 20 * metre, Margin: 5 * metre})
		prepare(w.set)
		me := w.spawn(1, 0, grid.Point{X: 0, Y: -101 * metre})
		wall := w.spawn(2, 0, grid.Point{})
		w.must(w.grid.SetBody(wall, grid.Body{HalfX: 100 * metre, HalfY: metre}))
		v := w.add(Observer{Entity: me, ExcludeSelf: true})
		for _, s := range []struct {
			x, y int32
			want string
		}{
			{0, -101 * metre, ""}, // 100 m in front of it
			{0, -21*metre - 1, ""},
			{0, -21 * metre, "+2 range, "}, // the border belongs to it
			{95 * metre, -21 * metre, ""},  // along it
			{-100 * metre, 26 * metre, ""}, // on the other side, at the leave radius
			{-100*metre - 1, 26 * metre, "-2 range, "},
			{-112 * metre, 17 * metre, "+2 range, "}, // 12, 16, 20: past its corner
			{-112*metre - 1, 17 * metre, ""},         // within the margin
			{-10 * metre, 0, ""},                     // inside it
			{1000 * metre, 0, "-2 range, "},
		} {
			w.move(me, grid.Point{X: s.x, Y: s.y})
			w.step()
			w.expect(v, fmt.Sprintf("at %d, %d", s.x, s.y), s.want)
		}
	})
}

// TestBodyChanges: a fire grows until it is seen, and shrinks again, without anybody's
// moving. At 120 a disc of 20 is at the border of 100.
func TestBodyChanges(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, false, Reach{Enter: 100, Margin: 10})
		prepare(w.set)
		v := w.add(Observer{Entity: w.spawn(1, 0, grid.Point{X: 5}), ExcludeSelf: true})
		fire := w.spawn(2, 0, grid.Point{X: 5, Y: 120})
		for _, s := range []struct {
			radius int32
			want   string
		}{
			{0, ""}, {19, ""}, {20, "+2 range, "}, {10, ""}, {9, "-2 range, "}, {19, ""},
			{5000, "+2 range, "}, // another size class
			{10, ""}, {0, "-2 range, "},
		} {
			w.must(w.grid.SetBody(fire, grid.Body{Radius: s.radius}))
			w.step()
			w.expect(v, fmt.Sprint("radius ", s.radius), s.want)
		}
	})
}

// TestBodyDistance: distances and levels are those of the boundary. A disc whose border
// is beyond a level's limit by less than float32 can tell is beyond it.
func TestBodyDistance(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 1 << 22, Margin: 10})
	v := w.add(Observer{At: grid.Point{X: 3, Y: 4}, Measured: true, Levels: &Levels{Near: 100, Mid: 200, Margin: 10}})
	const far = 1 << 20
	for i, s := range []struct {
		body  grid.Body
		x, y  int32 // from the observer
		dist2 float32
		level Level
	}{
		{grid.Body{}, 100, 0, 10000, High},
		{grid.Body{HalfX: 50, HalfY: 10}, 150, 10, 10000, High},
		{grid.Body{HalfX: 50, HalfY: 10}, -151, 0, 10201, Medium},
		{grid.Body{HalfX: 50, HalfY: 10}, 110, 90, 60*60 + 80*80, High},
		{grid.Body{Radius: far}, far + 100, 0, 10000, High},
		{grid.Body{Radius: far}, far + 100, 1, 10000, Medium}, // 100.0000005
		{grid.Body{Radius: far}, 0, -far - 200, 40000, Medium},
		{grid.Body{Radius: far}, 1, far + 200, 40000, Low},
		{grid.Body{Radius: far}, 5, 5, 0, High}, // inside
	} {
		h := w.spawn(uint64(10+i), 0, grid.Point{X: 3 + s.x, Y: 4 + s.y})
		w.must(w.grid.SetBody(h, s.body))
		w.step()
		row, ok := v.RowOf(h)
		if !ok {
			t.Fatalf("%+v is no member", s)
		}
		if c := v.Columns(); c.Dist2[row] != s.dist2 || c.Level[row] != s.level {
			t.Errorf("%+v: squared distance %v, level %v", s, c.Dist2[row], c.Level[row])
		}
	}
}
