// Package invariants switches the expensive self-checks on and off. They run
// only in a build with the tag invariants:
//
//	go test -tags invariants ./...
//
// Without the tag [Enabled] is the constant false, so that a guarded check is
// removed by the compiler:
//
//	if invariants.Enabled {
//		invariants.Check(n >= 0, "arena: %d slots alive", n)
//	}
//
// The guard matters: without it the arguments are still evaluated.
package invariants

import "fmt"

// Check panics with the formatted message if cond is false and the build has
// the tag invariants. Otherwise it does nothing. It may be called from any
// goroutine.
func Check(cond bool, format string, args ...any) {
	if Enabled && !cond {
		panic("broken invariant: " + fmt.Sprintf(format, args...))
	}
}
