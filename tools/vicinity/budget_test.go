package main

import (
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vicinity/internal/bundled"
	"vicinity/internal/player"
	"vicinity/internal/replay"
	"vicinity/internal/replay/datatest"
)

// fields returns the members of the JSON of a replay.
func fields(t *testing.T, args ...string) map[string]json.RawMessage {
	t.Helper()
	out := succeed(t, t.TempDir(), append([]string{"replay", "--json"}, args...)...)
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// packedFields are those that a budget adds.
var packedFields = []string{
	"budget", "max_silence", "deliveries", "bytes_p50", "bytes_p90", "bytes_p99", "bytes_max", "bytes_total",
	"selected", "spawns", "updates", "removals", "deferred", "oversize", "oldest_wait", "culled",
}

func TestBudgetJSONFields(t *testing.T) {
	halite := []string{"--trace", "halite-match"}
	plain := fields(t, halite...)
	with := fields(t, append(halite, "--budget", "90")...)
	added := []string{}
	for name := range with {
		if plain[name] == nil {
			added = append(added, name)
		}
	}
	slices.Sort(added)
	if want := slices.Sorted(slices.Values(packedFields)); !slices.Equal(added, want) {
		t.Errorf("a budget adds %v, want %v", added, want)
	}
	for name := range plain {
		if with[name] == nil {
			t.Errorf("a budget takes %s away", name)
		}
	}
	capped := fields(t, append(halite, "--cap", "4", "--send-every", "2")...)
	for name := range plain {
		delete(capped, name)
	}
	if got := slices.Sorted(maps.Keys(capped)); !slices.Equal(got, []string{"cap", "culled", "send_every"}) {
		t.Errorf("a cap and a rate add %v", got)
	}
}

func TestBudgetJSON(t *testing.T) {
	dir := t.TempDir()
	r := playJSON(t, dir, "--trace", "halite-match", "--budget", "90", "--max-silence", "8")
	p := r.PackedResult
	if p == nil {
		t.Fatalf("no packed result: %+v", r)
	}
	if p.Budget != 90 || p.MaxSilence != 8 || p.Deliveries != r.Counts.Rows || r.Engine != "world" ||
		p.BytesP50 > p.BytesP90 || p.BytesP90 > p.BytesP99 || p.BytesP99 > p.BytesMax || p.BytesMax > 90 || p.BytesMax < 60 ||
		p.BytesTotal < p.Deliveries || p.Selected != p.Spawns+p.Updates+p.Removals || p.Selected == 0 ||
		p.Deferred == 0 || p.Oversize != 0 || p.OldestWait == 0 || r.Culled == nil || *r.Culled != 0 {
		t.Errorf("got %+v, culled %v", p, r.Culled)
	}
	if r.Counts.Enters != 34832 || r.Counts.Leaves != 34712 {
		t.Errorf("a budget changes who is in view: %+v", r.Counts)
	}
	// Prices of built-in kinds are bytes that can be counted: whatever a shipyard
	// costs, nothing of it is sent if it costs more than the budget.
	dear := playJSON(t, dir, "--trace", "halite-match", "--budget", "90", "--cost-table", "shipyard=91").PackedResult
	if dear.Oversize == 0 || dear.BytesMax > 90 {
		t.Errorf("shipyards above the budget: %+v", dear)
	}
}

// The engines and worker counts agree on the digest, and what is asked for changes
// it.
func TestBudgetDigest(t *testing.T) {
	dir := t.TempDir()
	seen := map[string]string{}
	for i, args := range []string{
		"", "--budget 90", "--budget 120", "--budget 90 --max-silence 5", "--budget 90 --send-every 3", "--send-every 3",
		"--cap 5", "--budget 90 --cap 5", "--budget 90 --cost-table ship=33", "--budget 90 --cost-table 0=33,shipyard=50",
		"--budget 90 --priority-table ship=0,shipyard=9", "--budget 90 --priority-table ship=60",
	} {
		all := append([]string{"--trace", "halite-match"}, strings.Fields(args)...)
		want := playJSON(t, dir, append(all, "--engine", "oracle")...)
		if other, taken := seen[want.Digest]; taken {
			t.Errorf("%q and %q have one digest", args, other)
		}
		seen[want.Digest] = args
		workers := strconv.Itoa(1 + i%3)
		got := playJSON(t, dir, append(all, "--workers", workers)...)
		if got.Digest != want.Digest {
			t.Errorf("%q with %s workers: digest %s, want %s", args, workers, got.Digest, want.Digest)
		}
		if g, w := got.PackedResult, want.PackedResult; (g == nil) != (w == nil) || g != nil && *g != *w {
			t.Errorf("%q with %s workers: %+v, want %+v", args, workers, g, w)
		}
	}
	if a, b := playJSON(t, dir, "--trace", "halite-match", "--engine", "world").Digest, playJSON(t, dir, "--trace", "halite-match").Digest; a != b {
		t.Errorf("world %s, grid %s", a, b)
	}
}

func TestBudgetTable(t *testing.T) {
	out := succeed(t, t.TempDir(), "replay", "--trace", "halite-match", "--budget", "1000", "--max-silence", "7",
		"--cap", "6", "--send-every", "2", "--workers", "1")
	for _, want := range []string{
		"world, 1 worker\n", "\nupdates             of each observer every 2 ticks\n",
		"\ncap                 6 members a view, ", " culled\n",
		"\nbudget              1,000 bytes a tick, starving after 7 ticks\n",
		"\nbytes a delivery    p50 ", ", p90 ", ", p99 ", ", max ", " deliveries\n",
		"\nselected            ", " spawns, ", " updates, ", " removals)\n",
		"\ndeferred            0, of them oversize 0\n", "\noldest wait         0 ticks\n", "\ndigest ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("table lacks %q:\n%s", want, out)
		}
	}
}

