package crosslist

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// eachShape runs a test for discs and boxes.
func eachShape(t *testing.T, test func(t *testing.T, s Shape)) {
	for _, s := range []Shape{Disc, Box} {
		t.Run(s.String(), func(t *testing.T) { test(t, s) })
	}
}

// An entity that leaves on reading that it entered: enter, then leave, both once.
func TestLeaveOnEnter(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		w := newWorld(t)
		w.insert(1, 0, 0)
		events := w.stand(7, 0, 0, 10, 0, s)
		expect(t, "installed", events, "+7:1 ")
		for range events { // the caller acts while it reads
			expect(t, "left at once", w.move(1, 100, 0), "-7:1 ")
		}
		expect(t, "left already", w.move(1, 200, 0), "")
	})
}

// A trigger in the middle of 100 entities, 50 of them inside: 50 enters, after it is
// there, none lost; what is done while they are read concerns a whole trigger.
func TestInstallInCrowd(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		w := newWorld(t)
		for i := range int32(50) {
			w.insert(uint64(1+i), i%5, i/5)
			w.insert(uint64(101+i), 1000+i, 0)
		}
		events := append([]Event{}, w.stand(7, 0, 0, 50, 0, s)...)
		if len(events) != 50 {
			t.Fatalf("%d events; want 50", len(events))
		}
		for _, e := range events {
			expect(t, "on reading", w.remove(e.EntityID), fmt.Sprintf("-7:%d ", e.EntityID))
		}
		expect(t, "moved", w.moveTrigger(7, 1000, 0), strings.Join(enters(7, 101, 150), ""))
	})
}

func enters(trigger, from, to int) (words []string) {
	for i := from; i <= to; i++ {
		words = append(words, fmt.Sprintf("+%d:%d ", trigger, i))
	}
	return words
}

// An entity that is removed when it entered leaves no ghost.
func TestRemoveOnEnter(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		w := newWorld(t)
		w.insert(1, 0, 0)
		w.attach(1, 1, 10, 0, s)
		h := w.handles[1]
		expect(t, "enters", w.insert(2, 1, 1), "+1:2 ")
		expect(t, "goes", w.remove(2), "-1:2 ")
		got, err := w.list.AppendMembers(nil, w.triggers[1])
		if len(got) != 0 || err != nil || !w.list.Holds(h) {
			t.Errorf("members %v, error %v", got, err)
		}
	})
}

// A trigger whose owner was removed is gone: using it is an error, and installing it
// anew is clean.
func TestOwnerGoes(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		w := newWorld(t)
		w.insert(1, 0, 0)
		w.insert(2, 5, 5)
		expect(t, "install", w.attach(7, 1, 10, 2, s), "+7:2 ")
		old := w.triggers[7]
		expect(t, "owner goes", w.remove(1), "-7:2 ")
		events, err := w.list.AppendSetRadius(nil, old, 50, 0)
		fails(t, "radius", events, err, ErrTrigger)
		events, err = w.list.AppendRemoveTrigger(nil, old)
		fails(t, "remove", events, err, ErrTrigger)
		expect(t, "owner returns", w.insert(1, 0, 0), "")
		expect(t, "install again", w.attach(7, 1, 50, 0, s), "+7:2 ")
		if w.triggers[7] == old {
			t.Error("the name of the old trigger is valid again")
		}
	})
}

// A teleport is seen from both sides at once.
func TestTeleportBothSides(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		w := newWorld(t)
		w.insert(1, -100_000, 0)
		w.insert(2, 50, 50)
		w.attach(1, 1, 20, 0, s)
		w.attach(2, 2, 20, 0, s)
		expect(t, "there", w.teleport(1, 50, 51), "+1:2 +2:1 ")
		expect(t, "back", w.teleport(1, -100_000, 0), "-1:2 -2:1 ")
		expect(t, "there on foot", w.move(1, 50, 51), "+1:2 +2:1 ")
	})
}

