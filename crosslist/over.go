package crosslist

import "math/bits"

// Which triggers have a point in their box? Their anchors do not lie near it, but
// up to a radius away, and a single far-reaching trigger would make every search
// far-reaching. So triggers are kept by size as well: class c has those with
// Radius + Margin in [2^(c-1), 2^c). The few in wide classes are asked one by one;
// for the rest, low anchors are walked as far as twice the widest of them.

const sizeClasses = 31

// class is the list of the triggers of a size.
type class struct {
	first uint32 // plus one
	n     int
}

// enlist puts a trigger into the class of its size.
func (l *List) enlist(t uint32) {
	z := &l.zones[t]
	z.size = uint8(bits.Len32(uint32(l.rings[t].outer)))
	c := &l.classes[z.size]
	z.peer = [2]uint32{0, c.first}
	if c.first != 0 {
		l.zones[c.first-1].peer[0] = t + 1
	}
	c.first = t + 1
	c.n++
}

// delist takes a trigger out of its class.
func (l *List) delist(t uint32) {
	z := &l.zones[t]
	c := &l.classes[z.size]
	if prev := z.peer[0]; prev != 0 {
		l.zones[prev-1].peer[1] = z.peer[1]
	} else {
		c.first = z.peer[1]
	}
	if next := z.peer[1]; next != 0 {
		l.zones[next-1].peer[0] = z.peer[0]
	}
	c.n--
}

// stretch is a piece of an axis to be walked.
type stretch struct {
	axis     *axis
	from, to cursor
	nodes    int // about
}

// appendOver appends the triggers whose outer box holds a point.
func (l *List) appendOver(dst []uint32, p point) []uint32 {
	const perTrigger = 4 // what asking a trigger costs, in nodes
	all := 0
	for c := range l.classes {
		all += l.classes[c].n
	}
	// Walk for the classes up to limit, ask the others.
	var walk stretch
	limit, asked, best := -1, 0, perTrigger*all
	for c := sizeClasses - 1; c >= 0 && perTrigger*asked < best; c-- {
		if l.classes[c].n == 0 {
			continue
		}
		if s := l.lowsFor(p, 1<<c-1); perTrigger*asked+s.nodes < best {
			walk, limit, best = s, c, perTrigger*asked+s.nodes
		}
		asked += l.classes[c].n
	}
	for c := limit + 1; c < sizeClasses; c++ {
		for t := l.classes[c].first; t != 0; t = l.zones[t-1].peer[1] {
			if l.rings[t-1].holds(p) {
				dst = append(dst, t-1)
			}
		}
	}
	if limit < 0 {
		return dst
	}
	walk.each(func(nodes []word) {
		for _, w := range nodes {
			if w.kind() != kindLow || w.number()&1 != 0 {
				continue
			}
			if t := w.number() / 2; int(l.zones[t].size) <= limit && l.rings[t].holds(p) {
				dst = append(dst, t)
			}
		}
	})
	l.stats.Searched += uint64(walk.nodes)
	return dst
}

// lowsFor returns where the low outer anchors of all triggers can be that reach no
// further than outer and have p in their box, on the axis with fewer nodes there.
func (l *List) lowsFor(p point, outer int64) stretch {
	low := func(v int32) int32 { return int32(max(int64(v)-2*outer, -1<<31)) }
	return l.narrower(box{low(p.x), low(p.y), p.x, p.y})
}

// box is a closed rectangle; its edges may be beyond MaxCoord.
type box struct{ x0, y0, x1, y1 int32 }

func square(p point, r int32) box { return box{p.x - r, p.y - r, p.x + r, p.y + r} }

// narrower returns the piece of an axis between the edges of a box: of the axis
// that has fewer nodes there.
func (l *List) narrower(b box) stretch {
	s := stretch{axis: &l.axes[0]}
	s.from, s.to, s.nodes = l.axes[0].between(b.x0, b.x1)
	if from, to, nodes := l.axes[1].between(b.y0, b.y1); nodes < s.nodes {
		s = stretch{&l.axes[1], from, to, nodes}
	}
	return s
}

// each passes the nodes of a stretch, in order, block by block.
func (s *stretch) each(visit func(nodes []word)) {
	a := s.axis
	for at := s.from.at; at <= s.to.at && at < len(a.dir); at++ {
		nodes := a.block(a.dir[at])
		from, to := 0, len(nodes)
		if at == s.from.at {
			from = s.from.i
		}
		if at == s.to.at {
			to = s.to.i
		}
		visit(nodes[from:max(from, to)])
	}
}

// appendSlots appends the slots of the entities in a box.
func (l *List) appendSlots(dst []uint32, b box) []uint32 {
	s := l.narrower(b)
	s.each(func(nodes []word) {
		for _, w := range nodes {
			if !w.isBody() {
				continue
			}
			p := l.places[w.number()]
			if p.x >= b.x0 && p.x <= b.x1 && p.y >= b.y0 && p.y <= b.y1 {
				dst = append(dst, w.number())
			}
		}
	})
	l.stats.Searched += uint64(s.nodes)
	return dst
}
