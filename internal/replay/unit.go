package replay

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ErrUnit is the error of a unit that is not a power of two of metres.
var ErrUnit = errors.New("replay: a unit is a power of two of metres, 1/65536 to 65536")

// Unit is the length of one unit: 2^Unit metres. The zero value is one metre.
type Unit int8

const maxUnit = 16

// UnitOf returns the unit that is metres long.
func UnitOf(metres float64) (Unit, error) {
	frac, exp := math.Frexp(metres)
	if frac != 0.5 || exp-1 < -maxUnit || exp-1 > maxUnit {
		return 0, fmt.Errorf("unit of %v m: %w", metres, ErrUnit)
	}
	return Unit(exp - 1), nil
}

// ParseUnit reads a unit in metres, written as a number or as a fraction:
// "1/256", "0.0625", "1".
func ParseUnit(text string) (Unit, error) {
	over, under, isFraction := strings.Cut(text, "/")
	a, err := strconv.ParseFloat(over, 64)
	b := 1.0
	if err == nil && isFraction {
		b, err = strconv.ParseFloat(under, 64)
	}
	if err != nil || b == 0 {
		return 0, fmt.Errorf("unit %q: %w", text, ErrUnit)
	}
	return UnitOf(a / b)
}

// Metres returns the length of one unit, exactly.
func (u Unit) Metres() float64 { return math.Ldexp(1, int(u)) }

// String returns the unit in metres, as a fraction if it is less than one.
func (u Unit) String() string {
	if u < 0 {
		return "1/" + strconv.Itoa(1<<-int(u))
	}
	return strconv.Itoa(1 << int(u))
}

// Units returns how many units the length is, rounded to nearest even. NaN, a
// negative length, and one above MaxCoord units are ErrRange.
func (u Unit) Units(metres float64) (int32, error) {
	units := math.RoundToEven(math.Ldexp(metres, -int(u)))
	if !(units >= 0 && units <= MaxCoord) {
		return 0, fmt.Errorf("%v m: %w: want 0 to %d units of %s m", metres, ErrRange, MaxCoord, u)
	}
	return int32(units), nil
}
