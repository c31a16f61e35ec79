package grid

import (
	"fmt"
	"math"

	"vicinity/asm"
)

// A shape is a closed figure in the plane, a [Ring], [Cone], [Tilted] or [Capsule]. An
// entity is in it if its closed body has a point in it, which each decides in whole
// numbers. What is here finds whom to ask: it cuts a shape into the rows of the cells.
// That is done in floating point, with room to spare, for it decides nothing.

// A band is the strip lo <= y <= hi, relative to a shape's origin.
type band struct{ lo, hi float64 }

// A span collects the extent in x of the parts of a figure that are in a band: it holds
// those of the extreme points, of which each part has some at the ends of its edges and
// where the edges enter and leave the band. Coordinates are below 2^33 and exact or
// computed in a few steps, so an error is below 2^-15 units; margin is far more.
type span struct{ lo, hi float64 }

// margin is added to every span.
const margin = 2

func emptySpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(x float64) { s.lo, s.hi = min(s.lo, x), max(s.hi, x) }

// addSegment adds the part of the segment from (x0, y0) to (x1, y1) in b.
func (s *span) addSegment(b band, x0, y0, x1, y1 float64) {
	if y0 > y1 {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	if y1 < b.lo-margin || y0 > b.hi+margin {
		return
	}
	at := func(y float64) float64 {
		switch {
		case y <= y0:
			return x0
		case y >= y1:
			return x1
		}
		return x0 + float64((x1-x0)*((y-y0)/(y1-y0)))
	}
	s.add(at(b.lo - margin))
	s.add(at(b.hi + margin))
}

// addDisc adds the part of the disc around (x, y) in b.
func (s *span) addDisc(b band, x, y, r float64) {
	half, ok := chord(b, y, r)
	if ok {
		s.add(x - half)
		s.add(x + half)
	}
}

// chord returns half of the longest chord that a disc around a point of height y has in
// b, or a little more.
func chord(b band, y, r float64) (half float64, ok bool) {
	away := max(b.lo-margin-y, y-b.hi-margin, 0)
	return math.Sqrt(max(float64((r-away)*(r+away)), 0)), away <= r
}

// figure is what the search needs to know of a shape: where it is, relative to its
// origin, and what else restricts an answer.
type figure struct {
	x, y   int32 // origin
	bounds Rect  // around all of the shape, cut to what coordinates can be
	hole   int32 // no point of the shape is nearer to the origin
	height slab
	filter Filter
}

// slab is a range of heights: |z - Z| <= Height.
type slab struct{ Z, Height int32 }

// around returns the rectangle that reaches so far from (x, y).
func around(x, y int32, left, down, right, up int64) Rect {
	return Rect{
		X0: saturate(int64(x) - left), Y0: saturate(int64(y) - down),
		X1: saturate(int64(x) + right), Y1: saturate(int64(y) + up),
	}
}

// checkFigure checks where a shape is, its heights and its filter, as those of a query
// are checked. The shape is named.
func (s *Snapshot) checkFigure(f *figure, shape string) error {
	q := Query{X: f.x, Y: f.y, Z: f.height.Z, Height: f.height.Height, Filter: f.filter}
	if err := s.check(&q); err != nil {
		return fmt.Errorf("%w, of a %s", err, shape)
	}
	return nil
}

// gate returns what [view.admits] needs for the rest of the query.
func (s *Snapshot) gate(f *figure) (d asm.Disc) {
	s.prepare(&d, &Query{Z: f.height.Z, Height: f.height.Height, Filter: f.filter})
	return d
}

// eachRow calls visit with the elements lo to hi of a storage that may be in a figure,
// row by row of the cells: those in whose row cut finds some of the figure, and not far
// beside it. No element is visited twice.
func (s *Snapshot) eachRow(f *figure, cut func(b band) span, visit func(v *view, lo, hi uint32)) {
	for i := range s.layers {
		if !s.asks(f.filter, i) {
			continue
		}
		v := &s.layers[i]
		// A body is within Bound of its position.
		w := rowWalk{v: v, x: int64(f.x), y: int64(f.y), hole: int64(f.hole) - int64(v.store.wide.Bound), area: f.bounds.widened(&v.store.wide)}
		w.start()
		for w.next(cut) {
			for _, b := range [...]*asm.Block{&w.cover.first, &w.cover.second} {
				for b.Rows > 0 {
					if lo, hi := v.takeRow(b); lo < hi {
						visit(v, lo, hi)
					}
				}
			}
		}
	}
}

// A rowWalk goes over the rows of a storage's cells that are in an area, from below.
type rowWalk struct {
	v     *view
	x, y  int64 // the figure's origin
	hole  int64 // who is nearer to it is not in the figure; 0 or less is none
	area  Rect  // where positions are looked for
	row   int64 // where the next row begins, or beyond the area
	cover cover // of what is at hand
	rest  Rect  // what else of that row there is, beyond the hole
	more  bool
}

func (w *rowWalk) start() {
	if box := &w.v.store.box; w.v.store.unique {
		w.area.X0, w.area.X1 = max(w.area.X0, box.X0), min(w.area.X1, box.X1)
		w.area.Y0, w.area.Y1 = max(w.area.Y0, box.Y0), min(w.area.Y1, box.Y1)
	}
	w.row = int64(w.area.Y0)
	if w.area.X0 > w.area.X1 {
		w.row = math.MaxInt64
	}
}

// next sets the cover to the next row that has some of the figure, or to what of a row
// is on one side of the hole.
func (w *rowWalk) next(cut func(b band) span) bool {
	if w.more {
		w.more = false
		w.cover.set(w.v, w.rest)
		return true
	}
	shift, wide := w.v.store.torus.ShiftY, &w.v.store.wide
	if w.row <= int64(w.area.Y1) && cellsBetween(w.area.Y0, w.area.Y1, shift) > int64(w.v.store.torus.RowMask)+1 {
		return w.all()
	}
	for w.row <= int64(w.area.Y1) {
		top := min((w.row>>shift+1)<<shift-1, int64(w.area.Y1))
		row := Rect{X0: w.area.X0, Y0: int32(w.row), X1: w.area.X1, Y1: int32(top)}
		// Bodies reach up and down from where they are.
		s := cut(band{float64(w.row - w.y - int64(wide.Y)), float64(top - w.y + int64(wide.Y))})
		w.row = top + 1
		if row.clip(s, w.x, wide.X) && w.pierce(&row) {
			w.cover.set(w.v, row)
			return true
		}
	}
	return false
}

// all sets the cover to all of the area, once: where rows of the area share rows of the
// torus, going row by row would meet some twice.
func (w *rowWalk) all() bool {
	w.cover.set(w.v, w.area)
	w.row = math.MaxInt64
	return true
}

// cellsBetween returns how many cells of an edge of 2^shift there are from lo to hi.
func cellsBetween(lo, hi int32, shift uint32) int64 {
	return int64(hi>>shift) - int64(lo>>shift) + 1
}

// pierce takes the hole out of a row. If something is left on both sides, the right one
// becomes the rest; if nothing is, it returns false.
func (w *rowWalk) pierce(row *Rect) bool {
	away := max(int64(row.Y1)-w.y, w.y-int64(row.Y0))
	if away >= w.hole {
		return true
	}
	half := int64(math.Sqrt(float64((w.hole-away)*(w.hole+away)))) - margin
	lo, hi := w.x-half, w.x+half // both in it, and all between
	if half < 0 || hi < int64(row.X0) || lo > int64(row.X1) {
		return true
	}
	left, right := lo > int64(row.X0), hi < int64(row.X1)
	switch {
	case left && right:
		t := &w.v.store.torus
		if cellsBetween(int32(lo-1), int32(hi+1), t.ShiftX) < 2 || cellsBetween(row.X0, row.X1, t.ShiftX) > int64(t.ColMask)+1 {
			return true // a cell would be on both sides
		}
		w.rest, w.more = Rect{X0: int32(hi + 1), Y0: row.Y0, X1: row.X1, Y1: row.Y1}, true
		row.X1 = int32(lo - 1)
	case left:
		row.X1 = int32(lo - 1)
	case right:
		row.X0 = int32(hi + 1)
	}
	return left || right
}

// clip cuts r to a span, relative to x, and what reaches into it from beside. It
// reports whether something is left.
func (r *Rect) clip(s span, x int64, wide int32) bool {
	lo := math.Floor(s.lo) - margin + float64(x) - float64(wide)
	hi := math.Ceil(s.hi) + margin + float64(x) + float64(wide)
	if !(lo <= float64(r.X1) && hi >= float64(r.X0)) {
		return false // also if the span is empty
	}
	r.X0 = int32(max(float64(r.X0), lo))
	r.X1 = int32(min(float64(r.X1), hi))
	return true
}
