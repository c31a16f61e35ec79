package interest

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// dice is a source of choices: given bytes first, then a generator seeded by them,
// so that short inputs make whole worlds too.
type dice struct {
	bytes []byte
	state uint64
}

func newDice(b []byte) *dice {
	d := &dice{bytes: b, state: 0x9E3779B97F4A7C15}
	for _, c := range b {
		d.state = (d.state ^ uint64(c)) * 0xBF58476D1CE4E5B9
	}
	return d
}

func (d *dice) next() uint64 {
	d.state += 0x9E3779B97F4A7C15
	z := d.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below returns a choice in [0, n).
func (d *dice) below(n int) int {
	if len(d.bytes) > 0 && n <= 256 {
		b := d.bytes[0]
		d.bytes = d.bytes[1:]
		return int(b) % n
	}
	return int(d.next() % uint64(n))
}

// once reports true one time in n.
func (d *dice) once(n int) bool { return d.below(n) == 0 }

func (d *dice) spread(n int32) int32 { return int32(int64(d.next()%(2*uint64(n)+1)) - int64(n)) }

// form is a setting that must not matter.
type form struct {
	level       asm.Level
	workers     int
	compareOnly bool
	given       bool // views are fed with candidates
	previous    bool // one pass is possible
	panics      bool // the predicate panics now and then: the history is another
	cell        int32
}

// body is an entity as the script has it; pending changes included.
type body struct {
	h      arena.Handle
	id     uint64
	class  int
	at     grid.Point
	shape  grid.Body
	traits Traits
	// inGrid says that it was inserted, permitted is as modelEntity.
	inGrid    bool
	permitted uint64
	changed   uint64
}

// looker is a view, in the engine and in the model.
type looker struct {
	v      *View
	m      *modelView
	every  int
	paused bool
}

// act is a random world in the engine and in the model, side by side.
type act struct {
	t         testing.TB
	d         *dice
	f         form
	arena     *arena.Arena
	grid      *grid.Grid
	set       *Set
	workers   *grid.Workers
	size      int32
	calm      bool // views can mostly follow moves in one pass
	shaped    bool // some have bodies
	reach     []Reach
	bodies    []*body
	away      []*body // alive, not in the grid
	lookers   []*looker
	model     *modelWorld
	epochs    map[arena.Handle]int // of the predicate's answers
	moods     map[uint64]int
	drifts    map[arena.Handle]int // of answers that change without Invalidate
	questions questions
	panicked  Stats // views that were updated all the same, and not
	nextID    uint64
	observers uint64
	round     int
	total     Stats
	history   io.Writer
	hash      interface{ Sum64() uint64 }
}

func newAct(t testing.TB, b []byte, f form) *act {
	t.Helper()
	d := newDice(b)
	h := fnv.New64a()
	a := &act{t: t, d: d, f: f, workers: grid.NewWorkers(f.workers), epochs: map[arena.Handle]int{}, moods: map[uint64]int{}, drifts: map[arena.Handle]int{}, history: h, hash: h}
	a.size = []int32{60, 300, 2000, 1 << 20, 1 << 29}[d.below(5)]
	a.calm, a.shaped = d.below(3) > 0, d.once(2)
	a.model = &modelWorld{stored: map[arena.Handle]*modelEntity{}, heights: d.once(3), given: f.given, seed: d.next()}
	layers := make([]grid.Layer, 1+d.below(3))
	for i := range layers {
		layers[i] = grid.Layer{CellX: f.cell << max(0, logOf(a.size)-8), Static: !a.calm && d.once(6)}
		a.reach = append(a.reach, a.someReach())
	}
	var err error
	a.arena, err = arena.New(arena.Config{Deferred: true})
	a.must(err)
	a.grid, err = grid.New(grid.Config{Arena: a.arena, Layers: layers, Height: a.model.heights, Previous: f.previous, Workers: a.workers})
	a.must(err)
	cfg := Config{Arena: a.arena, Grid: a.grid, Reach: a.reach, Seed: a.model.seed, Levels: a.someLevels()}
	if !d.once(4) {
		a.model.predicate = func(observer uint64, h arena.Handle) bool {
			return (observer*31+uint64(h)*7+uint64(a.epochs[h]+a.drifts[h])*13+uint64(a.moods[observer])*17)%5 > 1
		}
		cfg.Predicate = func(observer uint64, h arena.Handle) bool {
			a.questions.ask(t, observer, h)
			return a.model.predicate(observer, h)
		}
	}
	a.model.alive = a.arena.Alive
	a.set, err = New(cfg)
	a.must(err)
	a.set.compareOnly = f.compareOnly
	return a
}

func logOf(v int32) int {
	n := 0
	for ; v > 1; v >>= 1 {
		n++
	}
	return n
}

func (a *act) close() {
	a.must(a.grid.Close())
	a.must(a.arena.Close())
	a.workers.Close()
}

func (a *act) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatalf("tick %d, %+v: %v", a.model.tick, a.f, err)
	}
}

