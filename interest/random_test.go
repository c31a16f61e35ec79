package interest

import (
	"encoding/binary"
	"testing"

	"vicinity/asm"
)

// forms are the settings that each world is played with.
func forms() []form {
	levels := asm.Levels()
	best := levels[len(levels)-1]
	out := []form{{level: asm.Generic, workers: 1, previous: true, cell: 16}}
	for i, l := range levels[1:] {
		out = append(out, form{level: l, workers: 2 + i, previous: true, cell: 16})
	}
	return append(out,
		form{level: best, workers: 4, previous: true, cell: 4},
		form{level: best, workers: 1, compareOnly: true, previous: true, cell: 64},
		form{level: best, workers: 2, cell: 16},
	)
}

// playAll plays a world in all forms, and returns the work done in the first.
func playAll(t testing.TB, b []byte, ticks int) Stats {
	before := asm.Tier()
	defer asm.SetTier(before)
	var total Stats
	history := uint64(0)
	for i, f := range forms() {
		if err := asm.SetTier(f.level); err != nil {
			t.Fatal(err)
		}
		a := newAct(t, b, f)
		a.run(ticks)
		a.close()
		if i == 0 {
			total, history = a.total, a.hash.Sum64()
		}
		if a.hash.Sum64() != history {
			t.Fatalf("%+v: another history", f)
		}
	}
	f := form{level: before, workers: 1, given: true, cell: 16}
	if err := asm.SetTier(before); err != nil {
		t.Fatal(err)
	}
	a := newAct(t, b, f)
	a.run(ticks)
	a.close()
	return total
}

// TestRandomPanics plays random worlds in which the predicate panics now and then.
func TestRandomPanics(t *testing.T) {
	n, ticks := 100, 20
	if testing.Short() {
		n = 12
	}
	var total, panicked Stats
	for i := range n {
		b := binary.LittleEndian.AppendUint64(nil, *seedFlag*2_000_003+uint64(i)*0x9E3779B97F4A7C15)
		for k, f := range []form{
			{workers: 1, previous: true, cell: 16}, {workers: 3, previous: true, cell: 16},
			{workers: 2, compareOnly: true, cell: 16}, {workers: 1, given: true, cell: 16},
		} {
			if f.level, f.panics = asm.Tier(), true; testing.Short() && (i+k)%2 > 0 {
				continue
			}
			a := newAct(t, b, f)
			a.run(ticks)
			a.close()
			total.add(&a.total)
			panicked.add(&a.panicked)
		}
	}
	t.Logf("%d panics, %d views updated in spite of one, %d not", panicked.General, panicked.Updated, panicked.Leaves)
	if panicked.General == 0 || panicked.Updated == 0 || panicked.Leaves == 0 || total.OnePass == 0 {
		t.Errorf("not everything was seen: %+v", total)
	}
}

// TestRandomWorlds plays random worlds with everything in them against the model.
func TestRandomWorlds(t *testing.T) {
	n, ticks := 80, 14
	if testing.Short() {
		n = 8
	}
	var total Stats
	for i := range n {
		b := binary.LittleEndian.AppendUint64(nil, *seedFlag*1_000_003+uint64(i)*0x9E3779B97F4A7C15)
		st := playAll(t, b, ticks)
		total.add(&st)
	}
	t.Logf("%+v", total)
	if total.OnePass == 0 || total.General == 0 || total.Cells == 0 || !testing.Short() && (total.Culled == 0 || total.OverCap == 0) {
		t.Errorf("%+v: not everything was seen", total)
	}
}
