package fuzz

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"vicinity"
	"vicinity/asm"
	"vicinity/grid"
	"vicinity/interest"
	"vicinity/packer"
)

// ticker is a World and its model side by side.
type ticker struct {
	t       testing.TB
	s       *script
	w       *vicinity.World
	m       *model
	workers *grid.Workers
	history strings.Builder
	nextID  uint64
	log     []string // what was done since the last tick
}

const (
	// spread is how far from the origin everybody is, in metres.
	spread = 30
	// peers is how many IDs of connections there are.
	peers = 20
)

func newTicker(t testing.TB, b []byte, workers int) *ticker {
	k := &ticker{t: t, s: newScript(b), nextID: 1}
	k.m = &model{bodies: map[uint64]*body{}, peers: map[vicinity.ConnID]*peer{}}
	k.m.cfg = k.config()
	cfg := k.m.cfg
	if workers > 1 {
		k.workers = grid.NewWorkers(workers)
		cfg.Workers = k.workers
	}
	cfg.Predicate = func(c vicinity.ConnID, h vicinity.Handle) bool {
		for _, b := range k.m.bodies {
			if b.handle == h {
				return b.allows(c)
			}
		}
		return false
	}
	var err error
	if k.w, err = vicinity.New(cfg); err != nil {
		t.Fatal(err)
	}
	return k
}

// config draws a configuration.
func (k *ticker) config() vicinity.Config {
	s := k.s
	cfg := vicinity.Config{Unit: 1, RemoveCost: 1 + uint32(s.below(4)), Degrade: s.below(2) == 0}
	for range 1 + s.below(3) {
		cfg.Reach = append(cfg.Reach, vicinity.Reach{Enter: float64(4 + s.below(20)), Margin: float64(s.below(5))})
	}
	for range 1 + s.below(3) {
		cfg.Classes = append(cfg.Classes, packer.Class{
			AgeWeight: uint32(s.below(3)), MaxSilence: uint32(s.below(3) * 4), Share: float64(s.below(3)) / 10,
			MinInterval: [packer.Levels]uint32{0, uint32(s.below(2)), uint32(s.below(4))},
		})
	}
	if s.below(2) == 0 {
		cfg.Levels = vicinity.Levels{Near: float64(4 + s.below(4)), Mid: float64(10 + s.below(4)), Margin: float64(s.below(3))}
	}
	return cfg
}

func (k *ticker) say(format string, args ...any) { k.log = append(k.log, fmt.Sprintf(format, args...)) }

func (k *ticker) must(err error) {
	k.t.Helper()
	if err != nil {
		k.fail("%v", err)
	}
}

// fail stops the test and says what was done since the last tick.
func (k *ticker) fail(format string, args ...any) {
	k.t.Helper()
	k.t.Fatalf("after tick %d: %s\n%s", k.m.tick, fmt.Sprintf(format, args...), strings.Join(k.log, "\n"))
}

func (k *ticker) coordinate() float64 { return float64(k.s.below(2*spread+1) - spread) }

func (k *ticker) anybody() *body {
	all := k.m.sortedBodies()
	if len(all) == 0 {
		return nil
	}
	return all[k.s.below(len(all))]
}

func (k *ticker) anypeer() *peer {
	all := k.m.sortedPeers()
	if len(all) == 0 {
		return nil
	}
	return all[k.s.below(len(all))]
}

