package bench

import "math"

// Town is W4's scene: every other entity, the even ones, in a disc in the middle,
// the rest in a ring around it.
type Town struct {
	Disc, Ring float64 // radii in metres
	Step       float64 // how far anybody moves in a tick, in metres
	Relocate   uint32  // one in so many begins anew in a tick
}

// W4 is the town at 20 Hz: 5,000 in a disc of 40 m, who all see each other, and
// 5,000 around it up to 500 m. All jitter by up to 3 m/s, and 5 % a second go to
// another place of the same kind.
func W4() Workload {
	return Workload{
		Name: "W4", Entities: 10_000, Side: 1000, Radius: 80, Margin: 8, Observers: 5000,
		Scene: &Town{Disc: 40, Ring: 500, Step: 3.0 / 20, Relocate: 20 * 20},
	}
}

// Hits is the mean number of others that an observer, who is in the disc, has
// within a radius that covers the disc from all its points and does not reach the
// edge of the ring.
func (t *Town) Hits(entities int, radius float64) float64 {
	half := float64(entities) / 2
	return half - 1 + half*(radius*radius-t.Disc*t.Disc)/(t.Ring*t.Ring-t.Disc*t.Disc)
}

// Place implements [Scene].
func (t *Town) Place(m *Motion, i int) (x, y int32) {
	inner, outer := 0.0, t.Disc
	if i%2 == 1 {
		inner, outer = t.Disc, t.Ring
	}
	for {
		x, y = m.below(2*units(outer)+1)-units(outer), m.below(2*units(outer)+1)-units(outer)
		if d := math.Hypot(float64(x), float64(y)); d <= outer*UnitsPerMetre && d >= inner*UnitsPerMetre {
			return m.side/2 + x, m.side/2 + y
		}
	}
}

// Move implements [Scene].
func (t *Town) Move(m *Motion, i int) {
	if m.rng.Bound(t.Relocate) == 0 {
		m.X[i], m.Y[i] = t.Place(m, i)
		return
	}
	step := units(t.Step)
	x, y := m.X[i]+m.below(2*step+1)-step, m.Y[i]+m.below(2*step+1)-step
	d := math.Hypot(float64(x-m.side/2), float64(y-m.side/2))
	if inDisc := d <= t.Disc*UnitsPerMetre; inDisc == (i%2 == 0) && d <= t.Ring*UnitsPerMetre {
		m.X[i], m.Y[i] = x, y
	}
}

func units(metres float64) int32 { return int32(metres * UnitsPerMetre) }
