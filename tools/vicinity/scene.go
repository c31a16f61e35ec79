package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	engine "vicinity"
	"vicinity/internal/replay"
)

// maxHistory bounds --as-of: each tick between costs a copy of what moved.
const maxHistory = 4096

// scene is a World into which a trace is played up to a tick, and what the trace said
// at the tick that is asked about.
type scene struct {
	choice     *choice
	kinds      kinds
	world      *engine.World
	bodies     map[int32]engine.Body // by kind
	mask       uint32                // the kinds that are asked for
	only       string                // says so in words
	tick, asOf uint64

	present map[uint64]placed // of the tick played last
	then    replay.Tick       // a copy of tick asOf
}

// placed is an entity in the World.
type placed struct {
	handle engine.Handle
	kind   int32
	x, y   int32
	tick   uint64 // in which it was there last
}

// newScene checks the flags that every kind of question has.
func newScene(f *queryFlags, c *choice, summary *replay.Summary) (_ *scene, err error) {
	s := &scene{
		choice: c, kinds: kinds{names: c.kinds, max: summary.MaxKind}, mask: math.MaxUint32,
		tick: summary.Ticks - 1, present: map[uint64]placed{},
	}
	if f.changed("tick") {
		if s.tick, err = s.checkTick("tick", f.tick); err != nil {
			return nil, err
		}
	}
	s.asOf = s.tick
	if f.changed("as-of") {
		if s.asOf, err = s.checkTick("as-of", f.asOf); err != nil {
			return nil, err
		}
		if s.tick-s.asOf > maxHistory {
			return nil, fmt.Errorf("--as-of is %d, %d ticks before tick %d; want at most %d", s.asOf, s.tick-s.asOf, s.tick, maxHistory)
		}
	}
	if f.changed("kind") {
		if s.mask, err = s.kindMask(f.kinds); err != nil {
			return nil, fmt.Errorf("--kind: %w", err)
		}
	}
	if f.changed("body") {
		if s.bodies, err = s.parseBodies(f.body); err != nil {
			return nil, fmt.Errorf("--body: %w", err)
		}
	}
	s.world, err = engine.New(engine.Config{
		Unit: engine.Unit(c.unit.Metres()), QueryMasks: true, History: int(s.tick - s.asOf),
		Reach: []engine.Reach{{Enter: 1 << 10 * c.unit.Metres()}},
	})
	return s, err
}

// checkTick returns a flag's tick. The last one there is is s.tick.
func (s *scene) checkTick(flag string, tick int64) (uint64, error) {
	if tick < 0 || uint64(tick) > s.tick {
		return 0, fmt.Errorf("--%s is %d, want 0 to %d", flag, tick, s.tick)
	}
	return uint64(tick), nil
}

// otherKinds is the bit of the kinds that have none of their own.
const otherKinds = 31

// kindMask reads "kind,kind", and says so in words. A kind is a bit of what an entity
// needs.
func (s *scene) kindMask(lists []string) (mask uint32, err error) {
	var names []string
	for _, name := range strings.Split(strings.Join(lists, ","), ",") {
		kind, err := s.kinds.find(strings.TrimSpace(name))
		if err != nil {
			return 0, err
		}
		if kind >= otherKinds {
			return 0, fmt.Errorf("kind %d cannot be asked for, only those below %d", kind, otherKinds)
		}
		if mask>>kind&1 == 0 {
			names = append(names, s.kinds.name(kind))
		}
		mask |= 1 << kind
	}
	s.only = ", only " + strings.Join(names, " and ")
	return mask, nil
}

