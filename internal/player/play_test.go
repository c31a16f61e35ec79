package player

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vicinity/internal/bundled"
	"vicinity/internal/replay"
	"vicinity/internal/replay/datatest"
)

var seed = flag.Uint64("seed", 1, "seed of the random traces")

// maker is one kind of engine under test.
type maker struct {
	name string
	make func(Config) (Engine, error)
	rows int64 // of the largest trace to play when time is short
}

// files collects the two files of expected values during a run.
type files struct{ aoi, nearest []byte }

func newFiles() *files {
	return &files{aoi: []byte(replay.AOIHeader + "\n"), nearest: []byte(replay.NearestHeader + "\n")}
}

func (f *files) add(s *Step) error {
	f.aoi = s.AOI.AppendTo(f.aoi)
	if s.Nearest != nil {
		f.nearest = s.Nearest.AppendTo(f.nearest)
	}
	return nil
}

// play runs a trace with the radii of its manifest entry.
func play(t *testing.T, m maker, src replay.Source, tr *replay.Trace, workers int, change func(*Job)) (*files, *Report) {
	t.Helper()
	engine, err := m.make(Config{
		Radius: tr.Expected.EnterRadiusUnits, Margin: tr.Expected.LeaveMarginUnits, Workers: workers,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	got := newFiles()
	job := Job{
		Source: src, Engine: engine, AOI: true, Each: got.add,
		Nearest: replay.NearestTicks(tr.Stats.Ticks), NearestK: tr.Expected.NearestK,
	}
	if change != nil {
		change(&job)
	}
	report, err := Play(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	return got, report
}

// diffLine names the first line in which two files differ.
func diffLine(t *testing.T, what string, got, want []byte) {
	t.Helper()
	g, w := bytes.Split(got, []byte{'\n'}), bytes.Split(want, []byte{'\n'})
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			t.Fatalf("%s ends before line %d, want %q", what, i+1, w[i])
		case i >= len(w):
			t.Fatalf("%s goes on at line %d, got %q", what, i+1, g[i])
		case !bytes.Equal(g[i], w[i]):
			t.Fatalf("%s line %d: got %q, want %q", what, i+1, g[i], w[i])
		}
	}
}

// compare holds a run against the expected files, byte for byte.
func compare(t *testing.T, fsys fs.FS, tr *replay.Trace, got *files) {
	t.Helper()
	aoi, err := fs.ReadFile(fsys, tr.Expected.AOIFile)
	if err != nil {
		t.Fatal(err)
	}
	nearest, err := fs.ReadFile(fsys, tr.Expected.NearestFile)
	if err != nil {
		t.Fatal(err)
	}
	diffLine(t, tr.Expected.AOIFile, got.aoi, aoi)
	diffLine(t, tr.Expected.NearestFile, got.nearest, nearest)
}

func compareSums(t *testing.T, tr *replay.Trace, r *Report) {
	t.Helper()
	e := &tr.Expected
	if r.Enters != e.SumEnter || r.Leaves != e.SumLeave || r.Pairs != e.SumEnter+e.SumKeep {
		t.Errorf("enters %d, leaves %d, pairs %d; want %d, %d, %d",
			r.Enters, r.Leaves, r.Pairs, e.SumEnter, e.SumLeave, e.SumEnter+e.SumKeep)
	}
	if r.Ticks != tr.Stats.Ticks || r.PresentMax != tr.Stats.PresentMax || r.Entities != tr.Stats.Rows {
		t.Errorf("ticks %d, at most %d present, %d rows; want %d, %d, %d",
			r.Ticks, r.PresentMax, r.Entities, tr.Stats.Ticks, tr.Stats.PresentMax, tr.Stats.Rows)
	}
}

func TestBundledExpected(t *testing.T) {
	for _, m := range makers {
		for _, name := range bundled.Manifest().Names() {
			t.Run(m.name+"/"+name, func(t *testing.T) {
				src, tr, err := bundled.Source(name)
				if err != nil {
					t.Fatal(err)
				}
				if raceEnabled && tr.Stats.Rows > m.rows {
					t.Skip("takes too long under -race")
				}
				got, report := play(t, m, src, tr, 1, nil)
				compare(t, bundled.FS(), tr, got)
				compareSums(t, tr, report)
			})
		}
	}
}

// recorded returns the folder of the recorded traces and their manifest; without
// them the test is skipped.
func recorded(t *testing.T) (string, *replay.Manifest) {
	t.Helper()
	dir := datatest.Dir(t)
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := replay.ParseManifest("manifest.json", data)
	if err != nil {
		t.Fatal(err)
	}
	return dir, manifest
}

func TestDataExpected(t *testing.T) {
	dir, manifest := recorded(t)
	for _, m := range makers {
		for i := range manifest.Traces {
			tr := &manifest.Traces[i]
			t.Run(m.name+"/"+tr.Name, func(t *testing.T) {
				if (raceEnabled || testing.Short()) && tr.Stats.Rows > m.rows {
					t.Skip("takes too long under -race or -short")
				}
				if m.name == "world" && tr.Stats.Rows > 130_000 {
					t.Skip("the grid plays it, and the World its beginning under budgets")
				}
				src, err := replay.File(filepath.Join(dir, filepath.FromSlash(tr.File)))
				if err != nil {
					t.Fatal(err)
				}
				got, report := play(t, m, src, tr, 2, nil)
				compare(t, os.DirFS(dir), tr, got)
				compareSums(t, tr, report)
			})
		}
	}
}

// Moving the world changes no result: the same files, the same digest.
func TestTransformsChangeNothing(t *testing.T) {
	transforms := map[string]replay.Transform{
		"swap":           {SwapAxes: true},
		"mirror x":       {MirrorX: true},
		"mirror xy":      {MirrorX: true, MirrorY: true},
		"shift negative": {ShiftX: -12345, ShiftY: -54321},
		"shift far":      {ShiftX: replay.MaxCoord - 30, ShiftY: -replay.MaxCoord},
		"all":            {SwapAxes: true, MirrorY: true, ShiftX: 7, ShiftY: -9},
	}
	src, tr, err := bundled.Source("halite-match")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range makers {
		_, want := play(t, m, src, tr, 1, nil)
		for name, f := range transforms {
			t.Run(m.name+"/"+name, func(t *testing.T) {
				got, report := play(t, m, src, tr, 1, func(j *Job) { j.Transform = f })
				compare(t, bundled.FS(), tr, got)
				if report.Digest != want.Digest {
					t.Errorf("digest %016x, want %016x", report.Digest, want.Digest)
				}
			})
		}
	}
}

// Copies do not see each other: every count is a multiple, and the first copy's
// relations are those of the trace alone.
func TestTilingMultiplies(t *testing.T) {
	src, tr, err := bundled.Source("crowd-bottleneck")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := replay.Scan(src)
	if err != nil {
		t.Fatal(err)
	}
	reach := tr.Expected.EnterRadiusUnits + tr.Expected.LeaveMarginUnits
	tiling, err := replay.NewTiling(3, 2, sum.Bounds, sum.MaxID, reach)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			if raceEnabled && m.name != "grid" {
				t.Skip("takes too long under -race")
			}
			_, one := play(t, m, src, tr, 1, nil)
			first := replay.NewDigest()
			_, six := play(t, m, src, tr, 2, func(j *Job) {
				j.Tiling = tiling
				j.Nearest = nil
				j.Each = func(s *Step) error {
					n := len(s.Relations) / 6
					first.Add(s.Tick, s.Relations[:n])
					return nil
				}
			})
			if six.Pairs != 6*one.Pairs || six.Enters != 6*one.Enters || six.Leaves != 6*one.Leaves {
				t.Errorf("pairs %d, enters %d, leaves %d; want six times %d, %d, %d",
					six.Pairs, six.Enters, six.Leaves, one.Pairs, one.Enters, one.Leaves)
			}
			if first.Sum64() != one.Digest {
				t.Errorf("first copy has digest %s, want %016x", first, one.Digest)
			}
		})
	}
}

