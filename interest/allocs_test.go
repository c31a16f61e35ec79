package interest

import (
	"fmt"
	"testing"

	"vicinity/arena"
	"vicinity/grid"
)

// zeroAllocs fails if f allocates, on the heap or mapped.
func zeroAllocs(t *testing.T, name string, f func()) {
	t.Helper()
	before := arena.MappedBytes()
	if n := testing.AllocsPerRun(15, f); n != 0 {
		t.Errorf("%s allocates %v times a run", name, n)
	}
	if got := arena.MappedBytes() - before; got != 0 {
		t.Errorf("%s maps %d bytes", name, got)
	}
}

// steady is a world in its steady state: everybody moves and some are replaced, so
// that slots are used again and views see enters and leaves all the time.
type steady struct {
	*world
	r       *random
	handles []arena.Handle
	views   []*View
	lastID  uint64
	events  int
}

func newSteady(t *testing.T) *steady {
	const n = 600
	s := &steady{r: newRandom(t, 11), world: newWorld(t, false, Reach{Enter: 150, Margin: 30}, Reach{Enter: 250, Margin: 10})}
	for i := range n {
		s.lastID++
		s.handles = append(s.handles, s.spawn(s.lastID, i%2, s.r.point(1000)))
	}
	for i := range n / 4 {
		o := Observer{ID: uint64(i), ExcludeSelf: i%2 == 0}
		if i%7 == 0 {
			o.At = s.r.point(1000)
		} else {
			o.Entity = s.handles[3*i]
		}
		s.views = append(s.views, s.add(o))
	}
	return s
}

// crowd brings everybody to one place for a while, so that all lists get more room
// than they ever need again.
func (s *steady) crowd(update func()) {
	for range 4 {
		for _, h := range s.handles {
			s.move(h, s.r.point(60))
		}
		s.publish()
		update()
		s.commit()
	}
	for _, h := range s.handles {
		s.move(h, s.r.point(1000))
	}
	s.publish()
	update()
	for range 10 {
		s.churn()
		update()
		s.commit()
	}
}

func (s *steady) churn() {
	for _, h := range s.handles {
		p, _ := s.grid.Position(h)
		s.move(h, grid.Point{X: min(max(p.X+s.r.spread(15), -1000), 1000), Y: min(max(p.Y+s.r.spread(15), -1000), 1000)})
	}
	for range 10 {
		// Every third is an observer's, and stays.
		i := 3*s.r.below(len(s.handles)/3) + 1 + s.r.below(2)
		s.despawn(s.handles[i])
		s.lastID++
		s.handles[i] = s.spawn(s.lastID, i%2, s.r.point(1000))
	}
	s.publish()
}

