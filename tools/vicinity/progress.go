package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// patience is how long a run may take before a progress bar appears.
const patience = 500 * time.Millisecond

// progress shows how far a run is, if somebody can see it.
type progress struct {
	out   io.Writer // nil: nobody can
	what  string
	total int64
	start time.Time
	bar   *progressbar.ProgressBar
}

// newProgress returns a bar over total steps of something; it stays silent unless out is a
// terminal.
func newProgress(out io.Writer, what string, total int64) *progress {
	p := &progress{what: what, total: total, start: time.Now()}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.out = out
	}
	return p
}

// step counts one step.
func (p *progress) step(done int64) {
	if p.out == nil {
		return
	}
	if p.bar == nil {
		if time.Since(p.start) < patience {
			return
		}
		p.bar = progressbar.NewOptions64(p.total,
			progressbar.OptionSetWriter(p.out),
			progressbar.OptionSetDescription(p.what),
			progressbar.OptionSetItsString("ticks"),
			progressbar.OptionShowIts(),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetWidth(30),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	p.bar.Set64(done) // a bar that cannot be drawn is no reason to stop
}

// close takes the bar off the screen.
func (p *progress) close() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
