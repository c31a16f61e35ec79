package player

import (
	"time"

	"vicinity/internal/oracle"
	"vicinity/internal/replay"
)

// ledger plays by the oracle where more than the relations of every tick is asked
// for: it writes down what each observer was sent.
type ledger struct {
	plain
	config    Config
	world     *oracle.World
	kinds     map[uint64]int32 // last kind by ID; who returns is new anyway
	things    []oracle.Thing
	relations []replay.Relation
	change    change
	packed    replay.Packed
}

func newLedger(c Config, p plain) *ledger {
	cfg := oracle.WorldConfig{SendEvery: c.SendEvery, Cap: oracle.Cap{Members: c.Cap}}
	if b := c.Budget; b != nil {
		cfg.Budget, cfg.Reserve, cfg.MaxSilence = b.Bytes, reserve(b.Bytes), b.MaxSilence
		cfg.RemoveCost = removeCost
	}
	return &ledger{plain: p, config: c, world: oracle.NewWorld(cfg), kinds: map[uint64]int32{}}
}

func (l *ledger) Tick(t *replay.Tick) (Counts, Times, error) {
	start := time.Now()
	l.place(t)
	l.price(t)
	published := time.Now()
	sent := l.world.Tick(t.Number+1, l.observers, l.things)
	ticked := time.Now()
	l.relations = l.relations[:0]
	for _, p := range l.world.Pairs() {
		l.relations = append(l.relations, replay.Relation(p))
	}
	n := t.Len()
	c := Counts{Present: n, Candidates: n * (n - 1)}
	l.change.count(&c, l.relations)
	l.packed.Reset()
	for i := range sent {
		c.Culled += sent[i].Culled
		l.record(&sent[i])
	}
	return c, Times{
		Publish: published.Sub(start), Update: ticked.Sub(published), Output: time.Since(ticked),
	}, nil
}

// Within does not count the observers themselves.
func (l *ledger) Within() (n int, err error) {
	for _, o := range l.observers {
		n += len(oracle.Within(l.entities, oracle.Disc{X: o.X, Y: o.Y, Radius: l.reach[0].Enter})) - 1
	}
	return n, nil
}

// price lists what everybody costs. Another kind is another state.
func (l *ledger) price(t *replay.Tick) {
	l.things = l.things[:0]
	for i, e := range l.entities {
		p := l.config.price(t.Kind[i])
		before, known := l.kinds[e.ID]
		l.kinds[e.ID] = t.Kind[i]
		l.things = append(l.things, oracle.Thing{
			Entity: e, Cost: p.Cost, Priority: p.Priority, Touched: known && before != t.Kind[i],
		})
	}
}

// record writes down what one observer got.
func (l *ledger) record(s *oracle.Sent) {
	l.packed.Deliveries = append(l.packed.Deliveries, replay.Delivery{
		Observer: s.Observer, Bytes: s.Bytes, Deferred: s.Deferred, Oversize: s.Oversize, Oldest: s.Oldest,
	})
	for _, item := range s.Items {
		l.packed.Selections = append(l.packed.Selections, replay.Selection{
			Observer: s.Observer, Entity: item.Entity, What: replay.What(item.What),
		})
	}
}

func (l *ledger) AppendRelations(dst []replay.Relation) []replay.Relation {
	return append(dst, l.relations...)
}

func (l *ledger) Packed() *replay.Packed {
	if l.config.Budget == nil {
		return nil
	}
	return &l.packed
}