func (a *act) someReach() Reach {
	if a.d.once(12) {
		return Reach{Enter: Unseen}
	}
	r := Reach{Enter: int32(a.d.below(int(a.size)/2 + 2)), Margin: int32(a.d.below(int(a.size)/6 + 2))}
	if a.d.once(10) {
		r.Enter = 0
	}
	if a.model.heights {
		r.Height, r.HeightMargin = int32(a.d.below(int(a.size)/2+2)), int32(a.d.below(int(a.size)/6+2))
	}
	return r
}

func (a *act) someLevels() Levels {
	if a.d.once(3) {
		return Levels{}
	}
	near := int32(a.d.below(int(a.size)/4 + 1))
	return Levels{Near: near, Mid: near + int32(a.d.below(int(a.size)/4+1)), Margin: int32(a.d.below(int(a.size)/8 + 1))}
}

func (a *act) somewhere() grid.Point {
	p := grid.Point{X: a.d.spread(a.size), Y: a.d.spread(a.size)}
	if a.model.heights {
		p.Z = a.d.spread(a.size / 2)
	}
	return p
}

func (a *act) someShape() grid.Body {
	if !a.shaped || a.d.once(2) {
		return grid.Body{}
	}
	most := []int32{2, a.size / 16, a.size / 2, int32(min(4*int64(a.size), grid.MaxCoord-1))}[a.d.below(4)] + 1
	length := func() int32 { return int32(a.d.below(int(most))) }
	switch a.d.below(4) {
	case 0:
		return grid.Body{HalfX: length()}
	case 1:
		return grid.Body{HalfX: length(), HalfY: length()}
	}
	return grid.Body{Radius: length()}
}

func (a *act) someTraits() Traits {
	t := Traits{Ask: a.d.once(4), Protected: a.d.once(10)}
	if a.d.once(3) {
		t.Need = uint32(a.d.below(4)) << 30
	}
	if a.d.once(4) {
		t.Any = uint32(a.d.below(8))
	}
	if a.d.once(2) {
		t.Groups = a.someGroups()
	}
	return t
}

func (a *act) someGroups() (g [4]uint32) {
	for i := range g {
		if a.d.once(3) {
			g[i] = uint32(a.d.below(4))
		}
	}
	return g
}

func (a *act) someMask() uint32 {
	return []uint32{0, 1, 7, 1 << 30, 3<<30 | 2, ^uint32(0)}[a.d.below(6)]
}

func (a *act) someCap() Cap {
	if a.d.once(2) {
		return Cap{}
	}
	c := Cap{MaxMembers: 1 + a.d.below(20), MaxSwap: a.d.below(3)}
	if a.d.once(3) {
		c.NearRadius = int32(a.d.below(int(a.size)/4 + 1))
	}
	if a.d.once(4) {
		c.Protected = []Sources{Group0, Quest | Group1, Spatial}[a.d.below(3)]
	}
	return c
}

// odds returns n, or in calm worlds less likely odds.
func (a *act) odds(n int) int {
	if a.calm {
		return 4 * n
	}
	return n
}

