package oracle

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"
)

// Cap is the crowd cap of a view; the zero value is none.
type Cap struct {
	Members int // at most so many, 0 or more; 0: no cap
	Seed    uint64
}

// strata are what takes turns: the octants, each in rings of equal area.
const (
	octants = 8
	rings   = 4
	strata  = octants * rings
)

// choose returns who of near is in the view: all, or a spatially even subset of as
// many as the cap says. The strata take turns, in fixed order, as long as each has
// somebody; in a stratum who was in view goes first, then whose score is smaller.
func (p *Cap) choose(c *conn, near []*body) []*body {
	if p.Members == 0 || len(near) <= p.Members {
		return near
	}
	var queue [strata][]*body
	for _, b := range near {
		s := c.stratum(&b.Entity)
		queue[s] = append(queue[s], b)
	}
	for s := range queue {
		slices.SortFunc(queue[s], func(a, b *body) int {
			return cmp.Or(-cmp.Compare(c.had(a), c.had(b)),
				cmp.Compare(p.score(c.ID, a.ID), p.score(c.ID, b.ID)), cmp.Compare(a.ID, b.ID))
		})
	}
	var chosen []*body
	for s := 0; len(chosen) < p.Members; s = (s + 1) % strata {
		if len(queue[s]) > 0 {
			chosen = append(chosen, queue[s][0])
			queue[s] = queue[s][1:]
		}
	}
	return chosen
}

// had is 1 if a body was in view after the update before, else 0.
func (c *conn) had(b *body) int {
	if p := c.pairs[b]; p != nil && p.member {
		return 1
	}
	return 0
}

// stratum returns where around the observer an entity is. The rings reach to the
// leave radius, and a border belongs to the ring inside.
func (o *Observer) stratum(e *Entity) int {
	dx, dy := e.X-o.X, e.Y-o.Y
	octant := 0
	if dx < 0 {
		octant++
	}
	if dy < 0 {
		octant += 2
	}
	if max(dy, -dy) > max(dx, -dx) {
		octant += 4
	}
	r := &o.Reach[e.Class]
	far, away2 := big.NewInt(r.Enter+r.Margin), big.NewInt(dx*dx+dy*dy)
	far2 := far.Mul(far, far)
	away2.Mul(away2, big.NewInt(rings))
	ring := 0
	for ring < rings-1 && away2.Cmp(new(big.Int).Mul(far2, big.NewInt(int64(ring+1)))) > 0 {
		ring++
	}
	return octant*rings + ring
}

// score is the second draw of a PCG (XSH RR, 64 bits of state, 32 of output) whose
// state comes from the pair and whose stream is the seed.
func (p *Cap) score(observer, entity uint64) uint32 {
	x := entity*0x9E3779B97F4A7C15 ^ bits.RotateLeft64(observer*0xD6E8FEB86659FD93, 32)
	x ^= x >> 29
	const multiplier = 6364136223846793005
	stream := p.Seed<<1 | 1
	state := (stream + x) * multiplier
	state += stream
	state = state*multiplier + stream // the first draw passes
	return bits.RotateLeft32(uint32((state>>18^state)>>27), -int(state>>59))
}
