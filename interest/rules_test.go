package interest

import (
	"fmt"
	"slices"
	"testing"

	"vicinity/arena"
	"vicinity/grid"
)

// TestHysteresis is the example of rule 1, in tenths: R = 10, h = 2.
func TestHysteresis(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		for _, from := range []grid.Point{{}, {X: -7, Y: 3}, {X: 1 << 28, Y: -1 << 29}} {
			w := newWorld(t, false, Reach{Enter: 100, Margin: 20})
			prepare(w.set)
			me := w.spawn(1, 0, from)
			other := w.spawn(2, 0, grid.Point{X: from.X + 500, Y: from.Y})
			v := w.add(Observer{Entity: me, ExcludeSelf: true})
			for _, s := range []struct {
				at   int32
				want string
			}{
				{110, ""},
				{101, ""},
				{100, "+2 range, "}, // the border belongs to it
				{121, "-2 range, "},
				{120, ""}, // a stranger again
				{90, "+2 range, "},
				{110, ""},
				{120, ""}, // the outer border, too
				{119, ""},
				{121, "-2 range, "},
				{0, "+2 range, "},
				{-120, ""},
				{-121, "-2 range, "},
				{-101, ""},
				{-100, "+2 range, "},
			} {
				w.move(other, grid.Point{X: from.X + s.at, Y: from.Y})
				w.step()
				w.expect(v, fmt.Sprint("at ", s.at), s.want)
			}
		}
	})
}

// TestObserverMoves: it is the distance that counts, whoever moves.
func TestObserverMoves(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, false, Reach{Enter: 100, Margin: 20})
		prepare(w.set)
		me := w.spawn(1, 0, grid.Point{})
		w.spawn(2, 0, grid.Point{X: 300, Y: 400})
		v := w.add(Observer{Entity: me, ExcludeSelf: true})
		for _, s := range []struct {
			at   grid.Point
			want string
		}{
			{grid.Point{}, ""},
			{grid.Point{X: 240, Y: 320}, "+2 range, "},
			{grid.Point{X: 228, Y: 304}, ""},           // 120 away
			{grid.Point{X: 227, Y: 304}, "-2 range, "}, // a little more
			{grid.Point{X: 300, Y: 400}, "+2 range, "},
			{grid.Point{X: -100_000, Y: 7}, "-2 range, "}, // a teleport
			{grid.Point{X: 300, Y: 299}, ""},
			{grid.Point{X: 300, Y: 300}, "+2 range, "},
		} {
			w.move(me, s.at)
			w.step()
			w.expect(v, fmt.Sprint("at ", s.at), s.want)
		}
	})
}

// TestFlapping: who swings around R enters once; without a margin every time.
func TestFlapping(t *testing.T) {
	for _, margin := range []int32{0, 1, 2, 5} {
		w := newWorld(t, false, Reach{Enter: 100, Margin: margin})
		me, other := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 101})
		v := w.add(Observer{Entity: me, ExcludeSelf: true})
		enters, leaves := 0, 0
		for n := range 60 {
			w.move(other, grid.Point{X: 101 - 2*int32(n%2)}) // 101, 99, ...
			w.step()
			enters += len(v.AppendEnters(nil))
			leaves += len(v.AppendLeaves(nil))
			v.Commit()
		}
		want := [2]int{1, 0}
		if margin == 0 {
			want = [2]int{30, 29}
		}
		if got := [2]int{enters, leaves}; got != want {
			t.Errorf("margin %d: %d enters, %d leaves; want %v", margin, enters, leaves, want)
		}
	}
}

// TestComesBackAHundredTimes: every approach is an enter, every departure a leave.
func TestComesBackAHundredTimes(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100, Margin: 20})
	me, other := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 500})
	v := w.add(Observer{Entity: me, ExcludeSelf: true})
	w.step()
	for range 100 {
		w.move(other, grid.Point{X: 50})
		w.step()
		w.expect(v, "near", "+2 range, ")
		w.move(other, grid.Point{X: 500})
		w.step()
		w.expect(v, "far", "-2 range, ")
	}
}

