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
// Everything is a function of its input: no clock, no map order, no dependence
// on word size or byte order. Nothing here is safe for concurrent use, except
// that independent values may be used by independent goroutines.
package replay
