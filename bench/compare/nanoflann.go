package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// nanoflann is the C++ library of that name, its static tree in a process of its own
// (native/nearest.cpp).
type nanoflann struct {
	dir     string // a folder of its own
	version string
	process *process
	asked   []Point // the queries that it has
}

// newNanoflann compiles and starts one. The error is errAbsent if there is no compiler
// or no library.
func newNanoflann() (n *nanoflann, err error) {
	if err := needHeader("nanoflann.hpp", "libnanoflann-dev"); err != nil {
		return nil, err
	}
	n = &nanoflann{}
	if n.dir, err = os.MkdirTemp("", "vicinity-compare-"); err != nil {
		return nil, err
	}
	program, err := compile(n.dir, "nearest", nearestSource)
	if err == nil {
		n.process, n.version, err = start(program)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(n.dir))
	}
	return n, nil
}

// nanoflannSettings are the sizes of leaves and number types, in the program's words.
var nanoflannSettings = []string{
	"double 8", "double 12", "double 16", "double 24", "double 32",
	"float 8", "float 12", "float 16", "float 24", "float 32",
}

func (n *nanoflann) Name() string       { return "nanoflann" }
func (n *nanoflann) Settings() []string { return nanoflannSettings }

func (n *nanoflann) Build(setting int, p *Places) (time.Duration, error) {
	for _, p := range p.ByPlace {
		if max(p.X, -p.X, p.Y, -p.Y) >= exactBelow {
			return 0, fmt.Errorf("position %v: float32 is not exact from %d on", p, exactBelow)
		}
	}
	if err := n.process.give("points", filepath.Join(n.dir, "points"), p.ByPlace); err != nil {
		return 0, err
	}
	var nanos int64
	err := n.process.ask("build "+nanoflannSettings[setting], "built", &nanos)
	return time.Duration(nanos), err
}

func (n *nanoflann) Nearest(queries []Point, k int) (a Answer, err error) {
	if len(queries) == 0 {
		return a, nil
	}
	if len(n.asked) != len(queries) || &n.asked[0] != &queries[0] {
		if err := n.process.give("queries", filepath.Join(n.dir, "queries"), queries); err != nil {
			return a, err
		}
		n.asked = queries
	}
	var nanos int64
	err = n.process.ask(fmt.Sprintf("nearest %d", k), "found", &nanos, &a.Sum)
	a.Took = time.Duration(nanos)
	return a, err
}

func (n *nanoflann) Close() error { return errors.Join(n.process.close(), os.RemoveAll(n.dir)) }
