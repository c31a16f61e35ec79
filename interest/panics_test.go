package interest

import (
	"fmt"
	"testing"

	"vicinity/arena"
	"vicinity/grid"
)

// asking is a world of one layer with a predicate, which is the test's to set.
type asking struct {
	*world
	all    []arena.Handle
	asked  int
	answer func(observer uint64, h arena.Handle) bool
}

func newAsking(t *testing.T, prepare func(*Set)) *asking {
	t.Helper()
	a := &asking{world: newWorld(t, false, Reach{Enter: 100, Margin: 20}, Reach{Enter: 100}), answer: func(uint64, arena.Handle) bool { return true }}
	var err error
	a.set, err = New(Config{
		Arena: a.arena, Grid: a.grid, Reach: []Reach{{Enter: 100, Margin: 20}, {Enter: 100}},
		Predicate: func(observer uint64, h arena.Handle) bool {
			a.asked++
			return a.answer(observer, h)
		},
	})
	a.must(err)
	prepare(a.set)
	return a
}

func (a *asking) spawn(id uint64, p grid.Point) arena.Handle {
	a.t.Helper()
	a.all = append(a.all, a.world.spawn(id, 0, p))
	return a.all[len(a.all)-1]
}

// flagged spawns somebody about whom the predicate is asked.
func (a *asking) flagged(id uint64, p grid.Point) arena.Handle {
	a.t.Helper()
	h := a.spawn(id, p)
	a.must(a.set.SetTraits(h, Traits{Ask: true}))
	return h
}

// breaks makes an update in which the predicate panics at the n-th question.
func (a *asking) breaks(n int, update func() error) {
	a.t.Helper()
	defer func() {
		a.t.Helper()
		if r := recover(); r != "no answer" {
			a.t.Fatalf("tick %d: the panic that came out is %v", a.tick, r)
		}
	}()
	answer := a.answer
	defer func() { a.answer = answer }()
	a.answer = func(observer uint64, h arena.Handle) bool {
		if n--; n == 0 {
			panic("no answer")
		}
		return answer(observer, h)
	}
	a.must(update())
}

