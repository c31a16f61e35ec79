package main

import "testing"

func TestSpan(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 ns", 999: "999 ns", 1000: "1.00 µs", 1234: "1.23 µs", 9994: "9.99 µs", 9996: "10.0 µs", 12345: "12.3 µs",
		99960: "100 µs", 123456: "123 µs", 1234567: "1.23 ms", 123456789: "123 ms", 1234567890: "1.23 s", 12345678901234: "12346 s",
	} {
		if got := span(ns); got != want {
			t.Errorf("%d ns: %q, want %q", ns, got, want)
		}
	}
}

func TestGroup(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		if got := group(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestTraceName(t *testing.T) {
	for path, want := range map[string]string{
		"a/b/walk.csv.gz": "walk", "walk.csv": "walk", "walk": "walk", "walk.gz": "walk", ".csv": ".csv", "/dev/stdin": "stdin",
	} {
		if got := traceName(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
