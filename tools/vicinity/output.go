package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// output is a file being written. Until commit the bytes are in a temporary file
// beside it, so that whoever looks sees the old file, the whole new one, or none.
// A target that is not a regular file, such as a pipe, is written directly.
type output struct {
	target string // as the user named it, for messages
	path   string // what is to be replaced, links followed
	temp   string // empty if written directly, or once done
	file   *os.File
	buf    *bufio.Writer
}

// create begins to write the file at target.
func create(target string) (*output, error) {
	o := &output{target: target, path: target}
	if real, err := filepath.EvalSymlinks(target); err == nil {
		o.path = real
	}
	info, err := os.Stat(o.path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("cannot write %s: it is a folder", target)
	case err == nil && !info.Mode().IsRegular():
		o.file, err = os.OpenFile(o.path, os.O_WRONLY, 0)
	default:
		err = o.createTemp(info)
	}
	if err != nil {
		return nil, o.explain(err)
	}
	o.buf = bufio.NewWriterSize(o.file, 1<<16)
	return o, nil
}

// createTemp opens a new file beside the target, with the rights of the old one
// if there is one.
func (o *output) createTemp(old fs.FileInfo) error {
	dir, base := filepath.Split(o.path)
	var err error
	for try := range 100 {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d.part", base, os.Getpid(), try))
		o.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			o.temp = name
			pending.add(o)
			if old != nil {
				err = o.file.Chmod(old.Mode().Perm())
			}
		}
		if err != nil {
			o.discard()
		}
		return err
	}
	return err
}

// Write buffers; an error may concern bytes written before.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.buf.Write(b)
	if err != nil {
		err = o.explain(err)
	}
	return n, err
}

// finish writes what is buffered and closes the file; commit may follow.
func (o *output) finish() error {
	err := o.buf.Flush()
	if closing := o.file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return o.explain(err)
	}
	return nil
}

// commit puts the finished file in its place.
func (o *output) commit() error {
	if o.temp == "" {
		return nil
	}
	if err := os.Rename(o.temp, o.path); err != nil {
		return o.explain(err)
	}
	o.temp = ""
	pending.remove(o)
	return nil
}

// discard removes what is not committed. It may be called at any time.
func (o *output) discard() {
	if o.file != nil {
		o.file.Close()
	}
	if o.temp != "" {
		os.Remove(o.temp)
	}
	pending.remove(o)
}

// explain names the file as the user did, not the temporary one.
func (o *output) explain(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("cannot write %s: %w", o.target, err)
}

// pendingSet are the files being written, for whoever must exit in a hurry.
type pendingSet struct {
	mu    sync.Mutex
	files map[*output]string
}

var pending = pendingSet{files: make(map[*output]string)}

func (p *pendingSet) add(o *output) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[o] = o.temp
}

func (p *pendingSet) remove(o *output) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.files, o)
}

// discardAll removes every file that is not committed, from any goroutine.
func discardAll() {
	pending.mu.Lock()
	defer pending.mu.Unlock()
	for _, temp := range pending.files {
		os.Remove(temp)
	}
}

// absolute returns the path from the root, or as it is if there is none.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
