package crosslist

import (
	"slices"
	"testing"

	"vicinity/arena"
)

// choices is where a random history takes its decisions from.
type choices interface {
	below(n int) int
	spread(n int32) int32
}

// history drives a world at random: small coordinates, so that ties are the rule.
type history struct {
	*world
	c        choices
	size     int32 // coordinates
	step     int32
	radius   int
	most     int // entities
	next     uint64
	entities []uint64
	triggers []uint64
}

func newHistory(t testing.TB, c choices, size, step int32, radius, most int) *history {
	return &history{world: newWorld(t), c: c, size: size, step: step, radius: radius, most: most, next: 1}
}

func (h *history) id() uint64 {
	h.next++
	return h.next - 1
}

// at returns a place: anywhere, or where somebody else is on one axis.
func (h *history) at() (x, y int32) {
	x, y = h.c.spread(h.size), h.c.spread(h.size)
	if len(h.entities) > 0 && h.c.below(4) == 0 {
		x = h.model.entities[h.anybody()].x
	}
	return x, y
}

func (h *history) anybody() uint64 { return h.entities[h.c.below(len(h.entities))] }
func (h *history) anyTrigger() uint64 {
	return h.triggers[h.c.below(len(h.triggers))]
}

// forget drops the triggers that went with their owner.
func (h *history) forget() {
	h.triggers = slices.DeleteFunc(h.triggers, func(id uint64) bool { return h.model.triggers[id] == nil })
}

// act does one thing.
func (h *history) act() {
	clampTo := func(v int32) int32 { return min(max(v, -h.size), h.size) }
	switch what := h.c.below(32); {
	case len(h.entities) == 0 || what < 3 && len(h.entities) < h.most:
		id := h.id()
		x, y := h.at()
		h.insert(id, x, y)
		h.entities = append(h.entities, id)
	case what < 4:
		i := h.c.below(len(h.entities))
		h.remove(h.entities[i])
		h.entities = slices.Delete(h.entities, i, i+1)
		h.forget()
	case what < 7 && len(h.triggers) < h.most:
		id := h.id()
		radius, margin := int32(h.c.below(h.radius)), int32(h.c.below(4))*int32(h.c.below(1+h.radius/4))
		shape := Shape(h.c.below(shapes))
		if h.c.below(2) == 0 {
			h.attach(id, h.anybody(), radius, margin, shape)
		} else {
			x, y := h.at()
			h.stand(id, x, y, radius, margin, shape)
		}
		h.triggers = append(h.triggers, id)
	case what < 8 && len(h.triggers) > 0:
		i := h.c.below(len(h.triggers))
		h.removeTrigger(h.triggers[i])
		h.triggers = slices.Delete(h.triggers, i, i+1)
	case what < 10 && len(h.triggers) > 0:
		h.setRadius(h.anyTrigger(), int32(h.c.below(h.radius)), int32(h.c.below(1+h.radius/4)))
	case what < 12 && len(h.triggers) > 0:
		if id := h.anyTrigger(); h.model.triggers[id].owner == 0 {
			at := h.model.triggers[id].at
			if h.c.below(3) == 0 {
				at.x, at.y = h.at()
			}
			h.moveTrigger(id, clampTo(at.x+h.c.spread(h.step)), clampTo(at.y+h.c.spread(h.step)))
		}
	case what < 14:
		x, y := h.at()
		if h.c.below(2) == 0 {
			h.teleport(h.anybody(), x, y)
		} else {
			h.move(h.anybody(), x, y)
		}
	case what == 14 && !h.list.Open():
		h.begin()
	case what < 17 && h.list.Open():
		h.end()
	default:
		id := h.anybody()
		p := h.model.entities[id]
		h.move(id, clampTo(p.x+h.c.spread(h.step)), clampTo(p.y+h.c.spread(h.step)))
	}
	if !h.list.Open() && h.c.below(16) == 0 {
		h.look()
	}
}

// look compares a rectangle with plain loops.
func (h *history) look() {
	x0, y0, x1, y1 := h.c.spread(h.size), h.c.spread(h.size), h.c.spread(h.size), h.c.spread(h.size)
	r := Rect{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
	got, err := h.list.AppendIn(nil, r)
	h.must(err)
	var want []arena.Handle
	for id, p := range h.model.entities {
		if p.x >= r.X0 && p.x <= r.X1 && p.y >= r.Y0 && p.y <= r.Y1 {
			want = append(want, h.handles[id])
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		h.t.Fatalf("call %d: %v in %+v; want %v", h.calls, got, r, want)
	}
}

// TestRandomHistories plays random calls, in batches and outside, against the
// model: after every call the events are those of the model, one a pair, and so are
// the sets.
func TestRandomHistories(t *testing.T) {
	for _, c := range []struct {
		name         string
		size, step   int32
		radius, most int
	}{
		{"tight", 6, 1, 5, 12},
		{"crowd", 40, 4, 20, 40},
		{"wide", 1000, 60, 300, 40},
		{"huge", MaxCoord, 1 << 20, MaxCoord / 2, 20},
		{"many", 3000, 100, 150, 150},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls, rounds := 400, 60
			if c.most > 100 {
				calls, rounds = 1500, 6
			}
			if testing.Short() {
				rounds = max(rounds/10, 1)
			}
			events, jumps, walks := 0, uint64(0), uint64(0)
			for round := range rounds {
				h := newHistory(t, seeded(int64(*seedFlag), int64(round)), c.size, c.step, c.radius, c.most)
				for range calls {
					h.act()
				}
				if h.list.Open() {
					h.end()
				}
				events += h.changed
				s := h.list.Stats()
				jumps, walks = jumps+s.Jumps, walks+s.Walks
			}
			t.Logf("%d events, %d jumps, %d walks", events, jumps, walks)
			if events == 0 || jumps == 0 || walks == 0 {
				t.Error("nothing happened")
			}
		})
	}
}
