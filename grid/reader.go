package grid

import (
	"runtime"
	"slices"
	"sync/atomic"
)

// A Reader lets one goroutine use snapshots while the writer publishes: pin one, the
// current or an earlier one, run a batch of queries, unpin it. A pin costs about 10 ns
// however many readers there are: each announces it in a cache line of its own.
type Reader struct {
	grid   *Grid
	_      [120]byte
	pinned atomic.Pointer[Snapshot]
	_      [120]byte
}

// NewReader registers a reader. The errors are [ErrReaders] and [ErrClosed]. It
// may be called at any time.
func (g *Grid) NewReader() (*Reader, error) {
	g.readersMu.Lock()
	defer g.readersMu.Unlock()
	if g.closed.Load() {
		return nil, ErrClosed
	}
	if len(g.readers) == g.cfg.MaxReaders {
		return nil, ErrReaders
	}
	r := &Reader{grid: g}
	g.readers = append(g.readers, r)
	return r, nil
}

// Pin returns the newest snapshot, which stays as it is until Unpin. The errors
// are [ErrPinned], [ErrUnpublished] and [ErrClosed]. It never blocks on the writer,
// does not allocate, and takes O(1).
//
// The announcement is a hazard pointer: it counts only if the snapshot is still
// the current one after it was made.
func (r *Reader) Pin() (*Snapshot, error) {
	if r.pinned.Load() != nil {
		return nil, ErrPinned
	}
	for {
		s := r.grid.current.Load()
		if s == nil {
			if r.grid.closed.Load() {
				return nil, ErrClosed
			}
			if !r.grid.everPublished() {
				return nil, ErrUnpublished
			}
			runtime.Gosched() // Close is looking; it will close or put it back
			continue
		}
		r.pinned.Store(s)
		if r.grid.current.Load() == s {
			return s, nil
		}
		r.pinned.Store(nil)
	}
}

// Unpin gives the snapshot back. Neither it nor anything taken from it may be
// used afterwards. Without a pin it does nothing.
func (r *Reader) Unpin() { r.pinned.Store(nil) }

// Close unpins and unregisters the reader, which must not be used any more.
func (r *Reader) Close() {
	r.Unpin()
	g := r.grid
	g.readersMu.Lock()
	defer g.readersMu.Unlock()
	if i := slices.Index(g.readers, r); i >= 0 {
		g.readers = slices.Delete(g.readers, i, i+1)
	}
}

// eachPinned calls visit with every pinned snapshot.
func (g *Grid) eachPinned(visit func(s *Snapshot)) {
	g.readersMu.Lock()
	defer g.readersMu.Unlock()
	for _, r := range g.readers {
		if s := r.pinned.Load(); s != nil {
			visit(s)
		}
	}
}

func (g *Grid) anyPinned() bool {
	any := false
	g.eachPinned(func(*Snapshot) { any = true })
	return any
}