// run plays ticks of random changes and checks every one of them.
func (a *act) run(ticks int) {
	for range ticks {
		a.spawn()
		a.move()
		a.despawn()
		if !a.d.once(3) {
			a.flip()
		}
		a.publish()
		if a.d.once(a.odds(5)) {
			a.publish() // a snapshot that no view sees
		}
		if a.d.once(4) {
			a.move() // after the publish: the next update must not see it
		}
		a.change()
		a.update()
		if a.d.once(12) {
			a.flip()
			a.update() // of the same snapshot
		}
		a.deliver()
	}
}

func (a *act) spawn() {
	n := a.d.below(6)
	if a.model.tick == 0 {
		n = 5 + a.d.below(90)
	}
	for range n {
		h, err := a.arena.Alloc()
		a.must(err)
		a.nextID++
		b := &body{h: h, id: a.nextID*2654435761%100003 + a.nextID<<32, class: a.d.below(len(a.reach)), at: a.somewhere()}
		if a.d.once(2) {
			b.traits = a.someTraits()
			a.must(a.set.SetTraits(h, b.traits))
		}
		if a.d.once(3) && len(a.lookers) > 0 { // a relation to somebody not there yet
			a.relate(a.lookers[a.d.below(len(a.lookers))], h)
		}
		if a.d.once(15) {
			a.away = append(a.away, b)
			continue
		}
		a.insert(b)
	}
	for len(a.away) > 0 && a.d.once(3) {
		a.insert(a.away[0])
		a.away = a.away[1:]
	}
}

func (a *act) insert(b *body) {
	a.must(a.grid.Insert(b.h, b.id, b.class, b.at))
	if b.shape = a.someShape(); b.shape != (grid.Body{}) {
		a.must(a.grid.SetBody(b.h, b.shape))
	}
	b.inGrid = true
	a.bodies = append(a.bodies, b)
	if a.d.once(4) {
		a.watch(b.h)
	}
	if a.d.once(20) {
		a.watch(0)
	}
}

func (a *act) relate(l *looker, h arena.Handle) {
	s := []Sources{Quest, Pinned, Spectate, Group1, Quest | Group3}[a.d.below(5)]
	a.must(l.v.Relate(h, s))
	l.m.relations[h] |= s
}

func (a *act) viewpoints() (out []Viewpoint) {
	for a.d.once(6) {
		p := Viewpoint{At: a.somewhere()}
		if b := a.bodies[a.d.below(len(a.bodies))]; a.d.once(2) {
			p.Entity = b.h
		}
		out = append(out, p)
	}
	return out
}

func (a *act) watch(self arena.Handle) {
	o := Observer{
		ID: a.observers, Entity: self, At: a.somewhere(), ExcludeSelf: a.d.once(2), More: a.viewpoints(),
		Mask: a.someMask(), Measured: a.d.once(2),
	}
	if a.d.once(2) {
		o.Groups = a.someGroups()
	}
	if a.d.once(4) {
		o.Cap = a.someCap()
	}
	a.observers++
	l := &looker{m: newModelView(o.ID), every: 1}
	if a.d.once(6) && !a.f.given {
		o.SendEvery = a.d.below(4)
		l.every = max(o.SendEvery, 1)
	}
	l.m.levels = a.set.cfg.Levels
	if a.d.once(4) {
		levels := a.someLevels()
		o.Levels, l.m.levels = &levels, levels
	}
	l.m.reach = a.reach
	if a.d.once(3) {
		l.m.reach = nil
		for range a.reach {
			l.m.reach = append(l.m.reach, a.someReach())
		}
		o.Reach = l.m.reach
	}
	l.m.points = append([]Viewpoint{{o.Entity, o.At}}, o.More...)
	l.m.exclude, l.m.mask, l.m.oldMask, l.m.groups, l.m.rule = o.ExcludeSelf, o.Mask, o.Mask, o.Groups, o.Cap
	var err error
	l.v, err = a.set.Add(o)
	a.must(err)
	a.lookers = append(a.lookers, l)
}

