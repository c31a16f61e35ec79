package oracle

import (
	"cmp"
	"slices"
)

// Offer is somebody who may be sent to one connection: a remove, a spawn, or an
// update. IDs are unique among each of these.
type Offer struct {
	ID       uint64
	Priority uint16
	Dist2    float32 // at least 0; only compared
	// Cost in bytes by level of detail. Cost[0] is above 0; 0 elsewhere: no such level.
	Cost           [3]uint32
	Level          int // wanted; without it, the next finer there is
	Class          int // index into Spending.Classes
	Waited, Silent uint32
	Group          uint32 // 0: none

	Remove, Spawn, MustSend, Unchanged, AwaitingSpawn bool
}

// Traffic is how one class of offers is treated.
type Traffic struct {
	AgeWeight, MaxSilence uint32
	Share                 float64
	MinInterval           [3]uint32
}

// Spending is what may be spent in a tick, and how.
type Spending struct {
	Bytes, Reserve uint32
	Classes        []Traffic // none: one, of zeros
	StarvedShare   float64   // 0: a third
	Stretch        float64   // of MinInterval; 0: 1
	Degrade        bool
	// AgesUnknown: nothing is known of Waited, so normal ones are "nearby" instead
	// of "changed".
	AgesUnknown bool
}

// Choice is one offer that is sent.
type Choice struct {
	Index  int // of the offer
	Cost   uint32
	Level  int
	Reason string // "lifecycle", "must send", "guaranteed", "starved", "changed", "nearby"
}

// Packed is what Pack decided.
type Packed struct {
	Selected []Choice // in the order of spend
	// Why, by offer: "" if selected, else "no room", "oversize", "too soon",
	// "unchanged", "awaiting spawn".
	Why []string
	// Used is the sum of all costs, Lifecycle that of removes and spawns.
	Used, Lifecycle uint64
	// MustDeferred counts the must-sends with something to send that are not sent,
	// Stretched those too soon because of Stretch alone.
	MustDeferred, Stretched int
	OldestWait              uint32 // of what is selected, "no room" or "too soon"
}

// parcel is what is sent or not as one: an offer, or those of a group.
type parcel struct {
	members             []int // best first
	kind                int   // 0 remove, 1 spawn, 2 update
	must, starved, sent bool
	wait                uint32
	cost                [3]uint64 // by how many levels coarser than wanted
	first               int       // step, of those that could ever fit
	step                int       // at which it was sent
}

// Pack decides by sorting everything and walking. The offers are valid and so is
// s; nothing is checked.
func Pack(offers []Offer, s Spending) Packed {
	s = s.withDefaults()
	out := Packed{Why: make([]string, len(offers))}
	var removes, spawns, musts, updates []*parcel
	for _, p := range s.parcels(offers, &out) {
		limit := s.Bytes
		if p.kind < 2 {
			limit = s.Reserve
		}
		soon, stretched := s.soon(offers, p)
		p.first = p.fits(uint64(limit), s.Degrade && !p.must)
		switch {
		case p.first < 0:
			out.defers(p, "oversize")
			continue
		case p.kind == 0:
			removes = append(removes, p)
		case p.kind == 1:
			spawns = append(spawns, p)
		case p.must:
			musts = append(musts, p)
		case soon:
			out.defers(p, "too soon")
			if stretched {
				out.Stretched += len(p.members)
			}
		default:
			updates = append(updates, p)
		}
		out.OldestWait = max(out.OldestWait, p.wait)
	}

	w := walk{offers: offers, out: &out}
	w.serve(removes, uint64(s.Reserve), s.Degrade, "lifecycle")
	w.serve(spawns, uint64(s.Reserve)-out.Used, s.Degrade, "lifecycle")
	out.Lifecycle = out.Used
	w.serve(musts, uint64(s.Bytes)-out.Used, false, "must send")

	open := uint64(s.Bytes) - out.Used
	for class, t := range s.Classes {
		share := part(t.Share, open)
		for _, p := range musts {
			if p.sent && offers[p.members[0]].Class == class {
				share -= min(share, p.cost[p.step])
			}
		}
		own := slices.DeleteFunc(slices.Clone(updates), func(p *parcel) bool { return offers[p.members[0]].Class != class })
		w.serve(own, share, false, "guaranteed")
	}

	starved := slices.DeleteFunc(slices.Clone(updates), func(p *parcel) bool { return !p.starved })
	slices.SortStableFunc(starved, func(a, b *parcel) int { return cmp.Compare(b.wait, a.wait) })
	w.serve(starved, part(s.StarvedShare, open), s.Degrade, "starved")

	normal := "changed"
	if s.AgesUnknown {
		normal = "nearby"
	}
	lowered := len(w.sent)
	w.serve(updates, uint64(s.Bytes)-out.Used, s.Degrade, normal)
	for _, p := range w.sent[:lowered] { // what is left lifts those that a share lowered
		left := uint64(s.Bytes) - out.Used
		if k := p.fits(left+p.cost[p.step], true); p.kind == 2 && !p.must && k < p.step {
			out.Used += p.cost[k] - p.cost[p.step]
			p.step = k
		}
	}
	w.report()
	for _, list := range [][]*parcel{removes, spawns, musts, updates} {
		for _, p := range list {
			if !p.sent {
				out.defers(p, "no room")
			}
		}
	}
	for i, o := range offers {
		if why := out.Why[i]; o.MustSend && !o.Remove && !o.Spawn && (why == "no room" || why == "oversize") {
			out.MustDeferred++
		}
	}
	return out
}
