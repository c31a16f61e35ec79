//go:build !invariants

package invariants

import "testing"

func TestTag(t *testing.T) {
	if Enabled {
		t.Error("Enabled is true without the tag invariants")
	}
}