// Only the net effect of a batch counts.
func TestBatchNetEffect(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		w := newWorld(t)
		w.stand(7, 0, 0, 10, 5, s)
		w.insert(1, 100, 0)
		batch := func(when, want string, xs ...int32) {
			t.Helper()
			w.begin()
			for _, x := range xs {
				w.move(1, x, 0)
			}
			expect(t, when, w.end(), want)
		}
		batch("out, in, out", "", 0, 100)
		batch("out, in", "+7:1 ", 0)
		batch("in, out, in", "", 100, 3)
		batch("in, out, margin", "", 100, 12)
		batch("margin, in, margin", "", 0, 12)
		batch("margin, out", "-7:1 ", 100)
		batch("out, in, margin", "", 0, 12)
		batch("margin as a stranger, in", "+7:1 ", 10)
		// Entities and triggers that come and go within one.
		w.begin()
		w.insert(2, 0, 0)
		w.attach(8, 2, 50, 0, s)
		w.remove(2)
		w.insert(3, 1, 1)
		expect(t, "come and gone", w.end(), "+7:3 ")
		w.begin()
		w.remove(3)
		w.removeTrigger(7)
		expect(t, "both gone", w.end(), "-7:1 -7:3 ")
	})
}

// What was removed in a batch leaves, once; its handle returns only after.
func TestRemoveInBatch(t *testing.T) {
	w := newWorld(t)
	w.stand(7, 0, 0, 10, 0, Disc)
	w.insert(1, 0, 0)
	h := w.handles[1]
	w.begin()
	delete(w.model.entities, 1)
	delete(w.handles, 1)
	_, err := w.list.AppendRemove(nil, h)
	w.must(err)
	events, err := w.list.AppendInsert(nil, h, 1, 5, 5)
	fails(t, "again at once", events, err, ErrExists)
	events, err = w.list.AppendMove(nil, h, 5, 5)
	fails(t, "moved", events, err, ErrHandle)
	expect(t, "end", w.end(), "-7:1 ")
	w.model.entities[1], w.handles[1] = point{5, 5}, h
	expect(t, "again", w.done(w.list.AppendInsert(nil, h, 1, 5, 5)), "+7:1 ")
}

// A disc is round, a box is square, and both say so.
func TestShapes(t *testing.T) {
	w := newWorld(t)
	w.stand(1, 0, 0, 100, 0, Disc)
	w.stand(2, 0, 0, 100, 0, Box)
	expect(t, "corner", w.insert(1, 100, 100), "+2:1 ")
	expect(t, "(60, 60)", w.move(1, 60, 60), "+1:1 ")
	expect(t, "(90, 90)", w.move(1, 90, 90), "-1:1 ")
	expect(t, "on the circle", w.move(1, 60, 80), "+1:1 ")
	expect(t, "one out", w.move(1, 60, 81), "-1:1 ")
}

// From (60, 60) to (90, 90) no anchor of a radius of 100 is passed, and the circle is
// left: by the entity's move, and by the trigger's.
func TestNoAnchorPassed(t *testing.T) {
	w := newWorld(t)
	w.insert(1, 0, 0)
	w.insert(2, 60, 60)
	w.attach(1, 1, 100, 0, Disc)
	w.attach(2, 2, 100, 0, Disc)
	before := w.list.Stats().Passed
	expect(t, "out", w.move(2, 90, 90), "-1:2 -2:1 ")
	expect(t, "in", w.move(2, 60, 60), "+1:2 +2:1 ")
	expect(t, "out again", w.move(1, -30, -30), "-1:2 -2:1 ")
	if got := w.list.Stats().Passed; got != before {
		t.Errorf("%d nodes passed; the case is not the one meant", got-before)
	}
}

// Each trigger has its own radius: who sees need not be seen.
func TestAsymmetry(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		w := newWorld(t)
		w.insert(1, 0, 0)
		w.insert(2, 50, 0)
		expect(t, "A", w.attach(1, 1, 10, 0, s), "")
		expect(t, "B", w.attach(2, 2, 200, 0, s), "+2:1 ")
		expect(t, "A grows", w.setRadius(1, 50, 0), "+1:2 ")
		expect(t, "B shrinks", w.setRadius(2, 49, 0), "-2:1 ")
	})
}

