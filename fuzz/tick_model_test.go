package fuzz

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"vicinity"
	"vicinity/interest"
	"vicinity/internal/oracle"
	"vicinity/packer"
)

// The model of a World: maps and plain loops over all pairs, and the reference
// packer. A unit is a metre.

// body is one stay of an entity.
type body struct {
	vicinity.Entity
	handle  vicinity.Handle
	changed uint64 // the tick that shows its last change
	jumped  uint64
	allowed uint32 // what the predicate says, if asked: a bit for each ConnID
	known   bool   // a tick has been since it was spawned
	gone    bool
}

// pair is a body that is in view, or that the peer knows.
type pair struct {
	member, spatial bool
	delivered       bool
	level           int
	since           uint64 // of a pending enter or leave
	sent, waits     uint64
}

// peer is a connection or watcher.
type peer struct {
	vicinity.Connection
	watch, paused bool
	self          *body // nil: stands at its point
	more          []*body
	relations     map[*body]interest.Sources
	weights       map[*body]weight
	pairs         map[*body]*pair
	served        uint64 // tick
}

type weight struct {
	delta int32
	must  bool
}

// model is a World in plain words.
type model struct {
	cfg    vicinity.Config
	bodies map[uint64]*body // by ID
	peers  map[vicinity.ConnID]*peer
	tick   uint64
}

// sendable is one thing that a delivery may hold.
type sendable struct {
	kind int // 0 leave, 1 enter, 2 update
	b    *body
	p    *pair
	oracle.Offer
}

// reachOf returns the radii of a peer for a body.
func (m *model) reachOf(c *peer, b *body) (enter, leave float64) {
	list := m.cfg.Reach
	if c.Reach != nil {
		list = c.Reach
	}
	scale := c.Scale
	if scale == 0 {
		scale = 1
	}
	r := list[b.Entity.Reach]
	return r.Enter * scale, (r.Enter + r.Margin) * scale // whole numbers
}

// distance2 is the squared distance to the nearest viewpoint, exact, and as
// candidates carry it. ok is false if the peer is nowhere.
func (c *peer) distance2(b *body) (exact float64, rounded float32, ok bool) {
	look := func(x, y float64) {
		dx, dy := b.X-x, b.Y-y
		d := dx*dx + dy*dy
		fx, fy := float32(dx), float32(dy)
		f := float32(fx*fx) + float32(fy*fy)
		if !ok || d < exact {
			exact = d
		}
		if !ok || f < rounded {
			rounded = f
		}
		ok = true
	}
	if c.self == nil {
		look(c.X, c.Y)
	} else if !c.self.gone {
		look(c.self.X, c.self.Y)
	}
	for i, v := range c.More {
		if v.Entity == 0 {
			look(v.X, v.Y)
		} else if !c.more[i].gone {
			look(c.more[i].X, c.more[i].Y)
		}
	}
	return exact, rounded, ok
}

// permits is the permission of a pair.
func (m *model) permits(c *peer, b *body) bool {
	if c.self == b {
		return true
	}
	if b.Need&^c.Mask != 0 || b.Any != 0 && b.Any&c.Mask == 0 {
		return false
	}
	return !b.Ask || b.allows(c.ID)
}

// allows is the predicate.
func (b *body) allows(c vicinity.ConnID) bool { return b.allowed>>c&1 != 0 }

func (c *peer) related(b *body) bool {
	if c.relations[b] != 0 {
		return true
	}
	for i, g := range b.Groups {
		if g != 0 && g == c.Groups[i] {
			return true
		}
	}
	return false
}

// look brings a peer's pairs up to date.
func (m *model) look(c *peer) {
	for _, b := range m.bodies {
		if b.known && c.pairs[b] == nil {
			c.pairs[b] = &pair{}
		}
	}
	for b, p := range c.pairs {
		d, _, somewhere := c.distance2(b)
		enter, leave := m.reachOf(c, b)
		member := false
		if somewhere && !b.gone && m.permits(c, b) && !(c.ExcludeSelf && b == c.self) {
			p.spatial = d <= enter*enter || p.member && p.spatial && d <= leave*leave
			member = p.spatial || c.related(b)
		}
		if member != p.member {
			p.member, p.since = member, m.tick
			if member {
				p.level = m.level(d, 2, 0)
			}
		}
		if !member {
			p.spatial = false
		} else {
			p.level = m.level(d, p.level, m.cfg.Levels.Margin)
		}
		if !p.member && !p.delivered {
			delete(c.pairs, b)
		}
	}
}

// level is the level at a squared distance of a pair that had another: better ones
// begin at their limit, worse ones beyond the limit and the margin.
func (m *model) level(d2 float64, had int, margin float64) int {
	l := m.cfg.Levels
	if l == (vicinity.Levels{}) {
		return 0
	}
	limit := func(v float64) bool { return d2 <= v*v }
	switch {
	case limit(l.Near) || had == 0 && limit(l.Near+margin):
		return 0
	case limit(l.Mid) || had <= 1 && limit(l.Mid+margin):
		return 1
	}
	return 2
}

