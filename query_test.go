package vicinity

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"vicinity/internal/oracle"
)

// beyond is how far v is outside of half to either side.
func beyond(v, half int64) int64 { return max(max(v, -v)-half, 0) }

// within is the definition: the distance of a body from (x, y) is at most r.
func (p *person) within(x, y, r int64) bool {
	dx, dy := beyond(p.x-x, p.halfX), beyond(p.y-y, p.halfY)
	return dx*dx+dy*dy <= (r+p.radius)*(r+p.radius)
}

// touches says whether a body has a point in a closed rectangle.
func (p *person) touches(x0, y0, x1, y1 int64) bool {
	dx, dy := max(x0-p.x, p.x-x1, 0), max(y0-p.y, p.y-y1, 0)
	if p.radius > 0 {
		return dx*dx+dy*dy <= p.radius*p.radius
	}
	return dx <= p.halfX && dy <= p.halfY
}

// disc draws a disc of up to so many metres.
func (d *draws) disc(cfg *Config, metres int) (disc Disc, inside func(p *person) bool) {
	x, y, radius := d.around(35), d.around(35), d.upTo(metres)
	z, height, admits := d.slab(cfg)
	return Disc{X: x.metres, Y: y.metres, Radius: radius.metres, Z: z, Height: height}, func(p *person) bool {
		return admits(p) && p.within(x.units, y.units, radius.units)
	}
}

// questions draws a disc, a rectangle and another shape.
func (d *draws) questions(cfg *Config) []question {
	disc, inDisc := d.disc(cfg, 20)
	x0, y0, x1, y1 := d.around(35), d.around(35), d.upTo(30), d.upTo(30)
	area := Rectangle{X0: x0.metres, Y0: y0.metres, X1: x0.metres + x1.metres, Y1: y0.metres + y1.metres}
	x1, y1 = grains(int(1024*area.X1)), grains(int(1024*area.Y1))
	return []question{
		{fmt.Sprintf("within %+v", disc), func(r *Reader, w Where) ([]Found, error) {
			found, err := r.AppendWithin(nil, disc, w)
			if n, countErr := r.CountWithin(disc, w); err == nil && (n != len(found) || countErr != nil) {
				return nil, fmt.Errorf("counted %d (%v) and found %d", n, countErr, len(found))
			}
			return found, err
		}, inDisc},
		{fmt.Sprintf("in %+v", area), func(r *Reader, w Where) ([]Found, error) {
			return r.AppendIn(nil, area, w)
		}, func(p *person) bool { return p.touches(x0.units, y0.units, x1.units, y1.units) }},
		d.shape(cfg),
	}
}

// distance is how far a body is from (x, y) in units, to 400 bits: enough to tell any two
// apart.
func (p *person) distance(x, y int64) *big.Float {
	dx, dy := beyond(p.x-x, p.halfX), beyond(p.y-y, p.halfY)
	v := new(big.Float).SetPrec(400).SetInt64(dx*dx + dy*dy)
	v.Sqrt(v).Sub(v, new(big.Float).SetInt64(p.radius))
	if v.Sign() < 0 {
		return new(big.Float)
	}
	return v
}

// nearest asks for the nearest and holds the answer against sorting all.
func (d *draws) nearest(r *Reader, people []person) error {
	cfg := &r.world.cfg
	disc, inside := d.disc(cfg, 40)
	x, y := grains(int(1024*disc.X)).units, grains(int(1024*disc.Y)).units
	w, admits := d.filter(cfg)
	type near struct {
		p        *person
		distance *big.Float
	}
	var all []near
	for i := range people {
		if p := &people[i]; admits(p) && inside(p) {
			all = append(all, near{p, p.distance(x, y)})
		}
	}
	slices.SortFunc(all, func(a, b near) int {
		return cmp.Or(a.distance.Cmp(b.distance), cmp.Compare(a.p.id, b.p.id))
	})
	k := d.below(12)
	found, err := r.AppendNearest(nil, k, disc, w)
	if err != nil || len(found) != min(k, len(all)) {
		return fmt.Errorf("the %d nearest in %+v, %+v: %d and %v; want %d", k, disc, w, len(found), err, min(k, len(all)))
	}
	for i, f := range found {
		metres, _ := new(big.Float).Quo(all[i].distance, big.NewFloat(256)).Float64()
		if f.ID != all[i].p.id || math.Abs(f.Distance-metres) > 1.0/256 {
			return fmt.Errorf("the %d nearest in %+v, %+v: number %d is %d at %v m; want %d at %v m", k, disc, w, i, f.ID, f.Distance, all[i].p.id, metres)
		}
	}
	return nil
}

