package player

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"vicinity/asm"
	"vicinity/internal/bundled"
	"vicinity/internal/replay"
)

// setting is what every observer gets in a run.
type setting struct {
	name           string
	bytes, silence uint32
	cap, every     int
}

// settings are those under which both engines must agree.
var settings = []setting{
	{name: "budget=100", bytes: 100},
	{name: "budget=60,silence=5", bytes: 60, silence: 5},
	{name: "budget=150,every=3,silence=9", bytes: 150, silence: 9, every: 3},
	{name: "every=4", every: 4},
	{name: "cap=7", cap: 7},
	{name: "budget=90,cap=5,every=2", bytes: 90, cap: 5, every: 2},
}

// config returns the setting for the radii of a trace. Odd costs make first fit
// leave gaps; one kind is too dear for the smaller budgets.
func (s *setting) config(tr *replay.Trace, workers int) Config {
	c := Config{
		Radius: tr.Expected.EnterRadiusUnits, Margin: tr.Expected.LeaveMarginUnits,
		Workers: workers, Cap: s.cap, SendEvery: s.every,
	}
	if s.bytes > 0 {
		c.Budget = &Budget{
			Bytes: s.bytes, MaxSilence: s.silence,
			Kinds: map[int32]Price{1: {Cost: 23, Priority: 50}, 2: {Cost: 17, Priority: 200}, 3: {Cost: 71, Priority: 100}},
			Other: Price{Cost: 20, Priority: 100},
		}
	}
	return c
}

