// Package packer decides what fits the byte budget: which of one connection's
// candidates are sent this tick, and which wait. Visible is a qualification,
// sendable is a decision; this is the decision.
//
//	Candidates ──▶ Pack ──▶ Plan ──▶ (caller sends) ──▶ Commit ──▶ last-sent column
//	  columns        ▲
//	              Budget
//
// # Terms
//
// A candidate may be sent: a remove, a spawn, or an update. Removes and spawns
// are the lifecycle. Its cost is its size in bytes at a level of detail, 0 being the
// finest. What is sent is selected; what is not is deferred, still visible, and is
// a candidate again next tick. A candidate waits since the oldest change of it that
// was not sent; at rest it does not wait. Who waited its class's MaxSilence is
// starved.
//
// # Rules that always hold
//
//  1. Used <= Bytes, and removes and spawns together <= Reserve. What they leave of
//     the reserve goes to updates.
//  2. Bytes are spent on removes; then spawns; then must-send; then, class by class,
//     guaranteed shares; then the starved, up to their share; then everybody else,
//     the normal ones. Whoever is not served by a share or as starved is a normal
//     one too. Shares are parts of what is left after must-send.
//  3. Each of these goes by the total order: effective priority descending, squared
//     distance ascending, ID ascending. The starved go by wait first, the longest
//     before, and then by the total order. The order in which candidates are given
//     decides nothing.
//  4. First fit: what does not fit when its turn comes is deferred, and does not
//     block what is behind it and does.
//  5. Everything is checked before anything is done. On an error the plan is as it
//     was.
//  6. Pack looks at the input alone and remembers nothing.
//  7. Pack plans and Commit, later, notes what was sent. A plan that is dropped
//     leaves no trace.
//  8. Everything that is selected has a [Reason], everything deferred a [Why].
//  9. A candidate whose cost is above Bytes (for an update) or above Reserve (for a
//     remove or spawn) is WhyOversize, every time. It is not starved and starves
//     nobody.
//  10. Effective priority = min(Priority + AgeWeight * Waited, 65535). Those that
//     have reached 65535 are equals; distance and ID decide between them.
//  11. The starved are served before the normal ones within StarvedShare of what is
//     left after must-send. See below for what that guarantees.
//  12. A class's Share of what is left after must-send is spent on its candidates
//     first, at their wanted levels. What its must-send cost counts toward it. What
//     it does not use flows on. Shares are rounded as [Class] says, bytes down.
//  13. With Degrade, what does not fit at its wanted level is sent at the finest
//     coarser level that does; must-send never is, and nobody is within a class's
//     share, as their turn as normal ones is still to come. A starved one that was
//     lowered so as to fit into the starved share is raised again at the end, as far
//     as the bytes that nobody could use allow.
//  14. An update that was sent less than its class's MinInterval ago, times
//     Packer.Stretch, is WhyTooSoon, unless it is must-send or starved.
//  15. A group is one candidate, sent whole or not at all: it costs the sum of its
//     members, has the key and class of its best member in the total order, and the
//     longest wait. One must-send member makes it must-send, one starved member
//     starved. It is too soon only if all its members are. Degrading lowers all
//     members by one level at a time. Members that are Unchanged or AwaitingSpawn
//     stay behind and do not count. The removes, the spawns and the updates of a
//     group are each a group of their own, as they spend different bytes.
//  16. [Stats] sums plans up in a fixed size.
//
// # What MaxSilence guarantees
//
// Let S be the class's MaxSilence; M the most that removes, spawns and must-send
// spend in a tick; A = StarvedShare * (Bytes - M), rounded down; C the sum of the
// dearest levels of everything that is visible at one time or another while X waits;
// c <= A the cost of X, or of X's whole group, whose members stay the same. With
// Degrade it is the cost at the cheapest level, unless X is must-send at times, as
// that is never lowered. Then X is sent at most
//
//	S + 1 + (C - c) / (A - c + 1)    rounded down
//
// ticks after its oldest unsent change. For from S ticks on X is starved (and never
// WhyTooSoon, by rule 14; if it is must-send meanwhile it is sent at once, as
// c <= A fits into whatever must-send leaves). The classes' shares leave at least A
// for the starved, as all shares sum to at most 1. A tick that passes X over does so
// because less than c of A is left when X's turn comes: more than A - c bytes, so
// at least A - c + 1, went to starved ones ahead of X. Those have waited longer
// than X, or as long. Each of them has been sent now, so if it ever waits again it
// is since a later change than X's: it is behind X for as long as X waits. So what
// is served ahead of X on all those ticks together is all different and none of it
// is X: at most C - c bytes, and there are at most (C - c) / (A - c + 1) such ticks.
//
// [Budget.MaxWait] computes this ahead of time. It promises nothing for c > A, for
// S = 0, or while an entity is held back by AwaitingSpawn. The starved have only
// their share since otherwise, under overload, everybody is starved and priority
// means nothing.
//
// # Cost
//
// Pack takes some nanoseconds a candidate and does not allocate in the steady
// state. It does not sort all candidates, but only as far as the budget reaches:
// each gets a key of 64 bits, and kernels of package asm part the keys at a pivot
// and add up what the better part costs, until it is known whom the walk reaches.
// Each rule that is in force adds a pass over the columns that it needs; rules that
// are not cost nothing. A Packer keeps 30 to 120 bytes, by the rules in force, for
// each of the most candidates it has seen at once.
//
// # Concurrency
//
// A [Budget] is immutable and may be shared by all. A [Packer], a [Plan] and a
// [Stats] belong to one goroutine at a time: keep one of each a worker. Nothing is
// kept from call to call, so any Packer may serve any connection.
package packer
