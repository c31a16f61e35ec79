package interest

import (
	"testing"

	"vicinity/arena"
	"vicinity/grid"
)

// near100 is a world with one class, enter radius 100, leave radius 120.
func near100(t testing.TB) *world { return newWorld(t, false, Reach{Enter: 100, Margin: 20}) }

// TestUnionOfSources is rule 3: who loses one source stays for another.
func TestUnionOfSources(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		for _, spatialFirst := range []bool{true, false} {
			w := near100(t)
			prepare(w.set)
			me, other := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 50})
			v := w.add(Observer{Entity: me, ExcludeSelf: true})
			w.must(v.Relate(other, Group0|Quest))
			w.step()
			if m := v.AppendMembers(nil); len(m) != 1 || m[0].Sources != Spatial|Group0|Quest {
				t.Fatalf("members %+v", m)
			}
			w.expect(v, "near and related", "+2 range, ")
			walk := func() { w.move(other, grid.Point{X: 5000}); w.step() }
			end := func() { v.Unrelate(other, Group0); w.step() }
			if spatialFirst {
				walk()
				w.expect(v, "walked off", "")
				end()
				w.expect(v, "party left", "")
			} else {
				end()
				w.expect(v, "party left", "")
				walk()
				w.expect(v, "walked off", "")
			}
			if m := v.AppendMembers(nil); len(m) != 1 || m[0].Sources != Quest {
				t.Fatalf("members %+v", m)
			}
			w.step()
			w.expect(v, "nothing happens", "")
			v.Unrelate(other, Quest)
			w.step()
			w.expect(v, "the last source", "-2 quest, ")
		}
	})
}

// TestSourceChangesHands: Spatial ends in the tick in which another source begins,
// and the other way round: neither leave nor enter.
func TestSourceChangesHands(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := near100(t)
		prepare(w.set)
		me, other := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 50})
		v := w.add(Observer{Entity: me, ExcludeSelf: true, Groups: [4]uint32{7}})
		w.step()
		w.expect(v, "near", "+2 range, ")
		for range 3 {
			w.move(other, grid.Point{X: 900})
			w.must(w.set.SetTraits(other, Traits{Groups: [4]uint32{7}}))
			w.step()
			w.expect(v, "off, and in the party", "")
			w.move(other, grid.Point{X: 90})
			w.must(w.set.SetTraits(other, Traits{}))
			w.step()
			w.expect(v, "back, and out of it", "")
		}
	})
}

// TestRelationToSomebodyFar: who is related enters wherever it is, as soon as it is
// in the world; the relation survives absences, but not the entity.
func TestRelationToSomebodyFar(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := near100(t)
		prepare(w.set)
		me := w.spawn(1, 0, grid.Point{})
		v := w.add(Observer{Entity: me, ExcludeSelf: true})
		w.step()
		other, err := w.arena.Alloc()
		w.must(err)
		w.must(v.Relate(other, Pinned))
		for range 3 {
			w.step()
			w.expect(v, "not in the world", "")
			w.step()
			w.must(w.grid.Insert(other, 2, 0, grid.Point{X: 1 << 29}))
			w.step()
			w.expect(v, "came", "+2 quest, ")
			w.step()
			w.must(w.grid.Remove(other))
			w.step()
			w.expect(v, "went", "-2 despawn, ")
		}
		w.arena.Free(other)
		w.step()
		w.step()
		if again := w.spawn(3, 0, grid.Point{X: 500}); again.Slot() != other.Slot() {
			t.Fatalf("slot %v; want that of %v", again, other)
		}
		w.step()
		w.expect(v, "another in its slot", "")
		if len(v.relations) != 0 {
			t.Errorf("%d relations to the dead", len(v.relations))
		}
	})
}

