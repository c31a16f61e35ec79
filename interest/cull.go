package interest

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/dgryski/go-pcgr"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
)

// Strata: octants times rings of equal area, and one for those that are not there
// because of where they are.
const (
	octants = 8
	rings   = 4
	strata  = octants*rings + 1
)

// culler is the scratch memory of cull.
type culler struct {
	stratum [strata]stratum
	members []contender // who was a member before
	fresh   []contender // who was not
	chosen  []contender // of the fresh, in segments by stratum
	surplus []contender // members beyond their quotas
	gone    []bool      // by number of the stranger
}

// stratum counts who is in one, and who of them may stay.
type stratum struct {
	members, fresh, quota int
	from, n               int // its segment of culler.chosen
}

// contender is somebody who may be culled.
type contender struct {
	id      uint64
	score   uint32
	at      int32 // a row; of the fresh a stranger or bystander, or if negative the row ^at
	stratum uint8
	rank    int32 // in the order of its stratum
}

// bystander is a stranger of whom no more is known yet than where it is.
type bystander struct {
	index   uint32 // in its storage
	storage uint16
	stratum uint8
}

// byScore is the order within a stratum, of those who come at the same turn.
func byScore(a, b contender) int {
	return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.id, b.id))
}

// byTurn is the order in which strata that take turns choose.
func byTurn(a, b contender) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.stratum, b.stratum))
}

// keepMembers notes who is a member before the update.
func (v *View) keepMembers(sc *scratch) {
	sc.was = cleared(sc.was, len(v.rows.words))
	for i := range v.rows.words {
		sc.was[i] = v.rows.words[i].member
	}
}

// cull keeps the view within its cap: of those who may be culled, an even subset
// stays.
func (v *View) cull(now *grid.Snapshot, sc *scratch) {
	total := v.rows.members() + len(sc.strangers) + len(sc.crowd)
	if v.culling = total > v.maxMembers; !v.culling {
		for _, b := range sc.crowd {
			v.introduce(now, sc, b)
		}
		return
	}
	c := &sc.cull
	contenders := v.contend(sc)
	room := v.maxMembers - (total - contenders)
	if room < 0 {
		sc.stats.OverCap -= room
		room = 0
	}
	c.share(room)
	v.chooseFresh(now, sc)
	v.findSurplus(c)
	c.limitSwaps(room, v.observer.Cap.MaxSwap)
	sc.stats.Culled += contenders - room
	for i := range c.surplus {
		v.leave(int(c.surplus[i].at), ReasonCulled)
	}
	v.dropFresh(now, sc)
}

// contend lists who may be culled, and returns how many they are.
func (v *View) contend(sc *scratch) int {
	c := &sc.cull
	c.stratum = [strata]stratum{}
	c.members, c.fresh = c.members[:0], c.fresh[:0]
	for i := range v.rows.words {
		for word := v.rows.words[i].member; word != 0; word &= word - 1 {
			r := 64*i + lowest(word)
			e := &v.rows.row[r]
			body, offset := v.rowPlace(sc, r)
			st, ok := v.stratumOf(e.handle(), body, v.rows.sources(r), v.rowClass(sc, e), offset)
			switch {
			case !ok:
			case sc.was[i]>>(r%64)&1 != 0:
				c.stratum[st].members++
				c.members = append(c.members, contender{id: e.id, at: int32(r), stratum: st})
			default:
				c.stratum[st].fresh++
				c.fresh = append(c.fresh, contender{id: e.id, at: int32(^r), stratum: st})
			}
		}
	}
	for k := range sc.strangers {
		s := &sc.strangers[k]
		body, offset := v.strangerPlace(sc, s)
		if st, ok := v.stratumOf(s.handle, body, s.sources, s.class, offset); ok {
			c.stratum[st].fresh++
			c.fresh = append(c.fresh, contender{id: s.id, at: int32(k), stratum: st})
		}
	}
	for _, b := range sc.crowd {
		c.stratum[b.stratum].fresh++
	}
	return len(c.members) + len(c.fresh) + len(sc.crowd)
}

// introduce makes a bystander a stranger.
func (v *View) introduce(now *grid.Snapshot, sc *scratch, b bystander) {
	storage := int(b.storage)
	v.meetOne(now, sc, now.Columns(storage), now.LayerOf(storage), b.index|asm.Inner, -1)
}

// rowClass returns the reach class of a member.
func (v *View) rowClass(sc *scratch, e *row) uint8 {
	if sc.given {
		return e.class
	}
	return v.set.class(e.handle())
}

