package packer

import (
	"math"
	"testing"
)

// What an adversary plays with: lifecycle and must-send that take all they may, a class
// whose guarantee is used to the byte, and a filler that takes what nobody else needs.
const (
	siegeBytes   = 440
	siegeReserve = 60
	siegeMust    = 80
	siegeOpen    = siegeBytes - siegeReserve - siegeMust
	siegeOwned   = siegeOpen / 5 // the guaranteed fifth
	siegeStarved = siegeOpen / 3 // what the starved get
	victimCost   = 20
)

// The rows of a siege that are no party.
const (
	spawnRow = iota
	mustRow
	ownerRow
	fillRow
	firstRow // of the parties
)

// party is a candidate or a group, all of it sent or not.
type party struct {
	rows    []int
	cost    uint32 // of all, at the dearest level
	least   uint32 // what MaxWait counts on
	mayMust bool
	since   int // tick of the oldest unsent change, -1: at rest
	bound   uint64
}

// siege is one connection's crowd with an adversary that chooses, tick by tick, costs,
// priorities, must-send and who changes, such that a victim waits as long as can be.
type siege struct {
	t        *testing.T
	d        dice
	b        *Budget
	c        Candidates
	dearest  []uint32
	parties  []party // the victims first
	victims  int
	lastSent []uint32
	p        Packer
	plan     Plan
	byReason [Reasons]int
	musts    int // parties sent as must-send
	groups   int // of more than one, starved
}

func newSiege(t *testing.T, d dice, degrade bool, pairs int) *siege {
	s := &siege{t: t, d: d}
	s.b = mustBudget(t, Limits{Bytes: siegeBytes, Reserve: siegeReserve, Degrade: degrade, Classes: []Class{
		{MaxSilence: 3},
		{MaxSilence: 3, Share: 1.0 / 5},
		{MaxSilence: 2, AgeWeight: 1, MinInterval: [Levels]uint32{9, 9, 9}},
	}})
	for _, cost := range []uint32{siegeReserve, siegeMust, siegeOwned, siegeOpen - siegeOwned} {
		s.addRow(cost, 0, 0, 0)
	}
	s.c.Class[ownerRow] = 1
	s.addParty(0, victimCost)                 // a victim alone
	s.addParty(0, victimCost/2, victimCost/2) // a group
	if degrade {
		s.addParty(0, victimCost+10) // one that has a coarser level
		v := &s.parties[2]
		s.c.Cost[1][v.rows[0]], v.least, v.mayMust = victimCost, victimCost, false
	}
	s.victims = len(s.parties)
	for range pairs {
		class := uint8(d(3)) // of both, so that they starve at once
		cost := victimCost + d(siegeStarved-3*victimCost+2)
		for _, cost := range []uint32{cost, siegeStarved - victimCost + 1 - cost} {
			if d.one(4) {
				s.addParty(class, cost/3, cost/3, cost-cost/3*2)
			} else {
				s.addParty(class, cost)
			}
		}
	}
	s.lastSent = make([]uint32, s.c.Len())
	for i := range s.parties {
		// Spawns are paid by the reserve alone, and no part of what is visible.
		v := &s.parties[i]
		v.bound = maxWait(t, s.b, int(s.c.Class[v.rows[0]]), s.dearest[mustRow:], v.least, siegeMust)
	}
	return s
}

func (s *siege) addRow(cost uint32, class uint8, group uint32, flags Flags) {
	c, n := &s.c, s.c.Len()
	s.dearest = append(s.dearest, cost)
	c.ID, c.Priority, c.Class = append(c.ID, uint64(n)), append(c.Priority, 0), append(c.Class, class)
	c.Flags, c.Waited, c.Silent = append(c.Flags, flags), append(c.Waited, 0), append(c.Silent, 0)
	c.Group = append(c.Group, group)
	c.Cost[0], c.Cost[1] = append(c.Cost[0], cost), append(c.Cost[1], 0)
}

