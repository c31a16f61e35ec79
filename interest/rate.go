package interest

import "fmt"

// MaxSendEvery is the largest Observer.SendEvery. Every rate up to 8 divides it.
const MaxSendEvery = 840

// SetRate makes UpdateAll update the view at every n-th of its calls only, 1 to
// MaxSendEvery; 0 means 1. Which of them is chosen so that all calls have about the
// same number of views to update. The errors are [ErrRate] and [ErrView]; then nothing
// has changed. O(MaxSendEvery).
func (v *View) SetRate(sendEvery int) error {
	if v.set == nil {
		return ErrView
	}
	if err := checkRate(v.observer.ID, sendEvery); err != nil {
		return err
	}
	v.set.unschedule(v)
	v.observer.SendEvery, v.every = sendEvery, uint16(max(sendEvery, 1))
	v.set.schedule(v)
	return nil
}

func checkRate(id uint64, sendEvery int) error {
	if sendEvery < 0 || sendEvery > MaxSendEvery {
		return fmt.Errorf("%w: %d: SendEvery %d; want 0 to %d", ErrRate, id, sendEvery, MaxSendEvery)
	}
	return nil
}

// SetPaused says whether UpdateAll leaves the view out: it stays as it is and costs
// nothing. What happened meanwhile is in the first difference afterwards.
// [Set.Update] updates it all the same. O(MaxSendEvery).
func (v *View) SetPaused(paused bool) {
	if v.set == nil || v.paused == paused {
		return
	}
	v.set.unschedule(v)
	v.paused = paused
	v.set.schedule(v)
}

// Paused reports whether the view is paused.
func (v *View) Paused() bool { return v.paused }

// state is what a look at all views needs of one, by View.number: they are far
// apart, these are side by side.
type state struct {
	every, phase uint16
	paused       bool
	point        bool // it is centred on no entity
	// regular says that, since its last update in a UpdateAll, it has nobody as a
	// member but who is within reach of the entity that it is centred on.
	regular bool
}

// due reports whether a view is to be updated in a round.
func (st *state) due(round uint64) bool {
	return !st.paused && (st.every <= 1 || round%uint64(st.every) == uint64(st.phase))
}

// timetable counts the views to be updated in each of so many rounds, besides those
// of every round; it repeats for most rates.
type timetable struct {
	load []int32 // MaxSendEvery elements, once there are any
}

// schedule gives a view its phase, the least busy one, and its place in the list of
// its centre.
func (s *Set) schedule(v *View) {
	v.phase = 0
	if v.every > 1 && !v.paused {
		if s.timetable.load == nil {
			s.timetable.load = make([]int32, MaxSendEvery)
		}
		least := int64(-1)
		for phase := range int(v.every) {
			sum, n := int64(0), int64(0)
			for at := phase; at < MaxSendEvery; at += int(v.every) {
				sum, n = sum+int64(s.timetable.load[at]), n+1
			}
			// The mean, for phases that come up once more than others.
			if sum = sum * MaxSendEvery / n; least < 0 || sum < least {
				least, v.phase = sum, uint16(phase)
			}
		}
		s.timetable.add(v, 1)
	}
	s.enter(v)
}

// enter notes a view's rate and centre. Until its next update it counts as
// irregular: nobody knows when the last was, or from where.
func (s *Set) enter(v *View) {
	v.regular = false
	s.states[v.number] = state{every: v.every, phase: v.phase, paused: v.paused, point: v.entity == 0}
	s.link(v)
}

// unschedule undoes schedule.
func (s *Set) unschedule(v *View) {
	s.unlink(v)
	if v.every > 1 && !v.paused {
		s.timetable.add(v, -1)
	}
}

func (t *timetable) add(v *View, n int32) {
	for at := int(v.phase); at < MaxSendEvery; at += int(v.every) {
		t.load[at] += n
	}
}
