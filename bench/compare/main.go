// Command compare measures package grid against what one would use instead, and prints
// a line for each ratio (the peer's time by ours: above 1 the peer is slower), then a
// table:
//
//	go run ./bench/compare                  all, some minutes
//	go run ./bench/compare -quick           a fifth of the queries
//	go run ./bench/compare -only k=16       rows whose name contains this
//	go run ./bench/compare -json FILE       writes all as JSON, too
//
// All peers answer the same queries in turns, on one thread each, and their answers
// must be equal before a time counts. A peer that is not installed is left out, with a
// line that says so.
//
// To add a peer, implement [Peer] and add it to peers; to add a workload, add it to
// workloads in scene.go; to measure something else, write a file like nearest.go.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

// options say what to measure.
type options struct {
	entities int
	reps     int
	quick    bool
	only     string
}

func main() {
	var o options
	flag.IntVar(&o.entities, "entities", 100_000, "how many there are")
	flag.IntVar(&o.reps, "reps", 7, "repetitions, at least 5 for a figure to trust; medians are printed")
	flag.BoolVar(&o.quick, "quick", false, "a fifth of the queries")
	flag.StringVar(&o.only, "only", "", "measure only rows whose name contains this")
	file := flag.String("json", "", "write all to this file, too")
	flag.Parse()
	if o.entities < 100 || o.reps < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "compare: at least 100 entities, 1 repetition, and no arguments")
		os.Exit(2)
	}
	if err := compare(os.Stdout, o, *file); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// compare measures all and prints it.
func compare(w io.Writer, o options, file string) error {
	r := Report{Command: strings.Join(os.Args, " "), Machine: thisMachine()}
	if err := r.measure(w, o); err != nil {
		return err
	}
	r.printRatios(w)
	fmt.Fprintf(w, "\n%v\n%s\n%d entities, %d repetitions, medians of CPU time; everybody finds itself; rebuild: everybody has moved\n\n",
		&r.Machine, strings.Join(r.Peers, "\n"), o.entities, o.reps)
	r.printTable(w)
	if file != "" {
		return r.write(file)
	}
	return nil
}

// measure fills the rows. What is missing it says at once.
func (r *Report) measure(w io.Writer, o options) (err error) {
	all := workloads(o.entities)
	peers, err := r.peers(w, all[0].RadiusUnits())
	defer func() {
		for _, p := range peers {
			err = errors.Join(err, p.Close())
		}
	}()
	if err != nil {
		return err
	}
	for _, workload := range all {
		s, err := newScene(workload)
		if err != nil {
			return err
		}
		if err := r.measureScene(peers, s, o); err != nil {
			return err
		}
	}
	return nil
}

// measureScene adds the rows of one scene.
func (r *Report) measureScene(peers []Peer, s *Scene, o options) error {
	add := func(name string, measure func() (Row, error)) error {
		if !strings.Contains(name, o.only) {
			return nil
		}
		row, err := measure()
		if err == nil {
			r.Rows = append(r.Rows, row)
		}
		return err
	}
	asking := o.entities
	if o.quick {
		asking = max(asking/5, 1)
	}
	for _, c := range nearestCases(asking) {
		if err := add(c.name(s), func() (Row, error) { return measureNearest(peers, s, c, o.reps) }); err != nil {
			return err
		}
	}
	return add(s.Name+"/rebuild", func() (Row, error) { return measureRebuild(peers, s, o.reps) })
}

// peers returns ours and all others there are; also with an error those that must be
// closed.
func (r *Report) peers(w io.Writer, radius int32) (peers []Peer, err error) {
	peers = []Peer{newOurs(radius), &tidwall{}}
	r.Peers = []string{"github.com/tidwall/rtree " + version("github.com/tidwall/rtree")}
	n, err := newNanoflann()
	if errors.Is(err, errAbsent) {
		missing := fmt.Sprintf("without nanoflann: %v", err)
		r.Missing = append(r.Missing, missing)
		fmt.Fprintln(w, missing)
		return peers, nil
	}
	if err != nil {
		return peers, err
	}
	r.Peers = append(r.Peers, n.version)
	return append(peers, n), nil
}

// version returns that of a module in this program.
func version(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == module {
				return d.Version
			}
		}
	}
	return "of unknown version"
}
