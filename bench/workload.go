package bench

import (
	"fmt"
	"math"

	"github.com/dgryski/go-pcgr"

	"vicinity/grid"
)

// UnitsPerMetre is how fine the workloads' positions are.
const UnitsPerMetre = 256

// Seed is the seed of every workload.
const Seed = 42

// Workload describes a world: who is where, who moves how, and who looks how far.
type Workload struct {
	// Name is the name in the design documents.
	Name string
	// Entities is how many there are. Entity i has ID i.
	Entities int
	// Side is the edge of the square world in metres.
	Side float64
	// Radius is the query radius, and Margin the leave margin, in metres.
	Radius, Margin float64
	// Step is how far an entity moves on each axis in a tick at most, in metres.
	Step float64
	// Scene, if not nil, places and moves the entities instead.
	Scene Scene
	// Spots are the hotspots; entities that belong to none are uniform.
	Spots []Spot
	// Observers is how many entities observe: every Entities/Observers-th.
	Observers int
}

// A Scene says where entities are and how they move. It draws from m's generator
// only, so that it is the same in every run.
type Scene interface {
	// Place returns where entity i begins, in units.
	Place(m *Motion, i int) (x, y int32)
	// Move moves entity i by a tick, in m.X and m.Y.
	Move(m *Motion, i int)
}

// Spot is a cluster: entities normally distributed around a centre. The centre is
// drawn if Count > 1 spots share the entities.
type Spot struct {
	Count    int     // how many such clusters
	Entities int     // in all of them together
	Sigma    float64 // metres
}

// W0a is 50,000 entities, uniform in a square of 1,000 m, all moving, half of them
// observing with a radius for about 99 hits.
func W0a() Workload {
	return Workload{Name: "W0a", Entities: 50_000, Side: 1000, Radius: 25.23, Margin: 2.523, Step: 0.5, Observers: 25_000}
}

// W0b is W0a with 1,000 entities in one spot, 19,000 in 19 clusters, and the rest
// uniform.
func W0b() Workload {
	w := W0a()
	w.Name = "W0b"
	w.Spots = []Spot{{Count: 1, Entities: 1000, Sigma: 5}, {Count: 19, Entities: 19_000, Sigma: 30}}
	return w
}

// Uniform is W0a with another number of entities, at the same density.
func Uniform(n int) Workload {
	w := W0a()
	w.Name = fmt.Sprintf("uniform-%d", n)
	w.Entities, w.Observers = n, n/2
	w.Side = math.Sqrt(float64(n) / 0.05)
	return w
}

// ExpectedHits is the mean number of others within the radius of an entity in a
// uniform workload: the density times the disc, less what the world's edge cuts
// off (for a square of side L and r <= L: pi r^2 - 8 r^3 / 3L + r^4 / 2L^2).
func (w *Workload) ExpectedHits() float64 {
	r, l := w.Radius, w.Side
	return float64(w.Entities-1) / (l * l) * (math.Pi*r*r - 8*r*r*r/(3*l) + r*r*r*r/(2*l*l))
}

// RadiusUnits is the radius in units.
func (w *Workload) RadiusUnits() int32 { return int32(math.Round(w.Radius * UnitsPerMetre)) }

// MarginUnits is the leave margin in units.
func (w *Workload) MarginUnits() int32 { return int32(math.Round(w.Margin * UnitsPerMetre)) }

// Observes reports whether entity i observes.
func (w *Workload) Observes(i int) bool {
	return w.Observers > 0 && i%(w.Entities/w.Observers) == 0
}

// Motion holds the positions of a workload's entities and moves them.
type Motion struct {
	X, Y []int32 // units, by entity
	side int32
	step int32
	rng  pcgr.Rand

	scene Scene
}

// NewMotion draws the first positions.
func NewMotion(w Workload) *Motion {
	m := &Motion{
		X: make([]int32, w.Entities), Y: make([]int32, w.Entities),
		side: int32(w.Side * UnitsPerMetre), step: int32(w.Step * UnitsPerMetre),
	}
	m.rng.SeedWithState(Seed, 1)
	if m.scene = w.Scene; m.scene != nil {
		for i := range m.X {
			m.X[i], m.Y[i] = m.scene.Place(m, i)
		}
		return m
	}
	next := 0
	for _, s := range w.Spots {
		for range s.Count {
			cx, cy := m.below(m.side), m.below(m.side)
			for range s.Entities / s.Count {
				m.X[next], m.Y[next] = m.inside(cx+m.normal(s.Sigma)), m.inside(cy+m.normal(s.Sigma))
				next++
			}
		}
	}
	for ; next < w.Entities; next++ {
		m.X[next], m.Y[next] = m.below(m.side), m.below(m.side)
	}
	return m
}

// below draws from [0, n).
func (m *Motion) below(n int32) int32 { return int32(m.rng.Bound(uint32(n))) }

// normal draws from nearly a normal distribution around 0, in units: the sum of 12
// uniform draws.
func (m *Motion) normal(sigma float64) int32 {
	sum := int64(0)
	for range 12 {
		sum += int64(m.rng.Next()) - 1<<31
	}
	return int32(float64(sum) * sigma * UnitsPerMetre / (1 << 32))
}

func (m *Motion) inside(v int32) int32 { return min(max(v, 0), m.side-1) }

// Walk moves every entity by up to a step on each axis, or as the scene says.
func (m *Motion) Walk() {
	if m.scene != nil {
		for i := range m.X {
			m.scene.Move(m, i)
		}
		return
	}
	for i := range m.X {
		m.X[i] = m.inside(m.X[i] + m.below(2*m.step+1) - m.step)
		m.Y[i] = m.inside(m.Y[i] + m.below(2*m.step+1) - m.step)
	}
}

// Point returns entity i's position.
func (m *Motion) Point(i int) grid.Point { return grid.Point{X: m.X[i], Y: m.Y[i]} }
