// Package player plays a recorded trace, tick by tick, through an [Engine] that
// says who has whom in view and, under a budget, who is sent what, and hands out
// what came of it.
//
// Every present entity is an observer with the same reach, itself excluded. An
// entity that is absent from a tick is removed, and one that returns is a new one
// under its old ID, and so is its observer: a peer that knows nothing.
//
// # Engines
//
// [NewOracle] compares all pairs and sorts all that could be sent, in plain loops;
// it is there to verify. [NewGrid] is the stages that tell who sees whom: arena,
// grid and interest. [NewWorld] is the whole tick, which packs and delivers too.
// For the same trace and [Config] all give the same results, so the same digest,
// whatever the number of workers and the kernels. Without a cap they give it for a
// trace that is shifted, mirrored or turned, too; a cap looks at directions.
//
// # What a budget is about
//
// An entity changes when it comes, moves, or becomes another kind; its kind says
// what its state costs and how much it matters. An observer is sent spawns of what
// enters its view, updates of what changed in it, and removals of what left it, of
// everything that it has not got yet what fits into [Budget.Bytes] in a tick. Half
// of the budget is set aside for spawns and removals, which take no more; a removal
// takes 8 bytes. Every delivery is received. Without a budget everything is
// delivered at once.
//
// # Rates
//
// With [Config.SendEvery] n an observer is updated, and sent to, in every n-th tick
// only, counted so that about the same number is due in each. The relations of a
// tick are those of the last update of each observer that is present, without the
// entities that have gone since: until its first update an observer has nobody in
// view, and who returns is in view after its next at the earliest.
package player
