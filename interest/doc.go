// Package interest decides who may know what: it turns the candidates of spatial
// queries into one relevance set an observer, with an exact difference from what
// was last delivered. It never looks at bytes.
//
//	grid.Snapshot ──▶ one or two kernel calls an observer ──▶ View: rows ──▶ Enters, Leaves
//	                                                            ▲                  │
//	                                                            └───── Commit ─────┘
//
// # Terms
//
// An observer is a point of view, usually centred on an entity. Its view is the
// set of entities that it may know at present, its members. Each member has a
// row, a small dense index within the view: the lowest free one when it enters,
// free again when its leave was delivered. The reach of a pair, by the entity's
// class (its grid layer) and the observer, is the radius at which a stranger enters
// and the margin beyond it up to which a member stays. A source is a reason to be
// a member; so far there is one, [Spatial].
//
// # Rules that always hold
//
//   - A stranger enters at distance <= Enter; a member stays until the distance
//     exceeds Enter + Margin. Distances are exact; with heights the same holds for
//     |dz| with Height and HeightMargin, and both must be met.
//   - A changed reach acts at the next update, without any movement.
//   - A handle is an identity: a slot that was freed and reused is a leave of the
//     old handle and an enter of the new one. What left the snapshot leaves every
//     view in the next update.
//   - The difference is relative to what was delivered: what [View.Commit]
//     confirmed. What is not confirmed stays pending, for ever if need be; an enter
//     that leaves before it was delivered costs nothing; a leave that returns
//     before it was delivered is no event at all.
//   - Enters come sorted by entity ID, leaves by row. Same calls, same result,
//     whatever the number of workers, the kernels, or the order of insertion.
//   - The observer's own entity is a member, unless it is excluded.
//
// # How an update works
//
// There are two ways, with the same result. The general one asks the grid for all
// within the leave radius and compares them with the rows. The one-pass way is
// for a view that was updated at the snapshot before with the same reach, on a grid
// that keeps previous positions: one kernel tests the old and the new position of
// everything near and reports the few that crossed a limit; rows are touched only
// for those. [Stats] counts both.
//
// # Cost
//
// A member takes 28 bytes, of which an update reads 4, in order, if nothing happens
// to it. Nothing allocates in the steady state. Updates of distinct views may run
// concurrently; [Set.UpdateAll] does that.
package interest
