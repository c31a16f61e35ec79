package asm

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// disc makes a query of all the parts that a kernel can use.
func disc(x, y, z, outer, inner int32, flags Flags) *Disc {
	return &Disc{
		X: x, Y: y, Z: z,
		Outer: MakeLimit(outer), Inner: MakeLimit(inner),
		OuterHeight: uint32(outer / 2), InnerHeight: uint32(inner / 2),
		Mask: 0b0110, Flags: flags,
	}
}

var allFlags = []Flags{0, WithHeight, WithMask, WithHeight | WithMask}

// permissions gives the elements every kind of need and any.
func permissions(c *Cells, r *random) {
	for i := range c.Need {
		c.Need[i] = []uint32{0, 0, 0b0010, 0b0110, 0b1000}[r.below(5)]
		c.Any[i] = []uint32{0, 0, 0b0100, 0b1001, math.MaxUint32}[r.below(5)]
	}
}

func TestWithinEveryLength(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for n := range 301 {
			c := layout(1, 0, func() int { return n }, func() (x, y, z int32) {
				return r.spread(50), r.spread(50), r.spread(50)
			})
			permissions(c, r)
			for _, flags := range allFlags {
				checkWithin(t, c, whole(c), disc(3, -4, 5, 40, 30, flags))
			}
		}
	})
}

func TestWithinEveryMisalignment(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		c := layout(1, 6, func() int { return r.below(3) }, func() (x, y, z int32) {
			return r.spread(9), r.spread(9), r.spread(9)
		})
		permissions(c, r)
		for col := range uint32(64) {
			for end := col; end <= 64; end++ {
				checkWithin(t, c, Block{Rows: 1, Col: col, ColEnd: end}, disc(0, 0, 0, 7, 5, allFlags[(col+end)%4]))
			}
		}
	})
}

func TestWithinRandomBlocks(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for range 400 {
			logW, logH := r.below(6), r.below(6)
			scale := int32(1) << (2 + r.below(28))
			c := layout(1<<logH, logW, func() int { return r.below(1 + r.below(40)) }, func() (x, y, z int32) {
				return r.spread(scale), r.spread(scale), r.spread(scale)
			})
			permissions(c, r)
			col := uint32(r.below(1 << logW))
			b := Block{
				Row: uint32(r.below(1 << logH)), Rows: uint32(r.below(1<<logH + 1)),
				Col: col, ColEnd: col + uint32(r.below(1<<logW-int(col)+1)),
			}
			outer := int32(r.below(int(min(int64(scale)*2, MaxCoord))))
			inner := int32(r.below(int(outer) + 1))
			checkWithin(t, c, b, disc(r.spread(scale), r.spread(scale), r.spread(scale), outer, inner, allFlags[r.below(4)]))
		}
	})
}

// TestWithinBorder puts pairs at |dx^2 + dy^2 - r^2| in {0, 1, 2}, as near as
// integers allow, for radii of every magnitude, at the middle and at the ends of
// the range. Float32 alone gets most of them wrong.
func TestWithinBorder(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		var undecided int
		for shift := 4; shift < 30; shift++ {
			for try := range 40 {
				radius := int32(1) << shift
				if try > 0 {
					radius += int32(r.below(1 << shift))
				}
				centre := borderCentre(r, radius)
				offsets := borderOffsets(r, radius, 97)
				k := 0
				c := layout(1, 0, func() int { return len(offsets) }, func() (x, y, z int32) {
					o := offsets[k/2%len(offsets)]
					k++
					return centre[0] + o[0], centre[1] + o[1], r.spread(3)
				})
				permissions(c, r)
				d := disc(centre[0], centre[1], 0, radius, max(radius-1, 0), allFlags[try%4])
				d.OuterHeight, d.InnerHeight = 2, 1
				for i := range c.X {
					if f := dist2(c.X[i]-d.X, c.Y[i]-d.Y); (f <= float32(d.Outer.R2)) != (exact2(c.X[i]-d.X, c.Y[i]-d.Y) <= d.Outer.R2) {
						undecided++
					}
				}
				checkWithin(t, c, whole(c), d)
				d.Inner, d.Outer = d.Outer, MakeLimit(min(radius+radius/10, MaxCoord))
				checkWithin(t, c, whole(c), d)
			}
		}
		if undecided < 1000 {
			t.Errorf("only %d of the pairs fool float32: the generator is too weak", undecided)
		}
	})
}

// borderCentre returns a centre such that a disc of radius around it stays in
// range: the origin, a random place, or a corner of the range.
func borderCentre(r *random, radius int32) [2]int32 {
	room := MaxCoord - radius
	switch r.below(3) {
	case 0:
		return [2]int32{}
	case 1:
		return [2]int32{r.spread(room), r.spread(room)}
	}
	return [2]int32{room, -room}
}

