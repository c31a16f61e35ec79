// Package crosslist tells at the moment of a move who came into and who left the
// range of what: triggers on two sorted lists, of x and of y.
//
//	           low anchor          entities           high anchor
//	x ────────────[──────────●────────●───────●────────────]────────●──────▶
//	          centre - R                              centre + R
//
// Use it for few moving things in a corridor, for trap zones that stand, and where
// an event is needed when something moves and not when the tick ends. Where most
// things move in every tick use package grid with package interest: there it is
// several times faster, and the more so the more there are (see Cost). Both decide
// alike, and a batch of moves is a tick.
//
// # Terms
//
// An entity has a handle of the caller's arena, a stable ID and a place, two int32
// coordinates in units; |coordinate| <= [MaxCoord]. A trigger has a centre, a radius,
// a margin and a shape, disc or box; it stands, or it is attached to an entity, its
// owner, and moves with it. Who is within the radius becomes a member, who is beyond
// radius and margin ceases to be one; its outer box is the square of radius and
// margin. An entity and a trigger whose outer box holds it are a pair; candidates are
// those that are a pair, or were one. A node is an entity on an axis, or an anchor:
// the place where a trigger's interval begins or ends. An event is data: one change
// of one membership.
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
// and no anchor is passed. So a trigger remembers who is in its outer box, and for
// discs a move decides all pairs of what moved anew. A box with a margin has anchors
// at the radius and at radius + margin, so that passes suffice; a disc needs only
// those of its outer box.
//
// What there is to remember is little. Within the radius all are members, beyond the
// margin none: the places of before and now tell what changed, and nothing is looked
// up. In the margin members are noted, in a hash table of the whole list. And each
// side of a pair keeps the other as a candidate: it is added when the outer box begins
// to hold, and may stay when that has ended, until the list of candidates is full, or
// asked for, and cleaned by comparing places. So a pair that begins or ends costs no
// search.
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
// pair that begins or ends costs a constant, cleaning it away included. A disc costs,
// in addition, a look at each candidate of what moved. Removing costs the candidates,
// that are the pairs and those that ended since; a rectangle the nodes between its
// edges on the axis that has fewer.
//
// Measured side by side, as CPU time for each move, on two busy cores of an AMD EPYC
// with Go 1.26, by BenchmarkCrosslistRatio of package bench. Everybody moves up to
// half a metre on each axis and has a trigger of 25 m; 0.05 entities in a square
// metre; about 4 events a move:
//
//	                           1,000 entities      5,000 entities
//	boxes                       0.55 - 0.85 us      0.9 - 1.35 us
//	discs                         1.8 - 2.3 us       2.7 - 3.5 us
//	discs, all moves a batch      1.6 - 2.2 us       2.5 - 2.9 us
//	list manager (boxes)          6.4 - 8.4 us        18 - 21 us
//	grid and interest (discs)     0.6 - 0.85 us      0.8 - 0.95 us
//
// So boxes are at least 10 (1,000) and 15 times (5,000) faster than the list managers
// that areas of interest are often built on, and discs take 3 and 4 times as long as
// the grid.
//
// A node takes about 16 bytes, an entity 80 and a trigger 84 besides, a pair 8 to
// 32, and a member in the margin 16 to 32 more. Nothing allocates in the steady state:
// when no more is in the list and in its pairs than before.
//
// # Concurrency
//
// One goroutine at a time uses a [List], also to ask it.
package crosslist