// playSetting plays a trace under a setting. No delivery may be above the budget.
func playSetting(t *testing.T, m maker, src replay.Source, c Config, f replay.Transform) *Report {
	t.Helper()
	engine, err := m.make(c)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	report, err := Play(context.Background(), Job{Source: src, Engine: engine, Transform: f, Each: func(s *Step) error {
		if s.Packed == nil {
			return nil
		}
		for i := range s.Packed.Deliveries {
			if d := &s.Packed.Deliveries[i]; d.Bytes > c.Budget.Bytes {
				t.Errorf("tick %d: %+v is above the budget", s.Tick, d)
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	return report
}

// compareReports holds all that a run says against what it should, times and
// candidates apart.
func compareReports(t *testing.T, what string, got, want *Report) {
	t.Helper()
	plain := func(r *Report) string {
		text := fmt.Sprintf("%d ticks, %d entities (%d), %d pairs (%d), %d enters, %d leaves, %d culled, digest %016x",
			r.Ticks, r.Entities, r.PresentMax, r.Pairs, r.PairsMax, r.Enters, r.Leaves, r.Culled, r.Digest)
		if r.Packed != nil {
			text += fmt.Sprintf(", packed %+v", *r.Packed)
		}
		return text
	}
	if g, w := plain(got), plain(want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// rewrite returns a trace as change makes it, tick by tick, until it says no more.
func rewrite(t *testing.T, src replay.Source, change func(*replay.Tick) (more bool)) replay.Source {
	t.Helper()
	r, err := replay.Open(src)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	w := replay.NewWriter(&out)
	var tick replay.Tick
	for {
		err := r.Next(&tick)
		if err == io.EOF || err == nil && !change(&tick) {
			return replay.Bytes(src.Name, out.Bytes())
		}
		if err == nil {
			err = w.Write(&tick)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// prefix returns the first ticks of a trace.
func prefix(t *testing.T, src replay.Source, ticks int) replay.Source {
	t.Helper()
	return rewrite(t, src, func(tick *replay.Tick) bool { return tick.Number < uint64(ticks) })
}

// fast is the engine that knows budgets.
var fast = maker{name: "world", make: NewWorld}

// TestBudgetsAgree plays the bundled traces under every setting: the World and the
// oracle say the same, whatever the kernels and the number of workers, and the World
// says the same wherever the trace lies. A cap looks at directions, so there the
// world is only shifted.
func TestBudgetsAgree(t *testing.T) {
	ticks := 150
	switch {
	case raceEnabled:
		ticks = 20
	case testing.Short():
		ticks = 60
	}
	for _, name := range bundled.Manifest().Names() {
		whole, tr, err := bundled.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		src := prefix(t, whole, ticks)
		moved := movedWorlds(t, src)
		for i := range settings {
			s := &settings[i]
			want := playSetting(t, makers[0], src, s.config(tr, 1), replay.Transform{})
			for k, l := range meant() {
				t.Run(fmt.Sprintf("%s/%s/%v", name, s.name, l), func(t *testing.T) {
					setLevel(t, l)
					for _, workers := range []int{1, 2 + k} {
						got := playSetting(t, fast, src, s.config(tr, workers), replay.Transform{})
						compareReports(t, fmt.Sprintf("%d workers", workers), got, want)
					}
				})
			}
			t.Run(fmt.Sprintf("%s/%s/moved", name, s.name), func(t *testing.T) {
				for _, f := range moved[1:] {
					if s.cap > 0 && (f.MirrorX || f.MirrorY || f.SwapAxes) {
						continue
					}
					got := playSetting(t, fast, src, s.config(tr, 1), f)
					compareReports(t, fmt.Sprintf("%+v", f), got, want)
				}
			})
		}
	}
}

// TestBudgetChangesNoFile: who is in view, within the radius and nearest has nothing
// to do with what is sent.
func TestBudgetChangesNoFile(t *testing.T) {
	src, tr, err := bundled.Source("halite-match")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []maker{makers[0], fast} {
		under := maker{name: m.name, make: func(c Config) (Engine, error) {
			c.Budget = &Budget{Bytes: 60, Other: Price{Cost: 20}}
			return m.make(c)
		}}
		t.Run(m.name, func(t *testing.T) {
			got, report := play(t, under, src, tr, 2, nil)
			compare(t, bundled.FS(), tr, got)
			compareSums(t, tr, report)
			if report.Packed.Deferred == 0 {
				t.Error("nothing waits")
			}
		})
	}
}

// TestSettingsMatter makes sure that the settings are not idle: something is
// deferred, oversize, starved, culled.
func TestSettingsMatter(t *testing.T) {
	whole, tr, err := bundled.Source("halite-match")
	if err != nil {
		t.Fatal(err)
	}
	src := prefix(t, whole, 100)
	digests := map[uint64]string{}
	run := func(s setting) *Report {
		r := playSetting(t, makers[0], src, s.config(tr, 1), replay.Transform{})
		if other, taken := digests[r.Digest]; taken {
			t.Errorf("%s and %s have one digest", s.name, other)
		}
		digests[r.Digest] = s.name
		return r
	}
	plain := run(setting{name: "plain"})
	tight := run(setting{name: "tight", bytes: 120})
	if tight.Packed.Deferred == 0 || tight.Packed.BytesMax > 120 || tight.Pairs != plain.Pairs || tight.Enters != plain.Enters {
		t.Errorf("tight: %+v, %+v", tight, tight.Packed)
	}
	silent := run(setting{name: "silent", bytes: 120, silence: 3})
	if silent.Packed.OldestWait >= tight.Packed.OldestWait {
		t.Errorf("oldest wait %d with max silence, %d without", silent.Packed.OldestWait, tight.Packed.OldestWait)
	}
	if r := run(setting{name: "wide", bytes: 1 << 20}); r.Packed.Deferred != 0 || r.Packed.OldestWait != 0 {
		t.Errorf("wide: %+v", r.Packed)
	}
	if r := run(setting{name: "tiny", bytes: 20}); r.Packed.Oversize == 0 {
		t.Errorf("tiny: %+v", r.Packed)
	}
	if r := run(setting{name: "cap", cap: 5}); r.Culled == 0 || r.PairsMax > 5*r.PresentMax {
		t.Errorf("cap: %+v", r)
	}
	if r := run(setting{name: "every", every: 3}); r.Enters >= plain.Enters {
		t.Errorf("every third tick: %d enters, every tick %d", r.Enters, plain.Enters)
	}
}

// TestRandomBudgetsAgree plays random walkers, jumpers and absentees of changing
// kinds.
func TestRandomBudgetsAgree(t *testing.T) {
	t.Logf("seed %d", *seed)
	rounds := 24
	if testing.Short() || raceEnabled {
		rounds = 6
	}
	for round := range rounds {
		rng := rand.New(rand.NewPCG(*seed, 1000+uint64(round)))
		step := []int32{1, 3, 1000, 1 << 23}[round%4]
		src := randomKinds(t, rng, randomTrace(rng, 60, 50, step))
		tr := &replay.Trace{}
		tr.Expected.EnterRadiusUnits, tr.Expected.LeaveMarginUnits = 9*step, step*rng.Int32N(3)
		s := setting{
			name: "random", bytes: 16 + rng.Uint32N(200), silence: rng.Uint32N(8),
			every: 1 + rng.IntN(4), cap: rng.IntN(2) * (1 + rng.IntN(12)),
		}
		want := playSetting(t, makers[0], src, s.config(tr, 1), replay.Transform{})
		got := playSetting(t, fast, src, s.config(tr, 1+round%3), replay.Transform{})
		compareReports(t, fmt.Sprintf("round %d, %+v", round, s), got, want)
		if want.Packed.Deferred == 0 {
			t.Errorf("round %d: nothing waits", round)
		}
	}
}

// randomKinds gives the entities of a trace kinds that change now and then.
func randomKinds(t *testing.T, rng *rand.Rand, src replay.Source) replay.Source {
	t.Helper()
	kinds := map[uint64]int32{}
	return rewrite(t, src, func(tick *replay.Tick) bool {
		for i, id := range tick.ID {
			if _, known := kinds[id]; !known || rng.IntN(20) == 0 {
				kinds[id] = rng.Int32N(5)
			}
			tick.Kind[i] = kinds[id]
		}
		return true
	})
}

// TestRecordedBudgets plays the beginning of two recorded traces under the budgets
// that stand for them.
func TestRecordedBudgets(t *testing.T) {
	dir, manifest := recorded(t)
	ticks := 15
	switch {
	case raceEnabled:
		ticks = 3
	case testing.Short():
		ticks = 6
	}
	for _, c := range []struct {
		trace string
		setting
	}{
		{"rts-match", setting{name: "budget=300", bytes: 300}},
		{"rts-match", setting{name: "budget=300,silence,cap,every", bytes: 300, silence: 10, cap: 20, every: 3}},
		{"city-bologna", setting{name: "budget=1200", bytes: 1200}},
	} {
		t.Run(c.trace+"/"+c.name, func(t *testing.T) {
			tr, err := manifest.Trace(c.trace)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := replay.File(filepath.Join(dir, filepath.FromSlash(tr.File)))
			if err != nil {
				t.Fatal(err)
			}
			src := prefix(t, whole, ticks)
			want := playSetting(t, makers[0], src, c.config(tr, 1), replay.Transform{})
			got := playSetting(t, fast, src, c.config(tr, 2), replay.Transform{})
			compareReports(t, asm.Tier().String(), got, want)
			if want.Packed.Selected == 0 {
				t.Errorf("nothing is sent: %+v", want.Packed)
			}
		})
	}
}
