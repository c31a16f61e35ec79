package interest

import (
	"fmt"
	"testing"

	"vicinity/grid"
)

// TestDelivery plays every sequence of five acts on one entity, against the rule: the
// difference is what is a member now against what was delivered last.
func TestDelivery(t *testing.T) {
	acts := []string{"in", "kept", "out", "commit", "resync", "skip"}
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		const length = 5
		n := 1
		for range length {
			n *= len(acts)
		}
		stride := 3
		if raceEnabled || testing.Short() {
			stride = 17
		}
		for number := 0; number < n; number += stride {
			w := newWorld(t, false, Reach{Enter: 100, Margin: 20})
			prepare(w.set)
			h := w.spawn(7, 0, grid.Point{X: 1000})
			v := w.add(Observer{})
			w.step()
			member, delivered, script := false, false, ""
			for k, rest := 0, number; k < length; k, rest = k+1, rest/len(acts) {
				act := acts[rest%len(acts)]
				script += act + ", "
				updated := true
				switch act {
				case "in":
					w.move(h, grid.Point{X: 90})
					member = true
				case "kept":
					w.move(h, grid.Point{X: 110})
				case "out":
					w.move(h, grid.Point{X: 130})
					member = false
				case "commit":
					v.Commit()
					delivered, updated = member, false
				case "resync":
					v.Resync()
					delivered, updated = false, false
				case "skip": // a snapshot that nobody looks at
					w.publish()
					updated = false
				}
				if updated {
					w.step()
				}
				enters, leaves := v.AppendEnters(nil), v.AppendLeaves(nil)
				if (len(enters) == 1) != (member && !delivered) || (len(leaves) == 1) != (delivered && !member) || (v.Len() == 1) != member {
					t.Fatalf("%smember %v, delivered %v: enters %v, leaves %v, Len %d", script, member, delivered, enters, leaves, v.Len())
				}
			}
			if err := v.CheckInvariants(); err != nil {
				t.Fatalf("%s%v", script, err)
			}
		}
	})
}

