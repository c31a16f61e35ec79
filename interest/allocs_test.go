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
