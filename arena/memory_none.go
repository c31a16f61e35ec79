//go:build race || !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris || windows)

package arena

import "errors"

// systemReserve has nothing to give: the caller falls back to the heap.
func systemReserve(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func systemCommit([]byte) error { return errors.ErrUnsupported }

func systemRelease([]byte) error { return errors.ErrUnsupported }