func (s *siege) addParty(class uint8, costs ...uint32) {
	v := party{mayMust: true, since: -1}
	group := uint32(0)
	if len(costs) > 1 {
		group = uint32(len(s.parties) + 1)
	}
	for _, cost := range costs {
		v.rows = append(v.rows, s.c.Len())
		v.cost += cost
		s.addRow(cost, class, group, 0)
	}
	v.least = v.cost
	s.parties = append(s.parties, v)
}

// set prepares a party's rows: its dearest costs, and a priority.
func (s *siege) set(v *party, tick int, priority uint16) {
	for _, row := range v.rows {
		s.c.Cost[0][row], s.c.Priority[row] = s.dearest[row], priority
		s.c.Flags[row], s.c.Waited[row] = Unchanged, 0
		if v.since >= 0 {
			s.c.Flags[row], s.c.Waited[row] = 0, uint32(tick-v.since)
		}
	}
}

// setRow prepares one of the rows that are no party; without a cost it is at rest.
func (s *siege) setRow(row int, cost uint32, flags Flags) {
	s.c.Cost[0][row], s.c.Priority[row], s.c.Flags[row] = cost, math.MaxUint16, flags
	if cost == 0 {
		s.c.Cost[0][row], s.c.Flags[row] = 1, Unchanged
	}
}

// storm is a tick of the worst case: of those before the victim exactly as many bytes
// are served as leave one too few for it, and nothing is left of all others.
func (s *siege) storm(tick int, victim *party) {
	for i := range s.parties {
		s.set(&s.parties[i], tick, 500)
	}
	s.set(victim, tick, 0)
	served := uint32(0)
	for _, v := range s.choose(tick, victim) {
		s.set(v, tick, 60_000)
		served += v.cost
	}
	s.setRow(spawnRow, siegeReserve, Spawn)
	s.setRow(mustRow, siegeMust, MustSend)
	s.setRow(ownerRow, siegeOwned, 0)
	s.setRow(fillRow, siegeOpen-siegeOwned-served, 0)
}

// choose returns two that are starved and no younger than the victim, and cost just so
// much that what is left is a byte too few for it. Nobody costs less than the victim, so
// it is too few for all. It returns none if there are no such two.
func (s *siege) choose(tick int, victim *party) []*party {
	ahead := func(v *party) bool {
		silence := int(s.b.classes[s.c.Class[v.rows[0]]].silence)
		return v.since >= 0 && v.since <= victim.since && tick-v.since >= silence
	}
	for i := s.victims; i < len(s.parties); i += 2 {
		if a, b := &s.parties[i], &s.parties[i+1]; ahead(a) && ahead(b) {
			return []*party{a, b}
		}
	}
	return nil
}

// chaos is a tick in which anything may happen, within what MaxWait supposes.
func (s *siege) chaos(tick int) {
	must := uint32(siegeMust)
	for i := range s.parties {
		v := &s.parties[i]
		if v.since < 0 && s.d.one(3) {
			v.since = tick
		}
		s.set(v, tick, uint16(s.d(3)*s.d(2000)))
		for _, row := range v.rows {
			if s.c.Cost[1][row] == 0 {
				s.c.Cost[0][row] = 1 + s.d(s.dearest[row])
			}
		}
		if v.since >= 0 && v.mayMust && v.cost <= must && s.d.one(20) {
			must -= v.cost
			s.c.Flags[v.rows[0]] = MustSend // and the rest of its group with it
			s.musts++
		}
	}
	s.setRow(spawnRow, s.d(siegeReserve+1), Spawn)
	s.setRow(mustRow, s.d(must+1), MustSend)
	s.setRow(ownerRow, s.d(siegeOwned+1), 0)
	s.setRow(fillRow, s.d(siegeOpen-siegeOwned+1), 0)
}

// calm is a tick in which nothing new happens.
func (s *siege) calm(tick int) {
	for i := range s.parties {
		s.set(&s.parties[i], tick, uint16(i))
	}
	for row := range firstRow {
		s.setRow(row, 0, 0)
	}
}

