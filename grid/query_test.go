package grid

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
)

// queryWorlds are shapes of worlds in which queries must be right.
var queryWorlds = []struct {
	name  string
	cfg   Config
	n     int
	place func(r *random, i int) Point
	size  int32 // of the region to ask in
	reach int   // largest radius to ask with
}{
	{"uniform", Config{Layers: []Layer{{CellX: 16}}}, 500, func(r *random, _ int) Point { return r.point(400) }, 500, 200},
	{"one in a cell", Config{Layers: []Layer{{CellX: 1}}}, 400, func(r *random, _ int) Point { return r.point(30) }, 40, 60},
	{"around the origin", Config{Layers: []Layer{{CellX: 4, CellY: 2}, {CellX: 2, CellY: 8}}}, 300, func(r *random, _ int) Point { return r.point(9) }, 12, 12},
	{"all negative", Config{Layers: []Layer{{CellX: 8}}}, 300, func(r *random, _ int) Point {
		return Point{X: -1000 - int32(r.below(100)), Y: -1 - int32(r.below(100))}
	}, 1100, 300},
	{"one spot", Config{Layers: []Layer{{CellX: 32}}}, 3000, func(r *random, _ int) Point { return r.point(2) }, 4, 6},
	{"same point", Config{Layers: []Layer{{CellX: 1}}}, 700, func(*random, int) Point { return Point{X: -7, Y: 3} }, 9, 12},
	{"lattice", Config{Layers: []Layer{{CellX: 64}}}, 900, func(_ *random, i int) Point {
		return Point{X: int32(i%30) * 100, Y: int32(i/30) * -100}
	}, 3000, 1500},
	{"aliasing", Config{Layers: []Layer{{CellX: 1}, {CellX: 2, CellY: 1}}}, 600, func(r *random, _ int) Point { return r.point(1 << 20) }, 1 << 20, 1 << 19},
	{"everywhere", Config{Layers: []Layer{{CellX: 1 << 22}, {CellX: 1 << 29}}, Height: true}, 400, func(r *random, _ int) Point { return r.point(MaxCoord) }, MaxCoord, MaxCoord},
	{"at the ends", Config{Layers: []Layer{{CellX: 256}}}, 400, func(r *random, i int) Point {
		p := Point{X: MaxCoord - int32(r.below(2000)), Y: MaxCoord - int32(r.below(2000))}
		if i%2 == 0 {
			p.X = -p.X
		}
		if i%4 < 2 {
			p.Y = -p.Y
		}
		return p
	}, MaxCoord, 5000},
	{"road", Config{Layers: []Layer{{CellX: 64}}}, 800, func(r *random, _ int) Point {
		return Point{X: r.spread(1 << 20), Y: r.spread(5)}
	}, 1 << 20, 1 << 16},
	{"floors", Config{Layers: []Layer{{CellX: 16}, {CellX: 64}}, Height: true, Masks: true}, 600, func(r *random, _ int) Point {
		return Point{X: r.spread(100), Y: r.spread(100), Z: r.spread(4) * 10}
	}, 100, 90},
	{"empty", Config{Layers: []Layer{{CellX: 16}}}, 0, nil, 100, 100},
}

