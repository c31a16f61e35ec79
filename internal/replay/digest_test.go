package replay

import (
	"cmp"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// The digest is xxhash64 over the bytes that its doc names, and nothing else.
func TestDigestBytes(t *testing.T) {
	ticks := [][]Relation{nil, {{1, 2}, {1, 3}, {2, 1}}, nil, nil}
	for i := range 1000 { // more than one block
		ticks[2] = append(ticks[2], Relation{uint64(i), 1<<63 + uint64(i)})
	}
	var bytes []byte
	d := NewDigest()
	for n, relations := range ticks {
		bytes = binary.LittleEndian.AppendUint64(bytes, uint64(n))
		bytes = binary.LittleEndian.AppendUint64(bytes, uint64(len(relations)))
		for _, r := range relations {
			bytes = binary.LittleEndian.AppendUint64(bytes, r.Observer)
			bytes = binary.LittleEndian.AppendUint64(bytes, r.Entity)
		}
		d.Add(uint64(n), relations)
		if got, want := d.Sum64(), xxhash.Sum64(bytes); got != want {
			t.Errorf("after tick %d: %016x, want %016x", n, got, want)
		}
	}
	// A fixed value, so that no machine and no later change gives another.
	if got, want := d.String(), "4bb75db9a3975c78"; got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

// What is sent is hashed as the package comment says, behind the relations.
func TestDigestPackedBytes(t *testing.T) {
	big := Packed{Culled: 3}
	for i := range uint64(1000) { // more than one block
		big.Deliveries = append(big.Deliveries, Delivery{i, uint32(i) + 7, int(i % 5), int(i % 3), 1<<32 - 1})
		big.Selections = append(big.Selections, Selection{i, 1<<63 + i, Spawn})
	}
	ticks := []Packed{{}, {Deliveries: []Delivery{{1, 300, 4, 1, 9}}, Selections: []Selection{{1, 2, Spawn}, {1, 2, Remove}}}, big, {}}
	relations := []Relation{{1, 2}}
	var bytes []byte
	words := func(all ...uint64) {
		for _, w := range all {
			bytes = binary.LittleEndian.AppendUint64(bytes, w)
		}
	}
	d := NewDigest()
	for n := range ticks {
		p := &ticks[n]
		words(uint64(n), 1, 1, 2, uint64(len(p.Deliveries)), uint64(len(p.Selections)))
		for _, v := range p.Deliveries {
			words(v.Observer, uint64(v.Bytes), uint64(v.Deferred), uint64(v.Oversize), uint64(v.Oldest))
		}
		for _, s := range p.Selections {
			words(s.Observer, s.Entity, uint64(s.What))
		}
		words(uint64(p.Culled))
		d.Add(uint64(n), relations)
		d.AddPacked(p)
		if got, want := d.Sum64(), xxhash.Sum64(bytes); got != want {
			t.Errorf("after tick %d: %016x, want %016x", n, got, want)
		}
	}
	if got, want := d.String(), "8f205b5e675652f9"; got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestDigestTellsTicksApart(t *testing.T) {
	sum := func(ticks ...[]Relation) uint64 {
		d := NewDigest()
		for n, r := range ticks {
			d.Add(uint64(n), r)
		}
		return d.Sum64()
	}
	a, b := Relation{1, 2}, Relation{2, 1}
	seen := map[uint64]int{}
	for i, s := range []uint64{
		sum(), sum(nil), sum(nil, nil), sum([]Relation{a}), sum([]Relation{b}), sum([]Relation{a, b}),
		sum([]Relation{a}, []Relation{b}), sum(nil, []Relation{a, b}), sum([]Relation{a, b}, nil),
	} {
		if j, ok := seen[s]; ok {
			t.Errorf("runs %d and %d have one digest", i, j)
		}
		seen[s] = i
	}
}

func TestDigestDoesNotAllocate(t *testing.T) {
	d := NewDigest()
	relations := make([]Relation, 5000)
	packed := Packed{Deliveries: make([]Delivery, 5000), Selections: make([]Selection, 5000)}
	if n := testing.AllocsPerRun(20, func() { d.Add(1, relations); d.AddPacked(&packed) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func TestRelationCompare(t *testing.T) {
	sorted := []Relation{{0, 0}, {0, 1}, {0, 1 << 63}, {1, 0}, {1 << 63, 0}, {1<<64 - 1, 0}}
	for i, a := range sorted {
		for j, b := range sorted {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := a.Compare(b); got != want {
				t.Errorf("%v, %v: %d, want %d", a, b, got, want)
			}
		}
	}
	if !slices.IsSortedFunc(sorted, Relation.Compare) {
		t.Error("not sorted")
	}
}

func TestSelectionCompare(t *testing.T) {
	sorted := []Selection{{0, 0, Spawn}, {0, 0, Update}, {0, 0, Remove}, {0, 1, Spawn}, {1, 0, Spawn}, {1 << 63, 0, Spawn}}
	for i, a := range sorted {
		for j, b := range sorted {
			if got, want := a.Compare(b), cmp.Compare(i, j); got != want {
				t.Errorf("%v, %v: %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestWhatString(t *testing.T) {
	for w, want := range []string{"unknown", "spawn", "update", "remove", "unknown"} {
		if got := What(w).String(); got != want {
			t.Errorf("What(%d) is %q, want %q", w, got, want)
		}
	}
}
