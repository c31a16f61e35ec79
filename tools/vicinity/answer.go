package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	engine "vicinity"
)

// answer is what a question found. Its JSON is for scripts: members may be added, and
// none will change its meaning.
type answer struct {
	Trace    string       `json:"trace"`
	UnitM    float64      `json:"unit_m"`
	Tick     uint64       `json:"tick"`             // asked about
	Played   uint64       `json:"played"`           // and played to
	Question string       `json:"question"`         // within, cone, ...
	Text     string       `json:"text"`             // in words
	X        float64      `json:"x"`                // the place, in metres
	Y        float64      `json:"y"`                //
	Around   *uint64      `json:"around,omitempty"` // the entity that is there
	Present  int          `json:"present"`          // in that tick
	Found    []foundEntry `json:"found"`

	scene    *scene
	question *question
	shape    outline
	hit      map[uint64]bool
}

// foundEntry is an entity that was found. Within and nearest have distances, and are
// ordered by them; the others by ID.
type foundEntry struct {
	ID        uint64   `json:"id"`
	Kind      int32    `json:"kind"`
	X         float64  `json:"x"`
	Y         float64  `json:"y"`
	DistanceM *float64 `json:"distance_m,omitempty"`
}

func newAnswer(s *scene, kind questionKind, q *question, found []engine.Found) *answer {
	a := &answer{
		Trace: s.choice.name, UnitM: s.choice.unit.Metres(), Tick: s.asOf, Played: s.tick,
		Question: kind.name, Text: q.text, X: q.origin[0], Y: q.origin[1], Present: len(s.then.ID),
		Found: []foundEntry{}, scene: s, question: q, shape: q.shape(found), hit: map[uint64]bool{},
	}
	if q.fixed {
		a.Around = &q.around
	}
	for _, e := range found {
		row, _ := s.find(e.ID)
		p := s.at(row)
		entry := foundEntry{ID: e.ID, Kind: s.then.Kind[row], X: p[0], Y: p[1]}
		if kind.ranked {
			entry.DistanceM = &e.Distance
		}
		a.Found, a.hit[e.ID] = append(a.Found, entry), true
	}
	if kind.name == "nearest" {
		return a // in their order, which is exact
	}
	slices.SortFunc(a.Found, func(e, f foundEntry) int {
		if kind.ranked && *e.DistanceM != *f.DistanceM {
			return cmp.Compare(*e.DistanceM, *f.DistanceM)
		}
		return cmp.Compare(e.ID, f.ID)
	})
	return a
}

func (a *answer) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(a)
}

// headline says what was asked.
func (a *answer) headline() string {
	place := fmt.Sprintf("(%s, %s)", number(a.X), number(a.Y))
	if a.Around != nil {
		place = fmt.Sprintf("entity %d", *a.Around)
	}
	prefix := "from"
	switch a.Question {
	case "within":
		prefix = "of"
	case "nearest":
		prefix = "to"
	case "ring", "rect":
		prefix = "around"
	}
	return fmt.Sprintf("%s %s %s%s", a.Text, prefix, place, a.scene.only)
}

// when says which tick was asked about.
func (a *answer) when() string {
	if a.Played != a.Tick {
		return fmt.Sprintf("%s, tick %d, asked at tick %d", a.Trace, a.Tick, a.Played)
	}
	return fmt.Sprintf("%s, tick %d", a.Trace, a.Tick)
}

func (a *answer) writeTable(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s\n", a.when(), a.headline())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(a.Found) > 0 {
		header := "id\tkind\tx m\ty m\t"
		if a.Found[0].DistanceM != nil {
			header += "distance m\t"
		}
		fmt.Fprintln(t, header)
	}
	for _, e := range a.Found {
		row := fmt.Sprintf("%d\t%s\t%s\t%s\t", e.ID, a.scene.kinds.name(e.Kind), number(e.X), number(e.Y))
		if e.DistanceM != nil {
			row += number(*e.DistanceM) + "\t"
		}
		fmt.Fprintln(t, row)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "found %d of %d present\n", len(a.Found), a.Present)
	return err
}

// name returns a kind's name, or its number.
func (k *kinds) name(kind int32) string {
	if kind >= 0 && int(kind) < len(k.names) {
		return k.names[kind]
	}
	return strconv.Itoa(int(kind))
}