// TestReachByClass: the giant is seen from three times as far, by every viewer
// according to its own reach.
func TestReachByClass(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, false, Reach{Enter: 100, Margin: 10}, Reach{Enter: 300, Margin: 30})
		prepare(w.set)
		me := w.spawn(1, 0, grid.Point{})
		normal, giant := w.spawn(2, 0, grid.Point{X: 200}), w.spawn(3, 1, grid.Point{X: 200})
		v := w.add(Observer{Entity: me, ExcludeSelf: true})
		short := w.add(Observer{Entity: me, ExcludeSelf: true, Reach: []Reach{{Enter: 100, Margin: 10}, {Enter: 150}}})
		blind := w.add(Observer{Entity: me, ExcludeSelf: true, Reach: []Reach{{Enter: 250}, {Enter: Unseen}}})
		half := w.add(Observer{Entity: me, ExcludeSelf: true, Scale: 0.5})
		double := w.add(Observer{At: grid.Point{}, Scale: 2, Entity: 0})
		w.step()
		w.expect(v, "the default", "+3 range, ")
		w.expect(short, "its own reach", "")
		w.expect(blind, "a class unseen", "+2 range, ")
		w.expect(half, "scaled by a half", "")
		w.expect(double, "scaled by two", "+1 range, +2 range, +3 range, ")
		for _, s := range []struct {
			at   int32
			want [4]string
		}{
			{150, [4]string{"", "+3 range, ", "", "+3 range, "}},
			{165, [4]string{"", "-3 range, ", "", ""}},
			{166, [4]string{"", "", "", "-3 range, "}},
			{330, [4]string{"", "", "", ""}},
			{331, [4]string{"-3 range, ", "", "", ""}},
		} {
			w.move(giant, grid.Point{X: s.at})
			w.step()
			for i, v := range []*View{v, short, blind, half} {
				w.expect(v, fmt.Sprintf("giant at %d, view %d", s.at, i), s.want[i])
			}
		}
		// A class is the entity's layer: the normal one becomes a giant, and back.
		w.must(w.grid.SetLayer(normal, 1))
		w.step()
		w.expect(v, "became a giant", "+2 range, ")
		w.expect(blind, "became a giant", "-2 range, ")
		w.step()
		w.expect(v, "still a giant", "")
		w.must(w.grid.SetLayer(normal, 0))
		w.step()
		w.expect(v, "no giant any more", "-2 range, ")
		w.expect(blind, "no giant any more", "+2 range, ")
	})
}

// TestClassChangeWithinBoth: who is within both reaches stays, with its row.
func TestClassChangeWithinBoth(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, false, Reach{Enter: 100, Margin: 10}, Reach{Enter: 50, Margin: 100})
		prepare(w.set)
		other := w.spawn(2, 0, grid.Point{X: 100})
		v := w.add(Observer{})
		w.step()
		w.expect(v, "near", "+2 range, ")
		for k := range 4 {
			w.must(w.grid.SetLayer(other, 1-k%2))
			w.step()
			w.expect(v, "another class", "") // a member within the leave radius of it
		}
		w.move(other, grid.Point{X: 151})
		w.must(w.grid.SetLayer(other, 1))
		w.step()
		w.expect(v, "beyond it", "-2 range, ")
	})
}

