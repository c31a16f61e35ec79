package interest

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/dgryski/go-pcgr"

	"vicinity/arena"
	"vicinity/grid"
)

// The model: interest in plain loops over all pairs and maps. It knows nothing of
// grids, rows, kernels or ways.

// modelEntity is an entity as published.
type modelEntity struct {
	id        uint64
	class     int
	at        grid.Point
	shape     grid.Body
	traits    Traits
	permitted uint64 // clock of the last change of permission while published
	changed   uint64 // clock of the last change of traits, or Invalidate
}

// modelWorld is what all views share.
type modelWorld struct {
	stored    map[arena.Handle]*modelEntity // as of the last publish
	alive     func(arena.Handle) bool
	predicate func(observer uint64, h arena.Handle) bool
	heights   bool
	tick      uint64
	clock     uint64 // grows with every update of any view
	seed      uint64
	given     bool // the engine's views are fed with candidates
}

// modelView is one observer.
type modelView struct {
	id            uint64
	points        []Viewpoint // the first is the centre
	exclude       bool
	reach, before []Reach
	mask, oldMask uint32
	reask         bool // Invalidate
	recentred     bool // it has another own entity
	refused       map[arena.Handle]bool
	groups        [4]uint32
	relations     map[arena.Handle]Sources
	rule          Cap
	levels        Levels
	members       map[arena.Handle]Sources
	level         map[arena.Handle]Level
	dist2         map[arena.Handle]float32
	delivered     map[arena.Handle]bool
	ids           map[arena.Handle]uint64
	reasons       map[arena.Handle]Reason
	since         map[arena.Handle]uint64
	updated       uint64 // clock of the last update
	tick          uint64
	culled, over  int
}

func newModelView(id uint64) *modelView {
	return &modelView{
		id: id, relations: map[arena.Handle]Sources{}, members: map[arena.Handle]Sources{}, level: map[arena.Handle]Level{},
		dist2: map[arena.Handle]float32{}, delivered: map[arena.Handle]bool{}, ids: map[arena.Handle]uint64{},
		refused: map[arena.Handle]bool{}, reasons: map[arena.Handle]Reason{}, since: map[arena.Handle]uint64{},
	}
}

// where returns the viewpoints that are there.
func (m *modelView) where(w *modelWorld) []grid.Point {
	var out []grid.Point
	for _, p := range m.points {
		if p.Entity == 0 {
			out = append(out, p.At)
		} else if e, ok := w.stored[p.Entity]; ok {
			out = append(out, e.at)
		}
	}
	return out
}

// sees reports whether e is within a reach of any point.
func (w *modelWorld) sees(points []grid.Point, e *modelEntity, r Reach, leave bool) bool {
	q := e.at
	if r.Enter == Unseen {
		return false
	}
	limit, high := int64(r.Enter), int64(r.Height)
	if leave {
		limit, high = limit+int64(r.Margin), high+int64(r.HeightMargin)
	}
	for _, p := range points {
		dx, dy, dz := int64(p.X)-int64(q.X), int64(p.Y)-int64(q.Y), int64(p.Z)-int64(q.Z)
		if reachesModel(e.shape, dx, dy, limit) && (!w.heights || max(dz, -dz) <= high) {
			return true
		}
	}
	return false
}

// reachesModel reports whether a body at an offset is within a distance.
func reachesModel(b grid.Body, dx, dy, limit int64) bool {
	if b.Radius > 0 {
		limit += int64(b.Radius)
		return dx*dx+dy*dy <= limit*limit
	}
	dx, dy = edge(dx, b.HalfX), edge(dy, b.HalfY)
	return dx*dx+dy*dy <= limit*limit
}

// edge returns how far a coordinate is beyond a half edge.
func edge(d int64, half int32) int64 {
	if d < 0 {
		d = -d
	}
	if d <= int64(half) {
		return 0
	}
	return d - int64(half)
}

// nearestOf returns the offset of an entity from the point that is nearest to its box,
// or to the centre of its disc.
func nearestOf(points []grid.Point, e *modelEntity) (dx, dy int64) {
	best := int64(-1)
	for _, p := range points {
		x, y := int64(e.at.X)-int64(p.X), int64(e.at.Y)-int64(p.Y)
		ex, ey := edge(x, e.shape.HalfX), edge(y, e.shape.HalfY)
		if d := ex*ex + ey*ey; best < 0 || d < best {
			best, dx, dy = d, x, y
		}
	}
	return dx, dy
}

// modelDist2 is the reported squared distance of a body at an offset.
func modelDist2(b grid.Body, dx, dy int64) float32 {
	if b.Radius > 0 {
		d := math.Sqrt(float64(dx*dx+dy*dy)) - float64(b.Radius)
		if d < 0 {
			return 0
		}
		return float32(d * d)
	}
	x, y := float32(edge(dx, b.HalfX)), float32(edge(dy, b.HalfY))
	return float32(x*x) + float32(y*y)
}

