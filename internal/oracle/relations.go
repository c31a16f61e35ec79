package oracle

import (
	"cmp"
	"slices"
)

// Entity is somebody who can be seen. IDs are unique.
type Entity struct {
	ID      uint64
	X, Y, Z int64
	Class   int // index into Reach
	// Body is the extent in the plane. Relations and World do not look at it.
	Body Body
}

// Reach says from how far one class of entities is seen: a stranger enters at
// distance Enter and height difference Height or less, and a member stays up to
// Enter + Margin and Height + HeightMargin. Enter -1: the class is not seen.
type Reach struct {
	Enter, Margin        int64
	Height, HeightMargin int64
}

// Observer is somebody who looks. IDs are unique among observers.
type Observer struct {
	ID      uint64
	X, Y, Z int64
	Reach   []Reach // by class; a class beyond its end is not seen
	// ExcludeSelf: the entity whose ID is Self is not seen.
	Self        uint64
	ExcludeSelf bool
}

// Pair says that Observer has Entity in view.
type Pair struct{ Observer, Entity uint64 }

// Relations are the pairs that hold, with their memory: the zero value is the
// state before the first tick, when nothing holds.
type Relations struct {
	held map[uint64][]uint64 // by observer, entity IDs ascending
}

// Diff is what one Update did. The pairs are sorted by observer, then entity.
type Diff struct {
	Enter, Keep, Leave []Pair
	Within             int // pairs inside Enter and Height, held before or not
}

// Update moves on by one tick. observers and entities are all who are present,
// in any order. A pair that held holds on exactly if it is inside the margins; a
// pair that did not begins to exactly if it is inside the enter radius. Whoever
// is absent, on either side, ends all its pairs.
func (r *Relations) Update(observers []Observer, entities []Entity) Diff {
	observers = slices.Clone(observers)
	entities = slices.Clone(entities)
	slices.SortFunc(observers, func(a, b Observer) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(entities, func(a, b Entity) int { return cmp.Compare(a.ID, b.ID) })
	var d Diff
	after := make(map[uint64][]uint64, len(observers))
	for i := range observers {
		o := &observers[i]
		after[o.ID] = d.look(o, entities, r.held[o.ID])
		delete(r.held, o.ID)
	}
	for observer, members := range r.held {
		for _, e := range members {
			d.Leave = append(d.Leave, Pair{observer, e})
		}
	}
	slices.SortFunc(d.Leave, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Observer, b.Observer), cmp.Compare(a.Entity, b.Entity))
	})
	r.held = after
	return d
}

// look decides about every entity for one observer that held the pairs before.
// entities and before are sorted by ID, and so is what it returns.
func (d *Diff) look(o *Observer, entities []Entity, before []uint64) (after []uint64) {
	next := 0 // first of before that is not decided
	for i := range entities {
		e := &entities[i]
		for next < len(before) && before[next] < e.ID {
			d.Leave = append(d.Leave, Pair{o.ID, before[next]}) // absent
			next++
		}
		held := next < len(before) && before[next] == e.ID
		if held {
			next++
		}
		enters, stays := o.sees(e)
		if enters {
			d.Within++
		}
		p := Pair{o.ID, e.ID}
		switch {
		case held && stays:
			d.Keep = append(d.Keep, p)
			after = append(after, e.ID)
		case held:
			d.Leave = append(d.Leave, p)
		case enters:
			d.Enter = append(d.Enter, p)
			after = append(after, e.ID)
		}
	}
	for _, gone := range before[next:] {
		d.Leave = append(d.Leave, Pair{o.ID, gone})
	}
	return after
}

// sees returns whether e is near enough to enter, and near enough to stay.
func (o *Observer) sees(e *Entity) (enters, stays bool) {
	if o.ExcludeSelf && e.ID == o.Self || e.Class >= len(o.Reach) {
		return false, false
	}
	r := &o.Reach[e.Class]
	if r.Enter < 0 {
		return false, false
	}
	dx, dy, dz := e.X-o.X, e.Y-o.Y, e.Z-o.Z
	if dz < 0 {
		dz = -dz
	}
	d2 := dx*dx + dy*dy
	far := r.Enter + r.Margin
	enters = d2 <= r.Enter*r.Enter && dz <= r.Height
	stays = d2 <= far*far && dz <= r.Height+r.HeightMargin
	return enters, stays
}

// Len returns how many pairs hold.
func (r *Relations) Len() int {
	n := 0
	for _, members := range r.held {
		n += len(members)
	}
	return n
}

// Pairs returns all pairs that hold, sorted by observer, then entity.
func (r *Relations) Pairs() []Pair {
	observers := make([]uint64, 0, len(r.held))
	for o := range r.held {
		observers = append(observers, o)
	}
	slices.Sort(observers)
	var all []Pair
	for _, o := range observers {
		for _, e := range r.held[o] {
			all = append(all, Pair{o, e})
		}
	}
	return all
}

// Members returns the IDs of the entities that the observer has in view,
// ascending. The slice is valid until the next Update.
func (r *Relations) Members(observer uint64) []uint64 { return r.held[observer] }
