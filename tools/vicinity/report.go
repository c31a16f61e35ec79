package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"vicinity/internal/player"
)

// result is what a replay has to say. Its JSON is for scripts: members may be
// added, and none will change its meaning.
type result struct {
	Trace            string      `json:"trace"`
	Engine           string      `json:"engine"`
	Workers          int         `json:"workers"`
	UnitM            float64     `json:"unit_m"`
	EnterRadiusUnits int32       `json:"enter_radius_units"`
	LeaveMarginUnits int32       `json:"leave_margin_units"`
	Copies           int         `json:"copies"`
	Ticks            uint64      `json:"ticks"`
	Entities         int64       `json:"entities"`
	PresentMax       int         `json:"present_max"`
	Digest           string      `json:"digest"`
	Counts           countResult `json:"counts"`
	Stages           stageResult `json:"stages"`

	choice *choice
}

// countResult are sums over all ticks, except the two that say max.
type countResult struct {
	Rows             int64    `json:"rows"`
	Pairs            int64    `json:"pairs"`
	PairsMax         int      `json:"pairs_max"`
	Enters           int64    `json:"enters"`
	Leaves           int64    `json:"leaves"`
	Candidates       int64    `json:"candidates"`
	CandidatesPerHit *float64 `json:"candidates_per_hit"` // a pair is a hit; null without any
}

// stageResult are the times of the stages of a tick. Tick is publish, update and
// output together.
type stageResult struct {
	Read    timeResult `json:"read"`
	Publish timeResult `json:"publish"`
	Update  timeResult `json:"update"`
	Output  timeResult `json:"output"`
	Tick    timeResult `json:"tick"`
}

type timeResult struct {
	P50   int64 `json:"p50_ns"`
	P99   int64 `json:"p99_ns"`
	Max   int64 `json:"max_ns"`
	Total int64 `json:"total_ns"`
}

func newTimeResult(s player.Spread) timeResult {
	return timeResult{int64(s.P50), int64(s.P99), int64(s.Max), int64(s.Sum)}
}

func newResult(f *replayFlags, p *prepared, r *player.Report) *result {
	copies := p.tiling.Copies()
	res := &result{
		Trace: p.choice.name, Engine: f.engine, Workers: f.workers,
		UnitM:            p.choice.unit.Metres(),
		EnterRadiusUnits: p.choice.radius, LeaveMarginUnits: p.choice.margin,
		Copies: copies, Ticks: r.Ticks, Entities: int64(p.summary.Entities) * int64(copies),
		PresentMax: r.PresentMax, Digest: fmt.Sprintf("%016x", r.Digest),
		Counts: countResult{
			Rows: r.Entities, Pairs: r.Pairs, PairsMax: r.PairsMax, Enters: r.Enters, Leaves: r.Leaves,
			Candidates: r.Candidates,
		},
		Stages: stageResult{
			newTimeResult(r.Read), newTimeResult(r.Publish), newTimeResult(r.Update),
			newTimeResult(r.Output), newTimeResult(r.Total),
		},
		choice: p.choice,
	}
	if r.Pairs > 0 {
		ratio := float64(r.Candidates) / float64(r.Pairs)
		res.Counts.CandidatesPerHit = &ratio
	}
	return res
}

func (r *result) writeJSON(out io.Writer) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

// writeTable prints the result for a person.
func (r *result) writeTable(out io.Writer) error {
	var b strings.Builder
	title := r.Trace
	if r.choice.title != "" {
		title += ": " + r.choice.title
	}
	if r.Copies > 1 {
		title += fmt.Sprintf(" (%d copies)", r.Copies)
	}
	far := r.EnterRadiusUnits + r.LeaveMarginUnits
	fmt.Fprintf(&b, "%s\n\n", title)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "ticks\t%s\n", group(int64(r.Ticks)))
	fmt.Fprintf(w, "entities\t%s, at most %s at once\n", group(r.Entities), group(int64(r.PresentMax)))
	fmt.Fprintf(w, "reach\tenter %v m, leave %v m (%d and %d units of %s m)\n",
		r.metres(r.EnterRadiusUnits), r.metres(far), r.EnterRadiusUnits, far, r.choice.unit)
	fmt.Fprintf(w, "engine\t%s\n", r.engineText())
	fmt.Fprintf(w, "pairs\t%s over all ticks, at most %s at once\n", group(r.Counts.Pairs), group(int64(r.Counts.PairsMax)))
	fmt.Fprintf(w, "enters\t%s\n", group(r.Counts.Enters))
	fmt.Fprintf(w, "leaves\t%s\n", group(r.Counts.Leaves))
	ratio := "no hit"
	if c := r.Counts.CandidatesPerHit; c != nil {
		ratio = fmt.Sprintf("%.2f", *c)
	}
	fmt.Fprintf(w, "candidates per hit\t%s\n", ratio)
	fmt.Fprintf(w, "digest\t%s\n", r.Digest)
	w.Flush()
	b.WriteByte('\n')
	r.writeStages(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

func (r *result) writeStages(b *strings.Builder) {
	line := func(cells ...string) {
		fmt.Fprintf(b, "%-20s", cells[0])
		for _, c := range cells[1:] {
			fmt.Fprintf(b, "%10s", c)
		}
		b.WriteByte('\n')
	}
	line("time a tick", "p50", "p99", "max", "total")
	for _, s := range []struct {
		name string
		t    timeResult
	}{
		{"read", r.Stages.Read},
		{"publish", r.Stages.Publish},
		{"update", r.Stages.Update},
		{"output", r.Stages.Output},
		{"tick (without read)", r.Stages.Tick},
	} {
		line(s.name, span(s.t.P50), span(s.t.P99), span(s.t.Max), span(s.t.Total))
	}
}

func (r *result) engineText() string {
	switch {
	case r.Engine == "oracle":
		return "oracle, all pairs"
	case r.Workers == 1:
		return r.Engine + ", 1 worker"
	}
	return fmt.Sprintf("%s, %d workers", r.Engine, r.Workers)
}

func (r *result) metres(units int32) float64 { return float64(units) * r.UnitM }

// span prints a time with three digits and one of four units.
func span(ns int64) string {
	d := time.Duration(ns)
	value, unit := float64(d), "ns"
	switch {
	case d >= time.Second:
		value, unit = d.Seconds(), "s"
	case d >= time.Millisecond:
		value, unit = float64(d)/1e6, "ms"
	case d >= time.Microsecond:
		value, unit = float64(d)/1e3, "µs"
	}
	digits := 2
	switch {
	case unit == "ns" || value >= 99.95:
		digits = 0
	case value >= 9.995:
		digits = 1
	}
	return strconv.FormatFloat(value, 'f', digits, 64) + " " + unit
}

// group prints a number with a comma between thousands.
func group(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
