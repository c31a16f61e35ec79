package asm

import (
	"flag"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dgryski/go-pcgr"
)

var seedFlag = flag.Uint64("seed", 1, "seed of the random tests")

// random is a seeded generator with the few draws that the tests need.
type random struct{ pcgr.Rand }

func newRandom(t testing.TB) *random {
	t.Helper()
	t.Logf("seed %d", *seedFlag)
	r := &random{}
	r.SeedWithState(int64(*seedFlag), 1)
	return r
}

func (r *random) below(n int) int { return int(r.Bound(uint32(n))) }

// spread returns a value in [-n, n].
func (r *random) spread(n int32) int32 {
	v := uint64(r.Next())<<32 | uint64(r.Next())
	return int32(int64(v%(2*uint64(n)+1)) - int64(n))
}

// meant lists the levels that a machine of this architecture can have.
func meant() []Level {
	switch runtime.GOARCH {
	case "amd64":
		return []Level{Generic, AVX2, AVX512}
	case "arm64":
		return []Level{Generic, NEON}
	}
	return []Level{Generic}
}

// eachLevel runs test once a level, as a subtest. A level that is absent is
// skipped, unless VICINITY_REQUIRE names it.
func eachLevel(t *testing.T, test func(t *testing.T)) {
	before := Tier()
	defer SetTier(before)
	for _, l := range meant() {
		t.Run(l.String(), func(t *testing.T) {
			if !slices.Contains(Levels(), l) {
				if slices.Contains(strings.Split(os.Getenv("VICINITY_REQUIRE"), ","), l.String()) {
					t.Fatalf("this machine is meant to have %v; it has %v", l, Levels())
				}
				t.Skipf("no %v here", l)
			}
			if err := SetTier(l); err != nil {
				t.Fatal(err)
			}
			test(t)
		})
	}
}

// everyLevel runs test with each level that this machine has, without subtests:
// for fuzz targets.
func everyLevel(t *testing.T, test func(l Level)) {
	t.Helper()
	before := Tier()
	defer SetTier(before)
	for _, l := range Levels() {
		if err := SetTier(l); err != nil {
			t.Fatal(err)
		}
		test(l)
	}
}

// layout makes cells of a torus of rows x cols cells whose sizes count draws.
// Coordinates are drawn by place. The slack behind the columns lies on (0, 0),
// permitted and at height 0, so that a kernel that reads it as data is noticed.
func layout(rows, logW int, count func() int, place func() (x, y, z int32)) *Cells {
	c := &Cells{LogW: uint32(logW), RowMask: uint32(rows - 1)}
	n := 0
	for range rows << logW {
		c.Start = append(c.Start, uint32(n))
		n += count()
	}
	c.Start = append(c.Start, uint32(n))
	for _, col := range []*[]int32{&c.X, &c.Y, &c.Z, &c.OldX, &c.OldY, &c.OldZ} {
		*col = make([]int32, n, n+Slack)
	}
	for _, col := range []*[]uint32{&c.Slot, &c.Need, &c.Any} {
		*col = make([]uint32, n, n+Slack)
	}
	for i := range n {
		c.X[i], c.Y[i], c.Z[i] = place()
		c.OldX[i], c.OldY[i], c.OldZ[i] = place()
		c.Slot[i] = uint32(i)*2654435761 + 7
	}
	return c
}

// found is what any form must find, by plain loops over the cells.
type found struct {
	indexes []uint32
	dist    []float32
	seen    int
}

