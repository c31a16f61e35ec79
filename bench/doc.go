// Package bench holds the workloads that the engine is measured on, defined once
// for benchmarks, tests and tools, and the benchmarks of every stage.
//
// A workload is positions in metres, drawn by a seeded generator, and a motion. The
// engine sees them in units of 1/256 m. All draws are integers scaled by powers of
// two, or sums of such, so that every machine gets the same ones.
package bench
