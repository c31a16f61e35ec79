package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/pflag"

	engine "vicinity"
)

// A questionKind is a subcommand of query.
type questionKind struct {
	name, short string
	example     string // flags, of the bundled trace that is the default
	ranked      bool   // the answer is in order, and has distances
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
	{name: "within", short: "Who is within a radius", example: "--at 0,2 --tick 1500 --radius 1.5 --body pedestrian=0.25", ranked: true, flags: radiusFlag("; without, the trace's"), parse: parseWithin},
	{name: "nearest", short: "Who are the k nearest", example: "--at 0,1 --tick 600 -k 8 --json", ranked: true, flags: func(f *queryFlags, flags *pflag.FlagSet) {
		flags.IntVarP(&f.k, "count", "k", 8, "how `many`")
		radiusFlag("; without, however far")(f, flags)
	}, parse: parseNearest},
	{name: "rect", short: "Who is in an upright rectangle", example: "--at 0.5,2 --tick 1500 --size 3x1.5", flags: func(f *queryFlags, flags *pflag.FlagSet) {
		flags.StringVar(&f.size, "size", "", "edges, `WxH` in metres, around the place")
	}, parse: parseRect},
	{name: "ring", short: "Who is in a ring", example: "--at 0,2 --tick 1500 --inner 1 --outer 2 --svg ring.svg", flags: func(f *queryFlags, flags *pflag.FlagSet) {
		flags.Float64Var(&f.inner, "inner", 0, "inner radius in `metres`")
		flags.Float64Var(&f.outer, "outer", 0, "outer radius in `metres`")
	}, parse: parseRing},
	{name: "cone", short: "Who is in a cone", example: "--around 11 --tick 600 --direction 180 --angle 60 --range 3 --svg cone.svg", flags: func(f *queryFlags, flags *pflag.FlagSet) {
		directionFlags(f, flags)
		flags.Float64Var(&f.angle, "angle", 0, "opening from edge to edge in `degrees`, 0 to 360")
		flags.Float64Var(&f.reach, "range", 0, "how far it reaches, in `metres`")
	}, parse: parseCone},
	{name: "beam", short: "Who is in a beam, a rectangle that begins at the place", example: "--at -2,2 --tick 1500 --as-of 1490 --towards 2,2 --length 4 --width 1", flags: func(f *queryFlags, flags *pflag.FlagSet) {
		directionFlags(f, flags)
		flags.Float64Var(&f.length, "length", 0, "how far it reaches, in `metres`")
		flags.Float64Var(&f.width, "width", 0, "its width, in `metres`")
	}, parse: parseBeam},
	{name: "capsule", short: "Who is in the way of a ball", example: "--at -2,1 --tick 1500 --to 2,3 --radius 0.5", flags: func(f *queryFlags, flags *pflag.FlagSet) {
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

// length is a flag that is a length in metres.
type length struct {
	flag   string
	metres float64
}

// checkLengths returns an error if one of some lengths is negative or not finite.
func checkLengths(lengths ...length) error {
	for _, l := range lengths {
		if !(l.metres >= 0) || math.IsInf(l.metres, 0) {
			return fmt.Errorf("--%s is %v, want metres, 0 or more", l.flag, l.metres)
		}
	}
	return nil
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
	if err := checkLengths(length{"radius", r}); err != nil {
		return nil, err
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
		if err := checkLengths(length{"radius", f.radius}); err != nil {
			return nil, err
		}
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
	if err := checkLengths(length{"inner", f.inner}, length{"outer", f.outer}); err != nil {
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
	if err := checkLengths(length{"range", f.reach}); err != nil {
		return nil, err
	}
	d := [2]float64{} // all round there need be none
	if f.angle < 360 || f.changed("direction") || f.changed("towards") {
		if d, err = s.heading(q, f); err != nil {
			return nil, err
		}
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
	if err := checkLengths(length{"length", f.length}, length{"width", f.width}); err != nil {
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
	if err := checkLengths(length{"radius", f.radius}); err != nil {
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
