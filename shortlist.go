package vicinity

import (
	"math"

	"vicinity/packer"
)

// A crowd is thousands who see each other, of whom a budget takes a few dozen each
// tick. To list all of them for the packer, in a dozen columns, would cost many
// times what ranking them does. So a scan reads some 20 bytes a member and passes
// on those only who are within limits: whose key is up to that of the last one sent
// in the connection's last delivery, with some slack; and of the starving, who go by
// how long they wait, those who wait as long as the last of them that was sent, with
// some grace.
//
// Packing these gives the same result as packing all, if
//
//   - what is left of the budget is below the least cost of anybody passed over,
//   - nobody was taken in the order of keys whose key is beyond the limit,
//   - and, if starving ones were passed over, the same holds for what is set aside for
//     the starving, and the limit of waiting.
//
// For then those passed over come later in each order than all that were taken, and
// when their turns come none of them fits. If it does not hold, all are packed.
//
// It is right only for policies without other rules: see World.shortlists.

// shortlist is the limits of a connection's scans, carried from tick to tick.
type shortlist struct {
	limits
	set   bool
	slack uint64 // added to the last key
	grace uint32 // ticks, added to the last wait
}

const (
	// shortRows is from how many rows on limits pay.
	shortRows = 256
	// minSlack and maxSlack bound the slack: between a sixteenth of an octave of squared
	// distance, and everything.
	minSlack, maxSlack = 1 << 19, 1 << 50
	maxGrace           = 1 << 10
)

// usePolicy notes what the traffic classes ask for.
func (w *World) usePolicy() {
	w.shortlists = true
	for i := range w.silences {
		w.silences[i] = math.MaxUint32 // longer than any wait that stamps can tell
	}
	for i, c := range w.cfg.Classes {
		if c.MinInterval != [packer.Levels]uint32{} {
			w.spaced, w.shortlists = true, false
		}
		if c.Share != 0 {
			w.shortlists = false
		}
		w.ageWeights[i] = c.AgeWeight
		if c.MaxSilence != 0 {
			w.silences[i] = c.MaxSilence
			// What is left can raise the level of what was degraded: then what was left
			// when the turn of those passed over came is not known.
			w.shortlists = w.shortlists && !w.cfg.Degrade
		}
		w.waiting = w.waiting || c.AgeWeight != 0 || c.MaxSilence != 0
	}
	if w.starvedShare = w.cfg.StarvedShare; w.starvedShare == 0 {
		w.starvedShare = 1.0 / 3
	}
}

// isCrowd reports whether a connection's scans may have limits.
func (w *World) isCrowd(c *connection) bool {
	return w.shortlists && 64*c.view.Words() >= shortRows
}

// limitsFor returns the limits of a connection's scan.
func (w *World) limitsFor(c *connection) limits {
	if w.isCrowd(c) && c.short.set && c.trace == nil && w.mustSends == 0 && w.bundles == 0 &&
		w.dearest <= c.budget.Bytes() {
		return c.short.limits
	}
	return everybody
}

// last is the worst that was taken of each kind.
type last struct {
	key    uint64 // by the order of keys
	since  uint32 // of the starving
	hunger uint32 // bytes that the starving took
	must   uint32 // bytes that went before them
}

// lastOf returns what a plan took.
func (w *World) lastOf(sc *scratch) (l last) {
	t := &sc.table
	for i := range sc.plan.Selected {
		s := &sc.plan.Selected[i]
		k := s.Index
		switch {
		case int(k) < t.enters:
		case s.Reason == packer.ReasonMustSend:
			l.must += s.Cost
		case s.Reason == packer.ReasonStarved:
			l.hunger += s.Cost
			l.since = max(l.since, w.now-t.all.Waited[k])
		default:
			rank := math.MaxUint16 - t.all.Priority[k]
			l.key = max(l.key, key(w.age(rank, t.all.Class[k], t.all.Waited[k]), t.all.Dist2[k]))
		}
	}
	return l
}

// settled reports whether a plan made within limits, which took l, is that for all.
func (w *World) settled(sc *scratch, limit limits, l last) bool {
	f, p := &sc.found, &sc.plan
	if f.skipped == 0 {
		return true
	}
	if p.Left() >= f.least || l.key > limit.key {
		return false
	}
	if f.starving == 0 {
		return true
	}
	// One byte more than is set aside, for the rounding of shares.
	aside := uint32(float64(p.Budget-p.Lifecycle-l.must)*w.starvedShare) + 1
	return l.since <= limit.since && aside < l.hunger+f.least
}

// learn sets the limits of the next scan by a plan that stands, which took l. failed
// says that the first try did not.
func (s *shortlist) learn(sc *scratch, l last, failed bool) {
	if s.slack == 0 {
		s.slack, s.grace = 1<<22, 2
	}
	offered, selected := len(sc.found.rows), len(sc.plan.Selected)
	switch {
	case failed:
		s.slack, s.grace = min(8*s.slack, maxSlack), min(2*s.grace, maxGrace)
	case sc.found.skipped > 0 && offered > 3*selected+32:
		s.slack, s.grace = max(s.slack/2, minSlack), max(s.grace-1, 1)
	}
	s.set = sc.plan.ByWhy[packer.WhyNoRoom]+sc.found.skipped > 0 // else all fit
	s.limits = limits{key: l.key + s.slack, since: l.since + s.grace}
}
