package interest

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/dgryski/go-pcgr"

	"vicinity/arena"
	"vicinity/grid"
)

var seedFlag = flag.Uint64("seed", 1, "seed of the random tests")

// random is a seeded generator with the few draws that the tests need.
type random struct{ pcgr.Rand }

func newRandom(t testing.TB, stream int64) *random {
	t.Helper()
	t.Logf("seed %d, stream %d", *seedFlag, stream)
	r := &random{}
	r.SeedWithState(int64(*seedFlag), stream)
	return r
}

// below returns a value in [0, n).
func (r *random) below(n int) int { return int(r.Bound(uint32(n))) }

// spread returns a value in [-n, n].
func (r *random) spread(n int32) int32 { return int32(r.Bound(uint32(2*n+1))) - n }

// point returns a point in the square, or cube, of half edge n.
func (r *random) point(n int32) grid.Point {
	return grid.Point{X: r.spread(n), Y: r.spread(n), Z: r.spread(n)}
}

// bothWays runs test with the one-pass way and without it, as subtests. prepare is
// to be called with every set.
func bothWays(t *testing.T, test func(t *testing.T, prepare func(*Set))) {
	for name, only := range map[string]bool{"one pass": false, "general": true} {
		t.Run(name, func(t *testing.T) { test(t, func(s *Set) { s.compareOnly = only }) })
	}
}

// world is an arena, a grid and a set of views, small enough to follow by eye.
type world struct {
	t     testing.TB
	arena *arena.Arena
	grid  *grid.Grid
	set   *Set
	tick  uint64
}

// newWorld makes a world of one layer a reach. Everything is closed when the test
// ends.
func newWorld(t testing.TB, height bool, reach ...Reach) *world {
	t.Helper()
	w := &world{t: t}
	var err error
	w.arena, err = arena.New(arena.Config{Deferred: true})
	w.must(err)
	layers := make([]grid.Layer, len(reach))
	for i := range layers {
		layers[i] = grid.Layer{CellX: 32}
	}
	w.grid, err = grid.New(grid.Config{Arena: w.arena, Layers: layers, Height: height, Previous: true})
	w.must(err)
	w.set, err = New(Config{Arena: w.arena, Grid: w.grid, Reach: reach})
	w.must(err)
	t.Cleanup(func() {
		w.must(w.grid.Close())
		w.must(w.arena.Close())
	})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("tick %d: %v", w.tick, err)
	}
}

func (w *world) spawn(id uint64, class int, p grid.Point) arena.Handle {
	w.t.Helper()
	h, err := w.arena.Alloc()
	w.must(err)
	w.must(w.grid.Insert(h, id, class, p))
	return h
}

func (w *world) move(h arena.Handle, p grid.Point) {
	w.t.Helper()
	if w.grid.Heights() {
		w.must(w.grid.MoveZ(h, p))
		return
	}
	w.must(w.grid.Move(h, p.X, p.Y))
}

func (w *world) despawn(h arena.Handle) {
	w.t.Helper()
	w.must(w.grid.Remove(h))
	w.arena.Free(h)
}

func (w *world) add(o Observer) *View {
	w.t.Helper()
	v, err := w.set.Add(o)
	w.must(err)
	return v
}

func (w *world) publish() {
	w.t.Helper()
	w.tick++
	w.must(w.grid.Publish(w.tick))
}

// step publishes and updates all views.
func (w *world) step() {
	w.t.Helper()
	w.publish()
	w.must(w.set.UpdateAll(nil))
	for _, v := range w.set.Views() {
		w.must(v.CheckInvariants())
	}
}

// pending describes a view's pending difference by IDs: "+1 range" for an enter,
// "-2 despawn" for a leave.
func pending(v *View) string {
	out := ""
	for _, e := range v.AppendEnters(nil) {
		out += fmt.Sprintf("+%d %v, ", e.ID, e.Reason)
	}
	for _, e := range v.AppendLeaves(nil) {
		out += fmt.Sprintf("-%d %v, ", e.ID, e.Reason)
	}
	return out
}

// expect compares a view's pending difference with words as of pending, and
// commits it.
func (w *world) expect(v *View, when, want string) {
	w.t.Helper()
	if got := pending(v); got != want {
		w.t.Errorf("tick %d, %s: got %q; want %q", w.tick, when, got, want)
	}
	v.Commit()
	if got := pending(v); got != "" {
		w.t.Errorf("tick %d, %s: %q after Commit", w.tick, when, got)
	}
	w.must(v.CheckInvariants())
}

// members returns a view's members' IDs, sorted.
func members(v *View) []uint64 {
	ids := []uint64{}
	for _, m := range v.AppendMembers(nil) {
		ids = append(ids, m.ID)
	}
	slices.Sort(ids)
	return ids
}