func TestQueriesAgainstPlainLoops(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for k, c := range queryWorlds {
			t.Run(c.name, func(t *testing.T) {
				r := newRandom(t)
				c.cfg.Memory = arena.Memory(k % 2)
				w := newWorld(t, c.cfg)
				for i := range c.n {
					w.spawn(i%len(c.cfg.Layers), c.place(r, i))
					if c.cfg.Masks {
						w.setMasks(i, 1<<r.below(6)&r.Next()&3, r.Next()&12)
					}
				}
				all := w.publish()
				s := w.grid.Snapshot()
				checkAll(t, s, all)
				for n := range rounds(60) {
					p := r.point(c.size)
					if n%2 == 0 && len(all) > 0 {
						p = all[r.below(len(all))].at
						p.X, p.Y = clamp(p.X+r.spread(3), MaxCoord), clamp(p.Y+r.spread(3), MaxCoord)
					}
					q := Query{X: p.X, Y: p.Y, Radius: int32(r.below(c.reach + 1))}
					switch n % 8 {
					case 3:
						q.Radius = int32(r.below(3))
					case 5:
						q.Radius = MaxCoord // wider than any torus
					case 7:
						q.Layers = r.Next() & (1<<len(c.cfg.Layers) - 1)
					}
					if c.cfg.Height {
						q.Z, q.Height = p.Z, int32(r.below(30))
						if n%3 == 0 {
							q.Height = AnyHeight
						}
					}
					if c.cfg.Masks {
						q.Mask = r.Next() & 15
					}
					checkQuery(t, s, all, q)
					o := r.point(c.size)
					checkRect(t, s, all, Rect{min(p.X, o.X), min(p.Y, o.Y), max(p.X, o.X), max(p.Y, o.Y)}, q.Filter)
				}
				// Exactly as far as somebody is: they are in, and out one unit less.
				for range rounds(20) {
					if len(all) == 0 {
						break
					}
					a, b := all[r.below(len(all))], all[r.below(len(all))]
					d := int32(min(math.Ceil(math.Sqrt(float64(dist2(a.at, b.at)))), MaxCoord))
					for _, radius := range []int32{max(d-1, 0), d, min(d+1, MaxCoord)} {
						q := Query{X: a.at.X, Y: a.at.Y, Radius: radius}
						if c.cfg.Height {
							q.Height = AnyHeight
						}
						checkQuery(t, s, all, q)
					}
				}
			})
		}
	})
}

// TestFaultsOfOthers are the smallest inputs on which other engines went wrong.
func TestFaultsOfOthers(t *testing.T) {
	flat := func(cell int32, at ...Point) (*world, *Snapshot, []entity) {
		w := newWorld(t, Config{Layers: []Layer{{CellX: cell}}})
		for _, p := range at {
			w.spawn(0, p)
		}
		all := w.publish()
		return w, w.grid.Snapshot(), all
	}
	count := func(s *Snapshot, x, y, radius int32, want int) {
		t.Helper()
		if n, err := s.CountWithin(Query{X: x, Y: y, Radius: radius}); n != want || err != nil {
			t.Errorf("CountWithin(%d, %d, %d) = %d, %v; want %d", x, y, radius, n, err, want)
		}
	}
	eachLevel(t, func(t *testing.T) {
		// Truncation toward zero: the cells beside zero are not one.
		_, s, all := flat(1024, Point{X: -307}, Point{Y: -307}, Point{X: -307, Y: -307}, Point{X: -1, Y: -1})
		count(s, 205, 0, 512, 3)
		count(s, 205, 0, 511, 2)
		count(s, 205, 205, 725, 4)
		checkQuery(t, s, all, Query{X: 205, Radius: 614})
		tor := &s.layers[0].store.torus
		four := map[uint32]bool{tor.Cell(512, 512): true, tor.Cell(-512, 512): true, tor.Cell(512, -512): true, tor.Cell(-512, -512): true}
		if len(four) != 4 {
			t.Errorf("the four cells around zero have %d indexes", len(four))
		}
		// The same spacing is the same visibility, at zero and elsewhere.
		for _, shift := range []int32{0, -1000, 1 << 20, -1 << 29} {
			_, s, _ := flat(16, Point{X: shift + 15, Y: shift + 15})
			count(s, shift+30, shift+15, 15, 1)
			count(s, shift, shift+15, 14, 0)
			count(s, shift, shift+15, 15, 1)
		}
		// 2^16 and 2^24 do not alias, nor do 32 bits of a sum.
		for _, far := range []int32{1 << 16, 1 << 24, 1 << 28, MaxCoord - 8} {
			_, s, _ := flat(16, Point{X: far + 8, Y: 8})
			count(s, 8, 8, 100, 0)
			count(s, far+8, 8, 0, 1)
		}
		// Far outside is not at the edge.
		_, s, _ = flat(16, Point{X: 5, Y: 5}, Point{X: -5000, Y: 5})
		count(s, 5, 5, 20, 1)
		// The far edge of the world, and one before it.
		_, s, _ = flat(16, Point{X: MaxCoord, Y: MaxCoord}, Point{X: MaxCoord - 1, Y: MaxCoord}, Point{X: -MaxCoord, Y: -MaxCoord})
		count(s, MaxCoord, MaxCoord, 1, 2)
		count(s, -MaxCoord, -MaxCoord, MaxCoord, 1)
		// Radius zero is the point alone, however many are there.
		_, s, _ = flat(1, Point{X: 3, Y: 3}, Point{X: 3, Y: 3}, Point{X: 4, Y: 3}, Point{X: 900})
		count(s, 3, 3, 0, 2)
		count(s, 0, 0, 0, 0)
		// Three by three, far from zero.
		var nine []Point
		for i := range int32(9) {
			nine = append(nine, Point{X: 1000*64 + i%3*64, Y: 1000*64 + i/3*64})
		}
		_, s, _ = flat(64, nine...)
		count(s, 1001*64, 1001*64, 100, 9)
		// Points on cell borders belong to one cell each.
		w, s, all := flat(64, Point{X: 64}, Point{X: 63}, Point{X: 128, Y: 64}, Point{}, Point{X: -64, Y: -64}, Point{X: -65, Y: -64})
		w.must(w.grid.CheckInvariants())
		checkQuery(t, s, all, Query{Radius: MaxCoord})
		for x := int32(-192); x < 192; x += 64 {
			checkRect(t, s, all, Rect{x, -64, x + 63, 127}, Filter{})
		}
		// No coordinate is a sign of anything: zero, and cell (0, 0).
		_, s, _ = flat(16, Point{}, Point{}, Point{X: 1})
		count(s, 0, 0, 0, 2)
	})
}

