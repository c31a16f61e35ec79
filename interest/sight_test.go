package interest

import (
	"slices"
	"testing"

	"github.com/dgryski/go-pcgr"

	"vicinity/asm"
)

// TestSee holds see and markSeen against plain loops, for rows in every state and
// strangers, found once or several times, within the enter radius or not.
func TestSee(t *testing.T) {
	rng := pcgr.New(42, 1)
	plainSeen, others, ignored := 0, 0, 0
	for range 2000 {
		const slots = 300
		words := int(rng.Bound(4))
		v := &View{set: &Set{}}
		v.rows.words = make([]word, words)
		sc := &scratch{marks: make([]uint64, words)}
		sc.index.row = make([]int32, slots)
		rowOf := map[uint32]int{}
		for r := range 64 * words {
			w, b := v.rows.bit(r)
			switch rng.Bound(6) {
			case 0: // free
				continue
			case 1: // its leave is pending
				w.used, w.delivered = w.used|b, w.delivered|b
			case 2: // related
				w.used, w.member, w.related = w.used|b, w.member|b, w.related|b
			default:
				w.used, w.member = w.used|b, w.member|b
			}
			slot := uint32(r) // distinct
			sc.index.row[slot], rowOf[slot] = int32(r+1), r
		}
		sc.index.addStranger(slots-1, 0)
		columns := make([]uint32, slots)
		for i := range columns {
			columns[i] = uint32(i) * 7 % slots
		}
		v.rows.row = make([]row, 64*words)
		var want []uint32
		marks := make([]uint64, words)
		for range rng.Bound(200) {
			f := rng.Bound(slots)
			if rng.Bound(2) == 0 {
				f |= asm.Inner
			}
			sc.found = append(sc.found, f)
			slot := columns[f&^asm.Inner]
			r, has := rowOf[slot]
			switch {
			case has && v.rows.isMember(r) && v.rows.words[r/64].related>>(r%64)&1 == 0:
				marks[r/64] |= 1 << (r % 64)
				plainSeen++
			case !has && f < asm.Inner && slot != slots-1:
				ignored++
			default:
				want = append(want, f)
				others++
			}
		}
		v.sight(sc, true)
		half := len(sc.found) / 2
		all := sc.found
		sc.found = all[:half]
		got := slices.Clone(sc.see(columns))
		sc.found = all[half:]
		got = append(got, sc.see(columns)...)
		sc.markSeen()
		if !slices.Equal(got, want) {
			t.Fatalf("the others are %x; want %x", got, want)
		}
		if !slices.Equal(sc.marks, marks) {
			t.Fatalf("marks are %x; want %x", sc.marks, marks)
		}
	}
	if plainSeen == 0 || others == 0 || ignored == 0 {
		t.Errorf("plain members %d, others %d, ignored %d: each must occur", plainSeen, others, ignored)
	}
}

// TestSightNeedsRowsOfEntities says when nobody is seen the short way.
func TestSightNeedsRowsOfEntities(t *testing.T) {
	v := &View{set: &Set{}, entity: 1<<32 | 3, exclude: true}
	sc := &scratch{}
	if v.sight(sc, true); len(sc.seen) != 0 {
		t.Error("an observer that excludes itself sees the short way")
	}
	v.exclude = false
	if v.sight(sc, false); len(sc.seen) != 0 {
		t.Error("slots that may be somebody else's are seen the short way")
	}
	if v.sight(sc, true); len(sc.seen) == 0 {
		t.Error("a view without rows is not seen the short way")
	}
}