// TestReachActsAtOnce: grow, shrink, zero, unseen and back in a world in which
// nothing moves.
func TestReachActsAtOnce(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, false, Reach{Enter: 5, Margin: 1})
		prepare(w.set)
		for id, x := range []int32{0, 5, 6, 40, 50, 55, 61} {
			w.spawn(uint64(id), 0, grid.Point{X: x})
		}
		v := w.add(Observer{})
		w.step()
		w.expect(v, "5", "+0 range, +1 range, ")
		for _, s := range []struct {
			reach Reach
			scale float64
			want  string
		}{
			{Reach{Enter: 50}, 0, "+2 reach changed, +3 reach changed, +4 reach changed, "},
			{Reach{Enter: 40, Margin: 10}, 0, ""}, // 50 is kept: within the margin
			{Reach{Enter: 40, Margin: 9}, 0, "-4 reach changed, "},
			{Reach{Enter: 20, Margin: 5}, 2, ""}, // 40 + 10: 50 is a stranger now
		} {
			w.must(v.SetReach([]Reach{s.reach}, s.scale))
			w.step()
			w.expect(v, fmt.Sprint(s.reach, s.scale), s.want)
		}
		w.must(v.SetReach([]Reach{{Enter: 0}}, 0))
		w.step()
		w.expect(v, "zero", "-1 reach changed, -2 reach changed, -3 reach changed, ") // 0 is where it is
		w.must(v.SetReach([]Reach{{Enter: Unseen}}, 0))
		w.step()
		w.expect(v, "unseen", "-0 reach changed, ")
		w.must(v.SetReach([]Reach{{Enter: 6}}, 0))
		w.step()
		w.expect(v, "seen again", "+0 reach changed, +1 reach changed, +2 reach changed, ")
		w.must(v.SetReach(nil, 0))
		w.step()
		w.expect(v, "the default", "") // 6 is within 5 + 1
		w.must(v.SetReach(nil, 10))
		w.step()
		w.expect(v, "ten times the default", "+3 reach changed, +4 reach changed, ")
		// Changed twice between two updates: only the last counts, and why is judged
		// by the reach of the last update.
		w.must(v.SetReach([]Reach{{Enter: 1000}}, 0))
		w.must(v.SetReach(nil, 10))
		w.step()
		w.expect(v, "there and back", "")
		w.must(v.SetReach([]Reach{{Enter: Unseen}}, 0))
		w.must(v.SetReach([]Reach{{Enter: 61}}, 0))
		w.step()
		w.expect(v, "by way of unseen", "+5 reach changed, +6 reach changed, ")
	})
}

// TestScaleRounds: to the nearest unit, half away from zero; the sum with the
// margin is rounded on its own.
func TestScaleRounds(t *testing.T) {
	for _, c := range []struct {
		enter, margin int32
		scale         float64
		inner, outer  int32
	}{
		{100, 20, 1, 100, 120}, {101, 0, 0.5, 51, 51}, {103, 0, 0.25, 26, 26}, {101, 2, 0.25, 25, 26},
		{3, 1, 0.1, 0, 0}, {5, 0, 0.1, 1, 1}, {4, 0, 0.1, 0, 0}, {1 << 20, 1 << 10, 1.0 / 1024, 1024, 1025}, {7, 7, 100, 700, 1400},
	} {
		w := newWorld(t, false, Reach{Enter: c.enter, Margin: c.margin})
		v := w.add(Observer{Scale: c.scale})
		h := w.spawn(1, 0, grid.Point{X: c.inner + 1})
		w.step()
		w.expect(v, "beyond", "")
		w.move(h, grid.Point{X: c.inner})
		w.step()
		w.expect(v, "at the border", "+1 range, ")
		w.move(h, grid.Point{X: c.outer})
		w.step()
		w.expect(v, "at the outer border", "")
		w.move(h, grid.Point{X: c.outer + 1})
		w.step()
		w.expect(v, "beyond both", "-1 range, ")
	}
}

// TestReachAndMovement: whose distance changed enough under the old reach comes and
// goes for range, whatever the new reach is.
func TestReachAndMovement(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100})
	a, b := w.spawn(1, 0, grid.Point{X: 500}), w.spawn(2, 0, grid.Point{X: 50})
	v := w.add(Observer{})
	w.step()
	w.expect(v, "at first", "+2 range, ")
	w.must(v.SetReach([]Reach{{Enter: 200}}, 0))
	w.move(a, grid.Point{X: 90})
	w.move(b, grid.Point{X: 900})
	w.step()
	w.expect(v, "both", "+1 range, -2 range, ")
	w.must(v.SetReach([]Reach{{Enter: 80}}, 0))
	w.move(a, grid.Point{X: 150})
	w.move(b, grid.Point{X: 81})
	w.step()
	w.expect(v, "within the old, beyond the new", "-1 reach changed, ")
	// Why is judged by the reach of the last update, not by what was set between.
	w.must(v.SetReach([]Reach{{Enter: Unseen}}, 0))
	w.must(v.SetReach([]Reach{{Enter: 90}}, 0))
	w.move(a, grid.Point{X: 80})
	w.move(b, grid.Point{X: 81})
	w.step()
	w.expect(v, "set twice", "+1 range, +2 reach changed, ")
}

