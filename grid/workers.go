package grid

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Workers is a fixed set of goroutines that run one job together. The caller of
// Run is worker 0; the others sleep between jobs. One job runs at a time.
type Workers struct {
	n     int
	start []chan func(worker int)
	done  sync.WaitGroup
	// panics holds what a worker's job panicked with.
	panics []any
	closed atomic.Bool
}

// NewWorkers returns n workers, n >= 1 (less counts as 1); n - 1 goroutines are
// started. Close ends them.
func NewWorkers(n int) *Workers {
	w := &Workers{n: max(n, 1)}
	w.panics = make([]any, w.n)
	for i := 1; i < w.n; i++ {
		start := make(chan func(int))
		w.start = append(w.start, start)
		go w.loop(i, start)
	}
	return w
}

func (w *Workers) loop(worker int, start <-chan func(int)) {
	defer func() {
		if !w.closed.Load() {
			go w.loop(worker, start) // the job ended the goroutine, by runtime.Goexit
		}
	}()
	for job := range start {
		w.callAndDone(worker, job)
	}
}

func (w *Workers) callAndDone(worker int, job func(int)) {
	defer w.done.Done()
	w.call(worker, job)
}

// errGoexit stands for the panic of a job that ended its goroutine instead.
var errGoexit = errors.New("a job called runtime.Goexit")

// call runs job and keeps its panic.
func (w *Workers) call(worker int, job func(int)) {
	finished := false
	defer func() {
		w.panics[worker] = recover()
		if !finished && w.panics[worker] == nil {
			w.panics[worker] = errGoexit
		}
	}()
	job(worker)
	finished = true
}

// callAndWait runs the caller's share and waits for the others, whatever it does.
func (w *Workers) callAndWait(job func(int)) {
	defer w.done.Wait()
	w.call(0, job)
}

// N returns the number of workers; 1 for nil and after Close.
func (w *Workers) N() int {
	if w == nil || w.closed.Load() {
		return 1
	}
	return w.n
}

// Run calls job once on every worker, with the workers' numbers 0 to N-1, and
// returns when all calls have returned. If one panicked, Run panics with the same
// value (that of the lowest worker) after all have stopped; a job that calls
// runtime.Goexit counts as one. Run of nil or
// closed Workers calls job(0) alone. It does not allocate. Run must not be called
// from a job, or by two goroutines at a time.
func (w *Workers) Run(job func(worker int)) {
	if w == nil || w.n == 1 || w.closed.Load() {
		job(0)
		return
	}
	w.done.Add(w.n - 1)
	for _, start := range w.start {
		start <- job
	}
	w.callAndWait(job)
	for worker, p := range w.panics {
		if p != nil {
			clear(w.panics)
			panic(workerPanic(worker, p))
		}
	}
}

// workerPanic keeps the value as it is where it came from the caller's own
// goroutine, and says so where the stack is lost.
func workerPanic(worker int, p any) any {
	if worker == 0 {
		return p
	}
	if err, ok := p.(error); ok {
		return fmt.Errorf("grid: worker %d: %w", worker, err)
	}
	return fmt.Sprintf("grid: worker %d: %v", worker, p)
}

// Close ends the goroutines. Afterwards Run runs jobs on its caller alone.
func (w *Workers) Close() {
	if w == nil || w.closed.Load() {
		return
	}
	w.closed.Store(true)
	for _, start := range w.start {
		close(start)
	}
}
