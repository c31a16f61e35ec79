package main

import (
	"math"
	"testing"
)

// centre returns the centre of an arc from a point, as SVG defines it.
func (s step) centre(from [2]float64) [2]float64 {
	dx, dy := s.at[0]-from[0], s.at[1]-from[1]
	chord := math.Hypot(dx, dy)
	h := math.Sqrt(max(s.radius*s.radius-chord*chord/4, 0)) / chord
	if s.left == s.large { // the centre is to the right of the chord
		h = -h
	}
	return [2]float64{(from[0]+s.at[0])/2 - dy*h, (from[1]+s.at[1])/2 + dx*h}
}

// TestSectorsAreAroundTheirApex: also beyond a half turn, where the longer arc is meant;
// and all of it is within the outline's bounds.
func TestSectorsAreAroundTheirApex(t *testing.T) {
	c := [2]float64{3, -2}
	for direction := -350.0; direction <= 350; direction += 25 {
		for _, angle := range []float64{1, 60, 179, 181, 300, 359} {
			d, half := direction*math.Pi/180, angle*math.Pi/360
			o := sectorOutline(c, d, half, 5)
			if got := o.steps[2].centre(o.steps[1].at); math.Hypot(got[0]-c[0], got[1]-c[1]) > 1e-6 {
				t.Errorf("%v degrees towards %v: the arc is around %v; want %v", angle, direction, got, c)
			}
			for k := -1.0; k <= 1; k += 1.0 / 64 {
				if p := polar(c, d+k*half, 5); p[0] < o.x0-1e-9 || p[0] > o.x1+1e-9 || p[1] < o.y0-1e-9 || p[1] > o.y1+1e-9 {
					t.Errorf("%v degrees towards %v: %v is not in (%v, %v) to (%v, %v)", angle, direction, p, o.x0, o.y0, o.x1, o.y1)
				}
			}
		}
	}
}

// TestCapsulesAreRoundOutwards: each cap is the half circle that does not lie between the
// ends.
func TestCapsulesAreRoundOutwards(t *testing.T) {
	a := [2]float64{1, 2}
	for k := range 16 {
		b := polar(a, float64(k)*math.Pi/8, 7)
		o := capsuleOutline(a, b, 2)
		for i, end := range [][2]float64{b, a} {
			from, arc := o.steps[1+2*i].at, o.steps[2+2*i]
			if got := arc.centre(from); math.Hypot(got[0]-end[0], got[1]-end[1]) > 1e-6 {
				t.Errorf("cap %d towards %v is around %v; want %v", i, b, got, end)
			}
			// Anticlockwise, a quarter after its beginning, it is farthest from the other end.
			turn := math.Atan2(from[1]-end[1], from[0]-end[0]) + math.Pi/2
			other := [][2]float64{a, b}[i]
			if p := polar(end, turn, 2); !arc.left || math.Abs(math.Hypot(p[0]-other[0], p[1]-other[1])-9) > 1e-9 {
				t.Errorf("cap %d towards %v bulges to %v", i, b, p)
			}
		}
	}
}
