package packer

import (
	"strings"
	"testing"

	"vicinity/internal/invariants"
)

func TestDuplicatesAreFound(t *testing.T) {
	if !invariants.Enabled {
		t.Skip("needs the tag invariants")
	}
	b := mustBudget(t, Limits{Bytes: 100, Reserve: 50})
	c := byOrder(1, 2, 3)
	c.ID = []uint64{7, 7, 7}
	c.Flags = []Flags{Remove, Spawn, 0}
	var plan Plan
	if err := new(Packer).Pack(&plan, c, b); err != nil {
		t.Fatalf("a remove, a spawn and an update: %v", err)
	}
	for _, f := range []Flags{Remove, Spawn, MustSend} {
		c.Flags = []Flags{Remove, Spawn, 0}
		c.Flags[1], c.Flags[2] = f, f
		c.ID = []uint64{1, 7, 7}
		func() {
			defer func() {
				if v, _ := recover().(string); !strings.Contains(v, "entity 7 is there twice") {
					t.Errorf("flags %v: %q", f, v)
				}
			}()
			new(Packer).Pack(&plan, c, b)
		}()
	}
}
