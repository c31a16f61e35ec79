package grid

import (
	"errors"
	"fmt"
	"math/bits"

	"vicinity/arena"
	"vicinity/asm"
)

// MaxCoord is the largest absolute value of a coordinate, a query centre and a
// radius, in units.
const MaxCoord = asm.MaxCoord

// MaxLayers is the largest number of layers of a grid.
const MaxLayers = 32

// The errors of this package; those with a culprit wrap them.
var (
	// ErrConfig: a field of Config is missing or out of range.
	ErrConfig = errors.New("grid: bad configuration")
	// ErrRange: a coordinate, a radius or a height is out of range.
	ErrRange = errors.New("grid: out of range")
	// ErrShape: there is no such shape: the inner radius of a ring is above the outer, or
	// a direction is zero.
	ErrShape = errors.New("grid: not a shape")
	// ErrBody: an extent is negative or too large, or a disc has edges.
	ErrBody = errors.New("grid: not a body")
	// ErrLayer: there is no such layer.
	ErrLayer = errors.New("grid: no such layer")
	// ErrHandle: the handle is zero, stale, or not in the grid.
	ErrHandle = errors.New("grid: handle is not in the grid")
	// ErrExists: the slot of the handle is taken; or the handle was removed since
	// the last Publish and can be inserted again after the next; or it was in the
	// grid before under another ID.
	ErrExists = errors.New("grid: slot is taken until it is removed and published")
	// ErrTick: a tick to publish is not later than the last one, or one to pin is
	// later than that, or older than those kept.
	ErrTick = errors.New("grid: tick out of range")
	// ErrUnsupported: the grid was configured without what the call needs.
	ErrUnsupported = errors.New("grid: not configured for this")
	// ErrReaders: Config.MaxReaders readers are registered.
	ErrReaders = errors.New("grid: too many readers")
	// ErrPinned: the reader has a snapshot pinned already.
	ErrPinned = errors.New("grid: reader has a snapshot pinned")
	// ErrUnpublished: nothing has been published.
	ErrUnpublished = errors.New("grid: nothing published yet")
	// ErrBusy: a reader has a snapshot pinned.
	ErrBusy = errors.New("grid: a snapshot is pinned")
	// ErrClosed: the grid is closed.
	ErrClosed = errors.New("grid: closed")
)

// Layer configures one layer.
type Layer struct {
	// CellX and CellY are the edges of a cell in units, powers of two up to 2^29.
	// CellX is required; CellY zero means the same. [CellFor] suggests both for a
	// query radius.
	CellX, CellY int32
	// Static says that entities of this layer seldom move. They may; but then
	// observers that follow moves in one pass compare sets in that tick.
	Static bool
}

// Config says what a Grid is to be.
type Config struct {
	// Arena hands out the slots. Required, with Deferred set. The grid retains it
	// until Close, and calls its Seal and Reclaim at every Publish.
	Arena *arena.Arena
	// Layers are the layers, at most MaxLayers. Required.
	Layers []Layer
	// Height gives positions a Z and makes every query a cylinder.
	Height bool
	// Masks gives entities permission bits and queries a mask.
	Masks bool
	// Previous keeps each entity's position of the tick before beside the new one,
	// for [Snapshot.AppendCrossings]: 8 bytes an entity and buffer (12 with
	// Height), and about half as much work again at Publish.
	Previous bool
	// History is how many published snapshots before the current one are kept, 0 to
	// MaxHistory: [Reader.PinAt] finds them. A kept snapshot costs what it does not
	// share with the next, for every storage that changed in between: 16 bytes an
	// entity (with Height 4 more; with Masks 8; with Previous 8, or 12 with Height;
	// with bodies 12), and a quarter of that to spare, and 4 bytes a cell, of which
	// [Stats] has the number: at most four for each entity of the storage, rounded up
	// to a power of two, or 4096 if they are few. Each column is a buffer; mapped ones are rounded up
	// to 64 KiB, and to 2 MiB above that. Besides it costs 160 bytes, and 280 a storage,
	// on the heap, and no more if nothing changed. Slots that were freed wait in the
	// arena while a kept snapshot may show them.
	History int
	// MaxReaders is the largest number of registered readers. Zero means 64.
	MaxReaders int
	// Memory is where columns and buffers live.
	Memory arena.Memory
	// Workers, if not nil, sort large layers in parallel at Publish.
	Workers *Workers
}

// CellFor returns the cell edges that suit queries of the given radius: at most a
// sixth of the radius wide and two thirds high, rounded down to powers of two.
// Cells of one row lie side by side in memory, so narrow ones cost nothing and trim
// the candidates, while every row costs a jump. For 100 hits a query was 12 %
// faster than with square cells of the same area.
func CellFor(radius int32) (cellX, cellY int32) {
	edge := func(want int32) int32 { return 1 << (bits.Len32(uint32(max(want, 1))) - 1) }
	return edge(radius / 6), edge(int32(2 * int64(radius) / 3))
}

func (cfg *Config) check() error {
	switch {
	case cfg.Arena == nil:
		return fmt.Errorf("%w: Arena is required", ErrConfig)
	case !cfg.Arena.Deferred():
		return fmt.Errorf("%w: Arena must be Deferred", ErrConfig)
	case len(cfg.Layers) == 0 || len(cfg.Layers) > MaxLayers:
		return fmt.Errorf("%w: %d Layers; want 1 to %d", ErrConfig, len(cfg.Layers), MaxLayers)
	case cfg.MaxReaders < 0:
		return fmt.Errorf("%w: MaxReaders is %d", ErrConfig, cfg.MaxReaders)
	case cfg.History < 0 || cfg.History > MaxHistory:
		return fmt.Errorf("%w: History is %d; want 0 to %d", ErrConfig, cfg.History, MaxHistory)
	}
	for i, l := range cfg.Layers {
		for _, edge := range []int32{l.CellX, l.cellY()} {
			if edge <= 0 || edge > 1<<29 || edge&(edge-1) != 0 {
				return fmt.Errorf("%w: cell edge %d of layer %d is not a power of two up to 2^29", ErrConfig, edge, i)
			}
		}
	}
	return asm.EnvError()
}

func (l *Layer) cellY() int32 {
	if l.CellY == 0 {
		return l.CellX
	}
	return l.CellY
}

// Point is a position in units. Z is ignored by grids without Height.
type Point struct{ X, Y, Z int32 }

// check returns ErrRange if a coordinate is out of range. h is named.
func (p Point) check(h arena.Handle) error {
	if outside(p.X) || outside(p.Y) || outside(p.Z) {
		return fmt.Errorf("%w: %v at (%d, %d, %d)", ErrRange, h, p.X, p.Y, p.Z)
	}
	return nil
}

// outside reports whether v is no coordinate.
func outside(v int32) bool { return uint32(v+MaxCoord) > 2*MaxCoord }
