package crosslist

import (
	"maps"
	"slices"
	"testing"
)

// The set of lingering pairs is what a map is, as it grows and shrinks.
func TestLingering(t *testing.T) {
	r := newRandom(t, 4)
	var s lingering
	want := map[uint64]bool{}
	for step := range 60_000 {
		key := pairKey(uint32(r.below(30)), uint32(r.below(30)))
		if s.has(key) != want[key] {
			t.Fatalf("step %d: has %x: %v", step, key, !want[key])
		}
		if r.below(10) < 3+step/10_000 {
			s.apply([]linger{{key, true}})
			want[key] = true
		} else {
			if got := s.drop(key); got != want[key] {
				t.Fatalf("step %d: dropped %x: %v", step, key, got)
			}
			delete(want, key)
		}
		if s.n != len(want) {
			t.Fatalf("step %d: %d keys; want %d", step, s.n, len(want))
		}
	}
	var got []uint64
	for _, k := range s.slots {
		if k != 0 {
			got = append(got, k-1)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Errorf("%d keys in the table; want %d", len(got), len(want))
	}
}

// Lists of a pool keep their numbers while others grow, and spans given up are used
// again.
func TestPool(t *testing.T) {
	r := newRandom(t, 7)
	var p pool
	lists, want := make([]span, 20), make([][]uint32, 20)
	room := 0
	for round := range 20 {
		for range 3000 {
			i := r.below(len(lists))
			if lists[i].isFull() {
				p.fit(&lists[i])
			}
			number := uint32(r.below(1000))
			p.push(&lists[i], number)
			want[i] = append(want[i], number)
			if got := p.of(&lists[i]); !slices.Equal(got, want[i]) {
				t.Fatalf("list %d is %v; want %v", i, got, want[i])
			}
		}
		for i := range lists {
			if round%3 == 0 {
				lists[i].n /= 16
				p.fit(&lists[i])
				if n := lists[i].n; lists[i].room() > max(4, 8*n) {
					t.Fatalf("%d numbers have room for %d", n, lists[i].room())
				}
			} else {
				p.clear(&lists[i])
			}
			want[i] = want[i][:lists[i].n]
		}
		if round == 9 {
			room = len(p.numbers)
		}
	}
	if len(p.numbers) > room {
		t.Errorf("room for %d numbers; want %d again", len(p.numbers), room)
	}
}

// Whoever comes and goes at a border is a candidate each time; lists stay as long as
// there are pairs, and members are told once.
func TestCandidatesAreCleaned(t *testing.T) {
	w := newWorld(t)
	w.lazy = true
	for id := uint64(1); id <= 40; id++ {
		w.insert(id, int32(id), 0)
	}
	for _, shape := range []Shape{Box, Disc} {
		w.stand(100+uint64(shape), 0, 0, 50, 5, shape)
	}
	for range 500 {
		for id := uint64(1); id <= 40; id += 3 {
			w.move(id, 60, int32(id))
			w.move(id, int32(id), 0)
		}
	}
	w.compare()
	for t := range w.list.zones {
		if room := w.list.zones[t].members.room(); room > 128 {
			w.t.Errorf("room for %d candidates of 40", room)
		}
	}
	for slot := range w.list.bodies {
		for _, s := range w.list.bodies[slot].watchers {
			if room := s.room(); room > 8 {
				w.t.Errorf("room for %d candidates of 1", room)
			}
		}
	}
}

// The arena may serve others too: slots that the list does not hold are nobody.
func TestSlotsOfOthers(t *testing.T) {
	w := newWorld(t)
	others := func() {
		for range 70 {
			_, err := w.arena.Alloc()
			w.must(err)
		}
	}
	others()
	w.insert(1, 3, 0)
	w.stand(10, 0, 0, 5, 2, Disc)
	others()
	w.insert(2, 0, 4)
	w.attach(20, 2, 5, 0, Box)
	w.move(1, 6, 0)
	w.teleport(2, 900, 0)
	w.remove(1)
	w.move(2, 0, 0)
}
