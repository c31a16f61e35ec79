//go:build !linux

package bench

import "time"

// threadClock is the wall clock: there is no portable CPU time of a thread.
func threadClock() time.Duration { return wallClock() }
