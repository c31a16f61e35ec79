package vicinity

import (
	"vicinity/interest"
	"vicinity/packer"
)

// tracing is what the last packing of a connection decided about everybody.
type tracing struct {
	tick     uint64
	leftOut  int // candidates that packing did not see: see overflow.go
	verdicts []verdict
}

// verdict is what packing decided about one entity.
type verdict struct {
	entity Handle
	order  uint32 // place among the selected
	cost   uint32
	left   uint32 // bytes left when its turn had come, if it was selected
	level  uint8
	reason packer.Reason
	why    packer.Why
	sent   bool
}

// Trace has [World.Explain] know more about a connection: what the last packing
// decided about everybody. It costs a pass over all candidates and their memory. The
// errors are those of [World.Disconnect].
func (w *World) Trace(id ConnID, on bool) error {
	c, err := w.conn(id)
	if err != nil {
		return err
	}
	if c.trace = nil; on {
		c.trace = new(tracing)
	}
	return nil
}

// keep writes a plan down.
func (t *tracing) keep(w *World, p *packer.Plan, c *table, leaves []interest.Event) {
	t.tick, t.verdicts = w.tick, t.verdicts[:0]
	entity := func(k int) Handle {
		if k < c.leaves {
			return leaves[k].Entity
		}
		return w.handleOf(c.slot[k])
	}
	left := p.Budget
	for i := range p.Selected {
		s := &p.Selected[i]
		t.verdicts = append(t.verdicts, verdict{
			entity: entity(int(s.Index)), order: uint32(i), cost: s.Cost, left: left,
			level: s.Level, reason: s.Reason, sent: true,
		})
		left -= s.Cost
	}
	for _, d := range p.Deferred {
		t.verdicts = append(t.verdicts, verdict{
			entity: entity(int(d.Index)), cost: c.Cost[0][d.Index], left: left, why: d.Why,
		})
	}
}

// of returns the verdict about an entity.
func (t *tracing) of(h Handle) (v verdict, ok bool) {
	for i := range t.verdicts {
		if t.verdicts[i].entity == h {
			return t.verdicts[i], true
		}
	}
	return v, false
}