// A budget's errors name the culprit, and come before anything is played.
func TestBudgetErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "walk.csv", []byte(walk))
	file := append([]string{"--trace", "walk.csv"}, walkFlags...)
	halite := []string{"--trace", "halite-match", "--budget", "100"}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"zero budget", []string{"--budget", "0"}, "--budget is 0, want 8 to "},
		{"negative budget", []string{"--budget", "-5"}, "--budget is -5, want 8 to "},
		{"small budget", []string{"--budget", "7"}, "--budget is 7, want 8 to "},
		{"huge budget", []string{"--budget", "5000000000"}, "--budget is 5000000000, want 8 to 1073741824 bytes"},
		{"word for a budget", []string{"--budget", "much"}, `invalid argument "much" for "--budget"`},
		{"negative silence", append(halite, "--max-silence", "-1"), "--max-silence is -1, want 0 to "},
		{"zero cap", []string{"--cap", "0"}, "--cap is 0, want 1 to "},
		{"negative cap", []string{"--cap", "-3"}, "--cap is -3, want 1 to "},
		{"zero rate", []string{"--send-every", "0"}, "--send-every is 0, want 1 to 840 ticks"},
		{"slow rate", []string{"--send-every", "841"}, "--send-every is 841, want 1 to 840 ticks"},
		{"unknown kind", append(halite, "--cost-table", "dragon=10"), `--cost-table: no kind "dragon", there is ship, shipyard`},
		{"unknown number", append(halite, "--cost-table", "ship=10,2=10"), `--cost-table: no kind "2", there is ship, shipyard`},
		{"unknown number of a file", append(file, "--budget", "50", "--priority-table", "1=10"), `--priority-table: no kind "1", there is 0 to 0`},
		{"zero cost", append(halite, "--cost-table", "ship=0"), `--cost-table: "ship=0": want a whole number, 1 to 1073741824`},
		{"negative cost", append(halite, "--cost-table", "ship=-1"), `--cost-table: "ship=-1": want`},
		{"cost in words", append(halite, "--cost-table", "ship=ten"), `--cost-table: "ship=ten": want`},
		{"half a cost", append(halite, "--cost-table", "ship=1.5"), `--cost-table: "ship=1.5": want`},
		{"no cost", append(halite, "--cost-table", "ship"), `--cost-table: "ship" is not kind=number`},
		{"empty table", append(halite, "--cost-table", ""), `--cost-table: "" is not kind=number`},
		{"empty entry", append(halite, "--cost-table", "ship=5,"), `--cost-table: "" is not kind=number`},
		{"kind twice", append(halite, "--cost-table", "ship=5,ship=6"), `--cost-table: "ship=6": the kind comes twice`},
		{"kind twice, once by number", append(halite, "--priority-table", "shipyard=5,1=6"), `--priority-table: "1=6": the kind comes twice`},
		{"large priority", append(halite, "--priority-table", "ship=65536"), `--priority-table: "ship=65536": want a whole number, 0 to 65535`},
		{"costs without a budget", []string{"--cost-table", "pedestrian=5"}, "--cost-table says nothing without --budget"},
		{"priorities without a budget", []string{"--priority-table", "pedestrian=5"}, "--priority-table says nothing without --budget"},
		{"silence without a budget", []string{"--max-silence", "5"}, "--max-silence says nothing without --budget"},
		{"unknown engine", []string{"--engine", "cloud"}, `--engine is "cloud", want grid, world or oracle`},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"replay", "--aoi-csv", "out.csv"}, c.args...)
			code, stdout, stderr := vicinity(t, dir, args...)
			if code != exitBad || stdout != "" {
				t.Errorf("exit code %d, stdout %q; want 2 and nothing", code, stdout)
			}
			if !strings.HasPrefix(stderr, "vicinity: ") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("stderr %q, want one line with %q", stderr, c.want)
			}
			if got := listing(t, dir); got != "walk.csv" {
				t.Errorf("files %s", got)
			}
		})
	}
}

