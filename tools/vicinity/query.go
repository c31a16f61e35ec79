package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vicinity/internal/replay"
)

// queryFlags are the flags of the subcommand, as given. Each kind of question has some
// of those in the middle.
type queryFlags struct {
	traceFlags
	tick, asOf   int64
	at           string
	around       int64
	kinds, body  []string
	json         bool
	svg          string
	radius       float64
	size         string
	k            int
	inner, outer float64
	direction    float64
	towards, to  string
	angle, reach float64
	length       float64
	width        float64
}

const queryLong = `Ask a question about one tick of a recorded trace, and print or draw the answer.

The trace is played to --tick through the engine, and the question is asked of what
it is then. With --as-of it is asked about an earlier tick, out of the engine's
history, which gives what the same question gave at that tick.

A place is --at X,Y in metres or --around ID, where that entity is (it may be in the
answer). A direction is --direction in degrees, from +x towards +y, or --towards a
place, X,Y or ID. Entities are points unless --body gives their kind an extent, as a
radius or as WxH; they are found if the closed body and the closed shape have a point
in common, and distances are to the body, 0 inside. --kind asks for some kinds only.
Both may come more than once.

Exit codes: 0 done, 2 bad command line or input, 130 interrupted.`

const queryExample = `  # who is within 2 m of pedestrian 11, one in front of the next
  vicinity query within --around 11 --tick 600 --radius 2

  # the eight nearest to a point, as JSON
  vicinity query nearest --at 0,1 --tick 600 -k 8 --json

  # whom a guard sees, drawn
  vicinity query cone --manifest data/manifest.json --trace rts-match --tick 600 \
    --around 4183 --direction 30 --angle 90 --range 80 --svg cone.svg

  # a shot along a street, judged as the shooter saw it two ticks ago
  vicinity query beam --manifest data/manifest.json --trace city-bologna --tick 300 \
    --as-of 298 --at 900,1000 --towards 1100,1060 --length 200 --width 4 --body car=4.5x1.8`

func newQuery() *cobra.Command {
	query := &cobra.Command{
		Use:     "query KIND",
		Short:   "Ask who is where in a trace at a tick, and draw the answer",
		Long:    queryLong,
		Example: queryExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("no question is called %q, there is %s (see %s --help)", args[0], strings.Join(questionNames(), ", "), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, kind := range questions {
		query.AddCommand(newQuestion(kind))
	}
	return query
}

// newQuestion returns the subcommand of one kind of question.
func newQuestion(kind questionKind) *cobra.Command {
	f := &queryFlags{}
	cmd := &cobra.Command{
		Use: kind.name, Short: kind.short, Long: kind.short + ".\n\n" + queryLong, Example: "  vicinity query " + kind.name + " " + kind.example,
		Args: onlyFlags,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.at, "at", "", "place, `X,Y` in metres")
	flags.Int64Var(&f.around, "around", 0, "place: where the entity `ID` is")
	kind.flags(f, flags)
	f.add(flags)
	flags.Int64Var(&f.tick, "tick", 0, "play up to this `tick`; without, to the last")
	flags.Int64Var(&f.asOf, "as-of", 0, "ask about this earlier `tick`")
	flags.StringArrayVar(&f.kinds, "kind", nil, "ask only for these `kinds`, by name or number, with commas between")
	flags.StringArrayVar(&f.body, "body", nil, "the bodies of kinds in metres, `kind=radius|WxH,...`; others are points")
	flags.BoolVar(&f.json, "json", false, "print one JSON object instead of the table")
	flags.StringVar(&f.svg, "svg", "", "draw the answer to `file`; - is standard output, without the table")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runQuery(cmd, kind, f) }
	return cmd
}

// runQuery checks what every kind of question has, plays the trace, asks, since a place
// may be that of an entity, and shows what came of it.
func runQuery(cmd *cobra.Command, kind questionKind, f *queryFlags) error {
	if f.svg == "-" && f.json {
		return fmt.Errorf("--svg - and --json both want standard output")
	}
	c, err := chooseTrace(&f.traceFlags)
	if err != nil {
		return err
	}
	summary, err := replay.Scan(c.source)
	if err != nil {
		return err
	}
	s, err := newScene(f, c, summary)
	if err != nil {
		return err
	}
	defer s.close()
	picture, err := createPicture(f, c)
	if err != nil {
		return err
	}
	if picture != nil {
		defer picture.discard()
	}
	if err := s.play(cmd.Context(), newProgress(cmd.ErrOrStderr(), "query", int64(s.tick)+1)); err != nil {
		return err
	}
	a, err := s.answer(kind, f)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	switch {
	case f.svg == "-":
		return a.draw(out)
	case picture != nil:
		if err := a.draw(picture); err != nil {
			return err
		}
		if err := picture.finish(); err != nil {
			return err
		}
		if err := picture.commit(); err != nil {
			return err
		}
	}
	if f.json {
		return a.writeJSON(out)
	}
	return a.writeTable(out)
}

// createPicture begins the file that is to be drawn, nil if there is none. It must not
// be the trace.
func createPicture(f *queryFlags, c *choice) (*output, error) {
	if f.svg == "" || f.svg == "-" {
		return nil, nil
	}
	if sameFile(f.svg, c.source.Name) {
		return nil, fmt.Errorf("cannot write %s: it is the trace that is asked", f.svg)
	}
	return create(f.svg)
}
