package main

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestRun: so many ticks, a line for each second of them.
func TestRun(t *testing.T) {
	var out strings.Builder
	o := options{bots: 60, side: 150, budget: 300, hz: 20, workers: 2, ticks: 60}
	if err := run(context.Background(), o, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[2], "tick 60: 60 bots") {
		t.Errorf("output is\n%s", out.String())
	}
}

// TestStop: the end of the context ends it after the tick at hand.
func TestStop(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var out strings.Builder
	o := options{bots: 5, side: 150, budget: 300, hz: 200, workers: 1}
	if err := run(ctx, o, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "stopped after") {
		t.Errorf("output is\n%s", out.String())
	}
}

// TestOptions: bad ones are refused by name.
func TestOptions(t *testing.T) {
	good := options{bots: 1, side: 1, budget: 100, hz: 1, ticks: 1}
	for name, change := range map[string]func(o *options){
		"-bots":   func(o *options) { o.bots = 0 },
		"-side":   func(o *options) { o.side = 0 },
		"-budget": func(o *options) { o.budget = 7 },
		"-hz":     func(o *options) { o.hz = 0 },
		"-ticks":  func(o *options) { o.ticks = -1 },
	} {
		o := good
		change(&o)
		if err := run(context.Background(), o, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
