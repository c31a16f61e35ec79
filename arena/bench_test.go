package arena

import (
	"testing"

	"github.com/dgryski/go-pcgr"
)

// A random one of 50,000 goes and another comes.
func BenchmarkFreeAlloc(b *testing.B) {
	for _, m := range []Memory{Heap, Mapped} {
		b.Run("memory="+m.String(), func(b *testing.B) {
			const n = 50_000
			a, err := New(Config{Capacity: n, Memory: m})
			if err != nil {
				b.Fatal(err)
			}
			defer a.Close()
			hs := make([]Handle, n)
			for i := range hs {
				hs[i], _ = a.Alloc()
			}
			rand := pcgr.New(1, 1)
			b.ReportAllocs()
			for b.Loop() {
				i := rand.Bound(n)
				a.Free(hs[i])
				hs[i], _ = a.Alloc()
			}
		})
	}
}

// From nothing to a million slots, with one column of 8 bytes.
func BenchmarkGrow(b *testing.B) {
	for _, m := range []Memory{Heap, Mapped} {
		b.Run("memory="+m.String(), func(b *testing.B) {
			const n = 1_000_000
			for b.Loop() {
				a, err := New(Config{Capacity: n, Memory: m})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := NewColumn[uint64](a, m); err != nil {
					b.Fatal(err)
				}
				for range n {
					if _, err := a.Alloc(); err != nil {
						b.Fatal(err)
					}
				}
				if err := a.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/slot")
		})
	}
}
