package bench

import (
	"fmt"
	"testing"

	"vicinity/asm"
)

// packWorks are small forms of all workloads of the packer.
func packWorks() []PackWork {
	works := []PackWork{P1(50), P2(10, 1000), P2(3, 5000), P3(20)}
	for _, v := range []int{64, 256, 1024, 4096} {
		for _, share := range []uint32{5, 20, 60} {
			works = append(works, PackTable(v, share))
		}
	}
	return works
}

// TestPackWorks: the packer and the references agree on every workload, on every
// tier, and the workloads are what they are said to be.
func TestPackWorks(t *testing.T) {
	before := asm.Tier()
	defer asm.SetTier(before)
	works := packWorks()
	for _, l := range asm.Levels() {
		if err := asm.SetTier(l); err != nil {
			t.Fatal(err)
		}
		for _, w := range works {
			if _, err := NewPacking(w); err != nil {
				t.Errorf("%v: %v", l, err)
			}
		}
	}
	for _, w := range works[:3] {
		p, err := NewPacking(w)
		if err != nil {
			t.Fatal(err)
		}
		p.found = 0
		p.Pack()
		if k := float64(p.found) / float64(len(p.Conns)); k < 30 || k > 40 {
			t.Errorf("%s: %.1f selected for a connection; want about 33", w.Name, k)
		}
	}
}

// BenchmarkPack packs the workloads and the cases of the packer's table, and sorts
// them.
func BenchmarkPack(b *testing.B) {
	works := packWorks()
	for _, w := range works {
		p, err := NewPacking(w)
		if err != nil {
			b.Fatal(err)
		}
		report := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Candidates()), "ns/candidate")
		}
		name := fmt.Sprintf("candidates=%d/%s", w.Conns[0].Columns.Len(), w.Name)
		b.Run(name+"/sort", func(b *testing.B) {
			for b.Loop() {
				p.Sort()
			}
			report(b)
		})
		b.Run(name+"/pack", func(b *testing.B) {
			eachLevel(b, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					p.Pack()
				}
				report(b)
			})
		})
	}
}
