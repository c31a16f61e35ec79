package asm

// Slack is the number of elements that must be readable behind the last element
// of every column, and writable behind the room of every destination.
const Slack = 16

// MaxCoord is the largest absolute value of a coordinate, and of a radius.
const MaxCoord = 1<<30 - 1

// Gone as the x of a position says that the entity is no longer there. It is
// outside the range of coordinates, and further than any radius from all of them.
const Gone = -1 << 31

// Inner is the bit of a found index that says "within the inner disc too".
const Inner = 1 << 31

// Cells is the storage of one grid layer as the kernels read it: columns in cell
// order and the offset of each cell in them. The assembly knows the offsets of
// its fields (a test holds them).
//
// Cell (row, col) of the torus holds the elements Start[row<<LogW|col] up to,
// not including, the next offset. So the cells of one row from col a to col b
// are one contiguous span. Every column is as long as Start's last element, with
// [Slack] readable elements behind.
type Cells struct {
	X, Y             []int32  // positions
	Z                []int32  // heights; empty in a flat grid
	OldX, OldY, OldZ []int32  // positions of the tick before; empty unless kept
	Slot             []uint32 // arena slot
	Need, Any        []uint32 // permission bits; empty unless kept
	Start            []uint32 // offset of each cell, one more at the end
	LogW             uint32   // log2 of the number of columns
	RowMask          uint32   // number of rows - 1
}

// Block is a rectangle of cells on the torus that does not wrap around in its
// columns; rows wrap. Kernels advance Row and Rows as they go and add the number
// of candidates that they tested to Seen.
type Block struct {
	Row, Rows   uint32 // first row (already reduced to the torus), number of rows
	Col, ColEnd uint32 // first column, one past the last
	Seen        uint32
}

// Candidates returns the number of elements in the cells of b. O(rows).
func (c *Cells) Candidates(b Block) int {
	n := 0
	for ; b.Rows > 0; b.Rows-- {
		lo, hi := c.span(&b)
		n += int(hi - lo)
		b.Row = (b.Row + 1) & c.RowMask
	}
	return n
}

// span returns the first and one past the last element of b's first row.
func (c *Cells) span(b *Block) (lo, hi uint32) {
	base := b.Row << c.LogW
	return c.Start[base+b.Col], c.Start[base+b.ColEnd]
}

// Limit is a squared radius as the kernels compare with it.
type Limit struct {
	Lo, Hi float32 // surely inside up to Lo, surely outside above Hi
	R2     int64   // the truth, r*r
}

// exactBelow is the radius below which float32 represents every squared
// distance up to r*r exactly, and rounds none above it down to it.
const exactBelow = 1 << 12

// bandWidth is the relative half-width of the undecided band: twice the largest
// relative error of the float32 evaluation, (1 + 2^-24)^4 - 1 = 2^-22 + 3*2^-47...
const bandWidth = 1.0 / (1 << 21)

// MakeLimit returns the limit of radius r, 0 <= r <= [MaxCoord].
func MakeLimit(r int32) Limit {
	var l Limit
	l.Set(r)
	return l
}

// Set makes l the limit of radius r. It is the only place where a radius is
// squared.
func (l *Limit) Set(r int32) {
	r2 := int64(r) * int64(r)
	f, band := float64(r2), 0.0
	if r >= exactBelow {
		band = float64(f * bandWidth)
	}
	l.R2, l.Lo, l.Hi = r2, float32(f-band), float32(f+band)
}

// Disc is a prepared query: a centre, an outer and an inner radius, and, in grids
// that have them, height limits and permission bits. Kernels with one radius use
// the outer one.
type Disc struct {
	X, Y, Z     int32
	OuterHeight uint32 // |dz| up to this is inside
	InnerHeight uint32
	Mask        uint32 // what the observer may see: see [Cells] Need and Any
	Outer       Limit
	Inner       Limit
	Flags       Flags
}

// Flags says which optional columns a query reads.
type Flags uint32

const (
	// WithHeight makes a query a cylinder: it reads Z and compares |dz|.
	WithHeight Flags = 1 << iota
	// WithMask makes a query skip what its Mask does not permit: an element is
	// permitted if need &^ mask == 0 && (any == 0 || any & mask != 0).
	WithMask
	// Narrow promises that no candidate's |dx| or |dy|, and neither radius, exceeds
	// [NarrowReach]. It changes no result; some kernels are faster for it.
	Narrow
)

// NarrowReach is the largest difference of coordinates that [Narrow] admits.
const NarrowReach = 1<<15 - 1

// Hit is one found element: its slot, and its squared distance as [asm]
// defines it.
type Hit struct {
	Slot  uint32
	Dist2 float32
}

// dist2 is the reported squared distance: see the package documentation.
func dist2(dx, dy int32) float32 {
	fx, fy := float32(dx), float32(dy)
	return float32(fx*fx) + float32(fy*fy)
}

// exact2 is the true squared distance. |dx| and |dy| are at most 2^31, and not
// both are, so it does not overflow.
func exact2(dx, dy int32) int64 {
	return int64(dx)*int64(dx) + int64(dy)*int64(dy)
}

// absHeight returns the absolute value of a difference of two coordinates.
func absHeight(dz int32) uint32 {
	if dz < 0 {
		return uint32(-dz)
	}
	return uint32(dz)
}