func (s *steady) commit() {
	for _, v := range s.views {
		v.Commit()
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	bothWays(t, func(t *testing.T, prepare func(*Set)) {
		for _, n := range []int{1, 2} {
			t.Run(fmt.Sprintf("workers=%d", n), func(t *testing.T) {
				workers := grid.NewWorkers(n)
				defer workers.Close()
				s := newSteady(t)
				prepare(s.set)
				all := func() { s.must(s.set.UpdateAll(workers)) }
				s.crowd(all)
				enters, leaves, members := make([]Event, 0, 2000), make([]Event, 0, 2000), make([]Member, 0, 2000)
				zeroAllocs(t, "a tick", func() {
					s.churn()
					all()
					for _, v := range s.views {
						enters, leaves = v.AppendEnters(enters[:0]), v.AppendLeaves(leaves[:0])
						members = v.AppendMembers(members[:0])
						s.events += len(enters) + len(leaves)
						if s.r.below(4) > 0 { // some frames are lost
							v.Commit()
						}
					}
				})
				if st := s.set.Stats(); s.events < 100 || (st.OnePass == 0) != s.set.compareOnly || st.Members < 1000 {
					t.Errorf("%d events, %+v: hardly anything happens", s.events, st)
				}
				s.commit()
				visit := func(_ int, v *View) { v.Commit() }
				zeroAllocs(t, "UpdateEach", func() {
					s.churn()
					s.must(s.set.UpdateEach(workers, visit))
				})
				zeroAllocs(t, "Update", func() {
					s.churn()
					for _, v := range s.views {
						s.must(s.set.Update(v))
						v.Commit()
					}
				})
				zeroAllocs(t, "Resync", func() {
					s.churn()
					all()
					for _, v := range s.views {
						v.Resync()
					}
					s.commit()
				})
				zeroAllocs(t, "looking", func() {
					for _, v := range s.views {
						_, _, _ = v.Len(), v.Observer(), s.set.Stats()
					}
				})
			})
		}
	})
}

func TestUpdateFromAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	s := newSteady(t)
	set, err := New(Config{Arena: s.arena})
	s.must(err)
	v, err := set.Add(Observer{})
	s.must(err)
	candidates, enters := make([]Candidate, 0, len(s.handles)), make([]Event, 0, len(s.handles))
	collect := func(reach int32) {
		candidates = candidates[:0]
		for i, h := range s.handles {
			if p, _ := s.grid.Position(h); inside(p, grid.Point{}, reach+50) {
				candidates = append(candidates, Candidate{Entity: h, ID: s.lastID*100_000 + uint64(i), Inner: inside(p, grid.Point{}, reach)})
			}
		}
		s.must(v.UpdateFrom(candidates))
	}
	collect(3000)
	v.Commit()
	for range 10 {
		s.churn()
		collect(300)
		v.Commit()
	}
	zeroAllocs(t, "UpdateFrom", func() {
		s.churn()
		collect(300)
		enters = v.AppendEnters(enters[:0])
		s.events += len(enters)
		v.Commit()
	})
	if s.events == 0 {
		t.Error("nothing happens")
	}
}

// TestEverythingOnAllocatesNothing: with relations, groups, masks, a predicate, caps,
// levels, rates and viewpoints, all of which change all the time.
func TestEverythingOnAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, n := range []int{1, 2} {
		workers := grid.NewWorkers(n)
		defer workers.Close()
		s := newSteady(t)
		set, err := New(Config{
			Arena: s.arena, Grid: s.grid, Reach: s.set.cfg.Reach, Levels: Levels{Near: 50, Mid: 100, Margin: 10},
			Predicate: func(observer uint64, h arena.Handle) bool { return (observer+uint64(h))%3 != 0 },
		})
		s.must(err)
		var views []*View
		for i := range 150 {
			o := Observer{
				ID: uint64(i), Entity: s.handles[3*i], Mask: uint32(i % 4), Groups: [4]uint32{uint32(i % 20)}, Measured: true,
				SendEvery: i % 3,
			}
			if i%4 == 0 {
				o.Cap = Cap{MaxMembers: 10, MaxSwap: 2}
			}
			if i%5 == 0 {
				o.More = []Viewpoint{{At: s.r.point(1000)}}
			}
			v, err := set.Add(o)
			s.must(err)
			views = append(views, v)
		}
		observers := make([]*View, 0, len(views))
		visit := func(_ int, v *View) { v.Commit() }
		tick := func() {
			for range 20 {
				h, v := s.handles[s.r.below(len(s.handles))], views[s.r.below(len(views))]
				s.must(set.SetTraits(h, Traits{Need: uint32(s.r.below(4)), Groups: [4]uint32{uint32(s.r.below(20))}, Ask: s.r.below(3) == 0}))
				s.must(set.Invalidate(h))
				v.SetMask(uint32(s.r.below(4)))
				v.Unrelate(h, Quest)
				v.Unrelate(s.handles[0], Quest)
				s.must(v.Relate(s.handles[3*s.r.below(3)], Quest))
				v.SetGroups([4]uint32{uint32(s.r.below(20))})
				observers = set.AppendObserversOf(observers[:0], h)
				s.must(v.SetRate(s.r.below(3)))
				v.SetPaused(s.r.below(8) == 0)
			}
			s.churn()
			s.must(set.UpdateEach(workers, visit))
		}
		s.crowd(func() { s.must(set.UpdateEach(workers, visit)) })
		for range 300 {
			tick()
		}
		zeroAllocs(t, "a tick", tick)
		s.must(set.CheckInvariants())
		if st := set.Stats(); st.Members == 0 || st.Culled == 0 || st.General == 0 || st.OnePass == 0 {
			t.Errorf("%+v: not everything was seen", st)
		}
	}
}