// borderOffsets returns n offsets whose squared length is as near to radius^2 as
// they come: for random dx the two dy around the circle, of all signs, and those
// on the axes.
func borderOffsets(r *random, radius int32, n int) [][2]int32 {
	offsets := [][2]int32{{radius, 0}, {0, -radius}, {radius - 1, 0}, {-radius, 1}}
	best := int64(math.MaxInt64)
	for try := 0; len(offsets) < n && try < 100*n; try++ {
		dx := int32(r.below(int(radius) + 1))
		root := int32(math.Sqrt(float64(int64(radius)*int64(radius) - int64(dx)*int64(dx))))
		for dy := root - 1; dy <= root+1; dy++ {
			off := exact2(dx, dy) - int64(radius)*int64(radius)
			if off < 0 {
				off = -off
			}
			if off > 2 && try < 50*n && off > best {
				continue
			}
			best = min(best, off)
			offsets = append(offsets, [2]int32{dx, dy}, [2]int32{-dy, dx})
		}
	}
	return offsets[:min(n, len(offsets))]
}

// TestWithinExtremeRounding hunts pairs whose float32 distance errs by nearly the
// whole of the proved bound, and sets the radius right beside them: a band of
// half the width fails here.
func TestWithinExtremeRounding(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		worst := 0.0
		for range 20000 {
			dx, dy := extreme(r), extreme(r)
			d2 := exact2(dx, dy)
			err := math.Abs(float64(dist2(dx, dy))/float64(d2)-1) * (1 << 24)
			if err < 2.2 {
				continue
			}
			worst = max(worst, err)
			root := int32(math.Sqrt(float64(d2)))
			for radius := root - 1; radius <= min(root+2, MaxCoord); radius++ {
				c := layout(1, 0, func() int { return 1 }, func() (x, y, z int32) { return dx, dy, 0 })
				checkWithin(t, c, whole(c), disc(0, 0, 0, radius, radius, 0))
				checkWithin(t, c, whole(c), disc(0, 0, 0, min(radius+radius/8, MaxCoord), radius, 0))
			}
		}
		if worst < 3.5 {
			t.Errorf("the worst error found is %.2f of the 4 half-units that the bound allows: the generator is too weak", worst)
		}
		t.Logf("worst error %.3f of 4", worst)
	})
}

// extreme returns a difference whose conversion to float32, and whose square's
// rounding, err by as much as they can: a significand just above 1, a tie.
func extreme(r *random) int32 {
	shift := 1 + r.below(4)
	v := int32(1)<<(24+shift-1) + int32(r.below(1<<11))<<shift
	if r.below(2) == 0 {
		v += int32(r.below(1 << 22))
	}
	v += int32(1)<<(shift-1) + int32(r.below(3)) - 1
	return min(v, MaxCoord)
}

// TestWithinLattice has thousands of pairs exactly on the radius: all lattice
// points of many circles.
func TestWithinLattice(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, step := range []int32{1, 256, 1000, 1 << 14, 1 << 18} {
			const side = 141
			k := int32(0)
			c := layout(1, 0, func() int { return side * side }, func() (x, y, z int32) {
				i := k / 2
				k++
				return (i%side - side/2) * step, (i/side%side - side/2) * step, 0
			})
			on := 0
			for _, m := range []int32{0, 1, 5, 25, 50, 65} {
				d := disc(0, 0, 0, m*step, m*step-min(m*step, 1), 0)
				for i := range c.X {
					if exact2(c.X[i], c.Y[i]) == d.Outer.R2 {
						on++
					}
				}
				checkWithin(t, c, whole(c), d)
			}
			if on < 80 {
				t.Errorf("step %d: only %d elements on a circle", step, on)
			}
		}
	})
}

// TestWithinNarrow has differences up to the last that Narrow admits, and radii
// around them.
func TestWithinNarrow(t *testing.T) {
	const far = NarrowReach
	ends := []int32{-far, -far + 1, -far / 2, -256, -1, 0, 1, 255, far / 2, far - 1, far}
	n := len(ends)
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for _, centre := range []int32{0, 1 << 15, -1 << 16, 12345678, MaxCoord - far, far - MaxCoord} {
			k := 0
			c := layout(1, 0, func() int { return n * n }, func() (x, y, z int32) {
				i := k / 2
				k++
				return centre + ends[i%n], ends[i/n%n] - centre, r.spread(3)
			})
			permissions(c, r)
			for _, radius := range []int32{0, 1, 255, 361, 1 << 14, 23169, 23170, 23171, far - 1, far} {
				for _, flags := range allFlags {
					d := disc(centre, -centre, 0, radius, max(radius-1, 0), flags)
					d.OuterHeight, d.InnerHeight = 2, 1
					if !isNarrow(c, whole(c), d) {
						t.Fatalf("centre %d, radius %d is not narrow", centre, radius)
					}
					checkWithin(t, c, whole(c), d)
				}
			}
		}
	})
}

