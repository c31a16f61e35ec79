//go:build windows && !race

package arena

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// systemReserve returns n bytes of addresses at which nothing may be touched.
func systemReserve(n int) ([]byte, error) {
	addr, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return nil, err
	}
	// The address is not on the Go heap, so no pointer rule is bent; vet cannot
	// know that and wants no direct conversion.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	return unsafe.Slice((*byte)(p), n), nil
}

// systemCommit makes b, a part of a reservation, readable and writable.
func systemCommit(b []byte) error {
	_, err := windows.VirtualAlloc(address(b), uintptr(len(b)), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return err
}

// systemRelease gives a whole reservation back.
func systemRelease(b []byte) error {
	return windows.VirtualFree(address(b), 0, windows.MEM_RELEASE)
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
