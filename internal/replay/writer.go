package replay

import (
	"io"
	"strconv"
)

// Writer writes a trace as plain text, the exact bytes that a Reader of the same
// ticks has read if they were in shortest form. It does not buffer: a tick is
// one Write. Its zero value is of no use; see NewWriter.
type Writer struct {
	out    io.Writer
	buf    []byte
	headed bool
}

// NewWriter returns a Writer on out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Write writes one tick, and the header before the first.
func (w *Writer) Write(t *Tick) error {
	w.buf = w.buf[:0]
	if !w.headed {
		w.buf = append(append(w.buf, Header...), '\n')
		w.headed = true
	}
	for i := range t.ID {
		w.buf = appendRow(w.buf, t, i)
	}
	_, err := w.out.Write(w.buf)
	return err
}

func appendRow(dst []byte, t *Tick, i int) []byte {
	dst = append(strconv.AppendUint(dst, t.Number, 10), ',')
	dst = append(strconv.AppendUint(dst, t.ID[i], 10), ',')
	dst = append(strconv.AppendInt(dst, int64(t.X[i]), 10), ',')
	dst = append(strconv.AppendInt(dst, int64(t.Y[i]), 10), ',')
	dst = append(strconv.AppendInt(dst, int64(t.Kind[i]), 10), ',')
	return append(strconv.AppendInt(dst, int64(t.Team[i]), 10), '\n')
}
