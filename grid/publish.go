package grid

import "fmt"

// Publish makes the pending state the current snapshot, of the given tick: it
// sorts the layers that changed into spare buffers and swaps. The errors are
// [ErrTick] (the tick is not later than the last), [ErrClosed], and those of
// package arena when memory cannot be had; then nothing has happened. O(elements
// of the changed layers), however many snapshots are kept; it allocates only to grow,
// and until Config.History snapshots are there.
func (g *Grid) Publish(tick uint64) error {
	if g.closed.Load() {
		return ErrClosed
	}
	last := g.current.Load()
	if last != nil && tick <= last.tick {
		return fmt.Errorf("%w: %d after %d", ErrTick, tick, last.tick)
	}
	g.attempts++
	g.markPinned()
	g.distribute()
	if err := g.reserve(); err != nil {
		g.undistribute()
		return err
	}
	s := g.takeSnapshot()
	*s = Snapshot{grid: g, tick: tick, number: 1, layers: s.layers[:0]}
	if last != nil {
		s.previous, s.follows, s.number = last.tick, true, last.number+1
	}
	for _, l := range g.layers {
		s.relayered = s.relayered || l.leaving > 0 || g.reshaped
		s.layers = append(s.layers, g.publishLayer(l))
		s.n += l.store.n
	}
	g.settle()
	s.gens, s.ids = g.gens.Slice(), g.ids.Slice()
	s.batch = g.cfg.Arena.Seal()
	g.hold(s)
	g.current.Store(s)
	if out := g.past.push(s, last); out != nil {
		g.release(out)
	}
	g.cfg.Arena.Reclaim(g.oldestBatch(s))
	g.counted.publishes++
	return nil
}

// publishLayer sorts the layer if it changed, and returns what the snapshot
// shows of it.
func (g *Grid) publishLayer(l *layer) view {
	if !l.changed() {
		g.counted.shared++
		// Nothing moved: where everything is, it was.
		v := view{store: l.store, layer: l.of, cells: l.store.cells, steady: true}
		v.cells.OldX, v.cells.OldY, v.cells.OldZ = v.cells.X, v.cells.Y, v.cells.Z
		return v
	}
	l.takeSpare()
	g.sorter().sort(g, l)
	l.dirty.Store(0)
	g.counted.sorted++
	g.counted.sortedElements += uint64(l.store.n)
	return view{
		store: l.store, layer: l.of, cells: l.store.cells, rebuilt: true,
		steady: l.previous && l.store.steady, step: l.store.step, extra: len(l.store.cells.X) - l.store.n,
	}
}

// markPinned marks the stores and snapshots that are pinned.
func (g *Grid) markPinned() {
	g.eachPinned(func(s *Snapshot) {
		s.pinnedAt = g.attempts
		for i := range s.layers {
			if pinned := s.layers[i].store; pinned != empty {
				pinned.pinnedAt = g.attempts
			}
		}
	})
}

// takeSnapshot returns a snapshot that is neither current, kept nor pinned.
func (g *Grid) takeSnapshot() *Snapshot {
	for i, s := range g.idle {
		if s.pinnedAt != g.attempts {
			last := len(g.idle) - 1
			g.idle[i] = g.idle[last]
			g.idle = g.idle[:last]
			return s
		}
	}
	g.snapshots++
	return &Snapshot{layers: make([]view, 0, len(g.layers))}
}

// distribute hands the arrivals to their layers and counts who leaves one.
func (g *Grid) distribute() {
	homes := g.homes.Slice()
	for _, slot := range g.arrivals {
		h := homes[slot]
		if h.want == 0 || h.want == h.have {
			continue
		}
		to := g.layers[h.want-1]
		to.incoming = append(to.incoming, slot)
		if h.have != 0 {
			g.layers[h.have-1].leaving++
		}
	}
}

func (g *Grid) undistribute() {
	for _, l := range g.layers {
		l.incoming, l.leaving = l.incoming[:0], 0
	}
}

// reserve chooses the torus and gets the memory of all layers to be sorted, so
// that nothing can fail later.
func (g *Grid) reserve() error {
	for _, l := range g.layers {
		if !l.changed() {
			continue
		}
		n := l.store.n + len(l.incoming)
		s := l.spare(g.attempts)
		s.torus = l.fit(l.store.torus, l.boxBefore(g.xy.Slice()), n)
		jumps := 0
		if l.previous {
			jumps = maxJumps(n)
		}
		if err := s.reserve(l, n+jumps, s.torus.Cells()); err != nil {
			return err
		}
		if err := g.sorter().reserve(n, s.torus.Cells(), g.parts(n)); err != nil {
			return err
		}
		l.next = s
	}
	return nil
}

// settle notes where everything is now.
func (g *Grid) settle() {
	homes := g.homes.Slice()
	g.arrived = g.arrived[:0]
	for _, slot := range g.arrivals {
		if homes[slot].have == 0 && homes[slot].want != 0 {
			g.arrived = append(g.arrived, slot)
		}
		homes[slot].have, homes[slot].listed = homes[slot].want, false
	}
	for _, slot := range g.removed {
		homes[slot].have = 0
	}
	g.arrivals, g.removed, g.reshaped = g.arrivals[:0], g.removed[:0], false
	g.undistribute()
	g.started.Store(true)
}

// oldestBatch returns the newest batch of freed slots that no snapshot in use can
// hold: that sealed with the oldest of them, kept or pinned.
func (g *Grid) oldestBatch(current *Snapshot) uint64 {
	oldest := current
	g.eachPinned(func(s *Snapshot) {
		if s.number < oldest.number {
			oldest = s
		}
	})
	g.counted.oldestPinned = oldest.tick
	return min(oldest.batch, g.oldestKept(current).batch)
}

// Snapshot returns the current snapshot, nil if there is none. It is for the
// writer's goroutine, and for those that the writer waits for: it is valid until
// the next Publish or Close. Everybody else pins one through a [Reader].
func (g *Grid) Snapshot() *Snapshot { return g.current.Load() }

func (g *Grid) everPublished() bool { return g.started.Load() }