// updates are the ways to have all views of a set updated.
func (a *asking) updates() map[string]func() error {
	each := func(update func(v *View) error) func() error {
		return func() error {
			for _, v := range a.set.views {
				if err := update(v); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return map[string]func() error{
		"UpdateAll": func() error { return a.set.UpdateAll(nil) },
		"Update":    each(a.set.Update),
		"UpdateFrom": each(func(v *View) error {
			var out []Candidate
			at, _ := a.grid.Position(v.entity)
			for _, h := range a.all {
				p, _ := a.grid.Position(h)
				if d := max(p.X-at.X, at.X-p.X); d <= 120 {
					out = append(out, Candidate{Entity: h, ID: a.grid.ID(h), Inner: d <= 100})
				}
			}
			return v.UpdateFrom(out)
		}),
	}
}

// TestPredicatePanics: the view is as it was before, and the next update makes it
// exact, and those of others.
func TestPredicatePanics(t *testing.T) {
	for _, way := range []string{"UpdateAll", "Update", "UpdateFrom"} {
		for n := 1; n <= 20; n += 6 {
			t.Run(fmt.Sprint(way, n), func(t *testing.T) {
				bothWays(t, func(t *testing.T, prepare func(*Set)) { breakAndGoOn(t, prepare, way, n) })
			})
		}
	}
}

func breakAndGoOn(t *testing.T, prepare func(*Set), way string, n int) {
	a := newAsking(t, prepare)
	update := a.updates()[way]
	near, far := a.spawn(1, grid.Point{}), a.spawn(2, grid.Point{X: 1000})
	var here, there []arena.Handle
	for i := range int32(40) {
		here = append(here, a.flagged(uint64(10+i), grid.Point{X: i}))
		there = append(there, a.flagged(uint64(100+i), grid.Point{X: 1000 + i}))
	}
	v, w := a.add(Observer{ID: 1, Entity: near}), a.add(Observer{ID: 2, Entity: far})
	for range 2 {
		a.publish()
		a.must(update())
		v.Commit()
		w.Commit()
	}
	for i := range int32(20) { // the places of half of them change
		a.move(here[i], grid.Point{X: 1000 + i})
		a.move(there[i], grid.Point{X: i})
	}
	a.publish()
	a.breaks(n, update)
	if pending(v) != "" || v.Len() != 41 {
		t.Errorf("after the panic %d members, pending %q", v.Len(), pending(v))
	}
	a.must(a.set.CheckInvariants())
	for i := range int32(20) { // the others change theirs, before anybody was updated
		a.move(here[20+i], grid.Point{X: 1020 + i})
		a.move(there[20+i], grid.Point{X: 20 + i})
	}
	a.publish()
	a.must(update())
	a.must(a.set.CheckInvariants())
	for view, first := range map[*View]uint64{v: 100, w: 10} {
		got := members(view)
		if len(got) != 41 || got[1] != first && got[0] != first || got[40] != first+39 && got[39] != first+39 {
			t.Errorf("view %d has %v; want 40 from %d", view.ID(), got, first)
		}
	}
}

// TestPanicThenChange: what an update that panicked had sorted by place is not what
// the next ones look at.
func TestPanicThenChange(t *testing.T) {
	for _, x := range []int32{-5000, 5000} { // one of them is updated after the other
		a := newAsking(t, func(*Set) {})
		me, far := a.spawn(1, grid.Point{}), a.spawn(4, grid.Point{X: x})
		other := a.spawn(2, grid.Point{X: 50})
		a.flagged(3, grid.Point{X: x})
		v, fails := a.add(Observer{ID: 1, Entity: me}), a.add(Observer{ID: 2, Entity: far})
		for range 2 {
			a.step()
			v.Commit()
		}
		fails.Invalidate()
		a.publish()
		a.breaks(1, func() error { return a.set.UpdateAll(nil) })
		a.must(a.set.SetTraits(other, Traits{Need: 1}))
		a.publish()
		a.must(a.set.Update(v))
		a.expect(v, "the change after a panic", "-2 permission, ")
	}
}

// TestPanicLeavesTheViewAsItWas: what is pending, since when, and who is held for a
// relation.
func TestPanicLeavesTheViewAsItWas(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		a := newAsking(t, prepare)
		me, back := a.spawn(1, grid.Point{}), a.spawn(2, grid.Point{X: 50})
		asked := a.world.spawn(3, 1, grid.Point{X: 300})
		a.must(a.set.SetTraits(asked, Traits{Ask: true}))
		v := a.add(Observer{Entity: me, ExcludeSelf: true})
		a.step()
		v.Commit()
		a.move(back, grid.Point{X: 150})
		a.step()
		leaves := fmt.Sprint(v.AppendLeaves(nil))
		// The one returns, before the other is asked about.
		a.move(back, grid.Point{X: 50})
		a.move(asked, grid.Point{X: 50})
		a.publish()
		a.breaks(1, func() error { return a.set.UpdateAll(nil) })
		if got := fmt.Sprint(v.AppendLeaves(nil)); got != leaves || pending(v) != "-2 range, " {
			t.Errorf("after the panic leaves are %v; want %v; pending %q", got, leaves, pending(v))
		}
		a.must(a.set.UpdateAll(nil)) // of the same snapshot
		a.expect(v, "the next update", "+3 range, ")

		h := a.spawn(4, grid.Point{X: 9000})
		a.must(a.grid.Remove(h))
		a.publish()
		a.must(v.Relate(h, Quest))
		for range 2 {
			a.step()
		}
		a.must(a.grid.Insert(h, 4, 0, grid.Point{X: 9000}))
		a.must(a.set.Invalidate(asked))
		a.publish()
		a.breaks(1, func() error { return a.set.UpdateAll(nil) })
		before := a.tick - 1
		if v.Resync(); v.AppendEnters(nil)[0].Since != before {
			t.Errorf("pending again since %d; want %d, that of the last update", v.AppendEnters(nil)[0].Since, before)
		}
		v.Commit()
		a.must(a.set.UpdateAll(nil))
		a.expect(v, "who came for a relation", "+4 quest, ")
	})
}

// TestRefusedIsRemembered: who was refused is asked about again after it was out of
// reach, or after Invalidate, whatever the way of the update.
func TestRefusedIsRemembered(t *testing.T) {
	shapes := map[string]func(a *asking, v *View){
		"plain": func(*asking, *View) {},
		"viewpoints": func(a *asking, v *View) {
			a.must(v.SetViewpoints(v.entity, grid.Point{}, Viewpoint{At: grid.Point{X: 3}}))
		},
		"group":  func(_ *asking, v *View) { v.SetGroups([4]uint32{7}) },
		"capped": func(a *asking, v *View) { a.must(v.SetCap(Cap{MaxMembers: 1})) },
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, prepare func(*Set)) {
				a := newAsking(t, prepare)
				allow := false
				a.answer = func(uint64, arena.Handle) bool { return allow }
				me, other := a.spawn(1, grid.Point{}), a.flagged(2, grid.Point{X: 5})
				v := a.add(Observer{ID: 1, Entity: me, ExcludeSelf: true})
				shape(a, v)
				if name == "group" {
					a.must(a.set.SetTraits(other, Traits{Ask: true, Groups: [4]uint32{7}}))
				}
				step := func(when, want string, questions int) {
					t.Helper()
					a.asked = 0
					a.step()
					a.expect(v, when, want)
					if a.asked != questions {
						t.Errorf("%s: asked %d times; want %d", when, a.asked, questions)
					}
				}
				step("first", "", 1)
				for range 3 {
					step("not again", "", 0)
				}
				allow = true
				step("without Invalidate", "", 0)
				v.SetMask(1)
				step("another mask", "", 0)
				a.must(a.set.Invalidate(other))
				step("the entity", "+2 permission, ", 1)
				allow = false
				v.Invalidate()
				step("the observer", "-2 permission, ", 1)
				step("a member refused is remembered, too", "", 0)
				if name == "group" {
					a.move(other, grid.Point{X: 300})
					step("still related", "", 0)
					a.must(a.set.SetTraits(other, Traits{Ask: true}))
				}
				a.move(other, grid.Point{X: 110})
				step("a stranger does not enter here", "", 0)
				if len(v.refused) != 0 {
					t.Errorf("%v are remembered", v.refused)
				}
				allow = true
				a.move(other, grid.Point{X: 95})
				step("back", "+2 range, ", 1)
				if a.move(other, grid.Point{X: 110}); name != "capped" && name != "viewpoints" {
					step("in the margin", "", 0)
					allow = false
					v.Invalidate()
					step("refused there", "-2 permission, ", 1)
					a.move(other, grid.Point{X: 95})
					step("would enter from there", "", 1)
				}
			})
		})
	}
}