// TestDeclaredStaleness: a spawn and a teleport of one tick find each other.
func TestDeclaredStaleness(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	i := w.spawn(0, Point{})
	w.publish()
	w.move(i, Point{X: 100_000})
	w.spawn(0, Point{X: 100_003})
	if n, _ := w.grid.Snapshot().CountWithin(Query{X: 100_000, Radius: 5}); n != 0 {
		t.Errorf("pending changes are visible: %d", n)
	}
	w.publish()
	if n, _ := w.grid.Snapshot().CountWithin(Query{X: 100_000, Radius: 5}); n != 2 {
		t.Errorf("found %d; want 2", n)
	}
}

func TestEachResultOnce(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		w := newWorld(t, Config{Layers: []Layer{{CellX: 1}}})
		for range 200 {
			w.spawn(0, r.point(50))
		}
		w.publish()
		s := w.grid.Snapshot()
		// Centres all around, so that the cover wraps in every way there is.
		for x := int32(-300); x <= 300; x += 7 {
			for _, radius := range []int32{1, 20, 60, 150, 400, MaxCoord} {
				slots, err := s.AppendSlots(nil, Query{X: x, Y: -x / 2, Radius: radius})
				if err != nil {
					t.Fatal(err)
				}
				if n := len(slots); n != len(slices.Compact(sorted(slots))) {
					t.Fatalf("at %d, radius %d: somebody twice", x, radius)
				}
			}
		}
	})
}

