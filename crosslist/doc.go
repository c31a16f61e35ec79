// Package crosslist tells at the moment of a move who came into and who left the
// range of what: triggers on two sorted lists, of x and of y.
//
//	            low anchor          entities           high anchor
//	 x ────────────[──────────●────────●───────●────────────]────────●──────▶
//	           centre - R                              centre + R
//
// Use it for few moving things in a corridor, for trap zones that stand, and where
// an event is needed when something moves and not when the tick ends. Where most
// things move in every tick use package grid with package interest: it is many
// times faster there. Both decide alike, and a batch of moves is a tick.
//
// # Terms
//
// An entity has a handle of the caller's arena, a stable ID and a place, two int32
// coordinates in units; |coordinate| <= [MaxCoord]. A trigger has a centre, a radius,
// a margin and a shape, disc or box; it stands, or it is attached to an entity, its
// owner, and moves with it. Who is within the radius becomes a member, who is beyond
// radius and margin ceases to be one; its outer box is the square of radius and
// margin. An entity and a trigger whose outer box holds it are a pair. A node is an
// entity on an axis, or an anchor: the place where a trigger's interval begins or
// ends. An event is data: one change of one membership.
//
// # Rules that always hold
//
//   - After every call, or every batch, exactly those are members that the definition
//     makes members: a stranger enters at distance <= Radius, a member stays until
//     the distance exceeds Radius + Margin. Borders are closed, distances are exact
//     integers, and no coordinate is special.
//   - A call appends exactly one event for each pair whose membership differs from
//     what it was before, and none for others, whatever lies between the old place
//     and the new. A batch does that once, for all calls in it.
//   - Events of a call or batch are ordered by trigger ID, then entity ID. Same calls,
//     same events. Their order and number do not depend on the order of insertion.
//   - Events are appended when all is done. The caller may do anything while it reads
//     them: move, remove, insert, also what the events speak of.
//   - Each trigger has its own radius: that A sees B does not mean that B sees A.
//   - An owner is never a member of its own triggers. Remove it, and they go with it.
//   - A trigger and an entity that go are left: their members, and memberships, each
//     get a [Leave].
//   - An error changes nothing, and names the culprit.
//
// # How it works
//
// All nodes of an axis lie in one total order, (coordinate, kind, number), so that
// an entity is between two anchors exactly if the closed interval holds it. A move
// walks the entity's nodes, and the anchors of its triggers, to their new places, and
// pairs whose box begins or ceases to hold are among those that were passed. A pair
// can change without that, too: from (60, 60) to (90, 90) a disc of radius 100 is left
// and no anchor is passed. So triggers remember who is in their outer box, and for
// discs a move decides all pairs of what moved anew. A box with a margin has anchors
// at the radius and at radius + margin, so that passes suffice; a disc needs only
// those of its outer box.
//
// Nodes lie in blocks of contiguous memory, linked by index, with a coarse directory
// over them. Insert and teleport find their places there, and a move that is long
// does too.
//
// # Cost
//
// A move passes what lies between the old coordinate and the new, on each axis, for
// each node: that grows with the number of nodes that share a coordinate, which is
// the square root of all in a square of constant density, and nearly all in a ring or
// a town square. Passing one is cheap where it stays far away on the other axis. A
// pair that begins or ends costs a constant. A disc costs, in addition, a look at each
// pair of what moved. Removing costs the pairs, a rectangle the nodes between its
// edges on the axis that has fewer.
//
// A node takes about 12 bytes, an entity about 70 and a trigger about 90, a pair 8 to
// 16. Nothing allocates in the steady state: when no more is in the list and in its
// pairs than before.
//
// # Concurrency
//
// One goroutine at a time uses a [List], also to ask it.
package crosslist
