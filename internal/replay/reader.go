package replay

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// Header is the first line of every trace, without its line feed.
const Header = "tick,id,x,y,kind,team"

// bufferSize bounds a line: six columns of the longest legal integers and more.
const bufferSize = 1 << 16

// Reader reads a trace tick by tick. It does not allocate a row or a tick once
// the columns of the caller's Tick are large enough.
type Reader struct {
	name   string
	file   io.Closer // nil if the caller owns the input
	in     io.Reader // decompressed
	gzip   bool
	inErr  error // what ended in, once it has ended
	buf    []byte
	lo, hi int // the unread bytes are buf[lo:hi]
	line   int // number of the line last cut, from 1

	row     row
	start   [columns]int
	pending bool // row is read but not handed out
	next    uint64
	started bool // a row has been handed out
	err     error
}

// Open opens src and reads its header. Close closes it.
func Open(src Source) (*Reader, error) {
	file, err := src.Open()
	if err != nil {
		return nil, err
	}
	r, err := NewReader(file, src.Name)
	if err != nil {
		file.Close()
		return nil, err
	}
	r.file = file
	return r, nil
}

// NewReader starts reading a trace, plain or gzip (told by its first two bytes),
// from in, and reads its header. name is what error messages call it. The caller
// keeps ownership of in.
func NewReader(in io.Reader, name string) (*Reader, error) {
	r := &Reader{name: name, buf: make([]byte, bufferSize)}
	front := bufio.NewReaderSize(in, bufferSize)
	r.in = front
	magic, err := front.Peek(2)
	if err != nil && err != io.EOF {
		return nil, r.readError(err)
	}
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		r.gzip = true
		unzip, err := gzip.NewReader(front)
		if err != nil {
			return nil, r.readError(err)
		}
		r.in = unzip
	}
	if err := r.readHeader(); err != nil {
		return nil, err
	}
	return r, nil
}

// Close closes what Open opened. Reading on after Close is an error of the file.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return file.Close()
}

// Line returns the number of the last line read, from 1.
func (r *Reader) Line() int { return r.line }

// Next reads the next tick into t. After the last tick it returns io.EOF. On any
// error t is empty, and every later call returns the same error.
func (r *Reader) Next(t *Tick) error {
	t.Reset(r.next)
	if r.err == nil {
		r.err = r.readTick(t)
	}
	if r.err != nil && (r.err != io.EOF || t.Len() == 0) {
		t.Reset(r.next)
		return r.err
	}
	r.next++
	return nil
}

// readTick appends the rows of tick r.next. It reads one row of the tick after,
// which stays pending, or io.EOF.
func (r *Reader) readTick(t *Tick) error {
	for {
		if !r.pending {
			if err := r.readRow(t); err != nil {
				return err
			}
		}
		if uint64(r.row[colTick]) != r.next {
			r.pending = true
			return nil
		}
		r.pending, r.started = false, true
		t.Append(uint64(r.row[colID]), int32(r.row[colX]), int32(r.row[colY]),
			int32(r.row[colKind]), int32(r.row[colTeam]))
	}
}

// readRow reads and checks one row; t holds the rows of its tick so far.
func (r *Reader) readRow(t *Tick) error {
	line, err := r.readLine()
	if err == io.EOF && !r.started {
		return r.fault(r.line+1, 0, "no rows, want at least one at tick 0", ErrRow)
	}
	if err != nil {
		return err
	}
	if bad := parseRow(line, &r.row, &r.start); bad != nil {
		return r.fault(r.line, bad.at, bad.reason, bad.err)
	}
	return r.checkOrder(t)
}

// checkOrder holds the row against the rows before it.
func (r *Reader) checkOrder(t *Tick) error {
	tick := uint64(r.row[colTick])
	if tick == r.next {
		return r.checkID(t)
	}
	switch {
	case !r.started:
		return r.faultAt(colTick, ErrTick, "first tick is %d, want 0", tick)
	case tick < r.next:
		return r.faultAt(colTick, ErrTick, "tick goes backwards, from %d to %d", r.next, tick)
	case tick > r.next+1:
		return r.faultAt(colTick, ErrTick, "tick skips from %d to %d", r.next, tick)
	}
	return nil
}