// TestNeverPastItsRoom: with exactly as much room as there are hits, results are
// right and nothing behind the destination changes.
func TestNeverPastItsRoom(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
		for i := range 300 {
			w.spawn(0, Point{X: int32(i % 20), Y: int32(i / 20)})
		}
		w.publish()
		s := w.grid.Snapshot()
		for _, radius := range []int32{0, 3, 30} {
			want, _ := s.CountWithin(Query{X: 10, Y: 7, Radius: radius})
			for _, room := range []int{0, 1, want, want + asm.Slack - 1, want + asm.Slack, 300 + asm.Slack} {
				memory := make([]uint32, room+50)
				for i := range memory {
					memory[i] = 0xDEADBEEF
				}
				got, err := s.AppendSlots(memory[0:0:room], Query{X: 10, Y: 7, Radius: radius})
				if err != nil || len(got) != want {
					t.Fatalf("room %d: %d, %v; want %d", room, len(got), err, want)
				}
				for i, v := range memory[room:] {
					if v != 0xDEADBEEF {
						t.Fatalf("room %d: element %d behind it was written", room, i)
					}
				}
			}
		}
	})
}

func TestNearest(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for _, c := range queryWorlds {
			t.Run(c.name, func(t *testing.T) {
				w := newWorld(t, c.cfg)
				for i := range c.n {
					w.spawn(i%len(c.cfg.Layers), c.place(r, i))
				}
				all := w.publish()
				s := w.grid.Snapshot()
				for range rounds(12) {
					p := r.point(c.size)
					q := Query{X: p.X, Y: p.Y, Radius: int32(r.below(c.reach + 1))}
					if r.below(3) == 0 {
						q.Radius = MaxCoord
					}
					if c.cfg.Height {
						q.Z, q.Height = p.Z, int32(r.below(60))
					}
					for _, k := range []int{0, 1, 2, 10, len(all), len(all) + 7, math.MaxInt32} {
						checkNearest(t, s, all, q, k)
					}
				}
			})
		}
	})
}

// TestNearestTies: equal distances are ordered by ID, not by place or slot.
func TestNearestTies(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 2}, {CellX: 256}}})
		n := 0
		for _, p := range []Point{{X: 3, Y: 4}, {X: -3, Y: 4}, {X: 4, Y: -3}, {X: 5}, {Y: -5}, {X: -4, Y: -3}} {
			for range 20 {
				w.spawn(n%2, p)
				n++
			}
		}
		all := w.publish()
		for k := range n + 2 {
			checkNearest(t, w.grid.Snapshot(), all, Query{Radius: 1000}, k)
			checkNearest(t, w.grid.Snapshot(), all, Query{Radius: 5}, k)
			checkNearest(t, w.grid.Snapshot(), all, Query{Radius: 4}, k)
		}
	})
}

// TestNearestRanksExactly: far away neighbouring integers round to one float32;
// the order is that of the integers.
func TestNearestRanksExactly(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 1 << 20}}})
		for i := range int32(200) {
			w.spawn(0, Point{X: 1<<28 + (i*37)%200, Y: -(i * 11) % 200})
		}
		all := w.publish()
		for _, k := range []int{1, 50, 199, 200} {
			checkNearest(t, w.grid.Snapshot(), all, Query{X: -1 << 28, Y: 5, Radius: 1<<29 + 300}, k)
		}
	})
}

// TestNearestRowsOfEverySize: rows of one cell just below, at and above what the
// search takes at once.
func TestNearestRowsOfEverySize(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range []int{1, 15, 16, 239, 240, 241, 242, 255, 256, 257, 480, 512, 513, 2000} {
			w := newWorld(t, Config{Layers: []Layer{{CellX: 1024}}})
			r := newRandom(t)
			for range n {
				w.spawn(0, Point{X: int32(r.below(1024)), Y: int32(r.below(1024))})
			}
			for range 10 {
				w.spawn(0, Point{X: int32(r.below(1024)), Y: 1024 + int32(r.below(1024))})
			}
			all := w.publish()
			checkNearest(t, w.grid.Snapshot(), all, Query{X: 500, Y: 900, Radius: 600}, 20)
			checkNearest(t, w.grid.Snapshot(), all, Query{X: 500, Y: 900, Radius: 3000}, n+3)
		}
	})
}