// offers lists what may be sent to a peer, and counts who has not changed, and whose
// enter is held back by a leave.
func (m *model) offers(c *peer) (all []sendable, unchanged, held int) {
	leaving := map[uint64]bool{}
	for b, p := range c.pairs {
		if !p.member {
			leaving[b.ID] = true
		}
	}
	for b, p := range c.pairs {
		s := sendable{b: b, p: p}
		s.ID = b.ID
		switch {
		case !p.member:
			s.Remove, s.Waited = true, uint32(m.tick-p.since)
			s.Cost[0] = m.cfg.RemoveCost
		case !p.delivered:
			if c.Budget != 0 && leaving[b.ID] {
				held++
				continue
			}
			s.kind, s.Spawn, s.Waited = 1, true, uint32(m.tick-p.since)
			s.Cost[0] = b.SpawnCost
			m.rank(c, &s)
		case c.watch:
			continue
		case b.changed > p.sent:
			if p.waits == 0 {
				p.waits = m.tick
			}
			s.kind, s.Waited, s.Silent = 2, uint32(m.tick-p.waits), uint32(m.tick-p.sent)
			s.Cost, s.Level, s.Group = b.Cost, p.level, b.Bundle
			s.MustSend = b.MustSend || c.weights[b].must
			m.rank(c, &s)
		default:
			unchanged++
			continue
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b sendable) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.ID, b.ID)) })
	return all, unchanged, held
}

func (m *model) rank(c *peer, s *sendable) {
	s.Priority = uint16(min(max(int64(s.b.Priority)+int64(c.weights[s.b].delta), 0), 65535))
	_, s.Dist2, _ = c.distance2(s.b)
	s.Class = int(s.b.Class)
}

// decision is what one delivery is to be.
type decision struct {
	all      []sendable
	lines    []string // who is sent, in words
	sent     []int    // indexes into all
	bytes    uint64
	deferred [packer.Whys]int
	oldest   uint32
}

// decide packs for a peer.
func (m *model) decide(c *peer) (d decision) {
	var unchanged, held int
	d.all, unchanged, held = m.offers(c)
	if c.Budget == 0 {
		for i := range d.all {
			s := &d.all[i]
			for s.Cost[s.Level] == 0 {
				s.Level--
			}
			d.send(i, s.Cost[s.Level], s.Level)
			d.oldest = max(d.oldest, s.Waited)
		}
	} else {
		offers := make([]oracle.Offer, len(d.all))
		for i := range d.all {
			offers[i] = d.all[i].Offer
		}
		reserve := c.Reserve
		if reserve == 0 {
			reserve = c.Budget / 2
		}
		spending := oracle.Spending{Bytes: c.Budget, Reserve: reserve, StarvedShare: m.cfg.StarvedShare, Degrade: m.cfg.Degrade}
		for _, k := range m.cfg.Classes {
			spending.Classes = append(spending.Classes, oracle.Traffic(k))
		}
		plan := oracle.Pack(offers, spending)
		for _, s := range plan.Selected {
			d.send(s.Index, s.Cost, s.Level)
		}
		for _, why := range plan.Why {
			for w := range packer.Whys {
				if why == packer.Why(w).String() {
					d.deferred[w]++
				}
			}
		}
		d.oldest = plan.OldestWait
	}
	d.deferred[packer.WhyUnchanged] += unchanged
	d.deferred[packer.WhyAwaitingSpawn] += held
	slices.Sort(d.lines)
	return d
}

func (d *decision) send(i int, cost uint32, level int) {
	s := &d.all[i]
	d.sent = append(d.sent, i)
	d.bytes += uint64(cost)
	jumped := s.kind == 2 && s.b.jumped > s.p.sent
	d.lines = append(d.lines, line(s.kind, s.ID, s.b.handle, cost, uint8(level), jumped))
}

func line(kind int, id uint64, h vicinity.Handle, cost uint32, level uint8, jumped bool) string {
	return fmt.Sprintf("%s %d %v: %d bytes, level %d, jumped %v", [...]string{"leave", "enter", "update"}[kind], id, h, cost, level, jumped)
}

// describe says what a delivery holds.
func describe(d *vicinity.Delivery) []string {
	var lines []string
	for kind, items := range [][]vicinity.Item{d.Leaves, d.Enters, d.Updates} {
		for _, i := range items {
			lines = append(lines, line(kind, i.ID, i.Entity, i.Cost, i.Level, i.Jumped))
		}
	}
	slices.Sort(lines)
	return lines
}

// commit notes that the peer got it.
func (m *model) commit(c *peer, d *decision) {
	for _, i := range d.sent {
		s := &d.all[i]
		if s.kind == 0 {
			delete(c.pairs, s.b)
			continue
		}
		s.p.delivered, s.p.sent, s.p.waits = true, m.tick, 0
	}
}

// observers lists who has a body in view.
func (m *model) observers(b *body) []vicinity.ConnID {
	var all []vicinity.ConnID
	for id, c := range m.peers {
		if p := c.pairs[b]; p != nil && p.member {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return all
}

func (m *model) sortedBodies() []*body {
	return slices.SortedFunc(maps.Values(m.bodies), func(a, b *body) int { return cmp.Compare(a.ID, b.ID) })
}

func (m *model) sortedPeers() []*peer {
	return slices.SortedFunc(maps.Values(m.peers), func(a, b *peer) int { return cmp.Compare(a.ID, b.ID) })
}
