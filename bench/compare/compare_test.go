package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vicinity/bench"
)

// bruteForce answers by looking at everybody.
type bruteForce struct{ points []Point }

func (b *bruteForce) Name() string       { return "brute force" }
func (b *bruteForce) Settings() []string { return []string{"plain"} }
func (b *bruteForce) Close() error       { return nil }

func (b *bruteForce) Build(_ int, p *Places) (time.Duration, error) {
	b.points = p.ByEntity
	return time.Nanosecond, nil
}

func (b *bruteForce) Nearest(queries []Point, k int) (a Answer, err error) {
	for _, q := range queries {
		var all []int64
		for _, p := range b.points {
			dx, dy := int64(p.X)-int64(q.X), int64(p.Y)-int64(q.Y)
			all = append(all, dx*dx+dy*dy)
		}
		slices.SortFunc(all, cmp.Compare[int64])
		for i, d := range all[:min(k, len(all))] {
			a.Sum += uint64(d) * uint64(i+1)
		}
	}
	a.Took = time.Nanosecond
	return a, nil
}

// native is the one that tests share: compiling takes seconds.
var native = sync.OnceValues(newNanoflann)

// needNanoflann returns it, or skips the test unless VICINITY_REQUIRE names it. It does
// not depend on how our side is built, so short tests do without.
func needNanoflann(t *testing.T) *nanoflann {
	t.Helper()
	if testing.Short() {
		t.Skip("compiling takes seconds")
	}
	n, err := native()
	if errors.Is(err, errAbsent) {
		if slices.Contains(strings.Split(os.Getenv("VICINITY_REQUIRE"), ","), "nanoflann") {
			t.Fatalf("VICINITY_REQUIRE asks for nanoflann: %v", err)
		}
		t.Skipf("no native peer: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMain(m *testing.M) {
	code := m.Run()
	if testing.Short() {
		os.Exit(code)
	}
	if n, err := native(); err == nil {
		if err := n.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "close:", err)
			code = 1
		}
	}
	os.Exit(code)
}