// TestUndelivered: the cases that others got wrong, with rows and reasons.
func TestUndelivered(t *testing.T) {
	type act struct {
		do   string
		want string
	}
	for name, acts := range map[string][]act{
		"an enter stays pending": {
			{"in", "+7 range, "}, {"nothing", "+7 range, "}, {"in", "+7 range, "}, {"commit", ""}, {"nothing", ""}},
		"an enter that leaves costs nothing": {
			{"in", "+7 range, "}, {"out", ""}, {"commit", ""}, {"nothing", ""}},
		"a leave stays pending": {
			{"in", "+7 range, "}, {"commit", ""}, {"out", "-7 range, "}, {"nothing", "-7 range, "}, {"nothing", "-7 range, "}, {"commit", ""}},
		"a leave that returns is no event": {
			{"in", "+7 range, "}, {"commit", ""}, {"out", "-7 range, "}, {"in", ""}, {"commit", ""}, {"out", "-7 range, "}},
		"in the margin it does not return": {
			{"in", "+7 range, "}, {"commit", ""}, {"out", "-7 range, "}, {"kept", "-7 range, "}, {"in", ""}},
		"all lost for a while": {
			{"in", "+7 range, "}, {"commit", ""}, {"out", "-7 range, "}, {"in", ""}, {"out", "-7 range, "}, {"in", ""}, {"commit", ""}, {"nothing", ""}},
		"resync": {
			{"in", "+7 range, "}, {"commit", ""}, {"resync", "+7 resync, "}, {"nothing", "+7 resync, "}, {"commit", ""}},
		"resync drops leaves": {
			{"in", "+7 range, "}, {"commit", ""}, {"out", "-7 range, "}, {"resync", ""}, {"nothing", ""}, {"in", "+7 range, "}},
		"resync of a pending enter": {
			{"in", "+7 range, "}, {"resync", "+7 range, "}, {"out", ""}},
		"resync and leave": {
			{"in", "+7 range, "}, {"commit", ""}, {"resync", "+7 resync, "}, {"out", ""}, {"in", "+7 range, "}},
		"despawn while the leave is pending": {
			{"in", "+7 range, "}, {"commit", ""}, {"out", "-7 range, "}, {"despawn", "-7 range, "}, {"commit", ""}, {"nothing", ""}},
		"despawn while the enter is pending": {
			{"in", "+7 range, "}, {"despawn", ""}, {"commit", ""}},
		"despawn": {
			{"in", "+7 range, "}, {"commit", ""}, {"despawn", "-7 despawn, "}, {"nothing", "-7 despawn, "}, {"commit", ""}},
		"a leave, late": {
			{"in", "+7 range, "}, {"commit", ""}, {"despawn", "-7 despawn, "}, {"respawn", "+7 range, -7 despawn, "}, {"commit", ""}, {"nothing", ""}},
		"reach": {
			{"in", "+7 range, "}, {"commit", ""}, {"short", "-7 reach changed, "}, {"nothing", "-7 reach changed, "}, {"long", ""}, {"commit", ""}},
		"reach, undelivered": {
			{"in", "+7 range, "}, {"short", ""}, {"long", "+7 reach changed, "}},
	} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, prepare func(*Set)) {
				w := newWorld(t, false, Reach{Enter: 100, Margin: 20})
				prepare(w.set)
				h := w.spawn(7, 0, grid.Point{X: 1000})
				v := w.add(Observer{})
				w.step()
				for k, a := range acts {
					switch a.do {
					case "in":
						w.move(h, grid.Point{X: 90})
					case "kept":
						w.move(h, grid.Point{X: 110})
					case "out":
						w.move(h, grid.Point{X: 130})
					case "despawn":
						w.despawn(h)
					case "respawn":
						h = w.spawn(7, 0, grid.Point{X: 90})
					case "short":
						w.must(v.SetReach([]Reach{{Enter: 10}}, 0))
					case "long":
						w.must(v.SetReach(nil, 0))
					case "commit":
						v.Commit()
					case "resync":
						v.Resync()
					}
					if a.do != "commit" && a.do != "resync" {
						w.step()
					}
					if got := pending(v); got != a.want {
						t.Errorf("act %d, %s: got %q; want %q", k, a.do, got, a.want)
					}
					w.must(v.CheckInvariants())
				}
			})
		})
	}
}

// TestCommitIsOfTheLastUpdate: what happens in the grid between update and Commit
// is not confirmed by it.
func TestCommitIsOfTheLastUpdate(t *testing.T) {
	w := newWorld(t, false, Reach{Enter: 100})
	a := w.spawn(1, 0, grid.Point{})
	v := w.add(Observer{})
	w.step()
	w.despawn(a)
	w.spawn(2, 0, grid.Point{})
	w.publish()
	w.expect(v, "as of the update", "+1 range, ")
	w.must(w.set.UpdateAll(nil))
	w.expect(v, "and then", "+2 range, -1 despawn, ")
}

// TestPause: an observer that is not updated for a while gets the exact difference
// afterwards, whatever happened meanwhile; those beside it are updated alone.
func TestPause(t *testing.T) {
	for _, pause := range []int{1, 2, 3, 10} {
		w := newWorld(t, false, Reach{Enter: 100, Margin: 20})
		me := w.spawn(1, 0, grid.Point{})
		stays, goes := w.spawn(2, 0, grid.Point{X: 100}), w.spawn(3, 0, grid.Point{X: 90})
		paused, other := w.add(Observer{Entity: me}), w.add(Observer{Entity: me})
		w.step()
		paused.Commit()
		for k := range pause {
			w.move(me, grid.Point{Y: int32(k)})
			w.move(stays, grid.Point{X: 110})
			w.move(goes, grid.Point{X: 90 + 50*int32(k)})
			if k == pause/2 {
				w.spawn(4, 0, grid.Point{X: 5})
			}
			w.publish()
			w.must(w.set.Update(other))
		}
		w.despawn(goes)
		w.publish()
		w.must(w.set.UpdateAll(nil))
		w.expect(paused, fmt.Sprint("after ", pause), "+4 range, -3 despawn, ")
		if got, want := fmt.Sprint(members(paused)), "[1 2 4]"; got != want {
			t.Errorf("members %s; want %s", got, want)
		}
	}
}
