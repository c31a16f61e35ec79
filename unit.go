package vicinity

import (
	"errors"
	"fmt"
	"math"

	"vicinity/asm"
)

// The errors of positions in metres.
var (
	// ErrUnit: a unit is not a power of two from 2^-30 to 2^30 metres.
	ErrUnit = errors.New("vicinity: unit is not a power of two from 2^-30 to 2^30 metres")
	// ErrNotFinite: a number is NaN or infinite.
	ErrNotFinite = errors.New("vicinity: not a finite number")
	// ErrRange: a position or a length is out of range: its absolute value in units is
	// above asm.MaxCoord, or it is negative and must not be.
	ErrRange = errors.New("vicinity: out of range")
)

// Unit is how many metres one unit of the engine is: a power of two, so that
// metres in float32 and in float64 are scaled without error and rounded once, to
// the same unit. The range of positions is about 2^30 units to either side.
type Unit float64

// DefaultUnit is 1/256 m: about 4 mm, with a range of 4,194 km to either side.
const DefaultUnit Unit = 1.0 / 256

// Check returns [ErrUnit] if u is not a valid unit.
func (u Unit) Check() error {
	if fraction, exponent := math.Frexp(float64(u)); fraction != 0.5 || exponent < -29 || exponent > 31 {
		return fmt.Errorf("%w: %v", ErrUnit, float64(u))
	}
	return nil
}

// Metres returns v units in metres, exactly.
func (u Unit) Metres(v int32) float64 { return float64(v) * float64(u) }

// Units returns metres in units, rounded to the nearest, ties to even. The errors
// are [ErrNotFinite] and [ErrRange]. u must be valid.
func (u Unit) Units(metres float64) (int32, error) {
	v := math.RoundToEven(metres / float64(u))
	if !(math.Abs(v) <= asm.MaxCoord) {
		return 0, u.reject(metres)
	}
	return int32(v), nil
}

// reject returns why metres cannot be converted.
func (u Unit) reject(metres float64) error {
	if math.IsNaN(metres) || math.IsInf(metres, 0) {
		return fmt.Errorf("%w: %v m", ErrNotFinite, metres)
	}
	return fmt.Errorf("%w: %v m in units of %v m", ErrRange, metres, float64(u))
}

// Rejected says which element of a column was refused, and why: of [AppendUnits]
// [ErrNotFinite] or [ErrRange], with the value; of [MoveAll] what [World.Move] says.
type Rejected struct {
	Index int
	Err   error
}

// AppendUnits converts a column of metres to dst, which must be as long, else it
// panics: dst[i] is what [Unit.Units] returns for metres[i]. It appends what it could
// not convert to rejected, by rising index, and leaves dst there unspecified. It
// allocates only for the rejected. u must be valid. O(len(metres)), about a nanosecond
// an element or less.
func AppendUnits[F float32 | float64](rejected []Rejected, dst []int32, u Unit, metres []F) []Rejected {
	if len(dst) != len(metres) {
		panic(fmt.Sprintf("vicinity: %d units for %d metres", len(dst), len(metres)))
	}
	var bad [8]uint64
	for at := 0; at < len(metres); at += 64 * len(bad) {
		end := min(at+64*len(bad), len(metres))
		if quantise(dst[at:end], bad[:], u, metres[at:end]) == 0 {
			continue
		}
		for i := at; i < end; i++ {
			if bad[(i-at)/64]>>((i-at)%64)&1 != 0 {
				rejected = append(rejected, Rejected{Index: i, Err: u.reject(float64(metres[i]))})
			}
		}
	}
	return rejected
}

// quantise picks the kernel of the element type.
func quantise[F float32 | float64](dst []int32, bad []uint64, u Unit, metres []F) int {
	switch column := any(metres).(type) {
	case []float32:
		return asm.Quantise32(dst, bad, column, float32(1/u))
	case []float64:
		return asm.Quantise(dst, bad, column, float64(1/u))
	}
	panic("vicinity: unreachable")
}
