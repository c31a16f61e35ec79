package main

import (
	"runtime"
	"time"

	"vicinity/bench"
)

// timed returns the thread's CPU time that f takes.
func timed(f func() error) (time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := bench.ThreadTime()
	err := f()
	return bench.ThreadTime() - start, err
}
