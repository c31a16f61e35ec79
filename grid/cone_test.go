package grid

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"vicinity/internal/oracle"
)

// coneAngles are those where something changes.
var coneAngles = []uint32{
	0, 1, 2, QuarterTurn / 2, QuarterTurn - 2, QuarterTurn - 1, QuarterTurn, QuarterTurn + 1,
	QuarterTurn + QuarterTurn/2, HalfTurn - 2, HalfTurn - 1, HalfTurn,
}

// someCone is a cone of any kind around p.
func (r *random) someCone(p Point, size int32) Cone {
	c := Cone{X: p.X, Y: p.Y, HalfAngle: r.angle(), Range: r.someLength(size)}
	c.DirX, c.DirY = r.direction()
	return c
}

// TestConeMissesNobody: whoever is in a cone is found, once, wherever its rows are cut.
func TestConeMissesNobody(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		eachRowWorld(t, func(t *testing.T, r *random, s *Snapshot, all []entity, size int32) {
			for k := range rounds(400) {
				p := r.point(size)
				if k%2 == 0 {
					p = all[r.below(len(all))].at
				}
				q := r.someCone(p, size)
				w := q.wedge()
				found, err := s.AppendCone(nil, q, Filter{})
				checkFound(t, q, found, err, all, func(e *entity) bool {
					return w.meets(int64(e.at.X)-int64(p.X), int64(e.at.Y)-int64(p.Y), e.body)
				})
			}
		})
	})
}

// TestConesAgainstPlainLoops: for points in small worlds the definition in a few words.
// An edge is longer than anything here, so the signs of the cross products are plain.
func TestConesAgainstPlainLoops(t *testing.T) {
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 4}}})
	for x := int32(-15); x <= 15; x++ {
		for y := int32(-15); y <= 15; y++ {
			w.spawn(0, Point{X: x, Y: y})
		}
	}
	all := w.publish()
	for range rounds(2000) {
		q := r.someCone(r.point(16), 30)
		right, left := q.Edges()
		found, err := w.grid.Snapshot().AppendCone(nil, q, Filter{})
		checkFound(t, q, found, err, all, func(e *entity) bool {
			x, y := int64(e.at.X-q.X), int64(e.at.Y-q.Y)
			cross := func(v [2]int32) int64 { return int64(v[0])*y - int64(v[1])*x }
			ahead := int64(q.DirX)*x + int64(q.DirY)*y
			leftOfRight, rightOfLeft := cross(right) >= 0, cross(left) <= 0
			between := leftOfRight && rightOfLeft
			switch {
			case q.HalfAngle == 0:
				between = cross(right) == 0 && ahead >= 0
			case q.HalfAngle == HalfTurn:
				between = true
			case q.HalfAngle > QuarterTurn:
				between = leftOfRight || rightOfLeft
			}
			return between && x*x+y*y <= int64(q.Range)*int64(q.Range)
		})
	}
}

// TestConeMeetsAgainstOracle decides beside edges, arcs and their ends, with bodies that
// reach about as far as they need to.
func TestConeMeetsAgainstOracle(t *testing.T) {
	r := newRandom(t)
	in := 0
	for k := range rounds(30_000) {
		n := []int32{20, 5000, MaxCoord}[k%3]
		q := r.someCone(r.point(n), n)
		if k%7 == 0 {
			q.X, q.Y = -n, n
		}
		right, left := q.Edges()
		e := entity{at: r.point(n), body: r.someBody(n)}
		if k%2 == 0 {
			e = r.beside(&q, [][2]int32{right, left}[r.below(2)])
		}
		w := q.wedge()
		got := w.meets(int64(e.at.X)-int64(q.X), int64(e.at.Y)-int64(q.Y), e.body)
		if want := askCone(q).inside(e.forOracle()); got != want {
			t.Fatalf("%+v, edges %v and %v: %+v is in it: %v; want %v", q, right, left, e, got, want)
		}
		if got {
			in++
		}
	}
	if in*6 < rounds(30_000) {
		t.Errorf("only %d were in a cone", in)
	}
}

// beside returns somebody whose border is about where an edge of c is, or its end.
func (r *random) beside(c *Cone, edge [2]int32) (e entity) {
	length := math.Hypot(float64(edge[0]), float64(edge[1])) + 1
	ux, uy := float64(edge[0])/length, float64(edge[1])/length
	t := float64(c.Range) * []float64{0, 0.3, 0.9, 1, 1, 1.01}[r.below(6)]
	e.body = r.someBody(max(c.Range/2, 4))
	off := float64(e.body.Radius + e.body.HalfY)
	if r.below(2) == 0 {
		off = -off
	}
	x, y := ux*t-uy*off, uy*t+ux*off
	if r.below(3) == 0 {
		x, y = ux*(t+off), uy*(t+off)
	}
	near := func(v int32, d float64) int32 {
		return int32(min(max(int64(v)+int64(math.Round(d))+int64(r.spread(2)), -MaxCoord), MaxCoord))
	}
	e.at = Point{X: near(c.X, x), Y: near(c.Y, y)}
	return e
}

