package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrManifest is wrapped by every error about the content of a manifest.
var ErrManifest = errors.New("replay: bad manifest")

// Manifest lists traces. Its JSON has more members than these; the others are
// for people.
type Manifest struct {
	Name   string  `json:"-"` // what error messages call it
	Traces []Trace `json:"traces"`
}

// Trace describes one trace. Files are relative to the manifest's folder.
type Trace struct {
	Name        string   `json:"name"`
	File        string   `json:"file"`
	Title       string   `json:"title"`
	Nature      string   `json:"nature"`
	TickSeconds float64  `json:"tick_seconds"`
	UnitM       float64  `json:"unit_m"`
	Kinds       []string `json:"kinds"`
	Teams       []string `json:"teams"`
	Licence     string   `json:"licence"`
	LicenceFile string   `json:"licence_file"`
	Stats       Stats    `json:"stats"`
	Expected    Expected `json:"expected"`
}

// Stats are counts over the whole trace.
type Stats struct {
	Rows       int64  `json:"rows"`
	Entities   int    `json:"entities"`
	Ticks      uint64 `json:"ticks"`
	PresentMax int    `json:"present_max"`
}

// Expected says with which radii the expected values were computed, where they
// are, and what they add up to.
type Expected struct {
	AOIFile          string `json:"aoi_file"`
	NearestFile      string `json:"nearest_file"`
	EnterRadiusUnits int32  `json:"enter_radius_units"`
	LeaveMarginUnits int32  `json:"leave_margin_units"`
	NearestK         int    `json:"nearest_k"`
	SumWithin        int64  `json:"sum_within"`
	SumEnter         int64  `json:"sum_enter"`
	SumKeep          int64  `json:"sum_keep"`
	SumLeave         int64  `json:"sum_leave"`
}

// ParseManifest reads a manifest and checks what a replay relies on. name is
// what error messages call it.
func ParseManifest(name string, data []byte) (*Manifest, error) {
	m := &Manifest{Name: name}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, jsonError(name, data, err)
	}
	seen := make(map[string]bool)
	for i := range m.Traces {
		t := &m.Traces[i]
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("%s: trace %d (%q): %w", name, i+1, t.Name, err)
		}
		if seen[t.Name] {
			return nil, fmt.Errorf("%s: trace %q: %w: it is there twice", name, t.Name, ErrManifest)
		}
		seen[t.Name] = true
	}
	if len(m.Traces) == 0 {
		return nil, fmt.Errorf("%s: %w: it lists no trace", name, ErrManifest)
	}
	return m, nil
}

// check reports the first member that a replay could not work with.
func (t *Trace) check() error {
	e := &t.Expected
	switch {
	case t.Name == "":
		return fmt.Errorf("%w: name is missing", ErrManifest)
	case t.File == "":
		return fmt.Errorf("%w: file is missing", ErrManifest)
	case e.EnterRadiusUnits < 0 || e.LeaveMarginUnits < 0,
		int64(e.EnterRadiusUnits)+int64(e.LeaveMarginUnits) > MaxCoord:
		return fmt.Errorf("%w: enter_radius_units %d, leave_margin_units %d, want both from 0 and at most %d together",
			ErrManifest, e.EnterRadiusUnits, e.LeaveMarginUnits, MaxCoord)
	case e.NearestK < 0:
		return fmt.Errorf("%w: nearest_k is %d, want 0 or more", ErrManifest, e.NearestK)
	}
	if _, err := UnitOf(t.UnitM); err != nil {
		return fmt.Errorf("%w: unit_m: %w", ErrManifest, err)
	}
	return nil
}

// Trace returns the trace of that name. The error lists the names there are.
func (m *Manifest) Trace(name string) (*Trace, error) {
	for i := range m.Traces {
		if m.Traces[i].Name == name {
			return &m.Traces[i], nil
		}
	}
	return nil, fmt.Errorf("%s: no trace %q, there is %s", m.Name, name, strings.Join(m.Names(), ", "))
}

// Names returns the names of the traces, in their order.
func (m *Manifest) Names() []string {
	var names []string
	for i := range m.Traces {
		names = append(names, m.Traces[i].Name)
	}
	return names
}

// Unit returns the trace's unit.
func (t *Trace) Unit() Unit {
	u, _ := UnitOf(t.UnitM) // checked by ParseManifest
	return u
}

// jsonError says in one line where the JSON is wrong.
func jsonError(name string, data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var offset int64
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	case errors.Is(err, io.ErrUnexpectedEOF):
		offset = int64(len(data))
	}
	before := data[:min(int64(len(data)), max(0, offset))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n') - 1
	return &RowError{File: name, Line: line, Column: max(1, column), Reason: err.Error(), Err: ErrManifest}
}