// A file's kinds are numbers.
func TestBudgetOfFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "walk.csv", []byte(strings.ReplaceAll(walk, ",0,-1\n", ",3,-1\n")))
	args := append([]string{"--trace", "walk.csv", "--budget", "50", "--cost-table", "3=25"}, walkFlags...)
	p := playJSON(t, dir, args...).PackedResult
	// They meet, move once in view, and part: a spawn, an update of the mover, a removal
	// for each, of 25, 25 and 8 bytes.
	if p.Spawns != 2 || p.Updates != 1 || p.Removals != 2 || p.BytesTotal != 2*25+25+2*8 || p.Deferred != 0 || p.BytesMax != 25 {
		t.Errorf("got %+v", p)
	}
}

// Every kind that a manifest of ours names has a price of its own.
func TestStandardPrices(t *testing.T) {
	manifests := []*replay.Manifest{bundled.Manifest()}
	t.Run("data", func(t *testing.T) {
		path := filepath.Join(datatest.Dir(t), "manifest.json")
		m, err := replay.ParseManifest(path, []byte(read(t, path)))
		if err != nil {
			t.Fatal(err)
		}
		manifests = append(manifests, m)
	})
	for _, m := range manifests {
		for _, tr := range m.Traces {
			for _, kind := range tr.Kinds {
				if p, ok := standard[kind]; !ok || p.Cost == 0 || p.Priority == 0 {
					t.Errorf("%s: kind %q has price %+v", tr.Name, kind, p)
				}
			}
		}
	}
}

func TestParseTable(t *testing.T) {
	k := &kinds{names: []string{"a", "b = c", "7"}, max: 9}
	got := map[int32]int64{}
	err := k.parseTable(" a=1, b = c=2 ,7=3,9=4", 1, math.MaxInt64, func(kind int32, n int64) { got[kind] = n })
	want := map[int32]int64{0: 1, 1: 2, 2: 3, 9: 4} // a name goes before a number
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	known := &kinds{names: []string{"a", "bus"}}
	if p := known.prices(); !maps.Equal(p, map[int32]player.Price{1: standard["bus"]}) {
		t.Errorf("prices %v", p)
	}
	if _, err := (&kinds{max: 4}).find("5"); err == nil {
		t.Error("a kind beyond the largest was found")
	}
	var f replayFlags
	f.changed = func(string) bool { return false }
	if b, err := f.parseBudget(k); b != nil || err != nil {
		t.Errorf("no budget: %v, %v", b, err)
	}
}
