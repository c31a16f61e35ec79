package deps

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// sound is a small module in which every rule holds, some of them barely.
var sound = map[string]string{
	"go.mod": `module example.org/m

go 1.26

require github.com/klauspost/cpuid/v2 v2.0.0 // why: dispatch

require (
	golang.org/x/sys v0.1.0
	github.com/cespare/xxhash/v2 v2.0.0
	github.com/dgryski/go-pcgr v0.0.0
	example.com/far/away v1.0.0 // indirect
)
`,
	"doc.go": `// Package m is the root.
package m

import (
	_ "example.org/m/grid"
	_ "example.org/m/internal/replay"
	_ "github.com/cespare/xxhash/v2"
)
`,
	"m_test.go": "package m_test\n\nimport _ \"example.org/m\"\n\nfunc Example() {\n\t// Output:\n}\n",
	"arena/doc.go": `// Package arena is documented.
package arena

import (
	_ "unsafe"

	_ "example.org/m/internal/invariants"
	_ "golang.org/x/sys/unix"
)

// T is a type.
type T[P any] struct{ Field int }

// M is a method.
func (t *T[P]) M() {}

type hidden struct{}

func (hidden) Exported() {}

func unexported() {}

// Both of these are constants.
const (
	A = 1
	B = 2
)

type (
	// G is one of a group.
	G int
	H int // H is another.
)

var V int // V is commented behind.
`,
	"arena/arena_test.go": `package arena_test

import (
	"fmt"

	_ "example.org/m/arena"
	_ "example.org/m/internal/oracle"
	_ "github.com/cespare/xxhash/v2"
	_ "github.com/dgryski/go-pcgr"
)

func ExampleT() {
	fmt.Println(1)
	// Output: 1
}

func Undocumented() {}
`,
	"asm/doc.go":                   "// Package asm is documented.\npackage asm\n",
	"asm/dispatch_amd64.go":        "//go:build !purego\n\npackage asm\n\nimport _ \"github.com/klauspost/cpuid/v2\"\n",
	"asm/example_test.go":          "package asm\n\nfunc Example() {\n\t// Output:\n}\n",
	"grid/grid.go":                 "// Package grid is documented.\npackage grid\n\nimport (\n\t_ \"example.org/m/arena\"\n\t_ \"example.org/m/asm\"\n\t_ \"example.org/m/internal/replay\"\n)\n",
	"grid/example_test.go":         "package grid\n\nfunc Example() {\n\t// Output:\n}\n",
	"internal/invariants/on.go":    "//go:build invariants\n\n// Package invariants is documented.\npackage invariants\n\n// Enabled is documented.\nconst Enabled = true\n",
	"internal/invariants/off.go":   "//go:build !invariants\n\npackage invariants\n\n// Enabled is documented.\nconst Enabled = false\n",
	"internal/oracle/doc.go":       "// Package oracle is documented.\npackage oracle\n",
	"internal/oracle/o_test.go":    "package oracle\n\nimport _ \"example.org/m/internal/replay\"\n",
	"internal/replay/doc.go":       "// Package replay is documented.\npackage replay\n\nimport _ \"github.com/cespare/xxhash/v2\"\n",
	"internal/player/doc.go":       "// Package player is documented.\npackage player\n\nimport (\n\t_ \"example.org/m/grid\"\n\t_ \"example.org/m/internal/oracle\"\n\t_ \"example.org/m/internal/replay\"\n)\n",
	"bench/b_test.go":              "package bench\n\nimport (\n\t_ \"example.org/m/arena\"\n\t_ \"github.com/dgryski/go-pcgr\"\n)\n",
	"tools/go.mod":                 "module example.org/m/tools\n",
	"tools/main.go":                "package main\n\nimport _ \"example.com/anything\"\n",
	"arena/testdata/bad.go":        "package bad\n\nimport _ \"example.com/anything\"\n",
	"_attic/bad.go":                "package bad\n\nimport _ \"example.com/anything\"\n",
	".hidden/bad.go":               "package bad\n\nimport _ \"example.com/anything\"\n",
	"arena/testdata/unparsable.go": "no Go at all",
}

