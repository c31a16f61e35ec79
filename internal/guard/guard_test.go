package guard

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// sink keeps reads of the tests alive.
var sink byte

// peek reads the byte at p+offset without a bounds check, as assembly would.
func peek(p unsafe.Pointer, offset int) func() {
	return func() { sink = *(*byte)(unsafe.Add(p, offset)) }
}

// poke writes there.
func poke(p unsafe.Pointer, offset int) func() {
	return func() { *(*byte)(unsafe.Add(p, offset)) = 1 }
}

func newMemory(t *testing.T, n int) *Memory {
	t.Helper()
	m, err := New(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Free(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func TestSupportedWhereItMatters(t *testing.T) {
	if got, want := Supported(), supported; got != want {
		t.Fatalf("Supported() = %v; want %v", got, want)
	}
	if !Supported() {
		t.Skip("no page protection on this system: the other tests prove less")
	}
}

// Every length: the bytes inside can be read and written, the first byte on the
// other side of either border cannot.
func TestFaultsAtBothBorders(t *testing.T) {
	if !Supported() {
		t.Skip("no page protection on this system")
	}
	m := newMemory(t, 3*os.Getpagesize())
	for n := 0; n <= 300; n++ {
		end := unsafe.Pointer(unsafe.SliceData(AtEnd[int32](m, n)))
		start := unsafe.Pointer(unsafe.SliceData(AtStart[int32](m, n)))
		for _, c := range []struct {
			name  string
			f     func()
			fault bool
		}{
			{"read behind the end", peek(end, 4*n), true},
			{"write behind the end", poke(end, 4*n), true},
			{"read a vector behind the end", peek(end, 4*n+63), true},
			{"read before the start", peek(start, -1), true},
			{"write before the start", poke(start, -1), true},
			{"read before the end's first", peek(end, -1), false},
			{"read the start's last", peek(start, max(0, 4*n-1)), false},
		} {
			err := Fault(c.f)
			if got := err != nil; got != c.fault {
				t.Fatalf("n=%d, %s: fault %v (%v); want %v", n, c.name, got, err, c.fault)
			}
		}
	}
}

func TestFaultReportsTheAddress(t *testing.T) {
	if !Supported() {
		t.Skip("no page protection on this system")
	}
	m := newMemory(t, 1)
	p := unsafe.Pointer(unsafe.SliceData(AtEnd[byte](m, 1)))
	err := Fault(peek(p, 1))
	var fault *FaultError
	if !errors.As(err, &fault) {
		t.Fatalf("got %v; want a *FaultError", err)
	}
	if want := uintptr(p) + 1; fault.Addr != want {
		t.Errorf("Addr = %#x; want %#x", fault.Addr, want)
	}
	if fault.Unwrap() == nil || !strings.Contains(err.Error(), "touched") {
		t.Errorf("error %q does not say what happened", err)
	}
}

func TestFaultPassesOtherPanics(t *testing.T) {
	defer func() {
		if v := recover(); v != "mine" {
			t.Errorf("recovered %v; want mine", v)
		}
	}()
	_ = Fault(func() { panic("mine") })
	t.Error("the panic was swallowed")
}

// With or without protection: sizes, aliasing and content.
func TestSlices(t *testing.T) {
	for _, n := range []int{0, 1, 7, os.Getpagesize(), os.Getpagesize() + 1} {
		m := newMemory(t, n)
		if m.Len() < n || m.Len()%os.Getpagesize() != 0 {
			t.Fatalf("New(%d).Len() = %d", n, m.Len())
		}
		for i, v := range AtEnd[byte](m, m.Len()) {
			if v != 0 {
				t.Fatalf("byte %d is %d; want 0", i, v)
			}
		}
		m.Clear(0x5A)
		end, start := AtEnd[uint64](m, 3), AtStart[uint64](m, 3)
		if len(end) != 3 || cap(end) != 3 || len(start) != 3 || cap(start) != 3 {
			t.Fatalf("lengths %d/%d, %d/%d; want 3/3, 3/3", len(end), cap(end), len(start), cap(start))
		}
		end[2], start[0] = 1, 2
		all := AtStart[uint64](m, m.Len()/8)
		if all[0] != 2 || all[len(all)-1] != 1 || all[1] != 0x5A5A5A5A5A5A5A5A {
			t.Fatal("the slices do not alias the two ends")
		}
	}
}

func TestElementsThatDoNotDivideAPage(t *testing.T) {
	type triple [3]int32
	m := newMemory(t, 4096)
	xs := AtEnd[triple](m, 5)
	xs[4][2] = 77
	if last := AtEnd[int32](m, 1); last[0] != 77 {
		t.Errorf("the last int32 is %d; want 77", last[0])
	}
}

func TestMisuse(t *testing.T) {
	for _, n := range []int{-1, maxSize + 1} {
		if m, err := New(n); !errors.Is(err, ErrRange) || m != nil {
			t.Errorf("New(%d) = %v, %v; want nil, ErrRange", n, m, err)
		}
	}
	m := newMemory(t, 16)
	for name, f := range map[string]func(){
		"too many":  func() { AtEnd[int64](m, m.Len()/8+1) },
		"negative":  func() { AtStart[byte](m, -1) },
		"size zero": func() { AtEnd[struct{}](m, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
	if err := m.Free(); err != nil {
		t.Error(err)
	}
	if err := m.Free(); err != nil || m.Len() != 0 {
		t.Errorf("second Free: %v, Len %d; want nil, 0", err, m.Len())
	}
}