// checkID holds the row's id against the last one of the same tick.
func (r *Reader) checkID(t *Tick) error {
	if t.Len() == 0 {
		return nil
	}
	id, last := uint64(r.row[colID]), t.ID[t.Len()-1]
	switch {
	case id == last:
		return r.faultAt(colID, ErrDuplicate, "id %d comes twice in tick %d", id, r.next)
	case id < last:
		return r.faultAt(colID, ErrOrder, "id %d after id %d in tick %d, want rows sorted by id", id, last, r.next)
	}
	return nil
}

func (r *Reader) readHeader() error {
	line, err := r.readLine()
	switch {
	case err == io.EOF:
		return r.fault(1, 0, fmt.Sprintf("empty trace, want the header %q", Header), ErrHeader)
	case err != nil && r.inErr != io.EOF:
		return err
	case string(line) == Header:
		return err
	}
	at := 0
	for at < len(line) && at < len(Header) && line[at] == Header[at] {
		at++
	}
	return r.fault(1, at, fmt.Sprintf("header is %s, want %q", quote(line), Header), ErrHeader)
}

// readLine returns the next line without its line feed; it is valid until the
// next call. After the last line it returns io.EOF. A last line without a line
// feed comes back together with an error: it may have lost digits.
func (r *Reader) readLine() ([]byte, error) {
	searched := 0
	for {
		if i := bytes.IndexByte(r.buf[r.lo+searched:r.hi], '\n'); i >= 0 {
			line := r.buf[r.lo : r.lo+searched+i]
			r.lo += len(line) + 1
			r.line++
			return line, nil
		}
		searched = r.hi - r.lo
		if r.inErr != nil {
			return r.lastLine()
		}
		if searched == len(r.buf) {
			r.line++
			return nil, r.fault(r.line, 0, fmt.Sprintf("line is longer than %d bytes", len(r.buf)), ErrRow)
		}
		r.fill()
	}
}

// lastLine ends the reading: with io.EOF if nothing is left.
func (r *Reader) lastLine() ([]byte, error) {
	rest := r.buf[r.lo:r.hi]
	if r.inErr != io.EOF {
		return rest, r.readError(r.inErr)
	}
	if len(rest) == 0 {
		return nil, io.EOF
	}
	r.line++
	r.lo = r.hi
	return rest, r.fault(r.line, len(rest), "line has no line feed: the trace is cut short", ErrCut)
}

// fill moves the unread bytes to the front and reads more behind them.
func (r *Reader) fill() {
	if r.lo > 0 {
		copy(r.buf, r.buf[r.lo:r.hi])
		r.lo, r.hi = 0, r.hi-r.lo
	}
	for range 100 {
		n, err := r.in.Read(r.buf[r.hi:])
		r.hi += n
		if err != nil {
			r.inErr = err
			return
		}
		if n > 0 {
			return
		}
	}
	r.inErr = io.ErrNoProgress
}

// readError describes an error of the input below the lines.
func (r *Reader) readError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case r.gzip && (err == io.ErrUnexpectedEOF || err == io.EOF):
		return r.fault(r.line+1, 0, "gzip ends too early: the trace is cut short", ErrCut)
	case err == gzip.ErrHeader, err == gzip.ErrChecksum, errors.As(err, &corrupt):
		return r.fault(r.line+1, 0, fmt.Sprintf("damaged gzip (%v)", err), ErrGzip)
	}
	return fmt.Errorf("%s: reading after line %d: %w", r.name, r.line, err)
}

// faultAt describes a fault at a column of the row just read.
func (r *Reader) faultAt(c int, err error, format string, args ...any) error {
	return r.fault(r.line, r.start[c], fmt.Sprintf(format, args...), err)
}

func (r *Reader) fault(line, at int, reason string, err error) error {
	return &RowError{File: r.name, Line: line, Column: at + 1, Reason: reason, Err: err}
}
