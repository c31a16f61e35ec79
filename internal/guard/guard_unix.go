//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris

package guard

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

const supported = true

// mapGuarded maps size bytes with one inaccessible page on either side.
func mapGuarded(size, page int) ([]byte, error) {
	whole, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("guard: map %d bytes: %w", size, err)
	}
	for _, border := range [][]byte{whole[:page], whole[page+size:]} {
		if err := unix.Mprotect(border, unix.PROT_NONE); err != nil {
			return nil, errors.Join(fmt.Errorf("guard: protect: %w", err), unix.Munmap(whole))
		}
	}
	return whole, nil
}

func unmap(whole []byte) error { return unix.Munmap(whole) }