// move walks, jumps, or leaves everything where it is.
func (a *act) move() {
	if a.d.once(8) {
		return
	}
	step := max(a.size/int32(20+a.d.below(100)), 1)
	for _, b := range a.bodies {
		switch a.d.below(20) {
		case 0:
			if a.calm && !a.d.once(15) {
				continue
			}
			b.at = a.somewhere()
		case 1, 2, 3, 4, 5:
			continue
		case 6:
			if a.d.once(10) {
				b.class = a.d.below(len(a.reach))
				a.must(a.grid.SetLayer(b.h, b.class))
			}
			continue
		default:
			b.at.X = min(max(b.at.X+a.d.spread(step), -a.size), a.size)
			b.at.Y = min(max(b.at.Y+a.d.spread(step), -a.size), a.size)
			if a.model.heights {
				b.at.Z = min(max(b.at.Z+a.d.spread(step), -a.size), a.size)
			}
		}
		if a.model.heights {
			a.must(a.grid.MoveZ(b.h, b.at))
		} else {
			a.must(a.grid.Move(b.h, b.at.X, b.at.Y))
		}
		if a.shaped && a.d.once(a.odds(50)) {
			b.shape = a.someShape()
			a.must(a.grid.SetBody(b.h, b.shape))
		}
	}
}

func (a *act) despawn() {
	odds := 8 + a.d.below(60)
	a.bodies = slices.DeleteFunc(a.bodies, func(b *body) bool {
		if len(a.bodies) < 3 || !a.d.once(odds) {
			return false
		}
		a.must(a.grid.Remove(b.h))
		b.inGrid = false
		if a.d.once(4) {
			// It stays alive, out of the world. It may come back after a publish.
			a.away = append(a.away, b)
		} else {
			a.arena.Free(b.h)
		}
		return true
	})
}

// flip changes traits, relations' kind of thing by entity.
func (a *act) flip() {
	odds := a.odds([]int{3, 10, 40, 200}[a.d.below(4)])
	for _, b := range slices.Concat(a.bodies, a.away) {
		if !a.d.once(odds) {
			continue
		}
		if a.d.once(3) {
			a.epochs[b.h]++
			a.must(a.set.Invalidate(b.h))
			if b.traits.Ask {
				a.changed(b)
				a.permissionChanged(b)
			}
			continue
		}
		// Who has groups is asked about again when it comes back.
		if a.d.once(3) && b.traits.Groups == [groups]uint32{} {
			a.drifts[b.h]++
			continue
		}
		to := a.someTraits()
		if a.must(a.set.SetTraits(b.h, to)); to != b.traits {
			a.changed(b)
		}
		if to.Need != b.traits.Need || to.Any != b.traits.Any || to.Ask != b.traits.Ask {
			a.permissionChanged(b)
		}
		b.traits = to
		if e := a.model.stored[b.h]; e != nil {
			e.traits = to // traits act without a publish
		}
	}
}

func (a *act) changed(b *body) {
	b.changed = a.model.clock + 1
	if e := a.model.stored[b.h]; e != nil {
		e.changed = b.changed
	}
}

func (a *act) permissionChanged(b *body) {
	if e := a.model.stored[b.h]; e != nil {
		e.permitted = a.model.clock + 1
		b.permitted = e.permitted
	}
}

func (a *act) publish() {
	a.model.tick += uint64(1 + a.d.below(2))
	a.must(a.grid.Publish(a.model.tick))
	clear(a.model.stored)
	for _, b := range a.bodies {
		a.model.stored[b.h] = &modelEntity{id: b.id, class: b.class, at: b.at, shape: b.shape, traits: b.traits, permitted: b.permitted, changed: b.changed}
	}
}