// search is the definition in the plainest words: every cell, every element.
func search(c *Cells, b Block, d *Disc) found {
	var f found
	for row := range b.Rows {
		for col := b.Col; col < b.ColEnd; col++ {
			cell := ((b.Row+row)&c.RowMask)<<c.LogW | col
			for i := c.Start[cell]; i < c.Start[cell+1]; i++ {
				f.seen++
				dx, dy := int64(c.X[i])-int64(d.X), int64(c.Y[i])-int64(d.Y)
				dz := int64(c.Z[i]) - int64(d.Z)
				d2 := dx*dx + dy*dy
				if dz < 0 {
					dz = -dz
				}
				high := d.Flags&WithHeight != 0
				if d2 > d.Outer.R2 || high && dz > int64(d.OuterHeight) {
					continue
				}
				if d.Flags&WithMask != 0 {
					if c.Need[i]&^d.Mask != 0 || c.Any[i] != 0 && c.Any[i]&d.Mask == 0 {
						continue
					}
				}
				v := i
				if d2 <= d.Inner.R2 && !(high && dz > int64(d.InnerHeight)) {
					v |= Inner
				}
				f.indexes = append(f.indexes, v)
				fx, fy := float32(dx), float32(dy)
				f.dist = append(f.dist, float32(fx*fx)+float32(fy*fy))
			}
		}
	}
	return f
}

// isNarrow reports whether Narrow may be set: no candidate, and no radius, is
// further than NarrowReach.
func isNarrow(c *Cells, b Block, d *Disc) bool {
	if d.Outer.R2 > NarrowReach*NarrowReach {
		return false
	}
	for ; b.Rows > 0; b.Rows-- {
		lo, hi := c.span(&b)
		for i := lo; i < hi; i++ {
			dx, dy := int64(c.X[i])-int64(d.X), int64(c.Y[i])-int64(d.Y)
			if max(dx, -dx, dy, -dy) > NarrowReach {
				return false
			}
		}
		b.Row = (b.Row + 1) & c.RowMask
	}
	return true
}

// checkWithin compares all five forms of the current tier with search; where the
// promise Narrow holds, with and without it.
func checkWithin(t *testing.T, c *Cells, b Block, d *Disc) {
	t.Helper()
	checkForms(t, c, b, d)
	if isNarrow(c, b, d) {
		narrow := *d
		narrow.Flags |= Narrow
		checkForms(t, c, b, &narrow)
	}
}

func checkForms(t *testing.T, c *Cells, b Block, d *Disc) {
	t.Helper()
	want := search(c, b, d)
	if n := c.Candidates(b); n != want.seen {
		t.Fatalf("candidates: got %d; want %d", n, want.seen)
	}
	left := func(form string, got Block) {
		t.Helper()
		if got.Rows != 0 || int(got.Seen) != want.seen || got.Row != (b.Row+b.Rows)&c.RowMask {
			t.Fatalf("%s: block is %+v after %+v; want all rows and %d candidates seen", form, got, b, want.seen)
		}
	}

	rb := b
	ranked, dist := AppendRanked([]uint32{1}, []float32{2}, c, &rb, d)
	left("ranked", rb)
	equal(t, "ranked indexes", ranked[1:], want.indexes)
	equal(t, "ranked distances", dist[1:], want.dist)

	rb = b
	equal(t, "indexes", AppendIndexes(nil, c, &rb, d), want.indexes)
	left("indexes", rb)

	slots := make([]uint32, len(want.indexes))
	hits := make([]Hit, len(want.indexes))
	for k, v := range want.indexes {
		slots[k] = c.Slot[v&^Inner]
		hits[k] = Hit{Slot: slots[k], Dist2: want.dist[k]}
	}
	rb = b
	equal(t, "slots", AppendSlots(nil, c, &rb, d), slots)
	left("slots", rb)
	rb = b
	equal(t, "hits", AppendHits(nil, c, &rb, d), hits)
	left("hits", rb)
	rb = b
	if n := CountWithin(c, &rb, d); n != len(want.indexes) {
		t.Fatalf("count: got %d; want %d", n, len(want.indexes))
	}
	left("count", rb)
}

// equal fails with the first difference.
func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: element %d of %d is %v; want %v of %d", what, i, len(got), got[i], want[i], len(want))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: got %d elements; want %d", what, len(got), len(want))
	}
}

// whole is the block of all cells.
func whole(c *Cells) Block {
	return Block{Rows: c.RowMask + 1, ColEnd: 1 << c.LogW}
}

// A form is a within kernel behind a signature that all share. It uses those
// parts of the output that it has: both the level in use and its definition.
type form struct {
	name         string
	run, generic func(o *output, c *Cells, b *Block, d *Disc) int
}

