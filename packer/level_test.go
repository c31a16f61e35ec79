package packer

import (
	"slices"
	"testing"
)

func TestDegrade(t *testing.T) {
	c := byOrder(50, 50, 50, 50)
	c.Cost[1] = []uint32{20, 0, 60, 20}
	c.Cost[2] = []uint32{10, 10, 10, 0}
	p := pack(t, c, Limits{Bytes: 100, Degrade: true})
	want := []Selected{{0, 50, 0, ReasonNearby}, {1, 50, 0, ReasonNearby}}
	if !slices.Equal(p.Selected, want) {
		t.Errorf("got %v; want %v", p.Selected, want)
	}
	p = pack(t, c, Limits{Bytes: 90, Degrade: true})
	want = []Selected{{0, 50, 0, ReasonNearby}, {1, 10, 2, ReasonNearby}, {2, 10, 2, ReasonNearby}, {3, 20, 1, ReasonNearby}}
	if !slices.Equal(p.Selected, want) || p.Degraded != 3 || p.Used != 90 {
		t.Errorf("got %v, %d degraded; want %v", p.Selected, p.Degraded, want)
	}
	// Off, the lower levels do nothing.
	p = pack(t, c, Limits{Bytes: 90})
	if want = want[:1]; !slices.Equal(p.Selected, want) {
		t.Errorf("got %v; want %v", p.Selected, want)
	}
	// A wanted level counts from there; without it, the next finer.
	c.Level = []uint8{1, 1, 1, 2}
	p = pack(t, c, Limits{Bytes: 1000, Degrade: true})
	want = []Selected{{0, 20, 1, ReasonNearby}, {1, 50, 0, ReasonNearby}, {2, 60, 1, ReasonNearby}, {3, 20, 1, ReasonNearby}}
	if !slices.Equal(p.Selected, want) || p.Degraded != 0 {
		t.Errorf("got %v, %d degraded; want %v", p.Selected, p.Degraded, want)
	}
}

// A starved one that its share lowered is raised again if bytes are left.
func TestStarvedIsRaised(t *testing.T) {
	c := byOrder(40, 90)
	c.Cost[1] = []uint32{10, 10}
	c.Waited = []uint32{0, 5}
	l := Limits{Bytes: 140, Degrade: true, Classes: []Class{{MaxSilence: 5}}}
	p := pack(t, c, l)
	if want := []Selected{{1, 90, 0, ReasonStarved}, {0, 40, 0, ReasonChanged}}; !slices.Equal(p.Selected, want) || p.Degraded != 0 || p.Used != 130 {
		t.Errorf("got %v, used %d, %d degraded; want %v", p.Selected, p.Used, p.Degraded, want)
	}
	l.Bytes = 129
	p = pack(t, c, l)
	if want := []Selected{{1, 10, 1, ReasonStarved}, {0, 40, 0, ReasonChanged}}; !slices.Equal(p.Selected, want) || p.Degraded != 1 || p.Used != 50 {
		t.Errorf("got %v, used %d, %d degraded; want %v", p.Selected, p.Used, p.Degraded, want)
	}
}
