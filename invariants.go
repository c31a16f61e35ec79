package vicinity

import (
	"errors"
	"fmt"
)

// CheckInvariants returns the first broken rule that it finds in the World and its
// stages, nil if all hold. It is for tests, between Ticks: O(entities + pairs), and it
// allocates. Builds with the tag invariants call it after every Tick.
func (w *World) CheckInvariants() error {
	if w.state.Load() == stateClosed {
		return nil
	}
	return errors.Join(w.arena.CheckInvariants(), w.grid.CheckInvariants(), w.checkEntities(), w.checkConnections())
}

// checkEntities holds the columns against each other and the table of IDs.
func (w *World) checkEntities() error {
	records, n, musts, bundles := w.records.Slice(), 0, 0, 0
	for slot := range uint32(w.arena.Slots()) {
		h := w.handleOf(slot)
		if !w.arena.Alive(h) {
			continue
		}
		n++
		r, e, x := &records[slot], &w.hot.Slice()[slot], &w.extras.Slice()[slot]
		if found, ok := w.ids.find(records, r.id); !ok || found != slot {
			return fmt.Errorf("vicinity: entity %d has slot %d, its ID finds %d, %v", r.id, slot, found, ok)
		}
		if r.cost[0] == 0 || x.spawn == 0 || r.cost[0] > w.dearest {
			return fmt.Errorf("vicinity: entity %d costs %v and %d, the dearest %d", r.id, r.cost, x.spawn, w.dearest)
		}
		if e.Rank != 65535-r.priority || e.Class != r.class || leastCost(e.Least) > r.cost[0] || e.Changed > w.now+1 {
			return fmt.Errorf("vicinity: entity %d: %+v does not fit %+v at stamp %d", r.id, *e, *r, w.now)
		}
		if r.has(flagMustSend) {
			musts++
		}
		if x.bundle != 0 {
			bundles++
		}
	}
	if n != w.arena.Len() || n != w.ids.n || musts != w.mustSends || bundles != w.bundles {
		return fmt.Errorf("vicinity: %d entities, %d IDs, %d and %d of kinds; want %d, %d, %d", n, w.ids.n, w.mustSends, w.bundles, w.arena.Len(), musts, bundles)
	}
	return nil
}

// checkConnections holds the lists of connections and the state of pairs against each
// other.
func (w *World) checkConnections() error {
	if len(w.list) != len(w.conns) || w.set.Len() != len(w.conns) {
		return fmt.Errorf("vicinity: %d connections, %d listed, %d views", len(w.conns), len(w.list), w.set.Len())
	}
	users := map[*sharedBudget]int{}
	for i, c := range w.list {
		if w.conns[c.id] != c || c.number != i || c.gone {
			return fmt.Errorf("vicinity: connection %d is not where it belongs", c.id)
		}
		if c.budget != nil {
			users[c.budget]++
		}
		if err := c.view.CheckInvariants(); err != nil {
			return fmt.Errorf("connection %d: %w", c.id, err)
		}
		for r := range c.pairs.sent {
			if sent, since := c.pairs.sent[r], c.pairs.since[r]; sent > w.now || since > w.now {
				return fmt.Errorf("vicinity: connection %d, row %d: sent at stamp %d, waits since %d; it is %d", c.id, r, sent, since, w.now)
			}
		}
	}
	for _, b := range w.budgets {
		if users[b] != b.users {
			return fmt.Errorf("vicinity: a budget of %d bytes has %d users, counts %d", b.key.bytes, users[b], b.users)
		}
	}
	return nil
}
