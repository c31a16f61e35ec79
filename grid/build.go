package grid

import (
	"vicinity/arena"
	"vicinity/asm"
)

// A builder sorts layers by cell: a counting sort from the layer's store into a
// spare one. The input is in last tick's order, so it is nearly sorted; that
// makes counters of neighbouring elements equal, and each would wait for the one
// before. So the input is cut into parts with counters of their own, and each
// worker goes through two parts at once, alternating.
//
// It is all that a Publish needs besides what it publishes.
type builder struct {
	memory arena.Memory
	// x, y and cell of the input, in input order: the elements, then the arrivals.
	x, y *arena.Buffer[int32]
	cell *arena.Buffer[uint32]
	// counts holds parts tables of stride counters: how many elements of the part
	// each cell has, then where the next of them goes.
	counts *arena.Buffer[uint32]
	stride int
	parts  int
	boxes  [maxParts]asm.Extent // of each part's elements
	job    sortJob
	run    func(worker int)
}

// Scratch is the memory that one Publish at a time needs while it sorts. A grid has
// its own, unless somebody who publishes many grids in turn lends it some: see
// [Grid.Lend]. The zero value is ready.
type Scratch struct{ builder builder }

// Lend has Publish use scratch memory of the caller's, which no two grids may use at
// a time, until nil is lent. It is on the heap. It is not for use during a Publish.
func (g *Grid) Lend(s *Scratch) {
	if g.lent = nil; s != nil {
		g.lent = &s.builder
	}
}

// sorter returns the scratch memory in use.
func (g *Grid) sorter() *builder {
	if g.lent != nil {
		return g.lent
	}
	if g.build == nil {
		g.build = &builder{memory: g.cfg.Memory}
	}
	return g.build
}

// parallelFrom is the number of elements from which on a layer is sorted by all
// workers: below, waking them costs more than they save.
const parallelFrom = 16384

// parts returns into how many parts n elements are cut: two a worker.
func (g *Grid) parts(n int) int {
	if n < parallelFrom {
		return 2
	}
	return min(2*g.cfg.Workers.N(), maxParts)
}

const maxParts = 16

