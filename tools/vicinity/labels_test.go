package main

import (
	"bufio"
	"io"
	"slices"
	"testing"
)

// TestLabelsCoverNoMark: however close those found are, no label is over a mark or
// another label, all are on the map, and whose a far one is can be told.
func TestLabelsCoverNoMark(t *testing.T) {
	p := &picture{w: bufio.NewWriter(io.Discard), scale: 1, y1: 400, height: 400}
	for _, gap := range []float64{0, 1, 4, 9, 14, 40} {
		for _, corner := range [][2]float64{{480, 200}, {2, 2}, {pictureWidth - 2, 398}} {
			var marks []box
			var ids []string
			for i := range labelsUpTo {
				x := p.x(min(max(corner[0]+gap*float64(i%4-2), 0), pictureWidth))
				y := p.y(min(max(corner[1]+gap*float64(i/4-1), 0), 400))
				marks, ids = append(marks, box{x - 5, y - 5, x + 5, y + 5}), append(ids, "12345")
			}
			taken := slices.Clone(marks)
			for i, l := range p.placeLabels(marks, ids) {
				if l.meetsAny(taken) || !l.within(p) {
					t.Errorf("gap %v at %v: label %d is at %v", gap, corner, i, l.box)
				}
				m := marks[i]
				if near := (box{m.x0 - 40, m.y0 - 30, m.x1 + 40, m.y1 + 30}); l.beside && !l.meets(near) {
					t.Errorf("gap %v at %v: label %d is at %v, not beside %v", gap, corner, i, l.box, m)
				}
				taken = append(taken, l.box)
			}
		}
	}
}

func TestOthersAreCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 others", 1: "1 other", 2: "2 others"} {
		if got := others(n); got != want {
			t.Errorf("%d: %q; want %q", n, got, want)
		}
	}
}
