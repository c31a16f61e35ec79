//go:build (linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris) && !race

package arena

import "golang.org/x/sys/unix"

// systemReserve returns n bytes of addresses at which nothing may be touched.
// Inaccessible private pages count against no limit but that on addresses.
func systemReserve(n int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	adviseHuge(b)
	return b, nil
}

// systemCommit makes b, a part of a reservation, readable and writable.
func systemCommit(b []byte) error {
	return unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE)
}

// systemRelease gives a whole reservation back.
func systemRelease(b []byte) error { return unix.Munmap(b) }