func TestWithinRangeEnds(t *testing.T) {
	ends := []int32{-MaxCoord, -MaxCoord + 1, -1, 0, 1, MaxCoord - 1, MaxCoord}
	eachLevel(t, func(t *testing.T) {
		for _, cx := range ends {
			for _, cy := range ends {
				k := 0
				c := layout(1, 0, func() int { return len(ends) * len(ends) }, func() (x, y, z int32) {
					i := k / 2
					k++
					return ends[i%7], ends[i/7%7], ends[(i+i/7)%7]
				})
				for _, radius := range []int32{0, 1, 2, MaxCoord - 1, MaxCoord} {
					for _, flags := range []Flags{0, WithHeight} {
						checkWithin(t, c, whole(c), disc(cx, cy, cx, radius, radius/2, flags))
					}
				}
			}
		}
	})
}

// heightLimits are pairs of an outer and an inner height limit: an uint32 may
// exceed all differences.
var heightLimits = [][2]uint32{
	{0, 0}, {3, 2}, {1 << 20, 1<<20 - 1}, {MaxCoord, MaxCoord - 1}, {1<<31 - 2, 1<<31 - 3}, {1 << 31, 1<<31 - 1}, {math.MaxUint32, 1 << 31},
}

// borderHeights returns heights at, and one off, both limits, above and below z,
// as far as the range allows.
func borderHeights(z int32, limits [2]uint32) (heights []int32) {
	for _, h := range limits {
		for _, off := range []int64{-1, 0, 1} {
			for _, sign := range []int64{1, -1} {
				v := int64(z) + sign*(int64(h)+off)
				heights = append(heights, int32(max(-MaxCoord, min(MaxCoord, v))))
			}
		}
	}
	return heights
}

func TestWithinHeightBorder(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, limits := range heightLimits {
			for _, z := range []int32{0, 7, -MaxCoord, MaxCoord} {
				heights := borderHeights(z, limits)
				k := 0
				c := layout(1, 0, func() int { return 2 * len(heights) }, func() (x, y, h int32) {
					i := k / 2
					k++
					return int32(i / len(heights)), 0, heights[i%len(heights)]
				})
				for _, flags := range []Flags{WithHeight, WithHeight | WithMask} {
					d := disc(0, 0, z, 1, 0, flags)
					d.OuterHeight, d.InnerHeight = limits[0], limits[1]
					checkWithin(t, c, whole(c), d)
				}
			}
		}
	})
}

// TestWithinGrows: results do not depend on how much room dst has, and what
// stands before and behind stays.
func TestWithinGrows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		c := layout(8, 3, func() int { return r.below(9) }, func() (x, y, z int32) { return r.spread(20), r.spread(20), 0 })
		d := disc(0, 0, 0, 15, 10, 0)
		want := search(c, whole(c), d)
		for room := range 400 {
			backing := make([]uint32, room+2*Slack)
			for i := range backing {
				backing[i] = 0xDEAD
			}
			b := whole(c)
			got := AppendIndexes(backing[2:2:2+room], c, &b, d)
			equal(t, fmt.Sprintf("room %d", room), got, want.indexes)
			for i, v := range backing {
				if (i < 2 || i >= 2+room) && v != 0xDEAD {
					t.Fatalf("room %d: element %d outside of it was written", room, i)
				}
			}
		}
	})
}

// TestWithinLongRows: a row that exceeds one call's bound is taken in parts.
func TestWithinLongRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for _, n := range []int{maxCandidates, maxCandidates + 1, 2*maxCandidates + 5} {
			sizes := []int{3, n, 0, 5}
			c := layout(4, 0, func() int { s := sizes[0]; sizes = sizes[1:]; return s }, func() (x, y, z int32) {
				return r.spread(2000), r.spread(2000), 0
			})
			checkWithin(t, c, whole(c), disc(0, 0, 0, 900, 700, 0))
		}
	})
}

// TestWithinKernelsStop calls the kernels themselves, with too little room for
// the block: they stop before the same row as their definition, have found the
// same, and write nothing behind room and slack. Going on from there ends it.
func TestWithinKernelsStop(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		c := layout(8, 3, func() int { return r.below(9) }, func() (x, y, z int32) {
			return r.spread(20), r.spread(20), r.spread(20)
		})
		permissions(c, r)
		blocks := []Block{whole(c), {Row: 5, Rows: 8, ColEnd: 8, Seen: 77}, {Row: 7, Rows: 3, Col: 2, ColEnd: 7}, {Row: 3}}
		for _, block := range blocks {
			for room := 0; room <= c.Candidates(block)+2; room++ {
				for i, f := range forms {
					b, d := block, disc(1, -2, 3, 18, 12, allFlags[(room+i)%4]|Narrow*Flags(room/4%2))
					for rows := b.Rows + 1; b.Rows < rows; {
						rows = b.Rows
						b = compareForm(t, f, room+Slack, c, b, d)
					}
				}
			}
		}
	})
}

