package vicinity

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"vicinity/asm"
)

func TestUnitCheck(t *testing.T) {
	for _, u := range []Unit{DefaultUnit, 1, 2, 1.0 / (1 << 30), 1 << 30, 0.0625} {
		if err := u.Check(); err != nil {
			t.Errorf("%v: got %v; want it to be valid", float64(u), err)
		}
	}
	for _, u := range []Unit{0, -1, 0.1, 3, 1.0 / (1 << 31), 1 << 31, Unit(math.NaN()), Unit(math.Inf(1))} {
		if err := u.Check(); !errors.Is(err, ErrUnit) {
			t.Errorf("%v: got %v; want ErrUnit", float64(u), err)
		}
	}
}

// edges are metres whose unit is 1/256 m and what they are in units; bad ones have
// an error.
var edges = []struct {
	metres float64
	units  int32
	err    error
}{
	{0, 0, nil},
	{math.Copysign(0, -1), 0, nil},
	{1, 256, nil},
	{-1.5, -384, nil},
	{0.5 / 256, 0, nil},   // a tie goes to even
	{1.5 / 256, 2, nil},   // here too
	{-0.5 / 256, 0, nil},  //
	{-2.5 / 256, -2, nil}, //
	{4194303.75, 1073741760, nil},
	{(1<<30 - 1) / 256.0, 1<<30 - 1, nil},
	{-(1<<30 - 1) / 256.0, -(1<<30 - 1), nil},
	{(1<<30 - 0.5) / 256, 0, ErrRange},
	{(1 << 30) / 256.0, 0, ErrRange},
	{-(1 << 30) / 256.0, 0, ErrRange},
	{1e300, 0, ErrRange},
	{math.MaxFloat64, 0, ErrRange}, // the product is infinite, the number is not
	{math.SmallestNonzeroFloat64, 0, nil},
	{math.NaN(), 0, ErrNotFinite},
	{math.Inf(1), 0, ErrNotFinite},
	{math.Inf(-1), 0, ErrNotFinite},
}

func TestUnits(t *testing.T) {
	for _, e := range edges {
		got, err := DefaultUnit.Units(e.metres)
		if got != e.units || !errors.Is(err, e.err) || (err == nil) != (e.err == nil) {
			t.Errorf("%v m: got %d, %v; want %d, %v", e.metres, got, err, e.units, e.err)
		}
	}
}

// TestAppendUnits compares the bulk form with Units, at every kernel level and
// length, for both element types.
func TestAppendUnits(t *testing.T) {
	before := asm.Tier()
	defer asm.SetTier(before)
	for _, l := range asm.Levels() {
		if err := asm.SetTier(l); err != nil {
			t.Fatal(err)
		}
		t.Run(l.String(), func(t *testing.T) {
			for n := range 1200 {
				var wide []float64
				var narrow []float32
				for i := range n {
					m := edges[(i*7+n)%len(edges)].metres
					wide, narrow = append(wide, m), append(narrow, float32(m))
				}
				compareUnits(t, wide)
				compareUnits(t, narrow)
			}
		})
	}
}

func compareUnits[F float32 | float64](t *testing.T, metres []F) {
	t.Helper()
	dst := make([]int32, len(metres))
	rejected := AppendUnits(nil, dst, DefaultUnit, metres)
	for i, m := range metres {
		want, err := DefaultUnit.Units(float64(m))
		if err == nil {
			if dst[i] != want {
				t.Fatalf("element %d of %d, %v m: got %d; want %d", i, len(metres), m, dst[i], want)
			}
			continue
		}
		if len(rejected) == 0 || rejected[0].Index != i || rejected[0].Err.Error() != err.Error() {
			t.Fatalf("element %d of %d, %v m: rejected are %v; want this one first, with %v", i, len(metres), m, rejected, err)
		}
		rejected = rejected[1:]
	}
	if len(rejected) != 0 {
		t.Fatalf("rejected %v too", rejected)
	}
}

func TestAppendUnitsAllocatesNothing(t *testing.T) {
	metres, dst := make([]float32, 5000), make([]int32, 5000)
	if n := testing.AllocsPerRun(20, func() { AppendUnits(nil, dst, DefaultUnit, metres) }); n != 0 {
		t.Errorf("got %v allocations; want none", n)
	}
}

func ExampleAppendUnits() {
	metres := []float32{1.5, -0.25, float32(math.Inf(1)), 5e6}
	units := make([]int32, len(metres))
	for _, r := range AppendUnits(nil, units, DefaultUnit, metres) {
		fmt.Println(r.Index, r.Err)
	}
	fmt.Println(units[0], units[1])
	// Output:
	// 2 vicinity: not a finite number: +Inf m
	// 3 vicinity: out of range: 5e+06 m in units of 0.00390625 m
	// 384 -64
}
