package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vicinity/internal/bundled"
	"vicinity/internal/replay"
)

// choice is a trace together with what is known about it.
type choice struct {
	source   replay.Source
	name     string
	title    string
	unit     replay.Unit
	radius   int32 // units
	margin   int32
	nearestK int
	kinds    []string     // names by number; none for a file
	stats    replay.Stats // zero without a manifest
	known    bool         // by a manifest
}

// traceFlags are the flags that name a trace, as given.
type traceFlags struct {
	manifest, trace string
	unit            string

	changed func(flag string) bool
}

// add declares the flags.
func (f *traceFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.trace, "trace", "", "`trace` to play: a name in the manifest, a file, or a bundled name")
	flags.StringVar(&f.manifest, "manifest", "", "manifest `file` (JSON) that describes traces")
	flags.StringVar(&f.unit, "unit", "", "length of one unit in `metres`, a power of two such as 1/256; for a file")
	f.changed = flags.Changed
}

// onlyFlags refuses arguments that are no flags: most likely somebody's trace.
func onlyFlags(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is not a flag: a trace is named by --trace (see %s --help)", args[0], cmd.CommandPath())
	}
	return nil
}

// choose finds the trace that the flags ask for, and how far is near.
func choose(f *replayFlags) (*choice, error) {
	c, err := chooseTrace(&f.traceFlags)
	if err != nil {
		return nil, err
	}
	if !c.known && !f.changed("radius") {
		return nil, missing("radius")
	}
	if f.changed("radius") {
		if c.radius, err = c.unit.Units(f.radius); err != nil {
			return nil, fmt.Errorf("--radius %w", err)
		}
	}
	if f.changed("hysteresis") {
		if c.margin, err = c.unit.Units(f.hysteresis); err != nil {
			return nil, fmt.Errorf("--hysteresis %w", err)
		}
	}
	if far := int64(c.radius) + int64(c.margin); far > replay.MaxCoord {
		return nil, fmt.Errorf("radius and hysteresis are %d units together, want at most %d", far, replay.MaxCoord)
	}
	return c, nil
}

// chooseTrace tells the three ways apart: a manifest, a file, a bundled trace.
func chooseTrace(f *traceFlags) (*choice, error) {
	switch {
	case f.manifest != "":
		return fromManifest(f)
	case f.trace == "":
		return fromBundle(f, bundled.Default)
	}
	_, err := os.Stat(f.trace)
	if err == nil {
		return fromFile(f)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if _, _, unknown := bundled.Source(f.trace); unknown != nil {
		return nil, fmt.Errorf("%w, and no bundled trace has that name (%s)",
			err, strings.Join(bundled.Manifest().Names(), ", "))
	}
	return fromBundle(f, f.trace)
}

func fromBundle(f *traceFlags, name string) (*choice, error) {
	src, t, err := bundled.Source(name)
	if err != nil {
		return nil, err
	}
	return described(f, src, t)
}

func fromManifest(f *traceFlags) (*choice, error) {
	data, err := os.ReadFile(f.manifest)
	if err != nil {
		return nil, err
	}
	m, err := replay.ParseManifest(f.manifest, data)
	if err != nil {
		return nil, err
	}
	if f.trace == "" && len(m.Traces) > 1 {
		return nil, fmt.Errorf("--trace is missing: %s lists %s", f.manifest, strings.Join(m.Names(), ", "))
	}
	name := f.trace
	if name == "" {
		name = m.Traces[0].Name
	}
	t, err := m.Trace(name)
	if err != nil {
		return nil, err
	}
	file := filepath.FromSlash(t.File)
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(f.manifest), file)
	}
	src, err := replay.File(file)
	if err != nil {
		return nil, err
	}
	return described(f, src, t)
}

// described returns the choice of a trace that a manifest describes.
func described(f *traceFlags, src replay.Source, t *replay.Trace) (*choice, error) {
	if f.changed("unit") {
		return nil, fmt.Errorf("--unit is for a trace file: the unit of %s is known, %s m", t.Name, t.Unit())
	}
	return &choice{
		source: src, name: t.Name, title: t.Title, unit: t.Unit(),
		radius: t.Expected.EnterRadiusUnits, margin: t.Expected.LeaveMarginUnits,
		nearestK: t.Expected.NearestK, kinds: t.Kinds, stats: t.Stats, known: true,
	}, nil
}

// fromFile returns the choice of a trace file of which the flags tell the rest.
func fromFile(f *traceFlags) (*choice, error) {
	if !f.changed("unit") {
		return nil, missing("unit")
	}
	unit, err := replay.ParseUnit(f.unit)
	if err != nil {
		return nil, fmt.Errorf("--unit: %w", err)
	}
	src, err := replay.File(f.trace)
	if err != nil {
		return nil, err
	}
	return &choice{source: src, name: traceName(f.trace), unit: unit}, nil
}

// missing is the error of a flag without which a trace file is not enough.
func missing(flag string) error {
	return fmt.Errorf("--%s is missing: a trace file does not say it", flag)
}

// traceName returns the file's name without folder and endings.
func traceName(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".csv"} {
		if short := strings.TrimSuffix(name, ending); short != "" {
			name = short
		}
	}
	return name
}

// parseTile reads "4x3".
func parseTile(text string) (columns, rows int, err error) {
	a, b, ok := strings.Cut(strings.ToLower(text), "x")
	columns, errA := strconv.Atoi(a)
	rows, errB := strconv.Atoi(b)
	if !ok || errA != nil || errB != nil || columns < 1 || rows < 1 {
		return 0, 0, fmt.Errorf("--tile is %q, want columns x rows, such as 4x3", text)
	}
	return columns, rows, nil
}

// parseTransform reads the flags that move the positions.
func parseTransform(f *replayFlags) (replay.Transform, error) {
	t := replay.Transform{SwapAxes: f.swapAxes}
	switch f.mirror {
	case "":
	case "x":
		t.MirrorX = true
	case "y":
		t.MirrorY = true
	case "xy":
		t.MirrorX, t.MirrorY = true, true
	default:
		return t, fmt.Errorf("--mirror is %q, want x, y or xy", f.mirror)
	}
	if f.shift == "" {
		return t, nil
	}
	dx, dy, ok := strings.Cut(f.shift, ",")
	x, errX := strconv.ParseInt(dx, 10, 32)
	y, errY := strconv.ParseInt(dy, 10, 32)
	if !ok || errX != nil || errY != nil {
		return t, fmt.Errorf("--shift is %q, want two whole numbers of units, such as -1000,500", f.shift)
	}
	t.ShiftX, t.ShiftY = int32(x), int32(y)
	return t, nil
}