// TestGroups: equal and not zero at the same index means related, without a call a
// pair.
func TestGroups(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := near100(t)
		prepare(w.set)
		me := w.spawn(1, 0, grid.Point{})
		a, b, c := w.spawn(2, 0, grid.Point{X: 1000}), w.spawn(3, 0, grid.Point{X: 2000}), w.spawn(4, 0, grid.Point{X: 3000})
		w.must(w.set.SetTraits(a, Traits{Groups: [4]uint32{5, 6}}))
		w.must(w.set.SetTraits(b, Traits{Groups: [4]uint32{6, 5}})) // the other way round
		v := w.add(Observer{Entity: me, ExcludeSelf: true, Groups: [4]uint32{5, 0, 0, 9}})
		w.step()
		w.expect(v, "one shares a group", "+2 group, ")
		w.must(w.set.SetTraits(c, Traits{Groups: [4]uint32{5, 0, 0, 9}}))
		w.step()
		if m := v.AppendMembers(nil); len(m) != 2 || m[1].Sources != Group0|Group3 {
			t.Errorf("members %+v", m)
		}
		w.expect(v, "another joins both", "+4 group, ")
		w.must(w.set.SetTraits(a, Traits{Groups: [4]uint32{4, 6}}))
		w.must(w.set.SetTraits(c, Traits{Groups: [4]uint32{4, 0, 0, 9}}))
		w.step()
		w.expect(v, "one leaves, one leaves one of two", "-2 group, ")
		v.SetGroups([4]uint32{6, 6})
		w.step()
		w.expect(v, "the observer changes its groups", "+2 group, +3 group, -4 group, ")
		v.SetGroups([4]uint32{})
		w.step()
		w.expect(v, "none", "-2 group, -3 group, ")
		v.SetGroups([4]uint32{6})
		w.step()
		w.expect(v, "back", "+3 group, ")
		w.despawn(b)
		d := w.spawn(9, 0, grid.Point{X: 77777})
		w.must(w.set.SetTraits(d, Traits{Groups: [4]uint32{6}}))
		w.step()
		w.expect(v, "one dies, one is born into the group", "+9 group, -3 despawn, ")
		if got, ok := w.set.Traits(d); !ok || got.Groups != [4]uint32{6} {
			t.Errorf("traits %+v, %v", got, ok)
		}
	})
}

// TestTraitsEndWithTheEntity: who takes its slot begins with none.
func TestTraitsEndWithTheEntity(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		for _, skip := range []bool{false, true} {
			w := near100(t)
			prepare(w.set)
			me := w.spawn(1, 0, grid.Point{})
			v := w.add(Observer{Entity: me, ExcludeSelf: true, Groups: [4]uint32{3}})
			old := w.spawn(2, 0, grid.Point{X: 10})
			w.must(w.set.SetTraits(old, Traits{Need: 1, Groups: [4]uint32{3}, Ask: true, Protected: true}))
			w.step()
			w.expect(v, "hidden", "")
			w.despawn(old)
			w.step()
			w.step()
			young := w.spawn(3, 0, grid.Point{X: 10})
			far := w.spawn(4, 0, grid.Point{X: 10_000})
			if young.Slot() != old.Slot() {
				t.Fatalf("slot %v; want that of %v", young, old)
			}
			if skip {
				w.publish()
			}
			w.step()
			w.expect(v, "another in its slot", "+3 range, ")
			if got, ok := w.set.Traits(young); !ok || got != (Traits{}) {
				t.Errorf("traits %+v, %v", got, ok)
			}
			if _, ok := w.set.Traits(old); ok {
				t.Error("the dead has traits")
			}
			_ = far
		}
	})
}

// TestPermission is rule 4: who is not permitted never enters, whatever its sources,
// and leaves when it loses permission; readmitted, it is judged as a stranger.
func TestPermission(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := near100(t)
		prepare(w.set)
		me := w.spawn(1, 0, grid.Point{})
		near, far, any := w.spawn(2, 0, grid.Point{X: 50}), w.spawn(3, 0, grid.Point{X: 5000}), w.spawn(4, 0, grid.Point{X: 40})
		v := w.add(Observer{Entity: me, Mask: 0b0110})
		third := w.add(Observer{Entity: me, ExcludeSelf: true, Mask: 1 << 31})
		w.must(v.Relate(far, Quest))
		w.must(w.set.SetTraits(me, Traits{Need: 1})) // does not keep it from itself
		w.must(w.set.SetTraits(near, Traits{Need: 0b1000}))
		w.must(w.set.SetTraits(far, Traits{Need: 0b0010, Any: 0b1001}))
		w.must(w.set.SetTraits(any, Traits{Need: 0b0010, Any: 0b1100}))
		w.step()
		w.expect(v, "the permitted", "+1 range, +4 range, ")
		w.expect(third, "another mask", "")
		w.step()
		w.expect(v, "still", "")
		w.must(w.set.SetTraits(near, Traits{}))
		w.must(w.set.SetTraits(far, Traits{Any: 4}))
		w.step()
		w.expect(v, "revealed", "+2 permission, +3 permission, ")
		w.expect(third, "revealed to all", "+2 permission, ")
		w.must(w.set.SetTraits(near, Traits{Need: 1}))
		w.must(w.set.SetTraits(far, Traits{Need: 1}))
		w.step()
		w.expect(v, "hidden: relations do not help", "-2 permission, -3 permission, ")
		w.expect(third, "hidden", "-2 permission, ")
		// Hidden it walks to where only members stay: it is not readmitted.
		w.move(near, grid.Point{X: 110})
		w.step()
		w.must(w.set.SetTraits(near, Traits{}))
		w.step()
		w.expect(v, "revealed between the radii", "")
		w.move(near, grid.Point{X: 100})
		w.step()
		w.expect(v, "comes", "+2 range, ")
		v.SetMask(0b0111)
		w.step()
		w.expect(v, "a wider mask", "+3 permission, ")
		w.must(w.set.SetTraits(far, Traits{Need: 1, Any: 1}))
		w.step()
		w.expect(v, "relations survive", "")
		v.SetMask(0)
		w.step()
		w.expect(v, "no mask", "-4 permission, -3 permission, ")
		v.SetMask(0b0111)
		w.step()
		w.expect(v, "and again", "+3 permission, +4 permission, ")
	})
}