// change changes what acts without movement.
func (a *act) change() {
	for _, l := range a.lookers {
		if !a.d.once(a.odds(3)) {
			continue
		}
		switch v, m := l.v, l.m; a.d.below(14) {
		case 0:
			var r []Reach
			for range a.reach {
				r = append(r, a.someReach())
			}
			a.must(v.SetReach(r, 0))
			if m.before == nil && !a.f.given { // there the reach is the caller's affair
				m.before = m.reach
			}
			m.reach = r
		case 1:
			v.Resync()
			m.resync()
		case 2:
			p := Viewpoint{m.points[0].Entity, a.somewhere()}
			if b := a.bodies[a.d.below(len(a.bodies))]; a.d.once(4) {
				p.Entity = b.h
			} else if !a.arena.Alive(p.Entity) {
				p.Entity = 0
			}
			more := a.viewpoints()
			a.must(v.SetViewpoints(p.Entity, p.At, more...))
			m.recentred = m.recentred || m.points[0].Entity != p.Entity
			m.points = append([]Viewpoint{p}, more...)
		case 3, 4:
			m.mask = a.someMask()
			v.SetMask(m.mask)
		case 5:
			m.groups = a.someGroups()
			v.SetGroups(m.groups)
		case 6:
			m.rule = a.someCap()
			a.must(v.SetCap(m.rule))
		case 7:
			a.moods[m.id]++
			v.Invalidate()
			m.reask = true
		case 8, 9:
			a.relate(l, a.bodies[a.d.below(len(a.bodies))].h)
		case 10:
			var all []arena.Handle
			for h := range m.relations {
				all = append(all, h)
			}
			slices.Sort(all)
			for _, h := range all {
				if a.d.once(2) {
					v.Unrelate(h, Quest|Pinned|Group1)
					if m.relations[h] &^= Quest | Pinned | Group1; m.relations[h] == 0 {
						delete(m.relations, h)
					}
				}
			}
		case 11:
			m.levels = a.someLevels()
			a.must(v.SetLevels(&m.levels))
		case 12:
			l.paused = a.d.once(2)
			v.SetPaused(l.paused)
		case 13:
			if n := a.d.below(4); a.d.once(2) {
				a.must(v.SetRate(n))
				l.every = max(n, 1)
			}
		}
	}
	if len(a.lookers) > 0 && a.d.once(20) {
		i := a.d.below(len(a.lookers))
		a.must(a.set.Remove(a.lookers[i].v))
		a.lookers = slices.Delete(a.lookers, i, i+1)
	}
}

// update updates engine and model, and compares them.
func (a *act) update() {
	if a.d.once(a.odds(10)) {
		return // a skipped tick: the difference spans two
	}
	updated := map[*View]bool{}
	alone := a.d.once(a.odds(6))
	switch {
	case a.f.given:
		for _, l := range a.lookers {
			if !l.paused && !(alone && a.d.once(2)) {
				updated[l.v] = !a.attempt(func() error { return l.v.UpdateFrom(a.candidates(l)) })
			}
		}
	case alone:
		for _, l := range a.lookers {
			if !a.d.once(2) {
				updated[l.v] = !a.attempt(func() error { return a.set.Update(l.v) })
			}
		}
	default:
		var mu sync.Mutex
		a.round++
		if a.attempt(func() error {
			return a.set.UpdateEach(a.workers, func(_ int, v *View) {
				mu.Lock()
				defer mu.Unlock()
				if updated[v] {
					a.t.Error("a view is visited twice")
				}
				updated[v] = true
			})
		}) {
			a.comeRound(updated)
			return
		}
		st := a.set.Stats()
		a.total.add(&st)
	}
	members, culled, over := 0, 0, 0
	for _, l := range a.lookers {
		if !a.f.given && !alone && (l.paused && updated[l.v] || !l.paused && l.every == 1 && !updated[l.v]) {
			a.t.Fatalf("tick %d: view %d, paused %v, every %d, updated %v", a.model.tick, l.m.id, l.paused, l.every, updated[l.v])
		}
		if updated[l.v] {
			l.m.update(a.model)
			culled, over = culled+l.m.culled, over+l.m.over
			members += len(l.m.members)
		}
		a.compare(l)
	}
	if st := a.set.Stats(); !a.f.given && !alone && (st.Members != members || st.Culled != culled || st.OverCap != over || st.Updated != len(updated)) {
		a.t.Fatalf("tick %d, %+v: %+v; want %d members, %d culled, %d over", a.model.tick, a.f, st, members, culled, over)
	}
	if a.d.once(4) {
		a.must(a.set.CheckInvariants())
	}
	a.reverse()
}

// comeRound compares all after an update that a panic ended: each view was updated,
// or it is as it was.
func (a *act) comeRound(updated map[*View]bool) {
	for _, l := range a.lookers {
		if updated[l.v] {
			l.m.update(a.model)
			a.panicked.Updated++
		} else {
			a.panicked.Leaves++
		}
		a.compare(l)
	}
	a.must(a.set.CheckInvariants())
	a.reverse()
	if a.d.once(2) {
		a.update() // of the same snapshot
	}
}

