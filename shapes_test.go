package vicinity

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"vicinity/grid"
	"vicinity/internal/oracle"
)

// entity is a person as the oracle has it.
func (p *person) entity() *oracle.Entity {
	return &oracle.Entity{
		ID: p.id, X: p.x, Y: p.y, Z: p.z,
		Body: oracle.Body{Radius: p.radius, HalfX: p.halfX, HalfY: p.halfY},
	}
}

// direction draws a direction in small whole numbers, and one of another length that is
// exactly the same.
func (d *draws) direction() (x, y int32, metresX, metresY float64) {
	for x == 0 && y == 0 {
		x, y = int32(d.below(21))-10, int32(d.below(21))-10
	}
	scale := math.Ldexp(1, d.below(60)-40)
	return x, y, scale * float64(x), scale * float64(y)
}

// turn draws half of an angle in 2^-32 turns, and in radians.
func (d *draws) turn() (turns uint32, radians float64) {
	turns = []uint32{0, 1, grid.QuarterTurn / 3, grid.QuarterTurn, grid.HalfTurn, grid.HalfTurn - 1, d.Bound(grid.HalfTurn)}[d.below(7)]
	return turns, float64(turns) * (math.Pi / grid.HalfTurn)
}

// shape draws a shape of any kind.
func (d *draws) shape(cfg *Config) question {
	draw := []func(*Config) question{d.ring, d.cone, d.tilted, d.capsule}
	return draw[d.below(len(draw))](cfg)
}

func (d *draws) ring(cfg *Config) question {
	x, y, inner, more := d.around(35), d.around(35), d.upTo(20), d.upTo(10)
	outer := length{inner.metres + more.metres, grains(int(1024 * (inner.metres + more.metres))).units}
	z, height, admits := d.slab(cfg)
	ring := Ring{x.metres, y.metres, inner.metres, outer.metres, z, height}
	return question{fmt.Sprintf("ring %+v", ring), func(r *Reader, w Where) ([]Found, error) {
		return r.AppendRing(nil, ring, w)
	}, func(p *person) bool {
		return admits(p) && oracle.InRing(p.entity(), oracle.Ring{X: x.units, Y: y.units, Inner: inner.units, Outer: outer.units})
	}}
}

// cone: its edges are those of package grid, whose tests say where they are.
func (d *draws) cone(cfg *Config) question {
	x, y, far := d.around(35), d.around(35), d.upTo(30)
	dirX, dirY, metresX, metresY := d.direction()
	turns, radians := d.turn()
	z, height, admits := d.slab(cfg)
	cone := Cone{x.metres, y.metres, metresX, metresY, radians, far.metres, z, height}
	right, left := (&grid.Cone{DirX: dirX, DirY: dirY, HalfAngle: turns}).Edges()
	want := oracle.Cone{
		X: x.units, Y: y.units, Range: far.units, Reflex: turns > grid.QuarterTurn, Whole: turns == grid.HalfTurn,
		Right: [2]int64{int64(right[0]), int64(right[1])}, Left: [2]int64{int64(left[0]), int64(left[1])},
	}
	return question{fmt.Sprintf("cone %+v", cone), func(r *Reader, w Where) ([]Found, error) {
		return r.AppendCone(nil, cone, w)
	}, func(p *person) bool { return admits(p) && oracle.InCone(p.entity(), want) }}
}

func (d *draws) tilted(cfg *Config) question {
	x, y, a, b := d.around(35), d.around(35), d.upTo(30), d.upTo(5)
	dirX, dirY, metresX, metresY := d.direction()
	z, height, admits := d.slab(cfg)
	tilted := Tilted{x.metres, y.metres, metresX, metresY, a.metres, b.metres, z, height}
	want := oracle.Tilted{
		X: x.units, Y: y.units, DirX: int64(dirX), DirY: int64(dirY), HalfLength: a.units, HalfWidth: b.units,
	}
	return question{fmt.Sprintf("tilted %+v", tilted), func(r *Reader, w Where) ([]Found, error) {
		return r.AppendTilted(nil, tilted, w)
	}, func(p *person) bool { return admits(p) && oracle.InTilted(p.entity(), want) }}
}

