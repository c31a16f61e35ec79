package bench

import (
	"runtime"
	"slices"
	"time"
)

// Variant is one of several ways to do the same work.
type Variant struct {
	Name string
	// Prepare runs before every Run, untimed. It may be nil.
	Prepare func()
	Run     func()
}

// Paired measures variants in one run: they take turns within each repetition, so
// that what the machine does meanwhile meets all of them. It returns the times of
// each variant over reps repetitions, sorted; take medians, compare quantiles. The
// first repetition is thrown away. With cpu the time is the calling thread's CPU
// time where the system tells it, else the wall clock's: use the wall clock for what
// runs on several threads.
func Paired(reps int, cpu bool, variants []Variant) [][]time.Duration {
	clock := wallClock
	if cpu {
		// A thread's clock tells nothing if the goroutine changes threads. Without
		// need it stays free: a locked one hands work to others slowly.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		clock = threadClock
	}
	times := make([][]time.Duration, len(variants))
	for rep := range reps + 1 {
		for i, v := range variants {
			if v.Prepare != nil {
				v.Prepare()
			}
			start := clock()
			v.Run()
			if rep > 0 {
				times[i] = append(times[i], clock()-start)
			}
		}
	}
	for _, t := range times {
		slices.Sort(t)
	}
	return times
}

// Median returns the middle of sorted times.
func Median(times []time.Duration) time.Duration { return times[len(times)/2] }

var epoch = time.Now()

func wallClock() time.Duration { return time.Since(epoch) }
