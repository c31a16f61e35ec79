package packer

import (
	"math"
	"slices"
	"testing"
)

func TestHistogramBuckets(t *testing.T) {
	d := newDice(t, 21)
	values := []uint32{0, 1, 15, 16, 17, 31, 32, 33, 34, 63, 64, 1 << 20, 1<<20 - 1, math.MaxUint32, math.MaxUint32 - 1, 1 << 31}
	for range 10_000 {
		values = append(values, d(math.MaxUint32)>>d(32))
	}
	slices.Sort(values)
	before := -1
	for _, v := range values {
		b := bucket(v)
		if b < before || b >= len(histogram{}.count) {
			t.Fatalf("bucket(%d) = %d after %d", v, b, before)
		}
		if most := top(b); most < v || uint64(most) > uint64(v)+uint64(v)/16 {
			t.Fatalf("top of the bucket of %d is %d", v, most)
		}
		if b > 0 && top(b-1) >= v {
			t.Fatalf("%d is in bucket %d, but the one before ends at %d", v, b, top(b-1))
		}
		before = b
	}
}

func TestStatsQuantiles(t *testing.T) {
	d := newDice(t, 22)
	var s, a, b Stats
	if s.Bytes(0.5) != 0 || s.Wait(0.99) != 0 || s.MeanBytes() != 0 || s.MeanWait() != 0 {
		t.Error("an empty Stats is not empty")
	}
	var bytes, waits []uint32
	for range 3000 {
		c := byOrder(slices.Repeat([]uint32{1}, int(d(5)))...)
		for range c.Len() {
			c.Waited = append(c.Waited, d(300)>>d(9))
		}
		p := Plan{Used: d(1200), Budget: 1200, Candidates: 7}
		for i, wait := range c.Waited {
			p.Selected = append(p.Selected, Selected{Index: uint32(i)})
			waits = append(waits, wait)
		}
		p.MustDeferred, p.Degraded, p.Stretched, p.OldestWait = int(d(3)), int(d(3)), int(d(3)), d(1000)
		for i := range p.ByReason {
			p.ByReason[i] = int(d(3))
		}
		for i := range p.ByWhy {
			p.ByWhy[i] = int(d(3))
		}
		bytes = append(bytes, p.Used)
		s.Observe(&p, c)
		if d.one(2) {
			a.Observe(&p, c)
		} else {
			b.Observe(&p, c)
		}
	}
	half := b
	half.Merge(&a)
	if a.Merge(&b); a != s || half != s {
		t.Error("merging two halves is not the whole")
	}
	check := func(name string, all []uint32, quantile func(float64) uint32, mean float64) {
		slices.Sort(all)
		sum := 0.0
		for _, v := range all {
			sum += float64(v)
		}
		if want := sum / float64(len(all)); mean != want {
			t.Errorf("mean %s %v; want %v", name, mean, want)
		}
		for _, q := range []float64{0, 0.001, 0.5, 0.9, 0.99, 1} {
			want := all[max(int(math.Ceil(q*float64(len(all)))), 1)-1]
			if got := quantile(q); got < want || got > want+want/16 {
				t.Errorf("%s at %v: %d; want %d to %d", name, q, got, want, want+want/16)
			}
		}
		if got := quantile(1); got != all[len(all)-1] {
			t.Errorf("%s at 1: %d; want the largest, %d", name, got, all[len(all)-1])
		}
	}
	check("bytes", bytes, s.Bytes, s.MeanBytes())
	check("waits", waits, s.Wait, s.MeanWait())
	if s.Plans != 3000 || s.Candidates != 21_000 || s.Selected != uint64(len(waits)) || s.Deferred != 21_000-s.Selected || s.Used+s.Left != 3000*1200 {
		t.Errorf("%d plans, %d candidates, %d selected, %d deferred, %d + %d bytes", s.Plans, s.Candidates, s.Selected, s.Deferred, s.Used, s.Left)
	}
	s.Reset()
	if s != (Stats{}) {
		t.Error("Reset leaves something")
	}
}

func TestStatsCount(t *testing.T) {
	c := byOrder(10, 20, 500, 40, 10, 10)
	c.Cost[1] = []uint32{0, 0, 0, 4, 0, 0}
	c.Flags = []Flags{0, MustSend, 0, 0, Unchanged, Spawn}
	c.Waited = []uint32{3, 1, 0, 9, 90, 7}
	p := pack(t, c, Limits{Bytes: 44, Reserve: 10, Degrade: true})
	var s Stats
	s.Observe(p, c)
	s.Observe(p, c)
	want := Stats{
		Plans: 2, Used: 2 * 44, Left: 0, Candidates: 12, Selected: 2 * 4, Deferred: 2 * 2,
		ByReason: [Reasons]uint64{ReasonLifecycle: 2, ReasonMustSend: 2, ReasonChanged: 4},
		ByWhy:    [Whys]uint64{WhyOversize: 2, WhyUnchanged: 2},
		Degraded: 2, OldestWait: 9,
		bytes: s.bytes, waits: s.waits,
	}
	if s != want {
		s.bytes, s.waits, want.bytes, want.waits = histogram{}, histogram{}, histogram{}, histogram{}
		t.Errorf("got  %+v; want\n%+v", s, want)
	}
	if s.Wait(1) != 9 {
		t.Errorf("longest wait of the selected %d", s.Wait(1))
	}
}