// planted returns the sound module with one file changed, and all its problems.
func planted(t *testing.T, name, text string) []string {
	t.Helper()
	files := maps.Clone(sound)
	if name != "" {
		files[name] = text
	}
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tree, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(checkArrows(tree), checkRequirements(tree), checkComments(tree))
}

func TestSoundModuleHasNoProblems(t *testing.T) {
	report(t, planted(t, "", ""))
}

// One fault at a time, and it has to be the only problem found.
func TestPlantedFaults(t *testing.T) {
	imports := func(pkg string, paths ...string) string {
		s := "package " + pkg + "\n"
		for _, p := range paths {
			s += "\nimport _ \"" + p + "\"\n"
		}
		return s
	}
	require := func(line string) string { return sound["go.mod"] + line + "\n" }
	for _, c := range []struct {
		name, file, text string
		want             string
	}{
		// Arrows.
		{"backwards", "arena/x.go", imports("arena", "example.org/m/grid"), "arena/x.go: imports example.org/m/grid: against the arrows"},
		{"sideways", "arena/x.go", imports("arena", "example.org/m/asm"), "arena/x.go: imports example.org/m/asm: against"},
		{"to the root", "grid/x.go", imports("grid", "example.org/m"), "grid/x.go: imports example.org/m: against"},
		{"to the root, in a test", "grid/x_test.go", imports("grid_test", "example.org/m"), "grid/x_test.go: imports example.org/m: against"},
		{"in a test", "arena/x_test.go", imports("arena", "example.org/m/grid"), "arena/x_test.go: imports example.org/m/grid: against"},
		{"oracle outside of tests", "grid/x.go", imports("grid", "example.org/m/internal/oracle"), "against the arrows"},
		{"guard outside of tests", "asm/x.go", imports("asm", "example.org/m/internal/guard"), "against the arrows"},
		{"player outside of tests", "grid/x.go", imports("grid", "example.org/m/internal/player"), "against the arrows"},
		{"oracle leans on us", "internal/oracle/x.go", imports("oracle", "example.org/m/grid"), "imports nothing of ours"},
		{"oracle leans on what is open", "internal/oracle/x.go", imports("oracle", "example.org/m/internal/replay"), "imports nothing of ours"},
		{"replay leans on us", "internal/replay/x.go", imports("replay", "example.org/m/internal/invariants"), "imports nothing of ours"},
		{"player leans on more", "internal/player/x.go", imports("player", "example.org/m/crosslist"), "against the arrows"},
		{"named import", "arena/x.go", "package arena\n\nimport g \"example.org/m/grid\"\n\nvar _ = g.X\n", "against the arrows"},
		{"hidden by a constraint", "arena/x.go", "//go:build plan9 && never\n\n" + imports("arena", "example.org/m/grid"), "against the arrows"},
		{"unknown package", "misc/x_test.go", imports("misc"), "misc: package is not in the table"},
		{"unknown internal package", "internal/misc/x_test.go", imports("misc"), "internal/misc: package is not in the table"},
		// Outside packages.
		{"unknown outsider", "grid/x.go", imports("grid", "example.com/far/away"), "unknown outside package"},
		{"unknown outsider in a test", "grid/x_test.go", imports("grid", "example.com/far/away"), "unknown outside package"},
		{"unknown outsider in the root", "x.go", imports("m", "example.com/far/away"), "unknown outside package"},
		{"name that only begins alike", "arena/x.go", imports("arena", "golang.org/x/system"), "unknown outside package"},
		{"x/sys in grid", "grid/x.go", imports("grid", "golang.org/x/sys/unix"), "not in this package"},
		{"x/sys in a test of grid", "grid/x_test.go", imports("grid", "golang.org/x/sys/unix"), "not in this package"},
		{"x/sys in the root", "x.go", imports("m", "golang.org/x/sys/unix"), "not in this package"},
		{"cpuid outside of dispatch", "asm/x.go", imports("asm", "github.com/klauspost/cpuid/v2"), "only in dispatch_*.go"},
		{"cpuid outside of asm", "grid/dispatch_amd64.go", imports("grid", "github.com/klauspost/cpuid/v2"), "not in this package"},
		{"cpuid in a benchmark", "bench/x_test.go", imports("bench", "github.com/klauspost/cpuid/v2"), "not in this package"},
		{"xxhash in grid", "grid/x.go", imports("grid", "github.com/cespare/xxhash/v2"), "not in this package"},
		{"PCG in arena", "arena/x.go", imports("arena", "github.com/dgryski/go-pcgr"), "not in this package"},
		{"C", "arena/x.go", imports("arena", "C"), "no C"},
		// go.mod.
		{"requirement", "go.mod", require("require example.com/far/away v1.0.0"), "go.mod: require example.com/far/away v1.0.0: not one"},
		{"requirement in a block", "go.mod", require("require (\n\texample.com/a v1.0.0\n)"), "go.mod: require example.com/a v1.0.0: not one"},
		{"other major version", "go.mod", require("require github.com/cespare/xxhash v1.0.0"), "not one"},
		{"comment that only begins alike", "go.mod", require("require example.com/a v1.0.0 // indirectly useful"), "not one"},
		{"replacement", "go.mod", require("replace golang.org/x/sys => ../sys"), "none in a library"},
		{"replacement in a block", "go.mod", require("replace (\n\tgolang.org/x/sys => ../sys\n)"), "none in a library"},
		{"tool", "go.mod", require("tool example.com/stringer"), "module of their own"},
		// Comments.
		{"function", "arena/x.go", "package arena\n\nfunc F() {}\n", "arena/x.go: F has no doc comment"},
		{"directive is no comment", "arena/x.go", "package arena\n\n//go:noinline\nfunc F() {}\n", "F has no doc comment"},
		{"detached comment", "arena/x.go", "package arena\n\n// F is not documented by this.\n\nfunc F() {}\n", "F has no doc comment"},
		{"method", "arena/x.go", "package arena\n\nfunc (t T[P]) N() {}\n", "T.N has no doc comment"},
		{"method of two parameters", "arena/x.go", "package arena\n\nfunc (t *T[P, Q]) N() {}\n", "T.N has no doc comment"},
		{"type", "arena/x.go", "package arena\n\ntype U int\n", "U has no doc comment"},
		{"type in a group", "arena/x.go", "package arena\n\n// These are types.\ntype (\n\tU int\n)\n", "U has no doc comment"},
		{"constant", "arena/x.go", "package arena\n\nconst K = 1\n", "K has no doc comment"},
		{"variable in a group", "arena/x.go", "package arena\n\nvar (\n\t// W is documented.\n\tW int\n\tX int\n)\n", "X has no doc comment"},
		{"internal too", "internal/replay/x.go", "package replay\n\nfunc F() {}\n", "F has no doc comment"},
		{"in a file for another system", "arena/x_plan9.go", "package arena\n\nfunc F() {}\n", "F has no doc comment"},
		{"package comment", "asm/doc.go", "package asm\n", "asm: no package comment"},
		{"package comment of internal", "internal/oracle/doc.go", "package oracle\n", "internal/oracle: no package comment"},
		{"no example", "grid/example_test.go", "package grid\n", "grid: no Example with an output"},
		{"example that does not run", "grid/example_test.go", "package grid\n\nfunc Example() {}\n", "grid: no Example with an output"},
		{"no example in the root", "m_test.go", "package m\n", ".: no Example with an output"},
		{"example outside of tests", "grid/example_test.go", "package grid\n\n// Output: 1\nfunc example() {}\n", "grid: no Example"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := planted(t, c.file, c.text)
			if len(got) != 1 || !strings.Contains(got[0], c.want) {
				t.Errorf("problems %q; want one with %q", got, c.want)
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, root := range map[string]fstest.MapFS{
		"no go.mod": {"a.go": {Data: []byte("package a\n")}},
		"no module": {"go.mod": {Data: []byte("go 1.26\n")}},
		"broken Go": {"go.mod": {Data: []byte("module m\n")}, "a.go": {Data: []byte("package\n")}},
	} {
		if tree, err := load(root); err == nil {
			t.Errorf("%s: loaded %v", name, tree.packages)
		}
	}
}
