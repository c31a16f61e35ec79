package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	engine "vicinity"
)

// A questionKind is a subcommand of query.
type questionKind struct {
	name, short string
	ranked      bool // the answer is in order, and has distances
	flags       func(f *queryFlags, flags *pflag.FlagSet)
	parse       func(s *scene, f *queryFlags) (*question, error)
}

// question is what is asked, in metres, and how it looks.
type question struct {
	text   string     // in words, without the place
	origin [2]float64 // the place
	around uint64     // the entity that is there, if any
	fixed  bool       // by --around
	ask    func(r *engine.Reader, w engine.Where) ([]engine.Found, error)
	shape  func(found []engine.Found) outline
}

var questions = []questionKind{
	{name: "within", short: "Who is within a radius", ranked: true, flags: radiusFlag("; without, the trace's"), parse: parseWithin},
	{name: "nearest", short: "Who are the k nearest", ranked: true, flags: func(f *queryFlags, flags *pflag.FlagSet) {
		flags.IntVarP(&f.k, "count", "k", 8, "how `many`")
		radiusFlag("; without, however far")(f, flags)
	}, parse: parseNearest},
	{name: "rect", short: "Who is in an upright rectangle", flags: func(f *queryFlags, flags *pflag.FlagSet) {
		flags.StringVar(&f.size, "size", "", "edges, `WxH` in metres, around the place")
	}, parse: parseRect},
	{name: "ring", short: "Who is in a ring", flags: func(f *queryFlags, flags *pflag.FlagSet) {
		flags.Float64Var(&f.inner, "inner", 0, "inner radius in `metres`")
		flags.Float64Var(&f.outer, "outer", 0, "outer radius in `metres`")
	}, parse: parseRing},
	{name: "cone", short: "Who is in a cone", flags: func(f *queryFlags, flags *pflag.FlagSet) {
		directionFlags(f, flags)
		flags.Float64Var(&f.angle, "angle", 0, "opening from edge to edge in `degrees`, 0 to 360")
		flags.Float64Var(&f.reach, "range", 0, "how far it reaches, in `metres`")
	}, parse: parseCone},
	{name: "beam", short: "Who is in a beam, a rectangle that begins at the place", flags: func(f *queryFlags, flags *pflag.FlagSet) {
		directionFlags(f, flags)
		flags.Float64Var(&f.length, "length", 0, "how far it reaches, in `metres`")
		flags.Float64Var(&f.width, "width", 0, "its width, in `metres`")
	}, parse: parseBeam},
	{name: "capsule", short: "Who is in the way of a ball", flags: func(f *queryFlags, flags *pflag.FlagSet) {
		flags.StringVar(&f.to, "to", "", "where it rolls: a `place`, X,Y in metres or the ID of an entity")
		radiusFlag(" of the ball")(f, flags)
	}, parse: parseCapsule},
}

func questionNames() (names []string) {
	for _, q := range questions {
		names = append(names, q.name)
	}
	return names
}

func radiusFlag(more string) func(f *queryFlags, flags *pflag.FlagSet) {
	return func(f *queryFlags, flags *pflag.FlagSet) {
		flags.Float64Var(&f.radius, "radius", 0, "radius in `metres`"+more)
	}
}

func directionFlags(f *queryFlags, flags *pflag.FlagSet) {
	flags.Float64Var(&f.direction, "direction", 0, "direction in `degrees`, from +x towards +y")
	flags.StringVar(&f.towards, "towards", "", "direction towards a `place`, X,Y in metres or the ID of an entity")
}

// require returns an error if one of some flags was not given.
func (f *queryFlags) require(flags ...string) error {
	for _, flag := range flags {
		if !f.changed(flag) {
			return fmt.Errorf("--%s is missing", flag)
		}
	}
	return nil
}

// askAt returns a question at the place that the flags name.
func (s *scene) askAt(f *queryFlags) (*question, error) {
	q := &question{}
	switch {
	case f.changed("at") == f.changed("around"):
		return nil, errors.New("the place is missing: one of --at X,Y and --around ID")
	case f.changed("around"):
		if f.around < 0 {
			return nil, fmt.Errorf("--around is %d, want the ID of an entity", f.around)
		}
		row, ok := s.find(uint64(f.around))
		if !ok {
			return nil, fmt.Errorf("--around: no entity %d in tick %d", f.around, s.asOf)
		}
		q.origin, q.around, q.fixed = s.at(row), uint64(f.around), true
		return q, nil
	}
	var err error
	q.origin, err = parsePoint(f.at)
	if err != nil {
		return nil, fmt.Errorf("--at is %q, want X,Y in metres", f.at)
	}
	return q, nil
}

