package vicinity

import (
	"fmt"
	"math"

	"vicinity/grid"
)

// direction returns a direction in whole numbers: times the power of two that brings its
// larger component to between 2^29 and 2^30, rounded to the nearest. Zero stays zero. An
// error is kept.
func (l *lengths) direction(x, y float64) (int32, int32) {
	if l.err != nil {
		return 0, 0
	}
	larger := max(math.Abs(x), math.Abs(y)) // NaN if one is
	if math.IsNaN(larger) || math.IsInf(larger, 0) {
		l.err = fmt.Errorf("direction: %w: (%v, %v)", ErrNotFinite, x, y)
		return 0, 0
	}
	_, exponent := math.Frexp(larger)
	scaled := func(v float64) int32 {
		v = math.RoundToEven(math.Ldexp(v, 30-exponent))
		return int32(max(min(v, grid.MaxCoord), -grid.MaxCoord)) // 2^30 is one too far
	}
	return scaled(x), scaled(y)
}

// towards is direction for shapes that need one.
func (l *lengths) towards(x, y float64) (int32, int32) {
	if l.err == nil && x == 0 && y == 0 {
		l.err = fmt.Errorf("%w: its direction is zero", ErrShape)
	}
	return l.direction(x, y)
}

// halfAngle returns an angle from zero to a half turn in 2^-32 turns, rounded to the
// nearest. An error is kept.
func (l *lengths) halfAngle(radians float64) uint32 {
	switch {
	case l.err != nil:
	case math.IsNaN(radians) || math.IsInf(radians, 0):
		l.err = fmt.Errorf("half angle: %w: %v", ErrNotFinite, radians)
	case radians < 0 || radians > math.Pi:
		l.err = fmt.Errorf("%w: its half angle is %v radians; want 0 to pi", ErrShape, radians)
	default:
		return uint32(math.RoundToEven(radians * (grid.HalfTurn / math.Pi)))
	}
	return 0
}
