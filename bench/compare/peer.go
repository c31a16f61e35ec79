package main

import "time"

// A Peer keeps points and finds those nearest to a place. The first of several is
// ours; the others are what one would use instead.
type Peer interface {
	// Name is one word.
	Name() string
	// Settings names the ways in which it can be set up, at least one. Of each
	// measurement the best is taken.
	Settings() []string
	// Build takes points over, in place of those before, which were of the same
	// entities, and returns how long that took from the moment when the positions lay
	// ready in the form that this setting wants.
	Build(setting int, p *Places) (time.Duration, error)
	// Nearest finds the k nearest of each query, as last built.
	Nearest(queries []Point, k int) (Answer, error)
	// Close ends it.
	Close() error
}

// Point is a position in units. Programs in other languages read it as it lies in
// memory.
type Point struct{ X, Y int32 }

// Answer is what a peer found, in short.
type Answer struct {
	// Sum is, modulo 2^64, that of the squared distances of all answers to all
	// queries, each times its rank from 1 on. It does not depend on the order of
	// those at the same distance.
	Sum uint64
	// Took is the CPU time of the thread for all queries.
	Took time.Duration
}

// exactBelow bounds the coordinates that peers hold in float32 exactly. Then their
// distances in float64 are exact, too.
const exactBelow = 1 << 24
