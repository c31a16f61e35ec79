package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"vicinity/internal/bundled"
	"vicinity/internal/replay"
	"vicinity/internal/replay/datatest"
)

// binary is the command, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vicinity-test-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "vicinity")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// vicinity runs the command in dir.
func vicinity(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// succeed runs the command, which prints nothing on standard error.
func succeed(t *testing.T, dir string, args ...string) string {
	t.Helper()
	code, stdout, stderr := vicinity(t, dir, args...)
	if code != exitOK || stderr != "" {
		t.Fatalf("%q: exit code %d, stderr %q", args, code, stderr)
	}
	return stdout
}

// playJSON runs a replay with --json.
func playJSON(t *testing.T, dir string, args ...string) *result {
	t.Helper()
	out := succeed(t, dir, append([]string{"replay", "--json"}, args...)...)
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	var r result
	if err := d.Decode(&r); err != nil || d.More() {
		t.Fatalf("not one object: %v\n%s", err, out)
	}
	return &r
}

// listing returns the names in dir.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// write puts a file into dir.
func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func zip(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const head = replay.Header + "\n"

// walk is a trace of two who meet and part, in units of 1/16 m.
const walk = head +
	"0,0,0,0,0,-1\n0,1,100,0,0,-1\n" +
	"1,0,0,0,0,-1\n1,1,32,0,0,-1\n" +
	"2,0,0,0,0,-1\n2,1,40,0,0,-1\n" +
	"3,0,0,0,0,-1\n3,1,41,0,0,-1\n"

var walkFlags = []string{"--unit", "1/16", "--radius", "2", "--hysteresis", "0.5"}

func TestReplayWritesExpectedFiles(t *testing.T) {
	for _, engine := range []string{"grid", "oracle"} {
		for _, name := range bundled.Manifest().Names() {
			t.Run(engine+"/"+name, func(t *testing.T) {
				_, tr, err := bundled.Source(name)
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				succeed(t, dir, "replay", "--trace", name, "--engine", engine, "--aoi-csv", "a.csv", "--nearest-csv", "n.csv")
				for file, want := range map[string]string{"a.csv": tr.Expected.AOIFile, "n.csv": tr.Expected.NearestFile} {
					data, err := fs.ReadFile(bundled.FS(), want)
					if err != nil {
						t.Fatal(err)
					}
					if read(t, filepath.Join(dir, file)) != string(data) {
						t.Errorf("%s is not %s", file, want)
					}
				}
				if got := listing(t, dir); got != "a.csv n.csv" {
					t.Errorf("files: %s", got)
				}
			})
		}
	}
}

func TestReplayManifest(t *testing.T) {
	data := datatest.Dir(t)
	manifest := filepath.Join(data, "manifest.json")
	dir := t.TempDir()
	r := playJSON(t, dir, "--manifest", manifest, "--trace", "region-hersfeld", "--aoi-csv", "a.csv", "--nearest-csv", "n.csv")
	if r.Ticks != 120 || r.Entities != 3237 || r.Counts.Enters != 219064 || r.Counts.Leaves != 95978 || r.UnitM != 1.0/16 {
		t.Errorf("got %+v", r)
	}
	for file, want := range map[string]string{"a.csv": "region-hersfeld.aoi.csv", "n.csv": "region-hersfeld.nearest.csv"} {
		if read(t, filepath.Join(dir, file)) != read(t, filepath.Join(data, "expected", want)) {
			t.Errorf("%s is not %s", file, want)
		}
	}
}

func TestReplayJSON(t *testing.T) {
	r := playJSON(t, t.TempDir())
	if r.Trace != bundled.Default || r.Engine != "grid" || r.Workers != runtime.GOMAXPROCS(0) || r.UnitM != 1.0/256 ||
		r.EnterRadiusUnits != 512 || r.LeaveMarginUnits != 128 || r.Copies != 1 ||
		r.Ticks != 3247 || r.Entities != 480 || r.PresentMax != 50 || len(r.Digest) != 16 {
		t.Errorf("got %+v", r)
	}
	c := &r.Counts
	if c.Rows != 120790 || c.Pairs < c.Enters || c.Enters == 0 || c.Enters != c.Leaves || c.PairsMax == 0 ||
		c.CandidatesPerHit == nil || *c.CandidatesPerHit < 1 {
		t.Errorf("counts %+v", c)
	}
	for name, s := range map[string]timeResult{"read": r.Stages.Read, "update": r.Stages.Update, "output": r.Stages.Output, "tick": r.Stages.Tick} {
		if s.P50 <= 0 || s.P99 < s.P50 || s.Max < s.P99 || s.Total < s.Max {
			t.Errorf("%s takes %+v", name, s)
		}
	}
}

func TestReplayFileIsExact(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "walk.csv", []byte(walk))
	write(t, dir, "zipped", zip(t, walk))
	want := "tick,present,within,enter,keep,leave,relhash\n" +
		"0,2,0,0,0,0,0000000000000000\n"
	digest := ""
	for _, file := range []string{"walk.csv", "zipped"} {
		args := append([]string{"--trace", file, "--aoi-csv", "a.csv"}, walkFlags...)
		r := playJSON(t, dir, args...)
		got := read(t, filepath.Join(dir, "a.csv"))
		lines := strings.Split(got, "\n")
		if !strings.HasPrefix(got, want) || len(lines) != 6 ||
			!strings.HasPrefix(lines[2], "1,2,2,2,0,0,") || !strings.HasPrefix(lines[3], "2,2,0,0,2,0,") || lines[4] != "3,2,0,0,0,2,0000000000000000" {
			t.Errorf("%s: %s", file, got)
		}
		if digest == "" {
			digest = r.Digest
		}
		if r.Digest != digest || r.Counts.Pairs != 4 || r.Counts.Enters != 2 || r.Counts.Leaves != 2 {
			t.Errorf("%s: %+v", file, r)
		}
	}
	if r := playJSON(t, dir, "--trace", "walk.csv", "--unit", "1/16", "--radius", "0"); r.Counts.CandidatesPerHit != nil || r.Counts.Pairs != 0 {
		t.Errorf("nobody in range: %+v", r.Counts)
	}
}

// A pipe can be read only once, and is played all the same.
func TestReplayPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs /dev/stdin")
	}
	cmd := exec.Command(binary, append([]string{"replay", "--trace", "/dev/stdin", "--json"}, walkFlags...)...)
	cmd.Stdin = strings.NewReader(walk)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"pairs": 4,`) {
		t.Errorf("%v: %s", err, out)
	}
}

// Everything that must not change the results, does not change the digest.
func TestReplayDigest(t *testing.T) {
	dir := t.TempDir()
	want := playJSON(t, dir, "--trace", "halite-match", "--engine", "oracle").Digest
	for _, args := range [][]string{
		{},
		{"--workers", "1"},
		{"--workers", "3"},
		{"--swap-axes"},
		{"--mirror", "x"},
		{"--mirror", "y"},
		{"--mirror", "xy"},
		{"--shift", "-1000000,999999"},
		{"--shift", "1073741803,-1073741823"},
		{"--swap-axes", "--mirror", "x", "--shift", "5,-5", "--tile", "1x1"},
	} {
		if got := playJSON(t, dir, append([]string{"--trace", "halite-match"}, args...)...); got.Digest != want {
			t.Errorf("%q: digest %s, want %s", args, got.Digest, want)
		}
	}
	if got := playJSON(t, dir, "--trace", "halite-match", "--hysteresis", "2"); got.Digest == want || got.LeaveMarginUnits != 2 {
		t.Errorf("other hysteresis, same digest: %+v", got)
	}
}

func TestReplayTile(t *testing.T) {
	one := playJSON(t, t.TempDir(), "--trace", "crowd-bottleneck")
	six := playJSON(t, t.TempDir(), "--trace", "crowd-bottleneck", "--tile", "3x2")
	if six.Copies != 6 || six.Entities != 6*one.Entities || six.PresentMax != 6*one.PresentMax ||
		six.Counts.Pairs != 6*one.Counts.Pairs || six.Counts.Enters != 6*one.Counts.Enters || six.Ticks != one.Ticks {
		t.Errorf("six copies %+v, one %+v", six, one)
	}
}

func TestReplayTable(t *testing.T) {
	out := succeed(t, t.TempDir(), "replay", "--trace", "halite-match", "--workers", "1")
	for _, want := range []string{
		"halite-match: A Halite 4 tournament game", "ticks               400\n", "entities            173, at most 113 at once\n",
		"enter 3 m, leave 4 m (3 and 4 units of 1 m)", "grid, 1 worker\n", "231,520 over all ticks, at most 990 at once",
		"enters              34,832\n", "leaves              34,712\n", "candidates per hit  ", "digest              ",
		"\ntime a tick", "p50", "p99", "max", "\nread ", "\npublish ", "\nupdate ", "\noutput ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("table lacks %q:\n%s", want, out)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		if out := succeed(t, dir, args...); !strings.Contains(out, "replay") || !strings.Contains(out, "Examples:") {
			t.Errorf("%q: %s", args, out)
		}
	}
	out := succeed(t, dir, "replay", "--help")
	for _, flag := range []string{
		"Examples:", "--trace", "--manifest", "--unit", "--radius", "--hysteresis", "--workers", "--engine", "--tile",
		"--shift", "--mirror", "--swap-axes", "--aoi-csv", "--nearest-csv", "--json", "Exit codes:",
		"--budget", "--cost-table", "--priority-table", "--max-silence", "--cap", "--send-every",
		"\n  animal 20/60,", " pedestrian 20/100,", " others 24/100.\n",
	} {
		if !strings.Contains(out, flag) {
			t.Errorf("replay --help lacks %s:\n%s", flag, out)
		}
	}
	if out := succeed(t, dir, "--version"); !strings.HasPrefix(out, "vicinity ") || !strings.Contains(out, runtime.Version()) || strings.Count(out, "\n") != 1 {
		t.Errorf("--version: %q", out)
	}
}

// Every error: exit code 2, one line that says what is wrong, nothing on
// standard output, and no file that was not there before.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	_, corridor, err := bundled.Source("crowd-corridor")
	if err != nil {
		t.Fatal(err)
	}
	gz, err := fs.ReadFile(bundled.FS(), corridor.File)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "walk.csv", []byte(walk))
	write(t, dir, "cut.csv.gz", gz[:len(gz)/2])
	write(t, dir, "damaged.csv.gz", append(bytes.Clone(gz[:len(gz)-6]), "xxxxxx"...))
	write(t, dir, "empty.csv", nil)
	write(t, dir, "header.csv", []byte("id,tick,x,y,kind,team\n0,0,0,0,0,0\n"))
	write(t, dir, "word.csv", []byte(walk+"4,0,12,abc,0,-1\n"))
	write(t, dir, "short.csv", []byte(walk+"4,0,12\n"))
	write(t, dir, "range.csv", []byte(walk+"4,0,1073741824,0,0,-1\n"))
	write(t, dir, "back.csv", []byte(walk+"2,0,0,0,0,-1\n"))
	write(t, dir, "skip.csv", []byte(walk+"5,0,0,0,0,-1\n"))
	write(t, dir, "twice.csv", []byte(walk+"3,1,41,0,0,-1\n"))
	write(t, dir, "order.csv", []byte(walk+"4,1,0,0,0,-1\n4,0,0,0,0,-1\n"))
	write(t, dir, "cut.csv", []byte(walk[:len(walk)-2]))
	write(t, dir, "m.json", []byte(`{"traces":[{"name":"a","file":"gone.csv","unit_m":1},{"name":"b","file":"walk.csv","unit_m":1,"stats":{"ticks":9}}]}`))
	write(t, dir, "bad.json", []byte("{\n \"traces\": [}"))
	before := listing(t, dir)

	file := func(name string) []string { return append([]string{"--trace", name}, walkFlags...) }
	for _, c := range []struct {
		name string
		args []string
		want string // contained in the line
	}{
		{"missing file", file("gone.csv"), "gone.csv: no such file or directory, and no bundled trace has that name (crowd-corridor, "},
		{"folder", file("."), ".: is a folder"},
		{"truncated gzip", file("cut.csv.gz"), "cut.csv.gz: line "},
		{"truncated gzip says so", file("cut.csv.gz"), "gzip ends too early"},
		{"damaged gzip", file("damaged.csv.gz"), "damaged gzip"},
		{"empty", file("empty.csv"), "empty.csv: line 1, column 1: empty trace"},
		{"header", file("header.csv"), "header.csv: line 1, column 1: header is"},
		{"not an integer", file("word.csv"), `word.csv: line 10, column 8: y "abc" is not an integer`},
		{"short row", file("short.csv"), "short.csv: line 10, column 7: row has 3 fields, want 6"},
		{"out of range", file("range.csv"), "range.csv: line 10, column 5: x 1073741824 is out of range"},
		{"tick backwards", file("back.csv"), "back.csv: line 10, column 1: tick goes backwards, from 3 to 2"},
		{"tick skips", file("skip.csv"), "skip.csv: line 10, column 1: tick skips from 3 to 5"},
		{"duplicate id", file("twice.csv"), "twice.csv: line 10, column 3: id 1 comes twice in tick 3"},
		{"not sorted", file("order.csv"), "order.csv: line 11, column 3: id 0 after id 1 in tick 4"},
		{"truncated plain", file("cut.csv"), "cut.csv: line 9, column 13: line has no line feed"},

		{"no unit", []string{"--trace", "walk.csv", "--radius", "2"}, "--unit is missing"},
		{"no radius", []string{"--trace", "walk.csv", "--unit", "1"}, "--radius is missing"},
		{"odd unit", []string{"--trace", "walk.csv", "--unit", "0.1", "--radius", "2"}, "--unit: unit of 0.1 m"},
		{"unit of a known trace", []string{"--unit", "1"}, "--unit is for a trace file"},
		{"negative radius", []string{"--radius", "-1"}, "--radius -1 m"},
		{"radius not a number", []string{"--radius", "NaN"}, "--radius NaN m"},
		{"radius infinite", []string{"--radius", "Inf"}, "--radius +Inf m"},
		{"radius a word", []string{"--radius", "far"}, `invalid argument "far"`},
		{"negative hysteresis", []string{"--hysteresis", "-0.5"}, "--hysteresis -0.5 m"},
		{"reach too long", []string{"--radius", "4000000", "--hysteresis", "4000000"}, "radius and hysteresis"},

		{"missing manifest", []string{"--manifest", "gone.json", "--trace", "a"}, "gone.json: no such file"},
		{"broken manifest", []string{"--manifest", "bad.json", "--trace", "a"}, "bad.json: line 2, column 13: "},
		{"no trace chosen", []string{"--manifest", "m.json"}, "--trace is missing: m.json lists a, b"},
		{"unknown trace", []string{"--manifest", "m.json", "--trace", "c"}, `m.json: no trace "c", there is a, b`},
		{"trace of the manifest is gone", []string{"--manifest", "m.json", "--trace", "a"}, "gone.csv: no such file"},
		{"manifest is wrong", []string{"--manifest", "m.json", "--trace", "b"}, "walk.csv: has 4 ticks, the manifest says 9"},

		{"workers 0", []string{"--workers", "0"}, "--workers is 0"},
		{"workers negative", []string{"--workers", "-2"}, "--workers is -2"},
		{"engine", []string{"--engine", "magic"}, `--engine is "magic", want grid, world or oracle`},
		{"tile", []string{"--tile", "3"}, `--tile is "3", want columns x rows`},
		{"tile 0", []string{"--tile", "0x2"}, `--tile is "0x2"`},
		{"tile too many", []string{"--tile", "30000x30000"}, "--tile: "},
		{"tile more than memory", []string{"--tile", "2000x2000"}, "--tile: 200000000 entities at once"},
		{"mirror", []string{"--mirror", "z"}, `--mirror is "z"`},
		{"shift", []string{"--shift", "1"}, `--shift is "1"`},
		{"shift in metres", []string{"--shift", "1.5,2"}, `--shift is "1.5,2"`},
		{"shift too far", []string{"--shift", "1073741823,0"}, "transformed positions span"},
		{"unknown flag", []string{"--fast"}, "unknown flag: --fast (see vicinity replay --help)"},
		{"argument", []string{"walk.csv"}, `"walk.csv" is not a flag`},

		{"output in a missing folder", []string{"--aoi-csv", "no/a.csv"}, "cannot write no/a.csv: no such file or directory"},
		{"output is a folder", []string{"--nearest-csv", "."}, "cannot write .: it is a folder"},
		{"second output fails", []string{"--aoi-csv", "a.csv", "--nearest-csv", "no/n.csv"}, "cannot write no/n.csv"},
		{"one output twice", []string{"--aoi-csv", "a.csv", "--nearest-csv", "./a.csv"}, "are the same file"},
		{"output is the trace", append(file("walk.csv"), "--aoi-csv", "./walk.csv"), "it is the trace that is played"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"replay"}, c.args...)
			if !strings.Contains(strings.Join(args, " "), "-csv") {
				args = append(args, "--aoi-csv", "out.csv", "--nearest-csv", "near.csv")
			}
			code, stdout, stderr := vicinity(t, dir, args...)
			if code != exitBad || stdout != "" {
				t.Errorf("exit code %d, stdout %q; want 2 and nothing", code, stdout)
			}
			if !strings.HasPrefix(stderr, "vicinity: ") || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
				t.Errorf("stderr %q, want one line", stderr)
			}
			if !strings.Contains(stderr, c.want) {
				t.Errorf("stderr %q, want it to contain %q", stderr, c.want)
			}
			if after := listing(t, dir); after != before {
				t.Errorf("files %s; before %s", after, before)
			}
		})
	}
	if got := read(t, filepath.Join(dir, "walk.csv")); got != walk {
		t.Errorf("the trace was changed: %q", got)
	}
	if code, _, stderr := vicinity(t, dir, "play"); code != exitBad || !strings.Contains(stderr, `unknown command "play"`) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("unknown command: %d, %q", code, stderr)
	}
}

// An error leaves the file that was there as it was; success replaces it, and
// keeps its rights and the link that leads to it.
func TestOutputReplacesWhole(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs links and permission bits")
	}
	dir := t.TempDir()
	write(t, dir, "bad.csv", []byte(walk+"4,0,x,0,0,-1\n"))
	write(t, dir, "walk.csv", []byte(walk))
	write(t, dir, "real/old.csv", []byte("old"))
	old := filepath.Join(dir, "real", "old.csv")
	if err := os.Chmod(old, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real/old.csv", filepath.Join(dir, "link.csv")); err != nil {
		t.Fatal(err)
	}
	code, _, _ := vicinity(t, dir, append([]string{"replay", "--trace", "bad.csv", "--aoi-csv", "link.csv"}, walkFlags...)...)
	if code != exitBad || read(t, old) != "old" {
		t.Errorf("after an error: exit code %d, %q", code, read(t, old))
	}
	succeed(t, dir, append([]string{"replay", "--trace", "walk.csv", "--aoi-csv", "link.csv"}, walkFlags...)...)
	info, err := os.Stat(old)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(read(t, old), replay.AOIHeader) || info.Mode().Perm() != 0o640 {
		t.Errorf("after success: %v, %q", info.Mode(), read(t, old))
	}
	if got := listing(t, dir) + " " + listing(t, filepath.Join(dir, "real")); got != "bad.csv link.csv real walk.csv old.csv" {
		t.Errorf("files: %s", got)
	}
}

func TestOutputToDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	dir := t.TempDir()
	code, stdout, stderr := vicinity(t, dir, "replay", "--aoi-csv", "/dev/full")
	if code != exitBad || stdout != "" || stderr != "vicinity: cannot write /dev/full: no space left on device\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	succeed(t, dir, "replay", "--aoi-csv", "/dev/null", "--nearest-csv", "/dev/null")
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Fatalf("/dev/null is now %v, %v", info, err)
	}
	out := succeed(t, dir, append([]string{"replay", "--trace", write1(t, dir), "--aoi-csv", "/dev/stdout"}, walkFlags...)...)
	if !strings.HasPrefix(out, replay.AOIHeader) || !strings.Contains(out, "digest") {
		t.Errorf("to standard output: %q", out)
	}
}

func write1(t *testing.T, dir string) string {
	write(t, dir, "walk.csv", []byte(walk))
	return "walk.csv"
}

// A disk that fills up while the file is written leaves nothing behind.
func TestOutputDiskFull(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("needs the right to mount a small disk")
	}
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount: %s", out)
	}
	defer exec.Command("umount", dir).Run()
	write(t, dir, "old.csv", []byte("old"))
	code, stdout, stderr := vicinity(t, t.TempDir(), "replay", "--aoi-csv", filepath.Join(dir, "old.csv"))
	if code != exitBad || stdout != "" || !strings.HasSuffix(stderr, "old.csv: no space left on device\n") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if got := listing(t, dir); got != "old.csv" || read(t, filepath.Join(dir, "old.csv")) != "old" {
		t.Errorf("files: %s, %q", got, read(t, filepath.Join(dir, "old.csv")))
	}
}

// interrupt starts a replay, waits until it writes, sends the signals, and
// returns how it ended.
func interrupt(t *testing.T, dir string, signals []os.Signal, args ...string) (code int, stderr string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	cmd := exec.Command(binary, append([]string{"replay", "--aoi-csv", "a.csv", "--nearest-csv", "n.csv"}, args...)...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for deadline := time.Now().Add(time.Minute); strings.Count(listing(t, dir), ".part") < 2; {
		if time.Now().After(deadline) {
			t.Fatal("it never began to write")
		}
		time.Sleep(5 * time.Millisecond)
	}
	for _, s := range signals {
		time.Sleep(50 * time.Millisecond)
		cmd.Process.Signal(s)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("it does not stop")
	}
	return cmd.ProcessState.ExitCode(), errs.String()
}

func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name    string
		signals []os.Signal
		args    []string
		stderr  string
	}{
		{"once", []os.Signal{os.Interrupt}, []string{"--engine", "oracle", "--tile", "4x4"}, "vicinity: interrupted\n"},
		{"terminated", []os.Signal{syscall.SIGTERM}, []string{"--engine", "oracle", "--tile", "4x4"}, "vicinity: interrupted\n"},
		// 75 people 40,000 times: one tick of all pairs takes days.
		{
			"twice within a tick",
			[]os.Signal{os.Interrupt, os.Interrupt},
			[]string{"--engine", "oracle", "--trace", "crowd-bottleneck", "--tile", "200x200"},
			"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "a.csv", []byte("old"))
			code, stderr := interrupt(t, dir, c.signals, c.args...)
			if code != exitInterrupted || stderr != c.stderr {
				t.Errorf("exit code %d, stderr %q; want 130, %q", code, stderr, c.stderr)
			}
			if got := listing(t, dir); got != "a.csv" || read(t, filepath.Join(dir, "a.csv")) != "old" {
				t.Errorf("files: %s", got)
			}
		})
	}
}

// The progress bar is for terminals: script(1) gives one.
func TestProgressBar(t *testing.T) {
	script, err := exec.LookPath("script")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("needs script(1) of util-linux")
	}
	command := binary + " replay --engine oracle --tile 4x3 --trace crowd-corridor"
	out, err := exec.Command(script, "-qec", command, "/dev/null").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !bytes.Contains(out, []byte("replay")) || !bytes.Contains(out, []byte("/3247")) {
		t.Errorf("no progress bar on a terminal: %q", out)
	}
	if !bytes.Contains(out, []byte("digest")) {
		t.Errorf("no table behind the bar: %q", out)
	}
}
