package vicinity

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// A refusal is a query that must be refused with an error that says why.
type refusal struct {
	ask  func(r *Reader, dst []Found) ([]Found, error)
	want error
	says string
}

func badDisc(d Disc, w Where, want error, says string) refusal {
	return refusal{func(r *Reader, dst []Found) ([]Found, error) { return r.AppendWithin(dst, d, w) }, want, "disc: " + says}
}

func badNearest(k int, d Disc, want error, says string) refusal {
	return refusal{func(r *Reader, dst []Found) ([]Found, error) { return r.AppendNearest(dst, k, d, Where{}) }, want, "disc: " + says}
}

func badArea(a Rectangle, w Where, want error, says string) refusal {
	return refusal{func(r *Reader, dst []Found) ([]Found, error) { return r.AppendIn(dst, a, w) }, want, "rectangle: " + says}
}

func badRing(a Ring, want error, says string) refusal {
	return refusal{func(r *Reader, dst []Found) ([]Found, error) { return r.AppendRing(dst, a, Where{}) }, want, "ring: " + says}
}

func badCone(a Cone, want error, says string) refusal {
	return refusal{func(r *Reader, dst []Found) ([]Found, error) { return r.AppendCone(dst, a, Where{}) }, want, "cone: " + says}
}

func badTilted(a Tilted, want error, says string) refusal {
	return refusal{func(r *Reader, dst []Found) ([]Found, error) { return r.AppendTilted(dst, a, Where{}) }, want, "tilted rectangle: " + says}
}

func badCapsule(a Capsule, w Where, want error, says string) refusal {
	return refusal{func(r *Reader, dst []Found) ([]Found, error) { return r.AppendCapsule(dst, a, w) }, want, "capsule: " + says}
}

// queryRefusals are queries with bad input for a World without heights and masks, and
// with one reach class.
func queryRefusals() []refusal {
	nan, inf := math.NaN(), math.Inf(1)
	all := []refusal{
		badDisc(Disc{X: nan}, Where{}, ErrNotFinite, "x: "), badDisc(Disc{Y: -inf}, Where{}, ErrNotFinite, "y: "),
		badDisc(Disc{X: 5e6}, Where{}, ErrRange, "x: vicinity: out of range: 5e+06 m"),
		badDisc(Disc{Radius: nan}, Where{}, ErrNotFinite, "radius: "), badDisc(Disc{Radius: -inf}, Where{}, ErrNotFinite, "radius: "),
		badDisc(Disc{Radius: -0.001}, Where{}, ErrRange, "radius: vicinity: out of range: -0.001 m is negative"),
		badDisc(Disc{Radius: 1e7}, Where{}, ErrRange, "radius: vicinity: out of range: 1e+07 m"),
		badDisc(Disc{Z: 1}, Where{}, ErrUnsupported, "height 1 +- 0: "), badDisc(Disc{Height: nan}, Where{}, ErrUnsupported, "height 0 +- NaN: "),
		badDisc(Disc{}, Where{Reaches: 2}, ErrClass, "vicinity: no such class: reach classes 0b10 of 1"),
		badDisc(Disc{}, Where{Mask: 3}, ErrUnsupported, "vicinity: not configured for this: mask 0x3"),
		badNearest(-1, Disc{}, ErrRange, "vicinity: out of range: the nearest -1"), badNearest(1, Disc{Radius: -1}, ErrRange, "radius: "),
		badArea(Rectangle{X0: nan}, Where{}, ErrNotFinite, "x0: "), badArea(Rectangle{Y1: inf}, Where{}, ErrNotFinite, "y1: "),
		badArea(Rectangle{X1: 5e6}, Where{}, ErrRange, "x1: "), badArea(Rectangle{X0: 2, X1: 1}, Where{}, ErrShape, "vicinity: not a shape: (2, 0) to (1, 0)"),
		badArea(Rectangle{Y0: 1e-9}, Where{}, ErrShape, "vicinity: not a shape: (0, 1e-09) to (0, 0)"),
		badArea(Rectangle{}, Where{Reaches: 1 << 31}, ErrClass, "vicinity: no such class"),
		badRing(Ring{X: inf}, ErrNotFinite, "x: "), badRing(Ring{Inner: nan}, ErrNotFinite, "inner radius: "),
		badRing(Ring{Inner: -1, Outer: 2}, ErrRange, "inner radius: "), badRing(Ring{Outer: -1}, ErrRange, "outer radius: "),
		badRing(Ring{Inner: 2, Outer: 1}, ErrShape, "vicinity: not a shape: from 2 m to 1 m"), badRing(Ring{Z: 1}, ErrUnsupported, "height"),
		badCone(Cone{DirX: 1, Y: nan}, ErrNotFinite, "y: "), badCone(Cone{DirX: 1, Range: -1}, ErrRange, "range: "),
		badCone(Cone{DirX: nan}, ErrNotFinite, "direction: vicinity: not a finite number: (NaN, 0)"),
		badCone(Cone{DirX: 1, DirY: -inf, HalfAngle: math.Pi}, ErrNotFinite, "direction: "),
		badCone(Cone{DirX: 1, HalfAngle: nan}, ErrNotFinite, "half angle: "), badCone(Cone{DirX: 1, HalfAngle: -inf}, ErrNotFinite, "half angle: "),
		badCone(Cone{DirX: 1, HalfAngle: -1e-300}, ErrShape, "vicinity: not a shape: its half angle is -1e-300 radians"),
		badCone(Cone{DirX: 1, HalfAngle: 3.15}, ErrShape, "vicinity: not a shape: its half angle is 3.15 radians"),
		badCone(Cone{HalfAngle: 3}, ErrShape, "vicinity: not a shape: its direction is zero"), badCone(Cone{DirX: 1, Height: 1}, ErrUnsupported, "height"),
		badTilted(Tilted{DirY: 1, X: nan}, ErrNotFinite, "x: "), badTilted(Tilted{DirY: inf}, ErrNotFinite, "direction: "),
		badTilted(Tilted{HalfLength: 1}, ErrShape, "vicinity: not a shape: its direction is zero"),
		badTilted(Tilted{DirY: 1, HalfLength: -1}, ErrRange, "half length: "), badTilted(Tilted{DirY: 1, HalfWidth: 5e6}, ErrRange, "half width: "),
		badTilted(Tilted{DirY: 1, Z: 1}, ErrUnsupported, "height"),
		badCapsule(Capsule{X0: nan}, Where{}, ErrNotFinite, "x0: "), badCapsule(Capsule{Y1: -5e6}, Where{}, ErrRange, "y1: "),
		badCapsule(Capsule{Radius: -1}, Where{}, ErrRange, "radius: "), badCapsule(Capsule{Radius: inf}, Where{}, ErrNotFinite, "radius: "),
		badCapsule(Capsule{Height: 2}, Where{}, ErrUnsupported, "height"), badCapsule(Capsule{}, Where{Mask: 1}, ErrUnsupported, "vicinity: not configured"),
	}
	return append(all, refusal{func(r *Reader, dst []Found) ([]Found, error) {
		_, err := r.CountWithin(Disc{Radius: -1}, Where{})
		return dst, err
	}, ErrRange, "disc: radius: "})
}

