//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris)

package guard

import "errors"

const supported = false

func mapGuarded(size, page int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap(whole []byte) error { return errors.ErrUnsupported }