// TestOwnSlotPassedOn: whoever has the slot of the observer's entity, when that is gone
// and the observer looks from elsewhere, is a stranger like all others.
func TestOwnSlotPassedOn(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100})
	me := w.spawn(1, 0, grid.Point{X: 5000})
	v := w.add(Observer{Entity: me, More: []Viewpoint{{}}})
	w.step()
	w.expect(v, "at first", "+1 range, ")
	w.despawn(me)
	w.step()
	w.expect(v, "gone", "-1 despawn, ")
	v.Commit()
	w.step() // the slot is free from here on
	other := w.spawn(2, 0, grid.Point{X: 150})
	if other.Slot() != me.Slot() {
		t.Fatalf("%v has not the slot of %v", other, me)
	}
	w.must(v.SetReach([]Reach{{Enter: 200}}, 0))
	w.step()
	w.expect(v, "in the slot", "+2 reach changed, ")
}

// TestIdentity: a slot that is used again between two updates is a leave of the old
// and an enter of the new, under another row while the leave is pending.
func TestIdentity(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		for _, skipped := range []bool{false, true} {
			w := newWorld(t, false, Reach{Enter: 100, Margin: 20}, Reach{Enter: 100})
			prepare(w.set)
			old := w.spawn(2, 0, grid.Point{X: 10})
			v := w.add(Observer{})
			w.step()
			w.expect(v, "the old one", "+2 range, ")
			w.despawn(old)
			if skipped {
				w.publish() // and no update
			} else {
				w.step()
			}
			fresh := w.spawn(3, 1, grid.Point{X: 11})
			if fresh.Slot() != old.Slot() || fresh == old {
				t.Fatalf("%v after %v: want the slot again", fresh, old)
			}
			w.step()
			enters, leaves := v.AppendEnters(nil), v.AppendLeaves(nil)
			if len(enters) != 1 || enters[0].Entity != fresh || enters[0].ID != 3 ||
				len(leaves) != 1 || leaves[0].Entity != old || leaves[0].ID != 2 || leaves[0].Row == enters[0].Row {
				t.Errorf("enters %v, leaves %v; want %v and %v in rows of their own", enters, leaves, fresh, old)
			}
			w.expect(v, "the new one", "+3 range, -2 despawn, ")
			// And again, before anything was delivered: only the last one is news.
			w.despawn(fresh)
			w.publish()
			third := w.spawn(4, 0, grid.Point{X: 12})
			w.step()
			w.despawn(third)
			w.publish()
			fourth := w.spawn(5, 0, grid.Point{X: 13})
			w.step()
			if fourth.Slot() != old.Slot() {
				t.Fatalf("%v: want slot %d again", fourth, old.Slot())
			}
			w.expect(v, "the fourth", "+5 range, -3 despawn, ")
		}
	})
}

// TestSameIDIsNotIdentity: the handle is.
func TestSameIDIsNotIdentity(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100})
	h := w.spawn(2, 0, grid.Point{X: 10})
	v := w.add(Observer{})
	w.step()
	v.Commit()
	w.despawn(h)
	w.publish()
	w.spawn(2, 0, grid.Point{X: 10})
	w.step()
	w.expect(v, "the same ID", "+2 range, -2 despawn, ")
}

