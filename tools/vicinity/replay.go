package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"vicinity/internal/player"
	"vicinity/internal/replay"
)

// replayFlags are the flags of the subcommand, as given.
type replayFlags struct {
	traceFlags
	radius, hysteresis float64
	workers            int
	engine             string
	tile               string
	shift, mirror      string
	swapAxes           bool
	aoiCSV, nearestCSV string
	json               bool

	budget                   int64
	costTable, priorityTable string
	maxSilence               int64
	cap, sendEvery           int64
}

var replayLong = `Play a recorded trace through the engine as fast as it goes.

Every present entity observes with the same radius, itself excluded. It sees a
stranger from the radius on, and keeps it in view up to radius + hysteresis. An
entity that is absent in a tick is gone, and new when it returns.

Without --manifest and --trace a bundled trace is played. --trace names a trace
of the manifest; without a manifest a file, plain or gzip, or a bundled trace.
The file is read once before it is played, so a fault in it is found before
anything is written.

With --budget every observer is sent what fits into so many bytes a tick, and
the rest waits: spawns and removals out of a part set aside for them, then what
changed, by priority, nearest first. An entity changes when it moves. It costs
what its kind costs; --cost-table and --priority-table name kinds as the manifest
does, or by their numbers, and leave the other kinds as they are built in. Updates
that waited for --max-silence ticks go first, in up to a third of the budget. The
report says how the bytes a delivery are spread over all observers and ticks, how
much was selected and deferred, how much is oversize (never fits), and the oldest
wait in ticks.

Built in, as bytes/priority:
` + standardText() + `
--cap bounds how many are in one view: of more, a spatially even subset stays.
With --send-every each observer is updated in every N-th tick only, in turns.

The digest is one number over all relations of all ticks, and with a budget over
all that was sent. The same trace and flags give the same digest on every machine,
with every engine and number of workers; without a cap also for every shift,
mirror and swap.

Exit codes: 0 done, 2 bad command line or input, 130 interrupted.`

const replayExample = `  # a bundled trace: crowd-corridor, crowd-bottleneck or halite-match
  vicinity replay
  vicinity replay --trace halite-match --json

  # a trace of a manifest, which says unit, radius and hysteresis
  vicinity replay --manifest data/manifest.json --trace rts-match --workers 2

  # any trace file; radius and hysteresis are metres
  vicinity replay --trace walk.csv.gz --unit 1/256 --radius 30 --hysteresis 5

  # write what is to be compared with expected/NAME.*.csv
  vicinity replay --trace crowd-corridor --aoi-csv aoi.csv --nearest-csv nearest.csv

  # twelve copies out of each other's sight, far from the origin
  vicinity replay --tile 4x3 --shift -1000000,500000

  # 300 bytes a tick for every observer, buildings dear, nobody silent for long
  vicinity replay --manifest data/manifest.json --trace rts-match --budget 300 \
    --cost-table building=60,worker=30 --priority-table infantry=250 --max-silence 20

  # at most 12 in view, every observer in every fourth tick
  vicinity replay --budget 200 --cap 12 --send-every 4

  # the definition of right: all pairs in plain loops, slow
  vicinity replay --engine oracle`

