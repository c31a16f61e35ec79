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
func W6() Workload { return W6Part(1) }

// W6Part is W6 with one part in n of its entities, observers and area.
func W6Part(n int) Workload {
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

// Move implements [Scene].
func (c *Million) Move(m *Motion, i int) {
	if m.rng.Bound(c.Turn) == 0 {
		c.way[i] = int16(m.below(1024))
	}
	m.ahead(i, &c.way[i], c.Step)
}
