// Command vicinity plays, shows and measures what the engine does. Run it with
// --help for its subcommands.
//
// It exits with 0 if all went well, with 2 and one line on standard error if the
// command line or the input is wrong, and with 130 if it was interrupted. A file
// that it was to write is there in whole or not at all.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitOK          = 0
	exitBad         = 2
	exitInterrupted = 130
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its surroundings given.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := untilInterrupt()
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "vicinity: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "vicinity: "+oneLine(err))
	return exitBad
}

// oneLine returns the error's text without line breaks.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

// newRoot returns the command without a subcommand: it only shows help.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "vicinity",
		Short: "Area-of-interest engine: play traces, verify, measure, ask",
		Long: `vicinity plays recorded movement through the area-of-interest engine and says
who had whom in view, how long it took, and whether it was right; or asks who is
near, in a cone, in the way of a beam at one moment of it, and draws the answer.`,
		Example: `  vicinity replay
  vicinity query cone --around 11 --tick 600 --angle 60 --range 3 --svg cone.svg
  vicinity replay --help`,
		Version:           versionText(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.NoArgs,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("vicinity {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())
	})
	root.AddCommand(newReplay(), newQuery())
	return root
}

// versionText returns the version of the build, of Go and of the platform.
func versionText() string {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		version = info.Main.Version
	}
	return fmt.Sprintf("%s (%s %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