// Every engine, worker count and run gives the same digest.
func TestDigestsAgree(t *testing.T) {
	counts := []int{1, 2, 5}
	if raceEnabled {
		counts = []int{2}
	}
	for _, name := range bundled.Manifest().Names() {
		src, tr, err := bundled.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		_, want := play(t, makers[0], src, tr, 1, nil)
		for _, m := range makers[1:] {
			for _, workers := range counts {
				if _, got := play(t, m, src, tr, workers, nil); got.Digest != want.Digest {
					t.Errorf("%s, %s with %d workers: digest %016x, want %016x",
						name, m.name, workers, got.Digest, want.Digest)
				}
			}
		}
	}
}

// trace writes a plain trace from its rows.
func trace(rows string) replay.Source {
	return replay.Bytes("test.csv", []byte(replay.Header+"\n"+rows))
}

// A relation ends when either side is absent, and whoever returns is new.
func TestAbsence(t *testing.T) {
	src := trace("0,0,0,0,0,0\n0,1,5,0,0,0\n0,2,100,0,0,0\n" +
		"1,0,0,0,0,0\n" + // 1 and 2 are gone: two leaves
		"2,0,0,0,0,0\n2,1,11,0,0,0\n" + // 1 is back inside the margin only: a stranger
		"3,0,0,0,0,0\n3,1,10,0,0,0\n" + // on the border: two enters
		"4,0,0,0,0,0\n4,1,12,0,0,0\n" + // on the outer border: kept
		"5,1,12,0,0,0\n" + // 0 is gone: two leaves
		"6,0,0,0,0,0\n6,1,10,0,0,0\n" +
		"7,0,0,0,0,0\n7,1,13,0,0,0\n")
	want := []Counts{
		{Present: 3, Enter: 2},
		{Present: 1, Leave: 2},
		{Present: 2},
		{Present: 2, Enter: 2},
		{Present: 2, Keep: 2},
		{Present: 1, Leave: 2},
		{Present: 2, Enter: 2},
		{Present: 2, Leave: 2},
	}
	for _, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			engine, err := m.make(Config{Radius: 10, Margin: 2})
			if err != nil {
				t.Fatal(err)
			}
			defer engine.Close()
			_, err = Play(context.Background(), Job{Source: src, Engine: engine, Each: func(s *Step) error {
				got := s.Counts
				got.Candidates = 0
				if got != want[s.Tick] {
					t.Errorf("tick %d: %+v, want %+v", s.Tick, got, want[s.Tick])
				}
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestPlayStops(t *testing.T) {
	src := trace("0,0,0,0,0,0\n1,0,0,0,0,0\n2,0,0,0,0,0\n3,x,0,0,0,0\n")
	stop := errors.New("enough")
	for _, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			run := func(ctx context.Context, each func(*Step) error) error {
				engine, err := m.make(Config{Radius: 1})
				if err != nil {
					t.Fatal(err)
				}
				defer engine.Close()
				_, err = Play(ctx, Job{Source: src, Engine: engine, Each: each})
				return err
			}
			if err := run(context.Background(), nil); !errors.Is(err, replay.ErrRow) {
				t.Errorf("bad row: %v, want ErrRow", err)
			}
			if err := run(context.Background(), func(*Step) error { return stop }); !errors.Is(err, stop) {
				t.Errorf("Each's error: %v, want %v", err, stop)
			}
			ctx, cancel := context.WithCancel(context.Background())
			ticks := 0
			err := run(ctx, func(*Step) error { ticks++; cancel(); return nil })
			if !errors.Is(err, context.Canceled) || ticks != 1 {
				t.Errorf("cancelled: %v after %d ticks, want context.Canceled after 1", err, ticks)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	bad := []Config{
		{Radius: -1},
		{Margin: -1},
		{Workers: -1},
		{Radius: replay.MaxCoord, Margin: 1},
		{Radius: 1 << 30, Margin: 1 << 30},
	}
	for _, m := range makers {
		for _, c := range bad {
			if e, err := m.make(c); !errors.Is(err, ErrConfig) || e != nil {
				t.Errorf("%s: %+v: %v, want ErrConfig", m.name, c, err)
			}
		}
	}
}

// liar is an engine that says two relations and lists what it is told to.
type liar struct {
	plain
	list []replay.Relation
}

func (l *liar) Tick(t *replay.Tick) (Counts, Times, error) {
	return Counts{Present: t.Len(), Enter: 2}, Times{}, nil
}

func (l *liar) AppendRelations(dst []replay.Relation) []replay.Relation {
	return append(dst, l.list...)
}

func TestContradictionsAreErrors(t *testing.T) {
	a, b := replay.Relation{Observer: 1, Entity: 2}, replay.Relation{Observer: 2, Entity: 1}
	for name, list := range map[string][]replay.Relation{
		"too few": {a}, "too many": {a, b, {Observer: 3}}, "twice": {a, a}, "out of order": {b, a},
	} {
		_, err := Play(context.Background(), Job{Source: trace("0,0,0,0,0,0\n"), Engine: &liar{list: list}})
		if !errors.Is(err, ErrEngine) {
			t.Errorf("%s: %v, want ErrEngine", name, err)
		}
	}
	_, err := Play(context.Background(), Job{Source: trace("0,0,0,0,0,0\n"), Engine: &liar{list: []replay.Relation{a, b}}})
	if err != nil {
		t.Errorf("in order: %v", err)
	}
}

// witness is an engine that remembers where it was told everybody is.
type witness struct {
	plain
	x, y []int32
}

func (w *witness) Tick(t *replay.Tick) (Counts, Times, error) {
	w.x, w.y = append(w.x, t.X...), append(w.y, t.Y...)
	return w.plain.Tick(t)
}

// The engine gets the transformed positions, and then their copies.
func TestEngineGetsTransformedCopies(t *testing.T) {
	w := &witness{}
	_, err := Play(context.Background(), Job{
		Source: trace("0,0,1,20,0,0\n0,1,3,40,0,0\n"), Engine: w,
		Transform: replay.Transform{SwapAxes: true, ShiftX: 100},
		Tiling:    replay.Tiling{Columns: 1, Rows: 2, StrideX: 1000, StrideY: 500, Span: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(w.x, []int32{120, 140, 120, 140}) || !slices.Equal(w.y, []int32{1, 3, 501, 503}) {
		t.Errorf("x %v, y %v", w.x, w.y)
	}
}

// randomTrace writes a trace of walkers, jumpers and absentees on a lattice of the
// given step, so that many distances are equal and many lie on a radius.
func randomTrace(rng *rand.Rand, ticks, entities int, step int32) replay.Source {
	var out bytes.Buffer
	w := replay.NewWriter(&out)
	var t replay.Tick
	x, y := make([]int32, entities), make([]int32, entities)
	absent := make([]bool, entities)
	jump := func(i int) { x[i], y[i] = step*(rng.Int32N(41)-20), step*(rng.Int32N(41)-20) }
	for i := range entities {
		jump(i)
	}
	for n := range ticks {
		t.Reset(uint64(n))
		quiet := rng.IntN(8) == 0 // a tick in which nobody moves
		for i := range entities {
			switch {
			case quiet:
			case rng.IntN(20) == 0:
				absent[i] = !absent[i]
			case rng.IntN(30) == 0:
				jump(i)
			default:
				x[i] += step * (rng.Int32N(3) - 1)
				y[i] += step * (rng.Int32N(3) - 1)
			}
			if !absent[i] || i == n%entities {
				t.Append(uint64(i)*1000003, x[i], y[i], 0, -1)
			}
		}
		if err := w.Write(&t); err != nil {
			panic(err) // a buffer takes everything
		}
	}
	return replay.Bytes("random.csv", out.Bytes())
}

// Jumps, absences and equal distances: the engines agree in every line.
func TestRandomTracesAgree(t *testing.T) {
	t.Logf("seed %d", *seed)
	for round := range 12 {
		rng := rand.New(rand.NewPCG(*seed, uint64(round)))
		step := []int32{1, 3, 1000, 1 << 23}[round%4]
		ticks := 80
		src := randomTrace(rng, ticks, 60, step)
		tr := &replay.Trace{
			Stats:    replay.Stats{Ticks: uint64(ticks)},
			Expected: replay.Expected{EnterRadiusUnits: 5 * step, LeaveMarginUnits: step * rng.Int32N(3), NearestK: 1 + rng.IntN(8)},
		}
		want, wantReport := play(t, makers[0], src, tr, 1, nil)
		for _, m := range makers[1:] {
			got, report := play(t, m, src, tr, 1+round%3, nil)
			diffLine(t, m.name+": counts", got.aoi, want.aoi)
			diffLine(t, m.name+": nearest", got.nearest, want.nearest)
			if report.Digest != wantReport.Digest {
				t.Errorf("%s: digest %016x, want %016x", m.name, report.Digest, wantReport.Digest)
			}
		}
		if wantReport.Leaves == 0 || wantReport.Enters == 0 {
			t.Errorf("round %d: nobody enters or leaves", round)
		}
	}
}