// rowPlace returns the body of a member, and where that is from the nearest viewpoint.
func (v *View) rowPlace(sc *scratch, r int) (grid.Body, [2]int32) {
	if sc.given {
		return sc.candidates[sc.origins[r]].place()
	}
	return v.slotPlace(sc, v.rows.slot[r])
}

// strangerPlace is rowPlace for a stranger.
func (v *View) strangerPlace(sc *scratch, s *stranger) (grid.Body, [2]int32) {
	if sc.given {
		return sc.candidates[s.candidate].place()
	}
	return v.slotPlace(sc, s.handle.Slot())
}

func (c *Candidate) place() (grid.Body, [2]int32) { return c.Body, [2]int32{c.DX, c.DY} }

func (v *View) slotPlace(sc *scratch, slot uint32) (grid.Body, [2]int32) {
	body := v.set.places.body(slot)
	dx, dy := sc.nearest(v.set.places.of(slot), body)
	return body, [2]int32{dx, dy}
}

// stratumOf returns the stratum of an entity, by its offset from the nearest
// viewpoint. ok is false if it is never culled.
func (v *View) stratumOf(h arena.Handle, body grid.Body, s Sources, class uint8, offset [2]int32) (st uint8, ok bool) {
	rules := &v.observer.Cap
	if h == v.entity || s&(Pinned|rules.Protected) != 0 || rules.NearRadius > 0 && body.Within(offset[0], offset[1], rules.NearRadius) {
		return 0, false
	}
	if r := v.set.traits.of(h); r != nil && r.protected {
		return 0, false
	}
	if s&Spatial == 0 {
		return strata - 1, true
	}
	dx, dy := int64(offset[0]), int64(offset[1])
	return stratumAt(dx, dy, dx*dx+dy*dy, v.outer(class)), true
}

// stratumAt returns the stratum of an offset, for a leave radius.
func stratumAt(dx, dy, d2, outer int64) uint8 {
	// Bit 63 of a - b says that a < b: no branch, for nobody can predict it.
	less := func(a, b int64) uint8 { return uint8(uint64(a-b) >> 63) }
	octant := less(dx, 0) | less(dy, 0)<<1 | less(max(dx, -dx), max(dy, -dy))<<2
	o2 := outer * outer // below 2^60; a body's position may be further than its edge
	d2 = min(d2, 1<<60)
	return octant*rings + less(o2, rings*d2) + less(2*o2, rings*d2) + less(3*o2, rings*d2)
}

// stratumNear is stratumOf for a stranger, element i, who has no sources but Spatial.
func (v *View) stratumNear(sc *scratch, class int, slot uint32, c *grid.Columns, i uint32) (st uint8, ok bool) {
	dx, dy := int64(c.X[i])-int64(sc.points[0].X), int64(c.Y[i])-int64(sc.points[0].Y)
	d2 := dx*dx + dy*dy
	if d2 <= sc.near2 {
		return 0, false
	}
	if near := v.observer.Cap.NearRadius; c.Bodies != nil && near > 0 && c.Bodies[i].Within(int32(dx), int32(dy), near) {
		return 0, false
	}
	if t := v.set.traits.records; uint64(slot) < uint64(len(t)) && t[slot].protected {
		return 0, false
	}
	return stratumAt(dx, dy, d2, int64(v.reach[class].outer)), true
}

// measureRings prepares stratumNear.
func (v *View) measureRings(sc *scratch) {
	sc.near2 = -1
	if n := int64(v.observer.Cap.NearRadius); n > 0 {
		sc.near2 = n * n
	}
	if v.observer.Cap.Protected&Spatial != 0 {
		sc.near2 = math.MaxInt64
	}
}

// outer returns the leave radius of a class, as far as the view knows it.
func (v *View) outer(class uint8) int64 {
	if int(class) < len(v.reach) {
		return int64(v.reach[class].outer)
	}
	return 0
}

// score orders the members of a stratum: a PCG draw from the pair and the seed.
func (v *View) score(id uint64) uint32 {
	x := id*0x9E3779B97F4A7C15 ^ bits.RotateLeft64(v.observer.ID*0xD6E8FEB86659FD93, 32)
	x ^= x >> 29
	r := pcgr.New(int64(x), int64(v.set.cfg.Seed))
	r.Next()
	return r.Next()
}

// share divides the room among the strata: they take turns, in fixed order, each
// as long as it has somebody. There are more contenders than room.
func (c *culler) share(room int) {
	for room > 0 {
		active := 0
		for i := range c.stratum {
			if s := &c.stratum[i]; s.quota < s.members+s.fresh {
				active++
			}
		}
		turns := max(room/active, 1)
		for i := range c.stratum {
			s := &c.stratum[i]
			take := min(turns, s.members+s.fresh-s.quota, room)
			s.quota += take
			room -= take
		}
	}
}

