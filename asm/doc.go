// Package asm holds the batched kernels of the engine: one call filters the
// candidates of a whole query, indexes a whole column, rounds one, or ranks what
// may be sent.
//
// # Forms
//
// Every kernel exists as portable Go, which is its definition, and as assembly
// for AVX2, AVX-512 (amd64) and NEON (arm64). All forms of a kernel give the
// same bits for the same input; the tests and fuzz targets run each form that
// the CPU has against the portable one. The form in use is chosen once, when
// the program starts, and is reported by [Tier]. The environment variable
// VICINITY_ASM (generic, avx2, avx512, neon) overrides the choice; a value that
// this CPU or build does not have is reported by [EnvError] and changes nothing.
// Under the build tags purego and race only the portable forms exist (the race
// detector does not see assembly).
//
// # Exactness
//
// Positions are int32 units, |coordinate| < 2^30, so a difference of two fits in
// int32 and dx*dx + dy*dy fits in int64. "Within" is the closed disc
// dx*dx + dy*dy <= r*r in those integers. The assembly evaluates it in float32:
// dx and dy are exact, their conversion, two products and a sum round four
// times, so the float32 value lies within a factor 1 +- 2^-22 of the truth. A
// [Limit] brackets r*r by 1 +- 2^-21: at or below Lo is surely inside, above Hi
// surely outside, and a block of candidates with a lane in between is decided
// in int64 before the kernel goes on. So the contract of every kernel is
// exactness, and nobody re-checks anything. Below 4,096 units float32 holds all
// values exactly, and Lo = Hi = r*r.
//
// The squared distance that a kernel reports is
// float32(float32(dx*dx) + float32(dy*dy)) of the rounded differences, the same
// bits everywhere. It orders like the true distance except that unequal
// distances may round to equal ones.
//
// [Measure] reports them for entities by slot, and [Grade] puts distances into
// grades with hysteresis, telling where the rounded value does not decide.
//
// [ScanRows] and [ScanAged] go over the rows of a view and find those with a change
// that was not sent, and of these who is within a limit of rank and distance. They
// need no slack.
//
// # Selection
//
// What may be sent is ranked by one 64-bit key each: [RankKeys] makes the keys of
// columns, and checks those. [PartitionKeys] cuts keys at a pivot and sums the costs
// of the left part, [SplitKeys] does without costs, [FittingKeys] keeps those that
// still fit: what these write is in the order of their input, in all forms.
// [SortKeys] sorts the few that are left. Keys are compared as unsigned numbers.
//
// # Slack
//
// Most kernels read and store whole vectors: columns need [Slack] readable elements
// behind their last one, destinations [Slack] writable ones behind their last
// candidate. What stands there is never interpreted.
package asm