// Bad numbers are refused, and what follows goes on as if they had not been.
func TestBadNumbers(t *testing.T) {
	w := newWorld(t)
	w.insert(1, 0, 0)
	w.stand(7, 0, 0, 10, 0, Disc)
	h, trigger := w.handles[1], w.triggers[7]
	for _, r := range [][2]int32{
		{-5, 0}, {5, -1}, {MaxCoord, 1}, {math.MaxInt32, math.MaxInt32}, {math.MinInt32, math.MinInt32},
		{MaxCoord + 1, 0}, {math.MinInt32, math.MaxInt32},
	} {
		events, got, err := w.list.AppendAddTrigger(nil, Spec{ID: 8, Radius: r[0], Margin: r[1]})
		fails(t, fmt.Sprint("add with radius ", r), events, err, ErrRange)
		if got != 0 {
			t.Errorf("trigger %v", got)
		}
		events, err = w.list.AppendSetRadius(nil, trigger, r[0], r[1])
		fails(t, fmt.Sprint("radius ", r), events, err, ErrRange)
	}
	other, err := w.arena.Alloc()
	w.must(err)
	for _, v := range []int32{MaxCoord + 1, -MaxCoord - 1, math.MaxInt32, math.MinInt32} {
		for _, p := range []point{{v, 0}, {0, v}, {v, v}} {
			when := fmt.Sprint("at ", p)
			events, err := w.list.AppendInsert(nil, other, 2, p.x, p.y)
			fails(t, when, events, err, ErrRange)
			if !strings.Contains(err.Error(), other.String()) {
				t.Errorf("%q does not name %v", err, other)
			}
			events, err = w.list.AppendMove(nil, h, p.x, p.y)
			fails(t, when, events, err, ErrRange)
			events, err = w.list.AppendTeleport(nil, h, p.x, p.y)
			fails(t, when, events, err, ErrRange)
			events, err = w.list.AppendMoveTrigger(nil, trigger, p.x, p.y)
			fails(t, when, events, err, ErrRange)
			events, _, err = w.list.AppendAddTrigger(nil, Spec{X: p.x, Y: p.y, Radius: 1})
			fails(t, when, events, err, ErrRange)
		}
	}
	r := newRandom(t, 1)
	for range 100 {
		w.move(1, r.spread(15), r.spread(15))
	}
}

// Ties: who stands exactly on the border is in; one unit decides, and nothing else.
func TestTies(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		for _, sign := range []int32{1, -1} {
			w := newWorld(t)
			w.stand(7, 1000, 1000, 100, 0, s)
			at := func(d int32) int32 { return 1000 + sign*(100+d) }
			expect(t, "on the border", w.insert(1, at(0), 1000), "+7:1 ")
			expect(t, "by nothing", w.move(1, at(0), 1000), "")
			expect(t, "out by one", w.move(1, at(1), 1000), "-7:1 ")
			expect(t, "in by one", w.move(1, at(0), 1000), "+7:1 ")
			expect(t, "in by two", w.move(1, at(-1), 1000), "")
			expect(t, "trigger off by one", w.moveTrigger(7, 1000-2*sign, 1000), "-7:1 ")
			expect(t, "and back", w.moveTrigger(7, 1000, 1000), "+7:1 ")
			expect(t, "the other axis", w.move(1, 1000, at(0)), "")
			expect(t, "out by one", w.move(1, 1000, at(1)), "-7:1 ")
		}
	})
}

// Fifty who share a coordinate, on the border and beside it, whatever the order that
// they came in.
func TestCrowdOnOneLine(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		for _, up := range []bool{true, false} {
			w := newWorld(t)
			for i := range int32(50) {
				id := uint64(i + 1)
				if !up {
					id = uint64(50 - i)
				}
				w.insert(id, 100, 0)
			}
			expect(t, "one beside", w.stand(7, -1, 0, 100, 0, s), "")
			expect(t, "all on it", w.moveTrigger(7, 0, 0), strings.Join(enters(7, 1, 50), ""))
			expect(t, "one of them", w.move(25, 101, 0), "-7:25 ")
			expect(t, "along the line", w.move(24, 100, 0), "")
			expect(t, "back among them", w.move(25, 100, 0), "+7:25 ")
			if n := len(w.moveTrigger(7, -1, 0)); n != 50 {
				t.Errorf("%d events; want 50", n)
			}
		}
	})
}