// parseBodies reads "kind=radius,kind=WxH".
func (s *scene) parseBodies(lists []string) (map[int32]engine.Body, error) {
	bodies := map[int32]engine.Body{}
	for _, entry := range strings.Split(strings.Join(lists, ","), ",") {
		entry = strings.TrimSpace(entry)
		at := strings.LastIndexByte(entry, '=')
		if at < 0 {
			return nil, fmt.Errorf("%q is not kind=radius or kind=WxH", entry)
		}
		kind, err := s.kinds.find(strings.TrimSpace(entry[:at]))
		if err != nil {
			return nil, err
		}
		if _, twice := bodies[kind]; twice {
			return nil, fmt.Errorf("%q: the kind comes twice", entry)
		}
		w, h, box := strings.Cut(strings.ToLower(entry[at+1:]), "x")
		lengths := []string{w}
		if box {
			lengths = append(lengths, h)
		}
		var m [2]float64
		for i, text := range lengths {
			if m[i], err = parseMetres(text); err != nil || m[i] < 0 {
				return nil, fmt.Errorf("%q: want metres, a radius or WxH", entry)
			}
		}
		bodies[kind] = engine.Body{Radius: m[0]}
		if box {
			bodies[kind] = engine.Body{HalfX: m[0] / 2, HalfY: m[1] / 2}
		}
	}
	return bodies, nil
}

func parseMetres(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = errors.New("not a finite number")
	}
	return v, err
}

func (s *scene) close() {
	if s.world != nil {
		s.world.Close()
	}
}

// play plays the trace up to s.tick, and keeps what tick asOf was.
func (s *scene) play(ctx context.Context, bar *progress) error {
	defer bar.close()
	r, err := replay.Open(s.choice.source)
	if err != nil {
		return err
	}
	defer r.Close()
	var t replay.Tick
	for n := uint64(0); n <= s.tick; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.Next(&t); err != nil {
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("%s: had %d ticks, then %d: it was changed meanwhile", s.choice.source.Name, s.tick+1, n)
			}
			return err
		}
		if err := s.place(&t); err != nil {
			return err
		}
		// The World's first tick is 1.
		if err := s.world.TickAt(n+1, nil); err != nil {
			return err
		}
		if n == s.asOf {
			s.then = replay.Tick{Number: n, ID: slices.Clone(t.ID), X: slices.Clone(t.X), Y: slices.Clone(t.Y), Kind: slices.Clone(t.Kind), Team: slices.Clone(t.Team)}
		}
		bar.step(int64(n) + 1)
	}
	return nil
}

// place spawns, moves and despawns what a tick says.
func (s *scene) place(t *replay.Tick) error {
	unit := s.choice.unit.Metres()
	for i, id := range t.ID {
		p, there := s.present[id]
		switch {
		case !there || p.kind != t.Kind[i]:
			if there {
				if err := s.world.Despawn(p.handle); err != nil {
					return err
				}
			}
			h, err := s.world.Spawn(engine.Entity{
				ID: id, X: float64(t.X[i]) * unit, Y: float64(t.Y[i]) * unit,
				Cost: [3]uint32{1}, Body: s.bodies[t.Kind[i]], Need: 1 << min(t.Kind[i], otherKinds),
			})
			if err != nil {
				return err
			}
			p = placed{handle: h, kind: t.Kind[i]}
		case p.x != t.X[i] || p.y != t.Y[i]:
			if err := s.world.Move(p.handle, float64(t.X[i])*unit, float64(t.Y[i])*unit); err != nil {
				return err
			}
		}
		p.x, p.y, p.tick = t.X[i], t.Y[i], t.Number
		s.present[id] = p
	}
	for id, p := range s.present {
		if p.tick != t.Number {
			if err := s.world.Despawn(p.handle); err != nil {
				return err
			}
			delete(s.present, id)
		}
	}
	return nil
}

// find returns the row of an entity in tick asOf.
func (s *scene) find(id uint64) (row int, ok bool) { return slices.BinarySearch(s.then.ID, id) }

// at returns where a row of tick asOf is, in metres.
func (s *scene) at(row int) [2]float64 {
	unit := s.choice.unit.Metres()
	return [2]float64{float64(s.then.X[row]) * unit, float64(s.then.Y[row]) * unit}
}

// answer asks a question of tick asOf.
func (s *scene) answer(kind questionKind, f *queryFlags) (*answer, error) {
	r, err := s.world.NewReader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.PinAt(s.asOf + 1); err != nil {
		return nil, err
	}
	q, err := kind.parse(s, f)
	if err != nil {
		return nil, err
	}
	found, err := q.ask(r, engine.Where{Mask: s.mask})
	if err != nil {
		return nil, err
	}
	return newAnswer(s, kind, q, found), nil
}
