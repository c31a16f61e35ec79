package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"

	engine "vicinity"
)

// The picture's measures, in pixels.
const (
	pictureWidth = 960
	mapTop       = 64 // below the title
	mapBottom    = 48 // with the legend
)

// style is readable on light and on dark paper. Who is found differs in size and ring,
// too, not in colour alone.
const pictureStyle = `
svg { color-scheme: light dark; font: 13px system-ui, sans-serif;
  --paper: #fbfbf9; --ink: #1c1c1a; --quiet: #62615b; --faint: #8d8c86; --line: #dddbd3; --found: #b3340a; --shape: #2166a8; }
@media (prefers-color-scheme: dark) { svg {
  --paper: #161613; --ink: #ecebe4; --quiet: #a5a49b; --faint: #8b8a83; --line: #34332e; --found: #ff9d5c; --shape: #7fb6ea; } }
.paper { fill: var(--paper); } text { fill: var(--ink); } .small { fill: var(--quiet); font-size: 12px; }
.title { font-size: 17px; font-weight: 600; } .frame { fill: none; stroke: var(--line); }
.shape { fill: var(--shape); fill-opacity: .13; stroke: var(--shape); stroke-width: 1.5; fill-rule: evenodd; }
.place { fill: none; stroke: var(--shape); stroke-width: 2; }
.other { fill: var(--faint); } .obody { fill: var(--faint); fill-opacity: .22; stroke: var(--faint); stroke-width: .8; }
.found { fill: var(--found); stroke: var(--paper); stroke-width: 1.5; }
.fbody { fill: var(--found); fill-opacity: .3; stroke: var(--found); stroke-width: 1.2; }
.label { fill: var(--ink); font-size: 12px; paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
.leader { stroke: var(--quiet); stroke-width: .8; fill: none; } .scale { stroke: var(--ink); stroke-width: 1.5; fill: none; }
`

// picture maps metres to pixels: y grows upwards on the map, and downwards on paper.
type picture struct {
	w              *bufio.Writer
	scale          float64 // pixels a metre
	x0, y1         float64 // the map's upper left corner, in metres
	height         float64 // of the map, in pixels
	outside, shown int     // others who are not in the picture, and who are
}

func (p *picture) x(v float64) float64 { return (v - p.x0) * p.scale }
func (p *picture) y(v float64) float64 { return (p.y1-v)*p.scale + mapTop }

// draw writes the answer as SVG: the shape, who was found, and who else is near.
func (a *answer) draw(out io.Writer) error {
	p := a.newPicture(out)
	total := p.height + mapTop + mapBottom
	fmt.Fprintf(p.w, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %s\" width=\"%d\" height=\"%s\" role=\"img\" aria-labelledby=\"title desc\">\n",
		pictureWidth, pixels(total), pictureWidth, pixels(total))
	fmt.Fprintf(p.w, "<title id=\"title\">%s</title>\n", html.EscapeString(a.headline()))
	fmt.Fprintf(p.w, "<desc id=\"desc\">%s: found %d of %d present.</desc>\n", html.EscapeString(a.when()), len(a.Found), a.Present)
	fmt.Fprintf(p.w, "<style>%s</style>\n", pictureStyle)
	fmt.Fprintf(p.w, "<clipPath id=\"map\"><rect x=\"0\" y=\"%d\" width=\"%d\" height=\"%s\"/></clipPath>\n", mapTop, pictureWidth, pixels(p.height))
	fmt.Fprintf(p.w, "<rect class=\"paper\" width=\"%d\" height=\"%s\"/>\n", pictureWidth, pixels(total))
	fmt.Fprintf(p.w, "<text class=\"title\" x=\"16\" y=\"28\">%s</text>\n", html.EscapeString(capital(a.headline())))
	fmt.Fprintf(p.w, "<text class=\"small\" x=\"16\" y=\"49\">%s</text>\n", html.EscapeString(a.when()))
	fmt.Fprint(p.w, "<g clip-path=\"url(#map)\">\n")
	p.entities(a, false)
	p.outline(&a.shape)
	p.entities(a, true)
	p.place(a)
	p.labels(a)
	fmt.Fprint(p.w, "</g>\n")
	fmt.Fprintf(p.w, "<rect class=\"frame\" x=\".5\" y=\"%d.5\" width=\"%d\" height=\"%s\"/>\n", mapTop, pictureWidth-1, pixels(p.height-1))
	p.legend(a)
	fmt.Fprint(p.w, "</svg>\n")
	return p.w.Flush()
}

// newPicture chooses what is in the picture: the shape, everybody found, and as much
// again around.
func (a *answer) newPicture(out io.Writer) *picture {
	o := a.shape
	for _, e := range a.Found {
		b := a.scene.bodies[e.Kind]
		rx, ry := max(b.Radius, b.HalfX), max(b.Radius, b.HalfY)
		if rx < (o.x1-o.x0+10)/2 && ry < (o.y1-o.y0+10)/2 { // a wall may leave it
			o.include(e.X-rx, e.Y-ry, e.X+rx, e.Y+ry)
		}
	}
	least := 40 * a.UnitM // a few units, if the shape is a point
	margin := max(0.2*max(o.x1-o.x0, o.y1-o.y0), least)
	w, h := o.x1-o.x0+2*margin, o.y1-o.y0+2*margin
	h = min(max(h, w*0.45), w*4)
	w = max(w, h/0.8)
	p := &picture{w: bufio.NewWriter(out), scale: pictureWidth / w}
	p.height = math.Round(h * p.scale)
	p.x0, p.y1 = (o.x0+o.x1-w)/2, (o.y0+o.y1+h)/2
	return p
}

