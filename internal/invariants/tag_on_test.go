//go:build invariants

package invariants

import "testing"

func TestTag(t *testing.T) {
	if !Enabled {
		t.Error("Enabled is false under the tag invariants")
	}
}
