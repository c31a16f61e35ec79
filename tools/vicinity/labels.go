package main

import (
	"fmt"
	"slices"
	"strconv"
)

// labelsUpTo found have their IDs written beside them.
const labelsUpTo = 12

// box is a part of the picture, in pixels.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) meets(c box) bool { return b.x0 < c.x1 && c.x0 < b.x1 && b.y0 < c.y1 && c.y0 < b.y1 }

func (b box) meetsAny(others []box) bool {
	for _, c := range others {
		if b.meets(c) {
			return true
		}
	}
	return false
}

// within says whether all of it is on the map.
func (b box) within(p *picture) bool {
	return b.x0 >= 0 && b.x1 <= pictureWidth && b.y0 >= mapTop && b.y1 <= mapTop+p.height
}

const labelHeight = 13

// labelBox returns what a label of that many digits covers, from its upper left corner.
func labelBox(x, y float64, digits int) box {
	return box{x, y, x + 7.6*float64(digits), y + labelHeight}
}

// labels writes the IDs of those found beside them, if they are few. One that had to go
// far has a line to its mark.
func (p *picture) labels(a *answer) {
	if len(a.Found) > labelsUpTo {
		return
	}
	marks, ids := make([]box, len(a.Found)), make([]string, len(a.Found))
	for i, e := range a.Found {
		x, y := p.x(e.X), p.y(e.Y)
		marks[i], ids[i] = box{x - 5, y - 5, x + 5, y + 5}, strconv.FormatUint(e.ID, 10)
	}
	for i, l := range p.placeLabels(marks, ids) {
		x := (l.x0 + l.x1) / 2
		if !l.beside {
			p.leader(marks[i], x, l.box)
		}
		fmt.Fprintf(p.w, "<text class=\"label\" x=\"%s\" y=\"%s\" text-anchor=\"middle\">%s</text>\n", pixels(x), pixels(l.y0+10.5), ids[i])
	}
}

// label is where the ID of a mark goes.
type label struct {
	box
	beside bool // near enough to be told whose it is
}

// placeLabels finds a place for the label of each mark, where neither another label nor a
// mark is.
func (p *picture) placeLabels(marks []box, ids []string) []label {
	labels, taken := make([]label, len(marks)), slices.Clone(marks)
	for i := range marks {
		labels[i] = p.placeLabel(marks[i], len(ids[i]), taken)
		taken = append(taken, labels[i].box)
	}
	return labels
}

// leader draws a line from the upper or lower end of a mark to a label.
func (p *picture) leader(mark box, x float64, label box) {
	from, to := mark.y0, label.y1
	if label.y0 > mark.y1 {
		from, to = mark.y1, label.y0
	}
	fmt.Fprintf(p.w, "<path class=\"leader\" d=\"M%s %sL%s %s\"/>\n", pixels((mark.x0+mark.x1)/2), pixels(from), pixels(x), pixels(to))
}

// placeLabel tries the places around a mark, then those further above and below. If
// nowhere is room, the label covers what is beside its mark.
func (p *picture) placeLabel(mark box, digits int, taken []box) label {
	width := labelBox(0, 0, digits).x1
	right, left, middle := mark.x1+2, mark.x0-2-width, (mark.x0+mark.x1-width)/2
	above, level, below := mark.y0-labelHeight+2, mark.y0-1.5, mark.y1-2
	var b box
	free := func(x, y float64) bool {
		b = labelBox(x, y, digits)
		return b.within(p) && !b.meetsAny(taken)
	}
	for _, at := range [][2]float64{
		{right, above}, {right, below}, {left, above}, {left, below}, {right, level}, {left, level},
		{middle, above - 3}, {middle, below + 3},
	} {
		if free(at[0], at[1]) {
			return label{b, true}
		}
	}
	for away := 4.0; away < 200; away += 4 {
		for _, x := range []float64{right, left} {
			if free(x, above-away) || free(x, below+away) {
				return label{b, away < labelHeight}
			}
		}
	}
	return label{labelBox(right, above, digits), true}
}