func scene(t *testing.T, w bench.Workload) *Scene {
	t.Helper()
	s, err := newScene(w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// agree checks each setting of a peer against brute force in several ticks.
func agree(t *testing.T, p Peer, s *Scene) {
	t.Helper()
	cases := nearestCases(120)
	// Other queries of the same number follow each other.
	slices.SortStableFunc(cases, func(a, b nearestCase) int { return cmp.Compare(a.k, b.k) })
	var want [3][]Answer
	for tick := range want {
		oracle := bruteForce{points: s.Ticks[tick].ByEntity}
		for _, c := range cases {
			a, _ := oracle.Nearest(s.queries(c.order, c.queries), c.k)
			want[tick] = append(want[tick], a)
		}
	}
	for setting, name := range p.Settings() {
		for tick := range want {
			if _, err := p.Build(setting, &s.Ticks[tick]); err != nil {
				t.Fatal(err)
			}
			for i, c := range cases {
				got, err := p.Nearest(s.queries(c.order, c.queries), c.k)
				if err != nil || got.Sum != want[tick][i].Sum {
					t.Fatalf("%s, %s, tick %d: sum %#x, error %v; want %#x", name, c.name(s), tick, got.Sum, err, want[tick][i].Sum)
				}
			}
		}
	}
}

// The larger number has answers of 256 and leaves to choose from; of the smaller all
// are in each answer.
func TestEveryPeerAnswersLikeBruteForce(t *testing.T) {
	for _, n := range []int{200, 1500} {
		for _, w := range workloads(n) {
			s := scene(t, w)
			for _, p := range []Peer{newOurs(w.RadiusUnits()), &tidwall{}} {
				t.Run(fmt.Sprintf("%s/%s/%d", p.Name(), w.Name, n), func(t *testing.T) {
					agree(t, p, s)
					if err := p.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			t.Run(fmt.Sprintf("nanoflann/%s/%d", w.Name, n), func(t *testing.T) {
				agree(t, needNanoflann(t), s)
			})
		}
	}
}

func TestPlacesBeyondFloat32AreRefused(t *testing.T) {
	far := &Places{ByEntity: []Point{{0, -exactBelow}}, ByPlace: []Point{{0, -exactBelow}}}
	if _, err := new(tidwall).Build(0, far); err == nil {
		t.Error("tidwall/rtree took them")
	}
	n := needNanoflann(t)
	if _, err := n.Build(0, far); err == nil {
		t.Error("nanoflann took them")
	}
}

func TestNativeErrorsAreReported(t *testing.T) {
	n := needNanoflann(t)
	for _, command := range []string{"points /nowhere", "build float 0", "build half 8", "nearest 0", ""} {
		if err := n.process.ask(command, "ok"); err == nil || !strings.Contains(err.Error(), "error ") {
			t.Errorf("%q: %v; want the program's error", command, err)
		}
	}
	if _, err := compile(t.TempDir(), "broken", "int main() { return }"); err == nil || !strings.Contains(err.Error(), "error:") {
		t.Errorf("broken source: %v; want what the compiler says", err)
	}
}

func TestWhatIsNotInstalledIsNamed(t *testing.T) {
	if err := needHeader("no-such-header.hpp", "libnone-dev"); !errors.Is(err, errAbsent) {
		t.Errorf("header: %v; want errAbsent", err)
	}
	t.Setenv("PATH", t.TempDir())
	var out strings.Builder
	var r Report
	peers, err := r.peers(&out, 256)
	if err != nil || len(peers) != 2 {
		t.Fatalf("%d peers, error %v; want ours and rtree", len(peers), err)
	}
	if want := "without nanoflann: g++: not installed\n"; out.String() != want {
		t.Errorf("said %q; want %q", out.String(), want)
	}
}

func TestScenesKeepEverybodyInBothOrders(t *testing.T) {
	for _, w := range workloads(1000) {
		for i, p := range scene(t, w).Ticks {
			a, b := slices.Clone(p.ByEntity), slices.Clone(p.ByPlace)
			for _, l := range [][]Point{a, b} {
				slices.SortFunc(l, func(a, b Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
			}
			if len(a) != 1000 || !slices.Equal(a, b) {
				t.Errorf("%s, tick %d: the orders hold different points", w.Name, i)
			}
		}
	}
}

// Neighbours in storage order are nearer to each other than in any other order.
func TestQueriesInStorageOrderAreRunsOfNeighbours(t *testing.T) {
	for _, w := range workloads(4000) {
		s := scene(t, w)
		steps := func(p []Point) (sum float64) {
			for i := 1; i < len(p); i++ {
				sum += math.Hypot(float64(p[i].X-p[i-1].X), float64(p[i].Y-p[i-1].Y))
			}
			return sum
		}
		for _, n := range []int{100, 1000, 4000, 5000} {
			storage, random := s.queries(InStorage, n), s.queries(AtRandom, n)
			if len(random) != min(n, 4000) || len(storage) > len(random) || len(storage) <= len(random)-run {
				t.Errorf("%s: %d and %d queries; want about %d", w.Name, len(storage), len(random), n)
			}
			if 3*steps(storage) > steps(random) {
				t.Errorf("%s, %d: storage order goes %.0f units, random order %.0f", w.Name, n, steps(storage), steps(random))
			}
		}
	}
}

// liar is right in its first settings only, and faster in each next one.
type liar struct {
	bruteForce
	setting, right int
}

func (l *liar) Settings() []string { return []string{"slow", "fast", "wrong"}[:l.right+1] }

func (l *liar) Build(setting int, p *Places) (time.Duration, error) {
	l.setting = setting
	_, err := l.bruteForce.Build(setting, p)
	return time.Duration(10 - setting), err
}

func (l *liar) Nearest(q []Point, k int) (Answer, error) {
	a, err := l.bruteForce.Nearest(q, k)
	if l.setting == 2 {
		a.Sum++
	}
	a.Took = time.Duration(10-l.setting) * time.Microsecond
	return a, err
}

func TestTheFastestSettingIsMeasured(t *testing.T) {
	s := scene(t, workloads(200)[0])
	peers := []Peer{&bruteForce{}, &liar{right: 1}}
	c := nearestCase{k: 4, order: AtRandom, queries: 10}
	near, err := measureNearest(peers, s, c, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := near.Timings[1]; got.Setting != "fast" || got.Median != 900 {
		t.Errorf("nearest: %+v; want setting fast at 900 ns", got)
	}
	rebuild, err := measureRebuild(peers, s, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := rebuild.Timings[1]; got.Setting != "fast" || math.Abs(rebuild.Ratio(1)-9) > 1e-9 {
		t.Errorf("rebuild: %+v, ratio %v; want setting fast, 9", got, rebuild.Ratio(1))
	}
}

func TestWrongAnswersAreNotTimed(t *testing.T) {
	s := scene(t, workloads(200)[0])
	peers := []Peer{&bruteForce{}, &liar{right: 2}}
	if _, err := measureNearest(peers, s, nearestCase{k: 4, order: AtRandom, queries: 10}, 1); err == nil || !strings.Contains(err.Error(), "wrong") {
		t.Errorf("nearest: %v; want an error that names the setting", err)
	}
	if _, err := measureRebuild(peers, s, 1); err == nil || !strings.Contains(err.Error(), "wrong") {
		t.Errorf("rebuild: %v; want an error that names the setting", err)
	}
}

func TestRatiosComeFirstAndJSONHoldsAll(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	file := filepath.Join(dir, "compare.json")
	var out strings.Builder
	if err := compare(&out, options{entities: 150, reps: 1, quick: true}, file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if want := 2 * (len(nearestCases(150)) + 1); len(r.Rows) != want {
		t.Errorf("%d rows; want %d", len(r.Rows), want)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")[len(r.Missing):]
	for i := range r.Rows {
		for j := 1; j < len(r.Rows[i].Timings); j++ {
			want := fmt.Sprintf("ratio %s/%s %.2f", r.Rows[i].Timings[j].Peer, r.Rows[i].Name, r.Rows[i].Ratio(j))
			if lines[0] != want {
				t.Errorf("line %q; want %q", lines[0], want)
			}
			lines = lines[1:]
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left besides the JSON: %v, error %v", left, err)
	}
}

func TestOnlyWhatIsAskedForIsMeasured(t *testing.T) {
	s := scene(t, workloads(200)[1])
	for only, want := range map[string]int{"": 7, "k=16": 2, "storage": 3, "clustered/rebuild": 1, "uniform": 0} {
		var r Report
		if err := r.measureScene([]Peer{&bruteForce{}}, s, options{entities: 200, reps: 1, only: only}); err != nil {
			t.Fatal(err)
		}
		if len(r.Rows) != want {
			t.Errorf("%q: %d rows; want %d", only, len(r.Rows), want)
		}
	}
}
