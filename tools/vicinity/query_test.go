package main

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vicinity/internal/bundled"
	"vicinity/internal/oracle"
	"vicinity/internal/replay"
	"vicinity/internal/replay/datatest"
)

// query asks with --json.
func query(t *testing.T, dir string, args ...string) *answer {
	t.Helper()
	out := succeed(t, dir, append(append([]string{"query"}, args...), "--json")...)
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	var a answer
	if err := d.Decode(&a); err != nil || d.More() {
		t.Fatalf("not one object: %v\n%s", err, out)
	}
	return &a
}

func (a *answer) ids() (ids []uint64) {
	for _, e := range a.Found {
		ids = append(ids, e.ID)
	}
	return ids
}

// tickOf reads one tick of a bundled trace.
func tickOf(t *testing.T, trace string, number uint64) *replay.Tick {
	t.Helper()
	src, _, err := bundled.Source(trace)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.Open(src)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var tick replay.Tick
	for {
		if err := r.Next(&tick); err != nil {
			t.Fatal(err)
		}
		if tick.Number == number {
			return &tick
		}
	}
}

// TestQueryAgainstLoops asks one question of each kind about a tick of the corridor, at
// places that are whole units, and decides about everybody by the oracle.
func TestQueryAgainstLoops(t *testing.T) {
	const metre = 256
	tick := tickOf(t, "crowd-corridor", 1500)
	body := oracle.Body{Radius: metre / 4}
	for _, c := range []struct {
		args   string
		body   oracle.Body
		inside func(e *oracle.Entity) bool
	}{
		{"within --at 0,2 --radius 1.5", oracle.Body{}, func(e *oracle.Entity) bool { return e.Reaches(0, 2*metre, 1.5*metre) }},
		{"within --at 0,2 --radius 1.5 --body 0=0.25", body, func(e *oracle.Entity) bool { return e.Reaches(0, 2*metre, 1.5*metre) }},
		{"rect --at 0.5,2 --size 3x1.5 --body pedestrian=0.5x0.25", oracle.Body{HalfX: metre / 4, HalfY: metre / 8}, func(e *oracle.Entity) bool {
			return oracle.InRect(e, oracle.Rect{X0: -metre, Y0: 1.25 * metre, X1: 2 * metre, Y1: 2.75 * metre})
		}},
		{"ring --at 0,2 --inner 1 --outer 2", oracle.Body{}, func(e *oracle.Entity) bool {
			return oracle.InRing(e, oracle.Ring{Y: 2 * metre, Inner: metre, Outer: 2 * metre})
		}},
		{"cone --at 0,2 --direction 90 --angle 180 --range 3", oracle.Body{}, func(e *oracle.Entity) bool {
			return oracle.InCone(e, oracle.Cone{Y: 2 * metre, Right: [2]int64{1, 0}, Left: [2]int64{-1, 0}, Range: 3 * metre})
		}},
		{"beam --at -2,2 --direction 0 --length 4 --width 1 --body 0=0.25", body, func(e *oracle.Entity) bool {
			return oracle.InTilted(e, oracle.Tilted{Y: 2 * metre, DirX: 1, HalfLength: 2 * metre, HalfWidth: metre / 2})
		}},
		{"capsule --at -2,1 --to 2,3 --radius 0.5", oracle.Body{}, func(e *oracle.Entity) bool {
			return oracle.InCapsule(e, oracle.Capsule{X0: -2 * metre, Y0: metre, X1: 2 * metre, Y1: 3 * metre, Radius: metre / 2})
		}},
	} {
		a := query(t, ".", append(strings.Fields(c.args), "--tick", "1500")...)
		got := a.ids()
		slices.Sort(got)
		var want []uint64
		for i, id := range tick.ID {
			if c.inside(&oracle.Entity{X: int64(tick.X[i]), Y: int64(tick.Y[i]), Body: c.body}) {
				want = append(want, id)
			}
		}
		if !slices.Equal(got, want) || len(want) == 0 || len(want) == len(tick.ID) || a.Present != len(tick.ID) {
			t.Errorf("%s: %v of %d; want %v of %d", c.args, got, a.Present, want, len(tick.ID))
		}
	}
}

