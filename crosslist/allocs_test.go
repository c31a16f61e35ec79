package crosslist

import (
	"testing"

	"vicinity/arena"
)

// TestSteadyStateAllocatesNothing: not moves, of entities and of triggers, not
// teleports, not radii, not entities and triggers that come and go, not batches, not
// questions.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	a := &arena.Arena{}
	l, err := New(Config{Arena: a})
	if err != nil {
		t.Fatal(err)
	}
	r := newRandom(t, 6)
	const n, size = 300, 1500
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var events []Event
	handles, stands := make([]arena.Handle, n), make([]Trigger, 40)
	insert := func(i int) {
		handles[i], err = a.Alloc()
		must(err)
		events, err = l.AppendInsert(events[:0], handles[i], uint64(i), r.spread(size), r.spread(size))
		must(err)
		events, _, err = l.AppendAddTrigger(events[:0], Spec{ID: uint64(i), Owner: handles[i], Radius: 150, Margin: 20, Shape: Shape(i % 2)})
		must(err)
	}
	for i := range handles {
		insert(i)
	}
	stand := func(i int) {
		events, stands[i], err = l.AppendAddTrigger(events[:0], Spec{ID: uint64(n + i), X: r.spread(size), Y: r.spread(size), Radius: 200, Shape: Shape(i % 2)})
		must(err)
	}
	for i := range stands {
		stand(i)
	}
	move := func() {
		h := handles[r.below(n)]
		x, y, _ := l.Position(h)
		x, y = min(max(x+r.spread(30), -size), size), min(max(y+r.spread(30), -size), size)
		events, err = l.AppendMove(events[:0], h, x, y)
		must(err)
	}
	members, triggers := make([]arena.Handle, 0, n), make([]Trigger, 0, n)
	step := func() {
		for range 200 {
			move()
		}
		for range 10 {
			events, err = l.AppendTeleport(events[:0], handles[r.below(n)], r.spread(size), r.spread(size))
			must(err)
			t := stands[r.below(len(stands))]
			events, err = l.AppendMoveTrigger(events[:0], t, r.spread(size), r.spread(size))
			must(err)
			events, err = l.AppendSetRadius(events[:0], t, int32(150+r.below(100)), int32(r.below(20)))
			must(err)
			i := r.below(len(stands))
			events, err = l.AppendRemoveTrigger(events[:0], stands[i])
			must(err)
			stand(i)
			i = r.below(n)
			events, err = l.AppendRemove(events[:0], handles[i])
			must(err)
			a.Free(handles[i])
			insert(i)
			members, err = l.AppendMembers(members[:0], stands[r.below(len(stands))])
			must(err)
			triggers, err = l.AppendTriggers(triggers[:0], handles[i])
			must(err)
			members, err = l.AppendIn(members[:0], Rect{-500, -500, 500, 500})
			must(err)
		}
		must(l.Begin())
		for range 100 {
			move()
		}
		events, err = l.AppendEnd(events[:0])
		must(err)
	}
	for range 60 { // until everything has the room that it ever needs
		step()
	}
	if got := testing.AllocsPerRun(20, step); got != 0 {
		t.Errorf("%v allocations a step", got)
	}
	must(l.CheckInvariants())
	if s := l.Stats(); s.Entities != n || s.Lingering == 0 || s.Walks == 0 || s.Bytes == 0 {
		t.Errorf("%+v", s)
	}
}

// A long walk of many does not allocate either, however blocks are split on the way.
func TestWalksAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	w := newWorld(t)
	w.lazy = true
	var events []Event
	const n = 1000
	for i := range n {
		h, err := w.arena.Alloc()
		w.must(err)
		events, err = w.list.AppendInsert(events[:0], h, uint64(i), int32(i*10), 0)
		w.must(err)
		w.handles[uint64(i)] = h
	}
	turn := int32(0)
	step := func() { // all to one end, then to the other, one by one
		turn = 1 - turn
		for i := range n {
			x := int32(i * 10)
			if turn == 1 {
				x = int32(i%7) * 900
			}
			var err error
			events, err = w.list.AppendMove(events[:0], w.handles[uint64(i)], x, 0)
			w.must(err)
		}
	}
	step() // scratch memory
	if got := testing.AllocsPerRun(4, step); got != 0 {
		t.Errorf("%v allocations a step", got)
	}
	w.must(w.list.CheckInvariants())
}