func parsePoint(text string) (p [2]float64, err error) {
	x, y, ok := strings.Cut(text, ",")
	if !ok {
		return p, errors.New("no comma")
	}
	var errX, errY error
	p[0], errX = parseMetres(x)
	p[1], errY = parseMetres(y)
	return p, errors.Join(errX, errY)
}

// target returns the place that a flag names, X,Y or an ID.
func (s *scene) target(flag, text string) ([2]float64, error) {
	if id, err := strconv.ParseUint(text, 10, 64); err == nil {
		row, ok := s.find(id)
		if !ok {
			return [2]float64{}, fmt.Errorf("--%s: no entity %d in tick %d", flag, id, s.asOf)
		}
		return s.at(row), nil
	}
	p, err := parsePoint(text)
	if err != nil {
		return p, fmt.Errorf("--%s is %q, want X,Y in metres or the ID of an entity", flag, text)
	}
	return p, nil
}

// heading returns the direction that the flags name, of length 1 or what leads to the
// target.
func (s *scene) heading(q *question, f *queryFlags) (d [2]float64, err error) {
	switch {
	case f.changed("direction") == f.changed("towards"):
		return d, errors.New("the direction is missing: one of --direction and --towards")
	case f.changed("direction"):
		if math.IsNaN(f.direction) || math.IsInf(f.direction, 0) {
			return d, fmt.Errorf("--direction is %v, want degrees", f.direction)
		}
		return degrees(f.direction), nil
	}
	p, err := s.target("towards", f.towards)
	if err != nil {
		return d, err
	}
	d = [2]float64{p[0] - q.origin[0], p[1] - q.origin[1]}
	if d == [2]float64{} {
		return d, fmt.Errorf("--towards %s is the place itself", f.towards)
	}
	return d, nil
}

// degrees returns the direction of an angle; right angles are exact.
func degrees(angle float64) [2]float64 {
	angle = math.Mod(angle, 360)
	if q := angle / 90; q == math.Trunc(q) {
		return [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}[(int(q)+4)%4]
	}
	sin, cos := math.Sincos(angle * math.Pi / 180)
	return [2]float64{cos, sin}
}

func parseWithin(s *scene, f *queryFlags) (*question, error) {
	q, err := s.askAt(f)
	if err != nil {
		return nil, err
	}
	r := f.radius
	if !f.changed("radius") {
		if !s.choice.known {
			return nil, missing("radius")
		}
		r = float64(s.choice.radius) * s.choice.unit.Metres()
	}
	q.text = "within " + metres(r)
	q.ask = func(reader *engine.Reader, w engine.Where) ([]engine.Found, error) {
		return reader.AppendWithin(nil, engine.Disc{X: q.origin[0], Y: q.origin[1], Radius: r}, w)
	}
	q.shape = func([]engine.Found) outline { return discOutline(q.origin, r) }
	return q, nil
}

func parseNearest(s *scene, f *queryFlags) (*question, error) {
	q, err := s.askAt(f)
	if err != nil {
		return nil, err
	}
	if f.k < 1 {
		return nil, fmt.Errorf("-k is %d, want 1 or more", f.k)
	}
	r := float64(1<<30-1) * s.choice.unit.Metres()
	q.text = fmt.Sprintf("the %d nearest", f.k)
	if f.changed("radius") {
		r = f.radius
		q.text += " within " + metres(r)
	}
	q.ask = func(reader *engine.Reader, w engine.Where) ([]engine.Found, error) {
		return reader.AppendNearest(nil, f.k, engine.Disc{X: q.origin[0], Y: q.origin[1], Radius: r}, w)
	}
	q.shape = func(found []engine.Found) outline {
		if len(found) == 0 {
			return discOutline(q.origin, 0)
		}
		return discOutline(q.origin, found[len(found)-1].Distance)
	}
	return q, nil
}