// TestEdgesStayApart: rounding is less than the smallest angle, so an edge is on its side
// of the direction, and both are less or more than half a turn apart as they should be.
func TestEdgesStayApart(t *testing.T) {
	r := newRandom(t)
	cross := func(a, b [2]int32) int64 { return int64(a[0])*int64(b[1]) - int64(a[1])*int64(b[0]) }
	for k := range 200_000 {
		c := Cone{HalfAngle: coneAngles[1+k%(len(coneAngles)-2)]}
		c.DirX, c.DirY = r.direction()
		if k%3 == 0 {
			// The shortest that is turned: nothing is farther off than there.
			c.DirX, c.DirY = 1<<29, r.spread(1<<20)
		}
		dir := [2]int32{c.DirX, c.DirY}
		right, left := c.Edges()
		if cross(right, dir) <= 0 || cross(dir, left) <= 0 {
			t.Fatalf("%+v: the direction is not between %v and %v", c, right, left)
		}
		turn, want := cross(right, left), 1
		switch {
		case c.HalfAngle == QuarterTurn:
			want = 0
		case c.HalfAngle > QuarterTurn:
			want = -1
		}
		if turn > 0 && want != 1 || turn == 0 && want != 0 || turn < 0 && want != -1 {
			t.Fatalf("%+v: from %v to %v is a turn of sign %d; want %d", c, right, left, turn, want)
		}
	}
}

// TestEdgesOfTheRest: what a cone leaves of the disc is a cone in the opposite direction
// with the same edges, exchanged.
func TestEdgesOfTheRest(t *testing.T) {
	r := newRandom(t)
	for range 20_000 {
		c := Cone{HalfAngle: 1 + r.Bound(HalfTurn-1)}
		c.DirX, c.DirY = r.direction()
		right, left := c.Edges()
		a, b := (&Cone{DirX: -c.DirX, DirY: -c.DirY, HalfAngle: HalfTurn - c.HalfAngle}).Edges()
		if a != left || b != right {
			t.Fatalf("%+v has the edges %v and %v, the rest %v and %v", c, right, left, a, b)
		}
	}
}

// TestEdgesAreTheSameEverywhere holds many edges against a digest: a CPU on which a
// product and a sum are rounded once only would have others.
func TestEdgesAreTheSameEverywhere(t *testing.T) {
	r := &random{}
	r.SeedWithState(1, 1)
	digest := fnv.New64a()
	for range 100_000 {
		c := Cone{HalfAngle: r.angle()}
		c.DirX, c.DirY = r.direction()
		right, left := c.Edges()
		fmt.Fprint(digest, right, left)
	}
	if got := digest.Sum64(); got != 0xb403af21417fc17e {
		t.Errorf("the digest is %#x", got)
	}
	right, left := (&Cone{DirX: 3, DirY: 4, HalfAngle: QuarterTurn / 2}).Edges()
	if right != ([2]int32{664343859, 94906266}) || left != ([2]int32{-94906266, 664343859}) {
		t.Errorf("an eighth of a turn from (3, 4): %v and %v", right, left)
	}
}