// Enter at R, leave beyond R + h, at every place between.
func TestHysteresis(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		w := newWorld(t)
		w.stand(7, 0, 0, 100, 20, s)
		w.insert(1, 300, 0)
		for _, step := range []struct {
			x    int32
			want string
		}{
			{121, ""}, {120, ""}, {101, ""}, {100, "+7:1 "}, {101, ""}, {120, ""}, {121, "-7:1 "},
			{120, ""}, {101, ""}, {100, "+7:1 "}, {-120, ""}, {-121, "-7:1 "}, {99, "+7:1 "}, {121, "-7:1 "},
		} {
			expect(t, fmt.Sprint("x = ", step.x), w.move(1, step.x, 0), step.want)
		}
		w.move(1, 110, 0)
		expect(t, "grow", w.setRadius(7, 110, 0), "+7:1 ")
		expect(t, "shrink, with a margin", w.setRadius(7, 50, 60), "")
		expect(t, "without", w.setRadius(7, 50, 59), "-7:1 ")
		expect(t, "the margin admits nobody", w.setRadius(7, 50, 500), "")
		// Flapping across R does nothing, 60 times.
		w.setRadius(7, 100, 20)
		w.move(1, 100, 0)
		for i := range int32(60) {
			expect(t, "flap", w.move(1, 99+2*(i%2), 0), "")
		}
	})
}

// No coordinate is special, and the extremes work.
func TestExtremes(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		w := newWorld(t)
		const m = MaxCoord
		w.stand(7, -m, -m, m, 0, s)
		w.stand(8, m, m, 0, m, s)
		expect(t, "centre", w.insert(1, 0, 0), map[Shape]string{Disc: "", Box: "+7:1 "}[s])
		expect(t, "on the edge", w.move(1, 0, -m), map[Shape]string{Disc: "+7:1 ", Box: ""}[s])
		expect(t, "corner", w.teleport(1, m, m), "-7:1 +8:1 ")
		expect(t, "one beside", w.move(1, m-1, m), "")
		expect(t, "far edge", w.move(1, 0, m), "")
		expect(t, "one beyond", w.move(1, -1, m), "-8:1 ")
	})
}

// The owner is no member of its own triggers, wherever it goes and whatever they do.
func TestSelf(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		w := newWorld(t)
		w.insert(1, 0, 0)
		expect(t, "attach", w.attach(7, 1, 10, 3, s), "")
		expect(t, "attach another", w.attach(8, 1, 0, 0, s), "")
		expect(t, "move", w.move(1, 5, 5), "")
		expect(t, "teleport", w.teleport(1, 9000, 5), "")
		expect(t, "radius", w.setRadius(8, 100, 0), "")
		w.begin()
		w.insert(2, 9000, 9000)
		w.attach(9, 2, 50, 0, s)
		w.move(2, 9000, 6)
		expect(t, "born with one", w.end(), "+7:2 +8:2 +9:1 ")
		expect(t, "go", w.remove(1), "-7:2 -8:2 -9:1 ")
	})
}

// A trigger with many members, and an entity in many triggers, through all ways in
// and out.
func TestManyMembers(t *testing.T) {
	eachShape(t, func(t *testing.T, s Shape) {
		w := newWorld(t)
		w.lazy = true
		r := newRandom(t, 7)
		const n = 300
		w.begin()
		for i := range uint64(n) {
			w.insert(1+i, r.spread(100), r.spread(100))
		}
		w.end()
		if got := len(w.stand(9001, 0, 0, 200, 10, s)); got != n {
			t.Fatalf("%d events; want %d", got, n)
		}
		w.begin()
		for i := range uint64(n) {
			w.stand(9002+i, r.spread(100), r.spread(100), 250, 0, s)
		}
		w.end()
		w.compare()
		for i := range uint64(10) {
			w.move(1+i, 150+r.spread(80), r.spread(100))
		}
		w.compare()
		w.begin()
		for i := range uint64(n / 2) {
			w.move(1+i, 1000, int32(i))
		}
		if len(w.end()) < n/2 {
			t.Error("events are missing")
		}
		w.compare()
		for range 2 {
			w.begin()
			for range n / 3 {
				w.remove(uint64(w.list.Len()))
				w.removeTrigger(9000 + uint64(w.list.Triggers()))
			}
			w.end()
			w.compare()
		}
		w.moveTrigger(9001, 1000, 0)
		w.removeTrigger(9001)
		w.compare()
	})
}
