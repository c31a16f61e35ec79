package player

import (
	"time"

	"vicinity/internal/oracle"
	"vicinity/internal/replay"
)

// plain plays by the oracle.
type plain struct {
	reach     []oracle.Reach
	relations oracle.Relations
	observers []oracle.Observer
	entities  []oracle.Entity
	within    int
}

// NewOracle returns the engine that compares all pairs in plain loops, and sorts
// all that could be sent. Its time grows with the square of the number of
// entities, and it ignores Workers.
func NewOracle(c Config) (Engine, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	p := plain{reach: []oracle.Reach{{Enter: int64(c.Radius), Margin: int64(c.Margin)}}}
	if c.Whole() {
		return newLedger(c, p), nil
	}
	return &p, nil
}

func (p *plain) Tick(t *replay.Tick) (Counts, Times, error) {
	start := time.Now()
	p.place(t)
	published := time.Now()
	d := p.relations.Update(p.observers, p.entities)
	times := Times{Publish: published.Sub(start), Update: time.Since(published)}
	p.within = d.Within
	n := t.Len()
	return Counts{
		Present: n, Enter: len(d.Enter), Keep: len(d.Keep), Leave: len(d.Leave),
		Candidates: n * (n - 1),
	}, times, nil
}

// place lists who is where.
func (p *plain) place(t *replay.Tick) {
	p.observers, p.entities = p.observers[:0], p.entities[:0]
	for i, id := range t.ID {
		x, y := int64(t.X[i]), int64(t.Y[i])
		p.entities = append(p.entities, oracle.Entity{ID: id, X: x, Y: y})
		p.observers = append(p.observers,
			oracle.Observer{ID: id, X: x, Y: y, Reach: p.reach, Self: id, ExcludeSelf: true})
	}
}

func (p *plain) AppendRelations(dst []replay.Relation) []replay.Relation {
	for _, o := range p.observers {
		for _, e := range p.relations.Members(o.ID) {
			dst = append(dst, replay.Relation{Observer: o.ID, Entity: e})
		}
	}
	return dst
}

func (p *plain) Packed() *replay.Packed { return nil }

func (p *plain) Within() (int, error) { return p.within, nil }

func (p *plain) Nearest(k int, each func(observer uint64, list []uint64)) error {
	var list []uint64
	for _, o := range p.observers {
		self := func(e *oracle.Entity) bool { return e.ID == o.ID }
		found := oracle.Nearest(p.entities, oracle.Disc{X: o.X, Y: o.Y, Radius: p.reach[0].Enter, Skip: self}, k)
		list = list[:0]
		for _, f := range found {
			list = append(list, f.ID)
		}
		each(o.ID, list)
	}
	return nil
}

func (p *plain) Close() error { return nil }