// chooseFresh chooses who fills quotas that the members of before do not.
func (v *View) chooseFresh(now *grid.Snapshot, sc *scratch) {
	c := &sc.cull
	n := 0
	for i := range c.stratum {
		s := &c.stratum[i]
		s.from, s.n = n, 0
		n += max(s.quota-s.members, 0)
	}
	c.chosen = cleared(c.chosen, n)
	for _, f := range c.fresh {
		if s := &c.stratum[f.stratum]; s.quota > s.members {
			f.score = v.score(f.id)
			c.apply(s, f)
		}
	}
	for k, b := range sc.crowd {
		if s := &c.stratum[b.stratum]; s.quota > s.members {
			id := now.ID(now.Columns(int(b.storage)).Slot[b.index])
			c.apply(s, contender{id: id, score: v.score(id), at: int32(len(sc.strangers) + k), stratum: b.stratum})
		}
	}
	for i := range c.stratum {
		s := &c.stratum[i]
		for k := range s.n {
			c.chosen[s.from+k].rank = int32(s.members + k)
		}
	}
}

// apply keeps f among the chosen of its stratum if it is one of the first so far.
func (c *culler) apply(s *stratum, f contender) {
	wanted := s.quota - s.members
	segment, k := c.chosen[s.from:s.from+wanted], s.n
	if k < wanted {
		s.n++
	} else if k--; byScore(f, segment[k]) > 0 {
		return
	}
	for ; k > 0 && byScore(f, segment[k-1]) < 0; k-- {
		segment[k] = segment[k-1]
	}
	segment[k] = f
}

// findSurplus lists the members beyond their strata's quotas.
func (v *View) findSurplus(c *culler) {
	c.surplus = c.surplus[:0]
	for _, m := range c.members {
		if s := &c.stratum[m.stratum]; s.members > s.quota {
			m.score = v.score(m.id)
			c.surplus = append(c.surplus, m)
		}
	}
	slices.SortFunc(c.surplus, func(a, b contender) int {
		return cmp.Or(cmp.Compare(a.stratum, b.stratum), byScore(a, b))
	})
	kept, rank, last := 0, int32(0), uint8(strata)
	for _, m := range c.surplus {
		if m.stratum != last {
			rank, last = 0, m.stratum
		}
		if m.rank = rank; int(rank) >= c.stratum[m.stratum].quota {
			c.surplus[kept] = m
			kept++
		}
		rank++
	}
	c.surplus = c.surplus[:kept]
}

// limitSwaps lets members stay beyond their quotas where otherwise more than
// maxSwap of them would make room for others.
func (c *culler) limitSwaps(room, maxSwap int) {
	allowed := max(room-len(c.members), 0) + maxSwap
	if maxSwap == 0 || len(c.chosen) <= allowed {
		return
	}
	stay := len(c.chosen) - allowed
	slices.SortFunc(c.chosen, byTurn)
	slices.SortFunc(c.surplus, byTurn)
	c.chosen, c.surplus = c.chosen[:allowed], c.surplus[:copy(c.surplus, c.surplus[stay:])]
}

// dropFresh keeps those out who were not chosen, and introduces bystanders who
// were.
func (v *View) dropFresh(now *grid.Snapshot, sc *scratch) {
	c := &sc.cull
	strangers := len(sc.strangers)
	c.gone = cleared(c.gone, strangers)
	// What the update marked does not matter any more.
	sc.marks = cleared(sc.marks, len(v.rows.words))
	for _, f := range c.fresh {
		if f.at >= 0 {
			c.gone[f.at] = true
		} else {
			sc.mark(int(^f.at))
		}
	}
	for _, f := range c.chosen {
		switch k := int(f.at); {
		case k >= strangers:
			v.introduce(now, sc, sc.crowd[k-strangers])
		case k >= 0:
			c.gone[k] = false
		default:
			sc.marks[^k/64] &^= 1 << (^k % 64)
		}
	}
	for _, e := range sc.returned {
		if sc.hasMark(e.row) {
			v.leave(e.row, e.reason)
			v.rows.since[e.row] = e.since
		}
	}
	kept := 0
	for k := range sc.strangers {
		if k >= strangers || !c.gone[k] {
			sc.strangers[kept] = sc.strangers[k]
			kept++
		}
	}
	sc.strangers = sc.strangers[:kept]
}