// TestMirroredWorlds: in a world that is mirrored, a mirrored shape finds the same
// entities, in all eight ways.
func TestMirroredWorlds(t *testing.T) {
	r := newRandom(t)
	const n, size = 300, 2000
	at, bodies := make([]Point, n), make([]Body, n)
	for i := range at {
		at[i], bodies[i] = r.point(size), r.someBody(size)
		if i%2 == 0 { // on edges, or nearly
			at[i] = Point{X: int32(i), Y: int32(i)}
		}
	}
	cones, rings := make([]Cone, 200), make([]Ring, 50)
	for i := range cones {
		cones[i] = r.someCone(r.point(size), size)
		if i%2 == 0 {
			cones[i].X, cones[i].Y, cones[i].DirX, cones[i].DirY = 0, 0, 1, int32(i%4/2)
			cones[i].HalfAngle = coneAngles[i/2%len(coneAngles)]
		}
	}
	for i := range rings {
		a, b := r.someLength(size), r.someLength(size)
		rings[i] = Ring{X: r.spread(size), Y: r.spread(size), Inner: min(a, b), Outer: max(a, b)}
	}
	var first [][]uint64
	for way := range 8 {
		turn := func(x, y int32) (int32, int32) {
			if way&1 != 0 {
				x = -x
			}
			if way&2 != 0 {
				y = -y
			}
			if way&4 != 0 {
				x, y = y, x
			}
			return x, y
		}
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16, CellY: 64}}})
		for i := range at {
			p, b := at[i], bodies[i]
			p.X, p.Y = turn(p.X, p.Y)
			if way&4 != 0 {
				b.HalfX, b.HalfY = b.HalfY, b.HalfX
			}
			w.setBody(w.spawn(0, p), b)
		}
		w.publish()
		s := w.grid.Snapshot()
		var found [][]uint64
		note := func(slots []uint32, err error) {
			w.must(err)
			ids := map[uint64]bool{}
			for _, slot := range slots {
				ids[s.ID(slot)] = true
			}
			var rising []uint64
			for i := range w.all {
				if ids[w.all[i].id] {
					rising = append(rising, w.all[i].id)
				}
			}
			found = append(found, rising)
		}
		for _, c := range cones {
			c.X, c.Y = turn(c.X, c.Y)
			c.DirX, c.DirY = turn(c.DirX, c.DirY)
			note(s.AppendCone(nil, c, Filter{}))
		}
		for _, c := range rings {
			c.X, c.Y = turn(c.X, c.Y)
			note(s.AppendRing(nil, c, Filter{}))
		}
		if first == nil {
			first = found
		}
		for i := range found {
			if fmt.Sprint(found[i]) != fmt.Sprint(first[i]) {
				t.Fatalf("way %d, shape %d of %d: %v; want %v", way, i, len(found), found[i], first[i])
			}
		}
	}
}

// TestDegenerateCones: a ray, half a disc, all but a ray, a disc, and the apex alone.
func TestDegenerateCones(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	places := []Point{{}, {X: 10}, {X: 11}, {X: -1}, {Y: 10}, {Y: -10}, {X: 3, Y: 4}, {X: -3, Y: 1}}
	for _, p := range places {
		w.spawn(0, p)
	}
	w.setBody(w.spawn(0, Point{X: -2, Y: 3}), Body{Radius: 3})
	w.setBody(w.spawn(0, Point{X: -2, Y: -3}), Body{HalfX: 2, HalfY: 3})
	all := w.publish()
	for _, c := range []struct {
		name string
		cone Cone
		want []int
	}{
		{"no range", Cone{DirX: 1, HalfAngle: 5}, []int{0, 9}},
		{"no range, no angle", Cone{DirX: 1}, []int{0, 9}},
		{"no range, all round", Cone{HalfAngle: HalfTurn}, []int{0, 9}},
		{"a ray", Cone{DirX: 7, Range: 10}, []int{0, 1, 9}},
		{"a ray to the left", Cone{DirX: -MaxCoord, Range: 10}, []int{0, 3, 8, 9}},
		{"a slanting ray", Cone{DirX: 3 << 20, DirY: 4 << 20, Range: 5}, []int{0, 6, 9}},
		{"a slanting ray, too short", Cone{DirX: 3, DirY: 4, Range: 4}, []int{0, 9}},
		{"the smallest angle", Cone{DirX: 1, HalfAngle: 1, Range: 10}, []int{0, 1, 9}},
		{"half a disc", Cone{DirX: 1, HalfAngle: QuarterTurn, Range: 10}, []int{0, 1, 4, 5, 6, 8, 9}},
		{"a little less", Cone{DirX: 1, HalfAngle: QuarterTurn - 1, Range: 10}, []int{0, 1, 6, 8, 9}},
		{"a little more", Cone{DirX: 1, HalfAngle: QuarterTurn + 1, Range: 10}, []int{0, 1, 4, 5, 6, 8, 9}},
		{"all but a ray", Cone{DirX: 1, HalfAngle: HalfTurn - 1, Range: 10}, []int{0, 1, 4, 5, 6, 7, 8, 9}},
		{"a disc", Cone{DirX: 1, HalfAngle: HalfTurn, Range: 10}, []int{0, 1, 3, 4, 5, 6, 7, 8, 9}},
		{"a disc without a direction", Cone{HalfAngle: HalfTurn, Range: 10}, []int{0, 1, 3, 4, 5, 6, 7, 8, 9}},
		{"from the far corner", Cone{X: MaxCoord, Y: MaxCoord, DirX: -1, DirY: -1, Range: MaxCoord}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := w.grid.Snapshot().AppendCone(nil, c.cone, Filter{})
			want := map[uint32]bool{}
			for _, i := range c.want {
				want[all[i].h.Slot()] = true
			}
			checkFound(t, c.cone, found, err, all, func(e *entity) bool { return want[e.h.Slot()] })
		})
	}
}

