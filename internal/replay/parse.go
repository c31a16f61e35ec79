package replay

import (
	"bytes"
	"fmt"
)

// The columns of a row, in order.
const (
	colTick = iota
	colID
	colX
	colY
	colKind
	colTeam
	columns
)

// column describes one column: its name in messages and its closed range.
var column = [columns]struct {
	name     string
	min, max int64
}{
	colTick: {"tick", 0, 1<<62 - 1},
	colID:   {"id", 0, MaxID},
	colX:    {"x", -MaxCoord, MaxCoord},
	colY:    {"y", -MaxCoord, MaxCoord},
	colKind: {"kind", 0, 1<<31 - 1},
	colTeam: {"team", -1, 1<<31 - 1},
}

// row is one parsed line.
type row [columns]int64

// rowFault is what is wrong inside one line. at is the byte offset in the line.
type rowFault struct {
	at     int
	reason string
	err    error
}

// parseRow reads the six integers of a line without its line feed. start
// receives the offset of each field. It allocates only to describe a fault.
func parseRow(line []byte, out *row, start *[columns]int) *rowFault {
	at := 0
	for c := range columns {
		start[c] = at
		value, end, ok := parseInt(line, at)
		atEnd := end == len(line)
		if !ok || !atEnd && line[end] != ',' {
			return notInteger(line, at, c)
		}
		if value < column[c].min || value > column[c].max {
			return outOfRange(line, at, c)
		}
		out[c] = value
		if atEnd != (c == columns-1) {
			return wrongCount(line, end)
		}
		at = end + 1
	}
	return nil
}

// parseInt reads an optional minus sign and decimal digits from line[at:]. It
// returns the value, clamped once it is beyond every column's range, and the
// offset of the first byte after the digits; ok is false without a digit.
func parseInt(line []byte, at int) (value int64, end int, ok bool) {
	const clamp = 1 << 62
	end = at
	negative := end < len(line) && line[end] == '-'
	if negative {
		end++
	}
	first := end
	for end < len(line) {
		d := line[end] - '0'
		if d > 9 {
			break
		}
		if value >= clamp/10 {
			value = clamp
		} else {
			value = value*10 + int64(d)
		}
		end++
	}
	if negative {
		value = -value
	}
	return value, end, end > first
}

// field returns the field that starts at offset at.
func field(line []byte, at int) []byte {
	rest := line[at:]
	if i := bytes.IndexByte(rest, ','); i >= 0 {
		return rest[:i]
	}
	return rest
}

// notInteger blames the field at offset at, or, if the line ends before it, the
// number of fields.
func notInteger(line []byte, at, c int) *rowFault {
	text := field(line, at)
	if at == len(line) && c != columns-1 {
		return wrongCount(line, at)
	}
	return &rowFault{at, fmt.Sprintf("%s %s is not an integer", column[c].name, quote(text)), ErrRow}
}

func outOfRange(line []byte, at, c int) *rowFault {
	reason := fmt.Sprintf("%s %s is out of range, %d to %d",
		column[c].name, printInt(field(line, at)), column[c].min, column[c].max)
	return &rowFault{at, reason, ErrRange}
}

// printInt shows an integer as it was written, cut if it is absurdly long.
func printInt(digits []byte) string {
	const most = 24
	if len(digits) > most {
		return string(digits[:most]) + "…"
	}
	return string(digits)
}

func wrongCount(line []byte, at int) *rowFault {
	n := bytes.Count(line, []byte{','}) + 1
	if len(line) == 0 {
		n = 0
	}
	return &rowFault{at, fmt.Sprintf("row has %d fields, want %d (%s)", n, columns, Header), ErrRow}
}