func (d *draws) capsule(cfg *Config) question {
	x0, y0, x1, y1, radius := d.around(35), d.around(35), d.around(35), d.around(35), d.upTo(8)
	z, height, admits := d.slab(cfg)
	capsule := Capsule{x0.metres, y0.metres, x1.metres, y1.metres, radius.metres, z, height}
	want := oracle.Capsule{X0: x0.units, Y0: y0.units, X1: x1.units, Y1: y1.units, Radius: radius.units}
	return question{fmt.Sprintf("capsule %+v", capsule), func(r *Reader, w Where) ([]Found, error) {
		return r.AppendCapsule(nil, capsule, w)
	}, func(p *person) bool { return admits(p) && oracle.InCapsule(p.entity(), want) }}
}

// TestDirections: a direction is lengthened by a power of two and rounded once.
func TestDirections(t *testing.T) {
	for _, c := range []struct {
		x, y         float64
		wantX, wantY int32
	}{
		{0, 0, 0, 0},
		{1, 0, 1 << 29, 0},
		{0, -3, 0, -3 << 28},
		{0.6, 0.8, 644245094, 858993459},
		{5e-324, 5e-324, 1 << 29, 1 << 29},
		{math.MaxFloat64, -math.MaxFloat64, grid.MaxCoord, -grid.MaxCoord},
		{-1<<30 + 1, 7, -1<<30 + 1, 7},
		{1 << 30, 7, 1 << 29, 4}, // ties to even
		{1, 1e-10, 1 << 29, 0},
	} {
		l := lengths{unit: DefaultUnit}
		if x, y := l.direction(c.x, c.y); x != c.wantX || y != c.wantY || l.err != nil {
			t.Errorf("(%v, %v) is (%d, %d), %v; want (%d, %d)", c.x, c.y, x, y, l.err, c.wantX, c.wantY)
		}
	}
}

// TestDirectionsEqualOracle: nowhere is a direction off by more than a unit in 2^29.
func TestDirectionsEqualOracle(t *testing.T) {
	const seed = 8
	t.Logf("seed %d", seed)
	d := newDraws(seed)
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	for range 10_000 {
		x := math.Ldexp(float64(int32(d.Bound(1<<32-1))), d.below(200)-100)
		y := math.Ldexp(float64(int32(d.Bound(1<<32-1))), d.below(60)-60) * x
		l := lengths{unit: DefaultUnit}
		gotX, gotY := l.direction(x, y)
		larger := max(gotX, -gotX, gotY, -gotY)
		if x == 0 && y == 0 {
			continue
		}
		// The cross product of both is at most the larger component of the one, times what
		// the other was rounded by: a unit each.
		cross := exact(float64(gotX))
		cross.Mul(cross, exact(y)).Sub(cross, new(big.Float).Mul(exact(float64(gotY)), exact(x)))
		limit := exact(2 * max(math.Abs(x), math.Abs(y)))
		if larger < 1<<29 || cross.Abs(cross).Cmp(limit) > 0 || float64(gotX)*x < 0 || float64(gotY)*y < 0 {
			t.Fatalf("(%v, %v) is (%d, %d)", x, y, gotX, gotY)
		}
	}
}

// TestHalfAngles: quarters and halves of a turn are exact, also when they come from
// degrees; others are rounded to the nearest.
func TestHalfAngles(t *testing.T) {
	degree := math.Pi / 180
	for _, c := range []struct {
		radians float64
		want    uint32
	}{
		{0, 0}, {math.Pi / 2, grid.QuarterTurn}, {90 * degree, grid.QuarterTurn}, {180 * degree, grid.HalfTurn},
		{math.Pi, grid.HalfTurn}, {45 * degree, grid.QuarterTurn / 2}, {float64(float32(math.Pi / 2)), grid.QuarterTurn + 30},
		{7e-10, 0}, {8e-10, 1}, {30 * degree, 357913941}, {math.Copysign(0, -1), 0},
	} {
		l := lengths{unit: DefaultUnit}
		if got := l.halfAngle(c.radians); got != c.want || l.err != nil {
			t.Errorf("%v radians are %d, %v; want %d", c.radians, got, l.err, c.want)
		}
	}
}

