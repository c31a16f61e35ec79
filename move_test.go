package vicinity

import (
	"errors"
	"math"
	"sync"
	"testing"

	"vicinity/grid"
)

// TestMoveAll: the good ones move as Move would move them, the bad ones come back
// by index; or nobody moves.
func TestMoveAll(t *testing.T) {
	t.Run("float32", moveAll[float32])
	t.Run("float64", moveAll[float64])
}

func moveAll[F float32 | float64](t *testing.T) {
	const n = 1300 // more than two blocks
	w := newWorld(t, Config{})
	var handles []Handle
	x, y := make([]F, n), make([]F, n)
	for i := range n {
		handles = append(handles, spawn(t, w, uint64(i), 0, 0))
		x[i], y[i] = F(i)*0.37, -F(i)*1.13
	}
	bad := map[int]error{3: ErrNotFinite, 511: ErrRange, 512: ErrNotFinite, 700: ErrEntity, 1299: ErrNotFinite}
	x[3], y[511], y[512], x[1299] = F(math.NaN()), 1e9, F(math.Inf(-1)), F(math.Inf(1))
	ok(t, w.Despawn(handles[700]))
	tick(t, w)

	check := func(what string, rejected []Rejected) {
		t.Helper()
		if len(rejected) != len(bad) {
			t.Errorf("%s: %d rejected; want %d", what, len(rejected), len(bad))
		}
		last := -1
		for _, r := range rejected {
			if !errors.Is(r.Err, bad[r.Index]) || bad[r.Index] == nil || r.Index <= last {
				t.Errorf("%s: %d is rejected after %d: %v; want %v", what, r.Index, last, r.Err, bad[r.Index])
			}
			last = r.Index
		}
	}
	before := w.Stats().Rejects.Total()
	check("all or none", MoveAllOrNone(w, nil, handles, x, y))
	for _, h := range handles {
		if x, y, _, _ := w.Position(h); x != 0 || y != 0 {
			t.Fatalf("%v is at (%v, %v), though some were rejected", h, x, y)
		}
	}
	check("all", MoveAll(w, nil, handles, x, y))
	if got := w.Stats().Rejects.Total() - before; got != 2*uint64(len(bad)) {
		t.Errorf("%d counted; want %d", got, 2*len(bad))
	}
	for i, h := range handles {
		wantX, wantY := 0.0, 0.0
		if bad[i] == nil {
			ux, _ := w.Unit().Units(float64(x[i]))
			uy, _ := w.Unit().Units(float64(y[i]))
			wantX, wantY = w.Unit().Metres(ux), w.Unit().Metres(uy)
		}
		if x, y, _, alive := w.Position(h); alive && (x != wantX || y != wantY) {
			t.Errorf("%d is at (%v, %v); want (%v, %v)", i, x, y, wantX, wantY)
		}
	}
	if got := MoveAllOrNone(w, nil, handles[:3], x[:3], y[:3]); len(got) != 0 {
		t.Errorf("good ones are rejected: %v", got)
	}
}

// TestMoveAllLengths: columns of another length than the handles panic before anybody
// moves, whatever their capacity.
func TestMoveAllLengths(t *testing.T) {
	w := newWorld(t, Config{})
	handles := []Handle{spawn(t, w, 1, 0, 0), spawn(t, w, 2, 0, 0)}
	column := make([]float64, 9)
	for i := range column {
		column[i] = 5
	}
	for name, move := range map[string]func(*World, []Rejected, []Handle, []float64, []float64) []Rejected{
		"MoveAll": MoveAll[float64], "MoveAllOrNone": MoveAllOrNone[float64],
	} {
		for _, n := range [][2]int{{1, 2}, {2, 1}, {3, 2}, {2, 3}, {0, 0}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s of %v positions for 2 handles does not panic", name, n)
					}
				}()
				move(w, nil, handles, column[:n[0]], column[:n[1]])
			}()
		}
	}
	for _, h := range handles {
		if x, y, _, _ := w.Position(h); x != 0 || y != 0 {
			t.Errorf("%v has moved to (%v, %v)", h, x, y)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("AppendUnits into a shorter column does not panic")
		}
	}()
	AppendUnits(nil, make([]int32, 1, 9), DefaultUnit, column[:2])
}

// TestConcurrentMoves: moves of distinct handles run at the same time (under the race
// detector they are watched), rejected ones too.
func TestConcurrentMoves(t *testing.T) {
	w := newWorld(t, Config{Height: true})
	var handles []Handle
	for i := range 400 {
		handles = append(handles, spawn(t, w, uint64(i), 0, 0))
	}
	tick(t, w)
	var all sync.WaitGroup
	for part := range 4 {
		all.Go(func() {
			for i := part; i < len(handles); i += 4 {
				x := float64(i + 1)
				ok(t, w.Move(handles[i], x, 1))
				ok(t, w.MoveZ(handles[i], x, 2, 3))
				ok(t, w.Touch(handles[i]))
				ok(t, w.Teleport(handles[i], x, 4))
				MoveAll(w, nil, handles[i:i+1], []float64{x}, []float64{5})
				if err := w.Move(handles[i], math.NaN(), 0); !errors.Is(err, ErrNotFinite) {
					t.Errorf("NaN: %v", err)
				}
			}
		})
	}
	all.Wait()
	if got := w.Stats().Rejects; got != (Rejects{NotFinite: 400}) {
		t.Errorf("rejects are %+v", got)
	}
	for i, h := range handles {
		if x, y, z, _ := w.Position(h); x != float64(i+1) || y != 5 || z != 3 {
			t.Errorf("%d is at (%v, %v, %v)", i, x, y, z)
		}
	}
}

// TestHeight: a reach is a cylinder where heights count.
func TestHeight(t *testing.T) {
	w := newWorld(t, Config{Height: true, Reach: []Reach{{Enter: 10, Margin: 2, Height: 3, HeightMargin: 1}, {Enter: 10}}})
	h := spawnOf(t, w, Entity{ID: 1, Z: 3, Cost: cost(1)})
	spawnOf(t, w, Entity{ID: 2, Z: 500, Cost: cost(1), Reach: 1}) // of any height
	ok(t, w.Connect(Connection{ID: 1, Budget: 100}))
	expect(t, tick(t, w)[1], nil, []uint64{1, 2}, nil)
	ok(t, w.MoveZ(h, 0, 0, 4))
	expect(t, tick(t, w)[1], nil, nil, []uint64{1})
	ok(t, w.MoveUnitsZ(h, grid.Point{Z: 4*256 + 1}))
	expect(t, tick(t, w)[1], []uint64{1}, nil, nil)
	ok(t, w.MoveZ(h, 0, 0, 3.5))
	expect(t, tick(t, w)[1], nil, nil, nil)
}

// TestStandingStill: a World in which nothing moves sorts nothing, whatever is said
// again and again.
func TestStandingStill(t *testing.T) {
	w := newWorld(t, Config{})
	h := spawn(t, w, 1, 5, 5)
	tick(t, w)
	before := w.grid.Stats().Sorted
	for range 10 {
		ok(t, w.Move(h, 5, 5))
		ok(t, w.Touch(h))
		MoveAll(w, nil, []Handle{h}, []float64{5}, []float64{5})
		tick(t, w)
	}
	if got := w.grid.Stats().Sorted; got != before {
		t.Errorf("%d layers were sorted", got-before)
	}
}
