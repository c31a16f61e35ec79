// Package player plays a recorded trace, tick by tick, through an [Engine] that
// says who has whom in view, and hands out what came of it.
//
// Every present entity is an observer with the same reach, itself excluded. An
// entity that is absent from a tick is removed, and one that returns is a new
// one under its old ID. What a tick changed counts as delivered at once.
//
// There are two engines: [NewOracle] compares all pairs in plain loops and is
// there to verify, [NewGrid] is the real thing, arena, grid and interest. For
// the same trace and reach both give the same relations, so the same digest,
// whatever the number of workers.
package player
