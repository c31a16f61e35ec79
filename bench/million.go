package bench

import "math"

// Million is W6's scene: everybody goes straight on at one speed, and now and then
// turns.
type Million struct {
	Step float64 // metres a tick
	Turn uint32  // one in so many turns in a tick
	way  []int16 // of each entity: direction in 1/1024 turns
}

// W6 is the million at 10 Hz: uniform in 32 km, all moving at 30 m/s, one in ten
// turning each tick, and 100,000 of them looking 100 m far.
func W6() Workload { return w6(1) }

// W6Part is W6 with one part in n of its entities, observers and area.
func W6Part(n int) Workload { return w6(n) }

func w6(n int) Workload {
	w := Workload{
		Name: "W6", Entities: 1_000_000 / n, Side: 32_000 / math.Sqrt(float64(n)), Radius: 100, Margin: 10, Observers: 100_000 / n,
		Scene: &Million{Step: 3, Turn: 10},
	}
	if n > 1 {
		w.Name = "W6-part"
	}
	return w
}

// Place implements [Scene]: uniform.
func (c *Million) Place(m *Motion, i int) (x, y int32) {
	if i == 0 {
		c.way = c.way[:0]
	}
	c.way = append(c.way, int16(m.below(1024)))
	return m.below(m.side), m.below(m.side)
}

// Move implements [Scene]. The world's edges turn back who meets them.
func (c *Million) Move(m *Motion, i int) {
	if m.rng.Bound(c.Turn) == 0 {
		c.way[i] = int16(m.below(1024))
	}
	sin, cos := math.Sincos(float64(c.way[i]) * 2 * math.Pi / 1024)
	x, y := m.X[i]+int32(cos*c.Step*UnitsPerMetre), m.Y[i]+int32(sin*c.Step*UnitsPerMetre)
	if m.inside(x) != x || m.inside(y) != y {
		c.way[i] = (c.way[i] + 512) % 1024
		return
	}
	m.X[i], m.Y[i] = x, y
}
