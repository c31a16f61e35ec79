package packer

import (
	"math"
	"slices"
	"testing"
)

func TestGroups(t *testing.T) {
	// The best key is that of 1, so the group of 1 and 3 comes before 0.
	c := byOrder(10, 20, 30, 40)
	c.Priority = []uint16{5, 9, 0, 0}
	c.Group = []uint32{0, 7, 0, 7}
	p := pack(t, c, Limits{Bytes: 70})
	if got, want := indexes(p), []uint32{1, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("selected %v; want %v", got, want)
	}
	p = pack(t, c, Limits{Bytes: 59}) // oversize as a whole
	if got, want := indexes(p), []uint32{0, 2}; !slices.Equal(got, want) || p.ByWhy[WhyOversize] != 2 {
		t.Errorf("selected %v, why %v; want %v", got, p.ByWhy, want)
	}

	// One must-send member makes all so.
	c.Flags = []Flags{0, 0, 0, MustSend}
	p = pack(t, c, Limits{Bytes: 60})
	if got, want := indexes(p), []uint32{1, 3}; !slices.Equal(got, want) || p.ByReason[ReasonMustSend] != 2 || p.MustDeferred != 0 {
		t.Errorf("selected %v; want %v", got, want)
	}

	// Who has nothing to send, or cannot be sent, stays behind.
	for _, f := range []Flags{Unchanged, AwaitingSpawn} {
		c.Flags = []Flags{0, 0, 0, f}
		p = pack(t, c, Limits{Bytes: 59})
		if got, want := indexes(p), []uint32{1, 0}; !slices.Equal(got, want) {
			t.Errorf("flags %v: selected %v; want %v", f, got, want)
		}
	}

	// A member that is due takes along those that are not.
	c.Flags = nil
	c.Silent = []uint32{0, 0, 0, 9}
	l := Limits{Bytes: 100, Classes: []Class{{MinInterval: [Levels]uint32{5}}}}
	if got, want := indexes(pack(t, c, l)), []uint32{1, 3}; !slices.Equal(got, want) {
		t.Errorf("selected %v; want %v", got, want)
	}
	c.Silent[3] = 4
	if got := indexes(pack(t, c, l)); len(got) != 0 {
		t.Errorf("selected %v; want none", got)
	}

	// The longest wait counts.
	c.Silent = nil
	c.Waited = []uint32{6, 0, 6, 7}
	p = pack(t, c, Limits{Bytes: 180, Classes: []Class{{MaxSilence: 6}}})
	if p.Selected[0] != (Selected{1, 20, 0, ReasonStarved}) || p.Selected[1] != (Selected{3, 40, 0, ReasonStarved}) {
		t.Errorf("selected %v", p.Selected)
	}

	// Removes, spawns and updates of a group go each on their own.
	c = byOrder(10, 20, 30, 40)
	c.Group = []uint32{7, 7, 7, 7}
	c.Flags = []Flags{Spawn, 0, Spawn, Remove}
	p = pack(t, c, Limits{Bytes: 100, Reserve: 45})
	if got, want := indexes(p), []uint32{3, 1}; !slices.Equal(got, want) {
		t.Errorf("selected %v; want %v", got, want)
	}

	// A sum beyond 32 bits is oversize, not small.
	c = byOrder(math.MaxUint32, 2, 1)
	c.Group = []uint32{1, 1, 0}
	p = pack(t, c, Limits{Bytes: math.MaxUint32})
	if got := indexes(p); !slices.Equal(got, []uint32{2}) {
		t.Errorf("selected %v", got)
	}
}
