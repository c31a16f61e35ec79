// Package interest decides who may know what: it turns the candidates of spatial
// queries into one relevance set an observer, with an exact difference from what
// was last delivered. It never looks at bytes.
//
//	             relations, groups      traits, predicate         Cap
//	                    │                      │                   │
//	grid.Snapshot ──▶ sources ──────────▶ permission ─────────▶ culling ──▶ View: rows ──▶ Enters, Leaves
//	(or candidates)     ▲                                                      ▲                │
//	                    └──────────────────── who was Spatial ─────────────────┴──── Commit ────┘
//
// # Terms
//
// An observer is a point of view, or several, usually centred on an entity. Its view
// is the set of entities that it may know at present, its members. Each member has a
// row, a small dense index within the view: the lowest free one when it enters,
// free again when its leave was delivered. The reach of a pair, by the entity's
// class (its grid layer) and the observer, is the radius at which a stranger enters
// and the margin beyond it up to which a member stays. A source is a reason to be
// relevant: [Spatial], that is, within reach; or a relation, which comes from equal
// groups ([Traits], [View.SetGroups]) or is given ([View.Relate]). Traits are what an
// entity is to all observers: groups, permission bits, whether it is protected.
//
// # Rules that always hold
//
//   - A stranger becomes Spatial at distance <= Enter; a member stays so until the
//     distance exceeds Enter + Margin. Distances are exact; with heights the same
//     holds for |dz| with Height and HeightMargin, and both must be met. Of several
//     viewpoints any will do.
//   - A changed reach, mask, cap, group or relation acts at the next update, without
//     any movement.
//   - A member stays as long as it has a source; it leaves when the last one goes. A
//     relation needs no nearness.
//   - Permission comes after all sources: need &^ mask == 0 && (any == 0 || any & mask
//     != 0), and for entities with Ask the predicate. Who is not permitted is no
//     member and has no row; nothing of it is remembered but relations, and the
//     predicate's no while it would enter else ([Config].Predicate). Who is
//     permitted again is judged as a stranger. The observer's own entity is exempt.
//   - A handle is an identity: a slot that was freed and reused is a leave of the
//     old handle and an enter of the new one. What left the snapshot leaves every
//     view in the next update, whatever its sources.
//   - The difference is relative to what was delivered: what [View.Commit] or
//     [View.CommitRows] confirmed. What is not confirmed stays pending, for ever if
//     need be; an enter that leaves before it was delivered costs nothing; a leave
//     that returns before it was delivered is no event at all.
//   - A view has no more members than its [Cap], but for those who are never culled.
//   - Enters come sorted by entity ID, leaves by row. Same calls, same result,
//     whatever the number of workers, the kernels, or the order of insertion.
//   - The observer's own entity is a member, unless it is excluded: it is within any
//     reach, and [Unseen] does not hide it.
//   - [Set.AppendObserversOf] names exactly the views that have an entity as a member.
//
// # Why somebody enters or leaves
//
// Every event has one [Reason]. Of several, a leave says the first of: despawn (or the
// observer is gone), reach changed, range, group, quest, permission, culled. An enter
// says permission if the entity's permission, the mask, or what the predicate may say
// changed since the view's last update; else reach changed, range, group or quest.
//
// # Culling
//
// The members of a view over its cap who may be culled fall into strata: eight octants
// times four rings of equal area around the observer, up to the leave radius; those
// without Spatial are one more. Strata take turns, in fixed order, until the cap is
// reached. Within a stratum those who were members before come first, then a score
// drawn by a PCG from observer ID, entity ID and [Config].Seed decides, then the ID. So
// a dense crowd on one side does not hide the few on the other, and little flickers. A
// culled entity has no row and is a stranger afterwards.
//
// # How an update works
//
// There are two ways, with the same result. The general one asks the grid for all
// within the leave radius, adds what is related, and compares them with the rows. The
// one-pass way is for a view that was updated at the snapshot before, of which nothing
// changed but places, on a grid that keeps previous positions: one kernel tests the old
// and the new position of everything near and reports the few that crossed a limit;
// rows are touched only for those. Entities whose traits changed are listed, and the
// same kernels tell each view which of them are near it. [Stats] counts both ways. A
// view goes the general way while it is over its cap, with several viewpoints, with a
// rate, after a pause, and when something of the observer changed; and all views do in
// a tick that publishes a changed body.
//
// # Cost
//
// A member takes 36 bytes, 5 more in a measured view; an update reads 4, in order, if
// nothing happens to it, 9 if it is measured. Traits take 64 bytes a slot, if anybody
// has some.
// Nothing allocates in the steady state. A paused view, and one that is not due,
// costs nothing. Design notes 5 and 7 have figures.
//
// # Concurrency
//
// A Set and its views are for one goroutine; [Set.UpdateAll] works on many inside,
// and calls the predicate and the visit there. Between two updates, calls for distinct
// views are independent, except those that change what the set knows of them:
// SetReach, SetCentre, SetViewpoints, SetRate, SetPaused, SetCap, SetGroups, Relate.
package interest
