package replay

import (
	"errors"
	"math"
	"testing"
)

func TestParseUnit(t *testing.T) {
	for _, c := range []struct {
		text   string
		metres float64
		back   string
	}{
		{"1/256", 1.0 / 256, "1/256"},
		{"0.00390625", 1.0 / 256, "1/256"},
		{"1/16", 1.0 / 16, "1/16"},
		{"0.0625", 1.0 / 16, "1/16"},
		{"1", 1, "1"},
		{"1/1", 1, "1"},
		{"2/8", 0.25, "1/4"},
		{"65536", 65536, "65536"},
		{"1/65536", 1.0 / 65536, "1/65536"},
	} {
		u, err := ParseUnit(c.text)
		if err != nil || u.Metres() != c.metres || u.String() != c.back {
			t.Errorf("%q: %v (%v m), %v; want %s", c.text, u, u.Metres(), err, c.back)
		}
	}
	for _, bad := range []string{
		"", "x", "1/", "/2", "1/0", "0", "-1", "1/3", "0.1", "3", "NaN", "Inf", "1/Inf", "131072", "1/131072", "1/2/2", "-1/256",
	} {
		if u, err := ParseUnit(bad); !errors.Is(err, ErrUnit) {
			t.Errorf("%q: %v, %v; want ErrUnit", bad, u, err)
		}
	}
}

func TestUnits(t *testing.T) {
	u, err := ParseUnit("1/256")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		metres float64
		want   int32
	}{
		{0, 0}, {2, 512}, {0.5, 128}, {1.5 / 256, 2}, {2.5 / 256, 2}, {0.3 / 256, 0}, {MaxCoord / 256.0, MaxCoord},
	} {
		if got, err := u.Units(c.metres); err != nil || got != c.want {
			t.Errorf("%v m: %d, %v; want %d", c.metres, got, err, c.want)
		}
	}
	for _, bad := range []float64{-1, (MaxCoord + 1) / 256.0, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		if _, err := u.Units(bad); !errors.Is(err, ErrRange) {
			t.Errorf("%v m: %v, want ErrRange", bad, err)
		}
	}
}