func TestQueryNearest(t *testing.T) {
	tick := tickOf(t, "halite-match", 200)
	var entities []oracle.Entity
	for i, id := range tick.ID {
		if tick.Kind[i] == 0 {
			entities = append(entities, oracle.Entity{ID: id, X: int64(tick.X[i]), Y: int64(tick.Y[i])})
		}
	}
	want := oracle.Nearest(entities, oracle.Disc{X: 10, Y: 9, Radius: 1 << 20, Height: 1}, 7)
	a := query(t, ".", "nearest", "--trace", "halite-match", "--tick", "200", "--at", "10,9", "-k", "7", "--kind", "ship")
	for i, e := range a.Found {
		if e.ID != want[i].ID || e.Kind != 0 || float32(*e.DistanceM**e.DistanceM) != float32(want[i].Dist2) {
			t.Errorf("number %d: %+v; want %+v", i, e, want[i])
		}
	}
	if len(a.Found) != 7 {
		t.Errorf("%d found; want 7", len(a.Found))
	}
}

// TestQueryAsOf: out of history comes what the question gave at that tick, also about
// those who have gone since.
func TestQueryAsOf(t *testing.T) {
	for _, args := range []string{
		"within --at 0,2 --radius 3", "nearest --at 1,1 -k 5", "cone --at -3,2 --direction 10 --angle 50 --range 6 --body 0=0.2",
	} {
		then := query(t, ".", append(strings.Fields(args), "--tick", "700")...)
		now := query(t, ".", append(strings.Fields(args), "--tick", "1200", "--as-of", "700")...)
		if !slices.EqualFunc(then.Found, now.Found, func(a, b foundEntry) bool {
			return a.ID == b.ID && a.Kind == b.Kind && a.X == b.X && a.Y == b.Y && (a.DistanceM == nil || *a.DistanceM == *b.DistanceM)
		}) || len(then.Found) == 0 {
			t.Errorf("%s: %v as of then, %v then", args, now.ids(), then.ids())
		}
		if now.Tick != 700 || now.Played != 1200 || now.Present != then.Present {
			t.Errorf("%s: tick %d, played %d, %d present; want 700, 1200, %d", args, now.Tick, now.Played, now.Present, then.Present)
		}
	}
}

// TestQueryListsAdd: --kind and --body may come more than once, which is one list.
func TestQueryListsAdd(t *testing.T) {
	ask := func(args string) string {
		return succeed(t, ".", strings.Fields("query within --trace halite-match --tick 200 --at 10,9 --radius 6 "+args)...)
	}
	want := ask("--kind ship,shipyard --body ship=1,shipyard=2x2")
	if got := ask("--kind ship --kind shipyard --body ship=1 --body shipyard=2x2"); got != want {
		t.Errorf("printed\n%s; want\n%s", got, want)
	}
	if one := ask("--kind ship --body ship=1"); one == want {
		t.Errorf("shipyards make no difference:\n%s", one)
	}
}

// TestQueryConeAllRoundNeedsNoDirection: it is the disc.
func TestQueryConeAllRoundNeedsNoDirection(t *testing.T) {
	cone := query(t, ".", strings.Fields("cone --at 0,2 --tick 1500 --angle 360 --range 2 --body 0=0.2")...).ids()
	disc := query(t, ".", strings.Fields("within --at 0,2 --tick 1500 --radius 2 --body 0=0.2")...).ids()
	slices.Sort(disc)
	if !slices.Equal(cone, disc) || len(disc) == 0 {
		t.Errorf("cone %v; want %v", cone, disc)
	}
}

func TestQueryTable(t *testing.T) {
	out := succeed(t, ".", "query", "within", "--trace", "halite-match", "--tick", "200", "--at", "10,9", "--radius", "3", "--kind", "ship")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if lines[0] != "halite-match, tick 200: within 3 m of (10, 9), only ship" || !strings.Contains(lines[1], "distance m") || !strings.HasPrefix(lines[len(lines)-1], "found ") {
		t.Errorf("printed\n%s", out)
	}
}

func TestQueryErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "walk.csv", []byte(replay.Header+"\n0,1,0,0,0,-1\n0,2,5,0,0,-1\n1,1,0,0,0,-1\n"))
	write(t, dir, "old.svg", []byte("old"))
	file := "--trace walk.csv --unit 1 "
	for _, c := range []struct{ args, want string }{
		{"everything", `no question is called "everything", there is within`},
		{"within", "one of --at X,Y and --around ID"},
		{"within --at 1,2 --around 3", "one of --at X,Y and --around ID"},
		{"within --at 1;2", `--at is "1;2"`},
		{"within --at 1,NaN", `--at is "1,NaN"`},
		{"within --around 99999", "no entity 99999 in tick"},
		{"within --around -4", "--around is -4"},
		{"within --at 0,0 --radius -1", "--radius is -1, want metres, 0 or more"},
		{"within --at 0,0 --radius NaN", "--radius is NaN"},
		{"within trace.csv --at 0,0", `"trace.csv" is not a flag: a trace is named by --trace`},
		{"within --at 0,0 --kind=", `no kind ""`},
		{"within --at 0,0 --body=", `"" is not kind=radius or kind=WxH`},
		{"within --at 0,0 --body 0=1 --body 0=2", "the kind comes twice"},
		{"within --at 0,0 --body 0=1e300", "out of range"},
		{"nearest --at 0,0 --radius -2", "--radius is -2"},
		{"ring --at 0,0 --inner -3 --outer 2", "--inner is -3"},
		{"ring --at 0,0 --inner 3 --outer Inf", "--outer is +Inf"},
		{"cone --at 0,0 --direction 0 --angle 10 --range -4", "--range is -4"},
		{"cone --at 0,0 --direction NaN --angle 10 --range 4", "--direction is NaN"},
		{"cone --at 0,0 --angle 359 --range 4", "one of --direction and --towards"},
		{"cone --at 0,0 --direction 1 --towards 1,1 --angle 360 --range 4", "one of --direction and --towards"},
		{"beam --at 0,0 --direction 0 --length -1 --width 3", "--length is -1"},
		{"beam --at 0,0 --direction 0 --length 1 --width -3", "--width is -3"},
		{"capsule --at 0,0 --to 1,1 --radius -5", "--radius is -5"},
		{"within --at 0,0 --radius 1e12", "out of range"},
		{file + "within --at 0,0", "--radius is missing"},
		{"within --trace walk.csv --at 0,0", "--unit is missing"},
		{"within --at 0,0 --tick 99999", "--tick is 99999, want 0 to 3246"},
		{"within --at 0,0 --tick 5 --as-of 6", "--as-of is 6, want 0 to 5"},
		{file + "within --around 2 --tick 1 --radius 5", "no entity 2 in tick 1"},
		{"within --at 0,0 --kind dragon", `no kind "dragon"`},
		{"within --at 0,0 --body dragon=3", `no kind "dragon"`},
		{"within --at 0,0 --body pedestrian", "is not kind=radius or kind=WxH"},
		{"within --at 0,0 --body pedestrian=-3", "want metres, a radius or WxH"},
		{"within --at 0,0 --body 0=1,pedestrian=2", "the kind comes twice"},
		{"within --at 0,0 --outer 3", "unknown flag: --outer"},
		{"nearest --at 0,0 -k 0", "-k is 0"},
		{"rect --at 0,0", "--size is missing"},
		{"rect --at 0,0 --size 4", `--size is "4"`},
		{"ring --at 0,0 --inner 3", "--outer is missing"},
		{"ring --at 0,0 --inner 3 --outer 2", "from 3 m to 2 m"},
		{"cone --at 0,0 --direction 0 --angle 10", "--range is missing"},
		{"cone --at 0,0 --angle 10 --range 3", "one of --direction and --towards"},
		{"cone --at 0,0 --direction 0 --angle 361 --range 3", "--angle is 361"},
		{"cone --at 0,0 --towards 0,0 --angle 61 --range 3", "is the place itself"},
		{"beam --at 0,0 --towards x --length 1 --width 3", `--towards is "x"`},
		{"capsule --at 0,0 --radius 3", "--to is missing"},
		{"capsule --at 0,0 --radius 3 --to 77777", "--to: no entity 77777"},
		{"within --at 0,0 --svg missing/x.svg", "cannot write missing/x.svg"},
		{"within --at 0,0 --svg - --json", "both want standard output"},
		{"ring --at 0,0 --inner 3 --outer 2 --svg old.svg", "from 3 m to 2 m"},
		{file + "within --at 0,0 --radius 5 --svg walk.csv", "it is the trace that is asked"},
	} {
		args := strings.Fields(c.args)
		if args[0] == "--trace" { // the kind comes first
			at := slices.IndexFunc(args, func(a string) bool { return a == "within" })
			args = append([]string{"within"}, slices.Delete(args, at, at+1)...)
		}
		code, stdout, stderr := vicinity(t, dir, append([]string{"query"}, args...)...)
		if code != exitBad || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; want 2 and one line with %q", c.args, code, stdout, stderr, c.want)
		}
	}
	if got := listing(t, dir); got != "old.svg walk.csv" || read(t, filepath.Join(dir, "old.svg")) != "old" {
		t.Errorf("left behind: %s", got)
	}
}

