// Package replay reads recorded movement: traces, their manifest, and the
// values that an exact range query over them must give.
//
// A trace is text, plain or gzip. Its first line is exactly
//
//	tick,id,x,y,kind,team
//
// and every further line is six decimal integers, ended by a line feed. Ticks
// run 0, 1, 2, … without a gap; inside a tick the rows are sorted by id, and no
// id comes twice. An entity is present in a tick exactly if it has a row there.
//
//   - [Source] names a trace that can be opened more than once; [Open] starts a
//     [Reader], which hands out one [Tick] at a time in reused columns.
//   - [Scan] reads a whole trace once and reports its [Summary].
//   - [Transform] and [Tiling] move and multiply positions without changing what
//     a right answer is.
//   - [Mix], [RelHash], [ListHash], [AOIRow] and [NearestRow] are the format of
//     the expected values; [Digest] is one number over all results of a run.
//
// # The digest
//
// It is xxhash64, seed 0, over a sequence of numbers, each as eight bytes, least
// significant first. For each tick, in order:
//
//	number of the tick
//	R, how many relations hold
//	R times: observer, entity                                   sorted by both
//
// and, if the run has a byte budget, for the same tick:
//
//	D, how many observers were updated
//	S, how many things are sent
//	D times: observer, bytes, deferred, oversize, oldest wait   sorted by observer
//	S times: observer, entity, what                             sorted by all three
//	how many the crowd cap culled
//
// See [Delivery] and [Selection]; what is 1 for a spawn, 2 for an update, 3 for a
// removal. Where observers are updated in some ticks only, the relations are
// those of the last update of each observer that is present, without the entities
// that have gone since, and the tick's D, S and culled are about the observers
// updated in it. Of what a replay reports, all about deliveries is a function of
// these numbers.
//
// Everything is a function of its input: no clock, no map order, no dependence
// on word size or byte order. Nothing here is safe for concurrent use, except
// that independent values may be used by independent goroutines.
package replay
