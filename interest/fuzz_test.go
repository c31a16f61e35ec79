package interest

import "testing"

// FuzzInterest plays random worlds, with everything in them, against the model: on
// every kernel level, with one to four workers, with and without the one-pass way,
// and fed with candidates.
func FuzzInterest(f *testing.F) {
	for i := range 12 {
		f.Add([]byte{byte(i), byte(7 * i), byte(31 * i), byte(i / 3), byte(5 * i), byte(11 * i)})
	}
	f.Fuzz(func(t *testing.T, b []byte) { playAll(t, b, 10) })
}
