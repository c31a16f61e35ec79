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
	manifest, trace    string
	unit               string
	radius, hysteresis float64
	workers            int
	engine             string
	tile               string
	shift, mirror      string
	swapAxes           bool
	aoiCSV, nearestCSV string
	json               bool

	changed func(flag string) bool
}

const replayLong = `Play a recorded trace through the engine as fast as it goes.

Every present entity observes with the same radius, itself excluded. It sees a
stranger from the radius on, and keeps it in view up to radius + hysteresis. An
entity that is absent in a tick is gone, and new when it returns.

Without --manifest and --trace a bundled trace is played. --trace names a trace
of the manifest; without a manifest a file, plain or gzip, or a bundled trace.
The file is read once before it is played, so a fault in it is found before
anything is written.

The digest is one number over all relations of all ticks. The same trace, radius
and hysteresis give the same digest on every machine, with every engine, number
of workers, shift, mirror and swap.

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

  # the definition of right: all pairs in plain loops, slow
  vicinity replay --engine oracle`

func newReplay() *cobra.Command {
	f := &replayFlags{}
	cmd := &cobra.Command{
		Use:     "replay",
		Short:   "Play a recorded trace through the engine",
		Long:    replayLong,
		Example: replayExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%q is not a flag: a trace is named by --trace (see %s --help)", args[0], cmd.CommandPath())
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.trace, "trace", "", "`trace` to play: a name in the manifest, a file, or a bundled name")
	flags.StringVar(&f.manifest, "manifest", "", "manifest `file` (JSON) that describes traces")
	flags.StringVar(&f.unit, "unit", "", "length of one unit in `metres`, a power of two such as 1/256; for a file")
	flags.Float64Var(&f.radius, "radius", 0, "enter radius in `metres`; for a file, or instead of the known one")
	flags.Float64Var(&f.hysteresis, "hysteresis", 0, "`metres` beyond the radius at which a member leaves")
	flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "`number` of goroutines that share the work")
	flags.StringVar(&f.engine, "engine", "grid", "`engine`: grid, or oracle (all pairs in plain loops, to verify)")
	flags.StringVar(&f.tile, "tile", "", "repeat the trace in `KxL` copies out of each other's reach")
	flags.StringVar(&f.shift, "shift", "", "add `dx,dy` units to every position, after mirroring")
	flags.StringVar(&f.mirror, "mirror", "", "negate the coordinates `x|y|xy` of every position, after swapping")
	flags.BoolVar(&f.swapAxes, "swap-axes", false, "exchange x and y of every position")
	flags.StringVar(&f.aoiCSV, "aoi-csv", "", "write counts and a hash of the relations of every tick to `file`")
	flags.StringVar(&f.nearestCSV, "nearest-csv", "", "write hashes of the nearest lists of 21 ticks to `file`")
	flags.BoolVar(&f.json, "json", false, "print one JSON object instead of the table")
	f.changed = flags.Changed
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
	bar := newProgress(cmd.ErrOrStderr(), int64(p.summary.Ticks))
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
	engine, err := newEngine(f, c)
	if err != nil {
		return nil, err
	}
	return &prepared{
		choice: c, summary: summary, tiling: tiling, engine: engine,
		job: player.Job{
			Source: c.source, Transform: transform, Tiling: tiling, Engine: engine, NearestK: c.nearestK,
		},
	}, nil
}

func newEngine(f *replayFlags, c *choice) (player.Engine, error) {
	config := player.Config{Radius: c.radius, Margin: c.margin, Workers: f.workers}
	switch f.engine {
	case "grid":
		return player.NewGrid(config)
	case "oracle":
		return player.NewOracle(config)
	}
	return nil, fmt.Errorf("--engine is %q, want grid or oracle", f.engine)
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
