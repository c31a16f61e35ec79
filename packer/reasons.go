package packer

import "strconv"

// A Reason says why a candidate was selected.
type Reason uint8

const (
	// ReasonLifecycle: a remove or a spawn, out of the reserve.
	ReasonLifecycle Reason = iota
	// ReasonMustSend: it has the flag MustSend.
	ReasonMustSend
	// ReasonGuaranteed: within its class's share.
	ReasonGuaranteed
	// ReasonStarved: it waited its class's MaxSilence.
	ReasonStarved
	// ReasonChanged: its turn came in the order of all, for a change whose age is known
	// (Candidates.Waited).
	ReasonChanged
	// ReasonNearby: its turn came in the order of all; nothing is known of its changes.
	ReasonNearby
)

// Reasons is how many there are.
const Reasons = 6

// A Why says why a candidate was deferred.
type Why uint8

const (
	// WhyNoRoom: what was left did not hold it when its turn came.
	WhyNoRoom Why = iota
	// WhyOversize: its cost is above all that could ever be left for it: for updates
	// the budget, for removes and spawns the reserve. It will be WhyOversize every
	// tick; split it, or send it another way.
	WhyOversize
	// WhyTooSoon: it was sent less than its class's MinInterval ago.
	WhyTooSoon
	// WhyUnchanged: it has the flag Unchanged.
	WhyUnchanged
	// WhyAwaitingSpawn: it has the flag AwaitingSpawn.
	WhyAwaitingSpawn
)

// Whys is how many there are.
const Whys = 5

var reasonNames = [Reasons]string{"lifecycle", "must send", "guaranteed", "starved", "changed", "nearby"}

// String returns the reason in words.
func (r Reason) String() string {
	if r < Reasons {
		return reasonNames[r]
	}
	return "Reason(" + strconv.Itoa(int(r)) + ")"
}

var whyNames = [Whys]string{"no room", "oversize", "too soon", "unchanged", "awaiting spawn"}

// String returns why in words.
func (w Why) String() string {
	if w < Whys {
		return whyNames[w]
	}
	return "Why(" + strconv.Itoa(int(w)) + ")"
}
