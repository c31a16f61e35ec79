// Package arena names things that come and go: it hands out slots under handles
// that go stale when the thing is gone, and keeps columns of data by slot.
//
//	a := &arena.Arena{}
//	x, err := arena.NewColumn[int32](a, arena.Heap)
//	h, err := a.Alloc()
//	x.Slice()[h.Slot()] = 7
//	a.Free(h)             // a.Alive(h) is false from here on, for ever
//
// # Terms
//
// A slot is an index, shared by all columns. Its generation counts its uses: odd
// while it is alive, even between two uses. A [Handle] is both. A slot goes round:
//
//	fresh ──Alloc──▶ alive ──Free──▶ (waiting) ──▶ reusable ──Alloc──▶ alive … ──Free──▶ retired
//	gen 0            gen 1           gen 2         gen 2               gen 3 … 2^32-1
//
// A slot whose generation would wrap is retired: it is never handed out again,
// and no handle of it is ever alive again. That takes 2^31 uses of one slot.
//
// If the arena is Deferred a freed slot waits (otherwise it is reusable at once), so that whoever still looks at an
// older picture of the arena does not find somebody else in it. Freed slots
// gather in the open batch, [Arena.Seal] closes it and gives it a number, and
// [Arena.Reclaim] makes the slots of all batches up to a number reusable.
//
// A column's room is how many slots it can hold as it is; the arena grows the
// room of all its columns together, by half, up to its capacity.
//
// # Rules that always hold
//
//   - No handle is given out twice. The zero Handle is never given out.
//   - A handle is alive from the Alloc that returned it to the first Free, Clear,
//     Drain or Close, and at no other time.
//   - Every slot below [Arena.Slots] is exactly one of alive, reusable, waiting
//     and retired; no other slot is any of them.
//   - Same calls, same handles: nothing depends on the memory, the columns, the
//     machine or on chance.
//   - Neither a stale handle nor a call after Close faults, whatever the memory.
//     Slices are another matter: one kept across growth or Close is invalid.
//   - Every call that returns an error has changed nothing, save that columns may
//     have grown.
//
// # Memory
//
// [Heap] is the default and right for small arenas. [Mapped] is for big ones: no
// copy and no pause when they grow, huge pages on Linux. Address space is
// reserved for the whole capacity of every column, so name a Capacity where
// addresses are scarce (32 bits, a limit on the process). Each mapped column takes
// up to three of the mappings that Linux allows a process (65,530 by default):
// thousands of small arenas belong on the heap. Mapped memory is not garbage
// collected; Close gives it back. [Stats] and [MappedBytes] count it.
//
// # Cost
//
// 8 bytes a slot, plus the columns. Alloc, Free and Alive are a few loads and
// stores, Seal is O(1), Reclaim O(batches). Nothing allocates in the steady
// state: when no more slots and no more batches are in use than before.
//
// # Concurrency
//
// One goroutine at a time may change an arena (Alloc, Free, Clear, Drain, Seal,
// Reclaim, NewColumn, Close); while none does, any number may call the methods
// that only look. Retain and Release may be called at any time, also against
// Close. Elements of a column are plain memory: distinct slots may be written
// from distinct goroutines.
package arena
