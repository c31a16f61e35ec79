package vicinity

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dgryski/go-pcgr"
)

// A person is an entity of a town in units, by plain numbers.
type person struct {
	id                   uint64
	handle               Handle
	x, y, z              int64
	radius, halfX, halfY int64
	reach                uint8
	need, any            uint32
}

// A length is so many metres, and what they are in units of 1/256 m.
type length struct {
	metres float64
	units  int64
}

// grains is a length of n times 1/1024 m, a quarter of a unit. Ties go to even.
func grains(n int) length {
	units := int64(n >> 2)
	if rest := n & 3; rest == 3 || rest == 2 && units&1 == 1 {
		units++
	}
	return length{metres: float64(n) / 1024, units: units}
}

// draws are random lengths.
type draws struct{ pcgr.Rand }

func newDraws(seed int) *draws { return &draws{pcgr.New(int64(seed), 1)} }

func (d *draws) below(n int) int { return int(d.Bound(uint32(n))) }

// around is a length of up to so many metres to either side.
func (d *draws) around(metres int) length { return grains(d.below(2*1024*metres+1) - 1024*metres) }

// upTo is a length of up to so many metres. One in eight is zero.
func (d *draws) upTo(metres int) length {
	if d.below(8) == 0 {
		return length{}
	}
	return grains(d.below(1024*metres + 1))
}

// A town is a World in which everything that a Reader can see happens all the time, and
// its people as plain numbers beside it. It has two reach classes and is 60 m wide.
type town struct {
	t      testing.TB
	w      *World
	draws  *draws
	people []person
	next   uint64
	tick   func() error // nil for the World's Tick
}

func newTown(t testing.TB, cfg Config, seed, people int) *town {
	cfg.Reach = []Reach{{Enter: 10, Margin: 2}, {Enter: 30, Margin: 1}}
	c := &town{t: t, w: newWorld(t, cfg), draws: newDraws(seed)}
	for range people {
		c.spawn()
	}
	return c
}

// body draws a body: one in three is a point.
func (c *town) body(p *person) (b Body) {
	p.radius, p.halfX, p.halfY = 0, 0, 0
	size := 2
	if c.draws.below(10) == 0 {
		size = 15
	}
	switch c.draws.below(3) {
	case 0:
		l := c.draws.upTo(size)
		b.Radius, p.radius = l.metres, l.units
	case 1:
		x, y := c.draws.upTo(size), c.draws.upTo(size)
		b.HalfX, b.HalfY, p.halfX, p.halfY = x.metres, y.metres, x.units, y.units
	}
	return b
}

// place draws a position.
func (c *town) place(p *person) (x, y, z float64) {
	px, py := c.draws.around(30), c.draws.around(30)
	p.x, p.y = px.units, py.units
	if c.w.cfg.Height {
		pz := c.draws.around(5)
		p.z, z = pz.units, pz.metres
	}
	return px.metres, py.metres, z
}

// bits draws some of the lowest n bits: each with one in four.
func (d *draws) bits(n int) uint32 {
	bits := d.below(1 << n)
	return uint32(bits & d.below(1<<n))
}

// masks draws permission bits.
func (c *town) masks(p *person) (need, any uint32) {
	p.need, p.any = c.draws.bits(2), c.draws.bits(3)
	return p.need, p.any
}

func (c *town) spawn() {
	c.next++
	p := person{id: c.next * 7919 % 10007, reach: uint8(c.draws.below(2))}
	e := Entity{ID: p.id, Cost: cost(20), Reach: p.reach, Body: c.body(&p)}
	e.X, e.Y, e.Z = c.place(&p)
	e.Need, e.Any = c.masks(&p)
	p.handle = spawnOf(c.t, c.w, e)
	c.people = append(c.people, p)
}