// spawn spawns somebody, now and then under an ID that was used before.
func (k *ticker) spawn() {
	s, id := k.s, k.nextID
	if s.below(3) == 0 {
		id = 1 + uint64(s.below(int(k.nextID)))
	} else {
		k.nextID++
	}
	e := vicinity.Entity{
		ID: id, X: k.coordinate(), Y: k.coordinate(), Priority: uint16(s.below(3)),
		Class: uint8(s.below(len(k.m.cfg.Classes))), Reach: uint8(s.below(len(k.m.cfg.Reach))),
		Cost: k.costs(), SpawnCost: uint32(s.below(3) * 10), MustSend: s.below(12) == 0,
		Bundle: uint32(s.below(8) / 6 * (1 + s.below(2))),
	}
	if s.below(4) == 0 {
		e.Need, e.Any = uint32(s.below(4)), uint32(s.below(4))
	}
	if s.below(4) == 0 {
		e.Groups[s.below(4)] = uint32(s.below(3))
	}
	e.Ask = s.below(6) == 0
	h, err := k.w.Spawn(e)
	if k.m.bodies[id] != nil {
		if !errors.Is(err, vicinity.ErrExists) {
			k.fail("second spawn of %d: %v", id, err)
		}
		return
	}
	k.must(err)
	if e.SpawnCost == 0 {
		e.SpawnCost = e.Cost[0]
	}
	k.m.bodies[id] = &body{Entity: e, handle: h, changed: k.m.tick + 1, allowed: [4]uint32{0, 1<<peers - 1, 0x55555, 0xF0F0F}[s.below(4)]}
	k.say("spawn %+v is %v", e, h)
}

func (k *ticker) costs() (c [packer.Levels]uint32) {
	c[0] = 1 + uint32(k.s.below(30))
	for l := 1; l < len(c); l++ {
		if k.s.below(2) == 0 {
			c[l] = 1 + uint32(k.s.below(int(c[0])))
		}
	}
	return c
}

// changeBody does something to somebody.
func (k *ticker) changeBody() {
	s, b := k.s, k.anybody()
	if b == nil {
		k.spawn()
		return
	}
	what := s.below(16)
	k.say("change %d of entity %d (%v)", what, b.ID, b.handle)
	switch what {
	case 0:
		k.must(k.w.Despawn(b.handle))
		b.gone = true
		delete(k.m.bodies, b.ID)
		if err := k.w.Move(b.handle, 0, 0); !errors.Is(err, vicinity.ErrEntity) {
			k.fail("move of a stale handle: %v", err)
		}
	case 1:
		k.must(k.w.Touch(b.handle))
		b.changed = k.m.tick + 1
	case 2:
		b.X, b.Y = k.coordinate(), k.coordinate()
		k.must(k.w.Teleport(b.handle, b.X, b.Y))
		b.changed, b.jumped = k.m.tick+1, k.m.tick+1
	case 3:
		b.Cost, b.SpawnCost = k.costs(), 1+uint32(s.below(20))
		k.must(k.w.SetCost(b.handle, b.Cost, b.SpawnCost))
	case 4:
		b.Priority = uint16(s.below(3))
		k.must(k.w.SetPriority(b.handle, b.Priority))
	case 5:
		b.Need, b.Any = uint32(s.below(4)), uint32(s.below(4))
		k.must(k.w.SetMasks(b.handle, b.Need, b.Any))
	case 6:
		b.Groups = [4]uint32{}
		b.Groups[s.below(4)] = uint32(s.below(3))
		k.must(k.w.SetGroups(b.handle, b.Groups))
	case 7:
		b.Entity.Reach = uint8(s.below(len(k.m.cfg.Reach)))
		k.must(k.w.SetReachClass(b.handle, b.Entity.Reach))
	case 8:
		b.Class = uint8(s.below(len(k.m.cfg.Classes)))
		k.must(k.w.SetClass(b.handle, b.Class))
	case 9:
		b.MustSend = !b.MustSend
		k.must(k.w.SetMustSend(b.handle, b.MustSend))
	case 10:
		b.allowed ^= [2]uint32{1<<peers - 1, 1 << s.below(peers)}[s.below(2)]
		k.must(k.w.Invalidate(b.handle))
	case 11:
		b.Ask = !b.Ask
		k.must(k.w.SetAsk(b.handle, b.Ask))
	case 12:
		b.Bundle = uint32(s.below(3))
		k.must(k.w.SetBundle(b.handle, b.Bundle))
	default:
		k.move(b)
	}
}

