package grid

import (
	"fmt"
	"sync/atomic"
)

// MaxHistory is the largest Config.History.
const MaxHistory = 1 << 16

// past is the ring of the newest snapshots: the current one and up to kept before it.
// Snapshots are numbered from 1 on, so the numbers from newest - kept to newest are
// there, as far as there were so many.
//
// Readers look into it while the writer replaces entries. That is sound by this order:
// the writer first makes a number the newest, which puts the number kept + 1 below it
// out of the ring, and then writes the entry that the two share. So who read entries
// and finds afterwards that newest <= number + kept has read what belongs to number and
// to all after it.
type past struct {
	kept    uint64
	entries []pastEntry // number n is at n mod len; nil if none are kept
	newest  atomic.Uint64
}

// pastEntry has the tick beside the snapshot: who has not pinned a snapshot may not
// read it.
type pastEntry struct {
	tick     atomic.Uint64
	snapshot atomic.Pointer[Snapshot]
}

// keep sets how many are kept, before the first.
func (p *past) keep(n int) {
	if n > 0 {
		p.kept, p.entries = uint64(n), make([]pastEntry, n+1)
	}
}

func (p *past) entry(number uint64) *pastEntry { return &p.entries[number%uint64(len(p.entries))] }

// oldest returns the lowest number kept when the newest is number.
func (p *past) oldest(number uint64) uint64 { return number - min(p.kept, number-1) }

// has reports whether a number is not yet out of the ring.
func (p *past) has(number uint64) bool { return p.newest.Load() <= number+p.kept }

// push makes s, which follows last, the newest, and returns the one that is out of the
// ring now; nil if none is.
func (p *past) push(s, last *Snapshot) (out *Snapshot) {
	if p.entries == nil {
		return last
	}
	p.newest.Store(s.number)
	e := p.entry(s.number)
	out = e.snapshot.Swap(s)
	e.tick.Store(s.tick)
	return out
}

// before returns the number of the newest kept snapshot before now that is not later
// than tick, which is before now's; 0 if there is none. It is right if that number, or
// the oldest if there is none, is still in the ring afterwards.
func (p *past) before(now *Snapshot, tick uint64) uint64 {
	oldest := p.oldest(now.number)
	lo, hi := oldest, now.number // the first that is later is among them
	for lo < hi {
		mid := lo + (hi-lo)/2
		if p.entry(mid).tick.Load() <= tick {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == oldest {
		return 0
	}
	return lo - 1
}

// oldestTick returns the tick of the oldest snapshot kept when now is the newest. ok is
// false if it went out of the ring meanwhile.
func (p *past) oldestTick(now *Snapshot) (tick uint64, ok bool) {
	oldest := p.oldest(now.number)
	if oldest == now.number {
		return now.tick, true
	}
	tick = p.entry(oldest).tick.Load()
	return tick, p.has(oldest)
}

// PinAt is [Reader.Pin] for the state as of a tick: the newest snapshot that is not
// later. Config.History says how far back that goes. Queries find what they found when
// that snapshot was the current one, in the same order. The errors are [ErrTick] (tick
// is later than the current one, or before the oldest that is kept; it names both),
// [ErrPinned], [ErrUnpublished] and [ErrClosed]. It never blocks on the writer, does
// not allocate but for errors, and takes O(log History).
//
// If the snapshot goes out of the history meanwhile, it looks again. What is pinned
// stays as it is until Unpin, also when it is no longer kept.
func (r *Reader) PinAt(tick uint64) (*Snapshot, error) {
	for {
		now, err := r.Pin()
		if err != nil {
			return nil, err
		}
		if tick == now.tick {
			return now, nil
		}
		s, err := r.goBack(now, tick)
		if s != nil {
			return s, nil
		}
		r.Unpin()
		if err != nil {
			return nil, err
		}
	}
}

// goBack replaces the pin of now by that of the newest snapshot not later than tick.
// Without one it returns an error. Both are nil if what it looked at went out of the
// ring meanwhile. While it looks, now is pinned, so Close does not free anything.
func (r *Reader) goBack(now *Snapshot, tick uint64) (*Snapshot, error) {
	p := &r.grid.past
	if tick < now.tick {
		if number := p.before(now, tick); number != 0 {
			s := p.entry(number).snapshot.Load()
			r.pinned.Store(s)
			if p.has(number) {
				return s, nil
			}
			return nil, nil
		}
	}
	oldest, ok := p.oldestTick(now)
	if !ok {
		return nil, nil
	}
	return nil, fmt.Errorf("%w: %d; kept are %d to %d", ErrTick, tick, oldest, now.tick)
}

// OldestTick returns the oldest tick that [Reader.PinAt] finds now. ok is false if
// nothing is published. For the writer's goroutine, and those that it waits for. O(1).
func (g *Grid) OldestTick() (tick uint64, ok bool) {
	now := g.current.Load()
	if now == nil {
		return 0, false
	}
	return g.past.oldestTick(now)
}

// oldestKept returns the oldest snapshot that can be pinned. For the writer.
func (g *Grid) oldestKept(current *Snapshot) *Snapshot {
	oldest := g.past.oldest(current.number)
	if oldest == current.number {
		return current
	}
	return g.past.entry(oldest).snapshot.Load()
}

// hold notes that a snapshot shows its stores.
func (g *Grid) hold(s *Snapshot) {
	for i := range s.layers {
		if shown := s.layers[i].store; shown != empty {
			shown.shown++
		}
	}
}

// release takes back what hold noted, when nobody can pin s any more. Readers that have
// it pinned are asked for at the next Publish.
func (g *Grid) release(s *Snapshot) {
	for i := range s.layers {
		shown := s.layers[i].store
		if shown == empty {
			continue
		}
		if shown.shown--; shown.shown == 0 {
			g.layers[i].idle = append(g.layers[i].idle, shown)
		}
	}
	g.idle = append(g.idle, s)
}