// sources returns why e would be relevant, to whom it has some sources already.
func (m *modelView) sources(w *modelWorld, points []grid.Point, h arena.Handle, e *modelEntity, had Sources) Sources {
	s := m.relations[h]
	if r := m.reach[e.class]; h == m.points[0].Entity || w.sees(points, e, r, false) || had&Spatial != 0 && w.sees(points, e, r, true) {
		s |= Spatial
	}
	for i, id := range e.traits.Groups {
		if id != 0 && id == m.groups[i] {
			s |= Group0 << i
		}
	}
	return s
}

func permittedBy(t Traits, mask uint32) bool {
	return t.Need&^mask == 0 && (t.Any == 0 || t.Any&mask != 0)
}

func (m *modelView) permits(w *modelWorld, h arena.Handle, e *modelEntity) bool {
	if h == m.points[0].Entity {
		return true
	}
	return permittedBy(e.traits, m.mask) && (!e.traits.Ask || w.predicate == nil || m.answer(w, h, e))
}

// stale reports whether what the predicate said before is not to be relied on.
func (m *modelView) stale(e *modelEntity) bool {
	return m.reask || m.recentred || e.changed > m.updated
}

// answer is the predicate's, or what is remembered of it.
func (m *modelView) answer(w *modelWorld, h arena.Handle, e *modelEntity) bool {
	if _, member := m.members[h]; !m.stale(e) && (member || m.refused[h]) {
		return member
	}
	return w.predicate(m.id, h)
}

// update applies the rules.
func (m *modelView) update(w *modelWorld) {
	w.clock++
	points := m.where(w)
	want := map[arena.Handle]Sources{}
	lost := map[arena.Handle]Reason{} // why who is not wanted is not
	refused := map[arena.Handle]bool{}
	for h, e := range w.stored {
		s := m.sources(w, points, h, e, m.members[h])
		if e.traits.Ask && w.predicate != nil && len(points) > 0 && h != m.points[0].Entity && m.sources(w, points, h, e, 0) != 0 {
			refused[h] = m.refused[h] && !m.stale(e) || permittedBy(e.traits, m.mask) && !m.answer(w, h, e)
		}
		if m.exclude && h == m.points[0].Entity {
			s = 0
		}
		switch {
		case len(points) == 0 && w.given:
			lost[h] = reasonOf(m.members[h])
		case len(points) == 0:
			lost[h] = ReasonObserver
		case s == 0 && m.members[h]&Spatial != 0 && m.before != nil && w.sees(points, e, m.before[e.class], true):
			lost[h] = ReasonReach
		case s == 0:
			lost[h] = reasonOf(m.members[h])
		case !m.permits(w, h, e):
			lost[h] = ReasonPermission
		default:
			want[h] = s
		}
	}
	m.refused = refused
	m.cull(w, points, want, lost)
	for h, had := range m.members {
		if _, ok := want[h]; ok {
			continue
		}
		why, stored := lost[h]
		if !stored {
			why = ReasonDespawn
			if len(points) == 0 && !w.given {
				why = ReasonObserver
			} else if w.given && w.alive(h) {
				why = reasonOf(had)
			}
		}
		delete(m.members, h)
		m.reasons[h], m.since[h] = why, w.tick
	}
	for h, s := range want {
		if _, ok := m.members[h]; !ok {
			m.reasons[h], m.since[h], m.ids[h] = m.enterReason(w, points, h, s), w.tick, w.stored[h].id
			m.level[h] = Low
		}
		m.members[h] = s
	}
	m.measure(w, points)
	for h := range m.relations {
		if _, stored := w.stored[h]; !stored && !w.alive(h) {
			delete(m.relations, h)
		}
	}
	m.before, m.oldMask, m.reask, m.recentred, m.updated, m.tick = nil, m.mask, false, false, w.clock, w.tick
}

func (m *modelView) enterReason(w *modelWorld, points []grid.Point, h arena.Handle, s Sources) Reason {
	e := w.stored[h]
	own := h == m.points[0].Entity
	if !own && (e.permitted > m.updated || m.reask && e.traits.Ask || !permittedBy(e.traits, m.oldMask)) {
		return ReasonPermission
	}
	if !own && s&Spatial != 0 && m.before != nil && !w.given && !w.sees(points, e, m.before[e.class], false) {
		return ReasonReach
	}
	return reasonOf(s)
}