// attempt makes an update, and reports whether it ended in the predicate's panic.
func (a *act) attempt(update func() error) (panicked bool) {
	a.questions.begin()
	if a.f.panics && a.d.once(4) {
		a.questions.fuse = 1 + a.d.below(12)
	}
	defer func() {
		if a.questions.fuse = 0; panicked {
			switch r := recover(); {
			case r == nil: // the test failed
			case !strings.Contains(fmt.Sprint(r), a.questions.bang()):
				panic(r)
			default:
				a.panicked.General++
			}
		}
	}()
	panicked = true
	a.must(update())
	return false
}

// questions keeps count of what the predicate is asked.
type questions struct {
	mu    sync.Mutex
	asked map[question]bool // in the update at hand
	fuse  int               // so many questions later it panics
}

type question struct {
	observer uint64
	entity   arena.Handle
}

func (q *questions) bang() string { return "no answer" }

func (q *questions) begin() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked = map[question]bool{}
}

func (q *questions) ask(t testing.TB, observer uint64, h arena.Handle) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.asked[question{observer, h}] {
		t.Errorf("asked twice in an update whether observer %d may know %v", observer, h)
	}
	q.asked[question{observer, h}] = true
	if q.fuse--; q.fuse == 0 {
		panic(q.bang())
	}
}

// candidates lists what an index would find for a view, by a plain loop.
func (a *act) candidates(l *looker) (out []Candidate) {
	points := l.m.where(a.model)
	for h, e := range a.model.stored {
		if !a.arena.Alive(h) || len(points) == 0 {
			continue
		}
		dx, dy := nearestOf(points, e)
		c := Candidate{Entity: h, ID: e.id, Class: uint8(e.class), DX: int32(dx), DY: int32(dy), Body: e.shape}
		own := h == l.m.points[0].Entity
		c.Inner = own || a.model.sees(points, e, l.m.reach[e.class], false)
		c.Far = !own && !a.model.sees(points, e, l.m.reach[e.class], true)
		if !c.Far || l.v.related(h) != 0 {
			out = append(out, c)
		}
	}
	return out
}