// TestShapeBorders: who touches a shape's border is found, who is a unit further is not.
func TestShapeBorders(t *testing.T) {
	const unit = 1.0 / 256
	for _, c := range []struct {
		name string
		ask  func(r *Reader) ([]Found, error)
		x, y float64 // the last place at which a disc of 3 m is found
		out  [2]float64
	}{
		{"ring", func(r *Reader) ([]Found, error) {
			return r.AppendRing(nil, Ring{Inner: 5, Outer: 10}, Where{})
		}, 13, 0, [2]float64{1, 0}},
		{"ring within", func(r *Reader) ([]Found, error) {
			return r.AppendRing(nil, Ring{Inner: 5, Outer: 10}, Where{})
		}, 0, 2, [2]float64{0, -1}},
		{"cone", func(r *Reader) ([]Found, error) {
			return r.AppendCone(nil, Cone{DirX: 1, HalfAngle: math.Pi / 4, Range: 10}, Where{})
		}, 13, 0, [2]float64{1, 0}},
		{"half disc", func(r *Reader) ([]Found, error) {
			return r.AppendCone(nil, Cone{DirX: 1, HalfAngle: math.Pi / 2, Range: 10}, Where{})
		}, -3, 4, [2]float64{-1, 0}},
		{"disc", func(r *Reader) ([]Found, error) {
			return r.AppendCone(nil, Cone{HalfAngle: math.Pi, Range: 10}, Where{})
		}, 0, -13, [2]float64{0, -1}},
		{"ray", func(r *Reader) ([]Found, error) {
			return r.AppendCone(nil, Cone{DirX: -1e-9, Range: 10}, Where{})
		}, -4, 3, [2]float64{0, 1}},
		{"tilted", func(r *Reader) ([]Found, error) {
			return r.AppendTilted(nil, Tilted{DirX: 0.3, DirY: 0.4, HalfLength: 7, HalfWidth: 1}, Where{})
		}, 6, 8, [2]float64{1, 1}},
		{"tilted across", func(r *Reader) ([]Found, error) {
			return r.AppendTilted(nil, Tilted{DirX: 3, DirY: 4, HalfLength: 9, HalfWidth: 2}, Where{})
		}, -4, 3, [2]float64{-1, 1}},
		{"capsule", func(r *Reader) ([]Found, error) {
			return r.AppendCapsule(nil, Capsule{X0: -5, X1: 10, Radius: 2}, Where{})
		}, 2, 5, [2]float64{0, 1}},
		{"capsule's end", func(r *Reader) ([]Found, error) {
			return r.AppendCapsule(nil, Capsule{X0: -5, X1: 10, Radius: 2}, Where{})
		}, 13, 4, [2]float64{1, 0}},
	} {
		w := newWorld(t, Config{})
		h := spawnOf(t, w, Entity{ID: 1, Cost: cost(1), Body: Body{Radius: 3}})
		r, err := w.NewReader()
		ok(t, err)
		for further := range 2 {
			step := unit * float64(further)
			ok(t, w.Move(h, c.x+step*c.out[0], c.y+step*c.out[1]))
			tick(t, w)
			ok(t, r.Pin())
			found, err := c.ask(r)
			if err != nil || len(found) != 1-further || further == 0 && found[0] != (Found{ID: 1, Handle: h}) {
				t.Errorf("%s, %d units further: found %v, %v", c.name, further, found, err)
			}
			r.Unpin()
		}
		r.Close()
	}
}

// TestShapesKeepOrder: answers are the same as those of the snapshot itself, in its
// order, behind what was there.
func TestShapesKeepOrder(t *testing.T) {
	c := newTown(t, Config{}, 9, 200)
	c.step()
	r := c.reader()
	ok(t, r.Pin())
	defer r.Unpin()
	want := []Found{{ID: 77}}
	slots, err := r.Snapshot().AppendCapsule(nil, grid.Capsule{X0: -256 * 20, X1: 256 * 20, Radius: 256 * 5}, grid.Filter{})
	ok(t, err)
	for _, slot := range slots {
		want = append(want, Found{ID: r.Snapshot().ID(slot), Handle: r.Snapshot().Handle(slot)})
	}
	got, err := r.AppendCapsule([]Found{{ID: 77}}, Capsule{X0: -20, X1: 20, Radius: 5}, Where{})
	if err != nil || len(got) < 5 || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}
