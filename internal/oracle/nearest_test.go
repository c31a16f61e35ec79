package oracle

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	entities := []Entity{
		{ID: 9, X: 3, Y: 4}, {ID: 2, X: -5}, {ID: 5, Y: 5}, {ID: 4, X: 1, Z: 2}, {ID: 1, X: 5, Y: 1}, {ID: 3},
	}
	all := []Near{{3, 0}, {4, 1}, {2, 25}, {5, 25}, {9, 25}, {1, 26}}
	for _, c := range []struct {
		name string
		d    Disc
		k    int
		want []Near
	}{
		{"all, ties by id", Disc{Radius: 10, Height: 2}, 10, all},
		{"first three", Disc{Radius: 10, Height: 2}, 3, all[:3]},
		{"none", Disc{Radius: 10, Height: 2}, 0, nil},
		{"border inside", Disc{Radius: 5, Height: 2}, 10, all[:5]},
		{"height", Disc{Radius: 5, Height: 1}, 10, []Near{{3, 0}, {2, 25}, {5, 25}, {9, 25}}},
		{"radius 0", Disc{}, 10, all[:1]},
		{"elsewhere", Disc{X: 1 << 29, Radius: 100, Height: 100}, 10, nil},
		{"skipped", Disc{Radius: 5, Height: 2, Skip: func(e *Entity) bool { return e.ID == 3 }}, 2, all[1:3]},
	} {
		if got := Nearest(entities, c.d, c.k); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := Within(entities, Disc{Radius: 10, Height: 2}); !slices.Equal(got, all) {
		t.Errorf("Within: %v, want %v", got, all)
	}
}
