// Package guard hands tests memory that ends exactly at a page nobody may touch,
// or begins right after one, so that a kernel that reads or writes one byte too
// far faults instead of passing by luck. Neither the race detector nor coverage
// nor the fuzzer sees assembly; this does.
//
//	┌──────────────┬────────────────────────────────┬──────────────┐
//	│ inaccessible │ usable, n rounded up to a page │ inaccessible │
//	└──────────────┴────────────────────────────────┴──────────────┘
//	               └─ AtStart                AtEnd ─┘
//
// Use, with every length from 0 to some hundred:
//
//	m, err := guard.New(4096)
//	...
//	defer m.Free()
//	xs := guard.AtEnd[int32](m, n)   // &xs[n] would fault
//	err = guard.Fault(func() { kernel(xs) })
//
// A kernel that is allowed slack gets it inside the slice: AtEnd(m, n+slack)[:n].
//
// Where the system offers no page protection [Supported] is false: the slices
// are on the Go heap and nothing faults. A test still runs there, it only
// proves less.
package guard
