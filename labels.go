package vicinity

import (
	"context"
	"runtime/pprof"
	"runtime/trace"
)

// stage is a part of a Tick, for profiles and traces.
type stage uint8

const (
	stagePublish stage = iota
	stageUpdate
	stagePack
	stageCallback
	stages
)

var stageNames = [stages]string{"publish", "update", "pack", "callback"}

// labels are the profiler's labels of the stages, made once: making them
// allocates. nil labels do nothing.
type labels [stages]context.Context

func newLabels(on bool) *labels {
	if !on {
		return nil
	}
	l := new(labels)
	for s, name := range stageNames {
		l[s] = pprof.WithLabels(context.Background(), pprof.Labels("stage", name))
	}
	return l
}

// set labels the goroutine.
func (l *labels) set(s stage) {
	if l != nil {
		pprof.SetGoroutineLabels(l[s])
	}
}

// region labels the goroutine, and begins a region of an execution trace if one is
// being taken.
func (l *labels) region(s stage) region {
	l.set(s)
	if trace.IsEnabled() {
		return region{trace.StartRegion(context.Background(), "vicinity."+stageNames[s]), l}
	}
	return region{nil, l}
}

// region is a stage of the goroutine that calls Tick.
type region struct {
	traced *trace.Region
	l      *labels
}

// End ends the stage.
func (r region) End() {
	if r.traced != nil {
		r.traced.End()
	}
	if r.l != nil {
		pprof.SetGoroutineLabels(context.Background())
	}
}
