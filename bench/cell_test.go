package bench

import (
	"fmt"
	"testing"

	"vicinity/grid"
)

// BenchmarkCell compares cell edges on W0a.
func BenchmarkCell(b *testing.B) {
	for _, cell := range [][2]int32{{1024, 2048}, {2048, 2048}, {1024, 4096}, {2048, 4096}, {4096, 4096}, {4096, 8192}} {
		b.Run(fmt.Sprintf("x=%d/y=%d", cell[0], cell[1]), func(b *testing.B) {
			world := newWorld(b, W0a(), grid.Config{Layers: []grid.Layer{{CellX: cell[0], CellY: cell[1]}}})
			s := world.Grid.Snapshot()
			c := s.Columns(0)
			q := grid.Query{Radius: world.RadiusUnits()}
			slots := make([]uint32, 0, 1<<16)
			n := 0
			start := threadClock()
			for b.Loop() {
				for i := 0; i < s.Len(); i += 2 {
					q.X, q.Y = c.X[i], c.Y[i]
					f, _ := s.AppendSlots(slots, q)
					n += len(f)
				}
			}
			b.ReportMetric(float64((threadClock()-start).Nanoseconds())/float64(b.N)/float64(s.Len()/2), "cpu-ns/query")
		})
	}
}
