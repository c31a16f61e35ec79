package player

import (
	_ "embed"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"vicinity/internal/bundled"
	"vicinity/internal/replay"
)

//go:embed testdata/golden.txt
var golden string

var update = flag.Bool("update", false, "write testdata/golden.txt anew")

// TestGolden holds the digests of runs against recorded ones: the bundled traces,
// and random ones whose radii are so large that float32 alone would err; then the
// same kinds of traces with budgets, rates and caps. They are the same on every
// architecture, kernel level, and number of workers.
func TestGolden(t *testing.T) {
	var lines strings.Builder
	line := func(name string, digest uint64) { fmt.Fprintf(&lines, "%s %016x\n", name, digest) }
	engine := maker{name: "grid", make: NewGrid}
	for _, name := range bundled.Manifest().Names() {
		src, tr, err := bundled.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		_, report := play(t, engine, src, tr, 2, nil)
		line(name, report.Digest)
	}
	for _, shift := range []int{4, 13, 18, 23} {
		tr := &replay.Trace{}
		tr.Expected.EnterRadiusUnits = 5 << shift
		tr.Expected.LeaveMarginUnits = 1 << shift
		_, report := play(t, engine, randomTrace(rand.New(rand.NewPCG(42, uint64(shift))), 40, 50, 1<<shift), tr, 2, nil)
		line(fmt.Sprintf("lattice-%d", shift), report.Digest)
	}
	for _, name := range bundled.Manifest().Names() {
		src, tr, err := bundled.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []setting{
			{name: "budget=100", bytes: 100},
			{name: "budget=60,silence=5,every=3", bytes: 60, silence: 5, every: 3},
		} {
			report := playSetting(t, fast, prefix(t, src, 300), s.config(tr, 2), replay.Transform{})
			line(name+"/"+s.name, report.Digest)
		}
	}
	for _, shift := range []int{4, 13, 18, 23} {
		tr := &replay.Trace{}
		tr.Expected.EnterRadiusUnits = 9 << shift
		tr.Expected.LeaveMarginUnits = 1 << shift
		rng := rand.New(rand.NewPCG(43, uint64(shift)))
		src := randomKinds(t, rng, randomTrace(rng, 40, 50, 1<<shift))
		s := setting{name: "budget=100,silence=4,cap=8,every=2", bytes: 100, silence: 4, cap: 8, every: 2}
		report := playSetting(t, fast, src, s.config(tr, 2), replay.Transform{})
		line(fmt.Sprintf("lattice-%d/%s", shift, s.name), report.Digest)
	}
	if *update {
		if err := os.WriteFile("testdata/golden.txt", []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	diffLine(t, "golden.txt", []byte(lines.String()), []byte(golden))
}
