package replay

import (
	"slices"
	"testing"
)

func TestMix(t *testing.T) {
	// The first outputs of SplitMix64 from state 0, as its authors publish them.
	want := []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f}
	var state uint64
	for i, w := range want {
		if got := Mix(state); got != w {
			t.Errorf("output %d: %016x, want %016x", i, got, w)
		}
		state += 0x9E3779B97F4A7C15
	}
}

func TestHashes(t *testing.T) {
	a, b := Relation{1, 2}, Relation{2, 1}
	if got, want := RelHash([]Relation{a, b}), Mix(1<<32+2)+Mix(2<<32+1); got != want {
		t.Errorf("RelHash %016x, want %016x", got, want)
	}
	if RelHash(nil) != 0 {
		t.Error("RelHash of nothing is not 0")
	}
	if got, want := ListHash(7, []uint64{3, 4}), Mix(Mix(Mix(7)^3)^4); got != want {
		t.Errorf("ListHash %016x, want %016x", got, want)
	}
	if ListHash(7, []uint64{3, 4}) == ListHash(7, []uint64{4, 3}) {
		t.Error("ListHash does not see the order")
	}
}

func TestRowFormats(t *testing.T) {
	aoi := AOIRow{Tick: 3, Present: 75, Within: 534, Enter: 4, Keep: 530, Leave: 2, RelHash: 0xba8068e0df9248}
	if got, want := string(aoi.AppendTo(nil)), "3,75,534,4,530,2,00ba8068e0df9248\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var near NearestRow
	near.Tick = 82
	near.Add(0, nil)
	near.Add(1, []uint64{5})
	if near.Lists != 2 || near.Entries != 1 || near.OrderHash != Mix(0)+Mix(Mix(1)^5) {
		t.Errorf("got %+v", near)
	}
	near.OrderHash = 0x01
	if got, want := string(near.AppendTo(nil)), "82,2,1,0000000000000001\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNearestTicks(t *testing.T) {
	for _, c := range []struct {
		ticks uint64
		want  []uint64
	}{
		{0, nil},
		{1, []uint64{0}},
		{3, []uint64{0, 1, 2}},
		{120, []uint64{0, 5, 11, 17, 23, 29, 35, 41, 47, 53, 59, 65, 71, 77, 83, 89, 95, 101, 107, 113, 119}},
		{1657, []uint64{0, 82, 165, 248, 331, 414, 496, 579, 662, 745, 828, 910, 993, 1076, 1159, 1242, 1324, 1407, 1490, 1573, 1656}},
	} {
		if got := NearestTicks(c.ticks); !slices.Equal(got, c.want) {
			t.Errorf("%d ticks: %v, want %v", c.ticks, got, c.want)
		}
	}
	for ticks := uint64(21); ticks < 200; ticks++ {
		if n := len(NearestTicks(ticks)); n != 21 {
			t.Errorf("%d ticks: %d lines, want 21", ticks, n)
		}
	}
}
