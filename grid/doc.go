// Package grid holds where everything is: positions in fixed-point units, sorted
// by cell once a tick, published as immutable snapshots.
//
//	Insert / Move / Remove        pending positions by slot       the writer
//	        │ Publish(tick)       gather, sort by cell, swap
//	        ▼
//	Snapshot                      columns in cell order           any reader, pinned
//	        │ AppendWithin, AppendIn, AppendNearest, CountWithin, Sweep
//	        │ AppendRing, AppendCone, AppendTilted, AppendCapsule
//	        ▼
//	slots, squared distances
//
// # Terms
//
// A position is two int32 coordinates in units, and a height if the grid has
// them; what a unit is worth is the caller's affair. |coordinate| <= [MaxCoord].
// A cell is a rectangle whose edges are powers of two, so the cell of a point is
// an arithmetic shift: half-open, right for negatives, the same everywhere. The
// cells of a layer lie on a torus of W columns and H rows, both powers of two:
// the world has no edge, and memory is bounded by the number of entities. Cells
// that fall on the same place of the torus add candidates to a query, never
// results ([Stats] counts them). A layer has cells of its own size: one for each kind
// of reach or mobility. A query asks all layers, or those that it names.
//
// An entity is a point, or has a [Body]: a disc or an axis-aligned box around its
// position, from the next Publish on ([Grid.SetBody]). It is found where its body is,
// and distances are to the body. A layer keeps its points in one storage and its bodies
// in others, one for each class of sizes, made when the first such body comes. Only who
// works with columns and indexes has to know: see [Snapshot.Storages].
//
// Storage order is cell by cell, row by row, and inside a cell the order of the
// tick before; it depends on history and means nothing. Each Publish sorts what
// the last one left, which is nearly in order already: that is what makes it fast.
//
// # Rules that always hold
//
//   - Results are exact: the closed disc dx*dx + dy*dy <= r*r in integers, and
//     with heights |dz| <= Height too. All shapes are, and all distances to bodies: who
//     has one point in common with a shape is found, once.
//   - A snapshot shows the positions of one tick and never changes.
//   - Publish never waits for readers. A buffer that a reader still has pinned is
//     left to it; Publish takes another.
//   - What did not change is not sorted again: a layer in which nothing moved
//     is shared between snapshots.
//   - An error changes nothing, and names the culprit.
//   - A slot that was removed and freed is not handed out again by the arena while
//     a snapshot that holds it is current or pinned; so the handle and the ID of a
//     slot in a snapshot never change.
//
// # Concurrency
//
// One goroutine at a time writes (Insert, Remove, SetLayer, SetMasks, SetBody,
// Publish, Close), except that moves of distinct handles may run at the same time as each
// other. Any number of goroutines read, each with its own [Reader].
//
// # Cost
//
// 8 bytes an entity for the pending position, 16 for identity and place; 16 bytes
// an entity for each of usually two buffers of a layer; with bodies 12 more in each. A query of 100 hits is
// one or two kernel calls, well under 0.1 us; Publish takes a few ns for each entity of the
// layers that changed. Nothing allocates in the steady state.
package grid