// TestRemovedAndBack: the same handle, out of the grid and in again, between two
// updates or over them.
func TestRemovedAndBack(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, false, Reach{Enter: 100})
		prepare(w.set)
		h := w.spawn(2, 0, grid.Point{X: 10})
		v := w.add(Observer{})
		w.step()
		w.expect(v, "at first", "+2 range, ")
		w.must(w.grid.Remove(h))
		w.publish()
		w.must(w.grid.Insert(h, 2, 0, grid.Point{X: 12}))
		w.step()
		w.expect(v, "back before anybody looked", "")
		w.must(w.grid.Remove(h))
		w.step()
		if got := pending(v); got != "-2 despawn, " {
			t.Errorf("removed: %q", got)
		}
		w.must(w.grid.Insert(h, 2, 0, grid.Point{X: 13}))
		w.step()
		w.expect(v, "back before it was delivered", "")
		w.must(w.grid.Remove(h))
		w.step()
		w.expect(v, "removed", "-2 despawn, ")
		w.must(w.grid.Insert(h, 2, 0, grid.Point{X: 13}))
		w.step()
		w.expect(v, "back", "+2 range, ")
	})
}

// TestDespawn: it leaves the views that had it, once, and no others.
func TestDespawn(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, false, Reach{Enter: 100, Margin: 50})
		prepare(w.set)
		near, far := w.add(Observer{}), w.add(Observer{At: grid.Point{X: 10_000}})
		in, out := w.spawn(1, 0, grid.Point{X: 50}), w.spawn(2, 0, grid.Point{X: 5000})
		gone := w.spawn(3, 0, grid.Point{X: 60})
		margin := w.spawn(4, 0, grid.Point{X: 90})
		w.step()
		w.expect(near, "at first", "+1 range, +3 range, +4 range, ")
		w.move(margin, grid.Point{X: 140})
		w.move(gone, grid.Point{X: 300})
		w.step()
		w.expect(near, "one leaves, one is kept", "-3 range, ")
		w.despawn(in)
		w.despawn(out)
		w.despawn(gone)
		w.despawn(margin)
		w.step()
		w.expect(near, "all are gone", "-1 despawn, -4 despawn, ")
		w.expect(far, "never had any", "")
		for range 3 {
			w.step()
			w.expect(near, "nothing more", "")
		}
		// Moved away and despawned in one tick: a despawn.
		h := w.spawn(5, 0, grid.Point{X: 5})
		w.step()
		w.expect(near, "another", "+5 range, ")
		w.move(h, grid.Point{X: 5000})
		w.despawn(h)
		w.step()
		w.expect(near, "moved and gone", "-5 despawn, ")
		// Spawned and despawned between two publishes: never there.
		h = w.spawn(6, 0, grid.Point{X: 5})
		w.despawn(h)
		w.step()
		w.expect(near, "never there", "")
	})
}

// TestObserverDespawns: its view empties, for that reason; others lose it.
func TestObserverDespawns(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, false, Reach{Enter: 100})
		prepare(w.set)
		a, b := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 10})
		va, vb := w.add(Observer{Entity: a}), w.add(Observer{Entity: b})
		w.step()
		w.expect(va, "at first", "+1 range, +2 range, ")
		w.expect(vb, "at first", "+1 range, +2 range, ")
		w.despawn(a)
		w.step()
		w.expect(va, "it is gone", "-1 observer gone, -2 observer gone, ")
		w.expect(vb, "the other is gone", "-1 despawn, ")
		if va.Len() != 0 || vb.Len() != 1 {
			t.Errorf("%d and %d members; want 0 and 1", va.Len(), vb.Len())
		}
		// The slot passes to somebody else, whom the view does not follow.
		c := w.spawn(3, 0, grid.Point{X: 20})
		if c.Slot() != a.Slot() {
			t.Fatalf("%v: want slot %d again", c, a.Slot())
		}
		w.step()
		w.expect(va, "another in its slot", "")
		w.expect(vb, "another in its slot", "+3 range, ")
		// Until it is told to.
		w.must(va.SetCentre(c, grid.Point{}))
		w.step()
		w.expect(va, "follows it", "+2 range, +3 range, ")
		w.must(w.set.Remove(va))
		w.despawn(c)
		w.step()
		w.expect(vb, "gone too", "-3 despawn, ")
	})
}

