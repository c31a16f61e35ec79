// Package vicinity decides, tick by tick and exactly, who is near whom in a
// world of many moving entities.
//
// The module is a set of packages that also work alone. Data flows one way
// through them:
//
//	simulation ── Alloc / Move / Free ──▶ arena, grid   one writer
//	                                        │ Publish(tick)
//	                                        ▼
//	                                   grid.Snapshot      immutable, pinned by readers
//	                                        │ kernels of package asm
//	                                        ▼
//	                                   interest.View      enter, keep and leave of one observer
//
// Package arena hands out handles and columns, grid keeps positions and answers
// range queries from snapshots, asm holds the kernels those queries run on, and
// interest remembers who sees whom and yields the difference.
//
// Positions are integers. Every package below this one speaks int32 units; a
// unit is as many metres as the caller says (1/256 m is a good choice: 4 mm, and
// four thousand kilometres in every direction). That is why results are exact,
// and the same on every CPU, architecture and number of workers: within(a, b, r)
// means dx*dx + dy*dy <= r*r in whole numbers, border included.
//
// The root package is where metres become units ([Unit], [AppendUnits]); it is
// also the place of the type that will run a whole tick. The example shows the
// packages in a row; each has its own, too.
package vicinity
