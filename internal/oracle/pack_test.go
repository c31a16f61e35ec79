package oracle

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// inOrder are updates of the given costs, in the order in which they compete; their
// IDs are 0, 1, ...
func inOrder(costs ...uint32) (all []Offer) {
	for i, cost := range costs {
		all = append(all, Offer{ID: uint64(i), Dist2: float32(i), Cost: [3]uint32{cost}, Silent: math.MaxUint32})
	}
	return all
}

// summary prints what was decided: "0:80 nearby, 2:16 nearby; 1 no room".
func summary(offers []Offer, p Packed) string {
	var sent, waits []string
	for _, s := range p.Selected {
		level := ""
		if s.Level > 0 {
			level = fmt.Sprintf("@%d", s.Level)
		}
		sent = append(sent, fmt.Sprintf("%d:%d%s %s", offers[s.Index].ID, s.Cost, level, s.Reason))
	}
	for i, why := range p.Why {
		if why != "" {
			waits = append(waits, fmt.Sprintf("%d %s", offers[i].ID, why))
		}
	}
	slices.Sort(waits)
	return strings.Join(sent, ", ") + "; " + strings.Join(waits, ", ")
}

func TestPack(t *testing.T) {
	for _, test := range []struct {
		name  string
		costs []uint32
		with  func(o []Offer)
		s     Spending
		want  string
	}{
		{"96 bytes", []uint32{80, 56, 16}, nil, Spending{Bytes: 96, AgesUnknown: true},
			"0:80 nearby, 2:16 nearby; 1 no room"},
		{"152 bytes", []uint32{72, 48, 40, 32}, nil, Spending{Bytes: 152, AgesUnknown: true},
			"0:72 nearby, 1:48 nearby, 3:32 nearby; 2 no room"},
		{"priority, then distance, then ID", []uint32{1, 1, 1, 1}, func(o []Offer) {
			o[3].Priority = 1
			o[2].Dist2 = 0
			o[0].ID, o[2].ID = 8, 7
		}, Spending{Bytes: 9}, "3:1 changed, 7:1 changed, 8:1 changed, 1:1 changed; "},
		{"order of spend", []uint32{10, 10, 10, 10, 10, 10}, func(o []Offer) {
			o[5].Remove, o[4].Spawn, o[3].MustSend = true, true, true
			o[2].Class, o[1].Class, o[1].Waited = 1, 2, 4
		}, Spending{Bytes: 200, Reserve: 20, Classes: []Traffic{{}, {Share: 0.1}, {MaxSilence: 4}}},
			"5:10 lifecycle, 4:10 lifecycle, 3:10 must send, 2:10 guaranteed, 1:10 starved, 0:10 changed; "},
		{"lifecycle has the reserve only, and what it leaves flows on", []uint32{50, 20, 15, 45}, func(o []Offer) {
			o[1].Spawn, o[2].Spawn = true, true
		}, Spending{Bytes: 100, Reserve: 30}, "1:20 lifecycle, 0:50 changed; 2 no room, 3 no room"},
		{"oversize by what there is", []uint32{101, 31, 100}, func(o []Offer) { o[1].Spawn = true },
			Spending{Bytes: 100, Reserve: 30}, "2:100 changed; 0 oversize, 1 oversize"},
		{"must-send is never lowered", []uint32{60, 50}, func(o []Offer) {
			o[0].Cost[1], o[1].Cost[1] = 5, 5
			o[1].MustSend, o[0].MustSend = true, true
		}, Spending{Bytes: 100, Degrade: true}, "0:60 must send; 1 no room"},
		{"ageing", []uint32{10, 10}, func(o []Offer) { o[0].Priority, o[1].Class, o[1].Waited = 29, 1, 3 },
			Spending{Bytes: 10, Classes: []Traffic{{}, {AgeWeight: 10}}}, "1:10 changed; 0 no room"},
		{"ageing saturates", []uint32{10, 10}, func(o []Offer) { o[0].Priority, o[1].Waited = 65535, math.MaxUint32 },
			Spending{Bytes: 10, Classes: []Traffic{{AgeWeight: math.MaxUint32}}}, "0:10 changed; 1 no room"},
		{"starved by wait, within a third", []uint32{10, 10, 10, 10}, func(o []Offer) {
			o[1].Waited, o[2].Waited, o[3].Waited = 5, 6, 5
		}, Spending{Bytes: 62, Classes: []Traffic{{MaxSilence: 5}}},
			"2:10 starved, 1:10 starved, 0:10 changed, 3:10 changed; "},
		{"shares count must-send", []uint32{90, 10, 10, 10}, func(o []Offer) {
			for i := 1; i < 4; i++ {
				o[i].Class = 1
			}
			o[3].MustSend = true
		}, Spending{Bytes: 100, Classes: []Traffic{{}, {Share: 0.25}}}, // 22 of 90, 10 are spent
			"3:10 must send, 1:10 guaranteed, 2:10 changed; 0 no room"},
		{"degrade to the finest that fits", []uint32{50, 50, 50}, func(o []Offer) {
			o[1].Cost = [3]uint32{50, 30, 10}
			o[2].Cost = [3]uint32{50, 0, 10}
		}, Spending{Bytes: 90, Degrade: true}, "0:50 changed, 1:30@1 changed, 2:10@2 changed; "},
		{"a level that is not there", []uint32{50, 50}, func(o []Offer) {
			o[0].Level, o[1].Level = 2, 1
			o[0].Cost[1] = 20
		}, Spending{Bytes: 90}, "0:20@1 changed, 1:50 changed; "},
		{"a starved one is raised", []uint32{40, 90}, func(o []Offer) { o[1].Cost[1], o[1].Waited = 10, 5 },
			Spending{Bytes: 140, Degrade: true, Classes: []Traffic{{MaxSilence: 5}}}, "1:90 starved, 0:40 changed; "},
		{"too soon", []uint32{10, 10, 10, 10}, func(o []Offer) {
			for i := range o {
				o[i].Silent = 7
			}
			o[1].Silent, o[2].MustSend, o[3].Waited = 8, true, 20
		}, Spending{Bytes: 90, Stretch: 2, Classes: []Traffic{{MaxSilence: 20, MinInterval: [3]uint32{4}}}},
			"2:10 must send, 3:10 starved, 1:10 changed; 0 too soon"},
		{"nothing to send", []uint32{10, 10, 10}, func(o []Offer) {
			o[0].Unchanged, o[0].MustSend, o[1].AwaitingSpawn, o[1].Unchanged = true, true, true, true
		}, Spending{Bytes: 90}, "2:10 changed; 0 unchanged, 1 awaiting spawn"},
		{"a group is one", []uint32{40, 30, 20, 10}, func(o []Offer) { o[0].Group, o[3].Group = 3, 3 },
			Spending{Bytes: 79}, "0:40 changed, 3:10 changed, 2:20 changed; 1 no room"},
		{"a group that is too large", []uint32{40, 30, 20, 10}, func(o []Offer) { o[0].Group, o[3].Group = 3, 3 },
			Spending{Bytes: 49}, "1:30 changed; 0 oversize, 2 no room, 3 oversize"},
		{"a group is lowered together", []uint32{40, 30, 40}, func(o []Offer) {
			o[0].Group, o[2].Group = 3, 3
			o[0].Cost[1], o[2].Cost[2] = 12, 8
		}, Spending{Bytes: 50, Degrade: true}, "0:12@1 changed, 2:8@2 changed, 1:30 changed; "},
		{"one must-send of a group", []uint32{40, 30, 40}, func(o []Offer) {
			o[1].Group, o[2].Group, o[2].MustSend = 3, 3, true
		}, Spending{Bytes: 100}, "1:30 must send, 2:40 must send; 0 no room"},
		{"spawns and updates of a group are apart", []uint32{40, 30, 20}, func(o []Offer) {
			for i := range o {
				o[i].Group = 3
			}
			o[1].Spawn = true
		}, Spending{Bytes: 70, Reserve: 30}, "1:30 lifecycle; 0 no room, 2 no room"},
	} {
		t.Run(test.name, func(t *testing.T) {
			offers := inOrder(test.costs...)
			if test.with != nil {
				test.with(offers)
			}
			for range 2 {
				p := Pack(offers, test.s)
				if got := summary(offers, p); got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
				sum := uint64(0)
				for _, s := range p.Selected {
					sum += uint64(s.Cost)
				}
				if sum != p.Used || p.Used > uint64(test.s.Bytes) || p.Lifecycle > uint64(test.s.Reserve) {
					t.Errorf("spent %d, used %d, lifecycle %d", sum, p.Used, p.Lifecycle)
				}
				slices.Reverse(offers) // nothing depends on the order given
			}
		})
	}
}

func TestPackCounts(t *testing.T) {
	offers := inOrder(10, 90, 10, 10, 10)
	offers[0].MustSend, offers[1].MustSend = true, true
	offers[1].Waited = 7
	offers[2].Silent, offers[2].Waited = 5, 3
	offers[3].Unchanged, offers[3].Waited, offers[3].MustSend = true, 80, true
	p := Pack(offers, Spending{Bytes: 95, Stretch: 2, Classes: []Traffic{{MinInterval: [3]uint32{3}}}})
	if p.MustDeferred != 1 || p.Stretched != 1 || p.OldestWait != 7 {
		t.Errorf("%d must-sends deferred, %d stretched, oldest %d; want 1, 1, 7", p.MustDeferred, p.Stretched, p.OldestWait)
	}
}
