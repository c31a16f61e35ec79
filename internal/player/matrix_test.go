package player

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"vicinity/asm"
	"vicinity/internal/replay"
)

// meant lists the kernel levels that a machine of this architecture can have.
func meant() []asm.Level {
	switch runtime.GOARCH {
	case "amd64":
		return []asm.Level{asm.Generic, asm.AVX2, asm.AVX512}
	case "arm64":
		return []asm.Level{asm.Generic, asm.NEON}
	}
	return []asm.Level{asm.Generic}
}

// setLevel switches to a level for the rest of the test, or skips it.
func setLevel(t *testing.T, l asm.Level) {
	t.Helper()
	if !slices.Contains(asm.Levels(), l) {
		if slices.Contains(strings.Split(os.Getenv("VICINITY_REQUIRE"), ","), l.String()) {
			t.Fatalf("this machine is meant to have %v; it has %v", l, asm.Levels())
		}
		t.Skipf("no %v in this build or CPU", l)
	}
	before := asm.Tier()
	t.Cleanup(func() { asm.SetTier(before) })
	if err := asm.SetTier(l); err != nil {
		t.Fatal(err)
	}
}

// movedWorlds returns transforms that must change no result, the identity first:
// shifts, the one by minus half the extent among them, so that the trace straddles
// zero on both axes, mirrors, and axes swapped.
func movedWorlds(t *testing.T, src replay.Source) []replay.Transform {
	t.Helper()
	sum, err := replay.Scan(src)
	if err != nil {
		t.Fatal(err)
	}
	b := sum.Bounds
	return []replay.Transform{
		{},
		{ShiftX: -1_234_567, ShiftY: 7_654_321},
		{ShiftX: -(b.MinX + (b.MaxX-b.MinX)/2), ShiftY: -(b.MinY + (b.MaxY-b.MinY)/2)},
		{MirrorX: true},
		{MirrorY: true},
		{MirrorX: true, MirrorY: true},
		{SwapAxes: true},
	}
}

// TestEveryTraceEverySetting plays all seven traces on every kernel level with one
// worker and with two, and in moved worlds; each run must give the expected files,
// byte for byte, and the same digest. Where time is short (-short, -race) large
// traces are played once, in the world moved furthest.
func TestEveryTraceEverySetting(t *testing.T) {
	dir, manifest := recorded(t)
	if len(manifest.Traces) < 7 {
		t.Fatalf("the manifest has %d traces; want at least 7", len(manifest.Traces))
	}
	for i := range manifest.Traces {
		tr := &manifest.Traces[i]
		t.Run(tr.Name, func(t *testing.T) {
			src, err := replay.File(filepath.Join(dir, filepath.FromSlash(tr.File)))
			if err != nil {
				t.Fatal(err)
			}
			digests := map[uint64]bool{}
			moved := movedWorlds(t, src)
			run := func(l asm.Level, workers int, f replay.Transform) {
				t.Run(fmt.Sprintf("%v/workers=%d/%+v", l, workers, f), func(t *testing.T) {
					setLevel(t, l)
					got, report := play(t, maker{name: "grid", make: NewGrid}, src, tr, workers, func(j *Job) { j.Transform = f })
					compare(t, os.DirFS(dir), tr, got)
					digests[report.Digest] = true
				})
			}
			levels := meant()
			if (testing.Short() || raceEnabled) && tr.Stats.Rows > 130_000 {
				run(asm.Levels()[len(asm.Levels())-1], 2, moved[1])
				return
			}
			for _, l := range levels {
				run(l, 1, moved[0])
				run(l, 2, moved[0])
			}
			for k, f := range moved[1:] {
				run(levels[k%len(levels)], 1+k%2, f)
			}
			if len(digests) > 1 {
				t.Errorf("the runs have %d different digests", len(digests))
			}
		})
	}
}