// TestAddBeforePublish: a view on an entity that was never published is empty, and
// follows it from the first snapshot on.
func TestAddBeforePublish(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100})
	w.spawn(1, 0, grid.Point{X: 3})
	w.publish()
	h, err := w.arena.Alloc() // alive, and not even inserted
	w.must(err)
	v := w.add(Observer{Entity: h})
	w.must(w.set.UpdateAll(nil))
	w.expect(v, "nowhere", "")
	w.must(w.grid.Insert(h, 2, 0, grid.Point{}))
	w.must(w.set.UpdateAll(nil))
	w.expect(v, "not published", "")
	w.step()
	w.expect(v, "there", "+1 range, +2 range, ")
}

// TestSetCentre: another entity, a point and back; the difference is exact.
func TestSetCentre(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100, Margin: 50})
	a, b := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 1000})
	w.spawn(3, 0, grid.Point{X: 90})
	w.spawn(4, 0, grid.Point{X: 950})
	w.spawn(5, 0, grid.Point{X: 140})
	v := w.add(Observer{Entity: a, ExcludeSelf: true})
	w.step()
	w.expect(v, "a", "+3 range, ")
	w.must(v.SetCentre(b, grid.Point{}))
	w.step()
	w.expect(v, "b", "+4 range, -3 range, ")
	w.must(v.SetCentre(0, grid.Point{X: 60}))
	w.step()
	w.expect(v, "a point", "+1 range, +3 range, +5 range, -4 range, ")
	w.must(v.SetCentre(0, grid.Point{X: -40})) // 3 is 130 away: kept; 5 is not
	w.step()
	w.expect(v, "another", "-5 range, ")
	w.must(v.SetCentre(a, grid.Point{}))
	w.step()
	w.expect(v, "a again", "-1 range, ") // itself
	w.must(v.SetCentre(a, grid.Point{}))
	w.step()
	w.expect(v, "the same", "")
	if o := v.Observer(); o.Entity != a || !o.ExcludeSelf {
		t.Errorf("Observer: %+v", o)
	}
}

// TestSelf: a member by default, or not at all; both stable.
func TestSelf(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, false, Reach{Enter: 100})
		prepare(w.set)
		me := w.spawn(1, 0, grid.Point{})
		with, without := w.add(Observer{Entity: me}), w.add(Observer{Entity: me, ExcludeSelf: true})
		zero := w.add(Observer{Entity: me, Reach: []Reach{{Enter: 0}}})
		unseen := w.add(Observer{Entity: me, Reach: []Reach{{Enter: Unseen}}})
		w.step()
		w.expect(with, "alone", "+1 range, ")
		w.expect(without, "alone", "")
		w.expect(zero, "alone", "+1 range, ")
		w.expect(unseen, "no reach hides oneself", "+1 range, ")
		for n := range int32(5) {
			w.move(me, grid.Point{X: 1000 * n})
			w.step()
			for _, v := range []*View{with, without, zero, unseen} {
				w.expect(v, "moving", "")
			}
		}
		if with.Len() != 1 || without.Len() != 0 || unseen.Len() != 1 {
			t.Errorf("%d, %d, %d members; want 1, 0, 1", with.Len(), without.Len(), unseen.Len())
		}
	})
}