func (a *act) compare(l *looker) {
	a.t.Helper()
	v, m := l.v, l.m
	fail := func(format string, args ...any) {
		a.t.Helper()
		a.t.Fatalf("tick %d, view %d, %+v: %s", a.model.tick, m.id, a.f, fmt.Sprintf(format, args...))
	}
	got := v.AppendMembers(nil)
	if len(got) != len(m.members) || v.Len() != len(got) {
		for h, s := range m.members {
			if !slices.ContainsFunc(got, func(x Member) bool { return x.Entity == h }) {
				a.t.Logf("%v with sources %#x is missing: %v, stored %+v", h, s, m.reasons[h], a.model.stored[h])
			}
		}
		for _, x := range got {
			if _, ok := m.members[x.Entity]; !ok {
				a.t.Logf("%+v (record %+v, view %+v) is too many: %v, stored %+v", x, a.set.traits.records[x.Entity.Slot()], v.observer, m.reasons[x.Entity], a.model.stored[x.Entity])
			}
		}
		fail("%d members; want %d", len(got), len(m.members))
	}
	c := v.Columns()
	for _, x := range got {
		if s, ok := m.members[x.Entity]; !ok || s != x.Sources || x.ID != m.ids[x.Entity] {
			fail("member %v (ID %d) with sources %#x; want %v %#x", x.Entity, x.ID, x.Sources, ok, s)
		}
		if c.Slot[x.Row] != x.Entity.Slot() {
			fail("row %d has slot %d; want that of %v", x.Row, c.Slot[x.Row], x.Entity)
		}
		if c.Dist2 != nil && c.Dist2[x.Row] != m.dist2[x.Entity] {
			fail("%v is at %v; want %v", x.Entity, c.Dist2[x.Row], m.dist2[x.Entity])
		}
		if c.Level != nil && c.Level[x.Row] != m.level[x.Entity] {
			fail("%v has level %v; want %v (%v)", x.Entity, c.Level[x.Row], m.level[x.Entity], m.dist2[x.Entity])
		}
		w, b := x.Row/64, uint64(1)<<(x.Row%64)
		if known := m.delivered[x.Entity]; known != (v.KnownWord(int(w))&b != 0) || known == (v.PendingWord(int(w))&b != 0) {
			fail("row %d, delivered %v: known %#x, pending %#x", x.Row, known, v.KnownWord(int(w)), v.PendingWord(int(w)))
		}
	}
	enters, leaves := v.AppendEnters(nil), v.AppendLeaves(nil)
	wantEnters, wantLeaves := 0, 0
	for h := range m.members {
		if !m.delivered[h] {
			wantEnters++
		}
	}
	for h := range m.delivered {
		if _, ok := m.members[h]; !ok {
			wantLeaves++
		}
	}
	if len(enters) != wantEnters || len(leaves) != wantLeaves {
		fail("%d enters, %d leaves; want %d, %d", len(enters), len(leaves), wantEnters, wantLeaves)
	}
	for _, e := range enters {
		if s, ok := m.members[e.Entity]; !ok || m.delivered[e.Entity] || e.ID != m.ids[e.Entity] || e.Sources != s || e.Reason != m.reasons[e.Entity] || e.Since != m.since[e.Entity] {
			fail("enter %+v; want sources %#x, reason %v, since %d", e, s, m.reasons[e.Entity], m.since[e.Entity])
		}
	}
	for _, e := range leaves {
		if _, ok := m.members[e.Entity]; ok || !m.delivered[e.Entity] || e.Sources != 0 || e.Reason != m.reasons[e.Entity] || e.Since != m.since[e.Entity] {
			fail("leave %+v; stored %+v, held %v, cap %+v; want reason %v, since %d", e, a.model.stored[e.Entity], a.grid.Holds(e.Entity), m.rule, m.reasons[e.Entity], m.since[e.Entity])
		}
		if v.LeavingWord(int(e.Row/64))>>(e.Row%64)&1 == 0 {
			fail("row %d is not leaving", e.Row)
		}
	}
	if !slices.IsSortedFunc(enters, func(a, b Event) int { return cmp.Compare(a.ID, b.ID) }) {
		fail("enters are not sorted by ID: %v", enters)
	}
	if !slices.IsSortedFunc(leaves, func(a, b Event) int { return cmp.Compare(a.Row, b.Row) }) {
		fail("leaves are not in row order: %v", leaves)
	}
	fmt.Fprintln(a.history, a.model.tick, m.id, enters, leaves)
	if err := v.CheckInvariants(); err != nil {
		fail("%v", err)
	}
}

// reverse compares who sees whom with AppendObserversOf.
func (a *act) reverse() {
	for range 3 {
		h := a.bodies[a.d.below(len(a.bodies))].h
		var want []*View
		for _, l := range a.lookers {
			if _, ok := l.m.members[h]; ok {
				want = append(want, l.v)
			}
		}
		got := a.set.AppendObserversOf(nil, h)
		slices.SortFunc(want, func(a, b *View) int { return cmp.Compare(a.observer.ID, b.observer.ID) })
		if !slices.Equal(got, want) {
			a.t.Fatalf("tick %d, %+v: %d views see %v; want %d", a.model.tick, a.f, len(got), h, len(want))
		}
	}
}

// deliver confirms some views' differences, some in part.
func (a *act) deliver() {
	for _, l := range a.lookers {
		switch a.d.below(5) {
		case 0:
		case 1:
			rows := []uint32{1 << 30, uint32(a.d.below(256))}
			for _, e := range slices.Concat(l.v.AppendEnters(nil), l.v.AppendLeaves(nil)) {
				if a.d.once(2) {
					rows = append(rows, e.Row)
				}
			}
			for _, e := range slices.Concat(l.v.AppendEnters(nil), l.v.AppendLeaves(nil)) {
				if slices.Contains(rows, e.Row) {
					l.m.commit(e.Entity)
				}
			}
			l.v.CommitRows(rows)
		default:
			l.v.Commit()
			for h := range l.m.delivered {
				l.m.commit(h)
			}
			for h := range l.m.members {
				l.m.commit(h)
			}
		}
		a.compare(l)
	}
}
