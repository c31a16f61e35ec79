package fuzz

import (
	"fmt"

	"vicinity/arena"
	"vicinity/grid"
)

// frame is a way to see the world: axes exchanged, then mirrored, then moved.
type frame struct {
	swap         bool
	signX, signY int32
	x, y         int32
}

func (f *frame) turn(x, y int32) (int32, int32) {
	if f.swap {
		x, y = y, x
	}
	return f.signX * x, f.signY * y
}

func (f *frame) place(x, y int32) (int32, int32) {
	x, y = f.turn(x, y)
	return x + f.x, y + f.y
}

// flips reports whether what is left comes to be right.
func (f *frame) flips() bool { return (f.signX != f.signY) != f.swap }

func (f *frame) resident(r resident) resident {
	r.at.X, r.at.Y = f.place(r.at.X, r.at.Y)
	if f.swap {
		r.body.HalfX, r.body.HalfY = r.body.HalfY, r.body.HalfX
	}
	return r
}

func (f *frame) question(q question) question {
	q.x, q.y = f.place(q.x, q.y)
	q.x1, q.y1 = f.place(q.x1, q.y1)
	q.dirX, q.dirY = f.turn(q.dirX, q.dirY)
	return q
}

// someFrame draws a frame in which a window stays in the range.
func someFrame(s *script, w window) frame {
	f := frame{swap: s.below(2) == 0, signX: int32(s.below(2)*2 - 1), signY: int32(s.below(2)*2 - 1)}
	w.x, w.y = f.turn(w.x, w.y)
	room := grid.MaxCoord - w.size
	move := func(v int32) int32 { return [...]int32{0, -v, room - v, -room - v}[s.below(4)] }
	f.x, f.y = move(w.x), move(w.y)
	return f
}

// scene is a grid that shows the world in a frame.
type scene struct {
	frame
	arena  *arena.Arena
	grid   *grid.Grid
	reader *grid.Reader
	have   map[uint64]inScene
}

type inScene struct {
	handle arena.Handle
	resident
}

// show makes a scene hold what the world holds, and publishes it.
func (v *scene) show(all []resident, tick uint64) error {
	here := map[uint64]bool{}
	for _, r := range all {
		here[r.id] = true
	}
	for id, h := range v.have {
		if !here[id] {
			if err := v.grid.Remove(h.handle); err != nil {
				return err
			}
			v.arena.Free(h.handle)
			delete(v.have, id)
		}
	}
	for _, r := range all {
		if err := v.showOne(v.resident(r)); err != nil {
			return fmt.Errorf("%+v: %w", r, err)
		}
	}
	if err := v.grid.Publish(tick); err != nil {
		return err
	}
	return v.grid.CheckInvariants()
}

// showOne calls what changes what a scene has of somebody.
func (v *scene) showOne(r resident) error {
	h, ok := v.have[r.id]
	if !ok {
		var err error
		if h.handle, err = v.arena.Alloc(); err != nil {
			return err
		}
		if err := v.grid.Insert(h.handle, r.id, r.layer, r.at); err != nil {
			return err
		}
		h.resident = resident{id: r.id, layer: r.layer, at: r.at}
	}
	if h.at != r.at {
		if err := v.grid.MoveZ(h.handle, r.at); err != nil {
			return err
		}
	}
	if h.body != r.body {
		if err := v.grid.SetBody(h.handle, r.body); err != nil {
			return err
		}
	}
	if h.layer != r.layer {
		if err := v.grid.SetLayer(h.handle, r.layer); err != nil {
			return err
		}
	}
	if h.need != r.need || h.any != r.any {
		if err := v.grid.SetMasks(h.handle, r.need, r.any); err != nil {
			return err
		}
	}
	h.resident = r
	v.have[r.id] = h
	return nil
}