// TestHideAndShowInOneTick: nothing happened.
func TestHideAndShowInOneTick(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := near100(t)
		prepare(w.set)
		me, other := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 5})
		v := w.add(Observer{Entity: me, ExcludeSelf: true})
		w.step()
		w.expect(v, "near", "+2 range, ")
		w.must(w.set.SetTraits(other, Traits{Need: 1}))
		w.must(w.set.SetTraits(other, Traits{}))
		w.step()
		w.expect(v, "hidden and shown", "")
		w.must(w.set.SetTraits(other, Traits{Need: 1}))
		w.step()
		w.expect(v, "hidden", "-2 permission, ")
		w.must(w.set.SetTraits(other, Traits{}))
		w.must(w.set.SetTraits(other, Traits{Need: 1}))
		w.step()
		w.expect(v, "shown and hidden", "")
	})
}

// TestPredicate: it is asked about flagged entities, on a would-be enter and after
// Invalidate, and not every tick.
func TestPredicate(t *testing.T) {
	a, err := arena.New(arena.Config{Deferred: true})
	w := &world{t: t, arena: a}
	w.must(err)
	w.grid, err = grid.New(grid.Config{Arena: a, Layers: []grid.Layer{{CellX: 32}}, Previous: true})
	w.must(err)
	asked, allow := 0, true
	w.set, err = New(Config{Arena: a, Grid: w.grid, Reach: []Reach{{Enter: 100, Margin: 20}}, Predicate: func(observer uint64, h arena.Handle) bool {
		if asked++; observer != 77 {
			t.Errorf("asked for observer %d", observer)
		}
		return allow
	}})
	w.must(err)
	me, other, plain := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 50}), w.spawn(3, 0, grid.Point{X: 30})
	w.must(w.set.SetTraits(other, Traits{Ask: true}))
	w.must(w.set.SetTraits(me, Traits{Ask: true}))
	v := w.add(Observer{ID: 77, Entity: me, ExcludeSelf: false})
	step := func(when, want string, questions int) {
		t.Helper()
		asked = 0
		w.step()
		w.expect(v, when, want)
		if asked != questions {
			t.Errorf("%s: asked %d times; want %d", when, asked, questions)
		}
	}
	step("first", "+1 range, +2 range, +3 range, ", 1)
	for n := range 5 {
		w.move(other, grid.Point{X: 50 + int32(n)})
		w.move(plain, grid.Point{X: int32(n)})
		step("not every tick", "", 0)
	}
	allow = false
	step("not without Invalidate", "", 0)
	w.must(w.set.Invalidate(plain))
	step("of somebody else", "", 0)
	w.must(w.set.Invalidate(other))
	step("of the entity", "-2 permission, ", 1)
	step("then not again", "", 0)
	allow = true
	v.Invalidate()
	step("of the observer", "+2 permission, ", 1)
	allow = false
	v.Invalidate()
	step("of the observer, no", "-2 permission, ", 1)
	w.move(other, grid.Point{X: 300})
	step("away", "", 0)
	w.move(other, grid.Point{X: 90})
	step("a would-be enter", "", 1)
	w.must(w.set.SetTraits(other, Traits{}))
	step("not flagged any more", "+2 permission, ", 0)
	w.must(w.grid.Close())
	w.must(a.Close())
}

