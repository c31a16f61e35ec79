//go:build race

package grid

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// plantVariable asks the test binary to commit the planted fault.
const plantVariable = "VICINITY_PLANT_RACE"

// TestPlantedRaceIsReported: a reader that uses its snapshot after Unpin, while the
// writer publishes on, is what the race detector reports; so the tests under it
// mean something. The fault runs in a process of its own.
func TestPlantedRaceIsReported(t *testing.T) {
	if os.Getenv(plantVariable) != "" {
		plantRace(t)
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestPlantedRaceIsReported$", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), plantVariable+"=1")
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); !failed {
		t.Errorf("the process ended with %v; want a failure", err)
	}
	if !bytes.Contains(out, []byte("DATA RACE")) {
		t.Errorf("no data race reported:\n%s", out)
	}
}

func plantRace(t *testing.T) {
	w := newWorld(t, Config{Layers: []Layer{{CellX: 16}}})
	for i := range 200 {
		w.spawn(0, Point{X: int32(i)})
	}
	reader, err := w.grid.NewReader()
	w.must(err)
	w.publish()
	s, err := reader.Pin()
	w.must(err)
	stale := s.Columns(0)
	reader.Unpin()
	done := make(chan int32)
	go func() {
		sum := int32(0)
		for range 2000 {
			for _, x := range stale.X {
				sum += x
			}
		}
		done <- sum
	}()
	for range 50 {
		for i := range w.all {
			w.move(i, Point{X: int32(i), Y: int32(w.tick)})
		}
		w.publish()
	}
	<-done
}
