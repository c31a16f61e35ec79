package replay

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// Source is a trace that can be opened more than once. Open starts at the
// beginning each time; Name is what error messages call it.
type Source struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// Bytes returns the source whose content, plain or gzip, is data.
func Bytes(name string, data []byte) Source {
	return Source{Name: name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}}
}

// File returns the source at path. A regular file is opened anew each time;
// what cannot be read twice, such as a pipe, is read into memory here.
func File(path string) (Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Source{}, err
	}
	if info.IsDir() {
		return Source{}, fmt.Errorf("%s: is a folder, not a trace", path)
	}
	if !info.Mode().IsRegular() {
		data, err := os.ReadFile(path)
		if err != nil {
			return Source{}, err
		}
		return Bytes(path, data), nil
	}
	return Source{Name: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}, nil
}