// move walks somebody some steps.
func (k *ticker) move(b *body) {
	x, y := b.X+float64(k.s.below(7)-3), b.Y+float64(k.s.below(7)-3)
	k.must(k.w.Move(b.handle, x, y))
	if x != b.X || y != b.Y {
		b.X, b.Y, b.changed = x, y, k.m.tick+1
	}
}

// viewpoint draws one, with the body it is on.
func (k *ticker) viewpoint() (vicinity.Viewpoint, *body) {
	if b := k.anybody(); b != nil && k.s.below(3) > 0 {
		return vicinity.Viewpoint{Entity: b.handle}, b
	}
	return vicinity.Viewpoint{X: k.coordinate(), Y: k.coordinate()}, nil
}

func (k *ticker) viewpoints() (list []vicinity.Viewpoint, bodies []*body) {
	if k.s.below(4) == 0 {
		for range 1 + k.s.below(2) {
			v, b := k.viewpoint()
			list, bodies = append(list, v), append(bodies, b)
		}
	}
	return list, bodies
}

func (k *ticker) budget() (bytes, reserve uint32) {
	if k.s.below(4) == 0 {
		return 0, 0
	}
	bytes = 10 + uint32(k.s.below(100))
	return bytes, max(k.m.cfg.RemoveCost, uint32(k.s.below(int(bytes))))
}

func (k *ticker) connect() {
	s := k.s
	c := &peer{
		relations: map[*body]interest.Sources{}, weights: map[*body]weight{}, pairs: map[*body]*pair{},
		watch: s.below(6) == 0,
	}
	c.ID = vicinity.ConnID(s.below(peers))
	c.Viewpoint, c.self = k.viewpoint()
	c.More, c.more = k.viewpoints()
	c.ExcludeSelf, c.Mask = s.below(2) == 0, uint32(s.below(4))
	if s.below(3) == 0 {
		c.Groups[s.below(4)] = uint32(s.below(3))
	}
	if !c.watch {
		c.Budget, c.Reserve = k.budget()
	}
	if s.below(4) == 0 {
		c.SendEvery = 1 + s.below(3)
	}
	if s.below(4) == 0 {
		c.Scale = float64(1 + s.below(2))
	}
	add := k.w.Connect
	if c.watch {
		add = k.w.Observe
	}
	err := add(c.Connection)
	if k.m.peers[c.ID] != nil {
		if !errors.Is(err, vicinity.ErrExists) {
			k.fail("second connection %d: %v", c.ID, err)
		}
		return
	}
	k.must(err)
	k.m.peers[c.ID] = c
	k.say("connect %+v, watch %v", c.Connection, c.watch)
}

// changePeer does something to a connection.
func (k *ticker) changePeer() {
	s, c := k.s, k.anypeer()
	if c == nil || s.below(4) == 0 {
		k.connect()
		return
	}
	b := k.anybody()
	what := s.below(14)
	k.say("change %d of connection %d", what, c.ID)
	switch what {
	case 0:
		k.must(k.w.Disconnect(c.ID))
		delete(k.m.peers, c.ID)
	case 1:
		if !c.watch {
			c.Budget, c.Reserve = k.budget()
			k.must(k.w.SetBudget(c.ID, c.Budget, c.Reserve))
		}
	case 2:
		c.Mask = uint32(s.below(4))
		k.must(k.w.SetMask(c.ID, c.Mask))
	case 3:
		c.Groups = [4]uint32{}
		c.Groups[s.below(4)] = uint32(s.below(3))
		k.must(k.w.SetConnGroups(c.ID, c.Groups))
	case 4:
		c.Scale = float64(1 + s.below(2))
		k.must(k.w.SetReach(c.ID, nil, c.Scale))
	case 5:
		c.Viewpoint, c.self = k.viewpoint()
		c.More, c.more = k.viewpoints()
		k.must(k.w.SetViewpoints(c.ID, c.Viewpoint, c.More...))
	case 6:
		c.paused = !c.paused
		k.must(k.w.Pause(c.ID, c.paused))
	case 7:
		c.SendEvery = 1 + s.below(3)
		k.must(k.w.SetRate(c.ID, c.SendEvery))
	case 8:
		k.must(k.w.Resync(c.ID))
		k.resync(c)
	case 9, 10:
		if b != nil {
			k.relate(c, b)
		}
	case 11:
		if b != nil {
			b.allowed ^= 1 << c.ID
		}
		k.must(k.w.InvalidateConn(c.ID))
	default:
		if b != nil {
			d := weight{int32(s.below(7) - 3), s.below(3) == 0}
			c.weights[b] = d
			k.must(k.w.SetImportance(c.ID, b.handle, d.delta, d.must))
		}
	}
}

