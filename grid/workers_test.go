package grid

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestWorkers(t *testing.T) {
	for _, n := range []int{-3, 0, 1, 2, 3, 8} {
		w := NewWorkers(n)
		if want := max(n, 1); w.N() != want {
			t.Errorf("NewWorkers(%d).N() = %d; want %d", n, w.N(), want)
		}
		for range 50 {
			calls := make([]int, w.N())
			w.Run(func(worker int) { calls[worker]++ })
			if slices.Min(calls) != 1 || slices.Max(calls) != 1 {
				t.Fatalf("%d workers: calls %v; want one each", n, calls)
			}
		}
		w.Close()
		w.Close()
		calls := []int{}
		w.Run(func(worker int) { calls = append(calls, worker) })
		if !slices.Equal(calls, []int{0}) || w.N() != 1 {
			t.Errorf("closed: calls %v, N %d; want worker 0 alone", calls, w.N())
		}
	}
	var none *Workers
	calls := []int{}
	none.Run(func(worker int) { calls = append(calls, worker) })
	none.Close()
	if !slices.Equal(calls, []int{0}) || none.N() != 1 {
		t.Errorf("nil: calls %v, N %d; want worker 0 alone", calls, none.N())
	}
}

// TestWorkersWaitForAll: Run returns after the slowest.
func TestWorkersWaitForAll(t *testing.T) {
	w := NewWorkers(4)
	defer w.Close()
	for slow := range 4 {
		var done atomic.Int32
		w.Run(func(worker int) {
			if worker == slow {
				time.Sleep(2 * time.Millisecond)
			}
			done.Add(1)
		})
		if done.Load() != 4 {
			t.Errorf("worker %d slow: %d were done", slow, done.Load())
		}
	}
}

// caught returns what f panics with.
func caught(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

func TestWorkersPanic(t *testing.T) {
	boom := errors.New("boom")
	for _, n := range []int{1, 2, 4} {
		w := NewWorkers(n)
		defer w.Close()
		for culprit := range n {
			for _, value := range []any{boom, "boom", 17} {
				var done atomic.Int32
				p := caught(func() {
					w.Run(func(worker int) {
						if worker == culprit {
							panic(value)
						}
						done.Add(1)
					})
				})
				if n > 1 && done.Load() != int32(n-1) {
					t.Errorf("%d of %d others were done", done.Load(), n-1)
				}
				if culprit == 0 {
					if p != value {
						t.Errorf("worker 0 panicked with %v; want %v", p, value)
					}
					continue
				}
				if err, ok := value.(error); ok {
					if got, _ := p.(error); !errors.Is(got, err) || !strings.Contains(got.Error(), fmt.Sprint("worker ", culprit)) {
						t.Errorf("worker %d panicked with %v; want %v and the worker", culprit, p, value)
					}
				} else if want := fmt.Sprintf("worker %d: %v", culprit, value); !strings.Contains(fmt.Sprint(p), want) {
					t.Errorf("panicked with %v; want %q", p, want)
				}
			}
			// They go on working, without the old panic.
			var done atomic.Int32
			w.Run(func(int) { done.Add(1) })
			if done.Load() != int32(n) {
				t.Errorf("after a panic %d of %d work", done.Load(), n)
			}
		}
		// All panic: the lowest wins.
		if p := caught(func() { w.Run(func(worker int) { panic(worker) }) }); p != 0 {
			t.Errorf("all %d panicked: %v; want worker 0's", n, p)
		}
	}
}

func TestWorkersEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	w := NewWorkers(8)
	w.Run(func(int) {})
	w.Close()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines; were %d", runtime.NumGoroutine(), before)
}

// TestGoexitIsNotLost: a job that ends its goroutine is reported like a panic, and
// the workers go on.
func TestGoexitIsNotLost(t *testing.T) {
	w := NewWorkers(3)
	defer w.Close()
	for range 3 {
		var caught any
		func() {
			defer func() { caught = recover() }()
			w.Run(func(worker int) {
				if worker == 2 {
					runtime.Goexit()
				}
			})
		}()
		if err, ok := caught.(error); !ok || !errors.Is(err, errGoexit) {
			t.Fatalf("Run panicked with %v; want errGoexit", caught)
		}
		var ran atomic.Int32
		w.Run(func(int) { ran.Add(1) })
		if n := ran.Load(); n != 3 {
			t.Fatalf("%d workers ran the next job; want 3", n)
		}
	}
}