// measure notes distances and levels of the members.
func (m *modelView) measure(w *modelWorld, points []grid.Point) {
	for h := range m.members {
		e := w.stored[h]
		best := float32(0)
		for i, p := range points {
			if d := modelDist2(e.shape, int64(e.at.X)-int64(p.X), int64(e.at.Y)-int64(p.Y)); i == 0 || d < best {
				best = d
			}
		}
		m.dist2[h] = best
		dx, dy := nearestOf(points, e)
		within := func(limit, margin int32, had bool) bool {
			l := int64(limit)
			if had {
				l += int64(margin)
			}
			return reachesModel(e.shape, dx, dy, l)
		}
		switch l, had := m.levels, m.level[h]; {
		case l == (Levels{}) || within(l.Near, l.Margin, had == High):
			m.level[h] = High
		case within(l.Mid, l.Margin, had != Low):
			m.level[h] = Medium
		default:
			m.level[h] = Low
		}
	}
}

// modelContender is somebody who may be culled.
type modelContender struct {
	h       arena.Handle
	id      uint64
	stratum int
	member  bool
	score   uint32
	rank    int
}

// cull takes out of want who is culled.
func (m *modelView) cull(w *modelWorld, points []grid.Point, want map[arena.Handle]Sources, lost map[arena.Handle]Reason) {
	m.culled, m.over = 0, 0
	if m.rule.MaxMembers == 0 || len(want) <= m.rule.MaxMembers {
		return
	}
	var byStratum [33][]modelContender
	room, all := m.rule.MaxMembers-len(want), 0
	for h, s := range want {
		e := w.stored[h]
		dx, dy := nearestOf(points, e)
		d2, near := dx*dx+dy*dy, int64(m.rule.NearRadius)
		if h == m.points[0].Entity || s&Pinned != 0 || s&m.rule.Protected != 0 || e.traits.Protected || near > 0 && reachesModel(e.shape, dx, dy, near) {
			continue
		}
		c := modelContender{h: h, id: e.id, stratum: 32, score: modelScore(m.id, e.id, w.seed)}
		_, c.member = m.members[h]
		if s&Spatial != 0 {
			r := m.reach[e.class]
			outer := int64(r.Enter) + int64(r.Margin)
			ring := 0
			for k := int64(1); k < 4; k++ {
				if 4*min(d2, 1<<60) > k*outer*outer {
					ring++
				}
			}
			octant := 0
			if dx < 0 {
				octant++
			}
			if dy < 0 {
				octant += 2
			}
			if max(dy, -dy) > max(dx, -dx) {
				octant += 4
			}
			c.stratum = 4*octant + ring
		}
		byStratum[c.stratum] = append(byStratum[c.stratum], c)
		room++
		all++
	}
	if m.over = max(-room, 0); room < 0 {
		room = 0
	}
	members := 0
	for st := range byStratum {
		slices.SortFunc(byStratum[st], func(a, b modelContender) int {
			if a.member != b.member {
				if a.member {
					return -1
				}
				return 1
			}
			return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.id, b.id))
		})
		for i := range byStratum[st] {
			byStratum[st][i].rank = i
			if byStratum[st][i].member {
				members++
			}
		}
	}
	// Turns, one after the other.
	var stay, adds, surplus []modelContender
	left := room
	for turn := 0; turn < all; turn++ {
		for st := range byStratum {
			if turn >= len(byStratum[st]) {
				continue
			}
			switch c := byStratum[st][turn]; {
			case left > 0:
				left--
				if stay = append(stay, c); !c.member {
					adds = append(adds, c)
				}
			case c.member:
				surplus = append(surplus, c)
			}
		}
	}
	if allowed := max(room-members, 0) + m.rule.MaxSwap; m.rule.MaxSwap > 0 && len(adds) > allowed {
		for _, c := range adds[allowed:] {
			stay = slices.DeleteFunc(stay, func(o modelContender) bool { return o.h == c.h })
		}
		stay = append(stay, surplus[:len(adds)-allowed]...)
	}
	m.culled = all - len(stay)
	for st := range byStratum {
		for _, c := range byStratum[st] {
			if !slices.ContainsFunc(stay, func(o modelContender) bool { return o.h == c.h }) {
				delete(want, c.h)
				lost[c.h] = ReasonCulled
			}
		}
	}
}

func modelScore(observer, id, seed uint64) uint32 {
	x := id*0x9E3779B97F4A7C15 ^ bits.RotateLeft64(observer*0xD6E8FEB86659FD93, 32)
	x ^= x >> 29
	r := pcgr.New(int64(x), int64(seed))
	r.Next()
	return r.Next()
}

// commit confirms one pending event.
func (m *modelView) commit(h arena.Handle) {
	if _, member := m.members[h]; member {
		m.delivered[h] = true
	} else {
		delete(m.delivered, h)
	}
}

func (m *modelView) resync() {
	for h := range m.delivered {
		if _, member := m.members[h]; member {
			m.reasons[h], m.since[h] = ReasonResync, m.tick
		}
	}
	clear(m.delivered)
}