// pixels prints a length to a tenth of a pixel.
func pixels(v float64) string { return number(math.Round(v*10) / 10) }

// entities draws those who were found, or the others.
func (p *picture) entities(a *answer, found bool) {
	dot, body, r := "other", "obody", 2.2
	if found {
		dot, body, r = "found", "fbody", 4.5
	}
	for row, id := range a.scene.then.ID {
		if a.hit[id] != found {
			continue
		}
		at, b := a.scene.at(row), a.scene.bodies[a.scene.then.Kind[row]]
		x, y := p.x(at[0]), p.y(at[1])
		rx, ry := max(b.Radius, b.HalfX)*p.scale, max(b.Radius, b.HalfY)*p.scale
		if x+max(rx, r) < 0 || x-max(rx, r) > pictureWidth || y+max(ry, r) < mapTop || y-max(ry, r) > mapTop+p.height {
			if !found {
				p.outside++
			}
			continue
		}
		if !found {
			p.shown++
		}
		switch {
		case b.Radius > 0:
			fmt.Fprintf(p.w, "<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"%s\"/>\n", body, pixels(x), pixels(y), pixels(rx))
		case b != engine.Body{}:
			fmt.Fprintf(p.w, "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>\n", body, pixels(x-rx), pixels(y-ry), pixels(2*rx), pixels(2*ry))
		}
		fmt.Fprintf(p.w, "<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"%v\"/>\n", dot, pixels(x), pixels(y), r)
	}
}

// outline draws the shape. What is anticlockwise on the map is so on paper: both its
// axis and the sense of SVG's flag are turned over.
func (p *picture) outline(o *outline) {
	fmt.Fprint(p.w, "<path class=\"shape\" d=\"")
	for i, s := range o.steps {
		if i > 0 {
			p.w.WriteByte(' ')
		}
		x, y := pixels(p.x(s.at[0])), pixels(p.y(s.at[1]))
		switch s.command {
		case 'Z':
			p.w.WriteByte('Z')
		case 'A':
			r := pixels(s.radius * p.scale)
			fmt.Fprintf(p.w, "A%s %s 0 %d %d %s %s", r, r, bit(s.large), bit(!s.left), x, y)
		default:
			fmt.Fprintf(p.w, "%c%s %s", s.command, x, y)
		}
	}
	fmt.Fprint(p.w, "\"/>\n")
}

func bit(v bool) int {
	if v {
		return 1
	}
	return 0
}

// place marks where the question is asked from.
func (p *picture) place(a *answer) { p.crosshair(p.x(a.X), p.y(a.Y)) }

// crosshair is open in the middle: who is there stays to be seen.
func (p *picture) crosshair(x, y float64) {
	fmt.Fprintf(p.w, "<path class=\"place\" d=\"M%s %sh7m12 0h7m-13 -13v7m0 12v7\"/>\n", pixels(x-13), pixels(y))
}

// legend says what the marks mean, how many there are of each, and how long a metre is.
func (p *picture) legend(a *answer) {
	y := p.height + mapTop + 29
	fmt.Fprintf(p.w, "<circle class=\"found\" cx=\"24\" cy=\"%s\" r=\"4.5\"/><text x=\"36\" y=\"%s\">%d found</text>\n", pixels(y-4.5), pixels(y), len(a.Found))
	fmt.Fprintf(p.w, "<circle class=\"other\" cx=\"144\" cy=\"%s\" r=\"2.2\"/><text x=\"154\" y=\"%s\">%s</text>\n", pixels(y-4.5), pixels(y), others(p.shown))
	p.crosshair(269, y-4.5)
	fmt.Fprintf(p.w, "<text x=\"288\" y=\"%s\">place asked from</text>\n", pixels(y))
	if p.outside > 0 {
		fmt.Fprintf(p.w, "<text class=\"small\" x=\"420\" y=\"%s\">%d more outside the picture</text>\n", pixels(y), p.outside)
	}
	length := roundLength(200 / p.scale)
	right := float64(pictureWidth - 16)
	left := right - length*p.scale
	fmt.Fprintf(p.w, "<path class=\"scale\" d=\"M%s %sv5h%sv-5\"/><text x=\"%s\" y=\"%s\" text-anchor=\"end\">%s</text>\n",
		pixels(left), pixels(y-6), pixels(length*p.scale), pixels(left-8), pixels(y), metres(length))
}

func others(n int) string {
	if n == 1 {
		return "1 other"
	}
	return fmt.Sprintf("%d others", n)
}

// roundLength returns the largest of 1, 2, 5, 10, ... that is at most v.
func roundLength(v float64) float64 {
	ten := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{5, 2} {
		if f*ten <= v {
			return f * ten
		}
	}
	return ten
}

// capital begins a line with a capital letter.
func capital(text string) string {
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		return string(text[0]-'a'+'A') + text[1:]
	}
	return text
}