// TestConeFromWithin: whoever has the apex inside is in the cone, however small it is and
// wherever it points; also the largest at the ends of the range.
func TestConeFromWithin(t *testing.T) {
	for _, n := range []int32{1, 50, MaxCoord} {
		for _, b := range []Body{{Radius: n}, {HalfX: n, HalfY: n}} {
			for _, angle := range coneAngles {
				w := (&Cone{DirX: -1, DirY: 2, HalfAngle: angle}).wedge()
				for _, d := range [][2]int64{{0, 0}, {int64(n), 0}, {0, -int64(n)}} {
					if !w.meets(d[0], d[1], b) {
						t.Errorf("half angle %d: %+v at %v is not in it", angle, b, d)
					}
				}
				if d := int64(n) + 1; w.meets(d, 0, b) || w.meets(0, -d, b) {
					t.Errorf("half angle %d: %+v reaches the apex from %d away", angle, b, d)
				}
			}
		}
	}
}

// coneCandidates returns how many entities AppendCone looks at.
func coneCandidates(t testing.TB, s *Snapshot, c Cone) (n int) {
	t.Helper()
	fig, err := s.coneFigure(&c, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	w := c.wedge()
	fig.bounds = w.bounds()
	s.eachRow(&fig, w.span, func(_ *view, lo, hi uint32) { n += int(hi - lo) })
	return n
}

// TestNarrowConesAreCheap: a cone costs about its part of the disc.
func TestNarrowConesAreCheap(t *testing.T) {
	r := newRandom(t)
	w := newWorld(t, Config{Layers: []Layer{{CellX: 4, CellY: 16}}})
	for range 40_000 {
		w.spawn(0, r.point(1000))
	}
	w.publish()
	s := w.grid.Snapshot()
	for _, dir := range [][2]int32{{1, 0}, {0, 1}, {-1, 1}, {3, -7}} {
		c := Cone{DirX: dir[0], DirY: dir[1], HalfAngle: HalfTurn, Range: 900}
		disc := coneCandidates(t, s, c)
		c.HalfAngle = HalfTurn / 6 // 60 degrees in all
		sixth := coneCandidates(t, s, c)
		c.HalfAngle = 0
		if ray := coneCandidates(t, s, c); sixth*4 > disc || ray*15 > disc || ray == 0 {
			t.Errorf("direction %v: %d candidates of a ray, %d of 60 degrees, %d of the disc", dir, ray, sixth, disc)
		}
	}
}

// BenchmarkCone asks for cones of 25 m in a crowd of one in 10 square metres.
func BenchmarkCone(b *testing.B) {
	const metre = 256
	for _, bodies := range []bool{false, true} {
		s := crowd(b, bodies)
		for _, degrees := range []uint32{5, 30, 120, 180} {
			b.Run(fmt.Sprintf("half=%d/bodies=%v", degrees, bodies), func(b *testing.B) {
				q := Cone{DirX: 3, DirY: 2, HalfAngle: uint32(uint64(degrees) * HalfTurn / 180), Range: 25 * metre}
				dst, err := s.AppendCone(make([]uint32, 0, 10_000), q, Filter{})
				if err != nil {
					b.Fatal(err)
				}
				found := len(dst)
				b.ReportAllocs()
				for b.Loop() {
					dst, _ = s.AppendCone(dst[:0], q, Filter{})
				}
				b.ReportMetric(float64(coneCandidates(b, s, q))/float64(found), "candidates/hit")
			})
		}
	}
}

// TestConeOfNoAngleIsASegment: it finds what a capsule of no radius does between the same
// ends, where the end is a whole number.
func TestConeOfNoAngleIsASegment(t *testing.T) {
	r := newRandom(t)
	for range rounds(3000) {
		n := r.below(50) + 1
		c := Cone{DirX: 3, DirY: 4, Range: int32(5 * n)}
		e := entity{at: r.point(200), body: r.someBody(100)}
		w := c.wedge()
		got := w.meets(int64(e.at.X), int64(e.at.Y), e.body)
		want := oracle.InCapsule(e.forOracle(), oracle.Capsule{X1: int64(3 * n), Y1: int64(4 * n)})
		if got != want {
			t.Fatalf("%+v: %+v is in it: %v; want %v", c, e, got, want)
		}
	}
}