func parseRect(s *scene, f *queryFlags) (*question, error) {
	q, err := s.askAt(f)
	if err != nil {
		return nil, err
	}
	if err := f.require("size"); err != nil {
		return nil, err
	}
	a, b, _ := strings.Cut(strings.ToLower(f.size), "x")
	w, errW := parseMetres(a)
	h, errH := parseMetres(b)
	if errW != nil || errH != nil || w < 0 || h < 0 {
		return nil, fmt.Errorf("--size is %q, want WxH in metres, such as 40x30", f.size)
	}
	q.text = "in a rectangle of " + number(w) + " x " + metres(h)
	area := engine.Rectangle{X0: q.origin[0] - w/2, Y0: q.origin[1] - h/2, X1: q.origin[0] + w/2, Y1: q.origin[1] + h/2}
	q.ask = func(reader *engine.Reader, where engine.Where) ([]engine.Found, error) {
		return reader.AppendIn(nil, area, where)
	}
	q.shape = func([]engine.Found) outline {
		return polygonOutline([][2]float64{{area.X0, area.Y0}, {area.X1, area.Y0}, {area.X1, area.Y1}, {area.X0, area.Y1}})
	}
	return q, nil
}

func parseRing(s *scene, f *queryFlags) (*question, error) {
	q, err := s.askAt(f)
	if err != nil {
		return nil, err
	}
	if err := f.require("outer"); err != nil {
		return nil, err
	}
	q.text = "in a ring from " + number(f.inner) + " to " + metres(f.outer)
	q.ask = func(reader *engine.Reader, w engine.Where) ([]engine.Found, error) {
		return reader.AppendRing(nil, engine.Ring{X: q.origin[0], Y: q.origin[1], Inner: f.inner, Outer: f.outer}, w)
	}
	q.shape = func([]engine.Found) outline { return ringOutline(q.origin, f.inner, f.outer) }
	return q, nil
}

func parseCone(s *scene, f *queryFlags) (*question, error) {
	q, err := s.askAt(f)
	if err != nil {
		return nil, err
	}
	if err := f.require("angle", "range"); err != nil {
		return nil, err
	}
	if !(f.angle >= 0 && f.angle <= 360) {
		return nil, fmt.Errorf("--angle is %v, want 0 to 360 degrees", f.angle)
	}
	d, err := s.heading(q, f)
	if err != nil {
		return nil, err
	}
	half := f.angle / 360 * math.Pi
	q.text = "in a cone of " + number(f.angle) + "° and " + metres(f.reach)
	q.ask = func(reader *engine.Reader, w engine.Where) ([]engine.Found, error) {
		return reader.AppendCone(nil, engine.Cone{X: q.origin[0], Y: q.origin[1], DirX: d[0], DirY: d[1], HalfAngle: half, Range: f.reach}, w)
	}
	q.shape = func([]engine.Found) outline {
		return sectorOutline(q.origin, math.Atan2(d[1], d[0]), half, f.reach)
	}
	return q, nil
}

func parseBeam(s *scene, f *queryFlags) (*question, error) {
	q, err := s.askAt(f)
	if err != nil {
		return nil, err
	}
	if err := f.require("length", "width"); err != nil {
		return nil, err
	}
	d, err := s.heading(q, f)
	if err != nil {
		return nil, err
	}
	n := math.Hypot(d[0], d[1])
	along := [2]float64{d[0] / n, d[1] / n}
	q.text = "in a beam of " + number(f.length) + " x " + metres(f.width)
	t := engine.Tilted{
		X: q.origin[0] + along[0]*f.length/2, Y: q.origin[1] + along[1]*f.length/2, DirX: d[0], DirY: d[1],
		HalfLength: f.length / 2, HalfWidth: f.width / 2,
	}
	q.ask = func(reader *engine.Reader, w engine.Where) ([]engine.Found, error) {
		return reader.AppendTilted(nil, t, w)
	}
	q.shape = func([]engine.Found) outline { return tiltedOutline(t, along) }
	return q, nil
}

func parseCapsule(s *scene, f *queryFlags) (*question, error) {
	q, err := s.askAt(f)
	if err != nil {
		return nil, err
	}
	if err := f.require("to", "radius"); err != nil {
		return nil, err
	}
	to, err := s.target("to", f.to)
	if err != nil {
		return nil, err
	}
	q.text = "in the way of a ball of radius " + metres(f.radius)
	c := engine.Capsule{X0: q.origin[0], Y0: q.origin[1], X1: to[0], Y1: to[1], Radius: f.radius}
	q.ask = func(reader *engine.Reader, w engine.Where) ([]engine.Found, error) {
		return reader.AppendCapsule(nil, c, w)
	}
	q.shape = func([]engine.Found) outline { return capsuleOutline(q.origin, to, f.radius) }
	return q, nil
}