// change changes somebody in one way.
func (c *town) change() {
	i := c.draws.below(len(c.people))
	p := &c.people[i]
	switch c.draws.below(8) {
	case 0:
		ok(c.t, c.w.SetBody(p.handle, c.body(p)))
	case 1:
		need, any := c.masks(p)
		ok(c.t, c.w.SetMasks(p.handle, need, any))
	case 2:
		p.reach = uint8(c.draws.below(2))
		ok(c.t, c.w.SetReachClass(p.handle, p.reach))
	case 3:
		ok(c.t, c.w.Despawn(p.handle))
		c.people = slices.Delete(c.people, i, i+1)
		c.spawn()
	default:
		x, y, z := c.place(p)
		if c.w.cfg.Height {
			ok(c.t, c.w.MoveZ(p.handle, x, y, z))
		} else {
			ok(c.t, c.w.Move(p.handle, x, y))
		}
	}
}

// step changes much and ticks.
func (c *town) step() {
	for range len(c.people) {
		c.change()
	}
	c.end()
}

// stroll moves everybody a little and ticks. Nothing else happens, so that views follow
// the moves alone.
func (c *town) stroll() {
	for i := range c.people {
		p := &c.people[i]
		p.x, p.y = p.x+int64(c.draws.below(601))-300, p.y+int64(c.draws.below(601))-300
		ok(c.t, c.w.MoveUnits(p.handle, int32(p.x), int32(p.y)))
	}
	c.end()
}

// end ticks.
func (c *town) end() {
	if c.tick != nil {
		ok(c.t, c.tick())
		return
	}
	ok(c.t, c.w.Tick(nil))
}

// reader returns a Reader that is closed before the World is.
func (c *town) reader() *Reader {
	r, err := c.w.NewReader()
	ok(c.t, err)
	c.t.Cleanup(r.Close)
	return r
}

// rounds is n, or a quarter of it in a hurry.
func rounds(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

// A question is a query of a Reader, and the same as a plain loop's condition.
type question struct {
	name   string
	ask    func(r *Reader, w Where) ([]Found, error)
	inside func(p *person) bool
}

// filter draws a filter and what it means.
func (d *draws) filter(cfg *Config) (w Where, admits func(p *person) bool) {
	w.Reaches = uint32(d.below(4))
	if cfg.QueryMasks {
		w.Mask = uint32(d.below(8))
	}
	return w, func(p *person) bool {
		permitted := !cfg.QueryMasks || p.need&^w.Mask == 0 && (p.any == 0 || p.any&w.Mask != 0)
		return permitted && (w.Reaches == 0 || w.Reaches>>p.reach&1 == 1)
	}
}

// slab draws heights and what they mean.
func (d *draws) slab(cfg *Config) (z, height float64, admits func(p *person) bool) {
	if !cfg.Height {
		return 0, 0, func(*person) bool { return true }
	}
	lz, lh := d.around(6), d.upTo(4)
	return lz.metres, lh.metres, func(p *person) bool {
		return lh.metres == 0 || max(p.z-lz.units, lz.units-p.z) <= lh.units
	}
}

// hold asks some questions and for the nearest, and holds the answers against loops over
// the people.
func (d *draws) hold(r *Reader, people []person) error {
	cfg := &r.world.cfg
	for _, q := range d.questions(cfg) {
		w, admits := d.filter(cfg)
		found, err := q.ask(r, w)
		if err != nil {
			return fmt.Errorf("tick %d: %s: %w", r.Tick(), q.name, err)
		}
		want := map[uint64]Handle{}
		for i := range people {
			if p := &people[i]; admits(p) && q.inside(p) {
				want[p.id] = p.handle
			}
		}
		n := len(want)
		for _, f := range found {
			if h, ok := want[f.ID]; !ok || h != f.Handle {
				return fmt.Errorf("tick %d: %s, %+v: found %d (%v)", r.Tick(), q.name, w, f.ID, f.Handle)
			}
			delete(want, f.ID)
		}
		if len(found) != n {
			return fmt.Errorf("tick %d: %s, %+v: %d found, without %v of %d", r.Tick(), q.name, w, len(found), want, n)
		}
	}
	if err := d.nearest(r, people); err != nil {
		return fmt.Errorf("tick %d: %w", r.Tick(), err)
	}
	return nil
}
