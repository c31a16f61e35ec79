package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// askAt returns a question at the place that the flags name.
func (s *scene) askAt(f *queryFlags) (*question, error) {
	q := &question{}
	switch {
	case f.changed("at") == f.changed("around"):
		return nil, errors.New("the place is missing: one of --at X,Y and --around ID")
	case f.changed("around"):
		if f.around < 0 {
			return nil, fmt.Errorf("--around is %d, want the ID of an entity", f.around)
		}
		row, ok := s.find(uint64(f.around))
		if !ok {
			return nil, fmt.Errorf("--around: no entity %d in tick %d", f.around, s.asOf)
		}
		q.origin, q.around, q.fixed = s.at(row), uint64(f.around), true
		return q, nil
	}
	var err error
	q.origin, err = parsePoint(f.at)
	if err != nil {
		return nil, fmt.Errorf("--at is %q, want X,Y in metres", f.at)
	}
	return q, nil
}

func parsePoint(text string) (p [2]float64, err error) {
	x, y, ok := strings.Cut(text, ",")
	if !ok {
		return p, errors.New("no comma")
	}
	var errX, errY error
	p[0], errX = parseMetres(x)
	p[1], errY = parseMetres(y)
	return p, errors.Join(errX, errY)
}

// target returns the place that a flag names, X,Y or an ID.
func (s *scene) target(flag, text string) ([2]float64, error) {
	if id, err := strconv.ParseUint(text, 10, 64); err == nil {
		row, ok := s.find(id)
		if !ok {
			return [2]float64{}, fmt.Errorf("--%s: no entity %d in tick %d", flag, id, s.asOf)
		}
		return s.at(row), nil
	}
	p, err := parsePoint(text)
	if err != nil {
		return p, fmt.Errorf("--%s is %q, want X,Y in metres or the ID of an entity", flag, text)
	}
	return p, nil
}

// heading returns the direction that the flags name, of length 1 or what leads to the
// target.
func (s *scene) heading(q *question, f *queryFlags) (d [2]float64, err error) {
	switch {
	case f.changed("direction") == f.changed("towards"):
		return d, errors.New("the direction is missing: one of --direction and --towards")
	case f.changed("direction"):
		if math.IsNaN(f.direction) || math.IsInf(f.direction, 0) {
			return d, fmt.Errorf("--direction is %v, want degrees", f.direction)
		}
		return degrees(f.direction), nil
	}
	p, err := s.target("towards", f.towards)
	if err != nil {
		return d, err
	}
	d = [2]float64{p[0] - q.origin[0], p[1] - q.origin[1]}
	if d == [2]float64{} {
		return d, fmt.Errorf("--towards %s is the place itself", f.towards)
	}
	return d, nil
}

// degrees returns the direction of an angle; right angles are exact.
func degrees(angle float64) [2]float64 {
	angle = math.Mod(angle, 360)
	if q := angle / 90; q == math.Trunc(q) {
		return [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}[(int(q)+4)%4]
	}
	sin, cos := math.Sincos(angle * math.Pi / 180)
	return [2]float64{cos, sin}
}
