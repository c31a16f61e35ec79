package packer

import (
	"math"
	"slices"
	"testing"
)

func TestSharesCountMustSendAndRoundDown(t *testing.T) {
	c := byOrder(slices.Repeat([]uint32{10}, 40)...)
	c.Class = make([]uint8, 40)
	c.Flags = make([]Flags, 40)
	for i := 20; i < 40; i++ { // the farther half are bosses
		c.Class[i] = 1
	}
	count := func(p *Plan) (bosses int) {
		for _, s := range p.Selected {
			bosses += int(c.Class[s.Index])
		}
		return bosses
	}
	l := Limits{Bytes: 100, Classes: []Class{{}, {Share: 0.35}}}
	if got := count(pack(t, c, l)); got != 3 { // 35 bytes
		t.Errorf("%d bosses; want 3", got)
	}
	c.Flags[39] = MustSend // 90 bytes left, 31 of them for bosses, who had 10
	if got := count(pack(t, c, l)); got != 3 {
		t.Errorf("%d bosses with one must-send; want 3", got)
	}
	c.Flags[39], c.Flags[0] = 0, MustSend
	if got := count(pack(t, c, l)); got != 3 { // 31 of 90
		t.Errorf("%d bosses with a must-send tree; want 3", got)
	}
	l.Bytes = 85 // 29.75
	c.Flags[0] = 0
	if got := count(pack(t, c, l)); got != 2 {
		t.Errorf("%d bosses for 29.75 bytes; want 2", got)
	}
}

func TestShareIsExact(t *testing.T) {
	for _, test := range []struct {
		share       float64
		bytes, want uint32
	}{
		{1.0 / 3, 300, 100}, {1.0 / 3, 299, 99}, {1.0 / 3, math.MaxUint32, math.MaxUint32 / 3},
		{0.2, 1200, 240}, {0.1, 10, 1}, {0.7, 10, 7}, {2.0 / 7, 7, 2}, {0.29, 100, 29},
		{1, math.MaxUint32, math.MaxUint32}, {0, math.MaxUint32, 0}, {1.0 / 13, 26, 2},
	} {
		share, ok := toShare(test.share)
		if got := part(share, test.bytes); !ok || got != test.want {
			t.Errorf("%v of %d is %d; want %d", test.share, test.bytes, got, test.want)
		}
	}
}