// TestQueryErrors: bad input of a query is refused with the right error, which says what
// was wrong, is counted, and leaves dst and the pin as they were.
func TestQueryErrors(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, 1, 0, 0)
	tick(t, w)
	r, err := w.NewReader()
	ok(t, err)
	defer r.Close()
	ok(t, r.Pin())
	snapshot := r.Snapshot()
	dst := append(make([]Found, 0, 9), Found{ID: 5})
	for _, c := range queryRefusals() {
		before := w.Stats().Rejects.Total()
		got, err := c.ask(r, dst)
		if !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%v; want %v, beginning with %q", err, c.want, c.says)
		}
		if !slices.Equal(got, []Found{{ID: 5}}) || &got[0] != &dst[0] || r.Snapshot() != snapshot {
			t.Errorf("%s: dst is %v", c.says, got)
		}
		if counted := w.Stats().Rejects.Total() - before; counted != 1 {
			t.Errorf("%s: counted %d times", c.says, counted)
		}
	}
	found, err := r.AppendWithin(nil, Disc{}, Where{})
	if err != nil || len(found) != 1 {
		t.Errorf("afterwards: %v, %v", found, err)
	}
}

// TestHeightErrors: heights of queries are checked where there are heights.
func TestHeightErrors(t *testing.T) {
	w := newWorld(t, Config{Height: true})
	tick(t, w)
	r, err := w.NewReader()
	ok(t, err)
	defer r.Close()
	ok(t, r.Pin())
	for _, c := range []refusal{
		badDisc(Disc{Z: math.NaN()}, Where{}, ErrNotFinite, "z: "), badDisc(Disc{Height: -1}, Where{}, ErrRange, "height: "),
		badRing(Ring{Height: math.Inf(-1)}, ErrNotFinite, "height: "), badCone(Cone{DirX: 1, Z: 5e6}, ErrRange, "z: "),
		badTilted(Tilted{DirX: 1, Height: -1e-9}, ErrRange, "height: "), badCapsule(Capsule{Height: 5e6}, Where{}, ErrRange, "height: "),
	} {
		if _, err := c.ask(r, nil); !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%v; want %v, beginning with %q", err, c.want, c.says)
		}
	}
}

// TestUnpinned: without a pin every query is ErrUnpinned, bad input or not, which is not
// counted.
func TestUnpinned(t *testing.T) {
	w := newWorld(t, Config{})
	tick(t, w)
	r, err := w.NewReader()
	ok(t, err)
	for _, state := range []string{"fresh", "unpinned", "closed"} {
		for _, c := range queryRefusals() {
			if got, err := c.ask(r, nil); err != ErrUnpinned || got != nil {
				t.Errorf("%s: %s: %v, %v; want ErrUnpinned", state, c.says, got, err)
			}
		}
		if state == "fresh" {
			ok(t, r.Pin())
			r.Unpin()
			continue
		}
		r.Close()
	}
	if err := r.Pin(); err != ErrClosed {
		t.Errorf("a pin of a closed Reader: %v", err)
	}
	if got := w.Stats().Rejects; got != (Rejects{}) {
		t.Errorf("rejects are %+v", got)
	}
}
