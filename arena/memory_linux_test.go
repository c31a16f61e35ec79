//go:build linux && !race

package arena

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// On Linux the kernel's own books show what is advised and usable.
func TestHugePagesAreAdvised(t *testing.T) {
	// What an emulator or a kernel without huge pages shows for advised memory.
	control, err := unix.Mmap(-1, 0, hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(control)
	if err := unix.Madvise(control, unix.MADV_HUGEPAGE); err != nil {
		t.Skip("no huge pages: ", err)
	}
	if !advised(t, unsafe.Pointer(&control[0])) {
		t.Skip("advice does not show in the list of mappings")
	}
	b, err := NewBuffer[byte](Mapped, 4*hugePage)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	for i := range b.Slice() {
		b.Slice()[i] = 1
	}
	if !advised(t, b.space.start()) {
		t.Error("no huge pages were asked for")
	}
}

// advised reports whether the mapping that holds p has the flag hg.
func advised(t *testing.T, p unsafe.Pointer) bool {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	return slices.Contains(flagsOf(string(smaps), uint64(uintptr(p))), "hg")
}

// flagsOf returns the VmFlags of the mapping that holds addr.
func flagsOf(smaps string, addr uint64) []string {
	inside := false
	for line := range strings.Lines(smaps) {
		fields := strings.Fields(line)
		if from, to, ok := addresses(fields[0]); ok {
			inside = from <= addr && addr < to
		} else if inside && fields[0] == "VmFlags:" {
			return fields[1:]
		}
	}
	return nil
}

// addresses parses "from-to" in hexadecimal.
func addresses(s string) (from, to uint64, ok bool) {
	lo, hi, ok := strings.Cut(s, "-")
	if !ok {
		return 0, 0, false
	}
	from, err1 := strconv.ParseUint(lo, 16, 64)
	to, err2 := strconv.ParseUint(hi, 16, 64)
	return from, to, err1 == nil && err2 == nil
}

// Close gives the addresses back to the system, used or not.
func TestAddressesAreGivenBack(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("needs 64 bits: it reserves a gigabyte")
	}
	before := virtualPages(t)
	a, err := New(Config{Capacity: 1 << 28, Memory: Mapped}) // 2 columns of 1 GiB
	if err != nil {
		t.Fatal(err)
	}
	mustAlloc(t, a, 100)
	gigabyte := 1 << 30 / os.Getpagesize()
	if got := virtualPages(t) - before; got < 2*gigabyte {
		t.Errorf("%d pages reserved; want 2 GiB", got)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got := virtualPages(t) - before; got > gigabyte {
		t.Errorf("%d pages still there after Close", got)
	}
}

// virtualPages returns the size of the process's address space.
func virtualPages(t *testing.T) int {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	n, err := strconv.Atoi(strings.Fields(string(statm))[0])
	if err != nil {
		t.Skip(err)
	}
	return n
}
