package interest

import (
	"slices"
	"testing"

	"vicinity/grid"
)

// TestSendEvery is rule 12: a view with a rate is updated at every n-th call, and
// the work is even.
func TestSendEvery(t *testing.T) {
	w := near100(t)
	r := newRandom(t, 51)
	at := map[*View][]int{}
	want := 0.0
	for i := range 600 {
		o := Observer{ID: uint64(i), At: r.point(1000), SendEvery: []int{0, 1, 2, 3, 4, 5, 7, 10}[r.below(8)]}
		if i%3 > 0 {
			o.Entity = w.spawn(uint64(i), 0, r.point(1000))
		}
		w.add(o)
		want += 1 / float64(max(o.SendEvery, 1))
	}
	var loads []int
	for round := range 60 {
		// Looking from elsewhere does not change when.
		v := w.set.views[r.below(600)]
		w.must(v.SetCentre(v.entity, r.point(1000)))
		w.publish()
		w.must(w.set.UpdateEach(nil, func(_ int, v *View) { at[v] = append(at[v], round) }))
		loads = append(loads, w.set.Stats().Updated)
	}
	for v, rounds := range at {
		every := max(v.Observer().SendEvery, 1)
		if rounds[0] >= every || len(rounds) != 60/every && len(rounds) != 60/every+1 {
			t.Fatalf("every %d: %v", every, rounds)
		}
		for i := 1; i < len(rounds); i++ {
			if rounds[i]-rounds[i-1] != every {
				t.Fatalf("every %d: %v", every, rounds)
			}
		}
	}
	if len(at) != 600 {
		t.Errorf("%d views were updated", len(at))
	}
	if lo, hi := slices.Min(loads), slices.Max(loads); float64(lo) < want-6 || float64(hi) > want+6 {
		t.Errorf("%d to %d updates a call; want about %.0f: %v", lo, hi, want, loads)
	}
}

// TestPhasesStayEven: views that come and go, and change their rates, leave it even.
func TestPhasesStayEven(t *testing.T) {
	w := near100(t)
	r := newRandom(t, 52)
	var views []*View
	for i := range 3000 {
		switch {
		case i < 500 || r.below(2) == 0:
			views = append(views, w.add(Observer{SendEvery: 4}))
		case r.below(2) == 0:
			k := r.below(len(views))
			w.must(w.set.Remove(views[k]))
			views = slices.Delete(views, k, k+1)
		default:
			v := views[r.below(len(views))]
			w.must(v.SetRate(1 + r.below(8)))
			v.SetPaused(r.below(4) == 0)
		}
	}
	for _, v := range views {
		v.SetPaused(false)
		w.must(v.SetRate(4))
	}
	w.publish()
	var loads []int
	for range 8 {
		w.must(w.set.UpdateAll(nil))
		loads = append(loads, w.set.Stats().Updated)
	}
	if n := len(views); slices.Max(loads) > n/4+n/50+2 {
		t.Errorf("%d views every 4: %v", n, loads)
	}
}

// TestPausedView: a paused view stays as it is, is not visited, and has an exact
// difference afterwards.
func TestPausedView(t *testing.T) {
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		w := near100(t)
		prepare(w.set)
		me, stays, goes, comes := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 50}), w.spawn(3, 0, grid.Point{X: 60}), w.spawn(4, 0, grid.Point{X: 500})
		dies := w.spawn(5, 0, grid.Point{X: 10})
		v := w.add(Observer{Entity: me, ExcludeSelf: true})
		w.step()
		w.expect(v, "near", "+2 range, +3 range, +5 range, ")
		v.SetPaused(true)
		w.move(goes, grid.Point{X: 400})
		w.move(stays, grid.Point{X: 115}) // between the radii
		w.despawn(dies)
		for range 3 {
			w.publish()
			w.must(w.set.UpdateEach(nil, func(int, *View) { t.Error("a paused view is visited") }))
			if st := w.set.Stats(); st != (Stats{}) || v.Len() != 3 || !v.Paused() {
				t.Errorf("%+v, %d members, paused %v", st, v.Len(), v.Paused())
			}
			w.expect(v, "paused", "")
		}
		if again := w.spawn(6, 0, grid.Point{X: 20}); again.Slot() != dies.Slot() {
			t.Fatalf("slot %v; want that of %v", again, dies)
		}
		w.move(comes, grid.Point{X: 70})
		v.SetPaused(false)
		w.step()
		w.expect(v, "afterwards", "+4 range, +6 range, -3 range, -5 despawn, ")
	})
}

// TestReverse is rule 15 by hand: who has it in view is found wherever it looks
// from, whatever happened since the update.
func TestReverse(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100, Margin: 20}, Reach{Enter: 1000})
	a, b, giant := w.spawn(1, 0, grid.Point{}), w.spawn(2, 0, grid.Point{X: 90}), w.spawn(3, 1, grid.Point{X: 900})
	va, vb := w.add(Observer{ID: 10, Entity: a}), w.add(Observer{ID: 5, Entity: b, ExcludeSelf: true})
	vg := w.add(Observer{ID: 7, Entity: giant, Scale: 0.5})
	point := w.add(Observer{ID: 7, At: grid.Point{X: 50}})
	check := func(when string, h interface{ Slot() uint32 }, want ...*View) {
		t.Helper()
		entity := a
		switch h {
		case b:
			entity = b
		case giant:
			entity = giant
		}
		if got := w.set.AppendObserversOf(nil, entity); !slices.Equal(got, want) {
			t.Errorf("%s: %d views see %v; want %d", when, len(got), entity, len(want))
		}
	}
	w.step()
	check("near", b, point, va)
	check("near", a, vb, point, va)
	check("the giant", giant, vb, vg, point, va)
	w.move(b, grid.Point{X: 5000})
	check("moved, not published", b, point, va)
	w.publish()
	check("published, not updated", b, point, va)
	w.must(w.set.UpdateAll(nil))
	check("updated", b)
	w.must(vg.Relate(b, Spectate))
	check("related, not updated", b)
	w.step()
	check("related", b, vg)
	w.must(w.set.Remove(vg))
	check("removed", b)
	w.must(va.SetReach([]Reach{{Enter: 10_000}, {Enter: 20}}, 0))
	check("another reach, not updated", giant, point, va)
	w.step()
	check("a long reach", b, va)
	check("a short one", giant, point)
	w.despawn(b)
	check("despawned, not published", b, va)
	w.step()
	check("despawned", b)
	w.must(w.set.CheckInvariants())
}
