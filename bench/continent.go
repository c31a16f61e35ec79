package bench

import "math"

// Continent is W5's scene: three in ten entities walk straight on for a while, some
// of them run, the others rest.
type Continent struct {
	Walk, Run float64 // metres a tick
	way       []int16 // of each entity: direction in 1/1024 turns, -1 at rest
}

// W5 is the continent at 20 Hz: 100,000 entities, every tenth a player who looks
// 100 m far, 30 % moving at 6 m/s and 2 % of these at 12 m/s.
func W5() Workload {
	return Workload{
		Name: "W5", Entities: 100_000, Side: 10_000, Radius: 100, Margin: 10, Observers: 10_000,
		Scene: &Continent{Walk: 6.0 / 20, Run: 12.0 / 20},
	}
}

// Place implements [Scene]: uniform.
func (c *Continent) Place(m *Motion, i int) (x, y int32) {
	if i == 0 {
		c.way = c.way[:0]
	}
	way := int16(-1)
	if m.below(10) < 3 {
		way = int16(m.below(1024))
	}
	c.way = append(c.way, way)
	return m.below(m.side), m.below(m.side)
}

// Move implements [Scene].
func (c *Continent) Move(m *Motion, i int) {
	if c.way[i] < 0 {
		return
	}
	if m.below(64) == 0 {
		c.way[i] = int16(m.below(1024))
	}
	step := c.Walk
	if i%50 == 0 {
		step = c.Run
	}
	m.ahead(i, &c.way[i], step)
}

// ahead moves entity i by so many metres into a direction, in 1/1024 turns; at the
// edge of the world it turns back instead.
func (m *Motion) ahead(i int, way *int16, step float64) {
	sin, cos := math.Sincos(float64(*way) * 2 * math.Pi / 1024)
	x, y := m.X[i]+int32(cos*step*UnitsPerMetre), m.Y[i]+int32(sin*step*UnitsPerMetre)
	if m.inside(x) != x || m.inside(y) != y {
		*way = (*way + 512) % 1024
		return
	}
	m.X[i], m.Y[i] = x, y
}
