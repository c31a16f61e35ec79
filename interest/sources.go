package interest

// Sources says why somebody is a member: a bit set. A member leaves when its last
// source goes.
type Sources uint16

// The sources.
const (
	// Spatial: the entity is within reach. The engine sets and clears it; the others
	// are relations.
	Spatial Sources = 1 << iota
	// Group0 to Group3: party, raid, guild, or what else the caller makes of them.
	// They come from equal group ids (see [Traits]) or from [View.Relate].
	Group0
	Group1
	Group2
	Group3
	// Quest: a quest of the observer is about the entity.
	Quest
	// Spectate: the observer watches the entity.
	Spectate
	// Pinned: the observer's target or the like. It is never culled.
	Pinned

	groupSources = Group0 | Group1 | Group2 | Group3
	relations    = groupSources | Quest | Spectate | Pinned
)

// groups is the number of group ids of entities and observers.
const groups = 4

// Reason says why an enter or a leave happened.
type Reason uint8

// The reasons.
const (
	// ReasonNone is no reason: the zero value.
	ReasonNone Reason = iota
	// ReasonRange: the distance changed.
	ReasonRange
	// ReasonReach: the reach changed; with the old one nothing would have happened.
	ReasonReach
	// ReasonDespawn: the entity is no longer there.
	ReasonDespawn
	// ReasonResync: [View.Resync] was called.
	ReasonResync
	// ReasonObserver: the observer is no longer there.
	ReasonObserver
	// ReasonGroup: a group of the pair began or ended.
	ReasonGroup
	// ReasonQuest: another relation began or ended, see [View.Relate].
	ReasonQuest
	// ReasonPermission: the entity may be known now, or may not any more.
	ReasonPermission
	// ReasonCulled: the view is over its cap.
	ReasonCulled
)

var reasonNames = [...]string{
	"none", "range", "reach changed", "despawn", "resync", "observer gone", "group", "quest", "permission", "culled",
}

// String returns the reason in words.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}

// reasonOf tells why a set of sources, not empty, makes or made a member.
func reasonOf(s Sources) Reason {
	switch {
	case s&Spatial != 0:
		return ReasonRange
	case s&groupSources != 0:
		return ReasonGroup
	}
	return ReasonQuest
}