// TestHeight: a cylinder with hysteresis of its own; both limits must hold.
func TestHeight(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, true, Reach{Enter: 100, Margin: 20, Height: 30, HeightMargin: 5}, Reach{Enter: 100, Height: grid.AnyHeight})
		prepare(w.set)
		me := w.spawn(1, 0, grid.Point{Z: 1000})
		other := w.spawn(2, 0, grid.Point{X: 10})
		w.spawn(3, 1, grid.Point{X: 10, Z: grid.MaxCoord})
		w.spawn(4, 1, grid.Point{X: 10, Z: -grid.MaxCoord})
		v := w.add(Observer{Entity: me, ExcludeSelf: true})
		w.step()
		w.expect(v, "any height", "+3 range, +4 range, ")
		for _, s := range []struct {
			x, z int32
			want string
		}{
			{10, 969, ""}, {10, 970, "+2 range, "}, {10, 965, ""}, {10, 964, "-2 range, "},
			{10, 1031, ""}, {10, 1030, "+2 range, "}, {10, 1035, ""}, {110, 1035, ""}, {110, 1036, "-2 range, "},
			{110, 1000, ""}, {100, 1031, ""}, {101, 1030, ""}, {100, 1030, "+2 range, "},
			{120, 1035, ""}, {121, 1000, "-2 range, "}, {0, 1000, "+2 range, "}, {0, 0, "-2 range, "},
		} {
			w.move(other, grid.Point{X: s.x, Z: s.z})
			w.step()
			w.expect(v, fmt.Sprint("at ", s.x, s.z), s.want)
		}
		w.move(other, grid.Point{X: 10, Z: 5000})
		w.move(me, grid.Point{Z: 5000}) // both, at once
		w.step()
		w.expect(v, "both on another floor", "+2 range, ")
		w.must(v.SetReach([]Reach{{Enter: 100, Margin: 20, Height: 3}, {Enter: 100, Height: 50}}, 0))
		w.step()
		w.expect(v, "lower", "-3 reach changed, -4 reach changed, ")
		w.move(other, grid.Point{X: 10, Z: 5004})
		w.step()
		w.expect(v, "too high", "-2 range, ")
		w.must(v.SetReach([]Reach{{Enter: 100, Height: 4}, {Enter: Unseen}}, 0))
		w.step()
		w.expect(v, "higher", "+2 reach changed, ")
	})
}

// TestWalkApart: two players walk a long way from each other, and stop seeing each
// other in the same tick; they see each other again when they meet.
func TestWalkApart(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100, Margin: 20})
	a, b := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{})
	va, vb := w.add(Observer{Entity: a, ExcludeSelf: true}), w.add(Observer{Entity: b, ExcludeSelf: true})
	x := int32(0)
	for _, step := range []int32{7, -7} {
		for range 2000 {
			x += step
			w.move(a, grid.Point{X: x})
			w.move(b, grid.Point{X: -x})
			w.step()
			if va.Len() != vb.Len() {
				t.Fatalf("at %d: %d and %d members", x, va.Len(), vb.Len())
			}
			if step > 0 && (va.Len() == 1) != (2*x <= 120) || step < 0 && (va.Len() == 1) != (2*x <= 100) {
				t.Fatalf("%d apart: %d members", 2*x, va.Len())
			}
		}
	}
}

// TestTeleport: all of the old surroundings leave in the next difference, on both
// sides, and all of the new ones enter.
func TestTeleport(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, false, Reach{Enter: 100, Margin: 20})
		prepare(w.set)
		me := w.spawn(1, 0, grid.Point{})
		v := w.add(Observer{Entity: me, ExcludeSelf: true})
		var views []*View
		for i := range 40 {
			h := w.spawn(uint64(10+i), 0, grid.Point{X: int32(i/20)*10_000 + 1, Y: int32(i % 20)})
			views = append(views, w.add(Observer{Entity: h, ExcludeSelf: true, Reach: []Reach{{Enter: 100}}}))
		}
		w.step()
		for _, x := range []int32{0, 10_000, 0, 10_000} {
			w.move(me, grid.Point{X: x})
			w.step()
			here := int(x / 10_000)
			if v.Len() != 20 || members(v)[0] != uint64(10+20*here) {
				t.Errorf("at %d: members %v", x, members(v))
			}
			for i, other := range views {
				if got, want := slices.Contains(members(other), 1), i/20 == here; got != want {
					t.Errorf("at %d: seen by %d: %v; want %v", x, 10+i, got, want)
				}
			}
		}
	})
}