// TestViewpoints: within reach of any is within reach; one row, the smallest
// distance.
func TestViewpoints(t *testing.T) {
	w := near100(t)
	me, drone := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 1000})
	both, second := w.spawn(3, 0, grid.Point{X: 60}), w.spawn(4, 0, grid.Point{X: 1050})
	v := w.add(Observer{
		Entity: me, ExcludeSelf: true, Measured: true,
		More: []Viewpoint{{Entity: drone}, {At: grid.Point{X: 100, Y: 10}}},
	})
	w.step()
	w.expect(v, "three points", "+2 range, +3 range, +4 range, ")
	dist2 := func(h arena.Handle) float32 {
		for _, m := range v.AppendMembers(nil) {
			if m.Entity == h {
				return v.Columns().Dist2[m.Row]
			}
		}
		return -1
	}
	if d := dist2(both); d != 40*40+10*10 {
		t.Errorf("the smallest of two distances is %v", d)
	}
	if d := dist2(second); d != 50*50 {
		t.Errorf("distance from the drone is %v", d)
	}
	// From one disc into the margin of another: each has hysteresis, in one bit.
	w.move(both, grid.Point{X: 215, Y: 10})
	w.step()
	w.expect(v, "in the margin of the third", "")
	w.move(both, grid.Point{X: 1115})
	w.step()
	w.expect(v, "in the margin of the second", "")
	w.move(both, grid.Point{X: 1125})
	w.step()
	w.expect(v, "beyond all", "-3 range, ")
	w.move(both, grid.Point{X: 1110})
	w.step()
	w.expect(v, "a stranger again", "")
	w.despawn(drone)
	w.step()
	w.expect(v, "the drone is lost", "-2 despawn, -4 range, ")
	w.must(v.SetViewpoints(0, grid.Point{X: 1100}))
	w.step()
	w.expect(v, "one point", "+3 range, +4 range, ")
	w.must(v.SetViewpoints(me, grid.Point{}, Viewpoint{Entity: second}))
	w.step()
	w.expect(v, "two entities", "")
	w.despawn(me)
	w.step()
	w.expect(v, "the second is left", "")
	w.despawn(second)
	w.step()
	w.expect(v, "nobody is left", "-3 observer gone, -4 observer gone, ")
}

// TestLevels is rule 13, with hysteresis 10 at 50 and 80.
func TestLevels(t *testing.T) {
	for _, x := range []int32{0, 1 << 29} {
		w := near100(t)
		me, other := w.spawn(1, 0, grid.Point{X: x}), w.spawn(2, 0, grid.Point{X: x + 500})
		v := w.add(Observer{Entity: me, ExcludeSelf: true, Measured: true, Levels: &Levels{Near: 50, Mid: 80, Margin: 10}})
		plain := w.add(Observer{Entity: me, ExcludeSelf: true, Measured: true})
		none := w.add(Observer{Entity: me, ExcludeSelf: true})
		for _, s := range []struct {
			at   int32
			want Level
		}{
			{95, Low}, {81, Low}, {80, Medium}, {90, Medium}, {91, Low}, {81, Low}, {55, Medium}, {51, Medium}, {50, High},
			{60, High}, {61, Medium}, {51, Medium}, {0, High}, {90, Medium}, {0, High}, {91, Low}, {119, Low}, {500, High},
			{60, Medium}, {500, High}, {49, High}, {60, High},
		} {
			w.move(other, grid.Point{X: x + s.at})
			w.step()
			if s.at > 120 {
				if v.Len() != 0 {
					t.Fatalf("at %d: %d members", s.at, v.Len())
				}
				continue
			}
			c := v.Columns()
			if got := c.Level[0]; got != s.want || c.Dist2[0] != float32(s.at*s.at) {
				t.Errorf("at %d: level %v, distance %v; want %v", s.at, got, c.Dist2[0], s.want)
			}
			if got := plain.Columns().Level[0]; got != High {
				t.Errorf("at %d, without levels: %v", s.at, got)
			}
			v.Commit()
		}
		if c := none.Columns(); c.Dist2 != nil || c.Level != nil || len(c.Since) == 0 || len(c.Slot) != 64*none.Words() {
			t.Errorf("columns %+v", c)
		}
		w.must(v.SetLevels(nil))
		w.move(other, grid.Point{X: x + 99})
		w.step()
		if got := v.Columns().Level[0]; got != High {
			t.Errorf("level %v without levels", got)
		}
	}
}

// TestOwnEntityIsExempt: from permission, as long as it is the observer's own.
func TestOwnEntityIsExempt(t *testing.T) {
	w := near100(t)
	set, err := New(Config{Arena: w.arena, Grid: w.grid, Reach: w.set.cfg.Reach, Predicate: func(uint64, arena.Handle) bool { return false }})
	w.must(err)
	w.set = set
	me, other := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 5})
	w.must(set.SetTraits(me, Traits{Ask: true}))
	w.must(set.SetTraits(other, Traits{Ask: true, Need: 1}))
	v := w.add(Observer{Entity: me})
	w.step()
	w.expect(v, "its own", "+1 range, ")
	w.must(v.SetCentre(other, grid.Point{}))
	w.step()
	w.expect(v, "another's", "+2 range, -1 permission, ")
	w.must(v.SetCentre(0, grid.Point{}))
	w.step()
	w.expect(v, "nobody's", "-2 permission, ")
}
