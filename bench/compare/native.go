package main

import (
	"bufio"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// errAbsent says that something is not installed that a native peer needs.
var errAbsent = errors.New("not installed")

//go:embed native/nearest.cpp
var nearestSource string

// compiler is the one that native programs are compiled with.
const compiler = "g++"

// needHeader returns errAbsent if there is no compiler or it does not find a header,
// whose Debian package is named in the error.
func needHeader(header, debian string) error {
	if _, err := exec.LookPath(compiler); err != nil {
		return fmt.Errorf("%s: %w", compiler, errAbsent)
	}
	cmd := exec.Command(compiler, "-E", "-x", "c++", "-o", os.DevNull, "-")
	cmd.Stdin = strings.NewReader("#include <" + header + ">\n")
	if cmd.Run() != nil {
		return fmt.Errorf("%s (Debian package %s): %w", header, debian, errAbsent)
	}
	return nil
}

// compile makes a program in dir from a source for the CPU at hand, and returns its path.
func compile(dir, name, source string) (string, error) {
	program := filepath.Join(dir, name)
	cmd := exec.Command(compiler, "-std=c++17", "-O3", "-DNDEBUG", "-march=native", "-x", "c++", "-o", program, "-")
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile %s: %w\n%s", name, err, out)
	}
	return program, nil
}

// process is a program that obeys commands, one line each, with one line each.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start starts a program and returns the first line that it says, too.
func start(program string) (p *process, greeting string, err error) {
	p = &process{cmd: exec.Command(program)}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, "", err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, "", err
	}
	if greeting, err = p.out.ReadString('\n'); err != nil {
		return nil, "", errors.Join(fmt.Errorf("%s: %w", program, err), p.close())
	}
	return p, strings.TrimSpace(greeting), nil
}

// ask sends a command. The answer must begin with a word, and the rest of it is read
// into values.
func (p *process) ask(command, word string, values ...any) error {
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	rest, ok := strings.CutPrefix(line, word+" ")
	if !ok {
		return fmt.Errorf("%s: answer %q", command, strings.TrimSpace(line))
	}
	if _, err := fmt.Sscan(rest, values...); err != nil {
		return fmt.Errorf("%s: answer %q: %w", command, strings.TrimSpace(line), err)
	}
	return nil
}

// close ends the program by the end of its input.
func (p *process) close() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }

// give writes points to a file and has the program read them with a command.
func (p *process) give(command, path string, points []Point) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = binary.Write(f, binary.NativeEndian, points)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	var n int
	if err := p.ask(command+" "+path, "ok", &n); err != nil {
		return err
	}
	if n != len(points) {
		return fmt.Errorf("%s: %d points of %d arrived", command, n, len(points))
	}
	return nil
}