// TestQueriesEqualLoops: whatever the World is configured for and whatever happens in it,
// queries find who they should.
func TestQueriesEqualLoops(t *testing.T) {
	for i, cfg := range []Config{{}, {Height: true}, {QueryMasks: true}, {Height: true, QueryMasks: true}} {
		t.Run(fmt.Sprintf("height=%v/masks=%v", cfg.Height, cfg.QueryMasks), func(t *testing.T) {
			seed := i + 1
			t.Logf("seed %d", seed)
			c := newTown(t, cfg, seed, 150)
			r := c.reader()
			for range rounds(30) {
				c.step()
				ok(t, r.Pin())
				for range 8 {
					ok(t, c.draws.hold(r, c.people))
				}
				r.Unpin()
			}
		})
	}
}

// TestPointsEqualOracle: of points, in a World of other units, AppendNearest and
// AppendWithin say what the oracle says, distances too.
func TestPointsEqualOracle(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	d := newDraws(seed)
	w := newWorld(t, Config{Unit: 4, Height: true})
	var entities []oracle.Entity
	for id := range uint64(300) {
		e := oracle.Entity{ID: id, X: int64(d.below(2000)) - 1000, Y: int64(d.below(2000)) - 1000, Z: int64(d.below(100))}
		entities = append(entities, e)
		spawnOf(t, w, Entity{ID: id, X: 4 * float64(e.X), Y: 4 * float64(e.Y), Z: 4 * float64(e.Z), Cost: cost(1)})
	}
	tick(t, w)
	r, err := w.NewReader()
	ok(t, err)
	defer r.Close()
	ok(t, r.Pin())
	for range 200 {
		ask := oracle.Disc{X: int64(d.below(2000)) - 1000, Y: int64(d.below(2000)) - 1000, Z: int64(d.below(100)), Radius: int64(d.below(500)), Height: 1 + int64(d.below(80))}
		disc := Disc{X: 4 * float64(ask.X), Y: 4 * float64(ask.Y), Radius: 4 * float64(ask.Radius), Z: 4 * float64(ask.Z), Height: 4 * float64(ask.Height)}
		near, err := r.AppendNearest(nil, len(entities), disc, Where{})
		ok(t, err)
		want := oracle.Within(entities, ask)
		if len(near) != len(want) {
			t.Fatalf("%+v: %d found; want %d", disc, len(near), len(want))
		}
		for i, n := range near {
			if n.ID != want[i].ID || n.Distance != 4*math.Sqrt(float64(want[i].Dist2)) {
				t.Fatalf("%+v: number %d is %+v; want %+v", disc, i, n, want[i])
			}
		}
		within, err := r.AppendWithin(nil, disc, Where{})
		ok(t, err)
		slices.SortFunc(within, func(a, b Found) int { return cmp.Compare(a.ID, b.ID) })
		slices.SortFunc(near, func(a, b Found) int { return cmp.Compare(a.ID, b.ID) })
		for i, f := range within {
			if f.ID != near[i].ID || f.Handle != near[i].Handle || math.Abs(f.Distance-near[i].Distance) > near[i].Distance/(1<<22) {
				t.Fatalf("%+v: within says %+v, nearest %+v", disc, f, near[i])
			}
		}
	}
}

// TestBorders: who is at the border is found, who is a unit further is not, by every
// kind of body.
func TestBorders(t *testing.T) {
	const unit = 1.0 / 256
	for name, b := range map[string]Body{"point": {}, "disc": {Radius: 3}, "box": {HalfX: 3, HalfY: 1}, "wall": {HalfX: 3}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Config{})
			h := spawnOf(t, w, Entity{ID: 1, Cost: cost(1), Body: b})
			r, err := w.NewReader()
			ok(t, err)
			defer r.Close()
			at := 10 + max(b.Radius, b.HalfX)
			for _, c := range []struct {
				x    float64
				want int
			}{{at, 1}, {-at, 1}, {at + unit, 0}, {-at - unit, 0}, {at + unit/2, 1}} {
				ok(t, w.Move(h, 1000+c.x, 7))
				tick(t, w)
				ok(t, r.Pin())
				n, err := r.CountWithin(Disc{X: 1000, Y: 7, Radius: 10}, Where{})
				ok(t, err)
				in, err := r.AppendIn(nil, Rectangle{X0: 990, Y0: 7, X1: 1010, Y1: 7}, Where{})
				ok(t, err)
				if n != c.want || len(in) != c.want {
					t.Errorf("at x = %v: %d within, %d in; want %d", c.x, n, len(in), c.want)
				}
				r.Unpin()
			}
		})
	}
}
