package interest

import (
	"math/bits"

	"vicinity/arena"
	"vicinity/grid"
)

// Scratch is the memory that updates need, for some workers. A set has its own,
// unless somebody who updates many sets in turn lends it some: see [Set.Lend]. It
// needs NewScratch.
type Scratch struct {
	workers *grid.Workers
	sweep   *grid.Sweep
	each    []scratch // by worker
}

// NewScratch returns scratch memory for updates over workers; nil is the caller's
// goroutine alone.
func NewScratch(w *grid.Workers) *Scratch {
	return &Scratch{workers: w, sweep: grid.NewSweep(w), each: make([]scratch, w.N())}
}

// Lend has updates over the same workers, and those of single views, use scratch
// memory of the caller's, which no two sets may use at a time, until nil is lent or an
// update comes over other workers. It is not for use during an update.
func (s *Set) Lend(m *Scratch) { s.scratch = m }

// useWorkers makes sure that s.scratch is for the workers.
func (s *Set) useWorkers(w *grid.Workers) *Scratch {
	if s.scratch != nil && s.scratch.workers == w {
		return s.scratch
	}
	if s.own == nil || s.own.workers != w {
		s.own = NewScratch(w)
	}
	s.scratch = s.own
	return s.scratch
}

// alone returns scratch memory for one view.
func (s *Set) alone() *scratch {
	if s.scratch == nil {
		s.useWorkers(nil)
	}
	return &s.scratch.each[0]
}

// scratch is a worker's memory.
type scratch struct {
	due          []due
	found        []uint32
	denied       []uint32 // found, and not permitted
	enter, leave []uint32
	strangers    []stranger
	returned     []returned
	index        index
	indexed      bool         // index holds the rows of the view at hand
	linked       bool         // and strangers are entered in it
	points       []grid.Point // where the view at hand looks from
	stats        Stats

	// Sets of rows, for the update at hand. marks: Spatial holds; refused: not
	// permitted; blamed: the old reach would have kept it; touched: found gave it
	// sources other than Spatial; was: a member before the update (only with a cap).
	marks, refused, blamed, touched, was []uint64
	relations                            []Sources // these sources, by row

	// seen has a byte for each row of the view that sees; see sight.
	seen []uint8
	rest []uint32 // of found

	answers answers
	undo    undo

	undecided []uint64 // rows whose level the rounded distance does not tell
	graded    []graded // those with bodies

	cull  culler
	crowd []bystander // strangers of a view with a cap
	near2 int64       // squared distance up to which none of them is
	// given says that this is an update from candidates; origins has the number of each
	// row's candidate.
	given      bool
	candidates []Candidate
	origins    []int32

	_ [64]byte // keeps workers apart
}

// stranger is somebody who enters in this update.
type stranger struct {
	id      uint64
	handle  arena.Handle
	sources Sources
	class   uint8
	reason  Reason
	// candidate is its number, in updates from candidates.
	candidate int32
}

// returned is what a row said before its entity became a member again.
type returned struct {
	row    int
	reason Reason
	since  uint64
}

// begin clears the sets for a view of so many words of rows.
func (sc *scratch) begin(words int, filtered, relational bool) {
	sc.marks = cleared(sc.marks, words)
	if filtered || relational {
		sc.refused = cleared(sc.refused, words)
	}
	if relational {
		sc.touched = cleared(sc.touched, words)
		sc.relations = cleared(sc.relations, 64*words)
	}
}

// cleared returns s with n zero elements.
func cleared[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n, n+n/2)
	}
	s = s[:n]
	clear(s)
	return s
}

func (sc *scratch) mark(r int)           { sc.marks[r/64] |= 1 << (r % 64) }
func (sc *scratch) hasMark(r int) bool   { return sc.marks[r/64]>>(r%64)&1 != 0 }
func (sc *scratch) refuse(r int)         { sc.refused[r/64] |= 1 << (r % 64) }
func (sc *scratch) isRefused(r int) bool { return sc.refused[r/64]>>(r%64)&1 != 0 }

// relate notes a source of a row, other than Spatial.
func (sc *scratch) relate(r int, s Sources) {
	sc.touched[r/64] |= 1 << (r % 64)
	sc.relations[r] |= s
}

// lowest returns the number of the lowest bit of a word.
func lowest(word uint64) int { return bits.TrailingZeros64(word) }
