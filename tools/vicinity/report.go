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

	SendEvery int    `json:"send_every,omitempty"` // ticks; absent for every tick
	Cap       int    `json:"cap,omitempty"`        // members; absent without --cap
	Culled    *int64 `json:"culled,omitempty"`     // absent without --cap and --budget
	*PackedResult

	choice *choice
}

// PackedResult is what was sent under a budget; without one its members are
// absent. It has an exported name so that the JSON can be read back. A delivery is
// what one observer got in one tick in which it was updated; the four of bytes are
// about deliveries, and the others are sums over them, except the oldest wait, in
// ticks.
type PackedResult struct {
	Budget     uint32 `json:"budget"`
	MaxSilence uint32 `json:"max_silence"`
	Deliveries int64  `json:"deliveries"`
	BytesP50   uint32 `json:"bytes_p50"`
	BytesP90   uint32 `json:"bytes_p90"`
	BytesP99   uint32 `json:"bytes_p99"`
	BytesMax   uint32 `json:"bytes_max"`
	BytesTotal int64  `json:"bytes_total"`
	Selected   int64  `json:"selected"`
	Spawns     int64  `json:"spawns"`
	Updates    int64  `json:"updates"`
	Removals   int64  `json:"removals"`
	Deferred   int64  `json:"deferred"` // oversize included
	Oversize   int64  `json:"oversize"`
	OldestWait uint32 `json:"oldest_wait"`
}

func newPackedResult(b *player.Budget, r *player.PackedReport) *PackedResult {
	if b == nil || r == nil {
		return nil
	}
	return &PackedResult{
		Budget: b.Bytes, MaxSilence: b.MaxSilence, Deliveries: r.Deliveries,
		BytesP50: r.BytesP50, BytesP90: r.BytesP90, BytesP99: r.BytesP99, BytesMax: r.BytesMax, BytesTotal: r.Bytes,
		Selected: r.Selected, Spawns: r.Spawns, Updates: r.Updates, Removals: r.Removals,
		Deferred: r.Deferred, Oversize: r.Oversize, OldestWait: r.OldestWait,
	}
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
		Cap:          p.config.Cap,
		PackedResult: newPackedResult(p.config.Budget, r.Packed),
		choice:       p.choice,
	}
	if p.config.SendEvery > 1 {
		res.SendEvery = p.config.SendEvery
	}
	if p.config.Cap > 0 || r.Packed != nil {
		res.Culled = &r.Culled
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
	r.writePacked(w)
	fmt.Fprintf(w, "digest\t%s\n", r.Digest)
	w.Flush()
	b.WriteByte('\n')
	r.writeStages(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// writePacked prints what was asked for beyond the relations of every tick.
func (r *result) writePacked(w io.Writer) {
	if r.SendEvery > 1 {
		fmt.Fprintf(w, "updates\tof each observer every %s ticks\n", group(int64(r.SendEvery)))
	}
	if r.Cap > 0 {
		fmt.Fprintf(w, "cap\t%s members a view, %s culled\n", group(int64(r.Cap)), group(*r.Culled))
	}
	p := r.PackedResult
	if p == nil {
		return
	}
	silence := ""
	if p.MaxSilence > 0 {
		silence = fmt.Sprintf(", starving after %s ticks", group(int64(p.MaxSilence)))
	}
	fmt.Fprintf(w, "budget\t%s bytes a tick%s\n", group(int64(p.Budget)), silence)
	fmt.Fprintf(w, "bytes a delivery\tp50 %s, p90 %s, p99 %s, max %s; %s in %s deliveries\n",
		group(int64(p.BytesP50)), group(int64(p.BytesP90)), group(int64(p.BytesP99)), group(int64(p.BytesMax)),
		group(p.BytesTotal), group(p.Deliveries))
	fmt.Fprintf(w, "selected\t%s (%s spawns, %s updates, %s removals)\n",
		group(p.Selected), group(p.Spawns), group(p.Updates), group(p.Removals))
	fmt.Fprintf(w, "deferred\t%s, of them oversize %s\n", group(p.Deferred), group(p.Oversize))
	fmt.Fprintf(w, "oldest wait\t%s ticks\n", group(int64(p.OldestWait)))
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