// TestNearestInACrowd: rows too long for the search to take at once are filtered by
// height and masks like others.
func TestNearestInACrowd(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 1024}, {CellX: 8}}, Height: true, Masks: true})
		r := newRandom(t)
		for i := range 1500 {
			w.spawn(i%3/2, Point{X: int32(r.below(1024)), Y: int32(r.below(1024)), Z: r.spread(50)})
			w.setMasks(i, r.Next()&3&r.Next(), r.Next()&12)
		}
		all := w.publish()
		for _, height := range []int32{0, 10, 49, AnyHeight} {
			for mask := range uint32(16) {
				q := Query{X: 500, Y: 400, Radius: 450, Z: 5, Height: height, Filter: Filter{Mask: mask}}
				checkNearest(t, w.grid.Snapshot(), all, q, 7)
				checkNearest(t, w.grid.Snapshot(), all, q, 2000)
			}
		}
	})
}

// TestHotspot: more in one cell than a kernel call takes.
func TestHotspot(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("70,000 entities")
	}
	w := newWorld(t, Config{Layers: []Layer{{CellX: 1 << 12}}})
	r := newRandom(t)
	for range 70_000 {
		w.spawn(0, Point{X: 2000 + r.spread(300), Y: 2000 + r.spread(300)})
	}
	all := w.publish()
	eachLevel(t, func(t *testing.T) {
		for _, radius := range []int32{0, 40, 300, 5000} {
			checkQuery(t, w.grid.Snapshot(), all, Query{X: 2000, Y: 2010, Radius: radius})
		}
		checkRect(t, w.grid.Snapshot(), all, Rect{1900, 1900, 2100, 2200}, Filter{})
		checkNearest(t, w.grid.Snapshot(), all, Query{X: 2000, Y: 2010, Radius: 5000}, 10)
	})
}

func TestMasks(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}, Masks: true})
		masks := []uint32{0, 1, 2, 3, 1 << 31, math.MaxUint32}
		for _, need := range masks {
			for _, any := range masks {
				w.setMasks(w.spawn(0, Point{X: int32(len(w.all))}), need, any)
			}
		}
		all := w.publish()
		for _, mask := range append(masks, 4, 1<<31|1) {
			q := Query{X: 10, Radius: 100, Filter: Filter{Mask: mask}}
			checkQuery(t, w.grid.Snapshot(), all, q)
			checkRect(t, w.grid.Snapshot(), all, Rect{X0: 0, X1: 100}, q.Filter)
		}
		// They are those of the snapshot, and act without movement.
		w.setMasks(0, 8, 0)
		checkQuery(t, w.grid.Snapshot(), all, Query{X: 0, Radius: 0})
		all = w.publish()
		checkQuery(t, w.grid.Snapshot(), all, Query{X: 0, Radius: 0})
		// A slot that is used again starts without any.
		w.despawn(0)
		w.publish()
		w.spawn(0, Point{X: 5000})
		all = w.publish()
		checkQuery(t, w.grid.Snapshot(), all, Query{X: 5000})
	})
}

// setting is one way to hold the same world.
type setting struct {
	name    string
	cellX   int32
	cellY   int32
	workers int
	order   int // 0 as is, 1 reversed, 2 shuffled, 3 over several ticks
	level   asm.Level
	place   func(p Point) Point
}

