package fuzz

import (
	"fmt"
	"testing"

	"vicinity/arena"
	"vicinity/crosslist"
	"vicinity/grid"
	"vicinity/interest"
)

// feeds are ways to find the candidates of a view: any index will do.
type feeds struct {
	t        *testing.T
	arena    *arena.Arena
	grid     *grid.Grid
	list     *crosslist.List
	entities map[arena.Handle]*entity
	reach    interest.Reach
}

func (f *feeds) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// candidate tells of an entity what a view that stands at p has to know, and whether
// it is within the leave radius.
func (f *feeds) candidate(p grid.Point, h arena.Handle) (c interest.Candidate, ok bool) {
	e := f.entities[h]
	c = interest.Candidate{Entity: h, ID: e.id, DX: e.at.X - p.X, DY: e.at.Y - p.Y}
	c.Inner = within(p, e.at, f.reach, false, false)
	return c, within(p, e.at, f.reach, true, false)
}

// byLoop looks at everybody.
func (f *feeds) byLoop(p grid.Point) (out []interest.Candidate) {
	for h := range f.entities {
		if c, ok := f.candidate(p, h); ok {
			out = append(out, c)
		}
	}
	return out
}

// byGrid asks the grid's snapshot.
func (f *feeds) byGrid(p grid.Point) (out []interest.Candidate) {
	s := f.grid.Snapshot()
	slots, err := s.AppendSlots(nil, grid.Query{X: p.X, Y: p.Y, Radius: f.reach.Enter + f.reach.Margin})
	f.must(err)
	for _, slot := range slots {
		if c, ok := f.candidate(p, s.Handle(slot)); ok {
			out = append(out, c)
		} else {
			f.t.Fatalf("the grid found %v", c)
		}
	}
	return out
}

// byList asks the sorted lists for the square around.
func (f *feeds) byList(p grid.Point) (out []interest.Candidate) {
	r := f.reach.Enter + f.reach.Margin
	handles, err := f.list.AppendIn(nil, crosslist.Rect{X0: p.X - r, Y0: p.Y - r, X1: p.X + r, Y1: p.Y + r})
	f.must(err)
	for _, h := range handles {
		if c, ok := f.candidate(p, h); ok {
			out = append(out, c)
		}
	}
	return out
}

// TestAnyIndexFeedsAView: from the grid itself, and from candidates of the grid, of
// sorted lists, and of a plain loop, views have the same differences after every tick,
// with a cap and with permission too.
func TestAnyIndexFeedsAView(t *testing.T) {
	for seed := range byte(6) {
		s := newScript([]byte{seed, 3 * seed, 77})
		f := &feeds{t: t, entities: map[arena.Handle]*entity{}, reach: interest.Reach{Enter: 100, Margin: 15}}
		var err error
		f.arena, err = arena.New(arena.Config{Deferred: true})
		f.must(err)
		f.grid, err = grid.New(grid.Config{Arena: f.arena, Layers: []grid.Layer{{CellX: 32}}, Previous: true})
		f.must(err)
		f.list, err = crosslist.New(crosslist.Config{Arena: f.arena})
		f.must(err)
		// One set a way. The first looks for itself.
		var sets [4]*interest.Set
		for i := range sets {
			sets[i], err = interest.New(interest.Config{Arena: f.arena, Grid: f.grid, Reach: []interest.Reach{f.reach}, Seed: 5})
			f.must(err)
		}
		type looker struct {
			at    grid.Point
			views [4]*interest.View
		}
		var lookers []*looker
		var all []arena.Handle
		nextID := uint64(0)
		spawn := func() {
			nextID++
			h, err := f.arena.Alloc()
			f.must(err)
			e := &entity{handle: h, id: nextID * 7919 % 10007, at: grid.Point{X: s.spread(400), Y: s.spread(400)}}
			f.entities[h] = e
			all = append(all, h)
			f.must(f.grid.Insert(h, e.id, 0, e.at))
			_, err = f.list.AppendInsert(nil, h, e.id, e.at.X, e.at.Y)
			f.must(err)
			for _, set := range sets {
				f.must(set.SetTraits(h, interest.Traits{Need: uint32(e.id % 2), Protected: e.id%9 == 0}))
			}
		}
		for range 150 {
			spawn()
		}
		for i := range 12 {
			l := &looker{at: grid.Point{X: s.spread(300), Y: s.spread(300)}}
			for k, set := range sets {
				o := interest.Observer{ID: uint64(i), At: l.at, Mask: uint32(i % 3), Measured: true}
				if i%4 == 3 {
					o.Cap = interest.Cap{MaxMembers: 5, MaxSwap: 1}
				}
				l.views[k], err = set.Add(o)
				f.must(err)
			}
			lookers = append(lookers, l)
		}
		events := 0
		for tick := range 40 {
			for i := 0; i < len(all); i++ {
				h := all[i]
				e := f.entities[h]
				switch k := s.below(40); {
				case k == 0 && len(all) > 50:
					_, err := f.list.AppendRemove(nil, h)
					f.must(err)
					f.must(f.grid.Remove(h))
					f.arena.Free(h)
					delete(f.entities, h)
					all[i] = all[len(all)-1]
					all = all[:len(all)-1]
				case k < 30:
					e.at.X, e.at.Y = clamp(e.at.X+s.spread(20), 400), clamp(e.at.Y+s.spread(20), 400)
					f.must(f.grid.Move(h, e.at.X, e.at.Y))
					_, err := f.list.AppendMove(nil, h, e.at.X, e.at.Y)
					f.must(err)
				}
			}
			for range s.below(8) {
				spawn()
			}
			f.must(f.grid.Publish(uint64(tick + 1)))
			f.must(sets[0].UpdateAll(nil))
			for i, l := range lookers {
				for k, find := range []func(grid.Point) []interest.Candidate{f.byGrid, f.byList, f.byLoop} {
					f.must(l.views[k+1].UpdateFrom(find(l.at)))
				}
				want := ""
				for k, v := range l.views {
					enters, leaves := v.AppendEnters(nil), v.AppendLeaves(nil)
					got := fmt.Sprint(enters, leaves, v.AppendMembers(nil))
					for _, m := range v.AppendMembers(nil) {
						got += fmt.Sprint(" ", v.Columns().Dist2[m.Row])
					}
					if k == 0 {
						want = got
						events += len(enters) + len(leaves)
					}
					if got != want {
						t.Fatalf("seed %d, tick %d, view %d, feed %d:\n%s\nwant %s", seed, tick, i, k, got, want)
					}
				}
				if s.below(4) > 0 {
					for _, v := range l.views {
						v.Commit()
					}
				}
			}
		}
		if events < 200 {
			t.Errorf("seed %d: %d events: hardly anything happens", seed, events)
		}
		f.must(f.grid.Close())
		f.must(f.arena.Close())
	}
}
