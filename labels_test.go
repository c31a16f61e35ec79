package vicinity

import (
	"bytes"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"
)

// TestProfile: with Config.Profile the stages are labels of the goroutine, gone after
// the Tick; without it there are none.
func TestProfile(t *testing.T) {
	labels := func() string {
		var out bytes.Buffer
		ok(t, pprof.Lookup("goroutine").WriteTo(&out, 1))
		return out.String()
	}
	for _, on := range []bool{false, true} {
		w := newWorld(t, Config{Profile: on})
		ok(t, w.Connect(Connection{ID: 1, Budget: 100}))
		ok(t, w.Tick(func(ConnID, *Delivery) bool {
			if got := strings.Contains(labels(), `"stage":"callback"`); got != on {
				t.Errorf("Profile %v: labelled %v", on, got)
			}
			return true
		}))
		if strings.Contains(labels(), `"stage"`) {
			t.Errorf("Profile %v: labelled after the Tick", on)
		}
	}
}

// TestTrace: an execution trace shows the stages.
func TestTrace(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("a trace is being taken")
	}
	var out bytes.Buffer
	ok(t, trace.Start(&out))
	w := newWorld(t, Config{})
	tick(t, w)
	trace.Stop()
	for _, stage := range []string{"publish", "update", "pack"} {
		if !bytes.Contains(out.Bytes(), []byte("vicinity."+stage)) {
			t.Errorf("the trace has no stage %q", stage)
		}
	}
}