func (b *builder) reserve(n, cells, parts int) error {
	if b.x == nil || len(b.x.Slice()) < n+asm.Slack {
		room := n + n/4 + 8 + asm.Slack
		// x comes last: its length tells that of all.
		if err := resize(&b.y, b.memory, room); err != nil {
			return err
		}
		if err := resize(&b.cell, b.memory, room); err != nil {
			return err
		}
		if err := resize(&b.x, b.memory, room); err != nil {
			return err
		}
	}
	if want := parts * (cells + 1); b.counts == nil || len(b.counts.Slice()) < want {
		if err := resize(&b.counts, b.memory, want); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) free() {
	if b.y != nil {
		b.y.Free()
	}
	if b.cell != nil {
		b.cell.Free()
	}
	if b.x != nil {
		b.x.Free()
	}
	if b.counts != nil {
		b.counts.Free()
	}
}

// sortJob is one layer's sort, as the workers share it.
type sortJob struct {
	grid     *Grid
	layer    *layer
	from, to *store
	n        int // elements of from; the arrivals follow
	scatter  bool
}

// sort fills l.next from l.store and the arrivals, and makes it l.store.
func (b *builder) sort(g *Grid, l *layer) {
	to := l.next
	n, total := l.store.n, l.store.n+len(l.incoming)
	b.stride, b.parts = to.torus.Cells()+1, g.parts(total)
	b.job = sortJob{grid: g, layer: l, from: l.store, to: to, n: n}
	if b.run == nil {
		b.run = b.work // once: a method value allocates
	}
	to.columns(total)
	to.perm = to.permBuffer.Slice()[:total]
	to.cells.LogW, to.cells.RowMask = to.torus.LogW, to.torus.RowMask
	to.cells.Start = to.start.Slice()[:b.stride]

	b.phase(g, total)
	to.n = b.prefix(to.cells.Start)
	b.job.scatter = true
	b.phase(g, total)

	b.finish(total)
	l.store, l.next = to, nil
	b.job = sortJob{} // the memory may outlive the grid
}

// phase runs the job's next step, on all workers if it is worth it.
func (b *builder) phase(g *Grid, total int) {
	if b.parts > 2 {
		g.cfg.Workers.Run(b.run)
		return
	}
	b.work(0)
}

// work does a worker's share of a phase: its two parts, and with the last of
// all parts the arrivals.
func (b *builder) work(worker int) {
	if 2*worker >= b.parts {
		return
	}
	j := &b.job
	lo, mid, hi := b.cut(2*worker), b.cut(2*worker+1), b.cut(2*worker+2)
	last := 2*worker+2 == b.parts
	first, second := b.table(2*worker), b.table(2*worker+1)
	if !j.scatter {
		clear(first)
		clear(second)
		b.gather(j.from.cells.Slot[lo:hi], lo)
		if j.layer.leaving > 0 {
			b.expel(lo, hi)
		}
		box := &b.boxes[2*worker]
		*box = asm.Nowhere
		box.Add(b.x.Slice()[lo:hi], b.y.Slice()[lo:hi])
		cell := b.cell.Slice()
		countTwo(first, second, cell[lo:mid], cell[mid:hi])
		if last {
			b.gather(j.layer.incoming, j.n)
			end := j.n + len(j.layer.incoming)
			box.Add(b.x.Slice()[j.n:end], b.y.Slice()[j.n:end])
			countTwo(second, second, cell[j.n:end], nil)
		}
		return
	}
	place := b.placement()
	place.Two(first, second, lo, mid, hi)
	if last {
		// The arrivals go on behind the last part, by its counters.
		place.Cell, place.X, place.Y = place.Cell[j.n:], place.X[j.n:], place.Y[j.n:]
		place.Slot, place.Perm = j.layer.incoming, place.Perm[j.n:]
		place.Two(second, second, 0, len(j.layer.incoming), len(j.layer.incoming))
	}
	b.spread(lo, hi)
	if last {
		b.spread(j.n, j.n+len(j.layer.incoming))
	}
}

// placement describes the sort of the elements to package asm.
func (b *builder) placement() asm.Placement {
	j := &b.job
	return asm.Placement{
		Cell: b.cell.Slice(), X: b.x.Slice(), Y: b.y.Slice(), Slot: j.from.cells.Slot,
		ToX: j.to.cells.X, ToY: j.to.cells.Y, ToSlot: j.to.cells.Slot, Perm: j.to.perm,
	}
}

// cut returns where part p begins.
func (b *builder) cut(p int) int { return b.job.n * p / b.parts }

func (b *builder) table(p int) []uint32 {
	return b.counts.Slice()[p*b.stride : (p+1)*b.stride]
}

// gather reads the pending positions of slots and computes their cells, into the
// input columns from index at on.
func (b *builder) gather(slots []uint32, at int) {
	asm.GatherCells(b.cell.Slice()[at:], b.x.Slice()[at:], b.y.Slice()[at:],
		b.job.grid.xy.Slice(), slots, &b.job.to.torus)
}

// expel marks the elements in [lo, hi) that go to another layer as gone.
func (b *builder) expel(lo, hi int) {
	j := &b.job
	homes, want := j.grid.homes.Slice(), uint16(j.layer.number+1)
	x, cell := b.x.Slice(), b.cell.Slice()
	for i := lo; i < hi; i++ {
		if homes[j.from.cells.Slot[i]].want != want {
			x[i], cell[i] = asm.Gone, uint32(j.to.torus.Cells())
		}
	}
}

// prefix turns the counts into positions: start gets the first element of each
// cell, each part's table the place of its next element. It returns the number of
// elements in cells; the gone come behind.
func (b *builder) prefix(start []uint32) int {
	sum := uint32(0)
	if b.parts == 2 {
		first, second := b.table(0)[:len(start)], b.table(1)[:len(start)]
		for c := range start {
			start[c] = sum
			n, m := first[c], second[c]
			first[c], second[c] = sum, sum+n
			sum += n + m
		}
		return int(start[len(start)-1])
	}
	tables := b.counts.Slice()
	for c := range start {
		start[c] = sum
		for at := c; at < b.parts*b.stride; at += b.stride {
			n := tables[at]
			tables[at] = sum
			sum += n
		}
	}
	return int(start[len(start)-1])
}

// spread writes the optional columns of the input elements in [lo, hi): they
// follow the positions by perm.
func (b *builder) spread(lo, hi int) {
	j := &b.job
	g, to, from := j.grid, &j.to.cells, &j.from.cells
	perm := j.to.perm[lo:hi]
	if j.layer.previous {
		if lo < j.n {
			follow(to.OldX, perm, from.X[lo:hi])
			follow(to.OldY, perm, from.Y[lo:hi])
		} else {
			for _, p := range perm {
				to.OldX[p], to.OldY[p] = asm.Gone, 0
			}
		}
	}
	if g.z != nil {
		z := g.z.Slice()
		for _, p := range perm {
			to.Z[p] = z[to.Slot[p]]
		}
		if j.layer.previous && lo < j.n {
			follow(to.OldZ, perm, from.Z[lo:hi])
		}
	}
	if g.masks != nil {
		masks := g.masks.Slice()
		for _, p := range perm {
			m := masks[to.Slot[p]]
			to.Need[p], to.Any[p] = m[0], m[1]
		}
	}
	if j.layer.bodies {
		bodies := g.bodies.Slice()
		for _, p := range perm {
			j.to.bodies[p] = bodies[to.Slot[p]]
		}
	}
}

// follow moves the elements of a column to where perm says.
func follow(to, perm, from []int32) {
	from = from[:len(perm)]
	for i, p := range perm {
		to[p] = from[i]
	}
}

// finish completes the store: perm of the gone, the extra elements, and how far
// things moved.
func (b *builder) finish(total int) {
	to := b.job.to
	live := to.n
	if live < total {
		for i, p := range to.perm {
			if int(p) >= live {
				to.perm[i] = -1
			}
		}
	}
	to.steady, to.step = true, 0
	if b.job.layer.previous {
		to.measure(total, b.job.layer.jump, b.cell.Slice())
	}
	if end := len(to.cells.X); end > live {
		if to.behind == nil {
			to.behind = new(extra)
		}
		to.behind.cells, to.behind.start = to.cells, [2]uint32{uint32(live), uint32(end)}
		to.behind.cells.Start, to.behind.cells.LogW, to.behind.cells.RowMask = to.behind.start[:], 0, 0
	}
	b.measureBox(to)
	to.measureBodies()
}

// measureBox notes the extent of what was sorted, and what follows from it.
func (b *builder) measureBox(to *store) {
	to.box = asm.Nowhere
	for p := 0; p < b.parts; p += 2 {
		e := &b.boxes[p]
		to.box.Add([]int32{e.X0, e.X1}, []int32{e.Y0, e.Y1})
	}
	to.unique, to.aliased, to.narrow = to.box.Fits(&to.torus), 0, -1
	if !to.unique {
		to.aliased = to.countAliased()
		return
	}
	if edge := int32(1) << max(to.torus.ShiftX, to.torus.ShiftY); edge < asm.NarrowReach {
		to.narrow = asm.NarrowReach - edge
	}
}

// countTwo counts the cells of two parts of the input at once: a counter's load
// need not wait for the store of the element before.
func countTwo(first, second, a, b []uint32) {
	n := min(len(a), len(b))
	for i, c := range a[:n] {
		first[c]++
		second[b[i]]++
	}
	for _, c := range a[n:] {
		first[c]++
	}
	for _, c := range b[n:] {
		second[c]++
	}
}
