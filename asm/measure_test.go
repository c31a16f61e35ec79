package asm

import (
	"fmt"
	"math"
	"testing"
)

// TestMeasure compares every length with the definition, at extremes too.
func TestMeasure(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := range 100 {
			count := []int{0, 1, 7, 500}[r.below(4)]
			xy := make([][2]int32, count)
			scale := []int32{10, 5000, MaxCoord}[r.below(3)]
			for i := range xy {
				xy[i] = [2]int32{r.spread(scale), r.spread(scale)}
				if r.below(20) == 0 {
					xy[i] = [2]int32{MaxCoord, -MaxCoord}
				}
			}
			x, y := r.spread(scale), r.spread(scale)
			// Exactly as long as it may be, and one element off alignment.
			slots, dist2 := make([]uint32, n+1)[1:], make([]float32, n+2)
			for i := range slots {
				slots[i] = uint32(r.below(count + 2))
				if r.below(8) == 0 {
					slots[i] = math.MaxUint32 - uint32(r.below(2))
				}
			}
			for i := range dist2 {
				dist2[i] = -1
			}
			Measure(dist2[1:n+1], slots, xy, x, y)
			if dist2[0] != -1 || dist2[n+1] != -1 {
				t.Fatalf("n=%d: written beyond", n)
			}
			for i, slot := range slots {
				want := float32(0)
				if uint64(slot) < uint64(count) {
					dx, dy := float32(xy[slot][0]-x), float32(xy[slot][1]-y)
					want = float32(dx*dx) + float32(dy*dy)
				}
				if dist2[1+i] != want {
					t.Fatalf("n=%d: element %d of slot %d of %d: %v; want %v", n, i, slot, count, dist2[1+i], want)
				}
			}
		}
	})
}

// TestGrade compares every length with the rule in exact integers: what is decided
// is right, and what is not is near a limit.
func TestGrade(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		open := 0
		for round := range 400 {
			n := round % 100
			scale := []int32{20, 4000, 1 << 20, MaxCoord / 2}[r.below(4)]
			near := int32(r.below(int(scale)))
			mid := near + int32(r.below(int(scale-near)))
			margin := int32(r.below(int(scale / 4)))
			g := &Grades{Better: [2]Limit{MakeLimit(near), MakeLimit(mid)}, Worse: [2]Limit{MakeLimit(near + margin), MakeLimit(mid + margin)}}
			grade, had, dist2, d2 := make([]uint8, n+2), make([]uint8, n), make([]float32, n), make([]int64, n)
			grade[0], grade[n+1] = 77, 77
			for i := range n {
				dx, dy := r.spread(scale), r.spread(scale)
				if r.below(3) == 0 { // on a limit, or just beside
					dx, dy = []int32{near, mid, near + margin, mid + margin}[r.below(4)]+r.spread(1), 0
				}
				dist2[i], d2[i] = Dist2(dx, dy), exact2(dx, dy)
				had[i] = []uint8{0, 1, 2, 3, 255}[r.below(5)]
			}
			copy(grade[1:], had)
			undecided := make([]uint64, (n+63)/64+1)
			undecided[len(undecided)-1] = 1 << 63
			for i := range len(undecided) - 1 {
				undecided[i] = math.MaxUint64
			}
			Grade(grade[1:n+1], undecided, dist2, g)
			if grade[0] != 77 || grade[n+1] != 77 || undecided[len(undecided)-1] != 1<<63 {
				t.Fatalf("n=%d: written beyond", n)
			}
			for i := range 64 * (len(undecided) - 1) {
				bit := undecided[i/64]>>(i%64)&1 != 0
				if i >= n {
					if bit {
						t.Fatalf("n=%d: bit %d", n, i)
					}
					continue
				}
				want := uint8(2)
				for k := range uint8(2) {
					l := g.Better[k]
					if had[i] <= k {
						l = g.Worse[k]
					}
					if d2[i] <= l.R2 {
						want = k
						break
					}
				}
				to, sure := g.of(had[i], dist2[i])
				switch got := grade[1+i]; {
				case bit == sure || got != to:
					t.Fatalf("n=%d: element %d: %d, undecided %v; the portable form says %d, sure %v", n, i, got, bit, to, sure)
				case sure && got != want:
					t.Fatalf("n=%d: element %d at %d, had %d: %d; want %d", n, i, d2[i], had[i], got, want)
				case !sure && got != had[i]:
					t.Fatalf("n=%d: undecided element %d changed from %d to %d", n, i, had[i], got)
				}
				if bit {
					open++
				}
			}
		}
		if open == 0 {
			t.Error("nothing was undecided")
		}
	})
}

func TestMeasureAllocatesNothing(t *testing.T) {
	slots, dist2, xy := make([]uint32, 64), make([]float32, 64), make([][2]int32, 3)
	grade, undecided, g := make([]uint8, 64), make([]uint64, 1), &Grades{}
	if n := testing.AllocsPerRun(10, func() {
		Measure(dist2, slots, xy, 1, 2)
		Grade(grade, undecided, dist2, g)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkMeasure(b *testing.B) {
	before := Tier()
	defer SetTier(before)
	for _, n := range []int{64, 5120} {
		slots, dist2, xy := make([]uint32, n), make([]float32, n), make([][2]int32, 2*n)
		grade, undecided := make([]uint8, n), make([]uint64, n/64)
		g := &Grades{Better: [2]Limit{MakeLimit(100), MakeLimit(200)}, Worse: [2]Limit{MakeLimit(110), MakeLimit(210)}}
		for i := range slots {
			slots[i] = uint32(i * 7919 % (2 * n))
		}
		for i := range xy {
			xy[i] = [2]int32{int32(i % 300), int32(i % 7)}
		}
		for _, l := range Levels() {
			SetTier(l)
			b.Run(fmt.Sprintf("n=%d/asm=%v", n, l), func(b *testing.B) {
				for b.Loop() {
					Measure(dist2, slots, xy, 1, 2)
					Grade(grade, undecided, dist2, g)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
			})
		}
	}
}
