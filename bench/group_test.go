package bench

import (
	"fmt"
	"runtime"
	"testing"

	"vicinity"
	"vicinity/grid"
	"vicinity/packer"
)

// instances makes n Worlds of 20 entities of which 5 are connected, in a Group that
// ticks each every time.
func instances(tb testing.TB, n int, workers *grid.Workers) (*vicinity.Group, []*vicinity.World, [][]vicinity.Handle) {
	g := vicinity.NewGroup(workers)
	var worlds []*vicinity.World
	var all [][]vicinity.Handle
	for range n {
		w, err := vicinity.New(vicinity.Config{})
		if err != nil {
			tb.Fatal(err)
		}
		var handles []vicinity.Handle
		for i := range 20 {
			h, err := w.Spawn(vicinity.Entity{ID: uint64(i), X: float64(5 * i), Cost: [packer.Levels]uint32{30}})
			if err != nil {
				tb.Fatal(err)
			}
			handles = append(handles, h)
			if i%4 == 0 {
				err := w.Connect(vicinity.Connection{ID: vicinity.ConnID(i), Viewpoint: vicinity.Viewpoint{Entity: h}, Budget: 1200})
				if err != nil {
					tb.Fatal(err)
				}
			}
		}
		if err := g.Add(w, 1); err != nil {
			tb.Fatal(err)
		}
		worlds, all = append(worlds, w), append(all, handles)
	}
	return g, worlds, all
}

// BenchmarkGroup ticks 2,000 small Worlds in which everybody moves, moves not
// included, and says how many bytes of heap each takes, and an empty one.
func BenchmarkGroup(b *testing.B) {
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprintf("worlds=2000/workers=%d", n), func(b *testing.B) {
			workers := grid.NewWorkers(n)
			defer workers.Close()
			empty := heapOf(func() any {
				var list []*vicinity.World
				for range 100 {
					w, err := vicinity.New(vicinity.Config{})
					if err != nil {
						b.Fatal(err)
					}
					list = append(list, w)
				}
				return list
			})
			var g *vicinity.Group
			var worlds []*vicinity.World
			var handles [][]vicinity.Handle
			fn := func(*vicinity.World, vicinity.ConnID, *vicinity.Delivery) bool { return true }
			bytes := heapOf(func() any {
				g, worlds, handles = instances(b, 2000, workers)
				for range 3 {
					if err := g.Tick(fn); err != nil {
						b.Fatal(err)
					}
				}
				return g
			})
			x := make([]float32, 20)
			y := make([]float32, 20)
			turn := 0
			for b.Loop() {
				b.StopTimer()
				turn++
				for i := range x {
					x[i], y[i] = float32(5*i), float32(turn%8)
				}
				for i, w := range worlds {
					vicinity.MoveAll(w, nil, handles[i], x, y)
				}
				b.StartTimer()
				if err := g.Tick(fn); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2000, "ns/world")
			b.ReportMetric(float64(bytes)/2000, "bytes/world")
			b.ReportMetric(float64(empty)/100, "bytes/empty")
			for _, w := range worlds {
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// heapOf returns how much the heap grows by what made makes.
func heapOf(made func() any) int64 {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	v := made()
	after := heap()
	runtime.KeepAlive(v)
	return after - before
}
