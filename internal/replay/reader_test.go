package replay

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

const head = Header + "\n"

// zip returns data as a gzip file.
func zip(t testing.TB, data string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readAll returns a copy of every tick.
func readAll(in io.Reader) ([]Tick, error) {
	r, err := NewReader(in, "in.csv")
	if err != nil {
		return nil, err
	}
	var all []Tick
	var t Tick
	for {
		err := r.Next(&t)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			if t.Len() != 0 {
				return nil, fmt.Errorf("tick is not empty after %w", err)
			}
			if again := r.Next(&t); again != err {
				return nil, fmt.Errorf("error does not stay: %v after %w", again, err)
			}
			return all, err
		}
		all = append(all, Tick{
			Number: t.Number,
			ID:     slices.Clone(t.ID), X: slices.Clone(t.X), Y: slices.Clone(t.Y),
			Kind: slices.Clone(t.Kind), Team: slices.Clone(t.Team),
		})
	}
}

// encode writes ticks as a trace.
func encode(t testing.TB, ticks []Tick) string {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out)
	for i := range ticks {
		if err := w.Write(&ticks[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

const good = head +
	"0,0,1,2,0,-1\n" +
	"0,3,-1073741823,1073741823,2147483647,2147483647\n" +
	"1,1,0,0,7,0\n" +
	"2,0,10,20,0,1\n" +
	"2,1,11,21,1,2\n" +
	"2,4294967295,12,22,2,3\n"

func TestReaderReadsWhatWriterWrites(t *testing.T) {
	for name, in := range map[string]io.Reader{
		"plain":           strings.NewReader(good),
		"gzip":            bytes.NewReader(zip(t, good)),
		"two gzip parts":  io.MultiReader(bytes.NewReader(zip(t, good[:70])), bytes.NewReader(zip(t, good[70:]))),
		"byte by byte":    iotest.OneByteReader(strings.NewReader(good)),
		"data with EOF":   iotest.DataErrReader(strings.NewReader(good)),
		"half reads":      iotest.HalfReader(bytes.NewReader(zip(t, good))),
		"not normal form": strings.NewReader(strings.Replace(good, "0,0,1,2,0,-1", "00,-0,001,2,0,-01", 1)),
	} {
		ticks, err := readAll(in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := encode(t, ticks); got != good {
			t.Errorf("%s: got %q, want %q", name, got, good)
		}
	}
}

func TestReaderColumns(t *testing.T) {
	ticks, err := readAll(strings.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	if len(ticks) != 3 {
		t.Fatalf("%d ticks, want 3", len(ticks))
	}
	last := ticks[2]
	if last.Number != 2 || !slices.Equal(last.ID, []uint64{0, 1, MaxID}) ||
		!slices.Equal(last.X, []int32{10, 11, 12}) || !slices.Equal(last.Y, []int32{20, 21, 22}) ||
		!slices.Equal(last.Kind, []int32{0, 1, 2}) || !slices.Equal(last.Team, []int32{1, 2, 3}) {
		t.Errorf("tick 2 is %+v", last)
	}
}

// Every fault has one line of text that says where it is, and a sentinel.
func TestReaderFaults(t *testing.T) {
	long := strings.Repeat("9", 100)
	for _, c := range []struct {
		name, in string
		line     int
		column   int
		reason   string // contained
		err      error
	}{
		{"empty", "", 1, 1, "empty trace", ErrHeader},
		{"other header", "tick,id,x,y,team,kind\n", 1, 13, "header is", ErrHeader},
		{"no header", "0,0,1,2,0,-1\n", 1, 1, "header is", ErrHeader},
		{"header only begun", "tick,id", 1, 8, "header is", ErrHeader},
		{"header and more", Header + ",z\n", 1, 22, "header is", ErrHeader},
		{"carriage return", Header + "\r\n", 1, 22, "header is", ErrHeader},
		{"byte order mark", "\xef\xbb\xbf" + head, 1, 1, "header is", ErrHeader},
		{"header without line feed", Header, 1, 22, "no line feed", ErrCut},
		{"no rows", head, 2, 1, "no rows", ErrRow},
		{"word", head + "0,0,1,2,0,-1\n0,one,1,2,0,-1\n", 3, 3, `id "one" is not an integer`, ErrRow},
		{"fraction", head + "0,0,1.5,2,0,-1\n", 2, 5, `x "1.5" is not an integer`, ErrRow},
		{"exponent", head + "0,0,1,2e3,0,-1\n", 2, 7, `y "2e3" is not an integer`, ErrRow},
		{"plus", head + "0,0,1,+2,0,-1\n", 2, 7, `y "+2" is not an integer`, ErrRow},
		{"blank", head + "0,0,1, 2,0,-1\n", 2, 7, `y " 2" is not an integer`, ErrRow},
		{"empty field", head + "0,,1,2,0,-1\n", 2, 3, `id "" is not an integer`, ErrRow},
		{"empty last field", head + "0,0,1,2,0,\n", 2, 11, `team "" is not an integer`, ErrRow},
		{"minus alone", head + "0,0,-,2,0,-1\n", 2, 5, `x "-" is not an integer`, ErrRow},
		{"row ends in carriage return", head + "0,0,1,2,0,-1\r\n", 2, 11, `team "-1\r" is not an integer`, ErrRow},
		{"other separator", head + "0;0;1;2;0;-1\n", 2, 1, "is not an integer", ErrRow},
		{"nul", head + "0,0,\x00,2,0,-1\n", 2, 5, `x "\x00" is not an integer`, ErrRow},
		{"empty row", head + "0,0,1,2,0,-1\n\n", 3, 1, "row has 0 fields, want 6", ErrRow},
		{"five fields", head + "0,0,1,2,0\n", 2, 10, "row has 5 fields, want 6", ErrRow},
		{"five fields and a comma", head + "0,0,1,2,\n", 2, 9, "row has 5 fields, want 6", ErrRow},
		{"seven fields", head + "0,0,1,2,0,-1,5\n", 2, 13, "row has 7 fields, want 6", ErrRow},
		{"x too large", head + "0,0,1073741824,2,0,-1\n", 2, 5, "x 1073741824 is out of range", ErrRange},
		{"y too small", head + "0,0,1,-1073741824,0,-1\n", 2, 7, "y -1073741824 is out of range", ErrRange},
		{"beyond 64 bits", head + "0,0," + long + ",2,0,-1\n", 2, 5, "x " + long[:24] + "… is out of range", ErrRange},
		{"2^64 + 1", head + "0,0,18446744073709551617,2,0,-1\n", 2, 5, "out of range", ErrRange},
		{"negative id", head + "0,-1,1,2,0,-1\n", 2, 3, "id -1 is out of range", ErrRange},
		{"id of 33 bits", head + "0,4294967296,1,2,0,-1\n", 2, 3, "id 4294967296 is out of range", ErrRange},
		{"negative kind", head + "0,0,1,2,-1,-1\n", 2, 9, "kind -1 is out of range", ErrRange},
		{"team -2", head + "0,0,1,2,0,-2\n", 2, 11, "team -2 is out of range", ErrRange},
		{"first tick", head + "1,0,1,2,0,-1\n", 2, 1, "first tick is 1, want 0", ErrTick},
		{"backwards", head + "0,0,1,2,0,-1\n1,0,1,2,0,-1\n0,1,1,2,0,-1\n", 4, 1, "tick goes backwards, from 1 to 0", ErrTick},
		{"skips", head + "0,0,1,2,0,-1\n2,0,1,2,0,-1\n", 3, 1, "tick skips from 0 to 2", ErrTick},
		{"negative tick", head + "-1,0,1,2,0,-1\n", 2, 1, "tick -1 is out of range", ErrRange},
		{"duplicate", head + "0,5,1,2,0,-1\n0,5,1,2,0,-1\n", 3, 3, "id 5 comes twice in tick 0", ErrDuplicate},
		{"duplicate of the first row of a tick", head + "0,5,1,2,0,-1\n1,7,1,2,0,-1\n1,7,1,2,0,-1\n", 4, 3, "id 7 comes twice in tick 1", ErrDuplicate},
		{"not sorted", head + "0,5,1,2,0,-1\n0,4,1,2,0,-1\n", 3, 3, "id 4 after id 5 in tick 0", ErrOrder},
		{"no line feed at the end", head + "0,0,1,2,0,-1\n1,0,1,2,0,1", 3, 12, "cut short", ErrCut},
		{"line too long", head + strings.Repeat("1", bufferSize+1), 2, 1, "line is longer than 65536 bytes", ErrRow},
	} {
		for _, form := range []string{"plain", "gzip"} {
			data := []byte(c.in)
			if form == "gzip" {
				data = zip(t, c.in)
			}
			_, err := readAll(bytes.NewReader(data))
			var row *RowError
			if !errors.As(err, &row) || !errors.Is(err, c.err) {
				t.Errorf("%s, %s: %v, want a RowError of %v", c.name, form, err, c.err)
				continue
			}
			if row.Line != c.line || row.Column != c.column || !strings.Contains(row.Reason, c.reason) {
				t.Errorf("%s, %s: %v; want line %d, column %d, %q", c.name, form, err, c.line, c.column, c.reason)
			}
			text := err.Error()
			place := fmt.Sprintf("in.csv: line %d, column %d: ", c.line, c.column)
			if !strings.HasPrefix(text, place) || strings.Contains(text, "\n") || len(text) > 300 {
				t.Errorf("%s, %s: text %q, want one line that begins %q", c.name, form, text, place)
			}
		}
	}
}

// However a gzip file is cut, the reader says that it is, and gives no rows that
// are not in the whole.
func TestReaderTruncatedGzip(t *testing.T) {
	whole := zip(t, good)
	for n := 2; n < len(whole); n++ {
		ticks, err := readAll(bytes.NewReader(whole[:n]))
		if !errors.Is(err, ErrCut) || !strings.Contains(err.Error(), "gzip ends too early") {
			t.Errorf("cut after %d of %d bytes: %v, want ErrCut", n, len(whole), err)
		}
		if len(ticks) > 0 && !strings.HasPrefix(good, encode(t, ticks)) {
			t.Errorf("cut after %d bytes: got %q", n, encode(t, ticks))
		}
	}
}

func TestReaderDamagedGzip(t *testing.T) {
	whole := zip(t, good)
	for _, at := range []int{2, 3, len(whole) / 2, len(whole) - 8, len(whole) - 1} {
		bad := slices.Clone(whole)
		bad[at] ^= 0xff
		if _, err := readAll(bytes.NewReader(bad)); err == nil {
			t.Errorf("byte %d of %d changed: no error", at, len(whole))
		}
	}
	bad := append(slices.Clone(whole), "rubbish behind"...)
	if _, err := readAll(bytes.NewReader(bad)); !errors.Is(err, ErrGzip) {
		t.Errorf("rubbish behind the gzip: %v, want ErrGzip", err)
	}
}

func TestReaderPassesOnReadErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, data := range [][]byte{nil, []byte(head), []byte(good[:60]), zip(t, good)[:30]} {
		_, err := readAll(io.MultiReader(bytes.NewReader(data), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "in.csv: ") {
			t.Errorf("after %d bytes: %v, want %v", len(data), err, broken)
		}
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv.gz")
	if err := os.WriteFile(path, zip(t, good), 0o644); err != nil {
		t.Fatal(err)
	}
	src, err := File(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a source can be read again
		sum, err := Scan(src)
		if err != nil {
			t.Fatal(err)
		}
		want := Summary{
			Ticks: 3, Rows: 6, Entities: 4, MaxID: MaxID, PresentMax: 3,
			Bounds: Bounds{-MaxCoord, 0, 12, MaxCoord}, MaxKind: 1<<31 - 1,
		}
		if *sum != want {
			t.Errorf("summary %+v, want %+v", *sum, want)
		}
	}
	missing := filepath.Join(dir, "missing.csv")
	if _, err := File(missing); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := File(dir); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("folder: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(src); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("file gone: %v", err)
	}
}

// long returns a trace of many equal ticks.
func long(ticks, present int) string {
	b := []byte(head)
	var t Tick
	for n := range ticks {
		t.Reset(uint64(n))
		for i := range present {
			t.Append(uint64(i), int32(100+i*3), int32(1000+n), 0, -1)
		}
		for i := range t.ID {
			b = appendRow(b, &t, i)
		}
	}
	return string(b)
}

func TestReaderDoesNotAllocate(t *testing.T) {
	r, err := NewReader(strings.NewReader(long(200, 50)), "in.csv")
	if err != nil {
		t.Fatal(err)
	}
	var tick Tick
	if err := r.Next(&tick); err != nil {
		t.Fatal(err)
	}
	allocs := testing.AllocsPerRun(100, func() {
		if err := r.Next(&tick); err != nil || tick.Len() != 50 {
			t.Fatal(err, tick.Len())
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a tick, want 0", allocs)
	}
}

func BenchmarkReader(b *testing.B) {
	text := long(100, 1000)
	rows := 0
	for b.Loop() {
		r, err := NewReader(strings.NewReader(text), "in.csv")
		if err != nil {
			b.Fatal(err)
		}
		var t Tick
		for r.Next(&t) == nil {
			rows += t.Len()
		}
	}
	b.SetBytes(int64(len(text)))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
}

// FuzzReader feeds arbitrary bytes. What is accepted comes out again as the same
// rows; what is refused is refused in one line.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{"", head, good, good[:50], head + "0,0,1,2,0,-1\r\n", head + "0,1,1,1,1,1\n0,1,1,1,1,1\n"} {
		f.Add([]byte(seed))
		f.Add(zip(f, seed))
	}
	f.Add(zip(f, good)[:30])
	f.Fuzz(func(t *testing.T, data []byte) {
		ticks, err := readAll(io.LimitReader(bytes.NewReader(data), 1<<20))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of more than one line: %q", err)
			}
			return
		}
		text := encode(t, ticks)
		again, err := readAll(strings.NewReader(text))
		if err != nil {
			t.Fatalf("own encoding refused: %v\n%s", err, text)
		}
		if got := encode(t, again); got != text {
			t.Fatalf("read again: got %q, want %q", got, text)
		}
		if rows := strings.Count(text, "\n") - 1; rows < len(ticks) || len(ticks) == 0 {
			t.Fatalf("%d rows in %d ticks", rows, len(ticks))
		}
		if len(data) > 1 && data[0] == 't' && strings.Count(text, "\n") != bytes.Count(data, []byte{'\n'}) {
			t.Fatalf("rows differ in number: %q from %q", text, data)
		}
	})
}