// TestRefusedOfCandidates is the same for updates from candidates, and for an observer
// that was away.
func TestRefusedOfCandidates(t *testing.T) {
	a := newAsking(t, func(*Set) {})
	a.answer = func(uint64, arena.Handle) bool { return false }
	me := a.spawn(1, grid.Point{})
	a.flagged(2, grid.Point{X: 5})
	v := a.add(Observer{Entity: me})
	a.publish()
	for range 3 {
		a.must(a.updates()["UpdateFrom"]())
	}
	if a.asked != 1 {
		t.Errorf("asked %d times; want 1", a.asked)
	}
	a.step()
	if a.asked != 1 {
		t.Errorf("asked again by the grid")
	}
	a.must(a.grid.Remove(me))
	a.step()
	a.must(a.grid.Insert(me, 1, 0, grid.Point{}))
	if a.step(); a.asked != 2 {
		t.Errorf("asked %d times after the observer came back; want 2", a.asked)
	}
	if v.Commit(); v.Len() != 1 {
		t.Errorf("%d members; want 1", v.Len())
	}
}

// TestUnseenSelf: no reach hides oneself, whatever becomes of one's class.
func TestUnseenSelf(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := newWorld(t, false, Reach{Enter: Unseen}, Reach{Enter: 100}, Reach{Enter: Unseen})
		prepare(w.set)
		me := w.spawn(1, 0, grid.Point{})
		v, none := w.add(Observer{Entity: me}), w.add(Observer{Entity: me, ExcludeSelf: true})
		check := func(when, want string) {
			t.Helper()
			w.step()
			w.expect(v, when, want)
			w.expect(none, when, "")
			w.must(w.set.CheckInvariants())
		}
		check("first", "+1 range, ")
		for n := range 9 {
			w.must(w.grid.SetLayer(me, n%3))
			w.move(me, grid.Point{X: int32(n)})
			check("of another class", "")
			check("standing", "")
		}
		other := w.spawn(2, 2, grid.Point{})
		w.must(v.SetCentre(other, grid.Point{}))
		check("from somebody else", "+2 range, -1 range, ")
	})
}

// TestViewpointsKeepThePhase: looking from elsewhere at every round does not change
// when a view is updated.
func TestViewpointsKeepThePhase(t *testing.T) {
	w := near100(t)
	h := w.spawn(1, 0, grid.Point{})
	var views []*View
	for i := range 12 {
		views = append(views, w.add(Observer{ID: uint64(i), Entity: h, SendEvery: 3}))
	}
	at := map[*View][]int{}
	for round := range 30 {
		for i, v := range views {
			p := grid.Point{X: int32(round)}
			switch i % 4 {
			case 0:
				w.must(v.SetCentre(0, p))
			case 1:
				w.must(v.SetViewpoints(h, p, Viewpoint{At: p}))
			case 2:
				w.must(v.SetCentre([2]arena.Handle{0, h}[round%2], p))
			}
		}
		w.publish()
		w.must(w.set.UpdateEach(nil, func(_ int, v *View) { at[v] = append(at[v], round%3) }))
	}
	for _, v := range views {
		if len(at[v]) != 10 {
			t.Errorf("view %d was updated in rounds (by 3) %v; want one in 3", v.ID(), at[v])
			continue
		}
		for _, phase := range at[v] {
			if phase != at[v][0] {
				t.Errorf("view %d was updated in rounds (by 3) %v", v.ID(), at[v])
				break
			}
		}
	}
}