// TestMetamorphic: what is found does not depend on where the world lies, which way
// it faces, the cells, the order of insertion, the workers or the kernels.
func TestMetamorphic(t *testing.T) {
	before := asm.Tier()
	defer asm.SetTier(before)
	r := newRandom(t)
	const size, n = 3000, 700
	points, queries := make([]Point, n), make([]Query, 80)
	for i := range points {
		points[i] = r.point(size)
		if i%3 == 0 { // a crowd at the origin
			points[i] = r.point(60)
		}
	}
	for i := range queries {
		p := r.point(size)
		queries[i] = Query{X: p.X, Y: p.Y, Z: p.Z, Radius: int32(r.below(900)), Height: int32(r.below(2 * size))}
	}
	stay := func(p Point) Point { return p }
	var settings []setting
	add := func(s setting) {
		if s.cellX == 0 {
			s.cellX = 128
		}
		if s.place == nil {
			s.place = stay
		}
		s.level = asm.Levels()[len(settings)%len(asm.Levels())]
		settings = append(settings, s)
	}
	add(setting{name: "as it is"})
	for _, l := range asm.Levels() {
		add(setting{name: l.String()})
	}
	for _, by := range [][2]int32{{1, 0}, {0, -1}, {77, 1003}, {-size, -size}, {1 << 20, -1 << 20}, {1<<20 + 1, 1<<24 - 3},
		{MaxCoord - size, size - MaxCoord}, {-(MaxCoord - size), 128 * 4096}} {
		add(setting{name: fmt.Sprint("moved by ", by), place: func(p Point) Point { return Point{p.X + by[0], p.Y + by[1], p.Z} }})
	}
	add(setting{name: "mirrored", place: func(p Point) Point { return Point{-p.X, p.Y, p.Z} }})
	add(setting{name: "turned", place: func(p Point) Point { return Point{-p.Y, p.X, -p.Z} }})
	add(setting{name: "axes swapped", place: func(p Point) Point { return Point{p.Y, p.X, p.Z} }})
	for _, cell := range [][2]int32{{1, 1}, {2, 64}, {64, 2}, {1024, 0}, {1 << 29, 1 << 29}} {
		add(setting{name: fmt.Sprint("cells of ", cell), cellX: cell[0], cellY: cell[1]})
	}
	for order := 1; order <= 3; order++ {
		add(setting{name: fmt.Sprint("order ", order), order: order})
	}
	for workers := 2; workers <= 3; workers++ {
		add(setting{name: fmt.Sprint("workers ", workers), workers: workers})
	}
	var want string
	for _, s := range settings {
		if err := asm.SetTier(s.level); err != nil {
			t.Fatal(err)
		}
		if got := findings(t, s, points, queries); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%s (%v): other findings than %s (%v)", s.name, s.level, settings[0].name, settings[0].level)
		}
	}
}

// findings holds a world in one way and returns what all queries find, as IDs.
func findings(t *testing.T, s setting, points []Point, queries []Query) string {
	workers := NewWorkers(s.workers)
	defer workers.Close()
	w := newWorld(t, Config{Layers: []Layer{{CellX: s.cellX, CellY: s.cellY}}, Height: true, Workers: workers})
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	switch s.order {
	case 1:
		slices.Reverse(order)
	case 2, 3:
		r := newRandom(t)
		for i := range order {
			j := r.below(i + 1)
			order[i], order[j] = order[j], order[i]
		}
	}
	for n, i := range order {
		h, err := w.arena.Alloc()
		w.must(err)
		at := s.place(points[i])
		if s.order == 3 {
			w.must(w.grid.Insert(h, uint64(i), 0, Point{X: int32(i)}))
			if n%100 == 0 {
				w.publish()
			}
			w.must(w.grid.MoveZ(h, at))
			continue
		}
		w.must(w.grid.Insert(h, uint64(i), 0, at))
	}
	w.publish()
	out, snap := "", w.grid.Snapshot()
	ids := func(slots []uint32) []int {
		found := make([]int, len(slots))
		for i, slot := range slots {
			found[i] = int(snap.ID(slot))
		}
		slices.Sort(found)
		return found
	}
	for i, q := range queries {
		p := s.place(Point{q.X, q.Y, q.Z})
		q.X, q.Y, q.Z = p.X, p.Y, p.Z
		slots, err := snap.AppendSlots(nil, q)
		w.must(err)
		near, err := snap.AppendNearest(nil, 9, q)
		w.must(err)
		out += fmt.Sprintln(i, ids(slots))
		for _, n := range near {
			out += fmt.Sprintln(snap.ID(n.Slot), n.Dist2)
		}
	}
	return out
}
