package bench

import "time"

// ThreadTime returns the CPU time that the calling thread has used since some moment,
// where the system tells it, else the wall clock's. Differences mean something only
// while the goroutine is locked to its thread.
func ThreadTime() time.Duration { return threadClock() }