// resync makes a peer know nothing: it counts from its last update.
func (k *ticker) resync(c *peer) {
	for b, p := range c.pairs {
		if !p.member {
			delete(c.pairs, b)
			continue
		}
		if p.delivered {
			p.delivered, p.since, p.waits = false, c.served, 0
		}
	}
}

func (k *ticker) relate(c *peer, b *body) {
	all := []interest.Sources{interest.Group0, interest.Quest, interest.Spectate, interest.Pinned}
	source := all[k.s.below(len(all))]
	if k.s.below(2) == 0 {
		c.relations[b] |= source
		k.must(k.w.Relate(c.ID, b.handle, source))
	} else {
		c.relations[b] &^= source
		k.must(k.w.Unrelate(c.ID, b.handle, source))
	}
}

// step does some things, then ticks.
func (k *ticker) step() {
	k.log = k.log[:0]
	for range k.s.below(10) {
		k.changeBody()
	}
	for range k.s.below(4) {
		k.spawn()
	}
	for range k.s.below(3) {
		k.changePeer()
	}
	for _, b := range k.m.sortedBodies() {
		if k.s.below(3) == 0 {
			k.move(b)
		}
	}
	k.tick()
}

// outcome is what a callback saw.
type outcome struct {
	d      vicinity.Delivery
	lines  []string
	accept bool
}

// tick ticks the World, then the model for whoever was served.
func (k *ticker) tick() {
	outcomes := map[vicinity.ConnID]outcome{}
	refuse := uint64(k.s.below(256))
	var order []vicinity.ConnID
	var mu sync.Mutex
	k.must(k.w.Tick(func(c vicinity.ConnID, d *vicinity.Delivery) bool {
		accept := (uint64(c)*31+refuse)%4 != 0
		mu.Lock()
		defer mu.Unlock()
		if _, twice := outcomes[c]; twice {
			k.t.Errorf("connection %d was served twice", c)
		}
		outcomes[c] = outcome{*d, describe(d), accept}
		order = append(order, c)
		return accept
	}))
	if k.workers == nil && !slices.IsSorted(order) {
		k.fail("order of callbacks is %v", order)
	}
	k.m.tick++
	for _, b := range k.m.bodies {
		b.known = true
	}
	for _, c := range k.m.sortedPeers() {
		o, served := outcomes[c.ID]
		k.checkDue(c, served)
		if served {
			c.served = k.m.tick
			k.compare(c, &o)
		}
	}
	k.checkObservers()
	k.checkMembers()
}

// checkDue holds who was served against rates and pauses.
func (k *ticker) checkDue(c *peer, served bool) {
	if served && c.paused {
		k.fail("connection %d is paused and was served", c.ID)
	}
	if !served && !c.paused && c.SendEvery <= 1 {
		k.fail("connection %d was not served", c.ID)
	}
}

