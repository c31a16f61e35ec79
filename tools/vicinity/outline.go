package main

import (
	"math"
	"strconv"
	"strings"

	engine "vicinity"
)

// outline is a shape to be drawn, in metres: a path of lines and arcs, and what is
// around it.
type outline struct {
	steps          []step
	x0, y0, x1, y1 float64
}

// step moves to a point, draws a line to it, or an arc, or closes the figure.
type step struct {
	command byte // 'M', 'L', 'A' or 'Z', as in SVG
	at      [2]float64
	radius  float64
	large   bool // the longer arc
	left    bool // anticlockwise
}

// include widens what is around the outline.
func (o *outline) include(x0, y0, x1, y1 float64) {
	o.x0, o.y0, o.x1, o.y1 = min(o.x0, x0), min(o.y0, y0), max(o.x1, x1), max(o.y1, y1)
}

func newOutline(at [2]float64) outline {
	return outline{x0: at[0], y0: at[1], x1: at[0], y1: at[1]}
}

func (o *outline) circle(c [2]float64, r float64) {
	left, right := [2]float64{c[0] - r, c[1]}, [2]float64{c[0] + r, c[1]}
	o.steps = append(o.steps, step{command: 'M', at: left},
		step{command: 'A', at: right, radius: r}, step{command: 'A', at: left, radius: r}, step{command: 'Z'})
	o.include(c[0]-r, c[1]-r, c[0]+r, c[1]+r)
}

func discOutline(c [2]float64, r float64) outline {
	o := newOutline(c)
	o.circle(c, r)
	return o
}

func ringOutline(c [2]float64, inner, outer float64) outline {
	o := discOutline(c, outer)
	o.circle(c, inner)
	return o
}

func polygonOutline(points [][2]float64) outline {
	o := newOutline(points[0])
	for i, p := range points {
		command := byte('L')
		if i == 0 {
			command = 'M'
		}
		o.steps = append(o.steps, step{command: command, at: p})
		o.include(p[0], p[1], p[0], p[1])
	}
	o.steps = append(o.steps, step{command: 'Z'})
	return o
}

func polar(c [2]float64, angle, r float64) [2]float64 {
	sin, cos := math.Sincos(angle)
	return [2]float64{c[0] + r*cos, c[1] + r*sin}
}

func sectorOutline(c [2]float64, direction, half, r float64) outline {
	if half >= math.Pi {
		return discOutline(c, r)
	}
	o := newOutline(c)
	from, to := polar(c, direction-half, r), polar(c, direction+half, r)
	o.steps = []step{{command: 'M', at: c}, {command: 'L', at: from}, {command: 'A', at: to, radius: r, large: half > math.Pi/2, left: true}, {command: 'Z'}}
	o.include(from[0], from[1], from[0], from[1])
	o.include(to[0], to[1], to[0], to[1])
	for k := range 4 { // where the arc is extreme
		angle := float64(k) * math.Pi / 2
		if math.Abs(math.Remainder(angle-direction, 2*math.Pi)) <= half {
			p := polar(c, angle, r)
			o.include(p[0], p[1], p[0], p[1])
		}
	}
	return o
}

func tiltedOutline(t engine.Tilted, along [2]float64) outline {
	var points [][2]float64
	for _, s := range [][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		a, b := s[0]*t.HalfLength, s[1]*t.HalfWidth
		points = append(points, [2]float64{t.X + a*along[0] - b*along[1], t.Y + a*along[1] + b*along[0]})
	}
	return polygonOutline(points)
}

func capsuleOutline(a, b [2]float64, r float64) outline {
	if a == b {
		return discOutline(a, r)
	}
	angle := math.Atan2(b[1]-a[1], b[0]-a[0])
	o := newOutline(a)
	right, left := angle-math.Pi/2, angle+math.Pi/2
	o.steps = []step{
		{command: 'M', at: polar(a, right, r)}, {command: 'L', at: polar(b, right, r)},
		{command: 'A', at: polar(b, left, r), radius: r, left: true},
		{command: 'L', at: polar(a, left, r)}, {command: 'A', at: polar(a, right, r), radius: r, left: true}, {command: 'Z'},
	}
	for _, c := range [][2]float64{a, b} {
		o.include(c[0]-r, c[1]-r, c[0]+r, c[1]+r)
	}
	return o
}

// number prints up to three decimals.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', 3, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}

func metres(v float64) string { return number(v) + " m" }
