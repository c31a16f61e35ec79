package vicinity

import (
	"math"
	"testing"

	"vicinity/internal/invariants"
)

// TestReaderAllocs: no method of a Reader allocates once it has met as large an answer;
// not for points, not for bodies, not in the past.
func TestReaderAllocs(t *testing.T) {
	if raceEnabled || invariants.Enabled {
		t.Skip("this build allocates")
	}
	c := newTown(t, Config{History: 3, Height: true, QueryMasks: true}, 31, 500)
	for range 5 {
		c.step()
	}
	r := c.reader()
	dst := make([]Found, 0, 500)
	all := Where{Reaches: 3, Mask: math.MaxUint32}
	for name, ask := range map[string]func() ([]Found, error){
		"within":  func() ([]Found, error) { return r.AppendWithin(dst, Disc{X: 1, Radius: 40, Height: 4}, all) },
		"in":      func() ([]Found, error) { return r.AppendIn(dst, Rectangle{-20, -20, 20, 20}, all) },
		"nearest": func() ([]Found, error) { return r.AppendNearest(dst, 100, Disc{Radius: 40}, all) },
		"ring":    func() ([]Found, error) { return r.AppendRing(dst, Ring{Inner: 5, Outer: 30}, all) },
		"cone": func() ([]Found, error) {
			return r.AppendCone(dst, Cone{DirX: 0.6, DirY: 0.8, HalfAngle: 1, Range: 30, Z: 1, Height: 3}, all)
		},
		"tilted": func() ([]Found, error) {
			return r.AppendTilted(dst, Tilted{DirX: 0.6, DirY: 0.8, HalfLength: 30, HalfWidth: 3}, all)
		},
		"capsule": func() ([]Found, error) { return r.AppendCapsule(dst, Capsule{X0: -30, Y1: 30, Radius: 3}, all) },
		"count": func() ([]Found, error) {
			n, err := r.CountWithin(Disc{Radius: 40}, all)
			return dst[:n], err
		},
	} {
		n := testing.AllocsPerRun(20, func() {
			ok(t, r.PinAt(c.w.Now()-2))
			_ = r.Tick()
			r.Unpin()
			ok(t, r.Pin())
			if found, err := ask(); err != nil || len(found) < 20 {
				t.Fatalf("%s: %d found, %v", name, len(found), err)
			}
			r.Unpin()
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
