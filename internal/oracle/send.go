package oracle

import (
	"cmp"
	"slices"
)

// send offers everything that an observer has not got yet, packs it, and delivers
// what was selected.
func (w *World) send(c *conn, tick uint64) Sent {
	s := Sent{Observer: c.ID}
	pending, offers := w.pending(c, tick)
	plan := w.pack(offers)
	s.Oldest, s.Bytes = plan.OldestWait, uint32(plan.Used)
	for i, b := range pending {
		switch plan.Why[i] {
		case "":
			s.Items = append(s.Items, Item{b.ID, what(&offers[i])})
			c.deliver(b, &offers[i], tick)
		case "oversize":
			s.Oversize++
			s.Deferred++
		default:
			s.Deferred++
		}
	}
	slices.SortFunc(s.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.What, b.What))
	})
	return s
}

// pack decides what is sent; without a budget, everything.
func (w *World) pack(offers []Offer) Packed {
	if w.cfg.Budget == 0 {
		return Packed{Why: make([]string, len(offers))}
	}
	return Pack(offers, Spending{
		Bytes: w.cfg.Budget, Reserve: w.cfg.Reserve, Classes: []Traffic{{MaxSilence: w.cfg.MaxSilence}},
	})
}

// pending lists the bodies of which something is not sent, and what that is. The
// order is any: packing does not depend on it. Under a budget a spawn is held back
// while the removal of somebody who had the same ID is pending.
func (w *World) pending(c *conn, tick uint64) ([]*body, []Offer) {
	var bodies []*body
	var offers []Offer
	leaving := make(map[uint64]bool)
	for b, p := range c.pairs {
		if b.gone && !p.member {
			leaving[b.ID] = true
		}
	}
	for b, p := range c.pairs {
		o := Offer{
			ID: b.ID, Priority: b.Priority, Dist2: c.dist2(&b.Entity),
			Cost: [3]uint32{b.Cost}, Waited: uint32(tick - p.since),
		}
		switch {
		case !p.member:
			o.Remove, o.Priority, o.Dist2, o.Cost = true, 0, 0, [3]uint32{w.cfg.RemoveCost}
		case !p.delivered:
			if leaving[b.ID] && w.cfg.Budget > 0 {
				continue
			}
			o.Spawn = true
		case b.changed > p.sent:
			if p.waits == 0 {
				p.waits = tick
			}
			o.Waited = uint32(tick - p.waits)
		default:
			continue
		}
		bodies, offers = append(bodies, b), append(offers, o)
	}
	return bodies, offers
}

func what(o *Offer) What { return [...]What{SendRemove, SendSpawn, SendUpdate}[o.kind()] }

// dist2 is the squared distance in the plane as candidates carry it: rounded to
// float32 at every step.
func (o *Observer) dist2(e *Entity) float32 {
	dx, dy := float32(e.X-o.X), float32(e.Y-o.Y)
	return float32(dx*dx) + float32(dy*dy)
}

// deliver notes that the peer got it.
func (c *conn) deliver(b *body, o *Offer, tick uint64) {
	if o.Remove {
		delete(c.pairs, b)
		return
	}
	p := c.pairs[b]
	p.delivered, p.sent, p.waits = true, tick, 0
}