// output is room for what one call of any form finds. All are equally long.
type output struct {
	ids  []uint32 // slots or indexes
	dist []float32
	hits []Hit
}

var forms = []form{
	{
		"slots",
		func(o *output, c *Cells, b *Block, d *Disc) int { return withinSlots(o.ids, c, b, d) },
		func(o *output, c *Cells, b *Block, d *Disc) int { return withinSlotsGeneric(o.ids, c, b, d) },
	},
	{
		"hits",
		func(o *output, c *Cells, b *Block, d *Disc) int { return withinHits(o.hits, c, b, d) },
		func(o *output, c *Cells, b *Block, d *Disc) int { return withinHitsGeneric(o.hits, c, b, d) },
	},
	{
		"indexes",
		func(o *output, c *Cells, b *Block, d *Disc) int { return withinIndexes(o.ids, c, b, d) },
		func(o *output, c *Cells, b *Block, d *Disc) int { return withinIndexesGeneric(o.ids, c, b, d) },
	},
	{
		"ranked",
		func(o *output, c *Cells, b *Block, d *Disc) int { return withinRanked(o.ids, o.dist, c, b, d) },
		func(o *output, c *Cells, b *Block, d *Disc) int { return withinRankedGeneric(o.ids, o.dist, c, b, d) },
	},
	{
		"count",
		func(o *output, c *Cells, b *Block, d *Disc) int { return withinCount(c, b, d) },
		func(o *output, c *Cells, b *Block, d *Disc) int { return withinCountGeneric(c, b, d) },
	},
}

// fence is how many elements around a destination are watched, and canary what
// they, and the destination itself, hold before the call.
const (
	fence  = 2 * Slack
	canary = 0xDEADBEEF
)

// fenced returns n elements of value v, and the backing array in which fence
// more of them stand before and behind. The result has no capacity to spare.
func fenced[T any](n int, v T) (s, backing []T) {
	backing = make([]T, n+2*fence)
	for i := range backing {
		backing[i] = v
	}
	return backing[fence : fence+n : fence+n], backing
}

// untouched fails if the fence of a backing array is no longer all v.
func untouched[T comparable](t *testing.T, what string, backing []T, v T) {
	t.Helper()
	for i, got := range backing {
		if (i < fence || i >= len(backing)-fence) && got != v {
			t.Fatalf("%s: element %d of %d was written, outside of the destination: %v",
				what, i-fence, len(backing)-2*fence, got)
		}
	}
}

// compareForm runs one form and its definition on the same input with room for
// that many elements (slack included), and compares count, output and block. It
// returns what is left of the block.
func compareForm(t *testing.T, f form, n int, c *Cells, b Block, d *Disc) Block {
	t.Helper()
	var got, want output
	var ids []uint32
	var dist []float32
	var hits []Hit
	got.ids, ids = fenced[uint32](n, canary)
	got.dist, dist = fenced[float32](n, canary)
	got.hits, hits = fenced(n, Hit{canary, canary})
	want.ids, want.dist, want.hits = make([]uint32, n), make([]float32, n), make([]Hit, n)

	gotBlock, wantBlock := b, b
	k := f.run(&got, c, &gotBlock, d)
	if w := f.generic(&want, c, &wantBlock, d); k != w || gotBlock != wantBlock {
		t.Fatalf("%s, flags %d, room %d: got %d found, %+v; want %d, %+v", f.name, d.Flags, n, k, gotBlock, w, wantBlock)
	}
	switch f.name {
	case "count":
		return gotBlock
	case "hits":
		equal(t, f.name, got.hits[:k], want.hits[:k])
	case "ranked":
		equal(t, f.name+" distances", got.dist[:k], want.dist[:k])
		equal(t, f.name, got.ids[:k], want.ids[:k])
	default:
		equal(t, f.name, got.ids[:k], want.ids[:k])
	}
	untouched(t, f.name, ids, canary)
	untouched(t, f.name+" distances", dist, canary)
	untouched(t, f.name, hits, Hit{canary, canary})
	return gotBlock
}
