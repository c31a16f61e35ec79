package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilInterrupt returns a context that ends with the first interrupt, so that
// work stops between two ticks and cleans up. The second does not wait for that:
// it removes what is half written and exits.
func untilInterrupt() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for range 2 {
			select {
			case <-signals:
				if ctx.Err() != nil {
					discardAll()
					os.Exit(exitInterrupted)
				}
				cancel()
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
