// Command arena is a small authoritative server loop over vicinity: bots walk about
// an arena at 20 ticks a second, each with a connection of its own, and a line a
// second says what was sent. Instead of sockets it has queues that are full now and
// then: what a queue refuses is offered again.
//
// Ctrl-C ends it after the tick at hand.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"vicinity"
)

func main() {
	var o options
	flag.IntVar(&o.bots, "bots", 500, "how many bots there are")
	flag.Float64Var(&o.side, "side", 400, "edge of the arena in metres")
	flag.IntVar(&o.budget, "budget", 600, "bytes a connection may be sent in a tick")
	flag.IntVar(&o.hz, "hz", 20, "ticks a second")
	flag.IntVar(&o.workers, "workers", 2, "goroutines that share the work")
	flag.IntVar(&o.ticks, "ticks", 0, "end after so many ticks, without waiting between them; 0: run until Ctrl-C")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "arena:", err)
		os.Exit(1)
	}
}

type options struct {
	bots, budget, hz, workers, ticks int
	side                             float64
}

func (o *options) check() error {
	switch {
	case o.bots < 1:
		return fmt.Errorf("-bots %d: want 1 or more", o.bots)
	case !(o.side > 0):
		return fmt.Errorf("-side %v: want more than 0", o.side)
	case o.budget < 100:
		return fmt.Errorf("-budget %d: want 100 or more", o.budget)
	case o.hz < 1 || o.hz > 1000:
		return fmt.Errorf("-hz %d: want 1 to 1000", o.hz)
	case o.ticks < 0:
		return fmt.Errorf("-ticks %d: want 0 or more", o.ticks)
	}
	return nil
}

// run plays the arena until ctx ends, or for o.ticks ticks.
func run(ctx context.Context, o options, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	workers := vicinity.NewWorkers(o.workers)
	defer workers.Close()
	world, err := vicinity.New(vicinity.Config{Reach: []vicinity.Reach{{Enter: 60, Margin: 6}}, Workers: workers})
	if err != nil {
		return err
	}
	defer world.Close()
	a, err := newArena(world, o)
	if err != nil {
		return err
	}
	period := time.NewTicker(time.Second / time.Duration(o.hz))
	defer period.Stop()
	for tick := 1; ; tick++ {
		if err := a.step(); err != nil {
			return err
		}
		if tick%o.hz == 0 {
			a.report(out)
		}
		switch {
		case tick == o.ticks:
			return nil
		case o.ticks > 0:
			if ctx.Err() != nil {
				return nil
			}
		default:
			select {
			case <-ctx.Done():
				fmt.Fprintln(out, "stopped after", tick, "ticks")
				return nil
			case <-period.C:
			}
		}
	}
}
