package deps

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// arrows says which packages of the module a package may import, besides those
// that are open to all. A package that is not named here may not exist.
var arrows = map[string][]string{
	"arena":     {},
	"asm":       {},
	"partition": {},
	"navmesh":   {},
	"packer":    {"asm"},
	"grid":      {"arena", "asm"},
	"crosslist": {"arena"},
	"interest":  {"arena", "asm", "grid"},
	"replica":   {"arena"},
	"handover":  {"partition"},

	"internal/bundled":         {},
	"internal/deps":            {},
	"internal/guard":           {},
	"internal/invariants":      {},
	"internal/oracle":          {},
	"internal/player":          {".", "arena", "asm", "grid", "interest", "packer", "internal/oracle"},
	"internal/replay":          {},
	"internal/replay/datatest": {},
	"internal/script":          {},
}

var (
	// openToAll may be imported by every package but those that stand alone.
	openToAll = []string{"internal/invariants", "internal/replay"}

	// alone import nothing of ours at all: what the rest is measured against or
	// rests upon. Their tests are as free as others.
	alone = []string{"internal/guard", "internal/invariants", "internal/oracle", "internal/replay"}

	// free may import everything of ours, and so may what lies in them.
	free = []string{"bench", "fuzz", "tools"}
)

// An outside package, and who may import it.
type outside struct {
	path  string   // itself and what lies in it
	by    []string // packages; free ones and the root need not be named
	file  string   // pattern of the file names in them; "" for any
	tests bool     // test files of every package may, too
	root  bool     // the root package and the free ones may, too
}

// outsiders are all the outside packages there may be.
var outsiders = []outside{
	{path: "golang.org/x/sys", by: []string{"arena", "internal/guard"}},
	{path: "github.com/klauspost/cpuid/v2", by: []string{"asm"}, file: "dispatch_*.go"},
	// Digests and rendezvous scores.
	{path: "github.com/cespare/xxhash/v2", by: []string{"interest", "partition", "internal/replay"}, tests: true, root: true},
	// Spread; and tests.
	{path: "github.com/dgryski/go-pcgr", by: []string{
		"interest", "navmesh", "packer", "partition", "replica",
		"internal/player", "internal/replay", "internal/script",
	}, tests: true, root: true},
}

// checkArrows returns every import that goes the wrong way.
func checkArrows(t *tree) (problems []string) {
	for _, p := range t.all() {
		if _, known := arrows[p.dir]; !known && !isFree(p.dir) {
			problems = append(problems, fmt.Sprintf("%s: package is not in the table of arrows", p.dir))
			continue
		}
		for _, f := range p.files {
			for _, to := range f.imports() {
				if why := t.refuse(p, f, to); why != "" {
					problems = append(problems, fmt.Sprintf("%s: imports %s: %s", path.Join(p.dir, f.name), to, why))
				}
			}
		}
	}
	return problems
}

// isFree reports whether a package may import everything of ours.
func isFree(dir string) bool {
	return dir == "." || slices.ContainsFunc(free, func(top string) bool { return under(dir, top) })
}

// refuse returns why file f of p may not import a path, "" if it may.
func (t *tree) refuse(p *pkg, f *file, to string) string {
	if to == t.module {
		return refuseOurs(p, f, ".")
	}
	if dir, ok := strings.CutPrefix(to, t.module+"/"); ok {
		return refuseOurs(p, f, dir)
	}
	first, _, _ := strings.Cut(to, "/")
	switch {
	case to == "C":
		return "no C in this module"
	case strings.Contains(first, "."):
		return refuseOutside(p, f, to)
	}
	return "" // the standard library
}

// refuseOurs is refuse for packages of the module.
func refuseOurs(p *pkg, f *file, to string) string {
	switch {
	case isFree(p.dir):
	case f.test && (to == p.dir || under(to, "internal")):
	case slices.Contains(arrows[p.dir], to):
	case slices.Contains(alone, p.dir):
		return "this package imports nothing of ours"
	case slices.Contains(openToAll, to):
	default:
		return "against the arrows"
	}
	return ""
}

// refuseOutside is refuse for packages of others.
func refuseOutside(p *pkg, f *file, to string) string {
	for _, o := range outsiders {
		if !under(to, o.path) {
			continue
		}
		switch {
		case f.test && o.tests:
		case isFree(p.dir) && o.root:
		case !slices.Contains(o.by, p.dir):
			return "not in this package"
		case o.file != "":
			if ok, _ := path.Match(o.file, f.name); !ok {
				return "only in " + o.file
			}
		}
		return ""
	}
	return "unknown outside package"
}
