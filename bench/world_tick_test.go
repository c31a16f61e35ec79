package bench

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/dgryski/go-pcgr"

	"vicinity"
	"vicinity/grid"
	"vicinity/packer"
)

// played is a workload in a World: every observer a connection of 1,200 bytes a tick,
// updates of 24 to 48 bytes, 256 priorities.
type played struct {
	Workload
	world   *vicinity.World
	motion  *Motion
	handles []vicinity.Handle
}

const playedBudget = 1200

func newPlayed(tb testing.TB, w Workload, cfg vicinity.Config) *played {
	cfg.Reach = []vicinity.Reach{{Enter: w.Radius, Margin: w.Margin}}
	world, err := vicinity.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	p := &played{Workload: w, world: world, motion: NewMotion(w)}
	unit := world.Unit()
	var rng pcgr.Rand
	rng.SeedWithState(Seed, 2)
	for i := range w.Entities {
		h, err := world.Spawn(vicinity.Entity{
			ID: uint64(i), X: unit.Metres(p.motion.X[i]), Y: unit.Metres(p.motion.Y[i]),
			Cost: [packer.Levels]uint32{24 + rng.Bound(25)}, Priority: uint16(rng.Bound(256)),
		})
		if err != nil {
			tb.Fatal(err)
		}
		p.handles = append(p.handles, h)
		if !w.Observes(i) {
			continue
		}
		err = world.Connect(vicinity.Connection{
			ID: vicinity.ConnID(i), Viewpoint: vicinity.Viewpoint{Entity: h}, ExcludeSelf: true,
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	p.tick(tb) // all enter, without a budget
	for i := range w.Entities {
		if w.Observes(i) {
			if err := world.SetBudget(vicinity.ConnID(i), playedBudget, 0); err != nil {
				tb.Fatal(err)
			}
		}
	}
	for range 4 {
		p.move(tb)
		p.tick(tb)
	}
	return p
}

func (p *played) move(tb testing.TB) {
	p.motion.Walk()
	for i, h := range p.handles {
		if err := p.world.MoveUnits(h, p.motion.X[i], p.motion.Y[i]); err != nil {
			tb.Fatal(err)
		}
	}
}

func (p *played) tick(tb testing.TB) {
	if err := p.world.Tick(func(vicinity.ConnID, *vicinity.Delivery) bool { return true }); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkWorldTick is one whole tick: publish, update, pack and deliver, moves not
// included. caller-cpu is the CPU time of the goroutine that calls Tick.
func BenchmarkWorldTick(b *testing.B) {
	for _, w := range []Workload{W4(), W5(), W6Part(10)} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", w.Name, workers), func(b *testing.B) { benchmarkTick(b, w, workers, packer.Class{}) })
		}
	}
	for name, class := range map[string]packer.Class{"aged": {AgeWeight: 1}, "silence=40": {MaxSilence: 40}} {
		b.Run("W4/"+name, func(b *testing.B) { benchmarkTick(b, W4(), 1, class) })
	}
}

// BenchmarkMillion is BenchmarkWorldTick of W6: it takes gigabytes and minutes.
func BenchmarkMillion(b *testing.B) {
	if testing.Short() {
		b.Skip("long")
	}
	benchmarkTick(b, W6(), 2, packer.Class{})
}

func benchmarkTick(b *testing.B, w Workload, workers int, class packer.Class) {
	cfg := vicinity.Config{Workers: grid.NewWorkers(workers), Classes: []packer.Class{class}}
	defer cfg.Workers.Close()
	p := newPlayed(b, w, cfg)
	defer p.world.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var publish, update, deliver, cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		p.move(b)
		b.StartTimer()
		start := threadClock()
		p.tick(b)
		cpu += threadClock() - start
		s := p.world.Stats()
		publish, update, deliver = publish+s.Publish, update+s.Update, deliver+s.Deliver
	}
	ms := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(b.N) / 1e6 }
	b.ReportMetric(1e6*ms(b.Elapsed())/float64(p.world.Stats().Members), "ns/pair")
	b.ReportMetric(1e6*ms(b.Elapsed())/float64(w.Observers), "ns/conn")
	b.ReportMetric(ms(publish), "publish-ms")
	b.ReportMetric(ms(update), "update-ms")
	b.ReportMetric(ms(deliver), "deliver-ms")
	b.ReportMetric(ms(cpu), "caller-cpu-ms")
	if f := p.world.Stats(); f.Shortlisted > 0 {
		b.ReportMetric(float64(f.Retried)/float64(f.Shortlisted), "retried")
	}
}

// TestMillion holds the generator of W6 against its closed form.
func TestMillion(t *testing.T) {
	w := W6Part(100)
	p := newPlayed(t, w, vicinity.Config{})
	defer p.world.Close()
	s := p.world.Stats()
	if s.Connections != w.Observers || s.Entities != w.Entities {
		t.Errorf("%d connections, %d entities", s.Connections, s.Entities)
	}
	// Members are up to the margin further away than the radius.
	inner, outer := w, w
	outer.Radius += outer.Margin
	mean := float64(s.Members) / float64(s.Connections)
	if low, high := inner.ExpectedHits(), outer.ExpectedHits(); mean < low*0.98 || mean > high*1.02 {
		t.Errorf("%.2f members a view; want %.2f to %.2f", mean, low, high)
	}
	if s.Bytes > uint64(s.Served)*playedBudget || s.Updates == 0 {
		t.Errorf("%d bytes, %d updates", s.Bytes, s.Updates)
	}
	before := append([]int32(nil), p.motion.X...)
	p.motion.Walk()
	for i, x := range before {
		if d := math.Abs(float64(p.motion.X[i]) - float64(x)); d > 3*UnitsPerMetre {
			t.Fatalf("%d moved %v units", i, d)
		}
	}
}
