package replay

import (
	"errors"
	"fmt"
)

// What can be wrong with a trace. Every error of a Reader wraps one of these,
// or the error of the file system that stopped it.
var (
	ErrHeader    = errors.New("replay: wrong header")
	ErrRow       = errors.New("replay: bad row")
	ErrRange     = errors.New("replay: out of range")
	ErrTick      = errors.New("replay: tick out of order")
	ErrOrder     = errors.New("replay: rows not sorted by id")
	ErrDuplicate = errors.New("replay: duplicate id in a tick")
	ErrCut       = errors.New("replay: trace is cut short")
	ErrGzip      = errors.New("replay: damaged gzip")
)

// RowError says where a trace is wrong and why. Its text is one line that names
// file, line and column, both counted from 1; the column counts bytes.
type RowError struct {
	File   string
	Line   int
	Column int
	Reason string
	Err    error // one of the sentinels of this package
}

// Error returns the one-line message.
func (e *RowError) Error() string {
	return fmt.Sprintf("%s: line %d, column %d: %s", e.File, e.Line, e.Column, e.Reason)
}

// Unwrap returns the sentinel.
func (e *RowError) Unwrap() error { return e.Err }

// quote shows a piece of input inside a message: quoted, and cut if it is long.
func quote(b []byte) string {
	const most = 40
	if len(b) > most {
		return fmt.Sprintf("%.40q…", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