// TestRowsAreLowestFirst: a new member takes the lowest free row, and a row is free
// when its leave was delivered, not before.
func TestRowsAreLowestFirst(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100})
	v := w.add(Observer{})
	h := map[uint64]arena.Handle{}
	in := func(ids ...uint64) {
		for _, id := range ids {
			h[id] = w.spawn(id, 0, grid.Point{X: int32(id)})
		}
	}
	rows := func() map[uint64]uint32 {
		m := map[uint64]uint32{}
		for _, e := range v.AppendMembers(nil) {
			m[e.ID] = e.Row
		}
		return m
	}
	check := func(when string, want map[uint64]uint32) {
		t.Helper()
		if got := rows(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: rows %v; want %v", when, got, want)
		}
	}
	in(30, 10, 20) // rows go by ID, not by place or order
	w.step()
	check("three", map[uint64]uint32{10: 0, 20: 1, 30: 2})
	v.Commit()
	w.despawn(h[10])
	w.step()
	in(5)
	w.step()
	check("the leave is pending", map[uint64]uint32{20: 1, 30: 2, 5: 3})
	v.Commit()
	in(7, 6)
	w.step()
	check("it was delivered", map[uint64]uint32{6: 0, 20: 1, 30: 2, 5: 3, 7: 4})
	// An enter that was not delivered frees its row at once.
	w.despawn(h[6])
	w.step()
	in(1)
	w.step()
	check("it never was", map[uint64]uint32{1: 0, 20: 1, 30: 2, 5: 3, 7: 4})
	if leaves := v.AppendLeaves(nil); len(leaves) != 0 {
		t.Errorf("leaves %v; want none", leaves)
	}
	// Many: rows are dense.
	for id := range uint64(200) {
		in(1000 + id)
		w.move(h[1000+id], grid.Point{X: 1, Y: 1})
	}
	w.step()
	seen := make([]bool, 205)
	for _, row := range rows() {
		if seen[row] {
			t.Errorf("row %d twice", row)
		}
		seen[row] = true
	}
	for row, ok := range seen {
		if !ok {
			t.Errorf("row %d is not used", row)
		}
	}
}

// TestEventsAreSorted: enters by ID, leaves by row, behind what the lists held.
func TestEventsAreSorted(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 1000})
	v := w.add(Observer{})
	var all []arena.Handle
	for i := range 300 {
		all = append(all, w.spawn(uint64(i*7919%1009), 0, grid.Point{X: int32(i)}))
	}
	w.step()
	front := Event{ID: 1 << 60, Row: 1 << 30}
	enters := v.AppendEnters([]Event{front})
	if len(enters) != 301 || enters[0] != front || !slices.IsSortedFunc(enters[1:], func(a, b Event) int { return int(a.ID) - int(b.ID) }) {
		t.Errorf("%d enters, not sorted behind %v", len(enters), enters[0])
	}
	v.Commit()
	for _, h := range all[:250] {
		w.despawn(h)
	}
	w.step()
	leaves := v.AppendLeaves([]Event{front})
	if len(leaves) != 251 || leaves[0] != front || !slices.IsSortedFunc(leaves[1:], func(a, b Event) int { return int(a.Row) - int(b.Row) }) {
		t.Errorf("%d leaves, not sorted behind %v", len(leaves), leaves[0])
	}
	members := v.AppendMembers([]Member{{ID: 9}})
	if len(members) != 51 || members[0].ID != 9 || !slices.IsSortedFunc(members[1:], func(a, b Member) int { return int(a.Row) - int(b.Row) }) {
		t.Errorf("%d members, not in row order", len(members))
	}
	for _, m := range members[1:] {
		if m.Sources != Spatial {
			t.Errorf("%v: sources %b; want spatial", m, m.Sources)
		}
	}
}

func TestReasonsInWords(t *testing.T) {
	for r := ReasonNone; r <= ReasonObserver; r++ {
		if s := r.String(); s == "" || s == "unknown" {
			t.Errorf("reason %d is %q", r, s)
		}
	}
	if s := Reason(200).String(); s != "unknown" {
		t.Errorf("reason 200 is %q", s)
	}
}
