package oracle

import (
	"cmp"
	"math"
	"slices"
)

// shareUnit is what shares are rounded to the nearest of; bytes are rounded down.
const shareUnit = 3_603_600_000

func part(share float64, bytes uint64) uint64 {
	return uint64(math.Round(share*shareUnit)) * bytes / shareUnit
}

func (s Spending) withDefaults() Spending {
	if len(s.Classes) == 0 {
		s.Classes = []Traffic{{}}
	}
	if s.StarvedShare == 0 {
		s.StarvedShare = 1.0 / 3
	}
	if s.Stretch == 0 {
		s.Stretch = 1
	}
	return s
}

// parcels returns all that is sent or not as one, sorted by the total order, and
// notes why in out for offers that have nothing to send.
func (s *Spending) parcels(offers []Offer, out *Packed) []*parcel {
	order := make([]int, len(offers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &offers[a], &offers[b]
		return cmp.Or(
			cmp.Compare(s.effective(y), s.effective(x)),
			cmp.Compare(x.Dist2, y.Dist2),
			cmp.Compare(x.ID, y.ID),
		)
	})
	type key struct{ group, kind int }
	groups := map[key]*parcel{}
	var all []*parcel
	for _, i := range order {
		o := &offers[i]
		kind := o.kind()
		switch {
		case kind == 2 && o.AwaitingSpawn:
			out.Why[i] = "awaiting spawn"
			continue
		case kind == 2 && o.Unchanged:
			out.Why[i] = "unchanged"
			continue
		}
		k := key{int(o.Group), kind}
		p := groups[k]
		if p == nil || o.Group == 0 {
			p = &parcel{kind: kind}
			groups[k] = p
			all = append(all, p)
		}
		p.add(s, o, i)
	}
	return all
}

// add makes o, which is offer i, one of p.
func (p *parcel) add(s *Spending, o *Offer, i int) {
	p.members = append(p.members, i)
	p.must = p.must || o.MustSend && p.kind == 2
	p.starved = p.starved || s.starved(o)
	p.wait = max(p.wait, o.Waited)
	levels := o.levels()
	for step := range p.cost {
		p.cost[step] += uint64(o.Cost[levels[min(step, len(levels)-1)]])
	}
}

// fits returns how many levels p must be lowered to fit into room, -1 if it does
// not. Without lower only the finest levels are tried that could ever fit.
func (p *parcel) fits(room uint64, lower bool) int {
	for step := p.first; step < len(p.cost); step++ {
		if p.cost[step] <= room {
			return step
		}
		if !lower {
			break
		}
	}
	return -1
}

// soon returns whether all of p were sent too short a time ago, and whether that
// is so because intervals are stretched.
func (s *Spending) soon(offers []Offer, p *parcel) (soon, stretched bool) {
	soon = p.kind == 2 && !p.must
	for _, i := range p.members {
		o := &offers[i]
		interval := s.Classes[o.Class].MinInterval[o.Level]
		long := min(float64(interval)*s.Stretch, math.MaxUint32)
		soon = soon && o.Silent < uint32(long) && !s.starved(o)
		stretched = stretched || o.Silent >= interval
	}
	return soon, soon && stretched
}

func (s *Spending) starved(o *Offer) bool {
	silence := s.Classes[o.Class].MaxSilence
	return silence > 0 && o.Waited >= silence
}

func (s *Spending) effective(o *Offer) uint64 {
	return min(uint64(o.Priority)+uint64(s.Classes[o.Class].AgeWeight)*uint64(o.Waited), math.MaxUint16)
}

// kind returns 0 for a remove, 1 for a spawn, 2 for an update.
func (o *Offer) kind() int {
	switch {
	case o.Remove:
		return 0
	case o.Spawn:
		return 1
	}
	return 2
}

// levels returns the level at which o is wanted, and the coarser ones it has.
func (o *Offer) levels() []int {
	first := o.Level
	for first > 0 && o.Cost[first] == 0 {
		first--
	}
	all := []int{first}
	for l := first + 1; l < len(o.Cost); l++ {
		if o.Cost[l] > 0 {
			all = append(all, l)
		}
	}
	return all
}

func (out *Packed) defers(p *parcel, why string) {
	for _, i := range p.members {
		out.Why[i] = why
	}
}

// walk takes what fits, in order.
type walk struct {
	offers  []Offer
	out     *Packed
	sent    []*parcel
	reasons []string // of sent
}

// serve walks over a list with room bytes, lowering what does not fit if it may.
func (w *walk) serve(list []*parcel, room uint64, lower bool, reason string) {
	for _, p := range list {
		if p.sent {
			continue
		}
		if step := p.fits(room, lower); step >= 0 {
			p.sent, p.step = true, step
			room -= p.cost[step]
			w.out.Used += p.cost[step]
			w.sent, w.reasons = append(w.sent, p), append(w.reasons, reason)
		}
	}
}

// report writes what was sent into Selected.
func (w *walk) report() {
	for n, p := range w.sent {
		for _, i := range p.members {
			levels := w.offers[i].levels()
			level := levels[min(p.step, len(levels)-1)]
			w.out.Selected = append(w.out.Selected, Choice{i, w.offers[i].Cost[level], level, w.reasons[n]})
		}
	}
}
