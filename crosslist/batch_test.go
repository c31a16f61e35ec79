package crosslist

import (
	"slices"
	"testing"

	"vicinity/internal/oracle"
)

// relations is entities of whom each observes all others, for the engine's
// reference.
func relations(entities map[uint64]point, radius, margin int64) (observers []oracle.Observer, seen []oracle.Entity) {
	for id, p := range entities {
		x, y := int64(p.x), int64(p.y)
		observers = append(observers, oracle.Observer{
			ID: id, X: x, Y: y, Reach: []oracle.Reach{{Enter: radius, Margin: margin}}, Self: id, ExcludeSelf: true,
		})
		seen = append(seen, oracle.Entity{ID: id, X: x, Y: y})
	}
	return observers, seen
}

// A batch of everybody's moves decides what the engine decides in a tick: the
// differences of the reference, tick by tick, with births, deaths and several moves
// of one entity within a tick.
func TestBatchIsTick(t *testing.T) {
	const radius, margin = 40, 8
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		r := newRandom(t, 100+int64(round))
		w := newWorld(t)
		reference := &oracle.Relations{}
		entities := map[uint64]point{}
		ids, next := []uint64{}, uint64(1)
		for range 30 {
			w.must(w.list.Begin())
			for range 2 + r.below(4) {
				if len(ids) > 40 {
					break
				}
				entities[next] = point{r.spread(150), r.spread(150)}
				w.insert(next, entities[next].x, entities[next].y)
				w.attach(next, next, radius, margin, Disc)
				ids = append(ids, next)
				next++
			}
			for range 60 {
				id := ids[r.below(len(ids))]
				p := entities[id]
				p.x, p.y = p.x+r.spread(20), p.y+r.spread(20)
				entities[id] = p
				if r.below(8) == 0 {
					w.teleport(id, p.x, p.y)
				} else {
					w.move(id, p.x, p.y)
				}
			}
			for range r.below(3) {
				i := r.below(len(ids))
				w.remove(ids[i])
				delete(entities, ids[i])
				ids = slices.Delete(ids, i, i+1)
				if len(ids) == 0 {
					break
				}
			}
			d := reference.Update(relations(entities, radius, margin))
			var got, want []change
			for _, e := range w.end() {
				got = append(got, change{pair{e.TriggerID, e.EntityID}, e.Kind})
			}
			for _, p := range d.Enter {
				want = append(want, change{pair{p.Observer, p.Entity}, Enter})
			}
			for _, p := range d.Leave {
				want = append(want, change{pair{p.Observer, p.Entity}, Leave})
			}
			slices.SortFunc(want, func(a, b change) int {
				return int(int64(a.trigger)-int64(b.trigger))*1000 + int(int64(a.entity)-int64(b.entity))
			})
			if !slices.Equal(got, want) {
				t.Fatalf("events %v; want %v", got, want)
			}
			if len(ids) == 0 {
				break
			}
		}
	}
}

// The same final positions, moved one by one, by teleports, or in a batch, in any
// order, lead to the same sets; and events do not depend on the order of insertion.
func TestHowDoesNotMatter(t *testing.T) {
	r := newRandom(t, 5)
	const n = 60
	from, to := make([]point, n), make([]point, n)
	for i := range from {
		from[i] = point{r.spread(200), r.spread(200)}
		to[i] = point{r.spread(200), r.spread(200)}
	}
	var first []change
	for variant := range 6 {
		w := newWorld(t)
		w.lazy = true
		order := make([]int, n)
		for i := range order {
			order[i] = i
			if variant%2 == 1 {
				order[i] = n - 1 - i
			}
		}
		for _, i := range order {
			w.insert(uint64(i+1), from[i].x, from[i].y)
			w.attach(uint64(i+1), uint64(i+1), int32(20+i), 0, Shape(i%2))
		}
		w.begin()
		for _, i := range order {
			switch variant / 2 {
			case 0:
				w.move(uint64(i+1), to[i].x, to[i].y)
			case 1:
				w.teleport(uint64(i+1), to[i].x, to[i].y)
			case 2:
				w.move(uint64(i+1), from[n-1-i].x, 0)
				w.move(uint64(i+1), to[i].x, to[i].y)
			}
		}
		var got []change
		for _, e := range w.end() {
			got = append(got, change{pair{e.TriggerID, e.EntityID}, e.Kind})
		}
		w.compare()
		if variant == 0 {
			first = got
		} else if !slices.Equal(got, first) {
			t.Fatalf("variant %d: events %v; want %v", variant, got, first)
		}
	}
}
