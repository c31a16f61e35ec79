package packer

import (
	"fmt"
	"testing"
)

// benchCandidates are sets of v candidates as a crowd makes them.
func benchCandidates(b *testing.B, v int, columns string) (sets []*Candidates, sum uint32) {
	d := newDice(b, 3)
	for range max(2, 1<<15/v) {
		c := &Candidates{}
		sum = 0
		for i := range v {
			c.ID = append(c.ID, uint64(i)*2654435761%(1<<40))
			c.Priority = append(c.Priority, uint16(d(256)))
			c.Dist2 = append(c.Dist2, float32(d(1<<20))*float32(d(1<<10)))
			c.Cost[0] = append(c.Cost[0], 16+d(112))
			c.Row = append(c.Row, uint32(i))
			sum += c.Cost[0][i]
			if columns != "plain" {
				c.Class, c.Waited = append(c.Class, uint8(d(3))), append(c.Waited, d(90))
			}
			if columns == "levels" {
				c.Level = append(c.Level, uint8(d(3)))
				c.Cost[1], c.Cost[2] = append(c.Cost[1], c.Cost[0][i]/2), append(c.Cost[2], c.Cost[0][i]/4)
			}
			if columns == "all" {
				f := Flags(0)
				if i < v/50 {
					f = Remove
				} else if i < v/25 {
					f = Spawn
				} else if d.one(100) {
					f = MustSend
				}
				c.Flags = append(c.Flags, f)
				c.Silent = append(c.Silent, d(90))
			}
		}
		sets = append(sets, c)
	}
	return sets, sum
}

func BenchmarkPack(b *testing.B) {
	for _, columns := range []string{"plain", "aged", "levels", "all"} {
		for _, v := range []int{64, 256, 1024, 4096} {
			for _, share := range []uint32{5, 20, 60} {
				b.Run(fmt.Sprintf("columns=%s/candidates=%d/fit=%d%%", columns, v, share), func(b *testing.B) {
					sets, sum := benchCandidates(b, v, columns)
					l := Limits{Bytes: sum / 100 * share, Reserve: sum / 100 * share / 4}
					if columns != "plain" {
						l.Classes = []Class{{AgeWeight: 1, MaxSilence: 60}, {AgeWeight: 2}, {}}
					}
					if columns == "all" {
						l.Classes[1].Share = 0.2
						l.Classes[2].MinInterval[0] = 4
					}
					budget := mustBudget(b, l)
					var p Packer
					var plan Plan
					n := 0
					for b.Loop() {
						if err := p.Pack(&plan, sets[n%len(sets)], budget); err != nil {
							b.Fatal(err)
						}
						n++
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*v), "ns/candidate")
				})
			}
		}
	}
}