func newReplay() *cobra.Command {
	f := &replayFlags{}
	cmd := &cobra.Command{
		Use:     "replay",
		Short:   "Play a recorded trace through the engine",
		Long:    replayLong,
		Example: replayExample,
		Args:    onlyFlags,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.add(flags)
	flags.Float64Var(&f.radius, "radius", 0, "enter radius in `metres`; for a file, or instead of the known one")
	flags.Float64Var(&f.hysteresis, "hysteresis", 0, "`metres` beyond the radius at which a member leaves")
	flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "`number` of goroutines that share the work")
	flags.StringVar(&f.engine, "engine", "grid", "`engine`: grid, world (the whole tick, which a budget, cap or rate makes of grid), or oracle (plain loops, to verify)")
	flags.Int64Var(&f.budget, "budget", 0, "most `bytes` that each observer is sent in a tick; without, everything is sent")
	flags.StringVar(&f.costTable, "cost-table", "", "`kind=bytes,...`: what an entity costs; other kinds as built in")
	flags.StringVar(&f.priorityTable, "priority-table", "", "`kind=n,...`, 0 to 65535: the larger goes first; other kinds as built in")
	flags.Int64Var(&f.maxSilence, "max-silence", 0, "`ticks` of waiting after which a change goes first; 0 is never")
	flags.Int64Var(&f.cap, "cap", 0, "most `members` of one view; without, no cap")
	flags.Int64Var(&f.sendEvery, "send-every", 1, "update each observer every so many `ticks`")
	flags.StringVar(&f.tile, "tile", "", "repeat the trace in `KxL` copies out of each other's reach")
	flags.StringVar(&f.shift, "shift", "", "add `dx,dy` units to every position, after mirroring")
	flags.StringVar(&f.mirror, "mirror", "", "negate the coordinates `x|y|xy` of every position, after swapping")
	flags.BoolVar(&f.swapAxes, "swap-axes", false, "exchange x and y of every position")
	flags.StringVar(&f.aoiCSV, "aoi-csv", "", "write counts and a hash of the relations of every tick to `file`")
	flags.StringVar(&f.nearestCSV, "nearest-csv", "", "write hashes of the nearest lists of 21 ticks to `file`")
	flags.BoolVar(&f.json, "json", false, "print one JSON object instead of the table")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runReplay(cmd, f) }
	return cmd
}

// runReplay checks everything first, then plays, then shows what came of it.
func runReplay(cmd *cobra.Command, f *replayFlags) error {
	p, err := prepare(f)
	if err != nil {
		return err
	}
	defer p.engine.Close()
	files, err := createFiles(f, p.choice)
	if err != nil {
		return err
	}
	defer files.discard()
	bar := newProgress(cmd.ErrOrStderr(), "replay", int64(p.summary.Ticks))
	defer bar.close()
	p.job.AOI = files.aoi != nil
	if files.nearest != nil {
		p.job.Nearest = replay.NearestTicks(p.summary.Ticks)
	}
	p.job.Each = func(s *player.Step) error {
		bar.step(int64(s.Tick) + 1)
		return files.add(s)
	}
	report, err := player.Play(cmd.Context(), p.job)
	if err != nil {
		return err
	}
	bar.close()
	if report.Ticks != p.summary.Ticks {
		return fmt.Errorf("%s: had %d ticks, then %d: it was changed meanwhile", p.choice.source.Name, p.summary.Ticks, report.Ticks)
	}
	if err := p.engine.Close(); err != nil {
		return err
	}
	if err := files.commit(); err != nil {
		return err
	}
	result := newResult(f, p, report)
	if f.json {
		return result.writeJSON(cmd.OutOrStdout())
	}
	return result.writeTable(cmd.OutOrStdout())
}

// prepared is a job together with what it was made from.
type prepared struct {
	choice  *choice
	summary *replay.Summary
	tiling  replay.Tiling
	config  player.Config
	engine  player.Engine
	job     player.Job
}

// maxPresent bounds a tick, so that a slip in --tile is an error and not the end
// of the machine's memory.
const maxPresent = 1 << 26

// prepare reads the flags and, once, the trace.
func prepare(f *replayFlags) (*prepared, error) {
	if f.workers < 1 || f.workers > 1024 {
		return nil, fmt.Errorf("--workers is %d, want 1 to 1024", f.workers)
	}
	transform, err := parseTransform(f)
	if err != nil {
		return nil, err
	}
	columns, rows := 1, 1
	if f.tile != "" {
		if columns, rows, err = parseTile(f.tile); err != nil {
			return nil, err
		}
	}
	c, err := choose(f)
	if err != nil {
		return nil, err
	}
	summary, err := replay.Scan(c.source)
	if err != nil {
		return nil, err
	}
	if want := c.stats; want.Ticks > 0 && want.Ticks != summary.Ticks {
		return nil, fmt.Errorf("%s: has %d ticks, the manifest says %d", c.source.Name, summary.Ticks, want.Ticks)
	}
	bounds, err := transform.Bounds(summary.Bounds)
	if err != nil {
		return nil, err
	}
	tiling, err := replay.NewTiling(columns, rows, bounds, summary.MaxID, c.radius+c.margin)
	if err != nil {
		return nil, fmt.Errorf("--tile: %w", err)
	}
	if n := int64(summary.PresentMax) * int64(tiling.Copies()); n > maxPresent {
		return nil, fmt.Errorf("--tile: %d entities at once, want at most %d", n, maxPresent)
	}
	config, err := engineConfig(f, c, summary)
	if err != nil {
		return nil, err
	}
	engine, err := newEngine(f, config)
	if err != nil {
		return nil, err
	}
	return &prepared{
		choice: c, summary: summary, tiling: tiling, config: config, engine: engine,
		job: player.Job{
			Source: c.source, Transform: transform, Tiling: tiling, Engine: engine, NearestK: c.nearestK,
		},
	}, nil
}