// TestWithinKernelsBoundTheCall: with room for everything a call still ends after
// maxCandidates, between two rows.
func TestWithinKernelsBoundTheCall(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRandom(t)
		for _, size := range []int{maxCandidates / 4, maxCandidates/4 + 1, maxCandidates/3 + 1, maxCandidates, maxCandidates + 1} {
			c := layout(8, 0, func() int { return size }, func() (x, y, z int32) { return r.spread(2000), r.spread(2000), 0 })
			b := Block{Row: 6, Rows: 5, ColEnd: 1}
			taken := uint32(maxCandidates / size)
			for _, f := range forms {
				left := compareForm(t, f, 5*size+Slack, c, b, disc(0, 0, 0, 300, 200, 0))
				if left.Rows != b.Rows-taken || left.Seen != taken*uint32(size) {
					t.Fatalf("%s, rows of %d: %+v is left of %+v; want %d rows taken", f.name, size, left, b, taken)
				}
			}
		}
	})
}

func TestMakeLimitBrackets(t *testing.T) {
	for _, radius := range []int32{0, 1, 4095, 4096, 4097, 1 << 20, 1<<26 + 1, MaxCoord} {
		l := MakeLimit(radius)
		if want := new(big.Int).Mul(big.NewInt(int64(radius)), big.NewInt(int64(radius))); want.Cmp(big.NewInt(l.R2)) != 0 {
			t.Errorf("radius %d: R2 is %d; want %d", radius, l.R2, want)
		}
		exact := float32(l.R2)
		if radius < exactBelow && (l.Lo != exact || l.Hi != exact) {
			t.Errorf("radius %d: got [%g, %g]; want no band", radius, l.Lo, l.Hi)
		}
		if radius >= exactBelow && !(float64(l.Lo) < float64(l.R2)*(1-1.0/(1<<22)) && float64(l.Hi) > float64(l.R2)*(1+1.0/(1<<22))) {
			t.Errorf("radius %d: [%g, %g] does not bracket %d by 2^-22", radius, l.Lo, l.Hi, l.R2)
		}
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	r := newRandom(t)
	c := layout(8, 3, func() int { return r.below(9) }, func() (x, y, z int32) { return r.spread(20), r.spread(20), 0 })
	d := disc(0, 0, 0, 15, 10, 0)
	n := c.Candidates(whole(c)) + Slack
	indexes, dist, hits := make([]uint32, 0, n), make([]float32, 0, n), make([]Hit, 0, n)
	allocs := testing.AllocsPerRun(100, func() {
		b := whole(c)
		AppendIndexes(indexes, c, &b, d)
		b = whole(c)
		AppendRanked(indexes, dist, c, &b, d)
		b = whole(c)
		AppendSlots(indexes, c, &b, d)
		b = whole(c)
		AppendHits(hits, c, &b, d)
		b = whole(c)
		CountWithin(c, &b, d)
	})
	if allocs != 0 {
		t.Errorf("got %v allocations; want none", allocs)
	}
}

// TestLongRowsAllocateNothing: nor does the way of taking a row in parts.
func TestLongRowsAllocateNothing(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		c := layout(1, 0, func() int { return 2*maxCandidates + 5 }, func() (x, y, z int32) { return 1, 1, 1 })
		d, p := disc(0, 0, 0, 5, 3, 0), pair([3]int32{}, [3]int32{100}, 5, 3, 0)
		n := c.Candidates(whole(c)) + Slack
		indexes, leave, dist, hits := make([]uint32, 0, n), make([]uint32, 0, n), make([]float32, 0, n), make([]Hit, 0, n)
		for name, call := range map[string]func(b *Block){
			"indexes":   func(b *Block) { AppendIndexes(indexes, c, b, d) },
			"ranked":    func(b *Block) { AppendRanked(indexes, dist, c, b, d) },
			"slots":     func(b *Block) { AppendSlots(indexes, c, b, d) },
			"hits":      func(b *Block) { AppendHits(hits, c, b, d) },
			"count":     func(b *Block) { CountWithin(c, b, d) },
			"crossings": func(b *Block) { AppendCrossings(indexes, leave, c, b, p) },
		} {
			b := new(Block)
			allocs := testing.AllocsPerRun(3, func() {
				*b = whole(c)
				call(b)
			})
			if allocs != 0 {
				t.Errorf("%s: got %v allocations; want none", name, allocs)
			}
		}
	})
}