// compare holds a delivery against the model, and commits it there too.
func (k *ticker) compare(c *peer, o *outcome) {
	k.m.look(c)
	want := k.m.decide(c)
	fmt.Fprintf(&k.history, "%d %d %v %v\n", k.m.tick, c.ID, o.accept, o.lines)
	if !slices.Equal(o.lines, want.lines) {
		k.fail("connection %d (budget %d) is sent\n%s\nwant\n%s", c.ID, c.Budget, strings.Join(o.lines, "\n"), strings.Join(want.lines, "\n"))
	}
	if o.d.Bytes != want.bytes || o.d.Deferred != want.deferred || o.d.OldestWait != want.oldest {
		k.fail("connection %d (budget %d): %d bytes, deferred %v, oldest wait %d; want %d, %v, %d", c.ID, c.Budget,
			o.d.Bytes, o.d.Deferred, o.d.OldestWait, want.bytes, want.deferred, want.oldest)
	}
	if c.Budget != 0 && o.d.Bytes > uint64(c.Budget) {
		k.fail("connection %d: %d bytes of %d", c.ID, o.d.Bytes, c.Budget)
	}
	if o.accept {
		k.m.commit(c, &want)
	}
}

// checkObservers asks who observes some bodies.
func (k *ticker) checkObservers() {
	for range 3 {
		b := k.anybody()
		if b == nil {
			return
		}
		got := k.w.AppendObserversOf(nil, b.handle)
		if want := k.m.observers(b); !slices.Equal(got, want) {
			k.fail("observers of entity %d are %v; want %v", b.ID, got, want)
		}
		for _, c := range k.m.sortedPeers() {
			if k.w.Explain(c.ID, b.ID) == "" {
				k.fail("no explanation of %d to %d", b.ID, c.ID)
			}
		}
	}
}

// checkMembers asks whom one view holds.
func (k *ticker) checkMembers() {
	c := k.anypeer()
	if c == nil {
		return
	}
	held := map[vicinity.Handle]bool{}
	for _, m := range k.w.AppendMembers(nil, c.ID) {
		held[m.Entity] = true
	}
	want := 0
	for b, p := range c.pairs {
		if !p.member {
			continue
		}
		if want++; !held[b.handle] {
			k.fail("connection %d does not hold entity %d", c.ID, b.ID)
		}
	}
	if len(held) != want {
		k.fail("connection %d holds %d entities; want %d", c.ID, len(held), want)
	}
}

// playTicks runs one World and returns its history.
func playTicks(t testing.TB, b []byte, workers, ticks int) string {
	k := newTicker(t, b, workers)
	for range ticks {
		k.step()
	}
	k.must(k.w.Close())
	k.workers.Close()
	return k.history.String()
}

// TestTickModel plays many Worlds against the model.
func TestTickModel(t *testing.T) {
	worlds := 300
	if testing.Short() {
		worlds = 40
	}
	for i := range worlds {
		b := []byte{byte(i), byte(i >> 8)}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			one := playTicks(t, b, 1, 40)
			if i%4 == 0 {
				if three := playTicks(t, b, 3, 40); three != one {
					t.Error("another history with three workers")
				}
			}
		})
	}
}

// FuzzTick plays random Worlds against the model, on every kernel level and with one
// and two workers.
func FuzzTick(f *testing.F) {
	for i := range 16 {
		f.Add([]byte{byte(i), byte(7 * i), byte(31 * i), byte(i / 3), byte(5 * i), byte(11 * i)})
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := asm.Tier()
		defer asm.SetTier(before)
		first := ""
		for _, level := range asm.Levels() {
			if err := asm.SetTier(level); err != nil {
				t.Fatal(err)
			}
			for workers := 1; workers <= 2; workers++ {
				history := playTicks(t, b, workers, 15)
				if first == "" {
					first = history
				}
				if history != first {
					t.Fatalf("%v with %d workers: another history", level, workers)
				}
			}
		}
	})
}
