// Package vicinity decides, tick by tick and exactly, what each client of a large
// moving world is to be told: who came into its view, who left it, and whose changes
// fit its budget of bytes.
//
// A [World] is one space with all its stages in a row; the example shows one. Each
// stage is a package that also works alone:
//
//	simulation ── Spawn / Move / Despawn ──▶ arena, grid     one writer
//	                                          │ Tick: publish
//	                                          ▼
//	                                     grid.Snapshot        immutable, pinned by readers
//	                                          │ kernels of package asm
//	                                          ▼
//	                                     interest.View        enter, keep, leave; workers in parallel
//	                                          │ candidates
//	                                          ▼
//	                                     packer.Plan          selected, deferred; a hard byte budget
//	                                          │ callback
//	                                          ▼
//	                                      Delivery            for the caller's transport
//
// # Terms
//
// An entity is anything that is somewhere. It has the caller's ID, and a [Handle]
// that goes stale when it despawns. Its reach class says from how far it is seen, its
// traffic class what budgets promise to its kind. It changes when it moves to
// another place, and when the caller says so (Touch). It may have a [Body], a disc or a
// box around its position: then distances are to its nearest point.
//
// A connection looks from one or more viewpoints, usually its own entity, and has a
// budget; a watcher looks and is told of enters and leaves only. Who is in view, and
// why, is the matter of package interest: reach with hysteresis, groups and other
// relations, permission bits, caps on crowds. What fits, and what waits, is the
// matter of package packer.
//
// A [Delivery] is what one connection is to be sent in one tick: leaves, enters,
// updates. The callback returns whether it was sent. If not, it is decided anew.
//
// A [Reader] asks for who is where: within a radius, nearest, in a rectangle, a ring, a
// cone, a capsule; at the last tick, or with Config.History some ticks ago. What it finds
// is a [Found], not a Delivery: no view and no budget is asked, and permission only with
// Config.QueryMasks.
//
// # Rules that always hold
//
//   - Results are exact: distances are compared in whole units, borders included.
//     They are the same on every CPU, architecture and number of workers.
//   - A client knows an entity from its enter to its leave; in between it is sent
//     updates of what changed since it was sent last, and nothing else. An enter
//     carries the whole state.
//   - Nothing is lost: what was refused or did not fit is offered again.
//   - A delivery never exceeds its budget, and enters and leaves never their reserve.
//   - With a budget, the enter of an entity waits until the leave of an earlier one
//     with the same ID was delivered.
//   - One bad call hurts nobody else: it is refused with an error that names the
//     culprit, is counted in [Stats], and has changed nothing.
//
// # Metres and units
//
// Positions are whole units inside; a unit is a power of two of metres (1/256 m
// unless configured: 4 mm, and four thousand kilometres in every direction).
// Metres come in as float32 or float64 and are rounded once, at the door. That is
// why within(a, b, r) means dx*dx + dy*dy <= r*r in whole numbers everywhere. Packages
// below this one speak units.
//
// # Concurrency
//
// One goroutine at a time calls a World, except that between Ticks moves, teleports
// and touches of distinct handles may run at the same time as each other, and except
// for each [Reader] in its own goroutine, which may query at any time. During a Tick the
// callback runs on the workers, and changes are refused with [ErrBusy].
// There are no goroutines but those of the caller's workers.
//
// # Cost
//
// About 90 bytes an entity in columns by slot, and 20 more in each buffer of a layer;
// for each pair in view 8 bytes here, and those of package interest. Bodies take 12 bytes
// more by slot and in each buffer that has some; ticks that are kept, buffers of their
// own. A Tick is linear
// in entities that moved (a few nanoseconds each), candidates near observers, and pairs
// in view. It allocates nothing in the steady state. [World.Stats] tells where time and
// bytes go; [World.Explain], why somebody was or was not sent.
package vicinity
