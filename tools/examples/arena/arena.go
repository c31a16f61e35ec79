package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"vicinity"
	"vicinity/packer"
)

// arena is the simulation: it owns where everybody is, and tells the World.
type arena struct {
	world *vicinity.World
	side  float64
	hz    float64
	rng   *rand.Rand
	bots  []bot
	sums  sums
}

// bot walks towards a goal, then draws another.
type bot struct {
	handle       vicinity.Handle
	x, y         float64
	goalX, goalY float64
}

// sums are of one second. Callbacks run on several workers.
type sums struct {
	bytes, enters, leaves, updates, deferred, refused atomic.Int64
	worst                                             time.Duration
}

// newArena spawns the bots and connects each.
func newArena(world *vicinity.World, o options) (*arena, error) {
	a := &arena{world: world, side: o.side, hz: float64(o.hz), rng: rand.New(rand.NewPCG(1, 2))}
	for id := range uint64(o.bots) {
		b := bot{x: a.anywhere(), y: a.anywhere(), goalX: a.anywhere(), goalY: a.anywhere()}
		h, err := world.Spawn(vicinity.Entity{ID: id, X: b.x, Y: b.y, Cost: [3]uint32{28}, SpawnCost: 64})
		if err != nil {
			return nil, err
		}
		b.handle = h
		a.bots = append(a.bots, b)
		err = world.Connect(vicinity.Connection{
			ID: vicinity.ConnID(id), Viewpoint: vicinity.Viewpoint{Entity: h}, ExcludeSelf: true, Budget: uint32(o.budget),
		})
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *arena) anywhere() float64 { return a.rng.Float64() * a.side }

// step moves everybody, and ticks.
func (a *arena) step() error {
	for i := range a.bots {
		b := &a.bots[i]
		a.walk(b)
		if err := a.world.Move(b.handle, b.x, b.y); err != nil {
			return err
		}
	}
	start := time.Now()
	err := a.world.Tick(a.send)
	a.sums.worst = max(a.sums.worst, time.Since(start))
	return err
}

// walk takes a bot a tick's way at 6 metres a second.
func (a *arena) walk(b *bot) {
	dx, dy := b.goalX-b.x, b.goalY-b.y
	left, step := math.Hypot(dx, dy), 6/a.hz
	if left <= step {
		b.x, b.y = b.goalX, b.goalY
		b.goalX, b.goalY = a.anywhere(), a.anywhere()
		return
	}
	b.x += dx / left * step
	b.y += dy / left * step
}

// send hands a delivery to the connection's queue: here, where a server would
// write bytes. One queue in fifty is full.
func (a *arena) send(c vicinity.ConnID, d *vicinity.Delivery) (sent bool) {
	if (uint64(c)+d.Tick)%50 == 0 {
		a.sums.refused.Add(1)
		return false
	}
	a.sums.bytes.Add(int64(d.Bytes))
	a.sums.enters.Add(int64(len(d.Enters)))
	a.sums.leaves.Add(int64(len(d.Leaves)))
	a.sums.updates.Add(int64(len(d.Updates)))
	for why, n := range d.Deferred {
		if why != int(packer.WhyUnchanged) {
			a.sums.deferred.Add(int64(n))
		}
	}
	return true
}

// report prints the last second and begins the next.
func (a *arena) report(out io.Writer) {
	s, w := &a.sums, a.world.Stats()
	fmt.Fprintf(out, "tick %d: %d bots, %d pairs in view; sent %d kB: %d enters, %d leaves, %d updates; %d deferred, %d refused; slowest tick %.2f ms\n",
		w.Tick, w.Entities, w.Members, s.bytes.Swap(0)/1000, s.enters.Swap(0), s.leaves.Swap(0), s.updates.Swap(0),
		s.deferred.Swap(0), s.refused.Swap(0), float64(s.worst.Microseconds())/1000)
	s.worst = 0
}
