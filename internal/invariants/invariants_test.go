package invariants

import "testing"

// message returns what f panics with, "" if it does not.
func message(f func()) (msg string) {
	defer func() {
		if v := recover(); v != nil {
			msg, _ = v.(string)
		}
	}()
	f()
	return ""
}

func TestCheck(t *testing.T) {
	if got := message(func() { Check(true, "fine") }); got != "" {
		t.Errorf("Check(true) panicked: %q", got)
	}
	want := ""
	if Enabled {
		want = "broken invariant: 3 of 2"
	}
	if got := message(func() { Check(false, "%d of %d", 3, 2) }); got != want {
		t.Errorf("Check(false) panicked with %q; want %q", got, want)
	}
}