// pack packs what was prepared, checks every wait, and notes what was sent. It returns
// how many still wait.
func (s *siege) pack(tick int) (waiting int) {
	for row, sent := range s.lastSent {
		s.c.Silent[row] = uint32(tick) - sent
	}
	if err := s.p.Pack(&s.plan, &s.c, s.b); err != nil {
		s.t.Fatal(err)
	}
	for i := range s.parties {
		if v := &s.parties[i]; v.since >= 0 && uint64(tick-v.since) > v.bound {
			s.t.Fatalf("tick %d: party %d of %d bytes waits since %d; the bound is %d", tick, i, v.cost, v.since, v.bound)
		}
	}
	s.plan.Commit(&s.c, s.lastSent, uint32(tick))
	for reason, n := range s.plan.ByReason {
		s.byReason[reason] += n
	}
	for i := range s.parties {
		v := &s.parties[i]
		if v.since >= 0 && s.lastSent[v.rows[0]] == uint32(tick) {
			v.since = -1
			if len(v.rows) > 1 {
				s.groups++
			}
		}
		if v.since >= 0 {
			waiting++
		}
	}
	return waiting
}

// One run of 100,000 ticks against an adversary: storms, in which everybody changes at
// once and one victim is kept from its bytes with all means, take turns with chaos.
// Guarantees, groups, must-send, lifecycle and levels are in play. Nobody ever waits
// longer than MaxWait says, and every victim of a storm nearly as long: so the bound is
// not idle where all of that counts.
func TestAdversary(t *testing.T) {
	ticks := 100_000
	if testing.Short() || raceEnabled {
		ticks = 3_000
	}
	for _, test := range []struct {
		name    string
		pairs   int
		degrade bool
		least   float64 // of the bound, that victims wait
	}{
		{"as wanted", 75, false, 0.9},
		{"degrading", 75, true, 0.9},
		{"few", 8, true, 0.5}, // what is visible is mostly not ahead of the victim
	} {
		t.Run(test.name, func(t *testing.T) { siegeFor(t, ticks, test.pairs, test.degrade, test.least) })
	}
}

func siegeFor(t *testing.T, ticks, pairs int, degrade bool, want float64) {
	s := newSiege(t, newDice(t, 77), degrade, pairs)
	least, most, storms := 1.0, 0.0, 0
	for tick := 1; tick <= ticks; {
		victim := &s.parties[storms%s.victims]
		for i := range s.parties {
			if v := &s.parties[i]; i >= s.victims || v == victim {
				v.since = tick
			}
		}
		began := tick
		for ; victim.since >= 0; tick++ {
			s.storm(tick, victim)
			if s.pack(tick); victim.since >= 0 && s.plan.Used != siegeBytes {
				t.Fatalf("tick %d: %d bytes used", tick, s.plan.Used)
			}
			for i := range s.parties { // some change again at once, and wait anew
				if v := &s.parties[i]; i >= s.victims && v.since < 0 && s.d.one(2) {
					v.since = tick + 1
				}
			}
		}
		storms++
		part := float64(tick-1-began) / float64(victim.bound)
		least, most = min(least, part), max(most, part)
		for range 60 {
			s.chaos(tick)
			s.pack(tick)
			tick++
		}
		for waiting := 1; waiting > 0; tick++ {
			s.calm(tick)
			waiting = s.pack(tick)
		}
	}
	t.Logf("%d ticks, %d storms: victims waited %.3f to %.3f of the bound; sent by reason %v; %d must-send parties, %d groups",
		ticks, storms, least, most, s.byReason, s.musts, s.groups)
	if least < want || most > 1 {
		t.Errorf("victims waited %.3f to %.3f of the bound; want %.1f to 1", least, most, want)
	}
	for _, r := range []Reason{ReasonLifecycle, ReasonMustSend, ReasonGuaranteed, ReasonStarved, ReasonChanged} {
		if s.byReason[r] < ticks/4 {
			t.Errorf("only %d were sent as %v", s.byReason[r], r)
		}
	}
	if s.musts < ticks/50 || s.groups < ticks/20 {
		t.Errorf("only %d must-send parties, %d groups", s.musts, s.groups)
	}
}