// engineConfig reads the flags that say what every observer gets.
func engineConfig(f *replayFlags, c *choice, summary *replay.Summary) (player.Config, error) {
	config := player.Config{Radius: c.radius, Margin: c.margin, Workers: f.workers}
	if f.changed("cap") {
		if f.cap < 1 || f.cap > maxPresent {
			return config, fmt.Errorf("--cap is %d, want 1 to %d members", f.cap, maxPresent)
		}
		config.Cap = int(f.cap)
	}
	if f.sendEvery < 1 || f.sendEvery > player.MaxSendEvery {
		return config, fmt.Errorf("--send-every is %d, want 1 to %d ticks", f.sendEvery, player.MaxSendEvery)
	}
	config.SendEvery = int(f.sendEvery)
	var err error
	config.Budget, err = f.parseBudget(&kinds{names: c.kinds, max: summary.MaxKind})
	return config, err
}

func newEngine(f *replayFlags, config player.Config) (player.Engine, error) {
	switch f.engine {
	case "grid":
		if config.Whole() {
			f.engine = "world" // the report says so
			return player.NewWorld(config)
		}
		return player.NewGrid(config)
	case "world":
		return player.NewWorld(config)
	case "oracle":
		return player.NewOracle(config)
	}
	return nil, fmt.Errorf("--engine is %q, want grid, world or oracle", f.engine)
}

// resultFiles are the files that the flags ask for; nil where they do not.
type resultFiles struct {
	aoi, nearest *output
	line         []byte
}

// createFiles begins both files. None may be the trace itself, or the other.
func createFiles(f *replayFlags, c *choice) (_ *resultFiles, err error) {
	if f.aoiCSV != "" && f.nearestCSV != "" && sameFile(f.aoiCSV, f.nearestCSV) {
		return nil, errors.New("--aoi-csv and --nearest-csv are the same file")
	}
	r := &resultFiles{}
	defer func() {
		if err != nil {
			r.discard()
		}
	}()
	if r.aoi, err = createFile(f.aoiCSV, replay.AOIHeader, c); err != nil {
		return nil, err
	}
	if r.nearest, err = createFile(f.nearestCSV, replay.NearestHeader, c); err != nil {
		return nil, err
	}
	return r, nil
}

func createFile(path, header string, c *choice) (*output, error) {
	if path == "" {
		return nil, nil
	}
	if sameFile(path, c.source.Name) {
		return nil, fmt.Errorf("cannot write %s: it is the trace that is played", path)
	}
	o, err := create(path)
	if err != nil {
		return nil, err
	}
	if _, err := o.Write([]byte(header + "\n")); err != nil {
		o.discard()
		return nil, err
	}
	return o, nil
}

// sameFile says whether two paths are one regular file, there or to be written.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
	}
	return errA != nil && errB != nil && absolute(a) == absolute(b)
}

func (r *resultFiles) add(s *player.Step) error {
	if r.aoi != nil {
		r.line = s.AOI.AppendTo(r.line[:0])
		if _, err := r.aoi.Write(r.line); err != nil {
			return err
		}
	}
	if r.nearest != nil && s.Nearest != nil {
		r.line = s.Nearest.AppendTo(r.line[:0])
		if _, err := r.nearest.Write(r.line); err != nil {
			return err
		}
	}
	return nil
}

// commit finishes all files before it puts the first in its place.
func (r *resultFiles) commit() error {
	for _, act := range []func(*output) error{(*output).finish, (*output).commit} {
		for _, o := range []*output{r.aoi, r.nearest} {
			if o == nil {
				continue
			}
			if err := act(o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *resultFiles) discard() {
	for _, o := range []*output{r.aoi, r.nearest} {
		if o != nil {
			o.discard()
		}
	}
}