// TestQueryDraws: the picture is well-formed XML, the same each time, and shows everybody
// found.
func TestQueryDraws(t *testing.T) {
	dir := t.TempDir()
	for _, args := range []string{
		"within --at 0,2 --radius 2 --body 0=0.2", "nearest --at 0,2 -k 3", "rect --at 0,2 --size 0x0", "ring --at 0,2 --inner 1 --outer 2 --body 0=0.5x0.3",
		"cone --at 0,2 --direction 200 --angle 300 --range 2", "cone --at 0,2 --direction 200 --angle 360 --range 2", "beam --at 0,2 --direction 30 --length 3 --width 0", "capsule --at 0,2 --to 0,2 --radius 1",
	} {
		args := append(strings.Fields(args), "--tick", "1500")
		first := succeed(t, dir, append([]string{"query"}, append(args, "--svg", "-")...)...)
		succeed(t, dir, append([]string{"query"}, append(args, "--svg", "a.svg")...)...)
		if read(t, filepath.Join(dir, "a.svg")) != first {
			t.Errorf("%s: two pictures", args)
		}
		d, found := xml.NewDecoder(strings.NewReader(first)), 0
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", args, err)
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" && e.Attr[0].Value == "found" {
				found++
			}
		}
		if want := len(query(t, dir, args...).Found) + 1; found != want { // the legend has one
			t.Errorf("%s: %d marks of the found; want %d", args, found, want)
		}
		if strings.Contains(first, "NaN") || strings.Contains(first, "Inf") {
			t.Errorf("%s: %s", args, first)
		}
	}
}

var updatePictures = flag.Bool("update", false, "draw the pictures of docs/queries anew")

// TestPicturesAreCurrent draws the questions of docs/queries about the recorded traces.
func TestPicturesAreCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("plays large traces")
	}
	data := datatest.Dir(t)
	docs := filepath.Join("..", "..", "docs", "queries")
	file, err := os.Open(filepath.Join(docs, "questions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	drawn := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, args, ok := strings.Cut(lines.Text(), " ")
		if !ok || name == "#" {
			continue
		}
		picture := succeed(t, ".", append([]string{"query"}, append(strings.Fields(args), "--manifest", filepath.Join(data, "manifest.json"), "--svg", "-")...)...)
		path := filepath.Join(docs, name+".svg")
		if *updatePictures {
			if err := os.WriteFile(path, []byte(picture), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if read(t, path) != picture {
			t.Errorf("%s is not what is drawn now: make pictures", path)
		}
		drawn++
	}
	if drawn != 14 {
		t.Errorf("%d pictures; want 14", drawn)
	}
}
